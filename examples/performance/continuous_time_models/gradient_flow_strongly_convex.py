"""Gradient flow, mu = 0.1: the derivative of f - f* where it is 1."""

from fltheory.performance import Problem, StronglyConvex

p = Problem()
f = p.function(StronglyConvex(0.1))
best, x = f.minimiser(), p.start()
p.require(f(x) - f(best) == 1)
worst = p.worst(-(f.gradient(x) ** 2))
