"""The information-theoretic exact method, L = 1, mu = 0.1: |z_3 - x*|^2."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start(best, distance=1)
z, A, q = x, 0, 0.1
for _ in range(3):
    a, A = A, ((1 + q) * A + 2 * (1 + sqrt((1 + A) * (1 + q * A)))) / (1 - q) ** 2
    y, d = z + a / (1 - q) / A * (x - z), ((1 - q) ** 2 * A - (1 + q) * a) / (1 + q + q * a) / 2
    x, z = y - f.gradient(y), (1 - q * d) * z + q * d * y - d * f.gradient(y)
worst = p.worst((z - best) ** 2)
