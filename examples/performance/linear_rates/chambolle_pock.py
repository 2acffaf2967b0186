"""Chambolle-Pock, f with mu = 1/2, g with L = 2, steps 1/2: |x - x*|^2 - <x - x*, y - y*> + |y - y*|^2, its own norm."""

from fltheory.performance import Problem, Smooth, StronglyConvex

p = Problem()
f, g = p.function(StronglyConvex("1/2")), p.function(Smooth(2))
best, x, y = (g + f).minimiser(), p.start(), p.start()
dual = g.gradient(best)
p.require((x - best) ** 2 - (x - best) @ (y - dual) + (y - dual) ** 2 <= 1)
new = f.prox(x - y / 2, 1 / 2)
u = 2 * y + 2 * new - x
after = u / 2 - g.prox(u, 2) / 2
worst = p.worst((new - best) ** 2 - (new - best) @ (after - dual) + (after - dual) ** 2, bound="2/3")
