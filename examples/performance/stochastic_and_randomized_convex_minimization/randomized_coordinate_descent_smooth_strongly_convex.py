"""A random block of two: E|x_1 - x*|^2."""

from fltheory.performance import Problem, Smooth

p = Problem()
blocks, f = p.blocks(2), p.function(Smooth(1, 0.1))
best = f.minimiser()
x = p.start(best, distance=1)
new = [x - 2 / 1.1 * blocks(f.gradient(x), k) for k in range(2)]
worst = p.worst(sum((y - best) ** 2 for y in new) / 2)
