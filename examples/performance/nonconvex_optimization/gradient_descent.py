"""Gradient descent, f not convex: the least |grad f(x_t)|^2 of 6 points, f(x_0) - f(x_5) <= 1."""

from fltheory.performance import NonConvex, Problem

p = Problem()
f, x = p.function(NonConvex(1)), p.start()
points = [x]
for _ in range(5):
    points.append(points[-1] - f.gradient(points[-1]))
p.require(f(x) - f(points[-1]) <= 1)
worst = p.worst(*(f.gradient(x) ** 2 for x in points))
