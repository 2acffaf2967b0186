"""Accelerated Douglas-Rachford: F(y_2) - F*."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
h, f = p.function(Convex()), p.function(Smooth(1, 0.1))
a = 0.9
best = (h + f).minimiser()
u = w = p.start(best + a * f.gradient(best), distance=1)
for k in range(2):
    x = f.prox(u, a)
    y = h.prox(2 * x - u, a)
    w, last = u + (1 - a) / (1 + a) * (y - x), w
    u = w + max(k - 1, 0) / (k + 2) * (w - last)
worst = p.worst(h(y) + f(y) - h(best) - f(best))
