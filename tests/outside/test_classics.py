"""Famous theorems, true and false ones, as a reader would state them here: each is decided as it is known to be."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory import Algorithm, Case, falsify, find, worst
from fltheory.claims.check import check_claim
from fltheory.problems import QuadraticClients
from fltheory.worst_case.two_sided import bracket
from tests.outside.loading import FALSE, HERE, TRUE, loaded

WORK = 1_500  # of searches for what is not there, in the gate: a few seconds


def refuted(claim: Any, **settings: Any) -> Any:
    """The verdict of a search, which is exact."""
    found = falsify(claim, **settings).verdict
    assert found is not None
    assert (found.status, found.evidence) == ("violated", "exact")
    return found


def withstands(claim: Any, **settings: Any) -> Any:
    """What a search says that finds nothing, and tests something."""
    found = falsify(claim, **settings)
    assert found.verdict is None
    assert found.tested > found.undecided
    return found


# False ---------------------------------------------------------------------------------------------------------------------


QUICK = (  # those that are found within some hundred units of work
    ("classics/11_sgd_constant.py", "CLAIM"),
    ("classics/14_step_beyond_two.py", "CLAIM"),
    ("classics/15_gda_bilinear.py", "CLAIM"),
    ("classics/17_nesterov_monotone.py", "CLAIM"),
)


MISSED = (("classics/02_exp3_sure.py", "CLAIM"),)  # false with a probability of a hundredth, after thousands of rounds


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("file", "name"), [one for one in FALSE if one not in MISSED])
def test_what_is_false_is_refuted_within_the_default_work(file: str, name: str, seed: int) -> None:
    found = falsify(getattr(loaded(file), name), seed=seed).verdict
    assert found is not None
    assert found.status == "violated"


@pytest.mark.parametrize(("file", "name"), QUICK)
def test_what_is_false_at_its_edge_is_refuted_soon(file: str, name: str) -> None:
    found = falsify(getattr(loaded(file), name), work=1_000).verdict
    assert found is not None
    assert found.status == "violated"


def test_fedavg_of_a_constant_step_settles_beside_the_optimum() -> None:
    claim = loaded("classics/06_fedavg_constant.py").CLAIM
    clients = QuadraticClients((1, "1/2"), (1, -1), 1)
    case = Case(clients, n_local_steps=2, n_rounds=200, step_size="1/2")
    found = check_claim(claim, case)
    assert (found.status, found.evidence) == ("violated", "exact")
    assert check_claim(claim, case.with_settings(n_local_steps=1)).status == "holds"  # one step is gradient descent


def test_simultaneous_descent_and_ascent_spirals_out_and_the_extragradient_does_not() -> None:
    games = loaded("classics/15_gda_bilinear.py")
    refuted(games.CLAIM)
    withstands(games.TRUE, work=WORK)


def test_extragradient_with_a_faster_rate_is_refuted() -> None:
    """The control: its rate is attained, so any smaller one is false."""
    games = loaded("classics/15_gda_bilinear.py")
    (bound,) = games.TRUE.bounds
    refuted(replace(games.TRUE, bounds=(bound.scaled("99/100"),)))


@pytest.mark.parametrize("name", ["CLAIM", "KRUM"])
def test_robust_means_do_not_reach_the_minimiser_of_the_mean(name: str) -> None:
    claim = getattr(loaded("classics/22_median.py"), name)
    clients = QuadraticClients(("7/100",) * 3, ("3/1000", "-3/1000", "4/1000"), 1)
    found = check_claim(claim, Case(clients, n_local_steps=1, n_rounds=1000, step_size="50/63"))
    assert (found.status, found.evidence) == ("violated", "exact")


@pytest.mark.parametrize("name", ["CLAIM", "KRUM"])
def test_the_mean_itself_reaches_it(name: str) -> None:
    def mean(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * sum(oracle.gradient(x, m) for m in range(c.n_clients)) / c.n_clients

    claim = replace(getattr(loaded("classics/22_median.py"), name), algorithm=Algorithm("mean", mean))
    clients = QuadraticClients(("7/100",) * 3, ("3/1000", "-3/1000", "4/1000"), 1)
    found = check_claim(claim, Case(clients, n_local_steps=1, n_rounds=1000, step_size="50/63"))
    assert (found.status, found.evidence) == ("holds", "exact")


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["CLAIM", "KRUM"])
def test_robust_means_are_refuted_by_the_search(name: str) -> None:
    refuted(getattr(loaded("classics/22_median.py"), name))


def test_a_tie_of_equal_clients_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE / "classics")
    claim = find("22_median.py:CLAIM")
    for slopes in (("3/1000", "-3/1000", "3/1000"), ("3/1000", "-3/1000", "4/1000")):
        clients = QuadraticClients(("7/100",) * 3, slopes, 1)
        found = check_claim(claim, Case(clients, n_local_steps=1, n_rounds=1000, step_size="50/63"))
        assert (found.status, found.evidence) == ("violated", "exact")


# True ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "name"), TRUE)
def test_what_is_true_withstands_a_short_search(file: str, name: str) -> None:
    withstands(getattr(loaded(file), name), work=WORK)


@pytest.mark.deep
@pytest.mark.parametrize(("file", "name"), TRUE)
def test_what_is_true_withstands_the_search(file: str, name: str) -> None:
    withstands(getattr(loaded(file), name))


@pytest.mark.turns(2)
@pytest.mark.parametrize(("file", "part"), [("23_gd_4n2.py", "1/3"), ("26_ogd.py", "1/3"), ("34_polyak.py", "1/20")])
def test_a_part_of_what_is_true_is_refuted(file: str, part: str) -> None:
    claim = loaded(f"classics/{file}").TRUE
    (bound,) = claim.bounds
    found = falsify(replace(claim, bounds=(bound.scaled(part),))).verdict
    assert found is not None
    assert found.status == "violated"


@pytest.mark.parametrize("rounds", [512, 600, 720])
def test_heavy_ball_has_its_verdict_in_any_number_of_rounds(rounds: int) -> None:
    module = loaded("classics/repro_heavy_ball.py")
    case = next(case for case in module.claim.cases if dict(case.settings)["n_rounds"] == rounds)
    found = check_claim(module.claim, case)
    assert (found.status, found.evidence) == ("vacuous", "exact")


def test_files_say_what_they_are() -> None:
    """Each input has a head that tells where the statement is from."""
    for path in [*Path(HERE / "public").glob("*.py"), *Path(HERE / "classics").glob("*.py")]:
        assert path.read_text().startswith('"""'), path.name


# Tight for the class -------------------------------------------------------------------------------------------------------


def test_a_learner_has_no_worst_case_over_rounds_and_is_told_so() -> None:
    with pytest.raises(ValueError, match="is about a game that OGD plays, not the rounds of an algorithm"):
        worst(loaded("classics/26_ogd.py").TRUE, {"n_rounds": 4})


def test_a_bound_that_is_the_worst_case_is_called_tight() -> None:
    claim = loaded("classics/23_gd_4n2.py").TRUE
    at = {"smoothness": 1, "initial_distance": 1, "n_rounds": 1}
    found = worst(claim, at)
    assert (found.status, found.bracket.lower, found.bracket.upper) == ("holds", Fraction(1, 6), Fraction(1, 6))
    assert "worst case: exactly 1/6, attained by" in str(found)
    assert str(found).splitlines()[-1].startswith("tight: holds for every instance")
    near = replace(
        found, bracket=bracket(found.bracket.question), status="open"
    )  # as where the value is not recognised
    last = str(near).splitlines()[-1]
    assert re.fullmatch(r"tight: the bound and the worst case agree within \de-0[789] .* open in the last digits", last)
    (bound,) = claim.bounds
    for part, words in (("101/100", "holds for every instance"), ("99/100", "violated (exact)")):
        other = worst(replace(claim, bounds=(bound.scaled(part),)), at)
        assert str(other).splitlines()[-1].startswith(words)
