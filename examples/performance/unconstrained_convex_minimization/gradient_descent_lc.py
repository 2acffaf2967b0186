"""Gradient descent on g(M x), |M| <= 1: f(x_3) - f*."""

from fltheory.performance import LinearOperator, Problem, Smooth

p = Problem()
g, M = p.function(Smooth(1, 0.1)), p.operator(LinearOperator(1))
best = p.start()
x, u = p.start(best, distance=1), g.gradient(M(best))
M.T.point_with_gradient(0 * u, at=u)
for _ in range(3):
    x = x - M.T(g.gradient(M(x)))
worst = p.worst(g(M(x)) - g(M(best)))
