"""Projected online gradient descent: regret after 3 rounds."""

from math import sqrt

from fltheory.performance import Indicator, Lipschitz, Problem

p = Problem()
losses, h = [p.function(Lipschitz(1)) for _ in range(3)], p.function(Indicator(1))
ref, x = h.prox(p.start()), h.prox(p.start())
regret, step = 0, 1 / sqrt(3)
for f in losses:
    regret = regret + f(x) - f(ref)
    x = h.prox(x - step * f.gradient(x), step)
worst = p.worst(regret)
