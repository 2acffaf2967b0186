"""Exact search over all directions so far: f(x_2) - f*."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
span = []
for _ in range(2):
    span.append(f.gradient(x))
    new = f.line_search(x, *span)
    span, x = [*span, x - new], new
worst = p.worst(f(x) - f(best))
