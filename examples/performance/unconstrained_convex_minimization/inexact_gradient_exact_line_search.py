"""Exact line search along inexact gradients: f(x_2) - f*, f(x_0) - f* <= 1."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) <= 1)
for _ in range(2):
    x = f.line_search(x, f.inexact_gradient(x, relative=0.1))
worst = p.worst(f(x) - f(best))
