"""The past extragradient method on a set: |x_3 - x_2|^2."""

from fltheory.performance import Indicator, LipschitzMonotone, Problem

p = Problem()
h, F = p.function(Indicator()), p.operator(LipschitzMonotone(1))
best = (h + F).zero()
y = x = h.prox(p.start(best, distance=1), 0.25)
for _ in range(3):
    y, before = h.prox(x - F(y) / 4, 0.25), x
    x = h.prox(x - F(y) / 4, 0.25)
worst = p.worst((x - before) ** 2)
