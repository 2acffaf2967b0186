"""Follow the leader: regret after 3 rounds."""

from fltheory.performance import Indicator, Lipschitz, Problem

p = Problem()
losses, h = [p.function(Lipschitz(1)) for _ in range(3)], p.function(Indicator(1))
ref, x = h.prox(p.start()), h.prox(p.start())
regret, total = 0, h
for f in losses:
    regret, total = regret + f(x) - f(ref), total + f
    x = total.minimiser() if f is not losses[-1] else x
worst = p.worst(regret)
