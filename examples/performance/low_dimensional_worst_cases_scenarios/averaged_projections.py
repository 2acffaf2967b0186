"""Averaged projections: the squared distance of both projections after 4 rounds."""

from fltheory.performance import Indicator, Problem

p = Problem()
a, b = p.function(Indicator()), p.function(Indicator())
best = (a + b).minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = (a.prox(x) + b.prox(x)) / 2
worst = p.worst((b.prox(x) - a.prox(x)) ** 2)
