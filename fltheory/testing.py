"""Helpers to test theorems: assertions about claims, Hypothesis strategies, and a pytest plugin that collects claims.

``fltheory_claims = [claim, "sfl/T3-SC@corrected"]`` in a test module makes a test of each claim. The options are
``--fltheory-seed`` and ``--fltheory-profile``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.number.agreement import answers_agree
from fltheory.search.falsifier import falsify
from fltheory.seeds import require_seed
from fltheory.verification import find, verdict_on
from fltheory.work import DEFAULT_WORK

PASSING_STATUSES = ("holds", "vacuous")


def _require(so: bool, otherwise: str) -> None:
    """Raise AssertionError if the condition is false, also under ``python -O``, which removes ``assert`` statements."""
    if not so:
        raise AssertionError(otherwise)


def require_claim(claim: Claim | str) -> Claim:
    """Return the claim or look up its id; UnknownId or ValueError if there is none."""
    known = find(claim) if isinstance(claim, str) else claim
    if not isinstance(known, Claim):
        raise ValueError(f"claim must be a Claim or the id of one, got {claim!r}")
    return known


def assert_holds(claim: Claim | str, *on: Case, seed: int = 0, profile: str = "quick") -> tuple[Verdict, ...]:
    """Assert that a claim holds or is vacuous on each of the cases, under one error rate.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    *on : Case
        The cases, by default the claim's own.
    seed : int
        Seed of all random numbers.
    profile : {"quick", "full"}
        Which of its own cases are checked.

    Returns
    -------
    tuple of Verdict
        The verdict on each case.

    Raises
    ------
    AssertionError
        If a verdict is another; the message lists these cases.
    ValueError
        If there is no such claim, or the seed is not an integer.
    """
    known = require_claim(claim)
    cases = on or known.all_cases(profile)
    _require(bool(cases), f"{known.id} has no cases of its own: pass cases")
    require_seed(seed)
    verdicts = tuple(verdict_on(known, case, seed) for case in cases)
    broken = [str(verdict) for verdict in verdicts if verdict.status not in PASSING_STATUSES]
    _require(not broken, "\n".join([f"{known.id} does not hold on {len(broken)} of {len(cases)} cases", *broken]))
    return verdicts


def assert_as_recorded(claim: Claim | str, seed: int = 0, profile: str = "quick") -> None:
    """Assert that each of the claim's own cases gives the recorded verdict.

    A claim that is recorded as false must be refuted on every case.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    seed : int
        Seed of all random numbers.
    profile : {"quick", "full"}
        Which of its own cases are checked.

    Raises
    ------
    AssertionError
        If a verdict differs; the message lists these cases.
    """
    known = require_claim(claim)
    require_seed(seed)
    if known.entry.recorded == "holds":
        assert_holds(known, seed=seed, profile=profile)
        return
    cases = known.all_cases(profile)
    verdicts = [verdict_on(known, case, seed) for case in cases]
    wrong = [str(verdict) for verdict in verdicts if verdict.status != known.entry.recorded]
    _require(bool(cases), f"{known.id} has no cases of its own")
    _require(not wrong, "\n".join([f"{known.id} is expected to be {known.entry.recorded}", *wrong]))


def assert_refuted(claim: Claim | str, work: int = DEFAULT_WORK, seed: int = 0) -> Verdict:
    """Assert that the claim's cases or a search give a counterexample.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    work : int
        The budget of the search.
    seed : int
        Seed of the search.

    Returns
    -------
    Verdict
        The verdict on the counterexample.

    Raises
    ------
    AssertionError
        If none is found.
    """
    known = require_claim(claim)
    found = falsify(known, work=work, seed=seed)
    if found.verdict is None:
        raise AssertionError(f"no counterexample of {known.id}: {found}")
    return found.verdict


def assert_matches(kernel: ArrayLike, twin: ArrayLike, size: float = 1.0) -> None:
    """Assert that a compiled result equals its reference up to 1e-9 of the larger of both and ``size``.

    Parameters
    ----------
    kernel, twin : array_like
        The two results, of the same shape.
    size : float
        The scale of the quantity, for values near 0.

    Raises
    ------
    AssertionError
        If shapes differ, or values by more than that.
    """
    one, two = np.asarray(kernel), np.asarray(twin)
    _require(one.shape == two.shape, f"shapes {one.shape} and {two.shape}")
    away = np.abs(one.astype(float) - two.astype(float)).max(initial=0.0) if one.dtype != object else 0.0
    _require(answers_agree(one, two, size), f"up to {away:.3g} away")


def cases(claim: Claim | str) -> Any:
    """Return a Hypothesis strategy of the claim's family, for ``@given(cases(claim))``.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        A strategy of cases.

    Raises
    ------
    ValueError
        If the claim has no family.
    """
    known = require_claim(claim)
    if known.family is None:
        why = "it is an external result" if known.measure is None else "pass one as family=..."
        raise ValueError(f"{known.id} has no family of instances to draw cases from: {why}")
    return known.family()
