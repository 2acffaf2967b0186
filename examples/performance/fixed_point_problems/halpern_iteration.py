"""Halpern's iteration: |x_9 - A x_9|^2."""

from fltheory.performance import LipschitzOperator, Problem

p = Problem()
A = p.operator(LipschitzOperator(1))
best = A.fixed_point()
x = first = p.start(best, distance=1)
for k in range(9):
    x = first / (k + 2) + (1 - 1 / (k + 2)) * A(x)
worst = p.worst((x - A(x)) ** 2)
