"""The difference-of-convex algorithm: the least |grad F|^2 of 4 points, F(x_0) - F* <= 1."""

from fltheory.performance import Problem, Smooth

p = Problem()
f, g = p.function(Smooth(3, 0.2)), p.function(Smooth(2, 0.1))
low, x, measures = p.number(), p.start(), []
F = f - g
p.require(F(x) - low <= 1)
for k in range(4):
    x = f.point_with_gradient(g.gradient(x)) if k else x
    d = F.gradient(x) ** 2
    p.require(low <= F(x) - d / (2 * 2.9))
    measures.append(d)
worst = p.worst(*measures)
