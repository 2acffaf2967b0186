"""Krasnoselskii-Mann, step 3/4: |x_3 - A x_3|^2 / 4."""

from fltheory.performance import LipschitzOperator, Problem

p = Problem()
A = p.operator(LipschitzOperator(1))
best = A.fixed_point()
x = p.start(best, distance=1)
for _ in range(3):
    x = x / 4 + 3 / 4 * A(x)
worst = p.worst((x - A(x)) ** 2 / 4)
