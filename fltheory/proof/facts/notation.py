"""Symbols of the facts: sums over the clients 1, ..., M, and probabilities by their logarithms."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Symbol, exp

from fltheory.proof import Given, eq
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from fltheory.symbols import n_clients as M

m, j = (Symbol(name, integer=True, positive=True) for name in "mj")
n = Symbol("n", integer=True, nonnegative=True)
EACH = (m, 1, M)
s = family(Scalar, "s")
w = family(Nonnegative, "w")
u, y = family(Scalar, "u"), family(Scalar, "y")
logp, logq, logr, logz = (family(Scalar, f"log{name}") for name in "pqrz")
P, Q, R, S, Z, C, lo, theta = (Symbol(name, real=True) for name in ("P", "Q", "R", "S", "Z", "C", "lo", "theta"))
x = Symbol("x", nonnegative=True)
width = Symbol("width", positive=True)


def whole(term: Expr) -> Expr:
    """Return the sum over the clients of a term in the index j."""
    return Total(term, j, 1, M)


def simplex(name: str, logs: Callable[..., Expr]) -> Given:
    """Return the hypothesis that probabilities add up to 1."""
    return Given(name, eq(whole(exp(logs(j))), 1), "probabilities")


def divergence(a: Callable[..., Expr], b: Callable[..., Expr]) -> Expr:
    """Return the divergence D(a || b) of two probability vectors, given by their logarithms."""
    return whole(exp(a(j)) * (a(j) - b(j)))
