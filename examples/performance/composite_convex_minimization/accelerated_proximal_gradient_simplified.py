"""FISTA with momentum k/(k + 3): F(x_4) - F*."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1)), p.function(Convex())
best = (f + h).minimiser()
x = y = p.start(best, distance=1)
for k in range(4):
    new = h.prox(y - f.gradient(y))
    x, y = new, new + k / (k + 3) * (new - x)
worst = p.worst((f + h)(x) - (f + h)(best))
