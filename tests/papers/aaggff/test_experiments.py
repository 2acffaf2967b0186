"""Experiments on federations and costs of a round: negations, counts against the learners they count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.games.learners import NewtonState, constant_learner, entropic_play, newton_update
from fltheory.games.simplex_qp import solve_dense
from fltheory.model.case import Case
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_s
from fltheory.papers.aaggff.complexity import closed_forms
from fltheory.papers.aaggff.complexity.closed_forms import CountingFloat, ServerRound, Tally
from fltheory.papers.aaggff.experiments import claims as statements
from fltheory.papers.aaggff.experiments import studies as experiments
from fltheory.papers.aaggff.experiments.federation_measures import Chance, UsedLess
from fltheory.papers.aaggff.instances.federation import LogisticFederation, QuadraticFederation
from fltheory.problems.responses import ResponseTable
from fltheory.runs.constants import run_constants

RATE = 1e-9
CHANCES = (*statements.CROSS_SILO, *statements.CROSS_DEVICE)
ON_RUNS = statements.ON_OWN_RESPONSES


def name(claim: Claim) -> str:
    return claim.id


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", CHANCES, ids=name)
def test_the_contrary_has_the_other_verdict(claim: Claim) -> None:
    """Not only does a statement hold in most runs: its negation does not, and the other way round."""
    measure = claim.measure
    assert isinstance(measure, Chance)

    def contrary(own, rivals):
        return ~measure.event(own, rivals)

    verdict = check_claim(replace(claim, measure=replace(measure, event=contrary)), claim.cases[0], RATE)
    assert verdict.status == ("violated" if claim.entry.recorded == "holds" else "holds")
    assert verdict.evidence == "statistical"
    assert verdict.error_rate == RATE


def test_quadratic_clients_are_judged_exactly_and_logistic_ones_on_their_path() -> None:
    for claim in ON_RUNS[:-1]:
        kinds = {type(case.instance).__name__: check_claim(claim, case).evidence for case in claim.cases}
        assert kinds == {"LogisticFederation": "sampled", "QuadraticFederation": "exact"}


def test_another_learner_can_be_asked() -> None:
    """The uniform decision does not serve the worst client better, and is not nearer to AFL than to FedAvg; it keeps

    to Theorem 5.1 here, though another that puts all weight on the best client does not.
    """
    by_id = {c.id.removeprefix("aaggff/"): c for c in statements.CLAIMS}
    for key in ("E-S-AFL@corrected", "E-S-largest@strict"):
        claim = replace(by_id[key], algorithm=constant_learner())
        assert check_claim(claim, claim.cases[0], RATE, stages=(1000, 100)).status != "holds"
    window = by_id["E-T5.1-window@corrected"]
    unfair = aaggff_s._replace(
        step=lambda p, seen, response, c: np.eye(c.n_clients)[response.argmin(axis=1)], name="the least loss"
    )
    assert check_claim(replace(window, algorithm=unfair), window.cases[0]).status == "violated"


def test_what_moves_the_model_may_cost_more_under_other_learners() -> None:
    """A learner that goes to the client of the least loss, on clients whose losses differ from the start."""
    claim = next(c for c in ON_RUNS if isinstance(c.measure, UsedLess))
    away = aaggff_s._replace(
        step=lambda p, seen, response, c: np.eye(c.n_clients)[response.argmin(axis=1)], name="the least loss"
    )
    assert check_claim(replace(claim, algorithm=away), Case(statements.APART)).status == "violated"


def test_wide_balls_ask_for_more_precision() -> None:
    """Clients that train far in a round: at the first precision the balls of a decision swallow the simplex."""
    centres = (("1/4", "1/2"), ("1/2", -2), ("-1/4", "5/4"), ("-3/4", "-1/2"))
    game = QuadraticFederation(("1/2", 2, 1, "3/4"), centres, ("3/2", 2, "5/4", 1), 23, "1/4", 2, high=1)
    case = Case(game, learner_curvature="607/1000", learner_regularisation="1/10")
    for claim in (c for c in ON_RUNS if c.id in ("aaggff/E-used@strengthened", "aaggff/E-T5.1@strengthened")):
        verdict = check_claim(claim, case)
        assert (verdict.status, verdict.evidence) == ("holds", "exact")


# Experiments ------------------------------------------------------------------------------------------------------------


def test_runs_are_paired_and_do_not_depend_on_the_block() -> None:
    game = LogisticFederation(5, 10, 2, samples=3)
    case = Case(game, learner_scale=2)
    whole = experiments.of_learner(aaggff_d, case, 3, (0, 1, 2, 3))
    part = experiments.of_learner(aaggff_d, case, 3, (2, 3))
    assert np.allclose(whole.losses[2:], part.losses, rtol=1e-10)
    assert not np.allclose(experiments.of_learner(aaggff_d, case, 4, (2, 3)).losses, part.losses)
    same = experiments.of_learner(constant_learner(), case, 3, (0, 1, 2, 3))
    rival = experiments.of_rival("uniform", game, 3, (0, 1, 2, 3))
    assert (same.accuracy == rival.accuracy).all()
    assert np.allclose(rival.from_uniform, 0, atol=1e-15)
    assert (whole.from_uniform > 0).all()
    with pytest.raises(KeyError):
        experiments.of_rival("nobody", game, 3, (0,))
    with pytest.raises(ValueError, match="AFL"):
        experiments.of_rival("AFL", game, 3, (0,))


def test_the_measures_of_an_outcome() -> None:
    accuracy = np.array([[0.5, 1.0, 0.75, 0.25], [1.0, 1.0, 1.0, 1.0]])
    made = experiments.Outcome(accuracy, 1 - accuracy, np.zeros(2))
    assert made.average.tolist() == [0.625, 1]
    assert made.worst.tolist() == [0.25, 1]
    assert made.best.tolist() == [1, 1]
    assert made.largest_loss.tolist() == [0.75, 0]
    assert made.gini == pytest.approx([25, 0])  # 100 * 10 * 0.25 * 2 / (2 * 16 * 0.625)
    two = experiments.Outcome(accuracy - 0.1, 1 - accuracy, np.zeros(2))
    better, as_good = statements._better("best", 1), statements._better("best", 1, ties=True)
    assert better(made, (two,)).all()
    assert not better(two, (made, two)).any()
    assert not better(made, (made,)).any()
    assert as_good(made, (made,)).all()
    assert not statements._better("worst", 1, margin=0.11)(made, (two,)).any()
    assert statements._nearer("worst")(made, (made, two)).all()
    assert not statements._nearer("worst")(made, (two, made)).any()
    assert statements._within("average", 0.11)(made, (two,)).all()
    assert not statements._within("average", 0.09)(made, (two,)).any()


def test_only_the_experiment_of_a_claim_is_judged() -> None:
    claim = CHANCES[0]
    assert isinstance(claim.measure, Chance)
    assert check_claim(claim, Case(LogisticFederation(3, 5))).status == "inapplicable"


def test_training_serves_clients() -> None:
    """All methods end far above guessing, and a federation of equal clients serves all alike."""
    game = LogisticFederation(4, 40, spread=0, samples=20)
    for method in experiments.SILO:
        assert experiments.of_rival(method, game, 0, (0, 1, 2)).average.min() > 0.7
    apart = LogisticFederation(4, 40, spread=4, samples=20)
    alike, uneven = (experiments.of_rival("FedAvg", g, 0, tuple(range(9))).gini.mean() for g in (game, apart))
    assert alike < uneven / 2


# Counts -----------------------------------------------------------------------------------------------------------------


def counted(values, tally):
    return [CountingFloat(float(v), tally) for v in values]


def plain(values):
    return np.array([v.value for v in values])


def test_a_counted_number_counts() -> None:
    tally = Tally()
    a, b = counted([4, 2], tally)
    assert (a + b * 3 - 1).value == 9
    assert tally.count == 3
    assert (1 - a / b).value == -1
    assert (1 / b + a.sqrt()).value == 2.5
    assert (b - b).exp().log().value == 0
    assert tally.count == 3 + 2 + 3 + 3


@pytest.mark.parametrize("rounds", [closed_forms.device_round, closed_forms.simplified_device_round])
def test_the_device_round_is_the_learners(rounds) -> None:
    """Two rounds on lists against AAggFF-D; with another rate it isn't."""
    K, size = 6, 1.5
    game = ResponseTable(((0.25, 0.5, 0.125, 1, 0.75, 0), (0, 1, 0.5, 0.5, 0, 0.25)), (1, 1), n_participating=3)
    c = run_constants(Case(game, learner_scale="3/2"), None)
    for scale, good in ((size, True), (2 * size, False)):
        tally = Tally()
        p, total = counted(np.full(K, 1 / K), tally), counted(np.zeros(K), tally)
        state = aaggff_d.init(1, c)
        for t, who in enumerate(([0, 2, 5], [1, 2, 3])):
            responses = game.table[t][who]
            seen = np.zeros((1, K), dtype=np.int64)
            seen[0, who] = 1
            state = aaggff_d.step(state, seen, seen * game.table[t], c)
            total, p = rounds(total, p, who, counted(responses, tally), *counted([K, scale, t], tally))
        assert np.allclose(plain(p), entropic_play(state, c)[0], rtol=1e-12) == good


def test_the_silo_round_is_the_learners() -> None:
    K, tally = 5, Tally()
    rng = np.random.default_rng(0)
    p, r = np.full(K, 1 / K), rng.random(K)
    state = NewtonState(p[None], 8 * np.eye(K)[None], rng.random((1, K)) / 10)
    g = -r / (1 + p @ r)
    B, linear = newton_update(state, g[None], 0.25)
    rows, side = closed_forms.silo_matrix(
        [counted(row, tally) for row in state.B[0]],
        counted(state.linear[0], tally),
        counted(p, tally),
        counted(r, tally),
        CountingFloat(0.25, tally),
    )
    assert np.allclose([plain(row) for row in rows], B[0], rtol=1e-14)
    assert np.allclose(plain(side), linear[0], rtol=1e-13)
    found = plain(closed_forms.silo_face(rows, side))
    solved = solve_dense(B, linear)[0][0]
    assert (solved > 1e-3).all()  # the face of all clients
    assert np.allclose(found, solved, atol=1e-8)
    assert not np.allclose(plain(closed_forms.silo_face(rows, side[::-1])), solved, atol=1e-3)


def test_one_client_more_changes_the_counts_as_stated() -> None:
    one, two = (closed_forms.device_count(ServerRound(k, 5)) for k in (50, 51))
    assert two - one == 13
    assert closed_forms.device_count(ServerRound(50, 6)) - one == 5
    (a, b), (c, d) = (closed_forms.silo_counts(ServerRound(k, k)) for k in (10, 20))
    assert 3 < c / a < 4
    assert 6 < d / b < 8
    with pytest.raises(ValueError, match="4 of 3"):
        ServerRound(3, 4)


def test_what_clients_add_is_counted_in_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that reads no losses adds nothing."""
    game = LogisticFederation(4, 3, samples=2)
    case = Case(game, learner_regularisation=1, learner_curvature=1)
    assert closed_forms.extra(case) == (1, 1)
    plain_server = closed_forms.by_method(closed_forms.fedavg, game.sizes)
    monkeypatch.setattr(closed_forms, "by_learner", lambda learner, cdf: plain_server)
    assert closed_forms.extra(case) == (0, 0)
