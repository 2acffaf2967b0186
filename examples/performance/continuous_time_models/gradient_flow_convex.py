"""Gradient flow: the derivative of t (f - f*) + |x - x*|^2 / 2 at t = 2.5."""

from fltheory.performance import Convex, Problem

p = Problem()
f, t = p.function(Convex()), 2.5
best, x = f.minimiser(), p.start()
g = f.gradient(x)
worst = p.worst(f(x) - f(best) - t * g**2 - g @ (x - best))
