"""Triple momentum, L = 1, mu = 1/9: f(x_4) - f*."""

from fractions import Fraction

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, "1/9"))
best = f.minimiser()
x = p.start(best, distance=1)
r, now, before, y = Fraction(2, 3), x, x, x
for _ in range(4):
    new = now + r**2 / (2 - r) * (now - before) - (1 + r) * f.gradient(y)
    x, y = new + r**2 / (1 - r**2) * (new - now), new + r**2 / (1 + r) / (2 - r) * (new - now)
    now, before = new, now
worst = p.worst(f(x) - f(best))
