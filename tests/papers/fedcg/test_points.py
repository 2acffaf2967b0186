"""FedCG at one point and in one round: mutants, and the numbers of the constructed instances by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.fedcg.instances.clients import (
    any_item,
    common_and_own_points,
    fresh_groups,
    opposite_blocks,
    private_items,
)
from fltheory.papers.fedcg.local import claims
from fltheory.papers.fedcg.local.cases import LocalRound
from fltheory.papers.fedcg.notation import gamma, gbar
from fltheory.papers.fedcg.points import claims as points
from fltheory.papers.fedcg.points.cases import points as one
from fltheory.papers.fedcg.points.cases.points import AtPoint, Moved, Stepped
from fltheory.papers.fedcg.points.closed_forms import FreshGroups, Horizon
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets import matroids, set_functions
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, Modular, Table
from tests.papers.claim_checks import as_recorded
from tests.typed import instance_of

CLAIMS = (*points.CLAIMS, *claims.CLAIMS)
BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}
FALSE = tuple(c for c in CLAIMS if c.entry.recorded == "violated")


@pytest.mark.parametrize("claim", FALSE, ids=lambda c: c.id)
def test_false_statements_have_a_counterexample(claim: Claim) -> None:
    as_recorded(claim)
    assert claim.remark or "outside" in claim.id


def test_ids_are_the_only_ones() -> None:
    assert len(BY_ID) == len(CLAIMS)


# Mutants ----------------------------------------------------------------------------------------------------------------


def _violated(name: str, *cases: Case) -> bool:
    claim = BY_ID[name]
    return any(check_claim(claim, _fresh(case)).status == "violated" for case in cases or claim.cases)


def _fresh(case: Case) -> Case:
    """The case without what it remembers."""
    held = case.instance
    assert isinstance(held, AtPoint | LocalRound)
    return Case(replace(held), **dict(case.settings))


def _of(*values: int) -> SubmodularClients:
    return SubmodularClients((Table(values),), Uniform(2, 2))


GROWING, FALLING = (0, 1, 1, 3), (0, 1, 1, 0)  # not submodular, not monotone


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("P2-low@printed", FALLING),
        ("P2-high@printed", GROWING),
        ("P2@printed", GROWING),
        ("P4-sign@printed", GROWING),
        ("P4@printed", FALLING),
        ("P4@strengthened", FALLING),
        ("Lip3@printed", FALLING),
        ("A.2@strengthened", GROWING),
    ],
)
def test_without_monotonicity_or_submodularity_it_fails(name: str, values: tuple[int, ...]) -> None:
    corner = (0, 0) if name.startswith("A") else (1, 1)
    case = Case(AtPoint(_of(*values), corner))
    assert check_claim(BY_ID[name], case).status == "inapplicable"
    assert check_claim(replace(BY_ID[name], assumptions=()), case).status == "violated"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("P3-antitone@printed", GROWING),
        ("P3-monotone@printed", FALLING),
        ("P4-concave@printed", GROWING),
        ("P4-backwards@printed", GROWING),
        ("Lip2-drift@corrected", FALLING),
    ],
)
def test_along_steps_too(name: str, values: tuple[int, ...]) -> None:
    x, step = ((0, 1), (1, 0)) if name == "P3-monotone@printed" else ((0, 0), (1, 1))
    move = Moved(Table(values), x, step)
    assert check_claim(BY_ID[name], Case(move)).status == "inapplicable"
    assert check_claim(replace(BY_ID[name], assumptions=()), Case(move)).status == "violated"


def test_sets_drawn_with_other_chances_give_another_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    right = one.draws_of_sets
    monkeypatch.setattr(one, "draws_of_sets", lambda x: right(tuple(Fraction(v) ** 2 for v in x)))
    assert _violated("P1@printed")
    assert _violated("P9@printed")


def test_clients_averaged_without_their_weights_are_not_the_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AtPoint, "weights", one.rationals([Fraction(1, 3)] * 3))
    assert _violated("P9@printed", points.AT[0])


class Matching(Uniform):
    """Sets of disjoint edges of a path, no matroid: the middle edge alone is not part of a largest one."""

    def independent(self, items: frozenset[int]) -> bool:
        return not {0, 1} <= items and not {1, 2} <= items

    def greedily(self, ranked: np.ndarray) -> np.ndarray:
        return np.array([[e == row[0] for e in range(3)] for row in ranked])


def test_greed_needs_a_matroid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets that are no matroid are told; without that look the statement fails on them."""
    case = Case(AtPoint(SubmodularClients((Modular((2, 3, 2)),), Matching(3, 2)), (0, 0, 0)))
    verdict = check_claim(BY_ID["P5@printed"], case)
    assert verdict.status == "inapplicable"
    assert "independent set" in verdict.reason
    monkeypatch.setattr("fltheory.evidence.validation.consistency.has_foreign_types", lambda value: False)
    assert _violated("P5@printed", case)


def test_the_polytope_has_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one, "rank_of", lambda matroid, items: matroids.rank_of(matroid, items) - 1)
    assert _violated("P5-polytope@printed")
    assert _violated("C.1-polytope@printed")


def test_clients_drawn_evenly_are_biased(monkeypatch: pytest.MonkeyPatch) -> None:
    def evenly(at: AtPoint, size: int) -> list[tuple[object, tuple[int, ...]]]:
        n = at.clients.n_clients
        ways = list(itertools.product(range(n), repeat=size))
        return [(one.RATIONAL.scalar(Fraction(1, len(ways))), way) for way in ways]

    monkeypatch.setattr(one, "draws_of_clients", evenly)
    own = SubmodularClients((Modular((2, 0)), Modular((0, 1))), Uniform(2, 1), (3, 1))
    assert _violated("L3.3@printed", Case(AtPoint(own, (0, 0)), n_sampled=2))
    assert _violated("L4.1@printed", Case(LocalRound(own, (0, 0), 2), n_sampled=2))


def test_the_worst_base_is_no_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    right = SubmodularClients.base
    monkeypatch.setattr(SubmodularClients, "base", lambda self, w, client=None: right(self, -w, client))
    assert _violated("A.1@printed", Case(AtPoint(TWO, (0, 0))))
    assert _violated("A.4@printed", Case(AtPoint(TWO, (0, 0))))


def test_rank_one_is_excluded_from_i3() -> None:
    flat = Case(FreshGroups(1, 10))
    for name in ("P6-factor@strengthened", "P6-left@strengthened"):
        assert check_claim(BY_ID[name], flat).status == "inapplicable"
        free = tuple(replace(b, conditions=()) for b in BY_ID[name].bounds)
        assert check_claim(replace(BY_ID[name], bounds=free), flat).status == "violated"


def test_what_is_not_maximum_coverage_may_differ_more() -> None:
    case = Case(AtPoint(SubmodularClients((Modular((9, 0)), Modular((0, 1))), Uniform(2, 1)), (0, 0)))
    assert check_claim(BY_ID["C-3.1-coverage@printed"], case).status == "inapplicable"
    assert check_claim(replace(BY_ID["C-3.1-coverage@printed"], assumptions=()), case).status == "violated"


def test_euclidean_distances_need_euclidean_errors() -> None:
    mixed = Case(LocalRound(claims.RANKED, (0, 0, 0), 1, ((1, 1, 1),) * 3))
    assert check_claim(BY_ID["C-61@printed"], mixed).status == "inapplicable"
    assert check_claim(replace(BY_ID["C-61@printed"], assumptions=()), mixed).status == "violated"


def test_outside_the_cube_only_the_printed_form_is_judged() -> None:
    assert check_claim(BY_ID["Lip1@corrected"], claims.OUT_OF_CUBE).status == "inapplicable"
    assert check_claim(replace(BY_ID["Lip1@corrected"], assumptions=()), claims.OUT_OF_CUBE).status == "violated"


# Other units ------------------------------------------------------------------------------------------------------------


def scaled(value: Any, factor: Fraction) -> Any:
    """The instance with all values of functions, and all errors of gradients, multiplied."""
    if isinstance(value, SubmodularClients):
        return replace(value, functions=tuple(set_functions.Mixture((f,), (factor,)) for f in value.functions))
    if isinstance(value, Moved):
        return replace(value, function=set_functions.Mixture((value.function,), (factor,)))
    own = {"clients": scaled(value.clients, factor)} if hasattr(value, "clients") else {}
    if getattr(value, "errors", ()):
        own["errors"] = [[factor * e for e in row] for row in value.errors]
    return replace(value, **own)


@pytest.mark.parametrize("factor", [Fraction(1, 1000), Fraction(7)])
@pytest.mark.parametrize(
    "claim", [c for c in CLAIMS if "coverage" not in c.id and "Lip2-max" not in c.id], ids=lambda c: c.id
)
def test_verdict_and_ratio_are_the_same_in_other_units(claim: Claim, factor: Fraction) -> None:
    case = claim.cases[0]
    one, two = check_claim(claim, case), check_claim(claim, Case(scaled(case.instance, factor), **dict(case.settings)))
    assert (one.status, two.status) == (claim.entry.recorded,) * 2
    assert two.ratio == pytest.approx(one.ratio)


# The constructed instances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 7])
def test_i1_heterogeneity_and_the_factor_of_lemma_a4(n: int) -> None:
    d = Fraction(1, 10**6)
    at = AtPoint(private_items(n, d), (0,) * (n + 1))
    assert at.constants[gamma] == (1 + d) * (1 - Fraction(1, n))
    needed = (1 - (1 + d) / n) / ((1 + d) * (1 - Fraction(1, n)))
    assert one.fraction(at.gap - at.mean_gain) / at.constants[gamma] == needed
    assert 1 - needed < 3 * d


@pytest.mark.parametrize(("r", "size"), [(1, 1), (2, 3), (3, 2)])
def test_i4_variance(r: int, size: int) -> None:
    g, d = Fraction(1, 4), Fraction(1, 100)
    at = AtPoint(opposite_blocks(r, g, d), (0,) * (2 * r))
    assert at.constants[gamma] == at.constants[gbar] == g
    variance = one.fraction(one.moments(at, size, at.gains)[1])
    assert variance == (r * g * (1 - d / (2 * g))) ** 2 / size


def test_variance_of_a_draw_is_that_of_one_client_over_their_number() -> None:
    at = instance_of(points.AT[1], AtPoint)
    gains, weights = [one.fraction(v) for v in at.gains], [one.fraction(v) for v in at.weights]
    mean = sum(w * v for w, v in zip(weights, gains, strict=True))
    single = sum(w * (v - mean) ** 2 for w, v in zip(weights, gains, strict=True))
    for size in (1, 2, 4):
        found, variance = one.moments(at, size, at.gains)
        assert (one.fraction(found), one.fraction(variance)) == (mean, single / size)


@pytest.mark.parametrize(("r", "rounds"), [(2, 3), (3, 2)])
def test_i3_by_its_set_function(r: int, rounds: int) -> None:
    own = fresh_groups(r, rounds)
    step = Fraction(1, rounds)
    x = one.rationals([0] * r + [step] * (r * rounds))
    assert 1 - one.fraction(own.extension(x[None])[0]) == one.fraction(FreshGroups(r, rounds).left)


def test_i6_moves_all_entries_of_the_gradient() -> None:
    for n, tau in ((5, 2), (10, 4)):
        at = AtPoint(any_item(n), (0,) * n)
        assert one.fraction(one.squared_change(at, tau)) == Fraction(n - 1, tau**2)
        assert one.fraction(one.largest_change(at, tau)) == Fraction(1, tau)


@pytest.mark.parametrize(("tau", "at", "value"), [(6, None, None), (24, 9, 3.468), (41, 16, 4.349)])
def test_i6_with_groups_grows_like_the_root_of_the_local_steps(tau: int, at: int | None, value: float | None) -> None:
    def formula(j: int) -> Fraction:  # squared
        away = 2 - (1 - Fraction(1, tau)) ** (3 * j - 1) - (1 - Fraction(1, tau)) ** 2
        return Fraction(tau**2, 3 * j) * away**2

    best = max(range(1, tau), key=formula)
    held = LocalRound(common_and_own_points(tau), (0,) * 3 * tau, tau)
    assert one.fraction(held.largest_lipschitz) == formula(best)
    if value is not None:
        assert best == at
        assert float(formula(best)) ** 0.5 == pytest.approx(value, abs=5e-4)
    assert (formula(best) > 12) == (tau >= 24)  # m^2 r


def test_the_facility_witness_is_natural() -> None:
    found = instance_of(claims.FACILITY, LocalRound)
    assert float(one.fraction(found.squared_lipschitz)) ** 0.5 / float(max(map(Fraction, claims.SCORES))) > 3**0.5


def test_outside_the_cube_by_hand() -> None:
    f = set_functions.Capped((1, 1, 1), 2)
    high = one.rationals((0, Fraction(3, 2), Fraction(3, 2)))
    assert [one.fraction(v) for e, g, v in one.second_derivatives(f, high) if (e, g) == (0, 1)] == [Fraction(-3, 2)]
    ends = np.stack([one.rationals((0, 1, 1)), one.rationals((0, 2, 2))])
    assert f.gradient(ends)[:, 0].tolist() == [0, -3]


def test_the_witness_of_69_is_the_estimator_of_algorithm_2() -> None:
    from fltheory.papers.fedcg.estimates.closed_forms import Sampled

    f = claims.WITNESS_69.functions[0]
    held = instance_of(claims.FOOLED, LocalRound)
    assert [one.fraction(v) for v in held.at.gradients[0]] == [Fraction(249, 100), Fraction(3, 2), 1, 1]
    estimate = (Fraction(199, 100), Fraction(2), Fraction(1), Fraction(1))
    assert Sampled(f, held.x).gradient_law[estimate] == Fraction(1, 4)
    assert [one.fraction(a + b) for a, b in zip(held.at.gradients[0], held.error(0, 0), strict=True)] == list(estimate)
    assert one.fraction(held.squared_error) == Fraction(1, 2)
    from fltheory.papers.fedcg.local.cases import envy

    assert one.fraction(envy(held)) == Fraction(99, 100)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("L3.4@printed", points.SAMPLED[-1]),
        ("L3.4-case2@printed", points.AT[0]),
        ("L4.2@printed", claims.ROUNDS[1].with_settings(n_sampled=1)),
        ("C.2@printed", claims.ROUNDS[0]),
    ],
)
def test_the_printed_bounds_can_say_nothing(name: str, case: Case) -> None:
    assert check_claim(BY_ID[name], case).status == "vacuous"


def test_s5a_is_attained() -> None:
    assert check_claim(BY_ID["L4.2@strengthened"], claims.WIDE).ratio == 1
    assert check_claim(BY_ID["C.2@strengthened"], claims.BOTH_WAYS).ratio == 1


# Instances --------------------------------------------------------------------------------------------------------------

TWO = SubmodularClients((Modular((1, 2)),), Uniform(2, 1))
NAMES = {c.__name__: c for c in (AtPoint, Moved, Stepped, LocalRound, Horizon, FreshGroups, SubmodularClients)}
for room in (set_functions, matroids):
    NAMES |= {k: v for k, v in vars(room).items() if isinstance(v, type)}


def test_false_statements_say_why() -> None:
    assert all(claim.remark or "outside" in claim.id for claim in FALSE)


def test_rounds_rebuild_from_their_text() -> None:
    small = LocalRound(SubmodularClients((Modular((1,)),) * 2, Uniform(1, 1)), (0,), 2, ((1,), (2,), (3,), (4,)))
    for found in (small, LocalRound(TWO, (0, 0), 1), *(case.instance for case in claims.ROUNDS)):
        assert eval(repr(found), NAMES) == found
        assert hash(eval(repr(found), NAMES)) == hash(found)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: AtPoint(TWO, (0, 2)), r"x = \(0, 2\): expected in \[0, 1\]"),
        (lambda: AtPoint(TWO, (0,)), "expected 2 numbers"),
        (lambda: Moved(Modular((1, 1)), (0, 0), (0, 0)), "step = .* not all 0"),
        (lambda: Moved(Modular((1, 1)), (1, 0), (1, 0)), r"x \+ step"),
        (lambda: Moved(Modular((1, 1)), (0, 0), (-1, 0)), "step = .* expected in"),
        (lambda: Moved(Modular((1, 1)), (0, 0), (1,)), "step has 1 entries for items: expected 2"),
        (lambda: Stepped(TWO, (0, 0), (1, 1)), "polytope"),
        (lambda: Stepped(TWO, (1, 0), (1, 0)), "eta direction"),
        (lambda: Stepped(TWO, (0, 0), (1, 0), 0), "positive"),
        (lambda: LocalRound(TWO, (0, 0), 0), "at least 1"),
        (lambda: LocalRound(TWO, (0, 0), 1, ((0, 0), (0, 0))), "every client and local step"),
        (lambda: LocalRound(TWO, (0, 0), 1, ((0,),)), "errors has 1 entries for items: expected 2"),
        (lambda: LocalRound(TWO, (0, 0), 1, length=2), "length"),
        (lambda: Horizon(0), "at least 1"),
        (lambda: FreshGroups(2, 0), "at least 1"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_too_many_draws_are_no_verdict() -> None:
    case = points.AT[0].with_settings(n_sampled=1000)
    assert check_claim(BY_ID["L3.3@printed"], case).status == "inconclusive"
    alone = SubmodularClients((Coverage(((0,),), 1),), Uniform(1, 1))
    assert check_claim(BY_ID["L3.3@printed"], Case(AtPoint(alone, (0,)), n_sampled=50)).status == "holds"


@pytest.mark.parametrize("name", ["L4.2-65@printed", "L4.2-80@printed"])
def test_a_line_that_forgets_the_weights_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """(65) and (80) with all clients alike on one side, where they are not."""
    claim = BY_ID[name]
    case = Case(LocalRound(points.MIXED, (0, 0, 0, 0), 2))
    assert check_claim(claim, case).status == "holds"
    heavy = instance_of(_fresh(case), LocalRound)
    monkeypatch.setattr(type(heavy), "mean_gain", property(lambda self: 2 * max(self.gains)))
    assert check_claim(claim, _fresh(case)).status == "violated"


def test_another_sum_in_31_is_no_equality(monkeypatch: pytest.MonkeyPatch) -> None:
    claim, case = BY_ID["L3.4-31@printed"], points.AT[0]
    assert check_claim(claim, case).status == "holds"
    drawn = iter(range(1, 9))
    monkeypatch.setattr(AtPoint, "own_gain", property(lambda self: next(drawn)))  # not the same at both places
    assert check_claim(claim, _fresh(case)).status == "violated"
