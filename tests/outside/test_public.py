"""What was reported of other programs, as a user would write it here: each has the value that is known to be right."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory import Algorithm, Case, Sampler, falsify, find, verify
from fltheory.claims.check import check_claim
from fltheory.command import verdict_table
from fltheory.command.batch import verdict_row
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.problems import QuadraticClients
from fltheory.worst_case.set_functions import worst_ratio
from tests.outside.loading import loaded

# 02: SCAFFOLD with the sign of its correction turned ----------------------------------------------------------------------

SIGN = loaded("public/02_scaffold_sign.py")


@pytest.mark.parametrize("i", range(10))
def test_scaffold_with_the_wrong_sign_has_status_ratio_and_evidence_on_every_case(i: int) -> None:
    found = check_claim(SIGN.claim, SIGN.claim.cases[i])
    assert (found.status, found.evidence) == ("violated" if i in range(2, 8) else "holds", "exact")
    assert "ratio" in str(found)
    assert "inf" not in str(found)


def test_scaffold_with_its_own_sign_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SIGN.claim.algorithm.step.__globals__, "SIGN", -1)
    found = check_claim(SIGN.claim, SIGN.claim.cases[3])
    assert (found.status, found.evidence) in (("holds", "exact"), ("vacuous", "exact"))


def test_the_ratio_of_the_table_is_that_of_the_case_that_decides() -> None:
    verdicts = [check_claim(SIGN.claim, SIGN.claim.cases[i]) for i in (2, 1)]
    rows = [verdict_row(SIGN.claim, v, "sign.py:step", 0) for v in verdicts]
    undecided = {**rows[1], "status": "inconclusive", "ratio": 1.66e100}
    (line,) = verdict_table.verdict_table([*rows, undecided]).rows
    assert "beyond all floats" in line
    assert "1.66e+100" not in line


# 10: FedEM's mean over all clients ----------------------------------------------------------------------------------------

FEDEM = loaded("public/10_fedem_unsampled_kept.py")


def test_a_mean_over_all_clients_keeps_the_bound_on_the_own_cases() -> None:
    assert verify(FEDEM.claim).status == "holds"


@pytest.mark.deep
def test_a_mean_over_all_clients_is_refuted_by_the_search() -> None:
    found = falsify(FEDEM.claim).verdict
    assert found is not None
    assert (found.status, found.evidence) == ("violated", "exact")


def test_a_mean_over_all_clients_is_refuted_by_five_equal_ones() -> None:
    clients = QuadraticClients((1,) * 5, (0,) * 5, 1)
    case = Case(clients, n_local_steps=2, n_participating=1, n_rounds=200, step_size="1/12")
    found = check_claim(FEDEM.claim, case)
    assert (found.status, found.evidence) == ("violated", "exact")
    assert found.ratio == pytest.approx(10.9, abs=0.05)
    assert check_claim(find("sfl/PP-PFL@explicit"), case).status == "holds"  # over those drawn


# 20, 40: lazy greedy, and a value against itself --------------------------------------------------------------------------

LAZY, ITSELF = loaded("public/20_lazy_greedy_stale_gain.py"), loaded("public/40_at_least_of_itself.py")


@pytest.mark.parametrize("way", ["mended", "stamped"])
def test_lazy_greedy_with_renewed_gains_reaches_three_quarters(way: str) -> None:
    found = worst_ratio(lambda game: LAZY.lazy(game, way), n_items=3, optimum={0, 1})
    assert found.lower == found.upper == Fraction(3, 4)


def test_lazy_greedy_with_stale_gains_is_told_not_to_end() -> None:
    with pytest.raises(ValueError, match="has not ended after 10000 comparisons"):
        worst_ratio(lambda game: LAZY.lazy(game, "wrong"), n_items=3, optimum={0, 1})


@pytest.mark.parametrize("name", ["algorithm", "looser", "monotone", "threshold"])
def test_a_value_is_at_least_itself(name: str) -> None:
    found = worst_ratio(getattr(ITSELF, name), n_items=2, optimum={0})
    assert found.lower == found.upper == 1


def test_a_value_is_not_always_more_than_another() -> None:
    """The control: f({0}) is at least f({1}) for some functions alone, so this may end with nothing."""

    def first(game: Any) -> Any:
        return game.value({0}) if game.at_least(game.value({0}), game.value({1})) else game.value(())

    assert worst_ratio(first, n_items=2, optimum={0}).upper == 0


# 37: a sampler that draws surely ------------------------------------------------------------------------------------------

UCB = loaded("public/37_ucb_reversed.py")


@pytest.mark.parametrize("name", ["claim", "right"], ids=["swapped", "as it is"])
def test_a_sampler_that_draws_one_client_surely_is_judged(name: str) -> None:
    """Clients with feedback that are never drawn cost infinitely much."""
    found = verify(getattr(UCB, name))
    assert (found.status, found.evidence, found.known) == ("violated", "numerical", "at least")


def test_a_sampler_that_draws_surely_who_alone_has_feedback_keeps_the_bound() -> None:
    case = Case(FeedbackTable(((1, 0),), 1, "9/10", "floored", repeat=5), sampler_rate="1/20")

    def surely(client: int) -> Any:
        def play(s: Any, c: Any) -> np.ndarray:
            return np.tile(np.eye(c.n_clients)[client], (len(s["n"]), 1))

        sampler = Sampler("surely", UCB.step, init=UCB.init, play=play)
        return check_claim(replace(UCB.claim, algorithm=sampler), case)

    assert surely(0).status in ("holds", "vacuous")
    assert surely(1).status == "violated"


# The round in which it is bad ---------------------------------------------------------------------------------------------

ROUND = loaded("public/bad_in_which_round.py")


@pytest.mark.parametrize("who", ["sampler", "learner", "step"])
@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_the_round_in_which_it_is_bad_is_that_of_the_run(who: str, first: int) -> None:
    found = getattr(ROUND, who)(first)
    assert found.status == "inapplicable"
    assert f"in round {first}" in found.reason
    assert "made-up" not in found.reason


def test_a_step_that_fails_at_once_is_told_so() -> None:
    assert re.search(r"has no attribute 'foo' \(in round 0\), .*bad_in_which_round.py:\d+", ROUND.raising().reason)


# Growing and cancelling ---------------------------------------------------------------------------------------------------

GROWING = loaded("public/growing_and_cancelling.py")


@pytest.mark.parametrize(("rounds", "ratio"), [(100, 1.42e-06), (400, 3.36e-29), (1200, 1.16e-89), (3000, 1.06e-225)])
@pytest.mark.parametrize("which", ["growing", pytest.param("cancelling", marks=pytest.mark.turns(2))])
def test_parts_of_a_state_may_grow(which: str, rounds: int, ratio: float) -> None:
    claim = getattr(GROWING, which)
    found = check_claim(claim, claim.cases[0].with_settings(n_rounds=rounds))
    assert (found.status, found.evidence) == ("holds", "exact")
    assert found.ratio == pytest.approx(ratio, rel=1e-2)


def test_parts_that_grow_and_do_not_quite_cancel_violate() -> None:
    step2 = GROWING.step2

    def step(s: Any, oracle: Any, c: Any) -> Any:
        new = step2(s, oracle, c)
        return {**new, "b": new["b"] + s["x"] / 1000}

    claim = replace(GROWING.cancelling, algorithm=Algorithm("nearly", step, init=GROWING.init2))
    assert check_claim(claim, claim.cases[0].with_settings(n_rounds=400)).status == "violated"


# Random reshuffling -------------------------------------------------------------------------------------------------------

RESHUFFLING = loaded("public/reshuffling.py")


@pytest.mark.parametrize(("name", "ratio"), [("T1_no_n", 2), ("T1_tenth", 10)])
def test_reshuffling_with_a_smaller_noise_term_is_refuted(name: str, ratio: float) -> None:
    start = Case(QuadraticClients(("1/20", "1/20"), (0, 0), 0), n_rounds=1, step_size="1/50")
    claim = replace(getattr(RESHUFFLING, name), cases=(start,))
    assert check_claim(claim, start).status == "holds"
    found = falsify(claim).verdict
    assert found is not None
    assert (found.status, found.evidence) == ("violated", "exact")
    assert 1 < found.ratio <= ratio  # the first counterexample ends the search
    worst = Case(QuadraticClients((1, 1), (0, 1), 0), n_rounds=1, step_size=1)
    assert check_claim(claim, worst).ratio == pytest.approx(ratio)


@pytest.mark.deep
def test_reshuffling_as_published_is_not_refuted_and_its_factor_is_attained() -> None:
    found = falsify(RESHUFFLING.T1)
    assert found.verdict is None
    assert found.nearest is not None
    assert found.nearest.ratio == pytest.approx(1)
