"""k (f - f*) + |x - x*|^2 / 2 after a gradient step, less that before."""

from fltheory.performance import Problem, Smooth

p = Problem()
f, n = p.function(Smooth(1)), 10
best, x = f.minimiser(), p.start()
V, points = [], (x, x - f.gradient(x))
for k, x in enumerate(points, n):
    V.append(k * (f(x) - f(best)) + (x - best) ** 2 / 2)
worst = p.worst(V[1] - V[0])
