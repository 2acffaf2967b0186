"""Silver steps for strongly convex functions, L = 1, mu = 0.1: |x_4 - x*|^2."""

from math import sqrt

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start(best, distance=1)
low, high, steps = 0.1, 0.1, [(1 + 10 * 0.1) / (1 + 0.1)]
for _ in range(2):
    e = 1 - high + sqrt(1 + (1 - high) ** 2)
    low, high = high / e, high * e
    steps = [*steps[:-1], (1 + 10 * low) / (1 + low), *steps[:-1], (1 + 10 * high) / (1 + high)]
for step in steps:
    x = x - step * f.gradient(x)
worst = p.worst((x - best) ** 2)
