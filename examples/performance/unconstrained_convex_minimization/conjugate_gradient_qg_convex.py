"""Exact search over all directions so far, quadratic growth: f(x_4) - f*."""

from fltheory.performance import Problem, QuadraticGrowth

p = Problem()
f = p.function(QuadraticGrowth(1, single_valued=True))
best = f.minimiser()
x = p.start(best, distance=1)
span = []
for _ in range(4):
    span.append(f.gradient(x))
    new = f.line_search(x, *span)
    span, x = [*span, x - new], new
worst = p.worst(f(x) - f(best))
