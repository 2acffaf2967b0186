"""Parts of FedCG's closed forms and roundings, each by a few lines of fractions: laws by listing, boundaries, measures."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from math import ceil, comb, log2
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.papers.fedcg.algorithms import discrete, local_steps, rounding
from fltheory.papers.fedcg.communication import closed_forms as communication
from fltheory.papers.fedcg.discrete.closed_forms import importance, memberships, sparsifier
from fltheory.papers.fedcg.estimates import closed_forms as estimates
from fltheory.papers.fedcg.feasible import require_points, require_sets
from fltheory.papers.fedcg.guarantees.closed_forms import measures
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Graphic, Partition, Uniform
from fltheory.problems.sets.set_functions import Coverage, Modular
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.method import NotEnumerable, VariantError

THREE = SubmodularClients((Modular((2, 0, 1)), Modular((0, 3, 1)), Modular((0, 0, 4))), Uniform(3, 2), (1, 2, 3))


def fractions_of(x: Any) -> list[Fraction]:
    return [Fraction(as_number(v)) for v in x]


def table(rows: Any) -> np.ndarray:
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        found[i] = [RATIONAL.scalar(Fraction(v)) for v in row]
    return found


# The discrete greedy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(50)])
def test_clients_sampled_by_their_largest_item(scale: Fraction) -> None:
    """The law of one round from the definition: kappa_i = min(1, kappa max_e p_i f_i({e}) / max_e F({e}))."""
    shares = [Fraction(w) for w in THREE.weights]
    rows = [
        [p * Fraction(f.value(frozenset({e}))) for e in range(3)] for f, p in zip(THREE.functions, shares, strict=True)
    ]
    most = max(sum(column) for column in zip(*rows, strict=True))
    assert importance.factors_of_largest(THREE) == tuple(max(row) / most for row in rows)
    chances = [min(Fraction(1), scale * max(row) / most) for row in rows]
    law: Counter[int] = Counter()
    for coins in itertools.product((0, 1), repeat=3):
        weight = Fraction(1)
        for coin, k in zip(coins, chances, strict=True):
            weight *= k if coin else 1 - k
        scores = [sum(row[e] / k for coin, row, k in zip(coins, rows, chances, strict=True) if coin) for e in range(3)]
        law[max(range(3), key=lambda e: (scores[e], -e))] += weight
    states, weights = enumerate_runs(discrete.by_largest, Case(THREE, sampling_scale=scale, n_rounds=1), RATIONAL)
    found: Counter[int] = Counter()
    for row, weight in zip(states[:, -1], weights, strict=True):
        (item,) = np.flatnonzero(row != 0)
        found[int(item)] += Fraction(as_number(weight))
    assert +found == +law


def test_items_that_can_be_added_and_sets_that_are_independent() -> None:
    one = SubmodularClients((Modular((1, 1, 1)),), Partition(((0, 1), (2,)), (1, 1)))
    rows = table([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)])
    assert discrete.addable_items(one, rows, False).tolist() == [
        [True] * 3,
        [False, False, True],
        [False] * 3,
        [True, True, False],
    ]
    assert discrete.addable_items(one, rows, True).tolist() == [
        [True] * 3,
        [True, False, True],
        [True, False, True],
        [True] * 3,
    ]
    wrong = table([(1, 1, 0), (1, 0, 1), ("1/2", 0, 0), (0, 0, 2)])
    assert discrete.feasible(one.matroid, wrong).tolist() == [False, True, False, False]


def test_factors_and_answers_in_fractions() -> None:
    rows = [[Fraction(v) for v in row] for row in ((1, 0, 2), (3, 0, 1))]
    assert importance.histogram(rows) == (4, 0, 3)
    assert importance.facility_protocol(rows) == (Fraction(2, 3), Fraction(3, 4))
    assert importance.facility_protocol_printed(rows) == (None, None)
    assert importance.facility_protocol_printed([row[::2] for row in rows]) == (Fraction(2, 3), Fraction(3, 4))
    assert importance.coverage_protocol([(1, 0, 1), (1, 0, 0), (1, 1, 0), (0, 0, 0)]) == (1, Fraction(1, 3), 1, 0)
    assert importance.factors(THREE) == importance.by_definition(THREE)
    plain = importance.factors(THREE, weighted=False)
    assert plain == tuple(w / Fraction(p) for w, p in zip(importance.factors(THREE), THREE.weights, strict=True))
    assert importance.answer_chances(THREE, Fraction(5, 4)) == tuple(
        min(1, Fraction(5, 4) * w) for w in importance.factors(THREE)
    )
    for chances in (
        [Fraction(1, 2)],
        [Fraction(1), Fraction(1, 3), Fraction(1, 4)],
        [Fraction(1)] * 2,
        [Fraction(0), Fraction(1, 5)],
    ):
        assert importance.expected_answers(chances) == sum(chances)


@pytest.mark.parametrize("members", [((1, 0), (1, 0), (1, 1)), ((0, 0), (1, 0)), ((1, 1, 0), (1, 0, 0), (0, 1, 0))])
def test_memberships_that_sums_determine(members: Any) -> None:
    """By all tables with the same sums of columns: an entry that agrees in all of them is known."""
    n, width = len(members), len(members[0])

    def known(rows: Any) -> int:
        size = len(rows)
        sums = [sum(column) for column in zip(*rows, strict=True)]
        same = [
            t
            for t in itertools.product(itertools.product((0, 1), repeat=width), repeat=size)
            if [sum(column) for column in zip(*t, strict=True)] == sums
        ]
        return sum(len({t[i][j] for t in same}) == 1 for i in range(size) for j in range(width))

    assert importance.count_determined(members) == known(members)
    assert importance.count_determined_by_clients(members) == sum(
        known([*members[:i], *members[i + 1 :]]) for i in range(n)
    )


def test_greedy_groups_by_sums_of_messages() -> None:
    rows = [(1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1)]
    assert memberships.greedy_groups(rows, 2, (0, 1, 2)) == (0, 2)
    assert memberships.greedy_groups(rows, 2, (1, 0, 2)) == (1, 2)
    assert memberships.greedy_groups(rows, 2, (0, 1, 2), message=memberships.full_message) == (0, 1)
    assert memberships.greedy_groups(rows, 3, (2, 1, 0), absent=(0, 1)) == (2, 1, 0)
    assert memberships.membership_message((1, 0, 1), [1]) == (1, 0, 1)
    assert memberships.membership_message((1, 0, 1), [1, 2]) == (0, 0, 0)
    clients = SubmodularClients(tuple(Coverage((row,), 3) for row in ((0, 1), (2,))), Uniform(3, 1))
    assert memberships.memberships(clients) == ((1, 1, 0), (0, 0, 1))
    with pytest.raises(ValueError, match="one point for each client"):
        memberships.memberships(THREE)


def test_shares_and_deviations_of_coins_thrown_once() -> None:
    share = Fraction(0)
    w = importance.factors(THREE)
    sets = [frozenset(s) for k in range(3) for s in itertools.combinations(range(3), k)]
    for s in sets:
        if THREE.value(s):
            parts = zip(THREE.functions, THREE.weights, w, strict=True)
            share = max(share, *(Fraction(p) * f.value(s) / (v * THREE.value(s)) for f, p, v in parts))
    assert sparsifier.largest_share(THREE) == share
    chances = importance.answer_chances(THREE, Fraction(1, 2))
    for accuracy in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)):
        total = Fraction(0)
        for coins in itertools.product((0, 1), repeat=3):
            weight = Fraction(1)
            for coin, k in zip(coins, chances, strict=True):
                weight *= k if coin else 1 - k
            off = [
                abs(
                    sum(
                        Fraction(p) * f.value(s) * (coin / k - 1)
                        for f, p, coin, k in zip(THREE.functions, THREE.weights, coins, chances, strict=True)
                    )
                )
                > accuracy * THREE.value(s)
                for s in sets
            ]
            total += weight * any(off)
        assert sparsifier.deviation_chance(THREE, Fraction(1, 2), accuracy) == total


# Rounding -------------------------------------------------------------------------------------------------------------------


def point(matroid: Any, parts: Any, shares: Any = ()) -> rounding.Fractional:
    n = matroid.n_items
    return rounding.Fractional((Modular(tuple(range(1, n + 1))),), matroid, parts=parts, shares=shares)


POINTS = {
    "thirds": point(Uniform(3, 1), ((0,), (1,), (2,)), (1, 2, 3)),
    "pairs": point(Uniform(4, 2), ((0, 1), (2, 3), (0,)), (2, 3, 1)),
    "parts": point(Partition(((0, 1), (2, 3)), (1, 1)), ((0, 2), (1, 3), (1,)), (1, 1, 2)),
    "whole": point(Uniform(3, 2), ((0, 2),)),
}


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("rule", [rounding.pipage, rounding.swap], ids=lambda rule: rule.name)
def test_roundings_keep_the_mean_in_sets_that_are_independent(rule: Any, name: str) -> None:
    one = POINTS[name]
    assert sum(one.mixture) == 1
    found = rounding.tree(rule, one)
    assert found is not None
    states, weights = found
    assert sum(fractions_of(weights)) == 1
    mean = [
        sum(Fraction(as_number(v)) * w for v, w in zip(column, fractions_of(weights), strict=True))
        for column in states.T
    ]
    assert mean == [Fraction(v) for v in one.start]
    assert rounding.marginal_error(rule, one) == 0
    assert rounding.dependent_chance(rule, one) == 0
    assert discrete.feasible(one.matroid, states).all()
    assert one.value_at_start == sum((e + 1) * Fraction(v) for e, v in enumerate(one.start))


def test_one_move_of_pipage() -> None:
    """The first two fractional coordinates of the first group that has any: as far as the cube lets them go."""
    one = point(Partition(((0, 1, 2), (3, 4)), (2, 1)), ((),))
    rows = table(
        [
            ("1/4", "1/2", "1/2", 0, 0),
            (1, 0, 0, "1/3", "1/2"),
            (1, 1, 0, "1/4", 0),
            ("3/4", "3/4", 0, 0, 0),
            (1, 0, 0, 0, 1),
        ]
    )
    wanted = {
        0: [("3/4", "0"), ("0", "3/4")],
        1: [("5/6", "0"), ("0", "5/6")],
        2: [("1", "0"), ("0", "0")],
        3: [("1", "1/2"), ("1/2", "1")],
    }
    chances = {0: Fraction(1, 3), 1: Fraction(2, 5), 2: Fraction(1, 4), 3: Fraction(1, 2)}
    told: list[np.ndarray] = []

    class Says:
        def __init__(self, answer: int) -> None:
            self.answer = answer

        def choose(self, given: np.ndarray, owner: Any = None) -> np.ndarray:
            told.append(given)
            return np.full(len(given), self.answer)

    for answer in (1, 0):
        moved = rounding._move_rows(rows, SetOracle(one, Says(answer)), False)  # type: ignore[arg-type]
        assert moved is not None
        for row, ends in wanted.items():
            at = (0, 1) if row in (0, 3) else (3, 4)
            assert fractions_of(moved[row, list(at)]) == [Fraction(v) for v in ends[1 - answer]]
        assert (moved[4] == rows[4]).all()
        for row, up in chances.items():
            assert fractions_of(told[-1][row]) == [1 - up, up]
    assert rounding._move_rows(rows[4:], SetOracle(one, Says(0)), False) is None  # type: ignore[arg-type]
    best = rounding.evaluated_step(rows, SetOracle(one, None), None)  # type: ignore[arg-type]
    assert ((best == 0) | (best == 1)).all()
    with pytest.raises(ValueError, match="pipage is for uniform and partition matroids"):
        rounding.pipage_step(
            rows, SetOracle(point(Graphic(((0, 1), (1, 2), (0, 2), (2, 3), (3, 4))), ((),)), None), None
        )  # type: ignore[arg-type]


def test_deterministic_roundings() -> None:
    one = point(Uniform(4, 2), ((),))
    rows = table([("1/2", "1/2", "1/2", "1/2"), ("1/4", "49/100", "3/4", "1/2"), (0, "1/5", "1/5", "3/5")])
    oracle = SetOracle(one, None)  # type: ignore[arg-type]
    assert [fractions_of(row) for row in rounding.threshold_step(rows, oracle, None)] == [
        [1, 1, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 1],
    ]
    assert [fractions_of(row) for row in rounding.top_step(rows, oracle, None)] == [
        [1, 1, 0, 0],
        [0, 0, 1, 1],
        [0, 1, 0, 1],
    ]
    near = np.array([[1e-10, 1 - 1e-10, 1e-8, 1 - 1e-8, 0.5]])
    assert rounding.fractional(near).tolist() == [[False, False, True, True, True]]
    assert rounding.fractional(rows[1:2]).tolist() == [[True] * 4]


def test_exchanges_of_bases() -> None:
    matroid = Partition(((0, 1), (2, 3)), (1, 1))
    assert rounding.pad_to_base(matroid, frozenset({1})) == {1, 4}
    assert rounding.pad_to_base(matroid, frozenset()) == {4, 5}
    assert rounding.fits(matroid, frozenset({0, 4}))
    assert not rounding.fits(matroid, frozenset({0, 1}))
    assert not rounding.fits(matroid, frozenset({0, 4, 5}))
    assert rounding.exchange(matroid, frozenset({0, 2}), frozenset({1, 3})) == (0, 1)
    assert rounding.exchange(matroid, frozenset({0, 4}), frozenset({3, 1})) == (0, 1)
    for parts, shares, why in (
        (((0, 1),), (), "not independent"),
        (((0,),), (0,), "positive"),
        (((0,), (1,)), (1,), "parts"),
    ):
        with pytest.raises(ValueError, match=why):
            point(matroid, parts, shares)


# Estimates, messages, measures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 3])
def test_sums_of_independent_vectors(size: int) -> None:
    rows = (("1/2", -1, "1/6"), (0, "2/3", "1/2"), (1, 0, "1/3"))
    law = {(Fraction(a), Fraction(b)): Fraction(p) for a, b, p in rows}
    wanted: Counter[Any] = Counter()
    for chosen in itertools.product(law, repeat=size):
        weight = Fraction(1)
        for one in chosen:
            weight *= law[one]
        wanted[tuple(sum((v[axis] for v in chosen), Fraction(0)) for axis in range(2))] += weight
    assert estimates.sum_distribution(law, size) == dict(wanted)


def test_means_that_are_off() -> None:
    """By more than the limit: at the limit exactly they are not; entries that are negative count by their size."""
    one = estimates.Sampled(Coverage(((0, 1), (1,)), 2, (1, 2)), ("1/2", "1/3"))
    f, x = one.function, (Fraction(1, 2), Fraction(1, 3))
    sets = [(frozenset(s), Fraction(1)) for k in range(3) for s in itertools.combinations(range(2), k)]
    chance = {s: (x[0] if 0 in s else 1 - x[0]) * (x[1] if 1 in s else 1 - x[1]) for s, _ in sets}
    top = Fraction(f.value(frozenset({0, 1})))
    mean = sum(p * f.value(s) for s, p in chance.items())
    slopes = {s: tuple(Fraction(f.value(s | {e}) - f.value(s - {e})) for e in range(2)) for s in chance}
    true = tuple(sum(p * slopes[s][e] for s, p in chance.items()) for e in range(2))
    assert one.gradient == true
    ratios = sorted({abs(Fraction(f.value(s)) - mean) / top for s in chance})
    for size, ratio in itertools.product((1, 2), (*ratios, Fraction(1, 7))):
        pairs = list(itertools.product(chance, repeat=size))
        weights = [np.prod([chance[s] for s in pair]) for pair in pairs]
        off = [abs(sum(Fraction(f.value(s)) for s in pair) / size - mean) > ratio * top for pair in pairs]
        assert estimates.value_fails(one, size, ratio) == sum(w for w, bad in zip(weights, off, strict=True) if bad)
        far = [
            any(abs(sum(slopes[s][e] for s in pair) / size - true[e]) > ratio * true[e] for e in range(2))
            for pair in pairs
        ]
        assert estimates.relative_fails(one, size, ratio) == sum(w for w, bad in zip(weights, far, strict=True) if bad)
    assert estimates.chance_of_any(Fraction(1, 3), 2) == Fraction(5, 9)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_entries_of_disjoint_pairs(size: int) -> None:
    one = estimates.Pairs(4, 3)
    for error in (Fraction(0), Fraction(3, 2), Fraction(3, 10), Fraction(1)):
        wrong = sum(
            abs(Fraction(3 * sum(row), size) - Fraction(3, 2)) > error for row in itertools.product((0, 1), repeat=size)
        )
        assert one.entry_fails(size, error) == Fraction(wrong, 2**size)
        assert Fraction(as_number(one.succeeds(size, error))) == (1 - Fraction(wrong, 2**size)) ** 4


def test_codes_of_bases_and_their_bits() -> None:
    for n, r in ((1, 1), (5, 2), (6, 3), (4, 4)):
        bases = list(itertools.combinations(range(n), r))
        assert sorted(map(communication.encode_base, bases)) == list(range(comb(n, r)))
        assert all(communication.decode_base(communication.encode_base(base), r) == base for base in bases)
        assert communication.longest(n, r) == communication.bits(comb(n, r))
    for choices in range(1, 40):
        assert communication.bits(choices) == ceil(log2(choices) - 1e-12)
    m = communication.Messages(7, 3, n_clients=9, n_sampled=4, n_rounds=2, n_local_steps=5)
    assert (m.base, m.masked_base, m.masked_local) == (ceil(log2(35)), 7 * 3, 7 * 5)
    assert m.local == min(7 * 3, 5 * m.base)
    assert communication.Messages(7, 1, n_local_steps=2).local == 2 * 3
    with pytest.raises(ValueError, match="more than the 3 items"):
        communication.Messages(3, 4)
    assert communication.Messages(3, 3).base == 0
    loop = communication.Loop(4, 3)
    assert loop.total == 12
    assert [loop.steps(Fraction(last)) for last in (0, 2, 3, "7/2", 11, 12)] == [3, 3, 6, 6, 12, 15]


def test_dissimilarities_and_what_is_read_of_a_run() -> None:
    """The largest entry by which a client's gradient differs from the mean, the sums of the theorems, their weights."""
    f = (Coverage(((0,), (1,)), 3, (1, 1)), Coverage(((0, 1), (2,)), 3, (2, 1)))
    one = SubmodularClients(f, Uniform(3, 2), (1, 3))
    x = table([("1/2", "1/4", 0), (0, 0, 0), (1, "1/2", "1/2")])
    shares = [Fraction(w) for w in one.weights]
    gradients = [[fractions_of(row) for row in one.gradient(x, m)] for m in range(2)]
    largest, mean = [], []
    for row in range(3):
        middle = [sum(w * g[row][e] for w, g in zip(shares, gradients, strict=True)) for e in range(3)]
        off = [max(abs(g[row][e] - middle[e]) for e in range(3)) for g in gradients]
        largest.append(max(off))
        mean.append(sum(w * v for w, v in zip(shares, off, strict=True)))
    found = measures.dissimilarities(one, x)
    assert fractions_of(found[0]) == largest
    assert fractions_of(found[1]) == mean
    states = x[[0, 1, 2, 0]].reshape(2, 2, 3)
    again = measures.along(lambda points: measures.dissimilarities(one, points), states)
    assert [fractions_of(row) for row in again[0]] == [[largest[0], largest[1]], [largest[2], largest[0]]]


@pytest.mark.parametrize("mode", ["literal", "clip", "scaled"])
@pytest.mark.parametrize("error", ["none", "worst"])
def test_local_steps_and_their_drift(mode: Any, error: Any) -> None:
    """Along the points of a client: the largest change of an entry, and the squared ratio to the way from the start."""
    f = (Coverage(((0,), (0, 1)), 3, (1, 2)), Coverage(((1,), (2,), (0, 2)), 3, (2, 1, 1)))
    one = SubmodularClients(f, Uniform(3, 1))
    c = SimpleNamespace(
        server_step_size=RATIONAL.scalar(Fraction(1, 2)),
        n_local_steps=3,
        estimate_error=RATIONAL.scalar(Fraction(1, 5)),
    )
    x = table([("1/2", 0, "1/4"), (0, 0, 0), (1, 1, 1)])
    drift, ratio = [Fraction(0)] * 3, [Fraction(0)] * 3
    for m in range(2):
        walked = list(local_steps.points(one, x, m, c, mode, error))  # type: ignore[arg-type]
        assert len(walked) == 3
        local = x
        for at, gradient, base in walked:
            wanted = [
                [min(Fraction(as_number(v)), Fraction(1)) if mode == "clip" else Fraction(as_number(v)) for v in row]
                for row in local
            ]
            assert [fractions_of(row) for row in at] == wanted
            assert [fractions_of(row) for row in gradient] == [fractions_of(row) for row in one.gradient(at, m)]
            for row in range(3):
                g, own = fractions_of(gradient[row]), fractions_of(base[row])
                if error == "none":
                    outside = any(v > 1 for v in fractions_of(at[row]))
                    best = max(range(3), key=lambda e: (g[e], -e))
                    assert own == [int(e == best and not (outside and g[e] < 0)) for e in range(3)]
                away = [a - b for a, b in zip(fractions_of(at[row]), fractions_of(x[row]), strict=True)]
                change = [a - b for a, b in zip(g, fractions_of(walked[0][1][row]), strict=True)]
                drift[row] = max(drift[row], *map(abs, change))
                if any(away):
                    ratio[row] = max(ratio[row], sum(v * v for v in change) / sum(v * v for v in away))
            length = Fraction(1, 2) if mode == "scaled" else Fraction(1)
            local = local + base * RATIONAL.scalar(length / 3)
    found = local_steps.drifts(one, x, c, mode, error)  # type: ignore[arg-type]
    assert fractions_of(found[0]) == drift
    assert fractions_of(found[1]) == ratio


# Boundaries -----------------------------------------------------------------------------------------------------------------


def test_clients_of_no_importance_have_no_part() -> None:
    """A client without values has the factor 0, no answer and no share; where all are 0, so are the factors."""
    one = SubmodularClients((Modular((2, 0)), Modular((0, 0))), Uniform(2, 1), (1, 1))
    none = SubmodularClients((Modular((0, 0)),), Uniform(2, 1))
    assert importance.factors_of_largest(one) == (1, 0)
    assert importance.factors_of_largest(none) == (0,)
    assert importance.factors(none) == importance.by_definition(none) == (0,)
    assert sparsifier.largest_share(one) == 1
    assert sparsifier.largest_share(none) == 0
    assert sparsifier.deviation_chance(one, Fraction(1, 2), Fraction(1, 2)) == 1  # twice F or nothing
    assert sparsifier.deviation_chance(one, Fraction(1, 2), Fraction(1)) == 0


@pytest.mark.parametrize("chances", [("1/2", "1/3", 1, 0), (1, 1), (0,), ("2/3", "2/3")])
def test_answers_are_inverse_chances(chances: Any) -> None:
    """1/kappa if a coin says so, which is thrown for chances between 0 and 1 alone; each coin has its own chance."""
    asked: list[Any] = []

    class Coins:
        instance = THREE

        def coins(self, given: np.ndarray) -> np.ndarray:
            asked.append([fractions_of(row) for row in given])
            return np.array([[True] * given.shape[1], [False] * given.shape[1]])

    x, own = table([(0, 0, 0), (0, 1, 0)]), [RATIONAL.scalar(Fraction(k)) for k in chances]
    found = discrete.answers(Coins(), x, own)  # type: ignore[arg-type]
    told = [Fraction(k) for k in chances]
    random = [k for k in told if 0 < k < 1]
    assert asked == ([[random, random]] if random else [])
    for row, yes in enumerate((True, False)):
        values = [Fraction(as_number(scale[row])) for scale in found]
        assert values == [0 if k == 0 or (k < 1 and not yes) else 1 / k for k in told]


def test_the_best_item_that_can_be_added() -> None:
    """By the sum of scaled gains, p_i a part of them or not; a full set stays as it is."""
    one = SubmodularClients((Modular((4, 0, 1)), Modular((0, 3, 3))), Uniform(3, 2), (1, 3))
    rows = table([(0, 0, 0), (0, 1, 0), (1, 1, 0)])
    oracle = SetOracle(one, None)  # type: ignore[arg-type]
    even = [np.array([RATIONAL.scalar(1)] * 3, dtype=object)] * 2
    first = [np.array([RATIONAL.scalar(v)] * 3, dtype=object) for v in (1, 0)]
    for scales, weighted, wanted in (
        (even, True, [[0, 0, 1], [0, 1, 1], [1, 1, 0]]),
        (even, False, [[1, 0, 0], [1, 1, 0], [1, 1, 0]]),
        (first, True, [[1, 0, 0], [1, 1, 0], [1, 1, 0]]),
    ):
        found = discrete.with_best_item(oracle, rows, scales, weighted)
        assert [fractions_of(row) for row in found] == wanted
    pair = [own[:2] for own in even]
    again = discrete.with_best_item(oracle, table([(1, 0, 0), (0, 1, 0)]), pair, False, repeats=True)
    assert [fractions_of(row) for row in again] == [
        [1, 0, 0],
        [1, 1, 0],
    ]  # the best one is in the set: nothing is added


def test_a_vertex_leaves_out_items_of_negative_gain_outside_the_cube() -> None:
    base = table([(1, 1, 0), (1, 1, 0), (1, 1, 0)])
    gradient = table([(-1, 2, 0), (-1, 0, 1), ("-1/2", "1/2", 3)])
    x = table([(1, 1, 1), (2, 0, 0), (0, "3/2", 0)])
    found = local_steps.vertex(x, gradient, base)
    assert [fractions_of(row) for row in found] == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]


def test_wrong_gradients_are_as_wrong_as_they_may_be() -> None:
    """Less by the error on the best base, but not below 0, and more elsewhere: another base where that is enough."""
    one = SubmodularClients((Modular(("1/2", "1/3", "1/10")),), Uniform(3, 1))
    for error, wanted in (("1/12", [1, 0, 0]), ("1/10", [0, 1, 0]), (1, [0, 1, 0])):
        c = SimpleNamespace(
            server_step_size=RATIONAL.scalar(1), n_local_steps=1, estimate_error=RATIONAL.scalar(Fraction(error))
        )
        ((_, gradient, base),) = local_steps.points(one, table([(0, 0, 0)]), 0, c, "literal", "worst")  # type: ignore[arg-type]
        assert fractions_of(gradient[0]) == [Fraction(1, 2), Fraction(1, 3), Fraction(1, 10)]
        assert fractions_of(base[0]) == wanted
    full = SubmodularClients((Modular((1, 2)),), Uniform(2, 2))  # every item is in the best base
    c = SimpleNamespace(server_step_size=RATIONAL.scalar(1), n_local_steps=1, estimate_error=RATIONAL.scalar(5))
    ((_, _, base),) = local_steps.points(full, table([(2, 0)]), 0, c, "literal", "worst")  # type: ignore[arg-type]
    assert fractions_of(base[0]) == [1, 1]
    floats = local_steps.drifts(
        full, np.array([[0.5, 0.25]]), SimpleNamespace(server_step_size=1.0, n_local_steps=2), "scaled"
    )  # type: ignore[arg-type]
    assert floats[0].dtype == floats[1].dtype == float
    assert floats[0].tolist() == floats[1].tolist() == [0]


def test_pipage_by_values_goes_up_where_both_are_worth_the_same() -> None:
    one = point(Uniform(2, 1), ((0,), (1,)))
    even = SubmodularClients((Modular((1, 1)),), Uniform(2, 1))
    for clients, wanted in ((even, [1, 0]), (one, [0, 1])):
        found = rounding.evaluated_step(table([("1/2", "1/2")]), SetOracle(clients, None), None)  # type: ignore[arg-type]
        assert fractions_of(found[0]) == wanted


def test_roundings_with_too_many_results_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "LEAVES", 1)
    for value in (rounding.tree, rounding.marginal_error, rounding.dependent_chance):
        assert value(rounding.pipage, POINTS["thirds"]) is None


def test_what_is_no_matroid_has_no_exchange() -> None:
    class Pairs(Uniform):
        def independent(self, items: frozenset[int]) -> bool:
            return items <= {0, 1} or items <= {2, 3}

    with pytest.raises(ValueError, match=r"\[0, 1\] and \[2, 3\]: 0 can't be exchanged, so it is no matroid"):
        rounding.exchange(Pairs(4, 2), frozenset({0, 1}), frozenset({2, 3}))


def test_when_a_state_leaves_what_is_feasible() -> None:
    one = SubmodularClients((Modular((1, 1)),), Uniform(2, 1))
    case = Case(one, n_rounds=2, server_step_size="1/2")
    with pytest.raises(VariantError, match=r"^the start: the point leaves the matroid's polytope"):
        require_points(table([(1, 1), (0, 0), (0, 0)])[None], case)
    with pytest.raises(VariantError, match=r"^round 0: the point leaves the matroid's polytope"):
        require_points(table([(0, 0), (1, 1), (0, 0)])[None], case)
    with pytest.raises(VariantError, match=r"^round 1: the state is not an independent set"):
        require_sets(table([(1, 1), (0, 1), (1, 1)])[None], case)
    require_sets(table([(1, 1), (0, 1), (1, 0)])[None], case)  # the start may be any point
    longer = Case(one, n_rounds=3, server_step_size=1)
    require_points(table([(0, 0), (1, 0), (1, 1), (1, 2)])[None], longer)  # after t steps of 1, t times the polytope
    with pytest.raises(VariantError, match=r"^round 1"):
        require_points(table([(0, 0), (1, 0), (1, 2), (1, 2)])[None], longer)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 7, 8])
def test_the_shorter_message_of_local_steps(steps: int) -> None:
    """n numbers from 0 to tau, or tau bases of ceil(log2 C(n, r)) bits each."""
    for n, r in ((4, 2), (3, 1), (20, 1), (5, 5)):
        m = communication.Messages(n, r, n_local_steps=steps)
        assert m.local == min(n * ceil(log2(steps + 1)), steps * ceil(log2(comb(n, r))))


def test_equal_points_are_evaluated_once() -> None:
    """Also in floats, where -0.0 is another point than 0.0 but has the same value."""
    seen = list[int]()

    def squares(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen.append(len(points))
        return (points * points).sum(axis=1), points.sum(axis=1)

    for rows in (table([(1, 2), (3, 4), (1, 2), (0, 1)]), np.array([[1.0, 2], [3, 4], [1, 2], [0, 1]])):
        found = measures.along(squares, rows.reshape(2, 2, 2))
        assert found[0].tolist() == [[5, 25], [5, 1]]
        assert found[1].tolist() == [[3, 7], [3, 1]]
    assert seen == [3, 3]


def test_errors_of_a_rounding_that_does_not_keep_the_mean() -> None:
    """The largest over the items; a rounding that takes everything leaves the independent sets."""
    one = point(Uniform(3, 1), ((0,), (1,), (2,)), (1, 2, 3))
    assert rounding.marginal_error(rounding.top, one) == Fraction(1, 2)  # 1 for 1/2, 0 for 1/3 and 1/6
    halves = point(Uniform(3, 1), ((0,), (1,), (2,)), (1, 1, 6))
    assert rounding.marginal_error(rounding.threshold, halves) == Fraction(1, 4)
    everything = rounding.top._replace(step=lambda x, oracle, c: x * 0 + 1)
    assert rounding.dependent_chance(everything, one) == 1
    assert rounding.marginal_error(everything, one) == Fraction(5, 6)


def test_the_size_and_the_value_of_the_last_set() -> None:
    one = SubmodularClients((Modular((1, 2, 4)),), Uniform(3, 3))
    case = Case(one, n_rounds=3, sampling_scale=9)
    states = table([(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)])[None]
    assert discrete.FinalSize().values(states, case).tolist() == [[3]]
    assert discrete.FinalValue().values(states, case).tolist() == [[7]]
    assert discrete.FinalValue().trivial(case) is None
    assert discrete.FinalValue().read(states, case) == {}
    assert discrete.FinalValue().is_random(case)


def test_clients_that_are_sure_to_answer_are_no_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit the outcomes of the others are listed, above it they are not."""
    three = SubmodularClients((Modular((2, 0)),) + (Modular((0, 1)),) * 3, Uniform(2, 1), (1, 1, 1, 1))
    assert importance.answer_chances(three, Fraction(1)) == (1, *[Fraction(1, 3)] * 3)
    monkeypatch.setattr(sparsifier, "COUNTS", 4)
    assert sparsifier.deviation_chance(three, Fraction(1), Fraction(1)) == Fraction(1, 27)  # all three: three times F
    monkeypatch.setattr(sparsifier, "COUNTS", 3)
    with pytest.raises(NotEnumerable, match="more than 3 outcomes of the Bernoulli draws"):
        sparsifier.deviation_chance(three, Fraction(1), Fraction(1))
    assert sparsifier.deviation_chance(three, Fraction(3), Fraction(0)) == 0
