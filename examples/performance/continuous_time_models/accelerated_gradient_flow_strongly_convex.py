"""Accelerated flow, mu = 0.09: the derivative of its Lyapunov function where that is 1."""

from fltheory.performance import Problem, StronglyConvex

p = Problem()
f, r = p.function(StronglyConvex(0.09)), 0.3
best, x, v = f.minimiser(), p.start(), p.vector()
g, w = f.gradient(x), r * (x - best) + v
p.require(f(x) - f(best) + w**2 / 2 == 1)
worst = p.worst(g @ v + w @ (r * v - 2 * r * v - g))
