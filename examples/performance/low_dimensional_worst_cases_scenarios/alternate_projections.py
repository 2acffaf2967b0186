"""Alternating projections: the squared distance of both sets' last points after 4 rounds."""

from fltheory.performance import Indicator, Problem

p = Problem()
a, b = p.function(Indicator()), p.function(Indicator())
best = (a + b).minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = b.prox(a.prox(x))
worst = p.worst((x - a.prox(x)) ** 2)
