"""NoLips, f not convex, step 1/2: the least D_h(x_{t+1}, x_t)."""

from fltheory.performance import Convex, Indicator, Problem

p = Problem()
c, d = p.function(Convex(single_valued=True)), p.function(Convex(single_valued=True))
set_, x, divergences = p.function(Indicator()), p.start(), []
f, h = (d - c) / 2, (c + d) / 2
F0 = (f + set_)(x)
for _ in range(3):
    before = x
    x = (set_ + h).point_with_gradient(h.gradient(x) - 1 / 2 * f.gradient(x))
    divergences.append(h(x) - h(before) - h.gradient(before) @ (x - before))
p.require(F0 - (f + set_)(x) <= 1)
worst = p.worst(*divergences)
