"""The optimized gradient method for gradients: |grad f(x_4)|^2, f(x_0) - f* <= 1."""

from itertools import pairwise
from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(3))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) <= 1)
y, t = x, [1]
for k in range(4):
    t = [(1 + sqrt((8 if k == 3 else 4) * t[0] ** 2 + 1)) / 2, *t]
for a, b in pairwise(t):
    new, c = x - f.gradient(x) / 3, (2 * b - 1) / (2 * a - 1)
    x, y = new + (a - 1) * c / a * (new - y) + c * (new - x), new
worst = p.worst(f.gradient(x) ** 2)
