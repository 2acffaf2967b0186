"""Stored certificates with one thing changed, and steps whose statement is made stronger: none of them is proved."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import sympy
from sympy import Add, Expr, Mul, Rational

from fltheory.claims.catalogue import KEYS
from fltheory.proof import certificates, library
from fltheory.proof import language as lang
from fltheory.proof.algebra.context import Context, is_nonnegative, is_positive
from fltheory.proof.algebra.normal import is_zero, normal_form
from fltheory.proof.find import find_step, step_context
from fltheory.proof.language import ALL_PARAMETERS, Relation, Step, Theorem
from fltheory.proof.report import Report, StepReport, needs_certificate
from fltheory.proof.terms import Dot, E, Total, is_vector
from tests.proof.single import alone
from tests.typed import Recorded

PERTURBED = 500  # certificates of a paper, all theorems together
LESS, EITHER = ("99 %", "dropped"), ("99 %", "dropped", "turned")
ANY = (*EITHER, "101 %", "strict")
GAINS = "slack: every marginal gain in the sum has the same sign"
INNER = "slack: what bounds an inner product bounds its multiples by -1 to 1"
SLACK = {  # statements that are not the sharpest: what may be done to a term of them, and why
    ("sfl/L12-sum", "enough"): (ANY, "slack: the sum leaves a multiple of n over"),
    ("sfl/s1", "positive"): (ANY, "slack: the end alone is at least what is kept"),
    ("sfl/h1", "positive"): (ANY, "slack: the end alone is at least what is kept"),
    **{(f"fedcg/P2-low-{n}", "1"): ((*LESS, "101 %"), GAINS) for n in (2, 3, 4)},
    **{(f"fedcg/{kind}-{n}", "1"): (EITHER, GAINS) for kind in ("P2-high", "P4-sign") for n in (2, 3, 4)},
    **{
        (f"delta_sgd/{name}", "1"): (EITHER, INNER)
        for name in ("weighed", "7", "17", "L2-inner", "turns", "cone", "level")
    },
}
MUTANTS = 120  # false theorems of a paper


@pytest.fixture(scope="module", params=KEYS)
def reports(request: pytest.FixtureRequest) -> dict[str, Report]:
    """Every theorem of a paper as it is recorded; that it is so is tested beside the proofs."""
    return {
        t.id: Report(t, t.recorded, ALL_PARAMETERS, tuple(StepReport(s, s.recorded) for s in t.steps), (), 0.0)
        for t in library.load(request.param).theorems
    }


# Certificates ---------------------------------------------------------------------------------------------------

Change = Callable[[Any], None]


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a certificate."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def perturbed(entry: dict[str, Any], chance: random.Random) -> tuple[str, Any] | None:
    """The entry with one random change, and what was changed."""
    entry = copy.deepcopy(entry)
    path = chance.choice([p for p in places(entry) if p])
    parent, key = at(entry, path[:-1]), path[-1]
    old = parent[key]
    if isinstance(old, str):
        numbers = list(re.finditer(r"(?<![\w'])-?\d+(?![\w'])", old))
        words = list(re.finditer(r"(?<=Symbol\(')\w+", old)) if "Symbol" in old else []
        if "hash" in path:
            new = ("0" if old[0] != "0" else "1") + old[1:]
        elif words and (not numbers or chance.random() < 0.3):
            spot = chance.choice(words)
            new = old[: spot.start()] + spot.group() + "q" + old[spot.end() :]
        elif numbers:
            spot = chance.choice(numbers)
            number = int(spot.group())
            other = chance.choice([n for n in (number + 1, number - 1, -number, 2 * number) if n != number])
            new = old[: spot.start()] + str(other) + old[spot.end() :]
        else:
            new = {"direct": "mean", "mean": "direct"}.get(old, old + "q")
        parent[key] = new
        return f"{path}: {old[:60]} -> {new[:60]}", entry
    if isinstance(parent, list):
        if chance.random() < 0.5:
            del parent[key]
            return f"{path} dropped", entry
        parent.insert(key, copy.deepcopy(old))
        return f"{path} twice", entry
    del parent[key]
    return f"{path} dropped", entry


def test_perturbed_certificates_are_rejected(reports: dict[str, Report], record_property: Recorded) -> None:
    chance = random.Random(20)
    certified = []
    for report in reports.values():
        found = certificates.load(library.load(report.theorem.paper).certificates, report.theorem.id)
        certified += [(report, s.step, found) for s in report.steps if s.step.id in found and s.outcome == "PROVED"]
    assert certified
    survivors, kinds, room = [], Counter[str](), Counter[str]()
    for number in itertools.count():
        if kinds.total() == PERTURBED:
            break
        report, step, found = certified[number % len(certified)]
        what, entry = perturbed(found[step.id], chance)
        if alone(report.theorem, step, {**found, step.id: entry}):
            kinds[type(step.rule).__name__] += 1
        elif why := idle(report.theorem, step, found, entry):
            room[why] += 1
        else:
            survivors.append(f"{report.theorem.id} step {step.id}: {what}")
    text = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    others = "; ".join(f"{n} where {why}" for why, n in room.items()) or "none"
    record_property(
        "table", f"perturbed certificates of {len(certified)} steps: {PERTURBED} rejected ({text}), others: {others}"
    )
    assert not survivors, "\n".join(survivors)
    assert room.total() < PERTURBED / 2


def idle(theorem: Theorem, step: Step, found: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    """Why a changed certificate of the same claim may be one too, or nothing."""
    if isinstance(step.rule, lang.Ball):
        old, new = (len(list(places(entry["certificate"]))) for entry in (found[step.id], changed))
        return "another method shows it on a box" if old == new else ""
    if isinstance(step.rule, lang.Combine):
        old, new = (entry["certificate"]["squares"] for entry in (found[step.id], changed))
        other = next((i for i, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), len(old) - 1)
        rest = {**changed, "certificate": {"squares": [*old[:other], *old[other + 1 :]]}}
        return "" if alone(theorem, step, {**found, step.id: rest}) else "a square is seen without being named"
    return ""


# Statements -----------------------------------------------------------------------------------------------------


def terms(expr: Expr) -> list[Expr]:
    return [a for a in Add.make_args(expr) if a != 0]


def stronger(claim: Relation) -> Iterator[tuple[str, Relation]]:
    """Statements that say more, or something else: a term of a side is scaled by a percent, turned round or dropped."""
    for side in ("left", "right"):
        expr = getattr(claim, side)
        for number, term in enumerate(terms(expr)):
            rest = Add(*(a for k, a in enumerate(terms(expr)) if k != number))
            for word, factor in (
                ("99 %", Rational(99, 100)),
                ("101 %", Rational(101, 100)),
                ("turned", -1),
                ("dropped", 0),
            ):
                changed = dataclasses.replace(claim, **{side: rest + Mul(factor, term)})
                yield f"{side} term {number + 1} {word}", changed
    if claim.op == "<=":
        yield "strict", dataclasses.replace(claim, op="<")


def mutants(theorem: Theorem) -> Iterator[tuple[Step, str, Relation]]:
    for step in theorem.steps:
        if step.recorded == "PROVED" and not isinstance(step.rule, lang.Assumed):
            for word, claim in stronger(step.claim):
                yield step, word, claim


def proved(report: Report, step: Step, claim: Relation) -> bool:
    """Whether the step stands with another claim, its certificate found anew."""
    changed = dataclasses.replace(step, claim=claim)
    own = report.theorem
    theorem = dataclasses.replace(own, steps=tuple(changed if s.id == step.id else s for s in own.steps))
    found = {}
    if needs_certificate(changed):
        certificate = find_step(theorem, changed)
        if certificate is not None:
            found[step.id] = {"hash": certificates.fingerprint(theorem, changed), "certificate": certificate}
    return not alone(theorem, changed, found)


Survivor = tuple[str, str, str, Relation]


def chosen(reports: dict[str, Report], most: int | None) -> list[tuple[Report, Step, str, Relation]]:
    """Mutants of a paper's proved theorems, all of them or some, in an order that is drawn once and for all."""
    known = [r for r in reports.values() if r.verdict == "PROVED"]
    if most is None:
        return [(report, *mutant) for report in known for mutant in mutants(report.theorem)]
    chance, found = random.Random(120), list[tuple[Report, Step, str, Relation]]()
    while len(found) < most:  # as many of short theorems as of long ones
        report = chance.choice(known)
        if every := list(mutants(report.theorem)):
            found.append((report, *chance.choice(every)))
    return found


def killed(reports: dict[str, Report], most: int | None) -> tuple[list[str], list[Survivor]]:
    """A table of mutants by theorem, and the survivors: some mutants say less than the claim, or the same."""
    tried, dead, survivors = Counter[str](), Counter[str](), list[Survivor]()
    for report, step, word, claim in chosen(reports, most):
        name = report.theorem.id
        tried[name] += 1
        try:
            alive = proved(report, step, claim)
        except (ValueError, TypeError, ArithmeticError, sympy.SympifyError):
            alive = False  # no certificate could be looked for
        if alive:
            survivors.append((name, step.id, word, claim))
        else:
            dead[name] += 1
    table = [f"{'theorem':28} {'mutants':>8} {'killed':>8}"]
    return [*table, *(f"{name:28} {n:8} {dead[name]:8}" for name, n in tried.items())], survivors


def squares_named(expr: Expr) -> Expr:
    """The term with squared norms, their means and sums replaced by numbers that are not negative."""
    if not expr.args:
        return expr
    if isinstance(expr, Dot):
        return sympy.Dummy(nonnegative=True) if expr.args[0] == expr.args[1] else expr
    if isinstance(expr, E | Total):
        inside = squares_named(expr.args[0])
        return sympy.Dummy(nonnegative=True) if inside.is_nonnegative else expr
    return expr.func(*(squares_named(a) for a in expr.args)) if isinstance(expr, Add | Mul) else expr


def excused(theorem: Theorem, step_id: str, word: str, claim: Relation) -> str:
    """Why a proved mutant says no more than it may: a reason, or nothing."""
    step = next(s for s in theorem.steps if s.id == step_id)
    own = step.claim
    if is_vector(own.gap):
        return ""
    context: Context = step_context(theorem, step)
    gap, old = (normal_form(context.expand(r.gap)) for r in (claim, own))
    facts = context.facts()
    if isinstance(step.rule, lang.Ball | lang.Enumerate):
        return "slack"  # numbers, evaluated anew: what passes is true
    if claim.op != own.op:
        known = is_positive(gap, facts) or any(is_zero(gap - p) for p in context.positive())
        return "strict, and seen to be so" if known else ""
    if gap == 0 or is_zero(gap - old) or (claim.op == "<=" and claim.gap.is_nonnegative):
        return "the same, or trivial"
    factor = sympy.cancel(gap / old) if old != 0 else sympy.nan
    if factor.is_positive or (claim.op == "==" and factor.is_number and factor.is_nonzero):
        return "a multiple of it"
    if claim.op == "==":
        return ""
    if own.left == 0 == claim.left and is_nonnegative(old - gap, facts):
        return "slack: each part of the sum is not negative"
    squares = sympy.expand(squares_named(claim.gap - own.gap))
    if is_nonnegative(gap - old, facts) or is_nonnegative(squares, facts):
        return "weaker"
    return ""


def has_slack(report: Report, step_id: str) -> bool:
    """Whether a step's own claim holds with < too, so that it isn't the sharpest that its rule gives."""
    step = next(s for s in report.theorem.steps if s.id == step_id)
    strict = dataclasses.replace(step.claim, op="<")
    return step.claim.op == "<=" and proved(report, step, strict)


@pytest.mark.turns(6)
def test_stronger_statements_are_not_proved(reports: dict[str, Report], record_property: Recorded) -> None:
    report_mutants(reports, record_property, MUTANTS)


@pytest.mark.deep
def test_no_stronger_statement_is_proved(reports: dict[str, Report], record_property: Recorded) -> None:
    report_mutants(reports, record_property, None)


def report_mutants(reports: dict[str, Report], record_property: Recorded, most: int | None) -> None:
    table, survivors = killed(reports, most)
    alive = []
    for theorem_id, step, word, claim in survivors:
        reason = excused(reports[theorem_id].theorem, step, word, claim)
        words, why = SLACK.get((theorem_id, step), ((), ""))
        reason = reason or (why if word.endswith(words) else "")
        if not reason and claim.op != "==" and has_slack(reports[theorem_id], step):
            reason = "slack: the recorded claim holds strictly"
        line = f"{theorem_id} step {step}, {word}: {claim.left} {claim.op} {claim.right}"
        if reason != "weaker":
            table.append(f"  proved: {line[:100]} ({reason or 'NO REASON'})")
        if not reason:
            alive.append(line)
    record_property("table", "\n".join(table))
    assert not alive, "\n".join(alive)
