"""The gradient method, L = 1, mu = 1/10, step 3/2: |x_1 - x*|^2."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, "1/10"))
best = f.minimiser()
x = p.start(best, distance=1)
x = x - 3 / 2 * f.gradient(x)
worst = p.worst((x - best) ** 2, bound="289/400")
