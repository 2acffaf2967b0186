"""The second checker on every recorded theorem, on exported proofs with one thing changed, and on stronger statements."""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from fltheory.kernel import theorem as second
from fltheory.kernel.context import Context, Line
from fltheory.kernel.language.terms import Wrong
from fltheory.kernel.normal import is_zero
from fltheory.papers import KEYS
from fltheory.proof import certificates, export, library
from fltheory.proof import language as lang
from fltheory.proof.check import Report, StepReport
from fltheory.proof.language import ALL, ProofError, Proofs
from tests.proof.test_perturbed import SLACK, chosen, excused, has_slack
from tests.typed import Recorded

PERTURBED, MUTANTS = 500, 120  # of a paper
ROOM = {  # statements that are not the sharpest, as this checker sees and the first does not
    ("fedcg/L4.2", "1"): "four times what is proved before it",
    ("fedcg/D.5", "picked"): "weaker: its divisor 2 - 2/e is positive",
    ("osmd/T5", "2"): "a root of a sum of unknown sign is not negative",
}


@pytest.fixture(autouse=True)
def deep() -> Iterator[None]:
    """Terms inside terms."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def written(*papers: Proofs) -> Any:
    """What a program that reads the file finds in it."""
    return json.loads(json.dumps(export.exported(*papers)))


@pytest.mark.parametrize("key", KEYS)
def test_it_agrees_with_every_recorded_verdict(key: str, record_property: Recorded) -> None:
    """What is proved or refuted is confirmed; what rests on a citation, or on a run of the catalogue, is outside of it."""
    proofs = library.load(key)
    verdicts = list(second.recheck(written(proofs)))
    assert [v.name for v in verdicts] == [t.id for t in proofs.theorems]
    wrong = [(v.name, v.outcome, v.reason) for v, t in zip(verdicts, proofs.theorems, strict=True) if not agrees(v, t)]
    counts = Counter(v.outcome for v in verdicts)
    record_property("table", f"second checker, {key}: {', '.join(f'{n} {kind}' for kind, n in counts.items())}")
    assert not wrong


def agrees(verdict: second.Verdict, own: lang.Theorem) -> bool:
    run = own.expected == "REFUTED" and isinstance(own.steps[-1].rule, lang.Violated)
    return verdict.outcome == ("outside" if own.expected == "ASSUMED" or run else "confirmed")


# One thing changed ------------------------------------------------------------------------------------------------

WEIGHED = ("Combine", "Polynomial", "Witness")  # what a rule brings in says there why the claim holds


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of the numbers in what a rule brings in."""
    if isinstance(value, str):
        if value.lstrip("-").replace("/", "").isdecimal():
            yield path
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from numbers(inner, (*path, key))


def perturbed(rule: dict[str, Any], path: tuple[Any, ...], chance: random.Random) -> tuple[str, dict[str, Any]]:
    """The rule with another number there."""
    rule = copy.deepcopy(rule)
    parent: Any = rule
    for key in path[:-1]:
        parent = parent[key]
    old = Fraction(parent[path[-1]])
    new = chance.choice([n for n in (old + 1, old - 1, -old, 2 * old, old / 2) if n != old])
    parent[path[-1]] = str(new)
    return f"{path}: {old} -> {new}", rule


def proved_steps(proofs: Proofs) -> tuple[dict[str, Any], dict[str, second.Theorem], list[tuple[str, int]]]:
    """Exported theorems, the same as the second checker reads them, and where numbers prove a step."""
    (theorems,) = written(proofs)["papers"].values()
    spelled = {t["id"]: t for t in theorems}
    places = [
        (t["id"], i)
        for t in theorems
        for i, s in enumerate(t["steps"])
        if s["rule"]["rule"] in WEIGHED and next(numbers(s["rule"]), None) is not None
    ]
    return spelled, {name: second.theorem(t) for name, t in spelled.items()}, places


def stands(spelled: dict[str, Any], step: int, rule: dict[str, Any], earlier: dict[str, second.Theorem]) -> bool:
    """Whether the second checker still takes a step whose rule brings in something else."""
    steps = [{**s, "rule": rule} if i == step else s for i, s in enumerate(spelled["steps"])]
    try:
        own = second.theorem({**spelled, "steps": steps})
        second.check_step(own, own.steps[step].name, earlier)
    except second.BROKEN:
        return False
    return True


def says_nothing(own: second.Theorem, step: second.Step, path: tuple[Any, ...]) -> bool:
    """Whether the line whose weight is at this path says that 0 == 0 once the step's definitions are inserted."""
    if path[0] != "weights":
        return False
    place = own.steps.index(step)
    lines = {**own.hypotheses, **{s.name: s.claim for s in own.steps[:place]}}
    lines |= {f"assumed {i}": k for i, k in enumerate(step.assuming, 1)}
    definitions = second.definitions(step, own, {s.name: s for s in own.steps[:place]}, {})
    line = lines[path[1]]
    return isinstance(line, Line) and is_zero(Context({}, definitions, (), step.claim).expand(line.gap))


@pytest.mark.turns(3)
@pytest.mark.parametrize("key", KEYS)
def test_proofs_with_another_number_are_refused(key: str, record_property: Recorded) -> None:
    """But where the line that is proved leaves room: an inequality whose proof is not tight, or another witness."""
    spelled, theorems, places = proved_steps(library.load(key))
    chance, refused, kinds, survivors = random.Random(22), 0, Counter[str](), Counter[str]()
    while refused < PERTURBED:
        name, step = chance.choice(places)
        own = spelled[name]["steps"][step]
        path = chance.choice(list(numbers(own["rule"])))
        what, rule = perturbed(own["rule"], path, chance)
        if not stands(spelled[name], step, rule, theorems):
            refused += 1
            kinds[own["rule"]["rule"]] += 1
            continue
        room = own["claim"]["op"] != "==" or own["rule"]["rule"] == "Witness"
        idle = says_nothing(theorems[name], theorems[name].steps[step], path)
        assert room or idle, f"{name} step {own['id']}: {what}"
        survivors[name] += 1
    text = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    record_property(
        "table", f"second checker, {key}: {PERTURBED} changed proofs refused ({text}), {survivors.total()} with room"
    )
    assert survivors.total() < PERTURBED / 5


@pytest.mark.turns(3)
@pytest.mark.parametrize("key", KEYS)
def test_stronger_statements_are_refused(key: str, record_property: Recorded) -> None:
    proofs = library.load(key)
    reports = {
        t.id: Report(t, t.expected, ALL, tuple(StepReport(s, s.expected) for s in t.steps), (), 0.0)
        for t in proofs.theorems
    }
    earlier = {t.id: second.theorem(export.theorem(t, certificates_of(proofs, t))) for t in proofs.theorems}
    refused, alive = 0, []
    for report, step, word, claim in chosen(reports, 3 * MUTANTS):
        own = report.theorem
        changed = dataclasses.replace(step, claim=claim)
        theorem = dataclasses.replace(own, steps=tuple(changed if s.id == step.id else s for s in own.steps))
        try:
            exported = export.theorem(theorem, certificates_of(proofs, own))
            second.check_step(second.theorem(json.loads(json.dumps(exported))), step.id, earlier)
        except (*second.BROKEN, Wrong, ProofError):
            refused += 1
            continue
        words, why = SLACK.get((own.id, step.id), ((), ""))
        reason = excused(own, step.id, word, claim) or (why if word.endswith(words) else "")
        reason = reason or ROOM.get((own.id, step.id), "")
        if not reason and claim.op != "==" and has_slack(report, step.id, reports):
            reason = "slack"
        if not reason:
            alive.append(f"{own.id} step {step.id}, {word}: {claim.left} {claim.op} {claim.right}")
    record_property("table", f"second checker, {key}: {refused} stronger statements refused")
    assert not alive, "\n".join(alive)
    assert refused >= MUTANTS


def certificates_of(proofs: Proofs, own: lang.Theorem) -> Any:
    try:
        return certificates.load(proofs.certificates, own.id)
    except ProofError:
        return {}
