"""The optimistic gradient method on a set: |y_3 - y_2|^2."""

from fltheory.performance import Indicator, LipschitzMonotone, Problem

p = Problem()
h, F = p.function(Indicator()), p.operator(LipschitzMonotone(1))
best = (h + F).zero()
y = x = h.prox(p.start(best, distance=1), 0.25)
for _ in range(3):
    new, before = h.prox(x - F(y) / 4, 0.25), y
    x, y = new + (F(y) - F(new)) / 4, new
worst = p.worst((y - before) ** 2)
