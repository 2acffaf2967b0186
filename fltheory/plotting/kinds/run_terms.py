"""The terms of a bound that takes constants from the run: their values on the run whose bound is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from flint import ctx
from sympy import Expr, Symbol

from fltheory.claims.check import on_rows, question_for
from fltheory.claims.claim import Claim
from fltheory.evidence.decide import BoundQuery, decide_bound
from fltheory.evidence.deterministic import PRECISION_RANGE
from fltheory.evidence.measured import MAX_PATHS
from fltheory.evidence.sequential import state_blocks
from fltheory.evidence.user_values import notation_of_states
from fltheory.evidence.validation.replay import exact_runs
from fltheory.games.player import ImpreciseState
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import NotRational, Number, as_number, exact, to_float
from fltheory.number.agreement import as_float_array
from fltheory.plotting.point import CONFIDENCE, SAMPLE_SIZES
from fltheory.runs.measures import DeterministicMeasure, PathMeasure, run_notation
from fltheory.runs.method import NotEnumerable
from fltheory.runs.step_rule import StepRule

Constants = Mapping[Symbol, Number]


def run_terms(claim: Claim, exprs: Sequence[Expr], case: Case, limit: float, seed: int = 0) -> list[float]:
    """Return the values of the terms in a prepared case whose drawn bound is ``limit``; their sum is the drawn bound.

    A bound on every path, or with a probability, is drawn for one path: the terms are those of this path.
    """
    bounds = [_term(claim.bound, expr) for expr in exprs]
    if isinstance(claim.measure, DeterministicMeasure):
        found = _followed(claim, case)
    elif isinstance(claim.measure, PathMeasure) and claim.mode != "in expectation":
        found = _of_nearest_path(_question(claim, claim.bound, case, seed), limit)
    else:  # the mean of a term is its value at the means of its constants
        return [to_float(decide_bound(on_rows(_question(claim, bound, case, seed)))[2]) for bound in bounds]
    return [to_float(bound.ball({**case.constants, **found})) for bound in bounds]


def _term(bound: Bound, expr: Expr) -> Bound:
    return Bound(expr, bound.source, (), bound.side, bound.where, bound.letters)


def _question(claim: Claim, bound: Bound, case: Case, seed: int) -> BoundQuery:
    at = bound.at(case.constants, run_notation(claim.measure))
    return question_for(claim, at, case, 1 - CONFIDENCE, seed, SAMPLE_SIZES)


def _followed(claim: Claim, case: Case) -> Constants:
    """Return the constants of a deterministic run."""
    assert isinstance(claim.measure, DeterministicMeasure)
    assert isinstance(claim.algorithm, StepRule)
    precision, most = PRECISION_RANGE
    while True:
        try:
            with ctx.workprec(precision):
                return {s: as_number(v) for s, v in claim.measure.follow(claim.algorithm, case)[1].items()}
        except ImpreciseState:
            if precision >= most:
                raise
            precision *= 4


def _of_nearest_path(question: BoundQuery, limit: float) -> Constants:
    """Return the constants of the path whose bound is nearest to the drawn one."""
    q = on_rows(question)
    assert isinstance(q.measure, PathMeasure)
    try:
        runs = [exact_runs(q.method, q.case, MAX_PATHS)[0][..., : q.case.instance.dim]]
    except (NotRational, NotEnumerable):
        runs = list(state_blocks(q.method, q.case, SAMPLE_SIZES[-1], q.seed))
    read = [notation_of_states(q.measure, states, q.case) for states in runs]
    constants = {s: np.concatenate([as_float_array(part[s]) for part in read]) for s in read[0]}
    known = {s: to_float(v) for s, v in q.bound.complete(q.case.constants, tuple(constants)).items()}
    values = Bound(q.bound.expr, q.bound.source).array({**known, **constants})
    nearest = int(np.argmin(np.abs(np.broadcast_to(values, (sum(map(len, runs)),)) - limit)))
    return {s: exact(float(v[nearest])) for s, v in constants.items()}
