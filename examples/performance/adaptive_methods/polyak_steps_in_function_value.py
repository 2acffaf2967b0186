"""Polyak's step for values: f(x_1) - f* where it is 2/(L + mu)."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) <= 1)
g, step = f.gradient(x), 2 / 1.1
p.require(g**2 == 2 * (2 - step) * (f(x) - f(best)))
x = x - step * g
worst = p.worst(f(x) - f(best))
