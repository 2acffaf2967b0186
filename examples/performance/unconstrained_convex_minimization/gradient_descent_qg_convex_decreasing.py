"""Decreasing steps on convex functions with quadratic growth: f(x_6) - f*."""

from math import sqrt

from fltheory.performance import Problem, QuadraticGrowth

p = Problem()
f = p.function(QuadraticGrowth(1))
best = f.minimiser()
x = p.start(best, distance=1)
u = 1
for _ in range(6):
    u = u / 2 + sqrt(u**2 / 4 + 2)
    x = x - f.gradient(x) / u
worst = p.worst(f(x) - f(best))
