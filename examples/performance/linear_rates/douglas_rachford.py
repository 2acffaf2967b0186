"""Douglas-Rachford, L = 1, mu = 1/4, step 2: |x_1 - x*|^2 of the state and its fixed point."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1, "1/4")), p.function(Convex())
best = (f + h).minimiser()
fixed = best + 2 * f.gradient(best)
x = p.start(fixed, distance=1)
v = f.prox(x, 2)
x = x + h.prox(2 * v - x, 2) - v
worst = p.worst((x - fixed) ** 2, bound="4/9")
