"""Regret of the OSMD sampler: mutants, enumeration by other means, units, and how near the bounds are."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.osmd import bounds, notation
from fltheory.papers.osmd.algorithms import osmd, step
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.instances.random_feedback import KINDS, RandomFeedback
from fltheory.papers.osmd.regret import claims
from fltheory.papers.osmd.regret.cases import Reacting
from fltheory.papers.osmd.regret.closed_forms import vacuity_sentence
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.closed_forms import project_exactly
from fltheory.runs.constants import Constants
from fltheory.search.falsifier import falsify

BY_ID = {c.id.removeprefix("osmd/"): c for c in claims.CLAIMS}
OF_GAMES = tuple(name for name in BY_ID if isinstance(BY_ID[name].cases[0].instance, RandomFeedback | FeedbackTable))


@cache
def verdict_of(name: str, i: int) -> Verdict:
    """The verdict on a stored case."""
    return check_claim(BY_ID[name], BY_ID[name].cases[i])


def test_random_games_refute_a_tenth_of_theorem_6() -> None:
    claim = BY_ID["C-T6@strengthened"]
    assert falsify(replace(claim, bounds=(claim.bound.scaled(Fraction(1, 10)),)), max_cases=300).found


# Comparators that are random --------------------------------------------------------------------------------------------


def test_a_comparator_that_knows_the_draw_is_excluded(monkeypatch: pytest.MonkeyPatch) -> None:
    corrected, knowing = BY_ID["C-6-random@corrected"], BY_ID["C-6-random@strict"].cases[0]
    assert check_claim(corrected, knowing).status == "inapplicable"
    assert check_claim(replace(corrected, assumptions=()), knowing).status == "violated"
    right = law.estimated_loss
    monkeypatch.setattr(law, "estimated_loss", lambda a, q, p, n: right(a, q, [Fraction(1, len(p))] * len(p), n))
    assert check_claim(corrected, corrected.cases[0]).status == "violated"


@pytest.mark.parametrize(("name", "foresight"), [("C-P13-past@explicit", 0), ("C-P13-foreseen@explicit", 1)])
def test_a_reacting_game_needs_the_first_term_of_the_bound(name: str, foresight: int) -> None:
    claim = BY_ID[name]
    slow = Case(Reacting(((1, 0), (1, 0)), ((1, 0), (1, 0)), "1/1000", 4, foresight=foresight))
    assert check_claim(claim, slow).status in ("holds", "vacuous")
    energy = bounds.P13.expr.coeff(notation.a2) * notation.a2
    assert check_claim(replace(claim, bounds=(replace(claim.bound, expr=energy),)), slow).status == "violated"
    other = Case(Reacting(((1, 0), (0, 1)), ((1, 0), (0, 1)), "1/1000", 3, foresight=1))
    assert check_claim(claim, other).status == "inapplicable"


def test_a_game_that_does_not_react_is_a_table() -> None:
    """The same regret as the enumeration of sampling games, and the variation of a comparator that reacts by hand."""
    row, masses = (1, 0), (2, 1)
    reacting = Reacting((row, row), (masses, masses), "1/20", 5)
    table = FeedbackTable((row,), 1, "9/10", (("31/60", "29/60"),), repeat=5)
    found = check_claim(BY_ID["C-P13@printed"], Case(table, sampler_rate="1/20"))
    assert found.measured is not None
    assert float(reacting.ends().regret) == pytest.approx(found.measured, rel=1e-9)
    two = Reacting((row, row), ((1, 0), (0, 1)), "1/20", 2)
    assert float(two.ends().variation) == pytest.approx(0.1)  # in half of the courses it moves by 0.2
    with pytest.raises(ValueError, match="paths"):
        Reacting((row, row), (masses, masses), 1, 20)


@pytest.mark.parametrize("kind", KINDS)
def test_many_clients(kind: str) -> None:
    game = RandomFeedback(kind, 10, 100, 1, 5, "9/10", "floored")
    verdict = check_claim(BY_ID["C-C7@strengthened"], Case(game))
    assert verdict.status in ("holds", "vacuous"), str(verdict)  # a comparator that moves all the time costs much
    assert verdict.ratio is not None
    assert verdict.ratio < 1


# Enumeration by other means ---------------------------------------------------------------------------------------------


def plain_regret(game: FeedbackTable, eta: float) -> float:
    """Expected regret over every sequence of draws, as Algorithm 1 is written in the paper."""
    drawn, clients, a = game.n_sampled, game.n_clients, game.table
    total = 0.0
    for course in itertools.product(itertools.product(range(clients), repeat=drawn), repeat=game.n_rounds - 1):
        p, chance, cost = [1 / clients] * clients, 1.0, 0.0
        for t in range(game.n_rounds):
            q = game.comparator_row(t, None)
            cost += sum(v / (drawn * w) - v / (drawn * u) for v, w, u in zip(a[t], p, q, strict=True) if v)
            if t + 1 == game.n_rounds:
                break
            chance *= math.prod(p[m] for m in course[t])
            counts = [course[t].count(m) for m in range(clients)]
            y = [w * math.exp(n * eta * v / (drawn**2 * w**3)) for w, n, v in zip(p, counts, a[t], strict=True)]
            p = [float(v) for v in project_exactly(y, game.floor)]
        total += chance * cost
    return total


@pytest.mark.parametrize(
    ("game", "rate"),
    [
        (FeedbackTable(((1, "1/2"), ("1/3", 2), (3, 1)), 2, "1/2", "floored"), "1/20"),
        (FeedbackTable(((1, 0, 2), (0, 1, 1)), 1, "3/10", "best", repeat=2), "1/50"),
        (FeedbackTable(((2, 1),), 1, "1/5", (("9/10", "1/10"),), repeat=5), "1/100"),
    ],
)
def test_the_regret_is_that_of_all_courses(game: FeedbackTable, rate: str) -> None:
    case = Case(game, sampler_rate=rate)
    plain = plain_regret(game, float(Fraction(rate)))
    verdict = check_claim(BY_ID["C-T6@strengthened"], case)
    assert verdict.evidence == "exact"
    assert verdict.measured == pytest.approx(plain, rel=1e-12)
    low, high = claims.REGRET.in_floats(osmd, case)
    assert low <= plain <= high
    runs = claims.REGRET.simulate(osmd, case, 0, np.arange(2000))
    assert abs(runs.mean() - plain) <= 5 * runs.std() / math.sqrt(2000) + 1e-12


# Mutants of the sampler -------------------------------------------------------------------------------------------------


def towards_the_quiet(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
    """Moves probability to clients without feedback, as far as the floor allows."""
    low = c.probability_floor / c.n_clients
    quiet = feedback == 0
    some = quiet.any(axis=1, keepdims=True) & (feedback > 0).any(axis=1, keepdims=True)
    share = (1 - low * (~quiet).sum(axis=1, keepdims=True)) / np.maximum(quiet.sum(axis=1, keepdims=True), 1)
    return np.where(some, np.where(quiet, share, low), p)


def test_a_sampler_that_moves_away_from_the_loss_is_refuted() -> None:
    wrong = Sampler("away", towards_the_quiet)
    case = Case(FeedbackTable(((1, 0),), 1, "9/10", "fixed", repeat=60), sampler_rate="1/100")
    for name in ("C-P13@strengthened", "C-P13-path@strengthened"):
        assert check_claim(BY_ID[name], case).status == "holds"
        assert check_claim(replace(BY_ID[name], algorithm=wrong), case).status == "violated"


def test_a_user_writes_one_function_and_gets_the_same() -> None:
    def mine(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        return step(p, counts, feedback, c)

    own = check_claim(replace(BY_ID["C-C7@printed"], algorithm=osmd._replace(step=mine)), Case(claims.TURNS))
    assert own.status == "holds"
    assert own.evidence == "numerical"


@pytest.mark.parametrize("name", ["C-P13@printed", "C-P13-path@printed", "C-C7@printed"])
def test_comparators_below_the_floor_are_excluded(name: str) -> None:
    verdict = check_claim(BY_ID[name], Case(claims.BELOW, sampler_rate="1/10"))
    assert verdict.status == "inapplicable"
    assert "below the floor" in verdict.reason


# Units ------------------------------------------------------------------------------------------------------------------


def scaled(case: Case, by: Fraction) -> Case:
    """All feedback times ``by``, the rate over it."""
    game = case.instance
    more: RandomFeedback | FeedbackTable
    if isinstance(game, RandomFeedback):
        more = replace(game, scale=by)
    else:
        assert isinstance(game, FeedbackTable)
        more = replace(game, feedback=tuple(tuple(by * v for v in row) for row in game.feedback))
    rate = dict(case.settings).get("sampler_rate")
    return Case(more) if rate is None else Case(more, sampler_rate=rate / by)


@pytest.mark.parametrize("name", OF_GAMES)
def test_ratios_do_not_depend_on_the_units(name: str) -> None:
    claim = BY_ID[name]
    last = len(claim.cases) - 1
    few = name in ("C-P13@printed", "C-C7@printed", "C-T6-projection@printed")
    for i in {0, 1, last} if few or name == "C-C7@strengthened" else {0}:
        there = check_claim(claim, scaled(claim.cases[i], Fraction(1000, 7)))
        assert there.ratio == pytest.approx(verdict_of(name, i).ratio, rel=1e-9), str(there)
        assert there.status == "holds"


# How near: one heavy client ---------------------------------------------------------------------------------------------


def limit(a: float, clients: int = 2) -> float:
    """Regret times the rate for many small steps with one heavy client."""
    x = 1 - (clients - 1) * a / clients
    return ((x - 1 / clients) - (1 - x) * math.log((1 - 1 / clients) / (1 - x))) / x


def simulated(a: float, rounds: int, seed: int) -> float:
    """Regret times the rate of one path at the rate (20), by the closed form for two clients: normalise and clip."""
    draw = random.Random(seed).random
    eta = a**3 / 8 * math.sqrt(2 * math.log(2) / rounds)
    x, p, total = 1 - a / 2, 0.5, 0.0
    for _ in range(rounds):
        total += 1 / p - 1 / x
        if draw() < p:
            y = p * math.exp(eta / p**3)
            p = min(x, y / (y + 1 - p))
    return total * eta


@pytest.mark.parametrize(
    ("a", "slack"), [(0.5, 6.78), (0.3, 3.48), (0.2, 2.61), (0.1, 1.97), (0.01, 1.46), (1e-9, 1.386)]
)
def test_the_limits_slack(a: float, slack: float) -> None:
    assert math.log(2) / limit(a) == pytest.approx(slack, rel=2e-3)


def test_long_games_come_near_to_the_limit() -> None:
    near = [abs(simulated(0.5, n, 0) / limit(0.5) - 1) for n in (1_000, 100_000)]
    assert near[1] < near[0]
    assert near[1] < 0.02
    assert np.mean([simulated(0.3, 100_000, s) for s in range(3)]) == pytest.approx(limit(0.3), rel=0.03)


def test_the_limit_is_seen_exactly() -> None:
    """At a high floor a few hundred rounds are many: balls, no draws."""
    found = []
    for rounds, rate in ((40, "1/200"), (100, "1/1000")):
        case = Case(FeedbackTable(((1, 0),), 1, "9/10", "fixed", repeat=rounds), sampler_rate=rate)
        verdict = check_claim(BY_ID["C-P13@strengthened"], case)
        assert verdict.evidence == "exact"
        assert verdict.measured is not None
        found.append(verdict.measured * float(Fraction(rate)) / limit(0.9))
    assert abs(found[1] - 1) < abs(found[0] - 1)
    assert found[1] == pytest.approx(1, rel=0.05)


def test_stored_cases_are_near() -> None:
    near = {"C-P13@strengthened": 0.8, "C-T6@strengthened": 0.98}
    for name, least in near.items():
        claim = BY_ID[name]
        assert claim.tightest is not None
        constants = claim.tightest.constants
        if name == "C-T6@strengthened":
            verdict = check_claim(claim, claim.tightest)
            assert verdict.status == "holds"
            assert verdict.ratio is not None
            assert verdict.ratio > least
        else:  # the limit stands for the regret, which takes long to enumerate
            rate = to_float(constants[notation.eta])
            assert limit(0.9) / rate / bounds.P13_SHARP(constants) > least


# Schedules --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_random_schedules_are_what_they_say(kind: str) -> None:
    game = RandomFeedback(kind, 4, 40, 3, 2, "1/2", "floored", "1/3")
    assert eval(repr(game)) == game
    rows = game.table * 3
    assert rows.shape == (40, 4)
    assert (rows > 0).all()
    levels = np.array([float(f"{v:.2e}") for v in game.levels])
    t = np.arange(1, 41)[:, None]
    if kind == "lognormal":
        np.testing.assert_allclose(rows, np.broadcast_to(levels, rows.shape))
    elif kind == "heavy":
        np.testing.assert_allclose(rows, np.broadcast_to([1, 1e-3, 1e-3, 1e-3], rows.shape))
    elif kind == "rotating":
        np.testing.assert_allclose(rows, 0.01 + np.repeat(np.eye(4), 10, axis=0))
    elif kind == "decaying":
        np.testing.assert_allclose(rows, game.levels / (1 + 20 * t / 40), rtol=6e-3)
    else:
        tails = rows / np.array(game.levels)
        assert tails.min() > 0.99
        assert 1.2 < tails.mean() < 2.5  # 5/3
    assert RandomFeedback(kind, 4, 40, 3).table.tolist() == RandomFeedback(kind, 4, 40, 3).table.tolist()


def test_levels_are_lognormal() -> None:
    logs = np.log(RandomFeedback("lognormal", 4000, 1).levels)
    assert abs(logs.mean()) < 0.1
    assert logs.std() == pytest.approx(1.5, rel=0.05)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: RandomFeedback("odd", 2, 2), "kind"),
        (lambda: RandomFeedback("heavy", 0, 2), "clients"),
        (lambda: RandomFeedback("heavy", 2, 2, seed=-1), "seed"),
        (lambda: RandomFeedback("heavy", 2, 2, scale=0), "scale"),
        (lambda: RandomFeedback("heavy", 2, 2, comparator=((1, 0), (1, 0))), "by name"),
        (lambda: RandomFeedback("heavy", 2, 2, comparator="worst"), "comparator"),
    ],
)
def test_bad_schedules_are_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


@pytest.mark.parametrize("claim", claims.C7, ids=lambda c: c.id)
def test_remarks_say_from_which_round_on(claim: Claim) -> None:
    assert vacuity_sentence(claim.bound) in claim.remark
