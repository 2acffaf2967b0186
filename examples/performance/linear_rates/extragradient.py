"""Extragradient, L = 1, mu = 1/4, step 1/2: |x - x*|^2 + 3/16 <x - x*, A x> + 5/4 |A x|^2."""

from fltheory.performance import LipschitzMonotone, Problem

p = Problem()
A = p.operator(LipschitzMonotone(1, "1/4"))
best, x = A.zero(), p.start()
p.require((x - best) ** 2 + 3 / 16 * (x - best) @ A(x) + 5 / 4 * A(x) ** 2 <= 1)
new = x - A(x - A(x) / 2) / 2
worst = p.worst((new - best) ** 2 + 3 / 16 * (new - best) @ A(new) + 5 / 4 * A(new) ** 2, bound="0.797454")
