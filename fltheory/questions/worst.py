"""The worst case of a claim's algorithm over all clients that its theorem is about, beside the theorem's bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Symbol

from fltheory import symbols
from fltheory.claim import Claim
from fltheory.known import find
from fltheory.number import NotRational, Number
from fltheory.questions.bounds import BoundAt, evaluated, tuned
from fltheory.questions.lookup import Mistake, numbers
from fltheory.runs import assumptions as assume
from fltheory.runs.algorithm import Algorithm
from fltheory.worst_case.bracket import Bracket, Question, bracket, question
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.trace import OutOfReach

# What the class of clients grants by itself, and what of a theorem's assumptions is looked at elsewhere.
GRANTED = (
    assume.minimised,
    assume.smooth,
    assume.convex,
    assume.strongly_convex,
    assume.heterogeneity_at_optimum,
    assume.bounded_noise,
    assume.noiseless,
    assume.plain_server,
    assume.full_participation,
    assume.participation,
    assume.described,
)
OF_CLASS = (symbols.smoothness, symbols.strong_convexity)


@dataclass(frozen=True)
class WorstOfClaim:
    """A bracket of the worst case beside the claim's bounds at the same constants."""

    claim: Claim
    bracket: Bracket
    bounds: tuple[BoundAt, ...]

    @property
    def status(self) -> str:
        """ "holds" or "violated" for the whole class, or "open"."""
        found = {self._status(bound) for bound in self.bounds}
        return next(s for s in ("violated", "open", "holds") if s in found)

    def _status(self, bound: BoundAt) -> str:
        upper, lower = self.bracket.upper, self.bracket.lower
        if upper is not None and upper <= bound.low:
            return "holds"
        return "violated" if lower is not None and lower > bound.high else "open"


def worst(claim: Claim | str, constants: Mapping[str, object] | None = None, /, **named: object) -> WorstOfClaim:
    """The worst case of a claim over its whole class: ``worst("sfl/T3-SC@corrected", M=2, K=2, L=1, mu="1/10", ...)``.

    Constants are those of ``bounds_at``. ValueError names what is missing, or why the claim is out of reach.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    return compared(claim, numbers([*(constants or {}).items(), *named.items()], tuned(claim)))


def compared(claim: Claim, values: Mapping[Symbol, Number]) -> WorstOfClaim:
    """The same at constants by their symbols; Mistake for what is out of reach."""
    given = {symbols.noise_std: 0, **values}
    asked = asked_of(claim, given)
    bounds = evaluated(claim, given)
    try:
        return WorstOfClaim(claim, bracket(asked), bounds)
    except OutOfReach as error:
        raise Mistake(f"{claim.id} is out of reach: {error}") from None


def asked_of(claim: Claim, values: Mapping[Symbol, Number]) -> Question:
    """What the claim says of all its clients, as a question; Mistake where it is about something else."""
    if (
        not isinstance(claim.algorithm, Algorithm)
        or claim.measure is None
        or any(b.side != "upper" for b in claim.bounds)
    ):
        raise Mistake(f"{claim.id} is no upper bound on the rounds of an algorithm: it has no worst case of this kind")
    beyond = [a.name for a in claim.assumptions if a not in GRANTED]
    if beyond:
        raise Mistake(f"{claim.id} also assumes {', '.join(beyond)}: no class of functions is known for that here")
    if values.get(symbols.noise_std):
        raise Mistake("noise_std: worst cases over classes are known without noise here, set it to 0 or leave it out")
    convex = {assume.convex, assume.strongly_convex} & set(claim.assumptions)
    if not convex:
        raise Mistake(f"{claim.id} does not assume that clients are convex: their worst cases are not known here")
    if symbols.smoothness not in values:
        raise Mistake(f"missing {symbols.smoothness.name}")
    curved = assume.strongly_convex in claim.assumptions
    try:
        functions = Smooth(values[symbols.smoothness], values.get(symbols.strong_convexity, 0) if curved else 0)
        settings = {s.name: v for s, v in values.items() if s not in OF_CLASS and s != symbols.noise_std}
        return question(claim.algorithm, functions, claim.measure, **settings)
    except (ValueError, NotRational) as error:
        raise Mistake(str(error)) from None
