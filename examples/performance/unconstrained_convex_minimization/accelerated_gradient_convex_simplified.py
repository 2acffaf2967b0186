"""Nesterov's method with momentum k/(k + 3): f(x_5) - f*."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
y = x
for k in range(5):
    new = y - f.gradient(y)
    x, y = new, new + k / (k + 3) * (new - x)
worst = p.worst(f(x) - f(best))
