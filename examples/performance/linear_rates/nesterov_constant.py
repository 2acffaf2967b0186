"""Nesterov's method with constant momentum, L = 1, mu = 1/9: a Lyapunov function of AutoLyap's form, rounded."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, "1/9"))
best, x, before = f.minimiser(), p.start(), p.start()


def V(x, before):
    u, v, y = x - best, before - best, 3 / 2 * x - before / 2
    g = f.gradient(y)
    square = 0.618577 * u**2 - 0.837967 * u @ v + 0.266137 * v**2
    return f(y) - f(best) + 9 / 16 * g @ (g + before - x) + square


y = 3 / 2 * x - before / 2
p.require(V(x, before) <= 1)
worst = p.worst(V(y - f.gradient(y), x), bound="0.542903")
