"""The axioms of the Gram engine: inequalities that define classes of differentiable functions, its only assumptions.

Each is an inequality between values and gradients at two points; tests check them on sampled functions of the class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sympy
from sympy import Expr

from fltheory.proof.algebra.context import is_nonnegative
from fltheory.proof.language import Member, ProofError, Relation, le
from fltheory.proof.terms import Dot, Grad, Val, square

Kind = Literal["convex", "descent", "ascent", "lipschitz", "cocoercive", "interpolated"]


@dataclass(frozen=True)
class Axiom:
    """An inequality of the class of ``function``, between the points u and v.

    ``convex``: F(u) >= F(v) + <F'(v), u - v> + mu/2 |u - v|^2.
    ``descent``: F(u) <= F(v) + <F'(v), u - v> + L/2 |u - v|^2; ``ascent``: F(u) >= F(v) + <F'(v), u - v> - L/2 |u - v|^2.
    ``lipschitz``: |F'(u) - F'(v)|^2 <= L^2 |u - v|^2.
    ``cocoercive`` (convex and smooth): F(u) >= F(v) + <F'(v), u - v> + |F'(u) - F'(v)|^2 / (2 L).
    ``interpolated`` (mu of any sign, smooth): with d = u - v, g = F'(u) - F'(v),
    (L - mu) (F(u) - F(v) - <F'(v), d>) >= |g|^2 / 2 + L mu/2 |d|^2 - mu <g, d>: all that the class implies for two
    points (the co-coercivity of F - mu/2 |.|^2, which is convex and (L - mu)-smooth).
    """

    kind: Kind
    function: Expr
    u: Expr
    v: Expr


def relation_of(axiom: Axiom, member: Member, facts: tuple[Expr, ...] = ()) -> Relation:
    """Return the inequality for a function of the class of ``member``; ProofError if the class does not have the axiom.

    ``facts`` are >= 0: if an axiom needs convexity, they show that the modulus of convexity is nonnegative.
    """
    f, u, v = axiom.function, axiom.u, axiom.v
    smooth, convex = (None if c is None else sympy.sympify(c) for c in (member.smooth, member.convex))
    tangent = Val(f, v) + Dot(Grad(f, v), u - v)
    if axiom.kind == "convex" and convex is not None:
        return le(tangent + convex / 2 * square(u - v), Val(f, u))
    if axiom.kind == "descent" and smooth is not None:
        return le(Val(f, u), tangent + smooth / 2 * square(u - v))
    if axiom.kind == "ascent" and smooth is not None:
        return le(tangent - smooth / 2 * square(u - v), Val(f, u))
    if axiom.kind == "lipschitz" and smooth is not None:
        return le(square(Grad(f, u) - Grad(f, v)), smooth**2 * square(u - v))
    if axiom.kind == "cocoercive" and smooth is not None and convex is not None and is_nonnegative(convex, facts):
        return le(tangent + square(Grad(f, u) - Grad(f, v)) / (2 * smooth), Val(f, u))
    if axiom.kind == "interpolated" and smooth is not None and convex is not None:
        turn = Grad(f, u) - Grad(f, v)
        curved = smooth * convex / 2 * square(u - v) - convex * Dot(turn, u - v)
        return le(square(turn) / 2 + curved, (smooth - convex) * (Val(f, u) - tangent))
    raise ProofError(f"{member.id} does not imply for {sympy.sstr(f)} the axiom {axiom.kind!r}")
