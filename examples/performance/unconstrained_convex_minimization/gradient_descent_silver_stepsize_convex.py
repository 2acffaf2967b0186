"""Gradient descent with silver steps: f(x_7) - f*."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
for k in range(1, 8):
    x = x - (1 + (1 + sqrt(2)) ** ((k & -k).bit_length() - 2)) * f.gradient(x)
worst = p.worst(f(x) - f(best))
