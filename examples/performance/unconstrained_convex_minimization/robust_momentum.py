"""The robust momentum method, L = 1, mu = 1/4: its Lyapunov function after a step."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.25))
best, before, x, k, m = f.minimiser(), p.start(), p.start(), 4, 0.25
r = 0.2 * (1 - 1 / k) + 0.8 * (1 - 1 / sqrt(k))
lam, V = m**2 * (k - k * r**2 - 1) / (2 * r * (1 - r)), []
for _ in range(2):
    y = x + r**3 / ((k - 1) * (1 - r) ** 2 * (1 + r)) * (x - before)
    new, e = x + k * r**3 / (k - 1) * (x - before) - k * (1 - r) ** 2 * (1 + r) * f.gradient(y), y - best
    q = (1 - m) * (f(y) - f(best) - m / 2 * e**2) - (f.gradient(y) - m * e) ** 2 / 2
    V, x, before = [*V, lam * ((new - r**2 * x) / (1 - r**2) - best) ** 2 + q], new, x
p.require(V[0] <= 1)
worst = p.worst(V[1])
