"""Davis-Yin splitting of operators: a contraction."""

from fltheory.performance import Cocoercive, Monotone, Problem, Smooth

p = Problem()
A, B, C = p.operator(Monotone()), p.operator(Cocoercive(1)), p.function(Smooth(1, 0.1))
w = p.start()
v = p.start(w, distance=1)
x, y, a = B.resolvent(w, 0.9), B.resolvent(v, 0.9), 0.9
w = w - 1.3 * (x - A.resolvent(2 * x - w - a * C.gradient(x), a))
v = v - 1.3 * (y - A.resolvent(2 * y - v - a * C.gradient(y), a))
worst = p.worst((w - v) ** 2)
