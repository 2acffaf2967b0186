"""Douglas-Rachford, one operator Lipschitz, one strongly monotone: a contraction."""

from fltheory.performance import LipschitzMonotone, Problem, StronglyMonotone

p = Problem()
A, B, step, theta = p.operator(LipschitzMonotone(1)), p.operator(StronglyMonotone(0.1)), 1.3, 0.9
w = p.start()
v = p.start(w, distance=1)
x, y = B.resolvent(w, step), B.resolvent(v, step)
w = w - theta * (x - A.resolvent(2 * x - w, step))
v = v - theta * (y - A.resolvent(2 * y - v, step))
worst = p.worst((w - v) ** 2)
