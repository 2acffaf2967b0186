"""Polyak's step: |x_1 - x*|^2 where it is 2/(L + mu)."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start(best, distance=1)
g, step = f.gradient(x), 2 / 1.1
p.require(step * g**2 == 2 * (f(x) - f(best)))
x = x - step * g
f.gradient(x)
worst = p.worst((x - best) ** 2)
