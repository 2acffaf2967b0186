"""Gradient steps mu/L^2 under a restricted secant and an error bound: |x_4 - x*|^2."""

from fltheory.performance import Problem, RestrictedSecant

p = Problem()
f = p.function(RestrictedSecant(1, 0.1))
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = x - 0.1 * f.gradient(x)
worst = p.worst((x - best) ** 2)
