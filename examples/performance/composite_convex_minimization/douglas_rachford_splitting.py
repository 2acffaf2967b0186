"""Douglas-Rachford: F(y_4) - F*, |x_0 - x*| <= 1."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1)), p.function(Convex())
best = (f + h).minimiser()
w, first = p.start(), None
for k in range(4):
    x = f.prox(w)
    first = x if k == 0 else first
    y = h.prox(2 * x - w)
    w = w + y - x
p.require((first - best) ** 2 <= 1)
worst = p.worst(f(y) + h(y) - f(best) - h(best))
