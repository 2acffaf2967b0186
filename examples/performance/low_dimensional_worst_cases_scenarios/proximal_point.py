"""The proximal point method for monotone operators: |x_6 - x_5|^2."""

from fltheory.performance import Monotone, Problem

p = Problem()
A = p.operator(Monotone())
best = A.zero()
x = p.start(best, distance=1)
for _ in range(6):
    x, before = A.resolvent(x, 2.2), x
worst = p.worst((x - before) ** 2)
