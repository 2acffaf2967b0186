"""Triple momentum, L = 1, mu = 1/9: a Lyapunov function that falls by (1 - sqrt(mu/L))^2, the known rate."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, "1/9"))
best, x, before = f.minimiser(), p.start(), p.start()
V = []
for _ in range(2):
    y = x + (x - before) / 5
    x, before = x + (x - before) / 3 - 5 / 3 * f.gradient(y), x
    near, z = y - f.gradient(y), x + 4 / 5 * (x - before)
    value = f(y) - f(best) - f.gradient(y) ** 2 / 2 - (near - best) ** 2 / 16
    V.append(value + (z - best) ** 2 / 8)
p.require(V[0] <= 1)
worst = p.worst(V[1], bound="4/9")
