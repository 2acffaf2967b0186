"""FISTA: F(x_4) - F*."""

from math import sqrt

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1)), p.function(Convex())
best = (f + h).minimiser()
x = y = p.start(best, distance=1)
t = 1
for _ in range(4):
    new, last, t = h.prox(y - f.gradient(y)), t, (1 + sqrt(4 * t**2 + 1)) / 2
    x, y = new, new + (last - 1) / t * (new - x)
worst = p.worst((f + h)(x) - (f + h)(best))
