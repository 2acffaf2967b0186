"""Classes of operators: monotone, Lipschitz and cocoercive ones, as hypotheses at the points that a proof uses.

A theorem with such hypotheses holds for every operator of the class: each of them has the inequalities at all points. The
kernel sees relations only, so nothing here is trusted beyond the reader's look at the hypotheses, which a proof prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from sympy import Expr, sympify

from fltheory.proof.language import Given, Member, ProofError, Range, Relation, le
from fltheory.proof.notation import term_text
from fltheory.proof.terms import Dot, Grad, is_vector, square

Point: TypeAlias = "Expr | tuple[Expr, Expr]"  # a point, or a point with an element of the operator there


@dataclass(frozen=True)
class Operator:
    """A class of operators: what the values of ``function`` satisfy at each two points.

    The value at u is ``Grad(function, u)``. An operator with several values at a point, such as a subdifferential, has
    an element there: give the pair (u, element) in place of u, such as ``prox(x, p, step)``.

    Parameters
    ----------
    id : str
        The name of the class, with which the names of its hypotheses begin.
    function : Fun
        The operator.
    monotone : sympy.Expr, optional
        The modulus mu: <A(u) - A(v), u - v> >= mu |u - v|^2. 0 is monotone, mu > 0 is mu-strongly monotone.
    lipschitz : sympy.Expr, optional
        The constant L: |A(u) - A(v)|^2 <= L^2 |u - v|^2.
    cocoercive : sympy.Expr, optional
        The modulus beta: <A(u) - A(v), u - v> >= beta |A(u) - A(v)|^2.
    why : str
        The reason why a reader should accept it; by default it names the class, such as "A is L-Lipschitz".

    Raises
    ------
    ProofError
        If no operator with two values has these constants: L < 0, beta < 0, mu > L or mu beta > 1.
    """

    id: str
    function: Expr
    monotone: Expr | None = None
    lipschitz: Expr | None = None
    cocoercive: Expr | None = None
    why: str = ""

    def __post_init__(self) -> None:
        for name in ("monotone", "lipschitz", "cocoercive"):
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else sympify(given))
        for name in ("lipschitz", "cocoercive"):
            constant = getattr(self, name)
            if constant is not None and constant.is_negative:
                raise ProofError(f"{self.id}: {name}={constant} is negative; expected a nonnegative constant")
        mu, L, beta = self.monotone, self.lipschitz, self.cocoercive
        if mu is not None and L is not None and (L - mu).is_negative:
            raise ProofError(
                f"{self.id}: no operator has monotone={mu} and lipschitz={L}; expected monotone <= lipschitz"
            )
        if mu is not None and beta is not None and (1 - mu * beta).is_negative:
            raise ProofError(f"{self.id}: no operator has monotone={mu} and cocoercive={beta}; expected a product <= 1")

    def at(self, name: str, u: Point, v: Point, *over: Range) -> Given:
        """Return one inequality of the class as a hypothesis; the order of the points does not matter.

        Parameters
        ----------
        name : {"monotone", "lipschitz", "cocoercive"}
            The inequality.
        u, v : Vector, or pair of Vector
            The points, or pairs of a point and an element of the operator there.
        *over : tuple of (Symbol, low, high)
            Indices of the points, with their ranges.

        Returns
        -------
        Given
            The hypothesis, whose name is that of the class, of the inequality and of the points.

        Raises
        ------
        ProofError
            If the class does not have this inequality, or a point is not a vector.
        """
        relations = self._relations(u, v, over)
        if name not in relations:
            stated = ", ".join(relations) or "none"
            raise ProofError(f"{self.id} does not state {name!r} of {term_text(self.function, {})}; it states {stated}")
        places = " and ".join(sorted((point_text(u), point_text(v))))
        return Given(
            f"{self.id}: {name} at {places}",
            relations[name],
            self.why or self._class_text(name),
            member=self._member(name),
        )

    def between(self, *points: Point, over: tuple[Range, ...] = ()) -> tuple[Given, ...]:
        """Return every inequality of the class for each two of the points.

        Parameters
        ----------
        *points : Vector, or pair of Vector
            The points, or pairs of a point and an element of the operator there.
        over : tuple of (Symbol, low, high)
            Indices of the points, with their ranges.

        Returns
        -------
        tuple of Given
            The hypotheses.

        Raises
        ------
        ProofError
            If there are fewer than two points, or one is not a vector.
        """
        if len(points) < 2:
            raise ProofError(f"{self.id}: an inequality of an operator is between two points; expected two or more")
        pairs = tuple(combinations(points, 2))
        return tuple(self.at(name, u, v, *over) for u, v in pairs for name in self._relations(u, v, over))

    def _member(self, name: str) -> Member:
        """Return the constants that an inequality supposes; a cocoercive operator has the inverse of its modulus."""
        inverse = 1 / self.cocoercive if self.cocoercive else None
        smooth, convex = {
            "monotone": (None, self.monotone),
            "lipschitz": (self.lipschitz, None),
            "cocoercive": (inverse, sympify(0)),
        }[name]
        return Member(self.id, self.function, smooth, convex, self.why)

    def _class_text(self, name: str) -> str:
        """Return what an inequality makes of the operator, in the words of the field."""
        constant = term_text(getattr(self, name), {})
        words = {"monotone": "strongly monotone", "lipschitz": "Lipschitz", "cocoercive": "cocoercive"}[name]
        kind = "monotone" if (name, constant) == ("monotone", "0") else f"{constant}-{words}"
        return f"{term_text(self.function, {})} is {kind}"

    def _relations(self, u: Point, v: Point, over: tuple[Range, ...]) -> dict[str, Relation]:
        (p, a), (q, b) = (element(self.function, point) for point in (u, v))
        product, away, turn = Dot(a - b, p - q), square(p - q), square(a - b)
        found = {}
        if self.monotone is not None:
            found["monotone"] = le(self.monotone * away, product, *over)
        if self.lipschitz is not None:
            found["lipschitz"] = le(turn, self.lipschitz**2 * away, *over)
        if self.cocoercive is not None:
            found["cocoercive"] = le(self.cocoercive * turn, product, *over)
        return found


def element(function: Expr, point: Point) -> tuple[Expr, Expr]:
    """Return the point and the element there; ProofError if they are not vectors."""
    place, value = point if isinstance(point, tuple) else (point, Grad(function, point))
    place, value = sympify(place), sympify(value)
    for part in (place, value):
        if part != 0 and not is_vector(part):
            raise ProofError(f"{part} is not a vector; expected a vector, or a pair (vector, element of the operator)")
    return place, value


def point_text(point: Point) -> str:
    """Return a point in the name of a hypothesis, with its element if it is given."""
    return term_text(point, {})


def prox(x: Expr, p: Expr, step: Any) -> tuple[Expr, Expr]:
    """Return p = prox(x, step) with the element (x - p)/step, which is what the proximal map says of p.

    Of a function it is a subgradient at p, of an operator A (whose proximal map is the resolvent) an element of A(p).

    Parameters
    ----------
    x, p : Vector
        The argument of the map, and its value.
    step : sympy.Expr
        The step, positive.

    Returns
    -------
    tuple of (Vector, Vector)
        The point p and the element.

    Raises
    ------
    ProofError
        If the step is not known to be positive.
    """
    if not sympify(step).is_positive:
        raise ProofError(f"the step {step} of a proximal map must be positive, such as Symbol('step', positive=True)")
    return p, (x - p) / step
