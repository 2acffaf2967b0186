"""Theorem 5.1: the regret of AAggFF-S, the online Newton step."""

from __future__ import annotations

from flint import arb

from fltheory.claims.claim import Claim
from fltheory.claims.statement import imported_late, printed, quantity
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Assumption, Case
from fltheory.number import to_ball
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_s
from fltheory.papers.aaggff.instances.games import (
    FairCoin,
    TransformedLosses,
    alternation,
    case_at,
    coins,
    complement,
    horse_race,
    three_phase,
    two_phase,
    vertex,
)
from fltheory.papers.aaggff.notation import C1, C2, K, m
from fltheory.papers.aaggff.paper import PAPER, theorem
from fltheory.problems.responses import AdaptiveResponses, RandomResponses
from fltheory.runs.method import NotEnumerable

REGRET = StaticRegret()
LONGEST = 10**9  # the largest number of coin rounds whose binomial coefficient is computed

families = imported_late("fltheory.papers.aaggff.instances.families")


def _sees_all(case: Case) -> str | None:
    seen, n = (case.instance.constants.get(s) for s in (m, K))
    return None if seen is not None and seen == n else f"only {seen} of {n} clients take part"


EVERYONE = Assumption("all clients take part", _sees_all)

FALSE = (
    Case(two_phase(1000, "1/10")),
    Case(two_phase(1000, "1/5")),
    Case(two_phase(1000, "1/10", low="1/1000")),  # 0 < C1, as in the paper
    Case(three_phase(2, "1/5", 1000, "1/20")),
    Case(three_phase(2, "1/4", 3000, "1/50")),
)


def _more_false() -> tuple[Case, ...]:
    return (Case(three_phase(2, "7/25", 12000, "1/100")), Case(three_phase(2, "29/100", 40000, "1/200")))


PAPERS_RANGE = (Case(complement(5, 2000)), Case(complement(7, 1000)), Case(complement(11, 1000)))


def _more_paper() -> tuple[Case, ...]:
    return (
        Case(complement(6, 1500)),
        Case(three_phase(5, "1/5", 1500, "1/20")),
        Case(three_phase(4, "1/4", 5000, "1/50")),
    )


WIDE = (
    Case(two_phase(400, 1)),
    Case(two_phase(1000, "3/10")),
    Case(alternation(2000)),
    Case(horse_race(3, 60)),
    Case(vertex(4, 100)),
    Case(coins(3, 200)),
    Case(RandomResponses("uniform", 6, 150)),
    Case(TransformedLosses("normal", 7, 100)),
    Case(AdaptiveResponses("least", 3, 150)),
    Case(AdaptiveResponses("next", 2, 200, 2, "1/2")),
    Case(RandomResponses("race", 40, 300)),
    Case(vertex(12, 48, "3/10")),  # the closest case that an adversarial search found
)
GENERAL = (
    case_at(complement(7, 1000), 4),
    case_at(complement(7, 1000), "1/2"),
    case_at(two_phase(1000, "1/10"), "4/5"),
    case_at(two_phase(400, 1, low="1/5"), 2),
    case_at(alternation(2000), "1/4"),
    case_at(three_phase(2, "1/5", 1000, "1/20"), "1/10"),
    case_at(horse_race(3, 60), 1),
    case_at(RandomResponses("uniform", 6, 150), "1/2"),
    case_at(TransformedLosses("weibull", 7, 100), 1),
    case_at(AdaptiveResponses("all but the leader", 3, 200), "1/2"),
    case_at(vertex(2, 10, "1/10000"), "1/1000"),  # attained in the limit of small ranges, alpha = T C2
)


def _more_general() -> tuple[Case, ...]:
    return (
        case_at(three_phase(5, "1/5", 1500, "1/20"), 4),
        case_at(complement(12, 2000), 1),
        case_at(RandomResponses("coin", 20, 300), 1),
        *(case_at(TransformedLosses(name, 11, 200), 1) for name in ("frechet", "gumbel", "exponential", "logistic", "normal")),
    )


newton_step = theorem("T5.1", "Theorem 5.1", REGRET, aaggff_s, assumptions=[EVERYONE], mode="surely")
as_printed = newton_step.restated("T5.1", tuning=bounds.NEWTON)
THEOREM = (
    as_printed.printed("AAggFF-S with alpha = 4 K L, beta = 1/(4L) has regret at most 2 L K (1 + log(1 + T/(16 K))).",
        bounds.T51, counterexamples=FALSE, full_cases=_more_false, family=lambda: families().turning(),
        remark="False where 1/(4L) lies above the window of the curvature: for C1 = 0 where C2 < .29871."),
    as_printed.restated("T5.1-range").printed("The same in the paper's range, C1 = 0 and C2 = 1/K, for K >= 4.",
        quantity <= bounds.T51.expr, given=[*bounds.RANGE, C1 <= 0, C2 * K <= 1, C2 * K >= 1, K >= 4],
        note="C1 = 0, C2 = 1/K", counterexamples=PAPERS_RANGE, full_cases=_more_paper,
        family=lambda: families().turning(paper=True),
        remark="At the paper's own numbers of clients and rounds no violation is known: it takes some hundred rounds more."),
    as_printed.restated("T5.1-window").corrected(
        "The printed bound holds where 1/(4L) <= beta*(V); for C1 = 0 where C2 >= .29871.", bounds.T51_WINDOW,
        cases=WIDE, family=lambda: families().games(wide=True)),
    newton_step.corrected(
        "For any alpha and any beta <= beta*(V) the regret is at most alpha/2 (1 - 1/K) + K/(2 beta) log(1 + beta T L^2/alpha).",
        bounds.T51_GENERAL, cases=GENERAL, full_cases=_more_general, family=lambda: families().tuned_games()),
    newton_step.strengthened("The same with centred gradients: rank K - 1, entries within H.", bounds.T51_SHARP,
        cases=GENERAL, full_cases=_more_general, family=lambda: families().tuned_games()),
)


# The lower bound I4 ---------------------------------------------------------------------------------------------


def coin_regret(T: int, high: arb) -> arb:
    """E max(S1, S2) log(1 + C2) - T log(1 + C2/2): what any learner's expected regret on the fair coin is at least.

    E max(S1, S2) = T/2 + T/2 binom(T, T/2) / 2^T for even T, the mean deviation of a binomial.
    """
    if T > LONGEST:
        raise NotEnumerable(f"a binomial coefficient of more than {LONGEST} rounds")
    middle = arb.bin_uiui(T, T // 2) / arb(2) ** T
    return arb(T) / 2 * (1 + middle) * (1 + high).log() - T * (1 + high / 2).log()


LOWER = (
    *PAPER.lemma("T5.1-coin", "Theorem 5.1", "least E regret of any learner on a fair coin",
        lambda one, c: coin_regret(int(c.n_rounds), to_ball(c.response_high)), family=lambda: families().fair_coins(),
        kind="lower bound").readings(
        printed("The bound of Theorem 5.1 as printed is not below the least regret of any learner on a fair coin.",
            bounds.T51, counterexamples=(Case(FairCoin(20000, "1/100")), Case(FairCoin(160000, "1/1000"))),
            remark="No algorithm at all can meet the printed bound for small ranges: it shrinks with C2 faster than sqrt(T) C2 "
            "does."),
        printed("The bound of Theorem 5.2 is not below the least regret of any learner on a fair coin.", bounds.T52,
            cases=(Case(FairCoin(20000, "1/100")), Case(FairCoin(1000, "1/100"))), id="T5.2-coin")),
)

CLAIMS: tuple[Claim, ...] = (*THEOREM, *LOWER)
