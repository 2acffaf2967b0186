"""The accelerated proximal point method: |x_5 - y_5|^2."""

from fltheory.performance import Monotone, Problem

p = Problem()
A = p.operator(Monotone())
best = A.zero()
x = p.start(best, distance=1)
y = z = x
for k in range(5):
    new = A.resolvent(z, 2)
    x, y, z, last = new, z, new + k / (k + 2) * (new - x) - k / (k + 2) * (x - y), z
worst = p.worst((x - last) ** 2)
