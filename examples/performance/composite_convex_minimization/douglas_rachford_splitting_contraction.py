"""Douglas-Rachford contracts: |w_2 - v_2|^2, |w_0 - v_0| <= 1."""

from fltheory.performance import Convex, Problem, Smooth

p = Problem()
f, h = p.function(Smooth(1, 0.1)), p.function(Convex())
w = p.start()
v = p.start(w, distance=1)
for _ in range(2):
    x, y = h.prox(w, 3), h.prox(v, 3)
    w, v = w + f.prox(2 * x - w, 3) - x, v + f.prox(2 * y - v, 3) - y
worst = p.worst((w - v) ** 2)
