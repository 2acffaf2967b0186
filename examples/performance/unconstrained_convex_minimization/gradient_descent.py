"""Gradient descent: f(x_4) - f*, |x_0 - x*| <= 1."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
for _ in range(4):
    x = x - f.gradient(x)
worst = p.worst(f(x) - f(best))
