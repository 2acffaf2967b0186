"""The proximal point method, mu = 1/2, step 2: |x_1 - x*|^2."""

from fltheory.performance import Problem, StronglyConvex

p = Problem()
f = p.function(StronglyConvex("1/2"))
best = f.minimiser()
x = p.start(best, distance=1)
x = f.prox(x, 2)
worst = p.worst((x - best) ** 2, bound="1/4")
