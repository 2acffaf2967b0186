"""The proximal point method, step 3: f(x_4) - f*."""

from fltheory.performance import Convex, Problem

p = Problem()
f = p.function(Convex())
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = f.prox(x, 3)
worst = p.worst(f(x) - f(best))
