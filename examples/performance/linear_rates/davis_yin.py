"""Davis-Yin, f with L = 1, mu = 1/4, g with L = 1, step 1: |x_1 - x*|^2 of the state and its fixed point."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, g, h = p.function(Smooth(1, "1/4")), p.function(Smooth(1)), p.function(Convex())
best = (f + g + h).minimiser()
fixed = best + f.gradient(best)
x = p.start(fixed, distance=1)
v = f.prox(x)
x = x + h.prox(2 * v - x - g.gradient(v)) - v
worst = p.worst((x - fixed) ** 2, bound="16/25")
