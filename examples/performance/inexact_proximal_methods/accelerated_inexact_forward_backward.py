"""Accelerated inexact forward-backward, L = 1: F(x_3) - F*."""

from math import sqrt

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1)), p.function(Convex())
best = (f + h).minimiser()
x = z = p.start(best, distance=1)
A, eta = 0, 1 - 0.45**2
for _ in range(3):
    a, A = A, A + (eta + sqrt(eta**2 + 4 * eta * A)) / 2
    y, v, new = x + (1 - a / A) * (z - x), p.vector(), p.start()
    g, w = f.gradient(y), h.point_with_gradient(v)
    p.require((new - y + g + v) ** 2 / 2 + h(new) - h(w) - v @ (new - w) <= 0.45**2 / 2 * (v + g) ** 2)
    x, z = new, z - (A - a) * (v + g)
worst = p.worst((f + h)(x) - (f + h)(best))
