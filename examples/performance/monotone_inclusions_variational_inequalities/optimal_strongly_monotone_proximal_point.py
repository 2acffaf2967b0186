"""The optimal proximal point method for strongly monotone operators: |y_4 - x_5|^2."""

from fltheory.performance import Problem, StronglyMonotone

p = Problem()
A = p.operator(StronglyMonotone(0.05))
best = A.zero()
x = p.start(best, distance=1)
y, before, m = x, x, 0.05
phi = [((1 + 2 * m) ** (2 * k) - 1) / ((1 + 2 * m) ** 2 - 1) for k in range(8)]
for k in range(5):
    new, c = A.resolvent(y), phi[k + 2]
    z = (
        new
        + (phi[k + 1] - 1) / c * (new - x)
        - 2 * m * phi[k + 1] / c * (y - new)
        + (1 + 2 * m) * phi[k] / c * (before - x)
    )
    x, before, y = new, y, z
worst = p.worst((before - x) ** 2)
