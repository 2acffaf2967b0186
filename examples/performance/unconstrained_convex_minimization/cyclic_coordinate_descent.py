"""Cyclic coordinate descent, L = (1, 2): f(x_4) - f*."""

from fltheory.performance import BlockSmooth, Problem

p = Problem()
blocks = p.blocks(2)
f = p.function(BlockSmooth((1, 2), blocks))
best = f.minimiser()
x = p.start(best, distance=1)
for k in range(4):
    x = x - blocks(f.gradient(x), k % 2) / (1 + k % 2)
worst = p.worst(f(x) - f(best))
