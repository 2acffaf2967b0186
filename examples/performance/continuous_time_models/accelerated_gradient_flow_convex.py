"""Nesterov's flow: the derivative of its Lyapunov function at t = 3.4."""

from fltheory.performance import Convex, Problem

p = Problem()
f, t = p.function(Convex()), 3.4
best, x, v = f.minimiser(), p.start(), p.vector()
g = f.gradient(x)
w, a = x - best + t / 2 * v, 3 / 2 * v - t / 2 * (3 / t * v + g)
worst = p.worst(2 * t * (f(x) - f(best)) + t**2 * v @ g + 4 * w @ a)
