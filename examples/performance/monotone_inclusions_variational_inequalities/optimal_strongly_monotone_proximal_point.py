"""The optimal proximal point method for strongly monotone operators, mu = 0.05: |y_4 - x_5|^2."""

from fltheory.performance import Problem, StronglyMonotone

p = Problem()
A = p.operator(StronglyMonotone(0.05))
best = A.zero()
x = p.start(best, distance=1)
y, before, m = x, x, 1.1
phi = [(m ** (2 * k) - 1) / (m**2 - 1) for k in range(8)]
for k in range(5):
    new, a, b, c = A.resolvent(y), *phi[k : k + 3]
    z = new + ((b - 1) * (new - x) - 0.1 * b * (y - new) + m * a * (before - x)) / c
    x, before, y = new, y, z
worst = p.worst((before - x) ** 2)
