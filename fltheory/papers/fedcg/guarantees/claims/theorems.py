"""Theorems 3.2 and 3.5 and sharper forms: FedCG with full and with partial participation, and gradient sharing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Eq, Expr, exp

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, case_measure, imported_late, quantity
from fltheory.model.case import Assumption, Case
from fltheory.papers.fedcg import algorithms, bounds
from fltheory.papers.fedcg.bounds import HESSIAN, SHORT
from fltheory.papers.fedcg.guarantees.closed_forms import rules
from fltheory.papers.fedcg.guarantees.closed_forms.measures import Shortfall
from fltheory.papers.fedcg.instances.clients import (
    facility_clients,
    fresh_groups,
    perturbed_clients,
    private_facilities,
    private_items,
)
from fltheory.papers.fedcg.notation import OPT, D, T, ceilings, curvature, delta, error, eta, m_F, r, weighted
from fltheory.papers.fedcg.paper import CLIENTS, WORTH, fedcg
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Graphic, Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.measures import ENERGY

USUAL = (*CLIENTS, WORTH)
ANY_TIES = "However ties are broken: the direction is any base of largest weight."

families = imported_late("fltheory.papers.fedcg.guarantees.families")


def case_of_run(instance: SubmodularClients, rounds: int, step: object = None, **more: object) -> Case:
    """Return a run of so many rounds, of step 1/T unless another is given."""
    return Case(instance, n_rounds=rounds, server_step_size=Fraction(1, rounds) if step is None else step, **more)


# Cases ----------------------------------------------------------------------------------------------------------

GROUPS = tuple(case_of_run(fresh_groups(r, t), t) for r, t in ((2, 8), (2, 30), (3, 12), (4, 9)))
ONE_CLIENT = (
    *GROUPS,
    case_of_run(facility_clients(1, 10, 3, 1, seed=1), 12),
    case_of_run(facility_clients(1, 8, 2, 1, seed=2), 9, "1/12"),
)
TRIANGLE = Graphic(((0, 1), (1, 2), (0, 2), (2, 3)))
ALIKE = (
    case_of_run(perturbed_clients(3, 6, 2, "1/100"), 8),
    case_of_run(perturbed_clients(4, 8, 2, "1/50", seed=1, kind="partition"), 6, "1/8"),
    case_of_run(perturbed_clients(20, 12, 3, "1/100", seed=2), 10),
    case_of_run(SubmodularClients((Modular((4, 3, 2, 1)), Modular((4, 2, 3, 1))), TRIANGLE, (3, 1)), 12),
    case_of_run(facility_clients(60, 12, 3, "1/100", seed=3), 10),
    case_of_run(facility_clients(8, 9, 3, "1/50", seed=4, kind="partition", equal=False), 10),
)
FULL = (*GROUPS[:2], *ALIKE)
TIGHT = case_of_run(private_items(15), 8)  # direction sharing loses nearly everything: the bound is tight, and vacuous
ONE_OVER_T = ((eta, 1 / T),)


def tuned_runs(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the same runs with the step 1/T, which the statement sets."""
    found = []
    for case in cases:
        settings = dict(case.settings)
        if settings.pop("server_step_size") * settings["n_rounds"] == 1:
            found.append(Case(case.instance, **settings))
    return tuple(found)


def just_long_enough(case: Case) -> Case:
    """Return the error that a run's length allows; case constants would require the optimum."""
    instance, length = case.instance, dict(case.settings)["n_rounds"]
    return case.with_settings(
        additive_error=Fraction(instance.matroid.rank) ** 2 * max(instance.singletons()) / (2 * length))


# Centralised continuous greedy (Section 2) and gradient sharing (Section 3) ---------------------------------------

shared_gradients = partial(fedcg.theorem, measure=Shortfall(()), method=algorithms.gradient_sharing, assumptions=USUAL,
    mode="surely")
P6 = shared_gradients("P6", "Section 2, continuous greedy", family=lambda: families().one_client())
P6_LIMIT = shared_gradients("P6-limit", "Section 3", measure=Shortfall((), "e"), tuning=ONE_OVER_T)
P7 = fedcg.theorem("P7", "Section 2, optimality of 1 - 1/e", None, kind="external")
CENTRAL = (
    P6.strict("Continuous greedy: (1 - (1 - η)^T) OPT <= F(x_T) + C η²/2, C = m_f r², with no factor T",
        bounds.P6_LITERAL, counterexamples=GROUPS[:2], family=lambda: families().one_client(fresh=True),
        remark="Each of the T steps loses up to η² r² m_f / 2: the factor T is missing. The paper says that C depends on the "
        "Lipschitz constant, and no more."),
    P6.corrected("Continuous greedy: (1 - (1 - η)^T) OPT <= F(x_T) + T η² r² m_f / 2", bounds.P6, cases=ONE_CLIENT,
        tightest=case_of_run(fresh_groups(2, 60), 60)),
    P6.restated("P6-share", family=lambda: families().full()).corrected(
        "Gradient sharing by N clients is continuous greedy on F: no heterogeneity error", bounds.P6,
        cases=(*ALIKE[:3], case_of_run(private_items(9), 9), case_of_run(private_facilities(6, 3), 12)),
        tightest=GROUPS[0], remark=ANY_TIES),
    P6_LIMIT.strict("Gradient sharing: for T large enough whatever f is, F(x_T) >= (1 - 1/e) OPT without an error",
        bounds.P6_LIMIT, counterexamples=tuned_runs((*GROUPS, case_of_run(fresh_groups(2, 100), 100))),
        family=lambda: families().one_client(fresh=True, step=False),
        remark="For every T there is an instance (I3 of that T) on which it fails; for one fixed instance it may hold as T goes "
        "to infinity."),
    P6_LIMIT.corrected("Gradient sharing: F(x_T) >= (1 - 1/e) OPT - ε once T >= r² m_F / (2ε)", quantity <= error,
        given=[*SHORT, 2 * T * error >= m_F * r**2],
        cases=tuple(just_long_enough(case) for case in tuned_runs((*GROUPS, *ALIKE[:2]))),
        family=lambda: families().long_enough()),
    P7.printed("No polynomial algorithm beats (1 - 1/e) OPT unless P = NP (quoted from Feige)",
        quantity <= (1 - exp(-1)) * OPT, recorded="inapplicable",
        remark="For reference. That rounding keeps the value is R4.4."),
)

# Theorem 3.2 ------------------------------------------------------------------------------------------------------

WILD = Case(SubmodularClients((Modular((1,)),), Uniform(1, 1)), n_rounds=7, server_step_size=3)
HEAVY = case_of_run(
    SubmodularClients((Modular((1, "1/10")), *(Modular(("11/20", "14/25")),) * 40), Uniform(2, 1), (10**5, *(1,) * 40)),
    60)
OF_32 = "Full participation: (1 - (1 - η)^T) OPT <= F(x_T) + η r Σγ_t + T η² r² m_F / 2"
everybody = partial(fedcg.theorem, place="Theorem 3.2", measure=Shortfall((D,)), method=algorithms.full, assumptions=USUAL,
    mode="surely", family=lambda: families().full())
T32 = everybody("T3.2")
T32_RANGE = everybody("T3.2-range", measure=Shortfall((D,), first=1))
FULL_PARTICIPATION = (
    T32.printed(f"{OF_32}, for every η > 0", bounds.T32_PRINTED, counterexamples=(WILD,),
        family=lambda: families().full(wild=True),
        remark="Needs η <= 1/T: beyond, x_T leaves the polytope, and the inequality itself fails."),
    T32.corrected(f"{OF_32}, for η <= 1/T", bounds.T32, cases=FULL, tightest=TIGHT, remark=ANY_TIES),
    T32_RANGE.printed(f"{OF_32}, for every η > 0, the sum taken over t = 1..T as printed",
        quantity <= eta * r * D + HESSIAN, note="the printed range of the sum", counterexamples=(WILD,),
        family=lambda: families().full(wild=True),
        remark="Needs η <= 1/T, whatever the range of the sum: with one client every γ_t is 0."),
    T32_RANGE.corrected(f"{OF_32}, for η <= 1/T, the sum taken over t = 1..T as printed",
        quantity <= eta * r * D + HESSIAN, given=SHORT, note="the printed range of the sum, eta <= 1/T", cases=FULL,
        tightest=TIGHT,
        remark="The proof uses t = 0..T-1. True for η = 1/T and r >= 2: the second-order term pays for the first round. Open "
        "otherwise."),
    everybody("T3.2-tuned", measure=Shortfall((D,), "e"), tuning=ONE_OVER_T).corrected(
        "η = 1/T: (1 - 1/e) OPT <= F(x_T) + rD/T + r² m_F/(2T)", bounds.T32_TUNED, cases=tuned_runs(FULL),
        family=lambda: families().full(step=False), tightest=tuned_runs((TIGHT,))[0]),
    everybody("S1", measure=Shortfall((weighted,))).strengthened(
        "The same with the weights of the recursion and the mean heterogeneity", bounds.S1, cases=FULL, tightest=TIGHT),
    everybody("S1-curvature", measure=Shortfall((weighted, curvature))).strengthened(
        "And with (ΣΔ)² - ΣΔ² of the directions taken in place of r²", bounds.S1_CURVATURE, cases=FULL, tightest=TIGHT),
    everybody("T3.2-average", place="Theorem 3.2, line 9", method=algorithms.uniform_average).strict(
        "The same for the uniform average of line 9, whatever the weights p", quantity <= eta * r * D + HESSIAN,
        given=SHORT, note="uniform average, where the text averages by p", counterexamples=(HEAVY,),
        family=lambda: families().outvoted(),
        remark="The theorem needs the average by p. Here clients of tiny weight outvote the one that matters."),
)

# Theorem 3.5 ------------------------------------------------------------------------------------------------------


def sampled_run(case: Case, drawn_clients: int, failure: object = "1/10") -> Case:
    """Return the same run with so many clients a round."""
    return case.with_settings(n_sampled=drawn_clients, failure_probability=failure)


RARE = case_of_run(SubmodularClients((Modular((1, 0)), Modular((0, "1/100"))), Uniform(2, 1), (4, 1)), 1)
MANY = case_of_run(perturbed_clients(30, 10, 2, "1/1000", seed=6), 8)
DRAWS = (
    sampled_run(case_of_run(perturbed_clients(3, 6, 2, "1/1000", seed=5), 4), 2, "1/5"),
    sampled_run(case_of_run(perturbed_clients(2, 5, 2, "1/500", seed=7, kind="uniform"), 5), 3),
    sampled_run(case_of_run(perturbed_clients(3, 6, 2, "1/2000", seed=8, kind="partition"), 3, "1/5"), 2),
    sampled_run(MANY, 5, "1/4"),
)
SHARP = (*DRAWS, sampled_run(ALIKE[0].with_settings(n_rounds=4, server_step_size="1/4"), 2))
SMALL_TIGHT = sampled_run(case_of_run(private_items(6), 3), 1)
OF_35 = "K clients drawn by p: with probability at least 1 - δ, "
some = partial(fedcg.theorem, place="Theorem 3.5", measure=Shortfall((D,), random=True), method=algorithms.partial,
    assumptions=USUAL, family=lambda: families().partial())
likely = partial(some, mode="with probability", failure=delta)
T35 = likely("T3.5")
T35_RANGE = likely("T3.5-range", measure=Shortfall((D,), first=1, random=True))
PARTIAL = (
    T35.printed(f"{OF_35}Theorem 3.2 with 6rΣγ_t/√(Kδ/T) more, for every η > 0", bounds.T35_PRINTED,
        counterexamples=(WILD.with_settings(n_sampled=1, failure_probability="1/2"),),
        family=lambda: families().partial(wild=True), remark="As Theorem 3.2: needs η <= 1/T."),
    T35.corrected(f"{OF_35}Theorem 3.2 with 6rΣγ_t/√(Kδ/T) more, for η <= 1/T", bounds.T35, cases=DRAWS,
        tightest=SMALL_TIGHT, remark="At a constant γ the sampling term grows like √T."),
    T35_RANGE.printed(f"{OF_35}the same with the sums over t = 1..T as printed, for every η > 0",
        quantity <= bounds.T35.expr, given=[delta < 1], note="the printed range of the sums",
        counterexamples=(WILD.with_settings(n_sampled=1, failure_probability="1/2"),),
        family=lambda: families().partial(wild=True),
        remark="As Theorem 3.2: needs η <= 1/T, whatever the range of the sums."),
    T35_RANGE.corrected(f"{OF_35}the same with the sums over t = 1..T as printed, for η <= 1/T",
        quantity <= bounds.T35.expr, given=[*SHORT, delta < 1], note="the printed range of the sums, eta <= 1/T",
        cases=DRAWS, tightest=SMALL_TIGHT, remark="The proof uses t = 0..T-1. True for η = 1/T and r >= 2, open otherwise."),
    likely("T3.5-tuned", measure=Shortfall((D,), "e", random=True), tuning=ONE_OVER_T).corrected(
        f"{OF_35}η = 1/T: (1 - 1/e) OPT <= F(x_T) + rD/T + 6rD/√(TKδ) + r² m_F/(2T)", bounds.T35_TUNED,
        cases=tuned_runs(DRAWS), family=lambda: families().partial(step=False), tightest=tuned_runs((SMALL_TIGHT,))[0]),
    some("S3", measure=Shortfall((weighted,), random=True)).strengthened("In expectation: no sampling term at all",
        bounds.S3, cases=(*SHARP, sampled_run(RARE, 1)), tightest=SMALL_TIGHT),
    likely("S4-chebyshev", measure=Shortfall((weighted, ceilings), random=True)).strengthened(
        f"{OF_35}ηr√(Σg_t²/(Kδ)) more than in expectation, g_t an upper bound of γ_t", bounds.S4_CHEBYSHEV, cases=SHARP,
        tightest=sampled_run(RARE, 1)),
    likely("S4-hoeffding", measure=Shortfall((weighted, ceilings), random=True)).strengthened(
        f"{OF_35}ηr√(2 ln(1/δ)Σg_t²/K) more than in expectation", bounds.S4_HOEFFDING, cases=SHARP,
        tightest=sampled_run(RARE, 1)),
)

# The remarks on T ---------------------------------------------------------------------------------------------------

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
    case_of_run(perturbed_clients(3, 6, 2, "1/1000", seed=9), 30).with_settings(additive_error="1/2"),
    case_of_run(facility_clients(4, 6, 2, "1/200", seed=10), 16).with_settings(additive_error="2/5"),
)


def shortfall_statement(id: str, place: str, value: Callable[[Case], Any], *more: Assumption) -> Statement:
    """State the gap to (1 - 1/e) OPT for runs whose length a rule chooses."""
    measure = case_measure("(1 - 1/e) OPT - F(x_T)", value, ENERGY, trivial=(1 - exp(-1)) * OPT)
    return fedcg.theorem(id, place, measure, assumptions=(*USUAL, *more))


def in_other_units(rule: Expr) -> Statement:
    """Return the value of the rule after Theorem 3.5 in other units of f."""
    measure = case_measure("T in other units", lambda case: rules.in_other_units(rule, case))
    return fedcg.theorem("T3.5-rule-units", "remark after Theorem 3.5", measure, kind="lemma")


AFTER_32, AFTER_35 = "remark after Theorem 3.2", "remark after Theorem 3.5"
LIKE = Assumption("a long enough run with similar clients", rules.not_alike)
MODULAR = Assumption("modular clients", rules.modular_clients)
REMARKS = (
    shortfall_statement("T3.2-rule", AFTER_32, rules.shortfall_by_rule).printed(
        "For every ε, T = max(2rD/ε, m_F r²/ε) steps give (1 - 1/e) OPT <= F(x_T) + ε", quantity <= error,
        counterexamples=(*FIRST, FIRST_I2), family=lambda: families().ruled(),
        remark=f"Read with the D of a first run of n_rounds steps. {CIRCULAR}"),
    shortfall_statement("T3.2-rule", AFTER_32, rules.shortfall, LIKE).corrected(
        "If r Σγ_t/T <= ε/2 on the run and T >= m_F r²/ε: (1 - 1/e) OPT <= F(x_T) + ε", quantity <= error,
        cases=tuned_runs(LONG), family=lambda: families().ruled()),
    shortfall_statement("T3.5-rule", AFTER_35, rules.least_shortfall, MODULAR).printed(
        "For every ε, T = max(3rD/ε, 3 m_F r²/(2ε), 324 r² D²/(Kδε)) steps: with probability at least 1 - δ, "
        "(1 - 1/e) OPT <= F(x_T) + ε",
        quantity <= error,
        counterexamples=tuple(
            sampled_run(Case(private_items(n), n_rounds=1), k).with_settings(additive_error=e)
            for n, k, e in ((5, 1, "1/5"), (10, 100, "1/4"), (10, 1, "1/2"))
        ),
        family=lambda: families().ruled(sampled=True, modular=True),
        remark=f"The measured shortfall is the least over all draws and all T. {CIRCULAR}",
    ),
    in_other_units(rules.RULE_35).printed(
        "The rule after Theorem 3.5 is a number of rounds: the same whatever the units of f",
        Eq(quantity, rules.RULE_35), note="the rule itself", counterexamples=SCALED,
        family=lambda: families().scaled_rules(), inconsistent_units=True,
        remark="The last term must have ε², as the sampling error 6rD/√(TKδ) shows."),
    in_other_units(rules.RULE_35_SQUARED).corrected("The same with ε² in the last term",
        Eq(quantity, rules.RULE_35_SQUARED), note="the rule itself", cases=SCALED,
        family=lambda: families().scaled_rules()),
)

CLAIMS: tuple[Claim, ...] = (*CENTRAL, *FULL_PARTICIPATION, *PARTIAL, *REMARKS)
