"""Heavy ball on convex functions with quadratic growth: f(x_5) - f*."""

from fltheory.performance import Problem, QuadraticGrowth

p = Problem()
f = p.function(QuadraticGrowth(1))
best = f.minimiser()
x = p.start(best, distance=1)
before = x
for t in range(5):
    x, before = x - f.gradient(x) / (t + 2) + t / (t + 2) * (x - before), x
worst = p.worst(f(x) - f(best))
