"""The proof language: relations, hypotheses, steps and their rules, theorems. All of it is frozen data.

A relation holds surely: for every outcome, every value of its free symbols within their SymPy assumptions, every vector
of every inner-product space, and every integer of the ranges in ``over``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sympy import Expr, Integer, Symbol, expand, sympify

from fltheory.model import html_cards
from fltheory.model.bound import Bound
from fltheory.proof import notation
from fltheory.proof.terms import E, Indicator, substitute
from fltheory.proof.terms import Op as Op
from fltheory.proof.terms import ProofError as ProofError
from fltheory.proof.terms import Range as Range
from fltheory.proof.terms import Relation as Relation
from fltheory.proof.terms import eq as eq
from fltheory.proof.terms import le as le
from fltheory.proof.terms import lt as lt
from fltheory.proof.terms import relation as relation

Outcome = Literal["PROVED", "REFUTED", "UNKNOWN", "ASSUMED"]
Pairs = tuple[tuple[Any, Any], ...]
ALL_PARAMETERS = "all parameters"


# Hypotheses -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A relation as a hypothesis of the theorem, with the reason why a reader should accept it.

    ``supposed``: it does not follow from the claim, neither from its conditions and assumptions nor from its run.
    ``member``: the class of which it is an inequality, whose constants are compared with the cases of a claim.
    """

    id: str
    relation: Relation
    why: str = ""
    supposed: bool = False
    member: Member | None = None


@dataclass(frozen=True)
class Defines:
    """A definition of ``left``, for all values of its indices: plain symbols, which ``right`` may contain.

    ``supposed`` as for ``Given``: with this definition alone inserted, the statement is an identity.
    """

    id: str
    left: Expr
    right: Expr
    why: str = ""
    supposed: bool = False


@dataclass(frozen=True)
class Member:
    """A function class: all functions of the family of ``function`` are ``smooth``-smooth, ``convex``-strongly convex.

    ``convex=0`` is convexity, ``convex=None`` is no statement on convexity; ``smooth=None`` is none on smoothness.
    """

    id: str
    function: Expr
    smooth: Expr | None = None
    convex: Expr | None = None
    why: str = ""


Hypothesis = Given | Defines | Member


# Rules ----------------------------------------------------------------------------------------------------------


def _pairs(mapping: Mapping[Any, Any] | Pairs) -> Pairs:
    items = mapping.items() if isinstance(mapping, Mapping) else mapping
    return tuple((k, sympify(v) if not isinstance(v, str) else v) for k, v in items)


@dataclass(frozen=True)
class Combine:
    """The claim is the sum of the used relations times ``weights``; those of inequalities are numbers >= 0.

    Without any weights all count once (a chain); else relations without a weight serve only to determine signs.

    ``axioms`` are pairs (weight, axiom of a function class); ``squares`` adds squared norms times numbers >= 0,
    which the certificate lists (the Gram engine).
    """

    weights: Pairs = ()
    axioms: tuple[tuple[Any, Any], ...] = ()
    squares: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _pairs(self.weights))
        object.__setattr__(self, "axioms", tuple((sympify(w), a) for w, a in self.axioms))


def Gram(*axioms: tuple[Expr, Expr], **weights: Expr) -> Combine:
    """Return a rule of the Gram engine: axioms, used relations, and the squares that the certificate lists."""
    return Combine(tuple(weights.items()), axioms, squares=True)


@dataclass(frozen=True)
class Summed:
    """The used relation summed over some of its indices, with each side times ``weight`` (nonnegative)."""

    indices: tuple[Symbol, ...]
    weight: Expr = 1


@dataclass(frozen=True)
class Expected:
    """The expectation of both sides of the used relation."""


@dataclass(frozen=True)
class Instance:
    """The used relation (the first of ``uses``) at integers within its ranges."""

    at: Pairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pairs(self.at))


@dataclass(frozen=True)
class Apply:
    """A proved theorem with its symbols, vectors, functions and sequences replaced; ``uses`` has its hypotheses."""

    theorem: str
    at: Pairs = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pairs(self.at))


@dataclass(frozen=True)
class Cases:
    """The used steps prove the claim under conditions that cover all cases."""


@dataclass(frozen=True)
class Induction:
    """From (base, step): the claim at the first integer, and at i + 1 assuming it at i."""

    index: Symbol


@dataclass(frozen=True)
class Squeezed:
    """a == b from a <= b and b <= a."""


@dataclass(frozen=True)
class Power:
    """Both sides of 0 <= a <= b (the used relations, in this order) to a nonnegative power."""

    exponent: Expr


@dataclass(frozen=True)
class Polynomial:
    """A polynomial inequality from the used ones, as the certificate's combination of their products."""


@dataclass(frozen=True)
class Ball:
    """An inequality in one or more symbols on a rational box, by ball arithmetic on the boxes of the certificate."""

    box: tuple[tuple[Symbol, Any, Any], ...]
    zeros: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Enumerate:
    """The claim by exact evaluation at every integer of its ranges, or by a named exact computation."""

    scope: str = ""


@dataclass(frozen=True)
class Known:
    """A textbook fact: ``exp`` (1 + x <= e^x), ``log`` (log x <= x - 1), ``max`` (Max(a, b) == a if b <= a).

    ``min`` is Min(a, b) == a if a <= b; ``abs`` is a <= |a|; ``indicator`` is 1{a >= 0} <= 1, or
    |a| 1{a >= 0} == a 1{a >= 0} == (a + |a|) / 2, or 1 <= 1{a >= 0} + 1{-a >= 0}, or 1{a >= 0} == 1 if 0 <= a.
    ``floor`` is floor(a) <= a, a < floor(a) + 1, or n <= floor(a) for an integer n <= a.
    """

    name: Literal["exp", "log", "max", "min", "abs", "indicator", "floor"]
    at: Expr


@dataclass(frozen=True)
class Absolute:
    """|a| <= b from the used a <= b and -a <= b."""


@dataclass(frozen=True)
class Monotone:
    """1{a >= 0} <= 1{b >= 0} from the used a <= b."""


@dataclass(frozen=True)
class Rising:
    """0 <= f(x) for all numbers x >= 0, from the used 0 <= f(0) and 0 <= f'(x) (in this order); ``symbol`` is x."""

    symbol: Symbol


@dataclass(frozen=True)
class Assumed:
    """A result that is not proved here, with a citation and the reason."""

    citation: str
    reason: str = ""


@dataclass(frozen=True)
class Witness:
    """A counterexample: the claim is false at these exact values, where the used relations hold."""

    at: Pairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pairs(self.at))


@dataclass(frozen=True)
class Violated:
    """A stored counterexample: the claim of the catalogue is violated on a stored case, by exact evidence."""

    claim: str


Rule = (
    Combine
    | Summed
    | Expected
    | Instance
    | Apply
    | Cases
    | Induction
    | Squeezed
    | Power
    | Polynomial
    | Ball
    | Enumerate
    | Known
    | Absolute
    | Monotone
    | Rising
    | Assumed
    | Witness
    | Violated
)


@dataclass(frozen=True)
class Step:
    """A line of a proof: ``claim`` by ``rule`` from earlier ids ``uses``, with definitions ``by``, under ``assuming``.

    A false printed step has ``recorded="REFUTED"`` and stands beside its correction; no step may use it.
    """

    id: str
    claim: Relation
    rule: Rule
    uses: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    assuming: tuple[Relation, ...] = ()
    note: str = ""
    recorded: Outcome = "PROVED"


@dataclass(frozen=True)
class Theorem:
    """A theorem: hypotheses, a statement and the steps that prove it; its last step not refuted is the statement.

    ``bound`` is the catalogue's formula of ``claim``: the statement says ``quantity <= bound`` (>=, == by its side) with
    the bound's symbols replaced by the terms of ``reading``, and the bound's conditions are hypotheses c1, c2, ... The
    checker compares them (``fltheory.proof.matching.matching``). Without a bound the theorem proves a part of its
    claim. With a ``failure``, the statement holds with probability at least 1 - failure.
    """

    id: str
    statement: Relation
    hypotheses: tuple[Hypothesis, ...] = ()
    steps: tuple[Step, ...] = ()
    recorded: Outcome = "PROVED"
    claim: str = ""
    place: str = ""
    note: str = ""
    unused: tuple[str, ...] = ()
    bound: Bound | None = field(default=None, repr=False)
    reading: Pairs = field(default=(), repr=False)
    failure: Expr | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reading", _pairs(self.reading))

    def __repr__(self) -> str:
        return f"<Theorem {self.id}: {len(self.steps)} steps, recorded as {self.recorded}>"

    def _repr_html_(self) -> str:
        return html_cards.card(f"theorem {self.id}", card_rows(self))

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.id.split("/")[0]

    @property
    def quantity(self) -> Expr:
        """The quantity that the statement compares with the bound."""
        lower = self.bound is not None and self.bound.side == "lower"
        if self.failure is not None and self.bound is not None and isinstance(gap := _event_gap(self.statement), Expr):
            value = statement_of(self.bound, Integer(0), dict(self.reading))[0].gap
            return expand(gap - value if lower else value - gap)
        return self.statement.right if lower else self.statement.left


def card_rows(theorem: Theorem) -> list[tuple[str, str]]:
    """Return the rows of the notebook card: it shows recorded verdicts, says so, and checks nothing."""
    words = html_cards.escape_text
    letters = notation.notation_in([theorem.bound] if theorem.bound else [])
    supposed = sum(isinstance(h, Given | Defines) and h.supposed for h in theorem.hypotheses)
    more = f", {supposed} of them supposed beyond the claim" if supposed else ""
    steps = ", ".join(f"{n} {outcome}" for outcome, n in Counter(s.recorded for s in theorem.steps).items())
    verdict = (words if theorem.recorded == "PROVED" else html_cards.strong)(theorem.recorded)
    return [
        ("statement", words(notation.relation_text(theorem.statement, letters))),
        ("of", words(", ".join(filter(None, (theorem.claim, theorem.place))))),
        ("hypotheses", words(f"{len(theorem.hypotheses)}{more}")),
        ("steps", words(f"{len(theorem.steps)}, recorded: {steps}" if steps else "0")),
        ("verdict", f"{verdict}: recorded, not checked now"),
        ("note", words(theorem.note)),
    ]


@dataclass(frozen=True)
class Proofs:
    """The proofs of a paper in its order, and the folder of their certificates.

    ``unproved``: the ids of claims that no theorem decides, with the obstacle.
    """

    key: str
    theorems: tuple[Theorem, ...]
    certificates: Path
    unproved: Mapping[str, str] = field(default_factory=dict)


def _event_gap(statement: Relation) -> Expr | None:
    """Return g if the statement is about the probability of g >= 0, else None."""
    mean = statement.right
    inside = mean.args[0] if isinstance(mean, E) else None
    return inside.args[0] if isinstance(inside, Indicator) else None


def with_probability(statement: Relation, failure: Expr) -> Relation:
    """State that an inequality holds with probability at least 1 - failure.

    Parameters
    ----------
    statement : Relation
        An inequality with <=.
    failure : sympy.Expr
        The probability of failure.

    Returns
    -------
    Relation
        A lower bound on an expected indicator.

    Raises
    ------
    ProofError
        If the statement is no inequality with <=.
    """
    if statement.op != "<=":
        raise ProofError(f"with_probability needs a relation with <=, not {statement.op}")
    return le(1 - failure, E(Indicator(statement.gap)))


def statement_of(
    bound: Bound, quantity: Expr, reading: Mapping[Any, Any] | None = None
) -> tuple[Relation, tuple[Given, ...]]:
    """Return the statement of a catalogue bound on a quantity, and its conditions as hypotheses c1, c2, ...

    A symbol that the bound defines is replaced by its definition, unless the reading has an equal term for it, up to the
    constants that the claim chooses.

    Parameters
    ----------
    bound : Bound
        The bound.
    quantity : sympy.Expr
        The bounded term.
    reading : mapping, optional
        Terms in place of the bound's symbols.

    Returns
    -------
    tuple of (Relation, tuple of Given)
        The statement and its hypotheses.
    """
    mapping = dict(reading or {})

    def read(expr: Expr) -> Expr:
        for symbol, definition in reversed(bound.where):
            expr = expr.xreplace({} if symbol in mapping else {symbol: definition})
        return substitute(expr, mapping)

    value = read(bound.expr)
    sides = {"upper": le(quantity, value), "lower": le(value, quantity), "equal": eq(quantity, value)}
    conditions = []
    for number, condition in enumerate(bound.conditions, 1):
        plain = relation(condition)
        read_one = Relation(read(plain.left), plain.op, read(plain.right))
        conditions.append(Given(f"c{number}", read_one, "condition of the bound"))
    return sides[bound.side], tuple(conditions)
