"""Nesterov's potential after a step, less that before."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f, t = p.function(Smooth(1)), 2 / 3
best, x, z = f.minimiser(), p.start(), p.start()
s = (1 + sqrt(4 * t**2 + 1)) / 2
y = (1 - 1 / s) * x + z / s
new, after = y - f.gradient(y), z - (s**2 - t**2) * f.gradient(y)
final = s**2 * (f(new) - f(best)) + (after - best) ** 2 / 2
worst = p.worst(final - t**2 * (f(x) - f(best)) - (z - best) ** 2 / 2)
