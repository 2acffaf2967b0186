"""The displays of Theorem 1: mutants, needed conditions, and the same numbers by other means."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from sympy import Symbol

from fltheory.claims.check import check_claim
from fltheory.claims.statement import quantity_measure
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, Number, Ring, as_number, exact, to_ball
from fltheory.number.mixed import to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.displays import cases as at
from fltheory.papers.delta_sgd.displays import closed_forms as terms
from fltheory.papers.delta_sgd.displays import families as strategies_displays
from fltheory.papers.delta_sgd.displays.cases import case_of_clients, own
from fltheory.papers.delta_sgd.displays.claims import displays, rounds
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps, Rounds
from fltheory.runs.client_optimiser import Batches, adaptive_optimiser, federated_averaging
from fltheory.runs.distributions.sample_paths import enumerate_runs
from tests.typed import instance_of

CLAIMS = displays.CLAIMS
BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}
TRUE = tuple(c for c in CLAIMS if c.entry.recorded == "holds")
AGAINST_ZERO = tuple(c for c in TRUE if c.bound.expr == 0)  # no constant to tighten: see the mutants below


# Mutants of what is compared with 0, and hypotheses that are needed ------------------------------------------------------


def violated(name: str, case: Case, **changes: Any) -> bool:
    """Whether a claim with some changes, and neither conditions nor assumptions, fails on the case."""
    claim = BY_ID[name]
    free = replace(claim, assumptions=(), bounds=(replace(claim.bound, conditions=()),))
    return check_claim(replace(free, **changes), case).status == "violated"


def summed_up(one: GivenSteps) -> object:
    """The sum over the subset where its mean should stand."""
    first = terms.mixed_sum(c.chance * terms.push(c) for own_courses in one.courses for c in own_courses)
    return abs(first * one.n_participating / len(one.courses) - first / len(one.courses))


def halved(one: GivenSteps) -> object:
    """(17) without its factor 1/2."""
    return terms.joint_mean(
        one, lambda found: terms.square(terms.deviation(one, found)) / terms.over_clients(found, terms.path_weight)
    )


SWITCHED = {
    "A.1@corrected": (at.PAIR, displays.off_moves(1)),
    "14-subset@printed": (at.FIXED[0], summed_up),
    "15@corrected": (at.ADAPTED[0], lambda one: terms.off_added(one, inside=False)),
    "17@printed": (at.FIXED[0], halved),
    "18@corrected": (at.FIXED[0], lambda one: terms.off_regrouped(one, -1)),
}


@pytest.mark.parametrize("name", SWITCHED)
def test_identities_have_mutants(name: str) -> None:
    case, value = SWITCHED[name]
    assert violated(name, case, measure=quantity_measure(lambda one, c: value(one), name="mutant"))


def test_every_identity_has_a_mutant() -> None:
    assert {c.id.removeprefix("delta_sgd/") for c in AGAINST_ZERO} == {*SWITCHED, "14-tower@corrected"}


RARELY_LONG = case_of_clients(at.RARE, 1, ((1, "1/100"),), ((1, "1/100"),), foresight=True)
# In the released code a step is short where its own mini-batch is steep, whatever it points to.
UPHILL = own(
    PiecewiseClients((-1, 0, 1), (((9, 10, 11), (-1, -1, -1)),)),
    0,
    2,
    "1/10000",
    "same",
    initial_ratio=1023,
    amplifier="1/10000",
)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("14-tower@corrected", at.SAME),
        ("14-tower@corrected", at.REUSE),
        ("14@corrected", at.REUSE),
        ("23@printed", RARELY_LONG),
        ("23@strengthened", RARELY_LONG),
        ("21@printed", at.HEAVY[1]),
        ("25@strengthened", at.HEAVY[1]),
        ("T1-28@corrected", UPHILL),
        ("T1-28@strengthened", UPHILL),
        ("29@corrected", at.UNEVEN[1]),
        ("29-negative@strengthened", at.UNEVEN[2]),
        ("30@corrected", at.UP_AND_DOWN[0]),
        ("30-equal@corrected", at.UP_AND_DOWN[0]),
    ],
)
def test_hypotheses_are_needed(name: str, case: Case) -> None:
    assert violated(name, case)
    assert check_claim(BY_ID[name], case).status == "inapplicable"


def test_what_dependent_steps_break_holds_with_a_mini_batch_of_their_own() -> None:
    apart = Case(replace(UPHILL.instance, batches="pair"))
    assert check_claim(BY_ID["T1-28@corrected"], apart).status == "holds"


def test_the_rule_itself_breaks_21() -> None:
    """In pair and in fresh, whose steps don't depend on the noise that they multiply."""
    for batches in ("pair", "fresh"):
        one = replace(at.HEAVY[1].instance, batches=batches)
        assert one.independent
        assert check_claim(BY_ID["21-chosen@strict"], Case(one)).status == "violated"
        assert check_claim(BY_ID["25-chosen@strict"], Case(one)).status == "violated"


def test_steps_that_differ_enough_leave_nothing_of_the_gradient() -> None:
    ripples = at.UNEVEN[0]
    rho, ratio = (ripples.constants[s] for s in (notation.rho, notation.R_t))
    assert 2 * rho * ratio > 1
    assert rounds.gradient_share(ripples.instance) > 1
    assert as_number(rounds.gradient_share(at.EVEN[0].instance)) == Fraction(3, 4)


def test_no_smaller_factor_of_the_last_step_of_21() -> None:
    """Of one late step among small ones sum k a_k sum_{l<k} a_l tends to (K - 1) x (1 - x)."""
    for k in (3, 5):
        case = case_of_clients(at.ALONE, 1, (1, *["1/1000"] * (k - 2), 1))
        found = terms.largest(terms.nested_ratio(c) for c in case.instance.courses[0])
        assert (
            Fraction(k - 1, 4) * Fraction(99, 100)
            < as_number(found)
            < BY_ID["21-sum@strengthened"].bound({notation.K: k})
        )


# The same by other means ------------------------------------------------------------------------------------------------


def interpolated(knots: tuple[Any, ...], values: tuple[Any, ...], x: Fraction) -> Fraction:
    """The value of a piecewise linear function, by its definition."""
    if x <= knots[0]:
        return Fraction(values[0])
    for p, q, v, w in zip(knots, knots[1:], values, values[1:], strict=False):
        if x <= q:
            return Fraction(v) + Fraction(w - v) / Fraction(q - p) * (x - Fraction(p))
    return Fraction(values[-1])


def antiderivative(knots: tuple[Any, ...], values: tuple[Any, ...], x: Fraction, y: Fraction) -> Fraction:
    """The integral from x to y, by trapezoids between knots."""
    if y < x:
        return -antiderivative(knots, values, y, x)
    places = [x, *(Fraction(p) for p in knots if x < p < y), y]
    ends = [interpolated(knots, values, p) for p in places]
    return sum(
        ((q - p) * (v + w) / 2 for p, q, v, w in zip(places, places[1:], ends, ends[1:], strict=False)), Fraction(0)
    )


def brute_force(one: GivenSteps) -> dict[str, Fraction]:
    """Expectations over every subset and all noise of all clients, from the definitions; one sample a mini-batch."""
    of_all, start = one.clients, Fraction(one.start)
    n, k, q = of_all.n_clients, len(one.steps[0]), len(of_all.chances)
    means = [
        tuple(sum(c * row[j] for c, row in zip(of_all.chances, client, strict=True)) for j in range(len(of_all.knots)))
        for client in of_all.gradients
    ]
    mean = tuple(sum(column) / Fraction(n) for column in zip(*means, strict=True))
    slope = interpolated(of_all.knots, mean, start)
    subsets = list(itertools.combinations(range(n), one.n_participating))
    found = dict.fromkeys(("rise", "subset", "square", "first", "noise", "a1", "a2", "a4"), Fraction(0))
    for noise in itertools.product(range(q), repeat=n * k):
        chance, pushes, ends, drifts, sums, gaps, errors = Fraction(1), [], [], [], [], [], []
        for i in range(n):
            x, past, steps, moved = start, 0, [], [Fraction(0)] * 4
            for j in range(k):
                z = noise[i * k + j]
                chance *= of_all.chances[z]
                seen = past * q + z if one.foresight else past
                eta = Fraction(one.steps[i][j][seen % len(one.steps[i][j])])
                g, s = (interpolated(of_all.knots, v, x) for v in (of_all.gradients[i][z], means[i]))
                at_start = interpolated(of_all.knots, means[i], start)
                moved = [m + eta * v for m, v in zip(moved, (g, g - s, at_start - s, at_start - slope), strict=True)]
                steps.append(eta)
                x, past = x - eta * g, past * q + z
            pushes.append(moved[0])
            errors.append(moved[1])
            drifts.append(moved[2])
            gaps.append(moved[3])
            sums.append(sum(steps))
            ends.append(x)
        total = sum(sums, Fraction(0)) / n
        found["square"] += chance * sum(p * p for p in pushes) / n
        found["noise"] += chance * sum(e * e for e in errors) / n * 2
        found["a4"] += chance * sum(d * d for d in drifts) / n * 2
        found["a1"] += chance * (sum(drifts) / n) ** 2 / total
        found["a2"] += chance * (sum(gaps) / n) ** 2 / total
        found["first"] += chance * slope * (sum(pushes) - sum(errors)) / n
        for some in subsets:
            weight = chance / len(subsets)
            found["subset"] += weight * (sum(pushes[i] for i in some) / Fraction(len(some))) ** 2
            end = sum((ends[i] for i in some), Fraction(0)) / len(some)
            found["rise"] += weight * antiderivative(of_all.knots, mean, start, end)
    return found


SMALL = (
    *at.ADAPTED[:2],
    at.FIXED[1],
    case_of_clients(at.SIGNED, "1/2", ("1/2",), ("1/8",), ("1/4",), n_participating=2),
    case_of_clients(at.NOISY, 1, ("1/2", (1, "1/3")), ("1/5", ("1/10", 1, 2)), n_participating=1, foresight=True),
)


@pytest.mark.parametrize("case", SMALL, ids=range(len(SMALL)))
def test_expectations_are_those_of_brute_force(case: Case) -> None:
    one = instance_of(case, GivenSteps)
    found = {
        "rise": terms.next_objective(one),
        "subset": terms.subset_square(one),
        "square": terms.mean_square(one),
        "first": terms.first_order(one),
        "noise": terms.a3(one),
        "a1": terms.a1(one),
        "a2": terms.a2(one),
        "a4": terms.a4(one),
    }
    assert {name: as_number(value) for name, value in found.items()} == brute_force(one)


class Federation:
    """The clients as a federated instance, for the library's own enumeration."""

    dim, draws, minimiser = 1, 1, (0,)

    def __init__(self, one: OwnSteps) -> None:
        self.clients, self.start = one.clients, (exact(one.start),)
        self.n_clients, self.n_noise_values = one.clients.n_clients, len(one.clients.batches)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return {notation.m: self.n_clients}

    def gradient(self, x: np.ndarray, client: np.ndarray) -> np.ndarray:
        return self._rows(x, lambda i, y: self.clients.client[int(np.broadcast_to(client, len(x))[i])](y))

    def noise_value(self, x: np.ndarray, client: np.ndarray, index: np.ndarray, ring: Ring) -> np.ndarray:
        own_samples = [self.clients.samples[int(c)] for c in np.broadcast_to(client, len(x))]
        return self._rows(x, lambda i, y: own_samples[i][int(index[i])](y)) - self.gradient(x, client)

    def _rows(self, x: np.ndarray, value: Callable[[int, Any], Any]) -> np.ndarray:
        found = np.empty(x.shape, dtype=object)
        found[:, 0] = [value(i, y) for i, y in enumerate(x[:, 0])]
        return found


@pytest.mark.parametrize(
    ("clients", "count", "batches", "size"),
    [
        (at.FICKLE, 2, "pair", 1),
        (at.FICKLE, 3, "same", 1),
        (at.FICKLE, 3, "reuse", 1),
        (at.FICKLE, 2, "fresh", 1),
        (at.NOISY, 2, "same", 1),
        (at.NOISY, 2, "reuse", 2),
        (at.NOISY, 2, "pair", 1),
    ],
)
def test_a_round_is_that_of_the_kernel(clients: PiecewiseClients, count: int, batches: Batches, size: int) -> None:
    """``enumerate_runs`` of federated averaging over the same optimiser: the same ends with the same probabilities."""
    one = OwnSteps(clients, "1/2", count, "1/10", batches, 3, 1, 1, size)
    case = Case(
        Federation(one),
        n_rounds=1,
        n_local_steps=count,
        n_participating=size,
        initial_step_size="1/10",
        initial_ratio=3,
        amplifier=1,
        growth_damping=1,
    )
    ring = RATIONAL if count == 2 else BALL
    states, chances = enumerate_runs(federated_averaging(adaptive_optimiser(batches=batches)), case, ring)
    expected: dict[str, float] = {}
    found: dict[str, float] = {}
    for law, pairs in ((expected, zip(chances, states[:, -1, 0], strict=True)), (found, one.landings)):
        for chance, x in pairs:
            key = f"{float(to_ball(as_number(x)).mid()):.12g}"
            law[key] = law.get(key, 0.0) + float(to_ball(as_number(chance)).mid())
    assert found == pytest.approx(expected)
    assert sum(found.values()) == pytest.approx(1)


@settings(max_examples=20, deadline=None)
@drawn(strategies_displays.clients())
def test_constants_hold_everywhere(clients: PiecewiseClients) -> None:
    """On a grid between and beyond the knots, and none is larger than it need be."""
    try:
        constants = clients.constants
    except ValueError:
        return
    grid = [Fraction(j, 4) for j in range(-12, 20)]
    slopes = np.array([[clients.client[i](to_mixed(x)) for x in grid] for i in range(clients.n_clients)], dtype=object)
    mean = slopes.sum(0) / clients.n_clients
    spread = [
        sum(p * (sample(to_mixed(x)) - s) ** 2 for (p, _), sample in zip(clients.batches, own_samples, strict=True))
        for own_samples, row in zip(clients.samples, slopes, strict=True)
        for x, s in zip(grid, row, strict=True)
    ]
    steepest = max(abs(w - v) * 4 for row in slopes for v, w in itertools.pairwise(row))
    assert as_number(max(abs(v) for v in slopes.flat)) == constants[notation.G]
    assert as_number(max(spread)) == exact(constants[notation.sigma] ** 2)
    assert as_number(steepest) == constants[notation.L]
    if notation.rho in constants:
        rho = to_mixed(constants[notation.rho])
        gaps = [((v - m) ** 2, m * m) for row in slopes for v, m in zip(row, mean, strict=True)]
        assert all(gap <= rho * square for gap, square in gaps)
        assert any(gap == rho * square for gap, square in gaps if square)


def test_mini_batches_shrink_the_noise() -> None:
    assert sum(p for p, _ in at.PAIRED.batches) == 1
    assert [p for p, _ in at.PAIRED.batches] == [to_mixed(Fraction(v)) for v in ("1/4", "1/2", "1/4")]
    for clients, b in ((at.NOISY, 1), (at.PAIRED, 2)):
        pairs = zip(clients.batches, clients.samples[0], strict=True)
        assert as_number(sum(p * (sample(to_mixed(0)) ** 2) for (p, _), sample in pairs)) == Fraction(1, b)
        assert clients.constants[notation.sigma] == 1
        assert clients.constants[notation.b] == b


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: PiecewiseClients((0,), (((1,),),)), "knots"),
        (lambda: PiecewiseClients((0, 0), (((1, 1),),)), "knots"),
        (lambda: PiecewiseClients((0, 1), (((1, 1, 1),),)), "gradients"),
        (lambda: PiecewiseClients((0, 1), ()), "gradients"),
        (lambda: PiecewiseClients((0, 1), (((1, "sqrt(2)"),),)), "rational"),
        (lambda: PiecewiseClients((0, 1), (((1, 2), (1, 3)),), ("1/2", "1/3")), "chances"),
        (lambda: PiecewiseClients((0, 1), (((1, 1),),)).constants, "constant"),
        (lambda: replace(at.NOISY, batch_size=10**9), "mini-batches"),
        (lambda: own(at.CALM, 1, 10**9, 1), "n_local_steps"),
        (lambda: case_of_clients(at.CALM, 1, 1), "as many for every client"),
        (lambda: case_of_clients(at.CALM, 1, 1, 0), "above 0"),
        (lambda: case_of_clients(at.CALM, 1, 1, 1, n_participating=3), "n_participating"),
        (lambda: case_of_clients(at.NOISY, 1, (1,) * 13, (1,) * 13), "sample paths"),
        (lambda: own(at.NOISY, 1, 2, 1, "other"), "batches"),
        (lambda: own(at.NOISY, 1, 2, 0), "above 0"),
        (lambda: own(at.NOISY, 1, 5, 1, "fresh"), "sample paths"),
        (lambda: Rounds(at.NOISY, 1, (1,)), "without noise"),
        (lambda: Rounds(at.ALONE, 1, (1, ((1, 2),))), "as many"),
        (lambda: Rounds(PiecewiseClients((0, 1), (((1, 2),),)), 1, (1,)).constants, "minimum"),
    ],
)
def test_what_is_no_round_is_refused(build: Callable[[], Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        build()
