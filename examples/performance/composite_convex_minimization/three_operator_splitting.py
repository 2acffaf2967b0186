"""Davis-Yin splitting contracts: |w_2 - v_2|^2."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h, g = p.function(Smooth(10, 0.1)), p.function(Convex()), p.function(Smooth(1))
w = p.start()
v = p.start(w, distance=1)
for _ in range(2):
    x, y = h.prox(w), h.prox(v)
    w = w + f.prox(2 * x - w - g.gradient(x)) - x
    v = v + f.prox(2 * y - v - g.gradient(y)) - y
worst = p.worst((w - v) ** 2)
