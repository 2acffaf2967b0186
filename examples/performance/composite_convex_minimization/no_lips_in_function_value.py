"""NoLips, step 1/L: f(x_3) - f*, D_h(x*, x_0) <= 1."""

from fltheory.performance import Convex, Indicator, Problem

p = Problem()
d, f, c = (p.function(k) for k in (Convex(single_valued=True), Convex(single_valued=True), Indicator()))
h = d + f
best, x = (f + c).minimiser(), p.start()
p.require(h(best) - h(x) - h.gradient(x) @ (best - x) <= 1)
for _ in range(3):
    x = (c + h).point_with_gradient(h.gradient(x) - f.gradient(x))
worst = p.worst(f(x) - f(best))
