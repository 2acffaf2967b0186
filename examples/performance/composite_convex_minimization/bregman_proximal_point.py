"""Bregman proximal point, step 3: f(x_5) - f*, D_h(x*, x_0) <= 1."""

from fltheory.performance import Convex, Problem

p = Problem()
f, h = p.function(Convex()), p.function(Convex(single_valued=True))
best, x = f.minimiser(), p.start()
p.require(h(best) - h(x) - h.gradient(x) @ (best - x) <= 1)
for _ in range(5):
    x = (3 * f + h).point_with_gradient(h.gradient(x))
worst = p.worst(f(x) - f(best))
