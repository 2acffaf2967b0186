"""Gradient descent contracts: |x_3 - y_3|^2."""

from fltheory.performance import Problem, Smooth

p = Problem()
f, x = p.function(Smooth(1, 0.1)), p.start()
y = p.start(x, distance=1)
for _ in range(3):
    x, y = x - 3 / 2 * f.gradient(x), y - 3 / 2 * f.gradient(y)
worst = p.worst((x - y) ** 2)
