"""(2k + 1) (f - f*) + k (k + 2) |g|^2 + |x - x*|^2 after a gradient step, less that before."""

from fltheory.performance import Problem, Smooth

p = Problem()
f, n = p.function(Smooth(1)), 10
best, x = f.minimiser(), p.start()
V, points = [], (x, x - f.gradient(x))
for k, x in enumerate(points, n):
    V.append((2 * k + 1) * (f(x) - f(best)) + k * (k + 2) * f.gradient(x) ** 2 + (x - best) ** 2)
worst = p.worst(V[1] - V[0])
