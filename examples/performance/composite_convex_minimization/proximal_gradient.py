"""Proximal gradient: |x_2 - x*|^2."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1, 0.1)), p.function(Convex())
best = (f + h).minimiser()
x = p.start(best, distance=1)
for _ in range(2):
    x = h.prox(x - f.gradient(x))
worst = p.worst((x - best) ** 2)
