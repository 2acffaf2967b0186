"""Theorems 3.2 and 3.5 with their sharper forms: FedCG with full and with partial participation, and gradient sharing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.papers.fedcg import algorithms, bounds, letters
from fltheory.papers.fedcg.claims.direct import claim, drawn
from fltheory.papers.fedcg.data.instances import (
    facility_clients,
    fresh_groups,
    opposite_ties,
    perturbed_clients,
    private_facilities,
    private_items,
)
from fltheory.papers.fedcg.exact import rules
from fltheory.papers.fedcg.exact.measures import Shortfall
from fltheory.papers.fedcg.letters import D, T, ceilings, curvature, delta, eta, weighted
from fltheory.problems.decomposable import SubmodularClients, monotone_submodular
from fltheory.problems.sets.matroids import Graphic, Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.measures import ENERGY, DirectMeasure

CLIENTS = Assumption(
    "clients under a matroid constraint",
    lambda case: None if isinstance(case.instance, SubmodularClients) else "they are none",
)
USUAL = (CLIENTS, monotone_submodular)
ANY_TIES = "However ties are broken: the direction is any base of largest weight."


def _positive(case: Case) -> str | None:
    return None if case.constants[letters.OPT] > 0 else "every set is worth 0"


WORTH = Assumption("some set is worth something", _positive)


def run(instance: Any, rounds: int, step: object = None, **more: object) -> Case:
    """A run of so many rounds, of step 1/T unless another is given."""
    return Case(instance, n_rounds=rounds, server_step_size=Fraction(1, rounds) if step is None else step, **more)


def theorem(
    name: str,
    statement: str,
    bound: Bound,
    measure: Shortfall,
    algorithm: Any,
    cases: tuple[Case, ...],
    family: Any,
    **more: Any,
) -> Claim:
    """A statement about the shortfall of a run."""
    mode = more.pop("mode", "surely")
    failure = more.pop("failure", delta) if mode == "with probability" else None
    return Claim.recorded(
        f"fedcg/{name}@{bound.source.reading}",
        statement,
        (bound,),
        measure,
        algorithm,
        (*USUAL, WORTH),
        mode,
        cases=cases,
        family=family,
        failure=failure,
        **more,
    )


# Cases ----------------------------------------------------------------------------------------------------------

GROUPS = tuple(run(fresh_groups(r, t), t) for r, t in ((2, 8), (2, 30), (3, 12), (4, 9)))
ONE_CLIENT = (
    *GROUPS,
    run(facility_clients(1, 10, 3, 1, seed=1), 12),
    run(facility_clients(1, 8, 2, 1, seed=2), 9, "1/12"),
)
TRIANGLE = Graphic(((0, 1), (1, 2), (0, 2), (2, 3)))
ALIKE = (
    run(perturbed_clients(3, 6, 2, "1/100"), 8),
    run(perturbed_clients(4, 8, 2, "1/50", seed=1, kind="partition"), 6, "1/8"),
    run(perturbed_clients(20, 12, 3, "1/100", seed=2), 10),
    run(SubmodularClients((Modular((4, 3, 2, 1)), Modular((4, 2, 3, 1))), TRIANGLE, (3, 1)), 12),
    run(facility_clients(60, 12, 3, "1/100", seed=3), 10),
    run(facility_clients(8, 9, 3, "1/50", seed=4, kind="partition", equal=False), 10),
)
FULL = (*GROUPS[:2], *ALIKE)
TIGHT = run(private_items(15), 8)  # direction sharing loses nearly everything: the bound is sharp, and vacuous
_ETA = ((eta, 1 / T),)


def tuned(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The same runs where the step is 1/T, which is left to the statement."""
    found = []
    for case in cases:
        settings = dict(case.settings)
        if settings.pop("server_step_size") * settings["n_rounds"] == 1:
            found.append(Case(case.instance, **settings))
    return tuple(found)


def _just_long_enough(case: Case) -> Case:
    """The error that a run's length allows."""
    c = case.constants
    return case.with_settings(additive_error=Fraction(c[letters.r]) ** 2 * c[letters.m_F] / (2 * c[T]))


# Centralised continuous greedy (Section 2) and gradient sharing (Section 3) ---------------------------------------

_NO_LETTERS = Shortfall(())
CENTRAL = (
    theorem(
        "P6",
        "Continuous greedy: (1 - (1 - η)^T) OPT <= F(x_T) + C η²/2, C = m_f r², with no factor T",
        bounds.P6_PRINTED,
        _NO_LETTERS,
        algorithms.gradient_sharing,
        GROUPS[:2],
        drawn("runs", "one_client", fresh=True),
        expected="violated",
        remark="Each of the T steps loses up to η² r² m_f / 2: the factor T is missing.",
    ),
    theorem(
        "P6",
        "Continuous greedy: (1 - (1 - η)^T) OPT <= F(x_T) + T η² r² m_f / 2",
        bounds.P6,
        _NO_LETTERS,
        algorithms.gradient_sharing,
        ONE_CLIENT,
        drawn("runs", "one_client"),
        tightest=run(fresh_groups(2, 60), 60),
    ),
    theorem(
        "P6-share",
        "Gradient sharing by N clients is continuous greedy on F: no heterogeneity error",
        bounds.P6,
        _NO_LETTERS,
        algorithms.gradient_sharing,
        (*ALIKE[:3], run(private_items(9), 9), run(private_facilities(6, 3), 12)),
        drawn("runs", "full"),
        tightest=GROUPS[0],
        remark=ANY_TIES,
    ),
    theorem(
        "P6-limit",
        "Gradient sharing: for T large enough whatever f is, F(x_T) >= (1 - 1/e) OPT without an error",
        bounds.P6_LIMIT,
        Shortfall((), "e"),
        algorithms.gradient_sharing,
        tuned((*GROUPS, run(fresh_groups(2, 100), 100))),
        drawn("runs", "one_client", fresh=True, step=False),
        tuning=_ETA,
        expected="violated",
        remark="For every T there is an instance (I3 of that T) on which it fails; one fixed instance and T to infinity "
        "is another matter.",
    ),
    theorem(
        "P6-limit",
        "Gradient sharing: F(x_T) >= (1 - 1/e) OPT - ε once T >= r² m_F / (2ε)",
        bounds.P6_LIMIT_TRUE,
        Shortfall((), "e"),
        algorithms.gradient_sharing,
        tuple(_just_long_enough(c) for c in tuned((*GROUPS, *ALIKE[:2]))),
        drawn("runs", "long_enough"),
        tuning=_ETA,
    ),
    Claim.recorded(
        "fedcg/P7@printed",
        "No polynomial algorithm beats (1 - 1/e) OPT unless P = NP (quoted from Feige)",
        (bounds.P7,),
        expected="inapplicable",
        kind="external",
        remark="For reference. That rounding keeps the value is R4.4.",
    ),
)

# Theorem 3.2 ------------------------------------------------------------------------------------------------------

_SUM, _MEAN = Shortfall((D,)), Shortfall((weighted,))
WILD = Case(SubmodularClients((Modular((1,)),), Uniform(1, 1)), n_rounds=7, server_step_size=3)
BEYOND = Case(opposite_ties(), n_rounds=6, server_step_size=1)
HEAVY = run(  # one client has nearly all the weight, forty others outvote it in a uniform average
    SubmodularClients((Modular((1, "1/10")), *(Modular(("11/20", "14/25")),) * 40), Uniform(2, 1), (10**5, *(1,) * 40)),
    60,
)
_32 = "Full participation: (1 - (1 - η)^T) OPT <= F(x_T) + η r Σγ_t + T η² r² m_F / 2"
FULL_PARTICIPATION = (
    theorem(
        "T3.2",
        f"{_32}, for every η > 0",
        bounds.T32_PRINTED,
        _SUM,
        algorithms.full,
        (WILD, BEYOND),
        drawn("runs", "full", wild=True),
        expected="violated",
        remark="Needs η <= 1/T: beyond, x_T leaves the polytope, and the inequality itself fails.",
    ),
    theorem(
        "T3.2",
        f"{_32}, for η <= 1/T",
        bounds.T32,
        _SUM,
        algorithms.full,
        FULL,
        drawn("runs", "full"),
        tightest=TIGHT,
        remark=ANY_TIES,
    ),
    theorem(
        "T3.2-range",
        f"{_32}, for η <= 1/T, the sum taken over t = 1..T as printed",
        bounds.T32_RANGE,
        Shortfall((D,), first=1),
        algorithms.full,
        FULL,
        drawn("runs", "full"),
        tightest=TIGHT,
        remark="The proof uses t = 0..T-1. Open: neither proved nor refuted with the printed range.",
    ),
    theorem(
        "T3.2-tuned",
        "η = 1/T: (1 - 1/e) OPT <= F(x_T) + rD/T + r² m_F/(2T)",
        bounds.T32_TUNED,
        Shortfall((D,), "e"),
        algorithms.full,
        tuned(FULL),
        drawn("runs", "full", step=False),
        tuning=_ETA,
        tightest=tuned((TIGHT,))[0],
    ),
    theorem(
        "S1",
        "The same with the weights of the recursion and the mean heterogeneity",
        bounds.S1,
        _MEAN,
        algorithms.full,
        FULL,
        drawn("runs", "full"),
        tightest=TIGHT,
    ),
    theorem(
        "S1-curvature",
        "And with (ΣΔ)² - ΣΔ² of the directions taken in place of r²",
        bounds.S1_CURVATURE,
        Shortfall((weighted, curvature)),
        algorithms.full,
        FULL,
        drawn("runs", "full"),
        tightest=TIGHT,
    ),
    theorem(
        "T3.2-average",
        "The same for the uniform average of line 9, whatever the weights p",
        bounds.T32_AVERAGE,
        _SUM,
        algorithms.uniform_average,
        (HEAVY,),
        drawn("runs", "outvoted"),
        expected="violated",
        remark="The theorem needs the average by p. Here clients of tiny weight outvote the one that matters.",
    ),
)

# Theorem 3.5 ------------------------------------------------------------------------------------------------------


def sampled(case: Case, drawn_clients: int, failure: object = "1/10") -> Case:
    """The same run with so many clients a round."""
    return case.with_settings(n_sampled=drawn_clients, failure_probability=failure)


RARE = run(SubmodularClients((Modular((1, 0)), Modular((0, "1/100"))), Uniform(2, 1), (4, 1)), 1)
TINY = run(perturbed_clients(3, 6, 2, "1/1000", seed=5), 4)
MANY = run(perturbed_clients(30, 10, 2, "1/1000", seed=6), 8)
DRAWS = (
    sampled(TINY, 2, "1/5"),
    sampled(run(perturbed_clients(2, 5, 2, "1/500", seed=7, kind="uniform"), 5), 3),
    sampled(run(perturbed_clients(3, 6, 2, "1/2000", seed=8, kind="partition"), 3, "1/5"), 2),
    sampled(MANY, 5, "1/4"),
)
SHARP = (*DRAWS, sampled(ALIKE[0].with_settings(n_rounds=4, server_step_size="1/4"), 2))
SMALL_TIGHT = sampled(run(private_items(6), 3), 1)
_35 = "K clients drawn by p: with probability at least 1 - δ, "
_DRAWN = Shortfall((D,), random=True)
PARTIAL = (
    theorem(
        "T3.5",
        f"{_35}Theorem 3.2 with 6rΣγ_t/√(Kδ/T) more, for every η > 0",
        bounds.T35_PRINTED,
        _DRAWN,
        algorithms.partial,
        (WILD.with_settings(n_sampled=1, failure_probability="1/2"),),
        drawn("runs", "partial", wild=True),
        mode="with probability",
        expected="violated",
        remark="As Theorem 3.2: needs η <= 1/T.",
    ),
    theorem(
        "T3.5",
        f"{_35}Theorem 3.2 with 6rΣγ_t/√(Kδ/T) more, for η <= 1/T",
        bounds.T35,
        _DRAWN,
        algorithms.partial,
        DRAWS,
        drawn("runs", "partial"),
        mode="with probability",
        tightest=SMALL_TIGHT,
        remark="At a constant γ the sampling term grows like √T.",
    ),
    theorem(
        "T3.5-range",
        f"{_35}the same with the sums over t = 1..T as printed, for η <= 1/T",
        bounds.T35_RANGE,
        Shortfall((D,), first=1, random=True),
        algorithms.partial,
        DRAWS,
        drawn("runs", "partial"),
        mode="with probability",
        tightest=SMALL_TIGHT,
        remark="The proof uses t = 0..T-1. Open with the printed range.",
    ),
    theorem(
        "T3.5-tuned",
        f"{_35}η = 1/T: (1 - 1/e) OPT <= F(x_T) + rD/T + 6rD/√(TKδ) + r² m_F/(2T)",
        bounds.T35_TUNED,
        Shortfall((D,), "e", random=True),
        algorithms.partial,
        tuned(DRAWS),
        drawn("runs", "partial", step=False),
        mode="with probability",
        tuning=_ETA,
        tightest=tuned((SMALL_TIGHT,))[0],
    ),
    theorem(
        "S3",
        "In expectation: no sampling term at all",
        bounds.S3,
        Shortfall((weighted,), random=True),
        algorithms.partial,
        (*SHARP, sampled(RARE, 1)),
        drawn("runs", "partial"),
        mode="in expectation",
        tightest=SMALL_TIGHT,
    ),
    theorem(
        "S4-chebyshev",
        f"{_35}ηr√(Σg_t²/(Kδ)) more than in expectation, g_t a ceiling of γ_t",
        bounds.S4_CHEBYSHEV,
        Shortfall((weighted, ceilings), random=True),
        algorithms.partial,
        SHARP,
        drawn("runs", "partial"),
        mode="with probability",
        tightest=sampled(RARE, 1),
    ),
    theorem(
        "S4-hoeffding",
        f"{_35}ηr√(2 ln(1/δ)Σg_t²/K) more than in expectation",
        bounds.S4_HOEFFDING,
        Shortfall((weighted, ceilings), random=True),
        algorithms.partial,
        SHARP,
        drawn("runs", "partial"),
        mode="with probability",
        tightest=sampled(RARE, 1),
    ),
)

# The remarks on T ---------------------------------------------------------------------------------------------------

_SHORTFALL = "(1 - 1/e) OPT - F(x_T)"
MODULAR = Assumption("modular clients", rules.modular_clients)
FIRST = tuple(Case(private_items(n), n_rounds=1, additive_error=e) for n, e in ((5, "1/5"), (10, "1/10"), (10, "2/5")))
FIRST_I2 = Case(private_facilities(6, 2), n_rounds=1, additive_error="1/4")
CIRCULAR = (
    "D is itself a sum of T terms: no T satisfies the rule unless rγ <= ε/2, and on I1 F(x_T) is the same for every T."
)
SCALED = tuple(
    Case(private_items(5), n_sampled=k, failure_probability="1/10", dissimilarity_sum=d, additive_error="1/4")
    for k, d in ((1, 10), (10, 5))
)
LONG = (
    run(perturbed_clients(3, 6, 2, "1/1000", seed=9), 30).with_settings(additive_error="1/2"),
    run(facility_clients(4, 6, 2, "1/200", seed=10), 16).with_settings(additive_error="2/5"),
)


def _direct(
    name: str, statement: str, bound: Bound, compute: Any, cases: tuple[Case, ...], family: Any, **more: Any
) -> Claim:
    extra = more.pop("assumptions", ())
    measure = DirectMeasure(_SHORTFALL, compute, ENERGY, rules.promised)
    return claim(
        name, statement, bound, measure, cases, family, (*USUAL, WORTH, *extra), **{"kind": "upper bound"} | more
    )


REMARKS = (
    _direct(
        "T3.2-rule",
        "For every ε, T = max(2rD/ε, m_F r²/ε) steps give (1 - 1/e) OPT <= F(x_T) + ε",
        bounds.ERROR_32,
        rules.shortfall_by_rule,
        (*FIRST, FIRST_I2),
        drawn("runs", "ruled"),
        expected="violated",
        remark=f"Read with the D of a first run of n_rounds steps. {CIRCULAR}",
    ),
    _direct(
        "T3.2-rule",
        "If r Σγ_t/T <= ε/2 on the run and T >= m_F r²/ε: (1 - 1/e) OPT <= F(x_T) + ε",
        bounds.ERROR_32_TRUE,
        rules.shortfall,
        tuned(LONG),
        drawn("runs", "ruled"),
        assumptions=(Assumption("a run of like clients, long enough", rules.not_alike),),
    ),
    _direct(
        "T3.5-rule",
        "For every ε, T = max(3rD/ε, 3 m_F r²/(2ε), 324 r² D²/(Kδε)) steps: with probability at least 1 - δ, "
        "(1 - 1/e) OPT <= F(x_T) + ε",
        bounds.ERROR_35,
        rules.least_shortfall,
        tuple(
            sampled(Case(private_items(n), n_rounds=1), k).with_settings(additive_error=e)
            for n, k, e in ((5, 1, "1/5"), (10, 100, "1/4"), (10, 1, "1/2"))
        ),
        drawn("runs", "ruled", sampled=True, modular=True),
        assumptions=(MODULAR,),
        expected="violated",
        remark=f"The measured shortfall is the least over all draws and all T. {CIRCULAR}",
    ),
    claim(
        "T3.5-rule-units",
        "The rule after Theorem 3.5 is a number of rounds: the same whatever the units of f",
        bounds.ERROR_RULE_35,
        DirectMeasure("T in other units", rules.in_other_units(bounds.RULE_35)),
        SCALED,
        drawn("runs", "scaled_rules"),
        expected="violated",
        misscaled=True,
        remark="The last term must have ε², as the sampling error 6rD/√(TKδ) shows.",
    ),
    claim(
        "T3.5-rule-units",
        "The same with ε² in the last term",
        bounds.ERROR_RULE_35_TRUE,
        DirectMeasure("T in other units", rules.in_other_units(bounds.RULE_35_SQUARED)),
        SCALED,
        drawn("runs", "scaled_rules"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*CENTRAL, *FULL_PARTICIPATION, *PARTIAL, *REMARKS)
