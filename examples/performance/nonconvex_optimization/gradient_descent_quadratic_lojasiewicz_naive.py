"""Gradient descent under gradient domination, mu = 0.2: f(x_1) - f*."""

from fltheory.performance import Lojasiewicz, Problem

p = Problem()
f = p.function(Lojasiewicz(1, 0.2))
best = f.minimiser()
x = p.start()
p.require(f(x) - f(best) <= 1)
x = x - f.gradient(x)
worst = p.worst(f(x) - f(best))
