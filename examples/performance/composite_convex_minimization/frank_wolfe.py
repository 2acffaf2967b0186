"""Frank-Wolfe over sets of diameter 1: f(x_5) - f*."""

from fltheory.performance import Indicator, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1)), p.function(Indicator(1))
best, x = (f + h).minimiser(), p.start()
h(x)
for k in range(5):
    x = x + 2 / (k + 2) * (h.point_with_gradient(-f.gradient(x)) - x)
worst = p.worst((f + h)(x) - f(best))
