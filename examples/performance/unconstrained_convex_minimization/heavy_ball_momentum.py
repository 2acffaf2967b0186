"""Heavy ball: f(x_2) - f*, f(x_0) - f* <= 1."""

from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) <= 1)
before = x
for _ in range(2):
    x, before = x - f.gradient(x) / 2 + (x - before) / 2, x
worst = p.worst(f(x) - f(best))
