"""Nesterov's method: f(x_4) - f*."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
y, t = x, 1
for _ in range(4):
    new, last, t = y - f.gradient(y), t, (1 + sqrt(4 * t**2 + 1)) / 2
    x, y = new, new + (last - 1) / t * (new - x)
worst = p.worst(f(x) - f(best))
