"""Qualitative claims of Section 6 on generated federations, and the regret theorems on the responses of a federation.

All readings of the experiments are strict, none is printed: the data are not the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, quantity, requires
from fltheory.evidence.verdict import Status
from fltheory.model.case import Assumption, Case
from fltheory.number import Number
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.complexity.claims import families
from fltheory.papers.aaggff.entropic.claims.entropic import rate_tuning
from fltheory.papers.aaggff.entropic.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.experiments.federation_measures import (
    Chance,
    Event,
    RecordedEstimates,
    RecordedRegret,
    UsedLess,
)
from fltheory.papers.aaggff.experiments.studies import SILO, Outcome
from fltheory.papers.aaggff.instances.federation import (
    BERKA,
    DEVICES,
    ISIC,
    MANY_DEVICES,
    MQP,
    Federation,
    LogisticFederation,
    QuadraticFederation,
)
from fltheory.papers.aaggff.instances.games import case_at
from fltheory.papers.aaggff.newton.claims.newton import EVERYONE
from fltheory.papers.aaggff.notation import T
from fltheory.papers.aaggff.paper import theorem
from fltheory.runs.measures import Measure

# The federations -------------------------------------------------------------------------------------------------

LONGEST = 100  # the largest number of rounds in the paper's cross-silo federations


def _one_of(*known: LogisticFederation) -> Assumption:
    def check(case: Case) -> str | None:
        return None if case.instance in known else f"expected one of {', '.join(map(repr, known))}"

    return Assumption("the federation of the experiment", check)


# Comparison of the methods ----------------------------------------------------------------------------------------


OUTCOMES: Mapping[str, Callable[[Outcome], np.ndarray]] = {
    "average": lambda found: found.average,
    "worst": lambda found: found.worst,
    "best": lambda found: found.best,
    "gini": lambda found: found.gini,
    "largest_loss": lambda found: found.largest_loss,
}


def _better(what: str, sign: int, ties: bool = False, margin: float = 0.0) -> Event:
    """Return the event that our ``sign`` times outcome exceeds every rival's by a margin, or equals it (``ties``)."""

    def event(own: Outcome, rivals: tuple[Outcome, ...]) -> np.ndarray:
        best = np.max([sign * OUTCOMES[what](r) for r in rivals], axis=0)
        ours = sign * OUTCOMES[what](own)
        return np.asarray(ours >= best + margin if ties or margin else ours > best)

    return event


def _nearer(what: str) -> Event:
    """Return the event that our outcome is closer to the first rival's than to the second's."""

    def event(own: Outcome, rivals: tuple[Outcome, ...]) -> np.ndarray:
        first, second = (np.abs(OUTCOMES[what](own) - OUTCOMES[what](r)) for r in rivals)
        return np.asarray(first < second)

    return event


def _within(what: str, distance: float) -> Event:
    """Return the event that our outcome is within a distance of the rival's."""

    def event(own: Outcome, rivals: tuple[Outcome, ...]) -> np.ndarray:
        return np.asarray(np.abs(OUTCOMES[what](own) - OUTCOMES[what](rivals[0])) <= distance)

    return event


def _near_uniform(own: Outcome, rivals: tuple[Outcome, ...]) -> np.ndarray:
    return own.from_uniform <= 1 / 20


def _experiment(name: str, shown: str, event: Event, rivals: tuple[str, ...], silo: bool) -> Statement:
    quick, known = (BERKA, (BERKA, MQP, ISIC)) if silo else (DEVICES, (DEVICES, MANY_DEVICES))
    measure: Measure = Chance(f"P({shown})", event, rivals)
    return theorem(name, "Section 6", measure, aaggff_s if silo else aaggff_d, assumptions=[_one_of(*known)],
        tuning=bounds.NEWTON if silo else PRINTED_STEP, cases=(Case(quick),),
        full_cases=lambda: tuple(Case(federation) for federation in known[1:]), family=lambda: families().experiments(silo=silo),
        kind="experiment", remark="Most: in a fresh run, data included, with probability at least 1/2.")


def _silo(name: str, shown: str, event: Event, *rivals: str) -> Statement:
    return _experiment(f"E-S-{name}", shown, event, rivals, True)


def _device(name: str, shown: str, event: Event, *rivals: str) -> Statement:
    return _experiment(f"E-D-{name}", shown, event, rivals, False)


def _literal(of: Statement, statement: str, expected: Status = "holds") -> Claim:
    text = f"Analogue on our data: {statement}"
    note = "an analogue: the federations are generated, not the paper's"
    return of.strict(text, MOST <= quantity, note=note, recorded=expected)


MOST = Rational(1, 2)
NOT_AFL = tuple(name for name in SILO if name != "AFL")
CROSS_SILO = (
    _literal(_silo("worst", "worst accuracy above FedAvg's", _better("worst", 1), "FedAvg"),
        "Cross-silo, AAggFF-S serves the worst client better than FedAvg does in most runs."),
    _literal(_silo("gini", "Gini coefficient below FedAvg's", _better("gini", -1), "FedAvg"),
        "Cross-silo, AAggFF-S has a smaller Gini coefficient than FedAvg in most runs."),
    _literal(_silo("largest", "largest loss below the others'", _better("largest_loss", -1), *NOT_AFL),
        "Cross-silo, AAggFF-S ends with a smaller largest loss than FedAvg, q-FedAvg, TERM and PropFair in most runs."),
    _literal(_silo("largest-AFL", "largest loss below all others'", _better("largest_loss", -1), *SILO),
        "Cross-silo, AAggFF-S ends with a smaller largest loss than all baselines, AFL included, in most runs.",
        "violated"),
    _literal(_silo("average", "average accuracy at least all others'", _better("average", 1, True), *SILO),
        "Cross-silo, no baseline has a better average accuracy in most runs (Table 2: Berka, ISIC).", "violated"),
    _literal(_silo("best", "best accuracy at least all others'", _better("best", 1, True), *SILO),
        "Cross-silo, no baseline serves the best client better in most runs (Table 2: Berka, ISIC).", "violated"),
    _silo("average", "average accuracy below FedAvg's", _better("average", -1), "FedAvg").corrected(
        "Cross-silo, AAggFF-S has a lower average accuracy than FedAvg in most runs.", MOST <= quantity),
    _silo("AFL", "largest loss nearer to AFL's than to FedAvg's", _nearer("largest_loss"), "AFL", "FedAvg").corrected(
        "Cross-silo, the largest loss under AAggFF-S is nearer to AFL's than to FedAvg's in most runs.",
        MOST <= quantity),
)
CROSS_DEVICE = (
    _literal(
        _device("worst", "worst tenth at least .0095 above FedAvg's", _better("worst", 1, margin=0.0095), "FedAvg"),
        "Cross-device, AAggFF-D lifts the worst tenth of the clients by .0095 over FedAvg in most runs (the least in Table 3).",
        "violated"),
    _literal(
        _device("average", "average at least .0048 above FedAvg's", _better("average", 1, margin=0.0048), "FedAvg"),
        "Cross-device, AAggFF-D lifts the average accuracy by .0048 over FedAvg in most runs (the least in Table 3).",
        "violated"),
    _device("uniform", "distance from uniform at most 1/20", _near_uniform).corrected(
        "Cross-device, the weights that update the model are within total variation 1/20 of uniform weights of the participants, "
        "on average over the rounds, in most runs.", MOST <= quantity),
    _device("same-average", "average within .005 of uniform averaging's", _within("average", 0.005), "uniform").corrected(
        "Cross-device, the average accuracy is within .005 of that of uniform averaging in most runs.",
        MOST <= quantity),
    _device("same-worst", "worst tenth within .01 of uniform averaging's", _within("worst", 0.01), "uniform").corrected(
        "Cross-device, the worst tenth has an accuracy within .01 of that under uniform averaging in most runs.",
        MOST <= quantity),
)

# The theorems on the federation's own responses -------------------------------------------------------------------

REGRET: Measure = RecordedRegret()
USED_LESS: Measure = UsedLess()
ESTIMATES: Measure = RecordedEstimates()
APART = QuadraticFederation((1, 2, 1), ((1, 0), (-1, "1/2"), (0, -2)), ("1/10", "1/5", 0), 40, "1/4")
PAIR = QuadraticFederation((1, "1/2"), ((2,), (-1,)), ("1/4", "1/2"), 60, "1/2", 2)


def _wide(federation: LogisticFederation | QuadraticFederation, high: Number = 1, cdf: str = "weibull") -> Any:
    return replace(federation, high=high, cdf=cdf)


def _not_of_the_paper(one: Federation, c: Constants) -> str | bool:
    other = one.n_rounds > LONGEST or one.low != 0 or one.high * one.n_clients != 1
    return other and f"expected at most {LONGEST} rounds and responses in [0, 1/K]"


PAPERS_RANGE = requires("the paper's range and sizes", _not_of_the_paper)
OWN = "On the responses that a federation itself produces"
PRINTED_RANGE = tuple(Case(f) for f in (BERKA, MQP, ISIC, APART, PAIR))
WIDE = tuple(Case(f) for f in (_wide(BERKA), _wide(MQP, 1, "normal"), _wide(ISIC, 2), _wide(APART), _wide(PAIR, "1/2")))
TUNED = (case_at(BERKA, 4), case_at(_wide(MQP), "1/2"), case_at(APART, "1/2"), case_at(PAIR, 1))
ENTROPIC = tuple(Case(f) for f in (BERKA, _wide(MQP, 1, "frechet"), ISIC, APART, _wide(PAIR)))
SAMPLED = (
    Case(DEVICES),
    Case(_wide(DEVICES, 1)),
    Case(LogisticFederation(20, 80, 1, samples=5)),
    Case(QuadraticFederation((1, 2, 1), ((1, 0), (-1, "1/2"), (0, -2)), ("1/10", "1/5", 0), 40, n_participating=2)),
)
newton = theorem("E-T5.1", "Theorem 5.1", REGRET, aaggff_s, assumptions=[EVERYONE], mode="surely")
at_any_curvature = newton.restated("E-T5.1", cases=TUNED, family=lambda: families().tuned_federations())
used = replace(at_any_curvature.restated("E-used", "Algorithm 2"), measure=USED_LESS)
ON_OWN_RESPONSES = (
    newton.printed(f"{OWN}, AAggFF-S satisfies Theorem 5.1 as printed, with the paper's range and sizes.", bounds.T51,
        assumptions=[EVERYONE, PAPERS_RANGE], cases=PRINTED_RANGE, family=lambda: families().federations(), tuning=bounds.NEWTON,
        remark="Theorem 5.1 is false in this range, but only for more rounds: up to 100 it holds for any responses."),
    newton.restated("E-T5.1-window").corrected(f"{OWN}, AAggFF-S satisfies Theorem 5.1 where 1/(4L) <= beta*(V).",
        bounds.T51_WINDOW, cases=WIDE, family=lambda: families().wide_federations(), tuning=bounds.NEWTON),
    at_any_curvature.strengthened(
        f"{OWN}, AAggFF-S satisfies the centred bound for any alpha and any beta <= beta*(V).", bounds.T51_SHARP),
    used.strengthened(
        f"{OWN}, the decisions that update the model, p^(t+1) on round t, lose no more than p^(1..T), for any alpha and beta.",
        quantity <= 0, given=[*bounds.RANGE, T >= 2],
        remark="p^(t+1) minimises the objective of p^(t) plus <g, p> + beta/2 <g, p - p^(t)>^2, which is thus no larger there: "
        "<g, p^(t+1)> <= <g, p^(t)>, round by round. In a single round all losses may be equal, and so are both sums."),
    theorem("E-T5.2", "Theorem 5.2", REGRET, aaggff_d_exact, assumptions=[EVERYONE], mode="surely").printed(
        f"{OWN}, AAggFF-D with exact gradients satisfies Theorem 5.2.", bounds.T52, cases=ENTROPIC,
        family=lambda: families().federations(), tuning=rate_tuning(bounds.L)),
    theorem("E-P1", "Corollary 5.3", ESTIMATES, aaggff_d, mode="surely").corrected(
        f"{OWN} where some clients take part, the linearised regret of AAggFF-D is at most 2 L_DR sqrt(T log K).",
        bounds.P1, cases=SAMPLED, family=lambda: families().sampled_federations(), tuning=PRINTED_STEP),
)

CLAIMS: tuple[Claim, ...] = (*CROSS_SILO, *CROSS_DEVICE, *ON_OWN_RESPONSES)
