"""Malitsky-Tam, A with L = 1, B with mu = 1/2, step 1/4: a Lyapunov function of AutoLyap's form, rounded."""

from fltheory.performance import LipschitzMonotone, Problem, StronglyMonotone

p = Problem()
A, B = p.operator(LipschitzMonotone(1)), p.operator(StronglyMonotone("1/2"))
best, x, before = (A + B).zero(), p.start(), p.start()


def V(x, before):
    u, v, a, b = x - best, before - best, A(x) - A(best), A(before) - A(best)
    squares = u**2 + 0.231 * v**2 + 0.032 * a**2 + 0.031 * b**2 - 0.07 * a @ b
    return squares - u @ (0.498 * v + 0.148 * a - 0.356 * b) + v @ (0.03 * a + 0.006 * b)


p.require(V(x, before) <= 1)
worst = p.worst(V(B.resolvent(x - A(x) / 2 + A(before) / 4, 1 / 4), x), bound="0.793018")
