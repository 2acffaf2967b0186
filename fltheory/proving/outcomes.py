"""``prove``: a proof of a statement from its hypotheses and given lemmas, a counterexample, or the goal that is stuck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Pow, Rational, Symbol

from fltheory.proof.algebra.normal import NotATerm, linear_form, normal_form
from fltheory.proof.check import check_theorem, statement_alone
from fltheory.proof.language import Apply, Defines, Given, ProofError, Relation, Step, Theorem
from fltheory.proof.report import Report, supporting_steps
from fltheory.proof.terms import Dot, Fun, Scalar, Vector, free_symbols, is_vector
from fltheory.proving import standard
from fltheory.proving.board import Board
from fltheory.proving.budget import DEFAULT, Budget, Exhausted
from fltheory.proving.premises import nearest
from fltheory.proving.refuting import Counterexample, Worlds, counterexample, hold_together, witness_theorem
from fltheory.proving.search import Search
from fltheory.proving.shortening import shortened
from fltheory.proving.weighing import found_multipliers

INSTANCES = 400  # drawn before a proof says that no instance was found
LARGEST = 1_000_000  # of the numbers in exponents and ranges, which exact arithmetic counts up to


@dataclass(frozen=True)
class Proved:
    """A theorem with the steps that were found, their certificates, and the kernel's report."""

    theorem: Theorem
    certificates: Mapping[str, Any]
    report: Report
    work: int
    given: tuple[Theorem, ...] = ()
    region: tuple[Relation, ...] = ()  # conditions on the parameters that the proof adds to the hypotheses
    known: tuple[Report, ...] = ()  # of the textbook facts that it applies
    consistent: bool = True  # whether an instance was found on which all hypotheses hold

    @property
    def facts(self) -> tuple[Theorem, ...]:
        """The textbook facts that the proof applies, with their proofs, each after those that it applies."""
        return tuple(r.theorem for r in self.known)

    @property
    def lemmas(self) -> tuple[Theorem, ...]:
        """The given theorems that the proof applies: the verdict supposes them."""
        used = {s.rule.theorem for s in self.theorem.steps if isinstance(s.rule, Apply)}
        return tuple(t for t in self.given if t.id in used)


@dataclass(frozen=True)
class Refuted:
    """A statement that is false at exact values at which its hypotheses hold."""

    theorem: Theorem
    counterexample: Counterexample
    work: int
    elsewhere: Proved | None = None  # a proof on the region of the parameters that it states


@dataclass(frozen=True)
class Stuck:
    """The nearest goal for which no proof is found, and whether it is false where the hypotheses hold."""

    theorem: Theorem
    goal: Relation
    assuming: tuple[Relation, ...]
    counterexample: Counterexample | None
    exhausted: bool
    work: int
    why: str = ""


Outcome = Proved | Refuted | Stuck


def prove(
    statement: Theorem, given: Sequence[Theorem] = (), library: Sequence[Theorem] = (), work: int = DEFAULT
) -> Outcome:
    """Search for a proof of a statement.

    The search is deterministic: the same statement, lemmas and work give the same outcome on every machine. A proof is
    returned only if the kernel confirms the whole theorem.

    Parameters
    ----------
    statement : Theorem
        Hypotheses and a statement; its steps, if it has any, are ignored.
    given : sequence of Theorem
        Lemmas whose statements the proof may apply. They are taken as proved.
    library : sequence of Theorem
        Further theorems, of which the search may apply those few that speak of the same things. They are taken as proved too.
    work : int
        The work that the search may take, in units of about a tenth of a second.

    Returns
    -------
    Proved, Refuted or Stuck
        The proof, a counterexample, or the goal that is left.

    Raises
    ------
    ValueError
        If the work is not at least 1.
    ProofError
        If the statement or a hypothesis cannot be read by the kernel, or has an exponent or a range beyond a million.

    Examples
    --------
    >>> from sympy import Symbol
    >>> from fltheory import prove
    >>> from fltheory.proof import le, proof
    >>> a, b = Symbol("a", real=True), Symbol("b", real=True)
    >>> type(prove(proof("mine/squares").conjecture(le(2 * a * b, a**2 + b**2)))).__name__
    'Proved'
    >>> prove(proof("mine/false").conjecture(le(a * b, a**2))).counterexample.values
    {'a': '2/3', 'b': '5'}
    """
    if work < 1:
        raise ValueError(f"work must be at least 1, got {work}")
    open_one = replace(
        statement, steps=(), recorded="PROVED", unused=(), claim="", bound=None, reading=(), failure=None
    )
    _require_readable(open_one)
    outcome = _outcome(open_one, given, library, work)
    if isinstance(outcome, Refuted) and outcome.elsewhere is not None:
        return replace(outcome, elsewhere=_with_instance(outcome.elsewhere))
    return _with_instance(outcome) if isinstance(outcome, Proved) else outcome


def _with_instance(proved: Proved) -> Proved:
    """Return a proof that says whether an instance was found on which all hypotheses hold."""
    return proved if hold_together(proved.theorem, INSTANCES) else replace(proved, consistent=False)


def _outcome(open_one: Theorem, given: Sequence[Theorem], library: Sequence[Theorem], work: int) -> Outcome:
    budget = Budget(work)
    others = [t for t in library if t.id != open_one.id and t.id not in {g.id for g in given}]
    given = (*given, *nearest(open_one, others)) if others else tuple(given)
    own = (*given, *(f for f in standard.facts(open_one) if f.id not in {t.id for t in given}))
    applied = (*own, *standard.named(open_one.paper))
    lemmas = {t.id: statement_alone(t) for t in applied if t.id != open_one.id}
    board = Board(open_one.hypotheses, budget, lemmas, worlds=Worlds.of(open_one), name=open_one.id)
    search = Search([t for t in own if t.id in lemmas])
    exhausted = False
    reason = ""
    try:
        found = counterexample(open_one, budget)
        if found is not None:
            refuted = witness_theorem(open_one, found.model) or open_one
            narrowed = _by_multipliers(open_one, budget, narrow=True)
            return Refuted(refuted, found, budget.spent, narrowed if isinstance(narrowed, Proved) else None)
        weighed = _by_multipliers(open_one, budget, narrow=False)
        if isinstance(weighed, Proved):
            return weighed
        reason = weighed if _is_about_multipliers(open_one) else ""
        done = search.run(board, open_one.statement)
        if done is not None:
            return _proved(open_one, done, tuple(given))
        weighed = _by_multipliers(open_one, budget, narrow=True)
        if isinstance(weighed, Proved):
            return weighed
    except Exhausted:
        exhausted = True
    goal, assuming = search.nearest(open_one.statement)
    near = None
    if (goal, assuming) != (open_one.statement, ()):
        supposed = tuple(Given(f"supposed {n}", r) for n, r in enumerate(assuming, 1))
        near = counterexample(
            replace(open_one, statement=goal, hypotheses=(*open_one.hypotheses, *supposed)), Budget(100)
        )
    return Stuck(open_one, goal, assuming, near, exhausted, budget.spent, reason)


def _is_about_multipliers(theorem: Theorem) -> bool:
    """Return whether the statement is one that multipliers could prove: not about all rounds, and without lengths as roots."""
    every_round = any(h.relation.over for h in theorem.hypotheses if isinstance(h, Given))
    roots = any(p.exp.is_Rational and p.exp.q == 2 and p.has(Dot) for p in theorem.statement.gap.atoms(Pow))
    return not roots and (bool(theorem.statement.over) or not every_round)


def _require_readable(theorem: Theorem) -> None:
    """Raise ProofError if the kernel cannot read a theorem, or if a number in it makes exact arithmetic endless."""
    try:
        statement_alone(theorem)
    except ProofError:
        raise
    except Exception as error:
        raise ProofError(f"{theorem.id}: the kernel cannot read it: {error}") from None
    if theorem.statement.op != "==" and is_vector(theorem.statement.gap):
        raise ProofError(f"{theorem.id}: {theorem.statement.op} compares numbers, and its sides are vectors")
    _require_one_kind(theorem)
    _require_one_symbol(theorem)
    relations = [theorem.statement, *(h.relation for h in theorem.hypotheses if isinstance(h, Given))]
    for relation in relations:
        kinds = {is_vector(side) for side in (relation.left, relation.right) if side != 0}
        if len(kinds) > 1:
            raise ProofError(
                f"{theorem.id}: {relation.left} {relation.op} {relation.right} compares a vector with a number"
            )
    sides = [side for r in relations for side in (r.left, r.right, *(end for _, lo, hi in r.over for end in (lo, hi)))]
    for side in sides:
        try:
            normal_form(side) if not is_vector(side) else linear_form(side)
        except NotATerm as error:
            raise ProofError(f"{theorem.id}: {error}") from None
    ends = [end for r in relations for _, low, high in r.over for end in (low, high)]
    powers = [p.exp for side in sides for p in side.atoms(Pow)]
    large = [n for e in (*ends, *powers) for n in e.atoms(Rational) if max(abs(n.p), n.q) > LARGEST]
    if large:
        raise ProofError(
            f"{theorem.id}: {min(large)} is beyond {LARGEST} in an exponent or a range: write it as a symbol with a hypothesis"
        )


def _require_one_symbol(theorem: Theorem) -> None:
    """Raise ProofError if two free symbols have one name and differ in what they suppose, such as D and a positive D."""
    own = [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
    seen = dict[str, Symbol]()
    for relation in (theorem.statement, *own):
        bound = {i for i, _, _ in relation.over}
        free = (free_symbols(relation.left) | free_symbols(relation.right)) - bound
        for symbol in sorted(free, key=lambda s: (s.name, str(sorted(s.assumptions0)))):
            if seen.setdefault(symbol.name, symbol) != symbol:
                raise ProofError(
                    f"{theorem.id}: two symbols are named {symbol.name} and suppose different things: use one for both"
                )


def _require_one_kind(theorem: Theorem) -> None:
    """Raise ProofError if a family is used with two kinds, such as a vector and a number."""
    kinds = dict[tuple[str, bool], str]()
    own = [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
    sides = [side for r in (theorem.statement, *own) for side in (r.left, r.right)]
    sides += [side for h in theorem.hypotheses if isinstance(h, Defines) for side in (h.left, h.right)]
    for term in sorted((t for side in sides for t in side.atoms(Vector, Scalar, Fun)), key=str):
        name, kind = (str(term.args[0]), len(term.args) > 1), type(term).__name__
        if kinds.setdefault(name, kind) != kind:
            raise ProofError(f"{theorem.id}: {name[0]} is a {kinds[name]} and a {kind}: give one of them another name")


def _by_multipliers(open_one: Theorem, budget: Budget, narrow: bool) -> Proved | str:
    """Return a proof by one weighted sum of inequalities and squares; else why there is none, "" if it is no such statement."""
    found = found_multipliers(open_one, budget, narrow)
    if isinstance(found, str):
        return found
    report = check_theorem(found.theorem, found.certificates, {r.theorem.id: r for r in found.lemmas})
    if report.verdict != "PROVED":
        return "the multipliers that were found do not prove it"
    region = tuple(g.relation for g in found.region)
    return Proved(found.theorem, found.certificates, report, budget.spent, (), region, found.lemmas)


def _proved(open_one: Theorem, board: Board, given: tuple[Theorem, ...]) -> Proved:
    steps, found = shortened(board)
    theorem = finished(open_one, steps)
    own = _applied_among(board.proved, steps)
    applied = [
        s.rule.theorem for s in (*steps, *(s for r in own for s in r.theorem.steps)) if isinstance(s.rule, Apply)
    ]
    known = (*standard.checked(open_one.paper, frozenset(applied) - {t.id for t in given}), *own)
    report = check_theorem(theorem, found, {**board.lemmas, **{r.theorem.id: r for r in known}})
    if report.verdict != "PROVED":
        raise AssertionError(f"lines that the kernel confirmed one by one are no proof: {report}")
    return Proved(theorem, found, report, board.budget.spent, given, (), known)


def _applied_among(proved: Sequence[Report], steps: Sequence[Step]) -> tuple[Report, ...]:
    """Return those of the reports whose theorems the steps apply, or the proofs of these; each after what it applies."""
    wanted = {s.rule.theorem for s in steps if isinstance(s.rule, Apply)}
    found = list[Report]()
    for report in reversed(proved):
        if report.theorem.id in wanted:
            found.append(report)
            wanted |= {s.rule.theorem for s in report.theorem.steps if isinstance(s.rule, Apply)}
    return tuple(reversed(found))


def finished(open_one: Theorem, steps: tuple[Step, ...]) -> Theorem:
    """Return the theorem with its steps, and with the hypotheses that they do not use named as such."""
    theorem = replace(open_one, steps=steps)
    own = {s.id: s for s in steps}
    used = {n for i in supporting_steps(theorem) for n in (*own[i].uses, *own[i].by)}
    return replace(theorem, unused=tuple(h.id for h in theorem.hypotheses if h.id not in used))


__all__ = ["Outcome", "Proved", "Refuted", "Stuck", "finished", "prove"]
