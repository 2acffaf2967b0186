"""SGD without variance at x*: E|x_1 - x*|^2."""

from fltheory.performance import Problem, Smooth

p = Problem()
fs = [p.function(Smooth(1, 0.1)) for _ in range(5)]
best = (sum(fs) / 5).minimiser()
x = p.start(best, distance=1)
p.require(sum(f.gradient(best) ** 2 for f in fs) / 5 <= 0)
worst = p.worst(sum((x - f.gradient(x) - best) ** 2 for f in fs) / 5)
