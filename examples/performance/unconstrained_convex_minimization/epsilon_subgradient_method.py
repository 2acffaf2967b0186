"""Steps along epsilon-subgradients: the least f(x_t) - f* of 4 points."""

from math import sqrt

from fltheory.performance import Convex, Problem

p = Problem()
f = p.function(Convex())
best = f.minimiser()
x = p.start(best, distance=1)
gaps = []
for _ in range(3):
    gaps.append(f(x) - f(best))
    g, e = f.epsilon_subgradient(x)
    p.require(e <= 0.1, g**2 <= 4)
    x = x - g / (2 * sqrt(4))
p.require(f.gradient(x) ** 2 <= 4)
worst = p.worst(*gaps, f(x) - f(best))
