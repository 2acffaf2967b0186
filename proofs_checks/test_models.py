"""Every stored model is one of its theorem's hypotheses as they are now; what has none, or a prefix only, is listed here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fltheory.proof import library, models
from fltheory.proof.language import Given, Theorem, lt
from proofs_checks.search.written import HANDMADE_MODELS

KEYS = tuple(key for key, point in library.entry_points_by_key().items() if point.value.startswith("fltheory.papers."))
UNKNOWN = {
    "sfl/T6-GC-drift-mean",  # like T6-GC-drift-last, but for names of means over 51^3 rounds: too many values to be written down
    "sfl/T6-GC-drift",
    "sfl/T6-GC-mean",
    "sfl/T6-GC",
}
PREFIX = {  # of ranges without end a few integers are looked at: random signs, and steps that never repeat
    *(f"aaggff/U{row}-gradient@explicit" for row in (1, 2, 4, 5)),
    "delta_sgd/L2-twice",
    "delta_sgd/L2@printed",
    "delta_sgd/S3-ratio@corrected",
    "delta_sgd/R1",
    "delta_sgd/L2",
    "sfl/L8-lower",
    "sfl/L8-upper",
    "sfl/L8",
    "sfl/L8-most",
    "sfl/L9-symmetry",
    "sfl/L9",
    "sfl/L9-most",
    "sfl/L12-square",
    "sfl/L12-sum",
    "sfl/L12",
    "sfl/L14",
    "sfl/I9",
    "sfl/I8",
    "sfl/I10",
    "sfl/I10-front",
    "sfl/L8-recursion-ratio",
    "sfl/I-inv",
    "sfl/I-inv-start",
    "sfl/T5-printed",
    "sfl/T5-schedule",
    "sfl/T6-noise",
    "sfl/h2",
    "sfl/h2-average",
    "sfl/kink-grows",
    "sfl/noise-against",
    "sfl/noise-anywhere",
    "sfl/noise-size",
    "sfl/I7",
    "sfl/I8-printed",
    "sfl/L12-root",
    "sfl/L12-growing",
    "sfl/L12-sharp",
    "sfl/L13-nothing",
    "sfl/L13-ways",
    "sfl/L13-some",
    "sfl/L13-law",
    "sfl/L13-law-first",
    "sfl/J-three",
    "sfl/L12-second",
    "sfl/L13-least",
    "sfl/L13-odds",
    "sfl/L13-tie",
    "sfl/L9-next-tie",
    "sfl/L9-odds",
    "sfl/L8-central",
    "sfl/L14-any",
    "sfl/I9-any",
    "sfl/I8-even",
    "sfl/I10-even",
    "sfl/kink-ahead",
    "sfl/stray-least",
    "sfl/T5",
    "sfl/J",
    "sfl/J-behind",
    "sfl/J-two",
    "sfl/L10",
    "sfl/noise-ahead",
    "sfl/noise-drift",
    "sfl/noise-pull-back",
    "sfl/noise-round",
    "sfl/noise-side",
    "sfl/noise-grows",
    "sfl/J-sym",
    "sfl/J-inv",
    "sfl/J-inv-start",
    "sfl/s2",
    "sfl/s2-average",
    "sfl/T5-noise-appendix",
    "sfl/T6-SC-last",
    "sfl/T6-SC",
    "sfl/T6-SC-printed",
    "sfl/T6-SC-last-printed",
    "sfl/T6-GC-drift-last",
    "sfl/I-sym",
    "sfl/T5-noise",
    "sfl/kink-side",
}


def with_hypotheses(key: str) -> list[Theorem]:
    """The theorems of a paper that suppose something."""
    return [theorem for theorem in library.load(key).theorems if theorem.hypotheses]


def test_every_theorem_with_hypotheses_has_a_model_or_is_listed() -> None:
    named = {key: {t.id for t in with_hypotheses(key)} for key in KEYS}
    assert {name for key in KEYS for name in named[key] - set(models.load(library.load(key)))} == UNKNOWN
    names = set().union(*named.values())
    assert all(name in names for key in KEYS for name in models.load(library.load(key)))


@pytest.mark.parametrize("key", KEYS)
def test_the_stored_models_are_models(key: str) -> None:
    wrong, prefix = {}, set()
    stored = models.load(library.load(key))
    for theorem in with_hypotheses(key):
        model = stored.get(theorem.id)
        if model is None:
            continue
        finding = models.check_model(theorem, model)
        if finding.fault:
            wrong[theorem.id] = finding.fault
        if finding.prefix:
            prefix.add(theorem.id)
    assert not wrong
    assert prefix == {name for name in PREFIX if name.startswith(f"{key}/")}


def test_models_that_are_written_down_are_those_stored() -> None:
    stored = {name: model for key in KEYS for name, model in models.load(library.load(key)).items()}
    assert [name for name, made in HANDMADE_MODELS.items() if stored[name] != made()] == []


@pytest.mark.parametrize("key", KEYS)
def test_one_more_hypothesis_that_contradicts_is_named(key: str) -> None:
    """The opposite of a hypothesis beside it: the stored model is one no longer. Of every paper some theorems."""
    stored = models.load(library.load(key))
    found = [(t, h) for t in with_hypotheses(key) if t.id in stored if (h := an_inequality(t)) is not None]
    assert len(found) > 25
    for theorem, given in found[:: len(found) // 8]:
        r = given.relation
        opposite = Given("opposite", lt(r.right, r.left, *r.over))
        finding = models.check_model(replace(theorem, hypotheses=(*theorem.hypotheses, opposite)), stored[theorem.id])
        assert "opposite" in finding.fault, theorem.id


def an_inequality(theorem: Theorem) -> Given | None:
    """The first hypothesis that is one, for a single value: a range may be empty in the model."""
    given = (h for h in theorem.hypotheses if isinstance(h, Given))
    return next((h for h in given if h.relation.op == "<=" and not h.relation.over), None)
