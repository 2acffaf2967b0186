"""Bounds: formulas with a side, conditions and a source, evaluated rigorously."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from fltheory.model import html_cards
from fltheory.number import (
    MAX_PRECISION,
    NotRational,
    Number,
    decide,
    evaluate_ball,
    evaluate_exact,
    evaluate_to_precision,
    exact,
    lower_float,
    symbolic_value,
    upper_float,
)
from fltheory.number.parsing import clip_text
from fltheory.number.rational import length
from fltheory.symbols import VOCABULARY, in_domain, meaning

Reading = Literal["printed", "strict", "explicit", "corrected", "strengthened"]
Side = Literal["upper", "lower", "equal"]
READINGS: tuple[Reading, ...] = ("printed", "strict", "explicit", "corrected", "strengthened")
HIDDEN_CONSTANT = 1000  # the constant assumed for a printed O(.), O~(.) or "<~"; for Omega(.) it is the inverse
SIDES: tuple[Side, ...] = ("upper", "lower", "equal")


class BoundError(ValueError):
    """A bound is evaluated outside its domain; the text names the constant or the condition."""


def missing_constant(error: KeyError) -> str:
    """Return a message with the constant that a case lacks; raise any other KeyError again."""
    if error.args and isinstance(error.args[0], Symbol):
        return f"the case gives no {error.args[0].name}"
    raise error


def min_of(*values: Expr) -> Expr:
    """Return the unevaluated minimum of formulas; SymPy would compare every pair, which takes seconds."""
    return sympy.Min(*values, evaluate=False)


def max_of(*values: Expr) -> Expr:
    """Return the unevaluated maximum of formulas."""
    return sympy.Max(*values, evaluate=False)


class DimensionError(BoundError):
    """Two terms that are added or compared have different dimensions."""


@dataclass(frozen=True)
class Source:
    """The source of a statement: paper key, place in the paper, reading, and a note on the difference from the print.

    ``printed`` is the natural reading of the words, ``strict`` a harsher one, and ``explicit`` has the constants of the
    proof. ``corrected`` is the nearest true statement, and ``strengthened`` a stronger true one.
    """

    paper: str
    place: str
    reading: Reading = "printed"
    note: str = ""

    def __post_init__(self) -> None:
        if self.reading not in READINGS:
            raise ValueError(f"reading must be one of {', '.join(READINGS)}, got {self.reading!r}")

    def __str__(self) -> str:
        return f"{self.paper}, {self.place} ({self.reading}{': ' + self.note if self.note else ''})"


SIGNS = {"upper": r"\le", "lower": r"\ge", "equal": "="}
PLAIN_SIGNS = {"upper": "≤", "lower": "≥", "equal": "="}


def card_rows(bound: Bound) -> list[tuple[str, str]]:
    """Return the notebook card of a bound: its formula, symbols, conditions and source."""
    letters = dict(bound.letters)

    def math(expr: sympy.Basic) -> str:
        return html_cards.inline(sympy.latex(expr, symbol_names=letters))

    where = [f"{math(symbol)} = {math(definition)}" for symbol, definition in bound.where]
    where += [
        f"{math(s)}: {html_cards.escape_text(f'{meaning(s).text} ({s.name}, {meaning(s).domain})')}"
        for s in bound.symbols
    ]
    return [
        ("bound", html_cards.formula_html(_statement(bound))),
        ("where", html_cards.lines(where)),
        ("if", html_cards.lines(map(math, bound.conditions))),
        ("source", html_cards.escape_text(bound.source)),
    ]


def _statement(bound: Bound) -> str:
    return rf"\text{{measured}} {SIGNS[bound.side]} {bound.latex()}"


def _text_repr(bound: Bound) -> str:
    return f"<Bound, {bound.side}: {clip_text(bound.expr, 200)} ({bound.source})>"


def _latex_repr(bound: Bound) -> str:
    return html_cards.display_latex(_statement(bound))


def _html_repr(bound: Bound) -> str:
    return html_cards.card(f"{bound.side} bound" if bound.side != "equal" else "formula", card_rows(bound))


@dataclass(frozen=True)
class Bound:
    """A formula that bounds a measured quantity from above or from below, or equals it.

    Parameters
    ----------
    expr : sympy.Expr
        The formula, in the symbols of ``fltheory.symbols``.
    source : Source
        The paper, the place in it, and the reading.
    conditions : tuple of sympy relations
        The bound is claimed only where they hold.
    side : {"upper", "lower", "equal"}
        Whether the formula is an upper bound, a lower bound or the value.
    where : tuple of (Symbol, Expr)
        Definitions of symbols of the formula, such as ``effective_step_size = step_size * n_local_steps``. A definition
        is used if the constants do not give its symbol.
    letters : tuple of (Symbol, str)
        The paper's LaTeX for the symbols.

    Raises
    ------
    BoundError
        If a symbol is not in ``fltheory.symbols``, or a condition is always true or always false.
    ValueError
        If ``side`` is unknown.

    Examples
    --------
    >>> from fltheory import find
    >>> find("sfl/T3-SC@corrected").bound.side
    'upper'
    """

    expr: sympy.Expr
    source: Source
    conditions: tuple[Relational, ...] = ()
    side: Side = "upper"
    where: tuple[tuple[Symbol, sympy.Expr], ...] = ()
    letters: tuple[tuple[Symbol, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise ValueError(f"side must be one of {', '.join(SIDES)}, got {self.side!r}")
        object.__setattr__(self, "expr", _rationalise_floats(sympy.sympify(self.expr)))
        object.__setattr__(self, "conditions", tuple(_rationalise_floats(c) for c in self.conditions))
        object.__setattr__(self, "where", tuple((s, _rationalise_floats(sympy.sympify(e))) for s, e in self.where))
        for condition in self.conditions:
            if not isinstance(condition, Relational):
                raise BoundError(f"a condition of {self.source} simplifies to {condition}, so it has no effect")
        unknown = [s for s in self._all_symbols() if s.name not in VOCABULARY]
        if unknown:
            raise BoundError(f"{unknown} in {self.source} are not in the vocabulary (fltheory.symbols)")

    def _all_symbols(self) -> set[Symbol]:
        parts = [self.expr, *self.conditions, *(e for _, e in self.where)]
        return set().union(*(p.free_symbols for p in parts)) | {s for s, _ in self.where}

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The constants that the bound needs after its definitions are inserted, sorted by name."""
        defined = {s for s, _ in self.where}
        return tuple(sorted(self._all_symbols() - defined, key=lambda s: s.name))

    # -- evaluation ------------------------------------------------------------------------------------------

    def complete(self, constants: Mapping[Symbol, Number], later: Collection[Symbol] = ()) -> dict[Symbol, Number]:
        """Return the constants and the symbols that ``where`` defines; BoundError names a missing or invalid constant.

        Constants in ``later``, which come from the run itself, may be missing.
        """
        values = dict(constants)
        for symbol, expr in self.where:
            if not values.keys() >= set(symbols_of(expr)):
                continue
            defined = evaluate_closed_form(expr, values)
            if symbol in values and decide(sympy.Eq(symbol, expr, evaluate=False), values) is False:
                given = f"{symbol.name} = {clip_text(values[symbol])}"
                raise BoundError(f"{given} contradicts its definition: {expr} = {clip_text(defined)}")
            values.setdefault(symbol, defined)
        needed = symbols_of(self.expr, *self.conditions)
        for symbol in needed:
            if symbol not in values and symbol in later:
                continue
            if symbol not in values:
                raise BoundError(f"{symbol.name} is missing: {meaning(symbol).text}, {meaning(symbol).domain}")
            value = values[symbol]
            if value < 0 and symbol.is_nonnegative if isinstance(value, arb) else not in_domain(symbol, value):
                raise BoundError(f"{symbol.name} = {clip_text(value)} is out of its domain: {meaning(symbol).domain}")
        return values

    def at(self, constants: Mapping[Symbol, Number], later: Collection[Symbol] = ()) -> BoundAt:
        """Return the bound with its constants and definitions evaluated; see ``complete``."""
        return BoundAt(self, self.complete(constants, later))

    def failed_condition(self, constants: Mapping[Symbol, Number], later: Collection[Symbol] = ()) -> str | None:
        """Return the first condition that these constants break, in words, or None. Undecidable counts as broken."""
        return self.at(constants, later).failed_condition()

    def exact(self, constants: Mapping[Symbol, Number]) -> Fraction:
        """Return the rational value; ``NotRational`` if it is irrational."""
        return self.at(constants).exact()

    def ball(self, constants: Mapping[Symbol, Number], bits: int = 60) -> arb:
        """Return a ball that contains the value, accurate to ``bits`` bits if the constants are exact."""
        return self.at(constants).ball(bits)

    def enclosure(self, constants: Mapping[Symbol, Number]) -> tuple[float, float]:
        """Return floats below and above the value, rounded outwards."""
        ball = self.ball(constants)
        return lower_float(ball), upper_float(ball)

    def __call__(self, constants: Mapping[Symbol, Number], check: bool = True) -> float:
        """Return the value as a float rounded to the safe side: up for an upper bound, down for a lower one.

        Raises BoundError if a condition fails, unless ``check`` is False.
        """
        given = {s: exact(v) for s, v in constants.items()}
        if check and (reason := self.failed_condition(given)):
            raise BoundError(f"{self.source.paper}, {self.source.place}: {reason}")
        low, high = self.enclosure(given)
        return low if self.side == "lower" else high

    def array(self, constants: Mapping[Symbol, object]) -> np.ndarray:
        """Evaluate on NumPy arrays that broadcast, in plain floats: for plots and searches, not for evidence."""
        expr = self.expand_definitions()
        symbols = sorted(expr.free_symbols, key=lambda s: s.name)
        missing = [s.name for s in symbols if s not in constants]
        if missing:
            raise BoundError(f"{', '.join(missing)} missing")
        function = sympy.lambdify(symbols, expr, "numpy")
        arrays = [np.asarray(constants[s], dtype=float) for s in symbols]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # in branches that are not selected
            values = function(*arrays)
        return np.broadcast_to(values, np.broadcast_shapes(*(a.shape for a in arrays))).astype(float)

    # -- algebra ---------------------------------------------------------------------------------------------

    def expand_definitions(self) -> sympy.Expr:
        """Return the formula with every definition inserted."""
        expr = self.expr
        for symbol, definition in reversed(self.where):
            expr = expr.xreplace({symbol: definition})
        return expr

    def tuned(self, choice: Mapping[Symbol, sympy.Expr], source: Source | None = None) -> Bound:
        """Substitute values for free constants; conditions that become trivially true are dropped."""
        conditions = [c.subs(choice) for c in self.conditions]
        where = tuple((s, e.subs(choice)) for s, e in self.where if s not in choice)
        return replace(
            self,
            expr=self.expr.subs(choice),
            conditions=tuple(c for c in conditions if c is not sympy.true),
            where=where,
            source=source or self.source,
        )

    def scaled(self, factor: Number | sympy.Expr, note: str = "mutant") -> Bound:
        """Return the bound times a factor, for mutation tests."""
        factor = factor if isinstance(factor, sympy.Expr) else sympy.Rational(str(Fraction(factor)))
        return replace(self, expr=factor * self.expr, source=replace(self.source, note=note))

    def rate(self, symbol: Symbol) -> sympy.Expr:
        """Return the power of ``symbol`` with which the bound grows at infinity (-oo if it decays faster than all powers).

        Logarithms count as power 0. Assumed: terms do not cancel, and bases of powers in ``symbol`` lie in (0, 1).
        """
        return _order(sympy.expand(self.expand_definitions(), power_exp=False), symbol)

    def terms(self) -> tuple[sympy.Expr, ...]:
        """Return the summands of the formula."""
        return tuple(sympy.Add.make_args(self.expr))

    def dimension(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Return the powers of (objective unit, length unit) of the value; DimensionError if two terms disagree.

        Conditions and definitions are checked, too.
        """
        for condition in self.conditions:
            _common_dimension(_dimension(condition.lhs), _dimension(condition.rhs), condition)
        for symbol, expr in self.where:
            _common_dimension(_dimension(symbol), _dimension(expr), sympy.Eq(symbol, expr, evaluate=False))
        return _dimension(self.expr) or _DIMENSIONLESS

    # -- rendering -------------------------------------------------------------------------------------------

    def latex(self) -> str:
        """Return the formula in the paper's notation, as LaTeX."""
        return sympy.latex(self.expr, symbol_names=dict(self.letters))

    def unicode(self) -> str:
        """Return the formula in the paper's notation, in unicode characters on one or more lines."""
        return render(self.expr, self.letters)

    __repr__, _repr_latex_, _repr_html_ = _text_repr, _latex_repr, _html_repr


@dataclass(frozen=True)
class BoundAt:
    """A bound at the constants of a case, with its definitions evaluated once."""

    bound: Bound
    values: Mapping[Symbol, Number]

    def failed_condition(self) -> str | None:
        """Return the first condition that the constants break, in words, or None. Undecidable counts as broken."""
        for condition in self.bound.conditions:
            if (truth := decide(condition, self.values)) is not True:
                verb = "fails" if truth is False else "can't be decided"
                return f"the condition {_plain_relation(condition)} {verb}"
        return None

    def exact(self) -> Fraction:
        """Return the rational value; ``NotRational`` if it is irrational."""
        return evaluate_exact(self.bound.expr, self.values)

    def ball(self, bits: int = 60) -> arb:
        """Return a ball that contains the value, accurate to ``bits`` bits if the constants are exact."""
        expr, source = self.bound.expr, self.bound.source
        longest = max((length(v) for v in self.values.values() if isinstance(v, int | Fraction)), default=0)
        ball = evaluate_to_precision(
            lambda: evaluate_ball(expr, self.values), bits, stop=max(MAX_PRECISION, 4 * longest)
        )
        if ball.is_nan():
            raise BoundError(f"{source.paper}, {source.place}: {expr} has no real value here")
        return ball


def _rationalise_floats(expr: Expr) -> Expr:
    """Replace every float in an expression by the decimal that it prints: 0.1 means 1/10."""
    floats = expr.atoms(sympy.Float) if isinstance(expr, sympy.Basic) else ()
    return expr.xreplace({f: sympy.Rational(str(Fraction(repr(float(f))))) for f in floats}) if floats else expr


@lru_cache(maxsize=4096)
def symbols_of(*parts: sympy.Basic) -> tuple[Symbol, ...]:
    """Return the symbols of formulas and conditions, sorted by name."""
    found = set[Symbol]().union(*(part.free_symbols for part in parts))
    return tuple(sorted(found, key=lambda s: s.name))


def evaluate_closed_form(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Number:
    """Return a short exact value, else a SymPy number, else a ball; values at exact constants are cached."""
    own = {symbol: values[symbol] for symbol in symbols_of(expr) if symbol in values}
    inexact = any(isinstance(value, arb) for value in own.values())
    found = _value(expr, own) if inexact else _cached_value(expr, frozenset(own.items()))
    # Equal constants of different types share a cache entry.
    return exact(found) if isinstance(found, sympy.Rational) else found


@lru_cache(maxsize=4096)
def _cached_value(expr: sympy.Expr, values: frozenset[tuple[Symbol, Number]]) -> Number:
    return _value(expr, dict(values))


def _value(expr: sympy.Expr, values: Mapping[Symbol, Number]) -> Number:
    try:
        return exact(evaluate_exact(expr, values))
    except NotRational:
        pass
    try:
        return symbolic_value(expr, values)
    except NotRational:
        return evaluate_to_precision(lambda: evaluate_ball(expr, values), 100, 256)


def _order(expr: sympy.Expr, symbol: Symbol) -> sympy.Expr:
    if not expr.has(symbol):
        return sympy.Integer(0)
    if expr == symbol:
        return sympy.Integer(1)
    if isinstance(expr, sympy.Add):
        return sympy.Max(*(_order(a, symbol) for a in expr.args))
    if isinstance(expr, sympy.Mul):
        orders = [_order(a, symbol) for a in expr.args]
        return sympy.S.NegativeInfinity if sympy.S.NegativeInfinity in orders else sympy.Add(*orders)
    if isinstance(expr, sympy.Pow) and not expr.exp.has(symbol):
        return expr.exp * _order(expr.base, symbol)
    if isinstance(expr, sympy.Piecewise):  # special values first, the general branch last
        return _order(expr.args[-1][0], symbol)
    if isinstance(expr, sympy.Pow) and not expr.base.has(symbol):  # powers of contractions: the base is in (0, 1)
        return -_limit(expr.exp, symbol)
    if isinstance(expr, sympy.exp):
        return _limit(expr.args[0], symbol)
    if isinstance(expr, sympy.Min):
        return sympy.Min(*(_order(a, symbol) for a in expr.args))
    if isinstance(expr, sympy.Max):
        return sympy.Max(*(_order(a, symbol) for a in expr.args))
    if isinstance(expr, sympy.log):
        return sympy.Integer(0)
    raise BoundError(f"the rate of {expr} in {symbol.name} is not known")


def _limit(exponent: sympy.Expr, symbol: Symbol) -> sympy.Expr:
    """Return infinity with the sign of the terms that grow fastest, or 0 if no term grows."""
    orders = [(_order(term, symbol), term) for term in sympy.Add.make_args(sympy.expand(exponent))]
    largest = sympy.Max(*(order for order, _ in orders))
    if not largest > 0:
        return sympy.Integer(0)
    signs = {term.could_extract_minus_sign() for order, term in orders if order == largest}
    if len(signs) > 1:
        raise BoundError(f"the sign of {exponent} for large {symbol.name} is not known")
    return sympy.S.NegativeInfinity if signs == {True} else sympy.oo


Dimension = tuple[sympy.Expr, sympy.Expr]
_DIMENSIONLESS: Dimension = (sympy.Integer(0), sympy.Integer(0))


def _common_dimension(first: Dimension | None, second: Dimension | None, where: object) -> Dimension | None:
    if first is None or second is None:
        return second if first is None else first
    if first != second:
        raise DimensionError(f"different dimensions {first} and {second} in {where}")
    return first


@lru_cache(maxsize=4096)
def _dimension(expr: sympy.Expr) -> Dimension | None:
    """Return the dimension of an expression; None for zero and infinity, which have any dimension."""
    if expr.is_zero or expr.is_infinite:
        return None
    if isinstance(expr, Symbol):
        return meaning(expr).dimension
    if expr.is_number:
        return _DIMENSIONLESS
    if isinstance(expr, sympy.Mul):
        parts = [_dimension(a) or _DIMENSIONLESS for a in expr.args]
        return sympy.Add(*(p[0] for p in parts)), sympy.Add(*(p[1] for p in parts))
    if isinstance(expr, sympy.Pow):
        base = _dimension(expr.base) or _DIMENSIONLESS
        if base != _DIMENSIONLESS:
            if not expr.exp.is_number:
                raise DimensionError(f"{expr} is a power of a quantity with a dimension")
            return base[0] * expr.exp, base[1] * expr.exp
        _common_dimension(_dimension(expr.exp), _DIMENSIONLESS, expr)
        return _DIMENSIONLESS
    if isinstance(expr, sympy.Add | sympy.Max | sympy.Min):
        result = None
        for argument in expr.args:
            result = _common_dimension(result, _dimension(argument), expr)
        return result
    if isinstance(expr, sympy.Piecewise):
        result = None
        for branch, _ in expr.args:
            result = _common_dimension(result, _dimension(branch), expr)
        return result
    if isinstance(expr, sympy.Abs):
        return _dimension(expr.args[0])
    for argument in expr.args:
        _common_dimension(_dimension(argument), _DIMENSIONLESS, expr)
    return _DIMENSIONLESS


def dimension_mismatch(symbol: Symbol, expr: sympy.Expr) -> str | None:
    """Return how the dimension of a formula differs from that of its constant, or None."""
    found, wanted = _dimension(expr), meaning(symbol).dimension
    if found is None or tuple(found) == tuple(wanted):
        return None
    return f"{symbol.name} has dimension {tuple(wanted)}, its formula {tuple(found)}"


_UNICODE = {
    r"\bar\gamma": "γ̄",
    r"\tilde\eta": "η̃",
    r"\eta": "η",
    r"\mu": "μ",
    r"\sigma": "σ",
    r"\zeta": "ζ",
    r"\beta": "β",
    r"\gamma": "γ",
    r"\lambda": "λ",
    r"\kappa": "κ",
    r"\ell": "ℓ",
    r"\delta": "δ",
    r"\omega": "ω",
    r"\alpha": "α",
    r"\tau": "τ",
    r"\varepsilon": "ε",
    r"\nu": "ν",
    r"\Sigma": "Σ",
    r"\psi": "ψ",
    r"\phi": "φ",
    r"\Phi": "Φ",
    r"\min": "min",
    r"\bar L": "L̄",
    r"\hat": "",
    r"_*": "⋆",
    r"_0": "₀",
    r"_1": "₁",
    r"_2": "₂",
    r"_{\max}": "ₘₐₓ",
    "^{(0)}": "⁽⁰⁾",
    "_e": "ₑ",
}


@cache
def unicode_letter(latex: str) -> str:
    """Convert a LaTeX letter such as ``\\tilde\\eta`` to unicode text."""
    for pattern, character in _UNICODE.items():
        latex = latex.replace(pattern, character)
    return latex.replace("{", "").replace("}", "").replace("\\", "")


def render(expr: sympy.Basic, letters: tuple[tuple[Symbol, str], ...]) -> str:
    """Return an expression in the paper's notation, in unicode characters."""
    names = {s: Symbol(unicode_letter(name), **s.assumptions0) for s, name in letters}
    return sympy.pretty(expr.xreplace(names), use_unicode=True, wrap_line=False)


def _plain_relation(relation: Relational) -> str:
    return str(relation) if not isinstance(relation, sympy.Eq) else f"{relation.lhs} = {relation.rhs}"
