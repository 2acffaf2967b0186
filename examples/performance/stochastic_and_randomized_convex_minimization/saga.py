"""SAGA on a mean of 3 functions: the mean of its Lyapunov function after a step."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
n, c0, h, fs = 3, 1 / 2.6, p.function(Convex()), [p.function(Smooth(1, 0.1)) for _ in range(3)]
best, x, old = (sum(fs) / n + h).minimiser(), p.start(), [p.start() for _ in range(n)]
c = 1 / 2 / c0 / (1 - 0.1 * c0) / n
grads = [f.gradient(y) for f, y in zip(fs, old)]


def D(f, y):
    return f(y) - f(best) - f.gradient(best) @ (y - best)


p.require(c * (x - best) ** 2 + sum(D(f, y) for f, y in zip(fs, old)) / n <= 1)
new = [h.prox(x - c0 * (f.gradient(x) - g + sum(grads) / n), c0) for f, g in zip(fs, grads)]
kept = [sum(D(f, x if f is one else y) for f, y in zip(fs, old)) / n for one in fs]
worst = p.worst(sum(c * (y - best) ** 2 + k for y, k in zip(new, kept)) / n)
