"""Follow the regularized leader: regret after 3 rounds."""

from math import sqrt

from fltheory.performance import Indicator, Lipschitz, Problem

p = Problem()
losses, h = [p.function(Lipschitz(1)) for _ in range(3)], p.function(Indicator(1))
ref, x = h.prox(p.start()), h.prox(p.start())
first, regret, total, step = x, 0, h, 1 / sqrt(3)
for f in losses:
    regret, total = regret + f(x) - f(ref), total + f
    x = total.prox(first, step) if f is not losses[-1] else x
worst = p.worst(regret)
