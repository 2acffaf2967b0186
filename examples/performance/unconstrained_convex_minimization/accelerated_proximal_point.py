"""Güler's accelerated proximal point method: f(x_3) - f*."""

from math import sqrt

from fltheory.performance import Convex, Problem

p = Problem()
f = p.function(Convex())
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) + 5 / 2 * (x - best) ** 2 <= 1)
v, A = x, 5
for g in (1 / 1.1, 2 / 1.1, 3 / 1.1):
    a = (sqrt((A * g) ** 2 + 4 * A * g) - A * g) / 2
    y = (1 - a) * x + a * v
    x, A = f.prox(y, g), (1 - a) * A
    v = v + (x - y) / a
worst = p.worst(f(x) - f(best))
