"""The optimized gradient method: f(y_4) - f*."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(3))
best = f.minimiser()
x = p.start(best, distance=1)
y, t = x, 1
for k in range(4):
    new, last, t = y - f.gradient(y) / 3, t, (1 + sqrt((8 if k == 3 else 4) * t**2 + 1)) / 2
    x, y = new, new + (last - 1) / t * (new - x) + last / t * (new - y)
worst = p.worst(f(y) - f(best))
