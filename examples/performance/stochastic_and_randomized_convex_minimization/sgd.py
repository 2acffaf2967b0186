"""SGD on a mean of 5 functions: E|x_1 - x*|^2, |x_0 - x*| <= 2, variance 1 at x*."""

from fltheory.performance import Problem, Smooth

p = Problem()
fs = [p.function(Smooth(1, 0.1)) for _ in range(5)]
best = (sum(fs) / 5).minimiser()
x = p.start(best, distance=2)
p.require(sum(f.gradient(best) ** 2 for f in fs) / 5 <= 1)
worst = p.worst(sum((x - f.gradient(x) - best) ** 2 for f in fs) / 5)
