"""The improved interior gradient algorithm."""

from math import sqrt

from fltheory.performance import Indicator, Problem, Smooth, StronglyConvex

p = Problem()
f, c, h = p.function(Smooth(1)), p.function(Indicator()), p.function(StronglyConvex(1, single_valued=True))
best, x = (f + c).minimiser(), p.start()
p.require(h(best) - h(x) - h.gradient(x) @ (best - x) + f(x) - f(best) <= 1)
z, k = x, 1
for _ in range(3):
    a = (sqrt(k**2 + 4 * k) - k) / 2
    k, y = (1 - a) * k, (1 - a) * x + a * z
    z = (h + c).point_with_gradient(h.gradient(z) - a / k * f.gradient(y))
    x = (1 - a) * x + a * z
worst = p.worst((f + c)(x) - f(best))
