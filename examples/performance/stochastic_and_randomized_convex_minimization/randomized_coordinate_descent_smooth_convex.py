"""A random block of two: the potential of round 4, that of round 3 being 1."""

from fltheory.performance import Problem, Smooth

p = Problem()
blocks, f = p.blocks(2), p.function(Smooth(1))
best, x = f.minimiser(), p.start()


def V(t, x):
    return (t / 2 + 1) * (f(x) - f(best)) + (x - best) ** 2 / 2


p.require(V(3, x) <= 1)
worst = p.worst(sum(V(4, x - blocks(f.gradient(x), k)) for k in range(2)) / 2)
