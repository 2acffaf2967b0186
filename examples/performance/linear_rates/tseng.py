"""Tseng's forward-backward-forward method, A with L = 1, B with mu = 1/2, step 1/2: |x - x*|^2 + <x - x*, A x - A x*> / 15."""

from fltheory.performance import LipschitzMonotone, Problem, StronglyMonotone

p = Problem()
A, B = p.operator(LipschitzMonotone(1)), p.operator(StronglyMonotone("1/2"))
best, x = (A + B).zero(), p.start()
p.require((x - best) ** 2 + (x - best) @ (A(x) - A(best)) / 15 <= 1)
between = B.resolvent(x - A(x) / 2, 1 / 2)
new = between - A(between) / 2 + A(x) / 2
worst = p.worst((new - best) ** 2 + (new - best) @ (A(new) - A(best)) / 15, bound="0.690765")
