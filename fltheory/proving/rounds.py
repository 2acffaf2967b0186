"""From one round to all rounds: a proved inequality for one round becomes a theorem about R of them.

The inequality says what the potential after a round is, at most: P(after) <= q P(before) - G + e, where P is a nonnegative
term of the point, G is what the round gains, and e is free of the points. Then G has the average (P(0) + R e)/R if q = 1, and
P(R) <= q^R P(0) + e/(1 - q) if q < 1 and G is nonnegative.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, Integer, Symbol

from fltheory.proof import by
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.chain import Chain
from fltheory.proof.language import Defines, Given, Hypothesis, Member, ProofError, Relation, Theorem, le, lt
from fltheory.proof.terms import Scalar, Term, Total, Vector, free_symbols, substitute
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget, Exhausted
from fltheory.proving.tactics.closing import close, close_at_once

SIGN = 100  # units of work for a sign
r, R = Symbol("r", integer=True, nonnegative=True), Symbol("R", integer=True, positive=True)


@dataclass(frozen=True)
class Round:
    """One round, taken apart: P(after) <= q P(before) - gain + rest."""

    theorem: Theorem
    moving: Mapping[Expr, Expr]  # each term of one round, and the same term in round r
    potential: Expr  # in round r
    factor: Expr
    gain: Expr  # in round r
    share: Expr  # the coefficient of the gain, positive if one is found
    rest: Expr


def chained(one: Theorem, before: str, after: str) -> Theorem:
    """Return the theorem about R rounds that follows from a theorem about one, with its steps.

    Parameters
    ----------
    one : Theorem
        The inequality for one round. Its statement contains a potential of the point ``after`` on the left and the same
        potential of ``before`` on the right.
    before, after : str
        The names of the points before and after the round; several are separated by commas, in the same order. What else
        is a vector or a number of its own, such as a subgradient or an error, may be another one in every round, except
        what the potential contains, such as a minimiser.

    Returns
    -------
    Theorem
        The statement about R rounds with its steps, which apply ``one``.

    Raises
    ------
    ProofError
        If the statement is not of this form; the message says what is missing.
    """
    here = round_of(one, before, after)
    each = (r, Integer(0), R - 1)
    chain = Chain(f"{one.id}-rounds", note=f"R rounds of {one.id}")
    for hypothesis in one.hypotheses:
        chain = chain.under(_in_rounds(hypothesis, here, each))
    at = tuple((key, value) for key, value in here.moving.items())
    names = tuple(h.id for h in one.hypotheses if not isinstance(h, Defines))
    later = substitute(here.potential, {r: r + 1})
    chain = chain.step(
        "one",
        le(later, here.factor * here.potential - here.share * here.gain + here.rest, each),
        by.apply(one.id, at, *names),
    )
    contracts = here.factor != 1
    return _contraction(chain, here, each) if contracts else _average(chain, here, each)


def round_of(one: Theorem, before: str, after: str) -> Round:
    """Return a theorem about one round taken apart; ProofError says what is missing."""
    statement = one.statement
    if statement.op != "<=" or statement.over:
        raise ProofError(f"{one.id}: expected an inequality with <= for one round, without ranges")
    points = {v.args[0].name: v for v in _members(statement, one) if len(v.args) == 1}
    _require_free(one, "r", "R", "i")
    names, later = before.split(","), after.split(",")
    missing = [name for name in (*names, *later) if name not in points]
    if missing:
        raise ProofError(f"{one.id}: it has no point {missing[0]!r}; it has {', '.join(sorted(points)) or 'none'}")
    if len(names) != len(later) or len({*names, *later}) != 2 * len(names):
        raise ProofError(f"{one.id}: expected as many points before a round as after it, all different")
    back = {points[new]: points[old] for old, new in zip(names, later, strict=True)}
    left, right = _coefficients(statement.left), _coefficients(statement.right)
    ahead = {term: c for term, c in left.items() if term.has(*back)}
    if not ahead:
        raise ProofError(f"{one.id}: the left side of its statement does not contain {after}")
    if any(term.has(*back) for term in right):
        raise ProofError(f"{one.id}: its right side contains {after} too; expected P(after) <= q P(before) - G + e")
    factors = {sympy.cancel(right.get(substitute(term, back), Integer(0)) / c) for term, c in ahead.items()}
    if len(factors) > 1:
        raise ProofError(
            f"{one.id}: the right side has no multiple of the potential at {before}; it has the factors {sorted(map(str, factors))}"
        )
    (factor,) = factors
    potential = sympy.Add(*(c * substitute(term, back) for term, c in ahead.items()))
    now = {substitute(term, back) for term in ahead}
    others = {term: c for term, c in right.items() if term not in now}
    for term, c in left.items():
        if term not in ahead:
            others[term] = others.get(term, Integer(0)) - c
    moving = _moving(one, back, potential)
    rest = others.pop(Integer(1), Integer(0))
    gain = -sympy.Add(*(c * term for term, c in others.items()))
    shares = set(others.values()) | {-c for c in others.values()}
    share = next(
        (
            c
            for c in sorted(shares, key=str)
            if c.is_positive and all(sympy.cancel(o / c).is_number for o in others.values())
        ),
        Integer(1),
    )
    gain = sympy.Add(*(-sympy.cancel(c / share) * term for term, c in others.items()))
    return Round(
        one,
        moving,
        _moved(potential, moving),
        _upright(sympy.factor(factor)),
        _moved(gain, moving),
        share,
        sympy.factor(rest),
    )


def _require_free(theorem: Theorem, *names: str) -> None:
    """Raise ProofError if a symbol of the theorem has a name that the theorem about many rounds needs."""
    sides = [theorem.statement, *(h.relation for h in theorem.hypotheses if isinstance(h, Given))]
    letters = {s.name for relation in sides for side in (relation.left, relation.right) for s in free_symbols(side)}
    letters |= {s.name for h in theorem.hypotheses if isinstance(h, Member) for s in _constants(h)}
    taken = [name for name in names if name in letters]
    if taken:
        raise ProofError(
            f"{theorem.id}: rename the symbol {taken[0]}: over many rounds, the name has a meaning of its own"
        )


def _constants(member: Member) -> frozenset[Symbol]:
    found = [free_symbols(sympy.sympify(c)) for c in (member.smooth, member.convex) if c is not None]
    return frozenset().union(*found)


def _upright(factor: Expr) -> Expr:
    """Return even powers of 1 - a rather than of a - 1."""
    return factor.replace(
        lambda e: e.is_Pow and e.exp.is_even and e.base.is_Add and e.base.as_coeff_Add()[0].is_negative,
        lambda e: sympy.Pow(-e.base, e.exp),
    )


def _coefficients(side: Expr) -> dict[Expr, Expr]:
    """Return a number as a combination of terms that are not arithmetic; the coefficient of 1 is the rest."""
    names: dict[Expr, Symbol] = {}

    def named(expr: Expr) -> Expr:
        if isinstance(expr, Term):
            return names.setdefault(expr, sympy.Dummy())
        return expr.func(*map(named, expr.args)) if expr.args else expr

    plain = sympy.expand(named(side))
    found = {term: sympy.factor(plain.coeff(name)) for term, name in names.items()}
    found[Integer(1)] = sympy.factor(plain.xreplace(dict.fromkeys(names.values(), Integer(0))))
    return {term: c for term, c in found.items() if c != 0}


def _members(statement: Relation, one: Theorem) -> set[Term]:
    terms = [statement.left, statement.right]
    terms += [side for h in one.hypotheses if isinstance(h, Given) for side in (h.relation.left, h.relation.right)]
    return {v for t in terms for v in t.atoms(Vector) | t.atoms(Scalar)}


def _moving(one: Theorem, back: Mapping[Term, Term], potential: Expr) -> dict[Expr, Expr]:
    """Return the terms that differ from round to round with their values in round r: all but the rest of the potential.

    A family, such as the vectors y(m) of the clients, has one more index, y(m, r).
    """
    found: dict[Expr, Expr] = {}
    for new, old in back.items():
        found |= {old: old.func(old.args[0], r), new: old.func(old.args[0], r + 1)}
    fixed = {_head(v) for v in potential.atoms(Vector) | potential.atoms(Scalar) if v not in found}
    for term in sorted(_members(one.statement, one), key=str):
        if term not in found and _head(term) not in fixed:
            slots = tuple(Symbol(f"slot_{k}", integer=True) for k in range(1, len(term.args)))
            found[term.func(term.args[0], *slots)] = term.func(term.args[0], *slots, r)
    clash = sorted(str(name) for _, name, _ in {_head(v) for v in found.values()} & fixed)
    if clash:
        raise ProofError(f"{one.id}: rename one of the two {clash[0]}: over many rounds they would be the same")
    return found


def _head(term: Term) -> tuple[type[Term], Symbol, int]:
    return term.func, term.args[0], len(term.args)


def _moved(term: Expr, moving: Mapping[Expr, Expr]) -> Expr:
    """Return a term of one round in round r."""
    return substitute_term(term, list(moving.items()))


def _in_rounds(hypothesis: Hypothesis, here: Round, each: tuple[Symbol, Expr, Expr]) -> Hypothesis:
    if isinstance(hypothesis, Defines):
        if any(_moved(side, here.moving) != side for side in (hypothesis.left, hypothesis.right)):
            raise ProofError(
                f"{here.theorem.id}: {hypothesis.id} defines what differs from round to round; expected it as a hypothesis, "
                f".given({hypothesis.id!r}, eq(...))"
            )
        return hypothesis
    if not isinstance(hypothesis, Given):
        return hypothesis
    left, right = (_moved(side, here.moving) for side in (hypothesis.relation.left, hypothesis.relation.right))
    moves = r in free_symbols(left) | free_symbols(right)
    over = (*hypothesis.relation.over, each) if moves else hypothesis.relation.over
    return replace(hypothesis, relation=Relation(left, hypothesis.relation.op, right, over))


def _average(chain: Chain, here: Round, each: tuple[Symbol, Expr, Expr]) -> Theorem:
    """Return the theorem on the average gain: the potential telescopes."""
    if here.gain == 0:
        raise ProofError(
            f"{chain.id}: the round gains nothing and the potential does not shrink, so that nothing follows"
        )
    i = Symbol("i", integer=True, nonnegative=True)
    start = substitute(here.potential, {r: Integer(0)})
    summed = Total(substitute(here.gain, {r: i}), i, Integer(0), r - 1)
    now = le(here.potential + here.share * summed, start + r * here.rest)
    later = Relation(substitute(now.left, {r: r + 1}), "<=", substitute(now.right, {r: r + 1}), (each,))
    first = Relation(substitute(now.left, {r: Integer(0)}), "<=", substitute(now.right, {r: Integer(0)}))
    chain = (
        chain.step("start", first, by.linear())
        .step("next", later, by.linear("one"), assuming=now)
        .step("all", Relation(now.left, "<=", now.right, ((r, Integer(0), R),)), by.induction(r, "start", "next"))
        .step("end", by.instance({r: R}, "all"))
    )
    total = Total(substitute(here.gain, {r: i}), i, Integer(0), R - 1) / R
    last = substitute(here.potential, {r: R})
    chain = chain.step("nonnegative", le(0, last), by.sos())
    bound = start / (here.share * R) + sympy.expand(here.rest / here.share)
    weight = 1 / (here.share * R)
    return chain.qed(le(total, bound), by.linear({"end": weight, "nonnegative": weight}))


def _contraction(chain: Chain, here: Round, each: tuple[Symbol, Expr, Expr]) -> Theorem:
    """Return the theorem on the potential after R rounds: it shrinks by the factor, up to what a round adds."""
    q = here.factor
    start = substitute(here.potential, {r: Integer(0)})
    if not q.is_nonnegative:  # 0 is left out, as its powers obey no law
        chain = _known(chain, "positive factor", lt(0, q), "the factor of one round")
    if here.rest != 0:
        chain = _known(chain, "shrinks", lt(q, 1), "the potential shrinks")
    names = {*(h.id for h in chain.hypotheses), *(s.id for s in chain.lines)}
    signs = tuple(n for n in ("positive factor", "shrinks") if n in names)
    limit = here.rest / (1 - q) if here.rest != 0 else Integer(0)
    now = le(here.potential, q**r * start + limit)
    later = Relation(substitute(now.left, {r: r + 1}), "<=", substitute(now.right, {r: r + 1}), (each,))
    first = Relation(substitute(now.left, {r: Integer(0)}), "<=", substitute(now.right, {r: Integer(0)}))
    pays = (
        {"shrinks": here.rest / (1 - q) ** 2} if "shrinks" in signs else {}
    )  # times the sign of 1 - q it is the limit
    chain = chain.step("start", first, by.linear(pays, *signs) if pays else by.linear())
    if here.gain != 0:
        chain = _known(chain, "gain", le(0, here.gain, each), "what a round gains is not negative")
    weights = {"one": Integer(1), "assumed 1": q} | ({"gain": here.share} if here.gain != 0 else {})
    return (
        chain.step("next", later, by.linear(weights, *signs), assuming=now)
        .step("all", Relation(now.left, "<=", now.right, ((r, Integer(0), R),)), by.induction(r, "start", "next"))
        .qed(le(substitute(here.potential, {r: R}), q**R * start + limit), by.instance({r: R}, "all"))
    )


def _known(chain: Chain, name: str, relation: Relation, why: str) -> Chain:
    """Return the chain with a line that states the relation if one line shows it, else with the relation as a hypothesis."""
    board = Board(chain.hypotheses, Budget(SIGN))
    with suppress(Exhausted):
        shown = close_at_once(board, relation) or close(board, relation)
        if shown is not None and not shown.certificates:
            return chain.steps(replace(shown.lines[-1], id=name, note=why))
    return chain.given(name, relation, why)


def tuned(theorem: Theorem, step: Symbol, start: Symbol) -> Theorem:
    """Return an average bound with the step size that makes it least, if the potential is at most start^2 at first.

    The bound must be P(0)/(c step R) + b step with c and b free of the step size. Conditions on the step size become
    conditions on the number of rounds.

    Parameters
    ----------
    theorem : Theorem
        A theorem of ``chained``.
    step, start : sympy.Symbol
        The step size, and a positive number whose square bounds the potential at the start.

    Returns
    -------
    Theorem
        The bound 2 start sqrt(b/(c R)), with its steps.
    """
    _require_free(theorem, start.name)
    right = _coefficients(theorem.statement.right)
    slope = right.pop(Integer(1), Integer(0))
    if (
        not right
        or slope == 0
        or step in free_symbols(slope / step)
        or any(step in free_symbols(c * step) for c in right.values())
    ):
        raise ProofError(f"{theorem.id}: expected a bound P(0)/(c {step} R) + b {step} with c and b free of {step}")
    (scale,) = {sympy.factor(c * step * R) for c in right.values() if c.is_positive is not False} or {Integer(1)}
    rise = slope / step
    best = start * sympy.sqrt(scale / (rise * R))
    potential = sympy.Add(*(c * term for term, c in right.items())) * step * R / scale
    at = ((step, best),)
    chain = Chain(f"{theorem.id}-tuned", note=f"{theorem.id} with the step size {best}")
    for h in theorem.hypotheses:
        moved = isinstance(h, Given) and step in free_symbols(h.relation.left) | free_symbols(h.relation.right)
        chain = chain.under(replace(h, relation=h.relation.at({step: best})) if moved and isinstance(h, Given) else h)
    chain = chain.given("start", le(sympy.expand(potential), start**2), "the start")
    said = Relation(theorem.statement.left, "<=", substitute(theorem.statement.right, {step: best}))
    names = tuple(h.id for h in theorem.hypotheses if not isinstance(h, Defines))
    return chain.step("any step", said, by.apply(theorem.id, at, *names)).qed(
        le(said.left, 2 * start * sympy.sqrt(scale * rise / R)),
        by.linear({"any step": 1, "start": sympy.simplify(scale / (best * R))}),
    )
