"""The worst case of a claim's algorithm over all clients that its theorem is about, beside the theorem's bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Symbol

from fltheory import notebook, symbols
from fltheory.bound import PLAIN_SIGNS
from fltheory.claim import Claim, check
from fltheory.known import find
from fltheory.number import RATIONAL, NotRational, Number, exact, text
from fltheory.questions.bounds import BoundAt, evaluated, tuned
from fltheory.questions.lookup import Mistake, numbers
from fltheory.runs import assumptions as assume
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient, Measure
from fltheory.worst_case.bracket import Bracket, Question, bracket, question
from fltheory.worst_case.bracket import check as recheck_bracket
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.solver import NoSolver, Unsolved
from fltheory.worst_case.trace import OutOfReach, Record

MEASURES: Mapping[str, Measure] = {"distance": LastDistance(), "gap": LastGap(), "gradient": LeastGradient()}
# What the class of clients grants by itself, and what of a theorem's assumptions is looked at elsewhere.
OF_SETTINGS = (assume.plain_server, assume.full_participation, assume.participation)  # these are checked
GRANTED = (
    assume.minimised,
    assume.smooth,
    assume.convex,
    assume.strongly_convex,
    assume.heterogeneity_at_optimum,
    assume.bounded_noise,
    assume.noiseless,
    assume.described,
    *OF_SETTINGS,
)
OF_CLASS = (symbols.smoothness, symbols.strong_convexity)


@dataclass(frozen=True, repr=False)
class WorstOfClaim:
    """A bracket of the worst case beside the claim's bounds at the same constants.

    ``status``: "holds" or "violated" for the whole class, or "open" where the bracket does not decide.
    """

    claim: Claim
    values: Mapping[Symbol, Number]
    bracket: Bracket
    bounds: tuple[BoundAt, ...]
    status: str

    def __str__(self) -> str:
        found = self.bracket
        lines = [str(found.question)]
        low, high = found.lower, found.upper
        attained = (
            "no instance was found" if low is None else f"{float(low):.9g} attained by an instance, run on the method"
        )
        proved = "nothing is proved" if high is None else f"{float(high):.9g} proved by {self._multipliers} multipliers"
        lines.append(f"worst case: {attained}; {proved}")
        for bound in self.bounds:
            times = "" if not high else f", {float(bound) / float(high):.3g} times the worst case"
            lines.append(f"{self.claim.id}: {PLAIN_SIGNS[bound.bound.side]} {float(bound):.9g}{times}")
        lines.append(WORDS[self.status])
        return "\n".join(lines)

    def __repr__(self) -> str:
        low, high = ("?" if end is None else f"{float(end):.9g}" for end in (self.bracket.lower, self.bracket.upper))
        return f"<WorstOfClaim {self.claim.id}: {self.status}, worst case in [{low}, {high}]>"

    def _repr_html_(self) -> str:
        asked, worst_, *bounds, told = map(notebook.words, str(self).splitlines())
        case = self.bracket.case
        witness = "" if case is None else notebook.code(repr(case))
        rows = [("asked", asked), ("worst case", worst_), ("bound", notebook.lines(bounds))]
        return notebook.card("worst case of a class", [*rows, ("verdict", told), ("instance", witness)])

    @property
    def _multipliers(self) -> int:
        return 0 if self.bracket.certificate is None else len(self.bracket.certificate.multipliers)

    def row(self) -> dict[str, Any]:
        """All of it as JSON: what is asked, both ends, the multipliers, the instance as a line of Python."""
        constants = {s.name: str(text(v)) for s, v in self.values.items()}
        bounds = [float(bound) for bound in self.bounds]
        return {
            "id": self.claim.id,
            **row_of(self.bracket),
            "constants": constants,
            "status": self.status,
            "bounds": bounds,
        }


WORDS = {
    "holds": "holds for every instance of the class at these constants, in every dimension (exact)",
    "violated": "violated (exact): the instance that attains the worst case refutes it",
    "open": "open: the bound lies inside the bracket, or a side of it is missing",
}


def row_of(found: Bracket) -> dict[str, Any]:
    """A bracket as JSON: what is asked, both ends, the multipliers, the instance as a line of Python."""
    asked, certificate = found.question, found.certificate
    return {
        "method": asked.method.name,
        "constants": {name: str(text(v)) for name, v in asked.settings},
        "functions": str(asked.functions),
        "measure": asked.measure.name,
        "scope": "class",
        "evidence": "exact",
        "lower": None if found.lower is None else str(found.lower),
        "upper": None if found.upper is None else str(found.upper),
        "multipliers": [[list(label), str(c)] for label, c in certificate.multipliers] if certificate else [],
        "instance": None if found.case is None else repr(found.case),
    }


def without_theorem(method: Algorithm, measure: str, values: Mapping[Symbol, Number]) -> Bracket:
    """The worst case of a method over smooth convex clients, by one of ``MEASURES``, at constants by their symbols."""
    if symbols.smoothness not in values:
        raise Mistake(f"missing {symbols.smoothness.name}")
    settings = {s.name: v for s, v in values.items() if s not in OF_CLASS}
    try:
        functions = Smooth(values[symbols.smoothness], values.get(symbols.strong_convexity, 0))
        return bracket(question(method, functions, MEASURES[measure], **settings))
    except (ValueError, NotRational) as error:
        raise Mistake(str(error)) from None


def worst(claim: Claim | str, constants: Mapping[str, object] | None = None, /, **named: object) -> WorstOfClaim:
    """The worst case of a claim over its whole class: ``worst("sfl/T3-SC@corrected", M=2, K=2, L=1, mu="1/10", ...)``.

    Constants are those of ``bounds_at``. ValueError names what is missing, or why the claim is out of reach.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    return compared(claim, numbers([*(constants or {}).items(), *named.items()], tuned(claim)))


def compared(claim: Claim, values: Mapping[Symbol, Number]) -> WorstOfClaim:
    """The same at constants by their symbols; Mistake for what is out of reach."""
    _require_reach(claim)
    given = {symbols.noise_std: 0, **values}
    bounds = evaluated(claim, given)
    try:
        found = bracket(asked_of(claim, given))
    except (OutOfReach, NoSolver, Unsolved) as error:
        raise Mistake(f"{claim.id}: {error}") from None
    return WorstOfClaim(claim, values, found, bounds, _status(claim, found, bounds))


def _status(claim: Claim, found: Bracket, bounds: Sequence[BoundAt]) -> str:
    """Proved for the whole class, refuted by the instance in its own constants, or neither."""
    if found.upper is not None and all(found.upper <= bound.low for bound in bounds):
        return "holds"
    if found.case is not None and found.lower is not None and any(found.lower > bound.high for bound in bounds):
        return "violated" if check(claim, found.case).status == "violated" else "open"
    return "open"


def recheck(written: Mapping[str, Any], claim: Claim) -> str | None:
    """Why a written row's upper end is not proved for this claim, or None; exact, without a solver. Mistake for no such row."""
    try:
        constants = [(str(name), value) for name, value in written["constants"].items()]
        multipliers = tuple((tuple(label), RATIONAL.scalar(exact(c))) for label, c in written["multipliers"])
        upper = exact(written["upper"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Mistake(f"this is no worst case as `fltheory worst --json` writes it: {error}") from None
    given = {symbols.noise_std: 0, **numbers(constants, tuned(claim))}
    asked = asked_of(claim, given)
    stored = Bracket(asked, None, Fraction(upper), Certificate(RATIONAL.scalar(upper), multipliers), None)
    return recheck_bracket(stored)


def _require_reach(claim: Claim) -> None:
    """Mistake where the claim is about something else than rounds on convex clients."""
    upper = all(b.side == "upper" for b in claim.bounds)
    if not isinstance(claim.algorithm, Algorithm) or claim.measure is None or not upper:
        raise Mistake(f"{claim.id} is no upper bound on the rounds of an algorithm: it has no worst case of this kind")
    if claim.mode != "in expectation":
        raise Mistake(
            f"{claim.id} is about every path, or holds with a probability: worst cases are of expectations here"
        )
    beyond = [a.name for a in claim.assumptions if a not in GRANTED]
    if beyond:
        raise Mistake(f"{claim.id} also assumes {', '.join(beyond)}: no class of functions is known for that here")
    if not {assume.convex, assume.strongly_convex} & set(claim.assumptions):
        raise Mistake(f"{claim.id} does not assume that clients are convex: their worst cases are not known here")


def asked_of(claim: Claim, values: Mapping[Symbol, Number]) -> Question:
    """What the claim says of all its clients, as a question; Mistake where it is about something else."""
    _require_reach(claim)
    assert isinstance(claim.algorithm, Algorithm)
    assert claim.measure is not None
    if symbols.smoothness not in values:
        raise Mistake(f"missing {symbols.smoothness.name}")
    curved = assume.strongly_convex in claim.assumptions
    try:
        functions = Smooth(values[symbols.smoothness], values.get(symbols.strong_convexity, 0) if curved else 0)
        settings = {s.name: v for s, v in values.items() if s not in OF_CLASS and (v or s != symbols.noise_std)}
        asked = question(claim.algorithm, functions, claim.measure, **settings)
    except (ValueError, NotRational) as error:
        raise Mistake(str(error)) from None
    case = asked.case(Record(int(dict(asked.settings)["n_clients"])))
    failed = next((why for a in OF_SETTINGS if a in claim.assumptions and (why := a.check(case))), None)
    if failed is not None:
        raise Mistake(f"{claim.id} does not apply: {failed}")
    return asked
