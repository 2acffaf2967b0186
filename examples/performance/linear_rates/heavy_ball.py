"""The heavy ball, L = 1, mu = 1/4, step 1, momentum 1/4: a Lyapunov function of AutoLyap's form, rounded."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, "1/4"))
best, x, before = f.minimiser(), p.start(), p.start()


def V(x, before):
    u, v, g = x - best, before - best, f.gradient(x)
    mixed = 491 / 500 * u @ v + 235 / 291 * u @ g - 133 / 181 * v @ g
    return u**2 + 110 / 559 * v**2 + 191 / 464 * g**2 - mixed + 1217 / 924 * (f(x) - f(best))


p.require(V(x, before) <= 1)
worst = p.worst(V(x + (x - before) / 4 - f.gradient(x), x), bound="0.40107")
