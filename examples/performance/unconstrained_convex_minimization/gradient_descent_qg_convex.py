"""Gradient descent on convex functions with quadratic growth: f(x_4) - f*."""

from fltheory.performance import Problem, QuadraticGrowth

p = Problem()
f = p.function(QuadraticGrowth(1))
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = x - f.gradient(x) / 5
worst = p.worst(f(x) - f(best))
