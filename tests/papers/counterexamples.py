"""Every counterexample known for any claim of a paper, and which of them the gate plays again against which claim.

A counterexample is a case on which some claim is violated: those that the catalogue stores with its false claims, and ``FOUND``,
those that refuted a claim while it was recorded as true. The tightest cases known of the true ones come along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from fltheory import symbols
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients

STEPS = 1_000  # clients x rounds x local steps of a case that the gate plays against any claim
LETTERS = 500  # of a case written out

# Cases that refuted a claim which was recorded as true, by paper.
FOUND: dict[str, tuple[Case, ...]] = {
    "osmd": (  # other states than (1, 0), (0, 1)
        Case(GradientTable(gradients=((-1, 1),), floor="1/20", n_rounds=1, budget=0)),
        Case(GradientTable(gradients=((3, 1, 0), (0, 2, -2), (1, 1, 4)), floor="1/3", n_rounds=1, budget=0)),
    ),
    "sfl": (  # one round from the minimiser: no long run
        Case(QuadraticClients(("3/2", "1/2"), (1, -1), 0), n_local_steps=10, n_rounds=1, step_size="1/100"),
        Case(PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 0), n_local_steps=10, n_rounds=1, step_size="1/100"),
    ),
}


@dataclass(frozen=True)
class Refuted:
    """A claim that a case shows to be false."""

    claim: str
    case: Case
    ratio: float | None

    def __str__(self) -> str:
        return f"{self.claim} is recorded as true, and violated (ratio {self.ratio}) on {self.case.arguments()}"


def true_claims(paper: str) -> tuple[Claim, ...]:
    """The claims of a paper that are recorded as true and measured."""
    return tuple(c for c in catalogue((paper,)) if c.entry.recorded in ("holds", "vacuous") and c.measure is not None)


@cache
def counterexamples(paper: str) -> tuple[Case, ...]:
    """The cases of a paper's false claims in the full profile, the tightest of the others, and those found: each once."""
    of_false = [case for c in catalogue((paper,)) if c.entry.recorded == "violated" for case in c.all_cases("full")]
    tightest = [c.tightest for c in catalogue((paper,)) if c.tightest is not None]
    return tuple(dict.fromkeys((*FOUND.get(paper, ()), *of_false, *tightest)))


@cache
def stored(paper: str) -> tuple[Case, ...]:
    """Every case that is stored with any claim of a paper."""
    every = (case for c in catalogue((paper,)) for case in c.all_cases("full"))
    return tuple(dict.fromkeys((*counterexamples(paper), *every)))


def steps(case: Case) -> int:
    """Clients x rounds x local steps: what a run takes at most where every step of it is worked out."""
    try:
        constants = case.constants
    except ValueError:  # a promise of the instance that its own check refuses
        return 0
    found = 1
    for symbol in (symbols.n_clients, symbols.n_rounds, symbols.n_local_steps):
        value = constants.get(symbol, 1)
        found *= value if isinstance(value, int) else 1
    return found


@cache
def longest(claim_id: str) -> int:
    """The most steps of a claim's cases in the quick profile, which its own tests work out anyway."""
    own = next(c for c in catalogue((claim_id.partition("/")[0],)) if c.id == claim_id)
    return max(map(steps, own.cases), default=0)


def small(claims: Iterable[Claim], case: Case) -> list[Claim]:
    """Against which claims the gate plays the case: it has little data, is short or no longer than their own, not their own."""
    length = steps(case)
    if len(case.arguments()) > LETTERS:
        return []
    met = (claim for claim in claims if length <= max(STEPS, longest(claim.id)))
    return [claim for claim in met if case not in claim.cases]  # a claim's own tests check its own


def refuted(pairs: Iterable[tuple[Claim, Case]]) -> Iterator[Refuted]:
    """Which claims the cases refute, by exact values and single runs alone: nothing is simulated."""
    for claim, case in pairs:
        verdict = check_claim(claim, case, stages=())
        if verdict.status == "violated":
            yield Refuted(claim.id, case, verdict.ratio)
