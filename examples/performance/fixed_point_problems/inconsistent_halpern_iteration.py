"""Halpern's iteration without fixed points: |x_5 - A x_5 - v|^2, v the least displacement."""

from fltheory.performance import LipschitzOperator, Problem

p = Problem()
A, best = p.operator(LipschitzOperator(1)), p.start()
x = first = p.start(best, distance=1)
v, points = best - A(best), [best]
for k in range(5):
    points.append(x)
    x = first / (k + 2) + (1 - 1 / (k + 2)) * A(x)
p.require(*(v**2 - (y - A(y)) @ v <= 0 for y in [*points, x]))
worst = p.worst((x - A(x) - v) ** 2)
