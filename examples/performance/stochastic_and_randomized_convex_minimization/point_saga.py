"""Point-SAGA on a mean of 3 functions: the mean of its Lyapunov function after a step."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
n, mu, fs = 3, 0.01, [p.function(Smooth(1, 0.01)) for _ in range(3)]
best, x, old = (sum(fs) / n).minimiser(), p.start(), [p.vector() for _ in range(n)]
c0 = sqrt((n - 1) ** 2 + 4 * n / mu) / 2 / n - (1 - 1 / n) / 2
at = [f.gradient(best) for f in fs]


def V(x, gs):
    return (x - best) ** 2 + sum((g - a) ** 2 for g, a in zip(gs, at)) / mu / n


p.require(V(x, old) <= 1)
new = [f.prox(x + c0 * g - c0 / n * sum(old), c0) for f, g in zip(fs, old)]
kept = [[f.gradient(y) if f is one else g for one, g in zip(fs, old)] for f, y in zip(fs, new)]
worst = p.worst(sum(V(y, gs) for y, gs in zip(new, kept)) / n)
