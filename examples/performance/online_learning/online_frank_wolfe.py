"""Online Frank-Wolfe: regret after 4 rounds."""

from math import sqrt

from fltheory.performance import Indicator, Lipschitz, Problem

p = Problem()
losses, h = [p.function(Lipschitz(1)) for _ in range(4)], p.function(Indicator(1))
ref, x = h.prox(p.start()), h.prox(p.start())
first, regret, total, s = x, 0, x - x, sqrt(3 / 4)
for f in losses:
    regret, total = regret + f(x) - f(ref), total + f.gradient(x)
    x = x + s * (h.point_with_gradient(first - x - (3 / 4) ** 0.75 / 2 * total) - x)
worst = p.worst(regret)
