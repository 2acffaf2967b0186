"""Chambolle-Pock, f with mu = 1/2, g with L = 2, steps 1/2: a Lyapunov function of AutoLyap's form, rounded."""

from fltheory.performance import Problem, Smooth, StronglyConvex

p = Problem()
f, g = p.function(StronglyConvex("1/2")), p.function(Smooth(2))
best, x, y = (g + f).minimiser(), p.start(), p.start()
V, new = [], x
for _ in range(2):
    e, d, last, new = new - best, y - g.gradient(best), new, f.prox(new - y / 2, 1 / 2)
    u = 2 * y + 2 * new - last
    y = u / 2 - g.prox(u, 2) / 2
    after = y - g.gradient(best)
    V.append(e**2 - e @ d + 43 / 37 * d**2 - e @ after / 5 + 25 / 32 * after**2)
p.require(V[0] <= 1)
worst = p.worst(V[1], bound="0.640002")
