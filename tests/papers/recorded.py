"""What the checks of the catalogue ask of single claims where that differs from the rule, and why."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.runs.measures import PathMeasure
from fltheory.symbols import amplifier

# The number of the release, from 0 to 9: what is searched and met in the gate this time.
RELEASE = int((Path(__file__).parents[1] / "rotation.txt").read_text())
TURNS = 10  # releases, after which the numbers begin again

T = TypeVar("T")


def its_turn(things: Sequence[T], parts: int, release: int = RELEASE) -> Sequence[T]:
    """Every so manieth thing, others at the next release: as many releases as there are parts try everything."""
    return things[release % parts :: parts]


def counts(text: str) -> dict[str, int]:
    """Numbers of cases by claim."""
    return {name: int(number) for name, number in (item.split() for item in text.replace("\n", " ").split(","))}


# Of how many of its cases a claim is not known on exact evidence.
STATISTICAL = counts("""
sfl/T3-NC@printed 3, sfl/T15@explicit 1, sfl/T16@explicit 1, osmd/C-T4@explicit 2, osmd/C-T4@corrected 2,
osmd/C-T4-premin@explicit 2, osmd/C-T4-premin@strengthened 3, osmd/C-T9a@corrected 2, osmd/C-T9a-premin@explicit 2,
osmd/C-T5@printed 1, osmd/C-T5@explicit 2, osmd/C-T5@corrected 4, osmd/C-T5-premin@corrected 3,
osmd/C-T5-premin@explicit 2, osmd/C-T9b@printed 1, osmd/C-T9b@corrected 2, osmd/C-T9b-apart@corrected 1,
osmd/C-T9b-premin@corrected 2, osmd/C-P13@strengthened 1, osmd/C-T6@strengthened 1, osmd/C-C7@strengthened 1,
osmd/C-C7-tuned@strengthened 1, osmd/C-C7-tuned-start@strengthened 1, osmd/C-59@printed 1, osmd/C-59@strengthened 1,
osmd/C-T8@printed 1, osmd/C-T8@corrected 2, osmd/C-T8-gamma@corrected 1, osmd/C-T8@strengthened 2,
osmd/C-T10@corrected 1, osmd/F1-text@printed 3, osmd/F1-script@printed 3, osmd/F1-text-close@printed 1,
osmd/F1-script-close@printed 1, osmd/F1-text-much@strict 1, osmd/F1-script-much@printed 1, osmd/F2-text@strict 1,
osmd/F2-script@strict 1, osmd/F3-text@printed 1, osmd/F3-script@printed 1, osmd/F3-text-small@strict 1,
osmd/F3-script-small@printed 1, osmd/F3-text-large@strict 1, osmd/F3-script-large@strict 1, osmd/F4-text@strict 1,
osmd/F4-script@strict 1, osmd/F7-text-same@printed 2, osmd/F7-script-loss@strict 1, osmd/F7-script-same@strict 1,
osmd/F8-text@printed 1, osmd/F8-script@printed 1, osmd/F8-text-margin@printed 1, osmd/F8-script-margin@printed 1,
fedcg/T3.5@corrected 1, fedcg/T3.5-range@corrected 1, fedcg/T3.5-tuned@corrected 1,
fedcg/S3@strengthened 1, fedcg/S4-chebyshev@strengthened 1, fedcg/S4-hoeffding@strengthened 1, fedcg/S5-estimated@strengthened 1,
fedcg/T5.1-matroid@corrected 1, fedcg/T5.1-uniform@corrected 1, fedcg/S6-uniform@strengthened 1, fedcg/D.2@printed 1,
fedcg/D.2@strict 1, fedcg/D.5@printed 1, fedcg/D.5@strict 1, fedcg/S7-matroid@strengthened 1,
fedcg/S7-uniform@strengthened 1, aaggff/C5.3@printed 3, aaggff/C5.3-reference@corrected 4,
aaggff/C5.3-reference@strengthened 4, aaggff/C5.3-best@strengthened 3, aaggff/C5.3-remembering@corrected 3,
aaggff/C5.3-linear@corrected 3, aaggff/E-S-worst@strict 1, aaggff/E-S-gini@strict 1, aaggff/E-S-largest@strict 1,
aaggff/E-S-largest-AFL@strict 1, aaggff/E-S-average@strict 1, aaggff/E-S-best@strict 1,
aaggff/E-S-average@corrected 1, aaggff/E-S-AFL@corrected 1, aaggff/E-D-worst@strict 1, aaggff/E-D-average@strict 1,
aaggff/E-D-uniform@corrected 1, aaggff/E-D-same-average@corrected 1, aaggff/E-D-same-worst@corrected 1,
delta_sgd/T1-same@printed 2, delta_sgd/T1-reuse@printed 2, delta_sgd/T1-steps@strict 2,
delta_sgd/T1-STEP@explicit 3, delta_sgd/T1-P@corrected 1, delta_sgd/T1-X@corrected 2,
delta_sgd/T1-X-clipped@corrected 2, delta_sgd/T1-X-fresh@corrected 2, delta_sgd/T1-Y@strengthened 1,
delta_sgd/T1-rate@corrected 1, fedcg/D.4-sampled@explicit 1, fedcg/T5.1-largest-uniform@strengthened 1
""")
INEXACT = counts("""
osmd/C-P13-path@printed 4, osmd/C-P13-path@strengthened 4, osmd/C-60@corrected 2, osmd/C-T10@corrected 1,
aaggff/T5.1-window@corrected 3, aaggff/T5.1@corrected 1, aaggff/T5.1@strengthened 1, aaggff/T5.2@printed 2,
aaggff/T5.2@explicit 2, aaggff/T5.2@strengthened 2, aaggff/T5.2-half@strengthened 2, aaggff/C5.3-paths@corrected 7,
aaggff/C5.3-paths@strengthened 7, aaggff/C5.3-reference@corrected 1, aaggff/C5.3-linear@corrected 1,
aaggff/A.13@printed 1, aaggff/E-T5.1@printed 3, aaggff/E-T5.1-window@corrected 3, aaggff/E-T5.1@strengthened 2,
aaggff/E-used@strengthened 2, aaggff/E-T5.2@printed 3, aaggff/E-P1@corrected 4, delta_sgd/R1@explicit 6,
delta_sgd/R1-attained@explicit 3, delta_sgd/R1-ratio@explicit 2, delta_sgd/R2@corrected 1,
delta_sgd/R2-later@corrected 2, delta_sgd/R2-pair@corrected 1, delta_sgd/R2-same@corrected 1,
delta_sgd/R3@explicit 2, delta_sgd/R4@printed 5, delta_sgd/R5@explicit 5, delta_sgd/R6@explicit 1,
delta_sgd/S3-ratio@corrected 1, delta_sgd/T1-rho@printed 1, delta_sgd/FP@corrected 4, delta_sgd/FP-prox@corrected 1,
delta_sgd/FP-debiased@explicit 5, delta_sgd/FP-debiased-round@explicit 5, delta_sgd/FP-inverse@explicit 5,
delta_sgd/E-best@strict 1, delta_sgd/E-robust@strict 1, delta_sgd/E-robust@corrected 1,
delta_sgd/E-spread@strict 1, delta_sgd/E-spread@corrected 1, delta_sgd/E-mistuned@explicit 1,
delta_sgd/E-scale@explicit 1, delta_sgd/E-scale@corrected 1, delta_sgd/E-delta@explicit 1,
delta_sgd/E-theta@explicit 1, delta_sgd/E-eta@explicit 1, delta_sgd/E-eta-large@explicit 1,
delta_sgd/E-epochs@explicit 1, delta_sgd/E-epochs-gain@explicit 1, delta_sgd/E-first@explicit 1,
delta_sgd/E-first-softmax@explicit 1, delta_sgd/E-second@explicit 1, delta_sgd/E-second@strengthened 1,
delta_sgd/33@printed 5, delta_sgd/33-B@printed 6, delta_sgd/34@printed 5, delta_sgd/34-B@printed 6
""")

# A million rounds, and the many trainings of a figure: ``fltheory verify`` plays them, and so does ``-m deep``.
TOO_LONG = ("osmd/C-T10@printed", "osmd/F1-script@printed", "osmd/F1-script-much@printed", "osmd/F2-script@strict")

# Trainings are dear: the looks at them begin with the 25th run, and none needs more than the last.
EARLY_LOOKS, EARLY = ("osmd/F1", "osmd/F2"), (400,)

# One, whatever the unit of the instance: a coverage counts in it.
MERE_NUMBERS = ("fedcg/C-3.1-coverage@printed", "fedcg/C-3.1-coverage@strict")

# Stronger constants ---------------------------------------------------------------------------------------------------

MARGIN = Fraction(1001, 1000)
# Claims whose own cases have a measured side of at most 0, so that no constant of the bound is near.
FAR = {"osmd/C-57@printed", "aaggff/T56-deviation@corrected"}
WIDER = {"sfl/S6.1@corrected": Fraction(6, 5)}  # its long runs are known as intervals
# An error that is known from below alone refutes no lower bound: their mutants are left open.
HALF_KNOWN = (
    "sfl/T5@printed",
    "sfl/T5@explicit",
    "sfl/T5-noise@explicit",
    "sfl/T6-GC@corrected",
    "sfl/T6-GC-drift@corrected",
)
# What is measured is 0 or below on every case: of no run, or of none that the bound could be too small for.
NO_RATIO = (
    "fedcg/T3.2-rule@corrected",
    "fedcg/S5-estimated@strengthened",
    "delta_sgd/E-spread@corrected",
    "delta_sgd/E-scale@corrected",
    "delta_sgd/E-delta@explicit",
    "delta_sgd/E-theta@explicit",
    "delta_sgd/E-eta-large@explicit",
    "delta_sgd/E-epochs@explicit",
)

# Random cases ---------------------------------------------------------------------------------------------------------

EXAMPLES = 4
# Families with games of thousands of clients, some of which are too long to decide.
OF_THOUSANDS = ("osmd/C-T4@", "osmd/C-T4-premin", "osmd/C-T5@", "osmd/C-T5-premin", "osmd/C-T9a", "osmd/C-T9b")
FEWER = {  # enumerated and simulated games, by the beginnings of their claims' ids
    "aaggff/C5.3": 3,
    "aaggff/C5.3-vertex": 1,
    "aaggff/T5.": 3,
    "fedcg/P6@corrected": 6,
    "osmd/C-11": 3,
    "osmd/C-31": 3,
    "osmd/C-min": 3,
    "osmd/I9-middle": 3,
    "osmd/C-P13": 6,
    "osmd/C-T6": 6,
    "osmd/C-C7": 6,
    "osmd/C-59": 2,
    "osmd/C-60": 2,
    "osmd/C-T8": 2,
    "osmd/C-T10": 1,
    "osmd/C-grid": 15,
    "sfl/S6.1": 3,
    **dict.fromkeys(OF_THOUSANDS, 2),
}
MANY_SAMPLES = ("fedcg/C.3-samples",)  # the law of so many samples may be too large to list
FROM_BELOW = ("sfl/h", "sfl/s", "sfl/T5", "sfl/T6")  # lower bounds on errors that may be known from below alone


def examples(claim: Claim) -> int:
    """How many random cases are looked at: by the longest beginning of the id that is listed."""
    known = [start for start in FEWER if claim.id.startswith(start)]
    return FEWER[max(known, key=len)] if known else EXAMPLES


def may_stay_open(claim: Claim, verdict: Verdict) -> bool:
    """Whether a random case of a true claim may be left undecided.

    With the amplifier 2 a step may end at the minimiser itself: where irrational numbers led there, it may stay open
    whether the client moves on.
    """
    if getattr(claim.measure, "tolerance", 0.0):
        return verdict.case.constants[amplifier] == 2 and "balls" in verdict.reason
    if claim.id.startswith(MANY_SAMPLES):
        return "can't be computed" in verdict.reason
    of_paths = claim.paper == "fedcg" and isinstance(claim.measure, PathMeasure)
    return of_paths or claim.id.startswith(OF_THOUSANDS + FROM_BELOW)


# Searches for what is true ------------------------------------------------------------------------------------------

ALWAYS_SEARCHED = (  # at every release, of rounding and of the greedy with several kinds of chance
    "fedcg/S6-matroid@strengthened",
    "fedcg/R4.4-pipage@printed",
    "fedcg/R4.4-swap@printed",
    "fedcg/R4.4-values@corrected",
)

# Searches for what is false -------------------------------------------------------------------------------------------

DRAWN = 4000  # cases, at most: nearly all are refuted by 400, and a few are rare
LONG_SEARCHES = (  # four to eleven seconds each
    "sfl/C4-GC@printed",
    "sfl/T5-proof-constant@strict",
    "aaggff/A.13@printed",
    "aaggff/T5.1-range@printed",
    "aaggff/T5.2-step@strict",
    "aaggff/E-S-largest-AFL@strict",
)
QUICK_GAMES = ("osmd/C-T9a@printed",)  # of the simulated games of samplers, which take seconds a case
