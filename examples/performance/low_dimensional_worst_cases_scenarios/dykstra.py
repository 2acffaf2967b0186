"""Dykstra's projections: the squared distance of both sets' last points after 4 rounds."""

from fltheory.performance import Indicator, Problem

p = Problem()
a, b = p.function(Indicator()), p.function(Indicator())
best = (a + b).minimiser()
x = p.start(best, distance=1)
q = r = x - x
for _ in range(4):
    y = a.prox(x + q)
    q, z = x + q - y, b.prox(y + r)
    x, r = z, y + r - z
worst = p.worst((x - a.prox(x)) ** 2)
