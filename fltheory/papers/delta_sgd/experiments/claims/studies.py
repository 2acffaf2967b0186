"""Experimental statements of Sections 1, 3, 4 and Appendix B, on bundled data: frequencies over runs of stated studies.

No reading is printed, as data and networks differ from the paper's: statements with numbers, or that need none, are
strict; "little" or "small" makes the reading explicit. Only the distribution of labels is the paper's: statements on it
are printed.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, quantity
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import one_of
from fltheory.number import Number
from fltheory.papers.delta_sgd.experiments.dealing import Dealt
from fltheory.papers.delta_sgd.experiments.studies import COLUMNS, Study
from fltheory.papers.delta_sgd.experiments.training_measures import (
    Beaten,
    Behind,
    Changed,
    Epochs,
    Event,
    NoBetter,
    Share,
    at_the_cap,
    below_the_cap,
)
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.runs.step_rule import auto_tuned

# The studies ----------------------------------------------------------------------------------------------------------

SCALED = ("digits/mlp", "digits/softmax", "cancer/mlp")
QUICK = Study(SCALED, "1/10", n_clients=30, n_samples=48, n_participating=6, n_rounds=50, n_seeds=3)
FULL = Study()
ONE_SCALE = replace(FULL, tasks=SCALED)
QUICK_PIXELS, PIXELS = (replace(study, tasks="pixels/mlp", alphas="1/10") for study in (QUICK, FULL))
QUICK_ONE, THREE = replace(QUICK, n_seeds=1), replace(ONE_SCALE, alphas="1/10", n_seeds=3)
QUICK_NETWORKS, NETWORKS = (replace(study, tasks=("digits/mlp", "cancer/mlp"), n_seeds=3) for study in (QUICK_ONE, THREE))
QUICK_CONVEX, CONVEX = (replace(study, tasks="digits/softmax") for study in (QUICK_ONE, THREE))
QUICK_NETWORK, NETWORK = (replace(study, tasks="digits/mlp") for study in (QUICK_ONE, THREE))
RANGE = 16  # of a pixel


def untuned_case(study: Study, initial_step_size: Number = "1/5") -> Case:
    """Return the paper's constants: gamma = 2, delta = 0.1, eta_0 = 0.2, theta_0 = 1."""
    return Case(study, initial_step_size=initial_step_size, initial_ratio=1, amplifier=2, growth_damping="1/10")


def known_cases(*cases: Case) -> Assumption:
    """Require that a case is one of these: the claims on experiments concern them only."""
    return Assumption("the studies of the statement",
        lambda case: None if case in cases else f"expected one of {', '.join(map(repr, cases))}")


# Statements -----------------------------------------------------------------------------------------------------------

HALF, TENTH_LEFT = Rational(1, 2), Rational(9, 10)
TABLE, ANY, BOTH = "Section 4, Table 1", "Section 3, after Algorithm 1", "Appendix B.8, Figure 7"
EPOCHS = "Appendix B.2, Figure 5"
ANALOGUE = "an analogue: the data and the networks are not the paper's"
_NOTE = "the numbers, and what is trained, are not the paper's"
_RUNS = "Every run of a study is counted: task, alpha and seed. Networks are trained in floats."


def share(id: str, place: str, shown: str, event: Event, quick: Case, full: Case) -> Statement:
    """State the frequency of an event among the runs of a study."""
    return PAPER.theorem(id, place, Share(f"share of {shown}", event), auto_tuned, mode="surely", kind="experiment",
        assumptions=(known_cases(quick, full),), cases=(quick,), full_cases=lambda: (full,), family=one_of(quick).draw,
        remark=_RUNS)


COMPARED = (
    share("E-best", TABLE, "runs in which another ends higher", Behind(0.0), untuned_case(QUICK), untuned_case(FULL)).strict(
        "Analogue on our data: In most runs nothing ends above untuned Delta-SGD, others tuned on one task (Table 1: 11 of 15).",
        quantity <= HALF, note=ANALOGUE, counterexamples=(untuned_case(QUICK),)),
    share("E-robust", TABLE, "runs that end more than .005 below the best", Behind(0.005), untuned_case(QUICK),
        untuned_case(FULL)).strict(
        "Analogue on our data: In most runs untuned Delta-SGD ends within 0.5 % of the best optimiser (Table 1: 14 of 15).",
        quantity <= HALF, note=ANALOGUE, counterexamples=(untuned_case(QUICK),)),
    share("E-robust", TABLE, "runs that end more than .05 below the best", Behind(0.05), untuned_case(QUICK),
        untuned_case(FULL)).corrected("In most runs untuned Delta-SGD ends within 5 % of the best optimiser.",
        quantity <= HALF),
    share("E-spread", TABLE, "seeds for which another has a smaller worst shortfall", Beaten(tuple(COLUMNS)),
        untuned_case(QUICK), untuned_case(FULL)).strict(
        "Analogue on our data: For most seeds no worst shortfall from the best of a task is below Delta-SGD's (Table 1: 2.3 %).",
        quantity <= HALF, note=ANALOGUE, counterexamples=(untuned_case(QUICK),)),
    share("E-spread", TABLE, "seeds for which Adam or Adagrad has a smaller worst shortfall",
        Beaten(("Adam", "Adagrad")), untuned_case(QUICK), untuned_case(ONE_SCALE)).corrected(
        "On data of one scale, for most seeds Delta-SGD's worst shortfall is below Adam's and Adagrad's.",
        quantity <= HALF),
    share("E-mistuned", "Section 1, Figure 1", "runs in which SGD with ten times its step ends as high",
        NoBetter("SGD x 10"), untuned_case(QUICK_NETWORKS), untuned_case(NETWORKS)).explicit(
        "In most runs of networks SGD with ten times its tuned step ends below untuned Delta-SGD.", quantity <= HALF,
        note=_NOTE),
    share("E-scale", TABLE, "runs that end more than .05 below the best", Behind(0.05), untuned_case(QUICK_PIXELS),
        untuned_case(PIXELS)).explicit(
        "Untuned Delta-SGD works well across data: within 5 % of the best on unscaled pixels in most runs.",
        quantity <= HALF, note=_NOTE, counterexamples=(untuned_case(QUICK_PIXELS),)),
    share("E-scale", TABLE, "runs that end more than .05 below the best", Behind(0.05),
        untuned_case(QUICK_PIXELS, Rational(1, 5 * RANGE)), untuned_case(PIXELS, Rational(1, 5 * RANGE))).corrected(
        "On unscaled pixels Delta-SGD is within 5 % in most runs if eta_0 is divided by 16, their range.", quantity <= HALF),
)
OF_ITS_OWN = (
    share("E-delta", "Appendix B.1, Figure 4", "runs that delta changes by more than .02",
        Changed("growth_damping", (0.1, 10), 0.02), untuned_case(QUICK_ONE), untuned_case(THREE)).explicit(
        "delta has very little impact: .01 or 1 for .1 changes the accuracy by at most 2 % in most runs.",
        quantity <= HALF, note=_NOTE),
    share("E-theta", ANY, "runs that theta_0 changes by more than .02", Changed("initial_ratio", (0.01, 100), 0.02),
        untuned_case(QUICK_ONE), untuned_case(THREE)).explicit(
        "theta_0 can be quite arbitrary: .01 or 100 for 1 changes the accuracy by at most 2 % in most runs.",
        quantity <= HALF, note=_NOTE),
    share("E-eta", ANY, "runs that lose more than .05", Changed("initial_step_size", (0.01,), 0.05, True),
        untuned_case(QUICK_ONE), untuned_case(THREE)).explicit(
        "eta_0 can be quite arbitrary if it is small: a hundredth of it loses at most 5 % in most runs.",
        quantity <= HALF, note=_NOTE, counterexamples=(untuned_case(QUICK_ONE),)),
    share("E-eta-large", ANY, "runs that lose at most .05", Changed("initial_step_size", (100,), 0.05, True, True),
        untuned_case(QUICK_NETWORKS), untuned_case(NETWORKS)).explicit(
        "eta_0 should be small: networks with a hundred times as much lose more than 5 % in most runs.",
        quantity <= HALF, note=_NOTE),
    share("E-epochs", EPOCHS, "runs with a lower accuracy after a quarter of the rounds", Epochs(2, 0, 0.0, True),
        untuned_case(QUICK_ONE), untuned_case(THREE)).explicit(
        "Two local epochs are no slower: after a quarter of the rounds no less accurate in most runs.",
        quantity <= HALF, note=_NOTE),
    share("E-epochs-gain", EPOCHS, "runs that end more than .02 higher", Epochs(2, -1, 0.02), untuned_case(QUICK_ONE),
        untuned_case(THREE)).explicit(
        "Two local epochs gain only marginally over one: at the end at most 2 % in most runs.", quantity <= HALF,
        note=_NOTE),
    share("E-first", BOTH, "steps at the cap, its second entry", at_the_cap, untuned_case(QUICK_NETWORK),
        untuned_case(NETWORK)).explicit(
        "Both entries matter: the first, local smoothness, decides at least a tenth of a network's steps.",
        quantity <= TENTH_LEFT, note=_NOTE),
    share("E-first-softmax", BOTH, "steps at the cap, its second entry", at_the_cap, untuned_case(QUICK_CONVEX),
        untuned_case(CONVEX)).explicit(
        "The local smoothness decides at least a tenth of the steps in softmax regression, too.",
        quantity <= TENTH_LEFT, note=_NOTE, counterexamples=(untuned_case(QUICK_CONVEX),)),
    share("E-second", BOTH, "steps below the cap", below_the_cap, untuned_case(QUICK_ONE), untuned_case(THREE)).explicit(
        "Both entries matter: the second, the cap on growth, decides at least a tenth of the steps.",
        quantity <= TENTH_LEFT, note=_NOTE),
    share("E-second", BOTH, "steps below the cap", below_the_cap, untuned_case(QUICK_ONE), untuned_case(THREE)).strengthened(
        "The cap on growth decides most of the steps: eta_0 and delta more than the local smoothness.",
        quantity <= HALF),
)

# Appendix B.9: effect of the concentration -------------------------------------------------------------------------

DEALT = (
    Case(Dealt((1,) * 10, "1/100", "1/10")),
    Case(Dealt((1,) * 10, "1/10", 1)),
    Case(Dealt((3, 2, 1), 1, 1000, 12)),
    Case(Dealt((1, 99), "1/2", "1/2", 1)),
)

CONCENTRATION = (
    PAPER.lemma("B9-iid", "Appendix B.9", "E|q - p|² at the larger α / at the smaller, q ~ Dirichlet(αp)",
        lambda one, c: one.distance(one.larger) / one.distance(one.smaller), cases=DEALT).printed(
        "A larger α is closer to i.i.d.: the shares of a client are nearer to the prior", quantity <= 1),
    PAPER.lemma("B9-classes", "Appendix B.9",
        "the expected number of classes among a client's examples at the smaller α / at the larger",
        lambda one, c: one.classes(one.smaller) / one.classes(one.larger), cases=DEALT).printed(
        "As α decreases, so does the number of classes that a client has access to", quantity <= 1),
)

CLAIMS: tuple[Claim, ...] = (*COMPARED, *OF_ITS_OWN, *CONCENTRATION)
