"""The proof language: relations, hypotheses, steps and the rules they follow, theorems. All of it is frozen data.

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
from sympy.core.relational import Equality, GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from fltheory.model import html_cards
from fltheory.model.bound import Bound
from fltheory.proof import notation
from fltheory.proof.terms import E, Indicator, substitute

Op = Literal["<=", "<", "=="]
Outcome = Literal["PROVED", "REFUTED", "UNKNOWN", "ASSUMED"]
Range = tuple[Symbol, Expr, Expr]
Pairs = tuple[tuple[Any, Any], ...]
ALL_PARAMETERS = "all parameters"


class ProofError(ValueError):
    """A proof is not well formed; the text names the theorem, the step and what is wrong."""


@dataclass(frozen=True)
class Relation:
    """``left op right`` for all integers lo <= i <= hi of each (i, lo, hi) in ``over``."""

    left: Expr
    op: Op
    right: Expr
    over: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", sympify(self.left))
        object.__setattr__(self, "right", sympify(self.right))
        object.__setattr__(self, "over", tuple((i, sympify(lo), sympify(hi)) for i, lo, hi in self.over))

    @property
    def gap(self) -> Expr:
        """right - left: what is not negative (zero for an equation)."""
        return self.right - self.left

    def at(self, mapping: Mapping[Any, Any]) -> Relation:
        """The relation with free symbols replaced, those of ``over`` apart."""
        inner = {k: v for k, v in mapping.items() if k not in {i for i, _, _ in self.over}}
        over = tuple((i, substitute(lo, inner), substitute(hi, inner)) for i, lo, hi in self.over)
        return Relation(substitute(self.left, inner), self.op, substitute(self.right, inner), over)


def le(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """left <= right, for all integers of the ranges (i, lo, hi)."""
    return Relation(left, "<=", right, over)


def lt(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """left < right."""
    return Relation(left, "<", right, over)


def eq(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """left == right."""
    return Relation(left, "==", right, over)


def relation(condition: Relational) -> Relation:
    """A SymPy relation as one of the proof language."""
    if isinstance(condition, LessThan):
        return le(condition.lhs, condition.rhs)
    if isinstance(condition, GreaterThan):
        return le(condition.rhs, condition.lhs)
    if isinstance(condition, StrictLessThan):
        return lt(condition.lhs, condition.rhs)
    if isinstance(condition, StrictGreaterThan):
        return lt(condition.rhs, condition.lhs)
    if isinstance(condition, Equality):
        return eq(condition.lhs, condition.rhs)
    raise ProofError(f"{condition} is no <=, < or ==")


# Hypotheses -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A relation that the theorem supposes, and why a reader should grant it.

    ``supposed``: nothing that the claim says grants it, neither its conditions and assumptions nor what its run is.
    """

    id: str
    relation: Relation
    why: str = ""
    supposed: bool = False


@dataclass(frozen=True)
class Defines:
    """``left`` is short for ``right``, whatever the indices of ``left``: plain symbols, which ``right`` may contain.

    ``supposed`` as for ``Given``: with it alone inserted the statement is an identity.
    """

    id: str
    left: Expr
    right: Expr
    why: str = ""
    supposed: bool = False


@dataclass(frozen=True)
class Member:
    """Every function of the family of ``function`` is differentiable, ``smooth``-smooth, ``convex``-strongly convex.

    ``convex=0`` is convexity, ``convex=None`` says nothing of it; so does ``smooth=None`` of smoothness.
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
    """The claim is the sum of the used relations times ``weights``, inequalities times numbers >= 0.

    With no weights at all each counts once (a chain); else those without a weight only help to see signs.

    With ``axioms``, pairs (weight, axiom of a function class), and ``squares``: plus squared norms times numbers >= 0,
    which the certificate lists (the Gram engine).
    """

    weights: Pairs = ()
    axioms: tuple[tuple[Any, Any], ...] = ()
    squares: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _pairs(self.weights))
        object.__setattr__(self, "axioms", tuple((sympify(w), a) for w, a in self.axioms))


def Gram(*axioms: tuple[Expr, Expr], **weights: Expr) -> Combine:
    """The Gram engine: axioms and used relations, and a sum of squares that the certificate lists."""
    return Combine(tuple(weights.items()), axioms, squares=True)


@dataclass(frozen=True)
class Summed:
    """The used relation summed over some of its indices, each side times ``weight`` (not negative)."""

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
    """A proved theorem with its symbols, vectors, functions and sequences replaced; its hypotheses are among ``uses``."""

    theorem: str
    at: Pairs = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pairs(self.at))


@dataclass(frozen=True)
class Cases:
    """The used steps prove the claim under conditions that leave nothing out."""


@dataclass(frozen=True)
class Induction:
    """Uses (base, step): the claim at the first integer, and at i + 1 assuming it at i."""

    index: Symbol


@dataclass(frozen=True)
class Squeezed:
    """a == b from a <= b and b <= a."""


@dataclass(frozen=True)
class Power:
    """0 <= a <= b (the used relations, in this order) to a power that is not negative."""

    exponent: Expr


@dataclass(frozen=True)
class Polynomial:
    """A polynomial inequality from the used ones, by the certificate's products of them."""


@dataclass(frozen=True)
class Ball:
    """An inequality in one or more symbols on a box of rationals, by ball arithmetic on the certificate's boxes."""

    box: tuple[tuple[Symbol, Any, Any], ...]
    zeros: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Enumerate:
    """The claim by exact evaluation at every integer of its ranges (all numbers), or by a named exact computation."""

    scope: str = ""


@dataclass(frozen=True)
class Known:
    """A textbook fact of one line: ``exp`` (1 + x <= e^x), ``log`` (log x <= x - 1), ``max`` (Max(a, b) == a if b <= a).

    ``min`` is Min(a, b) == a if a <= b; ``abs`` is a <= |a|; ``indicator`` is 1{a >= 0} <= 1, or
    |a| 1{a >= 0} == a 1{a >= 0} == (a + |a|) / 2, or 1 <= 1{a >= 0} + 1{-a >= 0}, or 1{a >= 0} == 1 if 0 <= a.
    ``floor`` is floor(a) <= a, a < floor(a) + 1, or n <= floor(a) for a whole n <= a.
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
    """0 <= f(x) for every number x >= 0, from the used 0 <= f(0) and 0 <= f'(x) (in this order), ``symbol`` being x."""

    symbol: Symbol


@dataclass(frozen=True)
class Assumed:
    """Not proved here: a citation and the reason."""

    citation: str
    reason: str = ""


@dataclass(frozen=True)
class Witness:
    """The claim is false at these exact values, where the used relations hold."""

    at: Pairs

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pairs(self.at))


@dataclass(frozen=True)
class Violated:
    """The claim of the catalogue is violated on its stored case, by exact evidence."""

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
    """One line: ``claim`` by ``rule`` from ``uses`` (earlier ids), definitions ``by`` inserted, under ``assuming``.

    A printed step that is wrong stands beside the repaired one with ``expected="REFUTED"``; nothing may use it.
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
    """Hypotheses, a statement and the steps that lead to it; the last step that isn't a refuted one is the statement.

    ``bound`` is the catalogue's formula of ``claim``: the statement says ``quantity <= bound`` (>=, == by its side) with
    the bound's symbols read as the terms of ``reading``, and the bound's conditions are hypotheses c1, c2, ... The
    checker compares (``fltheory.proof.matching.matching``). A theorem with a claim and no bound proves a part of it. With a
    ``failure`` the statement is that this happens with probability at least 1 - failure.
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
        """The paper's key."""
        return self.id.split("/")[0]

    @property
    def quantity(self) -> Expr:
        """What the statement compares with the bound: the side that is not the bound's."""
        lower = self.bound is not None and self.bound.side == "lower"
        if self.failure is not None and self.bound is not None and isinstance(gap := _event_gap(self.statement), Expr):
            value = statement_of(self.bound, Integer(0), dict(self.reading))[0].gap
            return expand(gap - value if lower else value - gap)
        return self.statement.right if lower else self.statement.left


def card_rows(theorem: Theorem) -> list[tuple[str, str]]:
    """What a notebook shows of a theorem: nothing is checked for it, and it says so."""
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
    """The proofs of a paper, in the paper's order, and the folder of their certificates.

    ``unproved``: claims that no theorem decides, by their ids, each with what is in the way.
    """

    key: str
    theorems: tuple[Theorem, ...]
    certificates: Path
    unproved: Mapping[str, str] = field(default_factory=dict)


def _event_gap(statement: Relation) -> Expr | None:
    """The number of which a statement says with which probability it is not negative."""
    mean = statement.right
    inside = mean.args[0] if isinstance(mean, E) else None
    return inside.args[0] if isinstance(inside, Indicator) else None


def with_probability(statement: Relation, failure: Expr) -> Relation:
    """That an inequality holds with probability at least 1 - failure."""
    if statement.op != "<=":
        raise ProofError(f"with a probability is said of <= alone, not of {statement.op}")
    return le(1 - failure, E(Indicator(statement.gap)))


def statement_of(
    bound: Bound, quantity: Expr, reading: Mapping[Any, Any] | None = None
) -> tuple[Relation, tuple[Given, ...]]:
    """What a bound of the catalogue says of ``quantity``: the relation, and its conditions as hypotheses c1, c2, ...

    A letter that the bound defines stands for its definition, unless the reading has a term for it: one that is the
    same, with what the claim chooses put in.
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
