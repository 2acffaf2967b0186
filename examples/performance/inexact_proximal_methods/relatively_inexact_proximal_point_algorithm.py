"""The relatively inexact proximal point method, step 10: f(x_4) - f*."""

from fltheory.performance import Convex, Problem

p = Problem()
f = p.function(Convex())
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    e, g = p.vector(), p.vector()
    new = f.point_with_gradient(g, at=x - 10 * g + e)
    p.require(e**2 <= 0.65**2 * (new - x) ** 2)
    x = new
worst = p.worst(f(x) - f(best))
