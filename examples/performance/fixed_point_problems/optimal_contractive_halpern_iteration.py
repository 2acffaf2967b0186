"""The optimal iteration for 1/1.1-contractions: |x_5 - A x_5|^2."""

from fractions import Fraction

from fltheory.performance import LipschitzOperator, Problem

p = Problem()
A, c = p.operator(LipschitzOperator("10/11")), Fraction(11, 10)
best = A.fixed_point()
x = first = p.start(best, distance=1)
for k in range(5):
    phi = (c ** (2 * k + 4) - 1) / (c**2 - 1)
    x = first / phi + (1 - 1 / phi) * A(x)
worst = p.worst((x - A(x)) ** 2)
