"""The subgradient method: the least f(x_t) - f* of 7 points."""

from math import sqrt

from fltheory.performance import Lipschitz, Problem

p = Problem()
f = p.function(Lipschitz(2))
best = f.minimiser()
x = p.start(best, distance=1)
gaps = []
for _ in range(6):
    gaps.append(f(x) - f(best))
    x = x - f.gradient(x) / (2 * sqrt(7))
gaps.append(f(x) - f(best))
worst = p.worst(*gaps)
