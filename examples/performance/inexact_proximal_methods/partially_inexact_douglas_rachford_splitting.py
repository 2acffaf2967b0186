"""Douglas-Rachford with one inexact proximal map: |z_2 - z*|^2."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h, c = p.function(Smooth(5, 0.1)), p.function(Convex()), 1.4
best = (f + h).minimiser()
fixed = best + c * f.gradient(best)
z = p.start(fixed, distance=1)
for _ in range(2):
    e, g = p.vector(), p.vector()
    x = f.point_with_gradient(g, at=z - c * g + e)
    y = h.prox(x - c * g, c)
    p.require(e**2 <= 0.04 * (y - z + c * g) ** 2)
    z = z + y - x
worst = p.worst((z - fixed) ** 2)
