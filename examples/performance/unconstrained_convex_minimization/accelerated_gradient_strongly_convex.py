"""Nesterov's method with constant momentum, L = 1, mu = 0.1: f(x_2) - f*."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) + (x - best) ** 2 / 20 <= 1)
y, b = x, (1 - sqrt(0.1)) / (1 + sqrt(0.1))
for _ in range(2):
    new = y - f.gradient(y)
    x, y = new, new + b * (new - x)
worst = p.worst(f(x) - f(best))
