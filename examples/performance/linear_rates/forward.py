"""A forward step, L = 1, mu = 1/2, step 1/2: |x_1 - x*|^2."""

from fltheory.performance import LipschitzMonotone, Problem

p = Problem()
A = p.operator(LipschitzMonotone(1, "1/2"))
best = A.zero()
x = p.start(best, distance=1)
x = x - A(x) / 2
worst = p.worst((x - best) ** 2, bound="3/4")
