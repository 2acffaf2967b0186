"""Convex functions that need not be differentiable: the inequality of a subgradient, as a hypothesis."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, sympify

from fltheory.proof.classes.operators import Point, element, point_text
from fltheory.proof.language import Given, Member, Range, le
from fltheory.proof.notation import term_text
from fltheory.proof.terms import Dot, Val, square


@dataclass(frozen=True)
class ConvexFunction:
    """A class of functions with subgradients, convex or ``convex``-strongly convex.

    Parameters
    ----------
    id : str
        The name of the class, with which the names of its hypotheses begin.
    function : Fun
        The function f.
    convex : sympy.Expr
        The modulus mu of strong convexity; 0 is convexity.
    why : str
        The reason why a reader should accept it; by default "g is convex" or "g is mu-strongly convex".
    """

    id: str
    function: Expr
    convex: Expr | int = 0
    why: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "convex", sympify(self.convex))
        kind = "convex" if self.convex == 0 else f"{term_text(self.convex, {})}-strongly convex"
        object.__setattr__(self, "why", self.why or f"{term_text(self.function, {})} is {kind}")

    def subgradient(self, u: Expr, at: Point, *over: Range) -> Given:
        """State that s is a subgradient at p: f(u) >= f(p) + <s, u - p> + mu/2 |u - p|^2.

        Parameters
        ----------
        u : Vector
            The point at which the inequality is used.
        at : pair of Vector, or Vector
            The point p with the subgradient s, such as ``prox(x, p, step)``; p alone has the subgradient ``Grad(f, p)``.
        *over : tuple of (Symbol, low, high)
            Indices of the points, with their ranges.

        Returns
        -------
        Given
            The hypothesis.

        Raises
        ------
        ProofError
            If a point is not a vector.
        """
        f, (p, s), (u, _) = self.function, element(self.function, at), element(self.function, u)
        member = Member(self.id, f, None, self.convex, self.why)
        tangent = Val(f, p) + Dot(s, u - p)
        claim = le(tangent + self.convex / 2 * square(u - p), Val(f, u), *over)
        return Given(f"{self.id}: subgradient at {point_text(at)} for {point_text(u)}", claim, self.why, member=member)
