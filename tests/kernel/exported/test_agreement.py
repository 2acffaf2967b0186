"""The kernel on every recorded theorem, and on exported proofs with one number changed."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from fltheory.claims.catalogue import KEYS
from fltheory.kernel import theorem as kernel
from fltheory.kernel.context import Context, Line
from fltheory.kernel.normal import is_zero
from fltheory.proof import export, library
from fltheory.proof import language as lang
from fltheory.proof.language import Proofs
from tests.typed import Recorded

PERTURBED = 500  # of a paper


@pytest.fixture(autouse=True)
def deep() -> Iterator[None]:
    """Terms inside terms."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


def written(*papers: Proofs) -> Any:
    """What a program that reads the file finds in it."""
    return json.loads(json.dumps(export.export_papers(*papers)))


@pytest.mark.parametrize("key", KEYS)
def test_it_agrees_with_every_recorded_verdict(key: str, record_property: Recorded) -> None:
    """What is proved or refuted is confirmed; what rests on a citation, or on a run of the catalogue, is outside of it."""
    proofs = library.load(key)
    verdicts = list(kernel.recheck(written(proofs)))
    assert [v.name for v in verdicts] == [t.id for t in proofs.theorems]
    wrong = [(v.name, v.outcome, v.reason) for v, t in zip(verdicts, proofs.theorems, strict=True) if not agrees(v, t)]
    counts = Counter(v.outcome for v in verdicts)
    record_property("table", f"kernel, {key}: {', '.join(f'{n} {kind}' for kind, n in counts.items())}")
    assert not wrong


def agrees(verdict: kernel.Verdict, own: lang.Theorem) -> bool:
    run = own.recorded == "REFUTED" and isinstance(own.steps[-1].rule, lang.Violated)
    return verdict.outcome == ("outside" if own.recorded == "ASSUMED" or run else "confirmed")


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


def proved_steps(proofs: Proofs) -> tuple[dict[str, Any], dict[str, kernel.Theorem], list[tuple[str, int]]]:
    """Exported theorems, the same as the kernel reads them, and where numbers prove a step."""
    (theorems,) = written(proofs)["papers"].values()
    spelled = {t["id"]: t for t in theorems}
    places = [
        (t["id"], i)
        for t in theorems
        for i, s in enumerate(t["steps"])
        if s["rule"]["rule"] in WEIGHED and next(numbers(s["rule"]), None) is not None
    ]
    return spelled, {name: kernel.theorem(t) for name, t in spelled.items()}, places


def stands(spelled: dict[str, Any], step: int, rule: dict[str, Any], earlier: dict[str, kernel.Theorem]) -> bool:
    """Whether the kernel still takes a step whose rule brings in something else."""
    steps = [{**s, "rule": rule} if i == step else s for i, s in enumerate(spelled["steps"])]
    try:
        own = kernel.theorem({**spelled, "steps": steps})
        kernel.check_step(own, own.steps[step].name, earlier)
    except kernel.BROKEN:
        return False
    return True


def says_nothing(own: kernel.Theorem, step: kernel.Step, path: tuple[Any, ...]) -> bool:
    """Whether the line whose weight is at this path says that 0 == 0 once the step's definitions are inserted."""
    if path[0] != "weights":
        return False
    place = own.steps.index(step)
    lines = {**own.hypotheses, **{s.name: s.claim for s in own.steps[:place]}}
    lines |= {f"assumed {i}": k for i, k in enumerate(step.assuming, 1)}
    definitions = kernel.definitions(step, own, {s.name: s for s in own.steps[:place]}, {})
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
        "table", f"kernel, {key}: {PERTURBED} changed proofs refused ({text}), {survivors.total()} with room"
    )
    assert survivors.total() < PERTURBED / 5
