"""Gradient descent on quadratic functions: f(x_4) - f*."""

from fltheory.performance import Problem, Quadratic

p = Problem()
f = p.function(Quadratic(3, "3/10"))
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = x - f.gradient(x) / 3
worst = p.worst(f(x) - f(best))
