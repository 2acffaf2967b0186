"""The worst case of a claim's algorithm over all clients that its theorem is about, beside the theorem's bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sympy import Symbol

from fltheory import symbols
from fltheory.api.bounds import BoundAt, bounded
from fltheory.api.lookup import fixed, numbers, require_all
from fltheory.claims.claim import Claim, tuned
from fltheory.model import html_cards
from fltheory.model.bound import PLAIN_SIGNS
from fltheory.model.errors import Mistake
from fltheory.number import NotRational, Number, exact, text
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient, Measure
from fltheory.verification import find
from fltheory.worst_case.claims import (
    OF_CLASS,
    asked_of,
    from_anywhere,
    require_about_rounds,
    status_of,
    stored,
    within,
)
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.question import Question, question
from fltheory.worst_case.solver import NoSolver, Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import bracket
from fltheory.worst_case.two_sided import check as refused
from fltheory.worst_case.whole_run import Bracket

MEASURES: Mapping[str, Measure] = {
    "distance": LastDistance(),
    "gap": LastGap(),
    "gradient": LeastGradient(),
    "last_gradient": LastGradient(),
    "least_gap": LeastGap(),
    "regret": Regret(),
}
CLASSES = ("convex", "quadratic", "nonconvex", "lipschitz", "linear")
OF_CLASSES = (*OF_CLASS, symbols.client_gradient_bound)


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
            says = f"; {bound.vacuous}" if bound.vacuous else ""
            lines.append(f"{self.claim.id}: {PLAIN_SIGNS[bound.bound.side]} {float(bound):.9g}{times}{says}")
        lines.append(self._told())
        return "\n".join(lines)

    def _told(self) -> str:
        """The status in words: whether the bound is attained, and how near it is where the bracket does not decide."""
        low, high, told = self.bracket.lower, self.bracket.upper, WORDS[self.status]
        if low is None or high is None:
            return told
        if self.status == "holds" and any(bound.exact == low for bound in self.bounds):
            return f"tight: {told}, and an instance attains the bound"
        apart, limit = float(high - low), min(map(float, self.bounds))
        return TIGHT.format(apart / limit) if self.status == "open" and apart <= NEAR * limit else told

    def __repr__(self) -> str:
        low, high = ("?" if end is None else f"{float(end):.9g}" for end in (self.bracket.lower, self.bracket.upper))
        return f"<WorstOfClaim {self.claim.id}: {self.status}, worst case in [{low}, {high}]>"

    def _repr_html_(self) -> str:
        asked, worst_, *bounds, told = map(html_cards.words, str(self).splitlines())
        case = self.bracket.case
        witness = "" if case is None else html_cards.code(repr(case))
        rows = [("asked", asked), ("worst case", worst_), ("bound", html_cards.lines(bounds))]
        return html_cards.card("worst case of a class", [*rows, ("verdict", told), ("instance", witness)])

    @property
    def _multipliers(self) -> int:
        proofs = [one.certificate for one in (self.bracket, *self.bracket.links) if one.certificate is not None]
        return sum(len(certificate.multipliers) for certificate in proofs)

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
            "vacuous": [bound.vacuous for bound in self.bounds if bound.vacuous],
        }


NEAR = 1e-6  # relative: a bracket so narrow leaves nothing open but the rounding of a solver's numbers
TIGHT = (
    "tight: the bound and the worst case agree within {:.1g} (relative), which the rounding of a solver's numbers explains; "
    "whether it holds is open in the last digits"
)
WORDS = {
    "holds": "holds for every instance of the class at these constants, in every dimension (exact)",
    "violated": "violated (exact): the instance that attains the worst case refutes it",
    "open": "open: the bound lies inside the bracket, or a side of it is missing",
}


def row_of(found: Bracket) -> dict[str, Any]:
    """A bracket as JSON: what is asked, both ends, the multipliers (of each round of a chain), the instance as a line of Python."""
    asked, certificate = found.question, found.certificate
    proof: dict[str, Any] = {"multipliers": []} if certificate is None else stored.row_of(certificate)
    if found.links:
        proof = {"links": [stored.link_row(link) for link in found.links]}
    return {
        "method": asked.method.name,
        "constants": {name: str(text(v)) for name, v in asked.settings},
        "functions": str(asked.functions),
        "measure": asked.measure.name,
        "scope": "class",
        "evidence": "exact",
        **proof,
        "lower": None if found.lower is None else str(found.lower),
        "upper": None if found.upper is None else str(found.upper),
        "instance": None if found.case is None else repr(found.case),
    }


def without_theorem(
    method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None = None
) -> Bracket:
    """The worst case of a method by one of ``MEASURES``, over the clients that the constants, by their symbols, tell of.

    ``functions``: one of ``CLASSES``; None for the one that the constants tell.
    """
    try:
        return bracket(_asked_alone(method, measure, values, functions))
    except (ValueError, NotRational) as error:
        raise Mistake(str(error)) from None
    except ArithmeticError as error:
        raise Mistake(_beyond(error)) from None


def _asked_alone(method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None) -> Question:
    found = _functions(functions or _told(measure, values), values)
    stray = next((s.name for s in OF_CLASSES if s in values and s not in found.constants), None)
    if stray is not None:
        raise Mistake(f"{stray}: {found} are not told by it")
    settings = {s.name: v for s, v in values.items() if s not in OF_CLASSES}
    return question(method, found, MEASURES[measure], **settings)


def _told(measure: str, values: Mapping[Symbol, Number]) -> str:
    """Lipschitz where that is limited; smooth, and convex unless gradients are measured and the start's height alone is known."""
    if symbols.client_gradient_bound in values:
        return "lipschitz"
    high = symbols.initial_gap in values and symbols.initial_distance not in values
    return "nonconvex" if high and "gradient" in measure and symbols.strong_convexity not in values else "convex"


def _functions(name: str, values: Mapping[Symbol, Number]) -> FunctionClass:
    """The class of this name; Mistake for another, or where its constant is missing."""
    if name not in CLASSES:
        raise Mistake(f"{name}: expected one of the classes {', '.join(CLASSES)}")
    missing = f"missing {symbols.smoothness.name}, or {symbols.client_gradient_bound.name}"
    if name in ("lipschitz", "linear"):
        if symbols.client_gradient_bound not in values:
            raise Mistake(f"missing {symbols.client_gradient_bound.name}")
        bound = values[symbols.client_gradient_bound]
        return Linear(bound) if name == "linear" else Lipschitz(bound)
    if symbols.smoothness not in values:
        raise Mistake(missing)
    high, low = values[symbols.smoothness], values.get(symbols.strong_convexity, 0)
    if name == "nonconvex":
        return NonConvex(high)
    return Quadratic(high, low) if name == "quadratic" else Smooth(high, low)


def worst(claim: Claim | str, constants: Mapping[str, object] | None = None, /, **named: object) -> WorstOfClaim:
    """The worst case of a claim over its whole class: ``worst("sfl/T3-SC@corrected", M=2, K=2, L=1, mu="1/10", ...)``.

    Constants are those of ``bounds_at``. ValueError names what is missing, or why the claim is out of reach.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    return compared(claim, numbers([*(constants or {}).items(), *named.items()], tuned(claim)))


def compared(claim: Claim, values: Mapping[Symbol, Number]) -> WorstOfClaim:
    """The same at constants by their symbols; Mistake for what is out of reach."""
    given = _at(claim, values)
    try:
        require_about_rounds(claim)
    except OutOfReach as error:
        raise Mistake(str(error)) from None
    bounds = bounded(claim)
    for bound in bounds.bounds:
        require_all(bound, given)  # before the question: it names all constants that are missing
    asked = _asked(claim, given)
    try:
        found = bracket(asked)
    except (OutOfReach, NoSolver, Unsolved) as error:
        raise Mistake(f"{claim.id}: {error}") from None
    except ArithmeticError as error:
        raise Mistake(f"{claim.id}: {_beyond(error)}") from None
    return WorstOfClaim(claim, values, found, bounds.at(given), status_of(claim, found, given))


def _beyond(error: ArithmeticError) -> str:
    return (
        f"at these constants the search for the worst case leaves the range of floats ({error}): other units may help"
    )


def _at(claim: Claim, values: Mapping[Symbol, Number]) -> Mapping[Symbol, Number]:
    """These, and what the claim's conditions tell; without noise where nothing is said of it."""
    try:
        return from_anywhere(claim, {symbols.noise_std: 0, **fixed(tuned(claim)), **values})
    except OutOfReach as error:
        raise Mistake(str(error)) from None


def _asked(claim: Claim, values: Mapping[Symbol, Number]) -> Question:
    try:
        return asked_of(claim, values)
    except OutOfReach as error:
        raise Mistake(str(error)) from None


@dataclass(frozen=True)
class Rechecked:
    """What a written row comes to, checked without a solver: ``refused`` is why its upper end is not proved, None where it is.

    ``said`` is what was looked at: the question asked anew and the number, and with a claim whether its bound follows.
    """

    refused: str | None
    said: tuple[str, ...]

    def __str__(self) -> str:
        head = "proved" if self.refused is None else f"not proved: {self.refused}"
        return "\n".join([head, *self.said])


def recheck(written: Mapping[str, Any], claim: Claim) -> Rechecked:
    """A written row against this claim, with its constants; exact. Mistake for no such row, or one about something else.

    The upper end alone is checked: the lower one is its instance's, which ``verify`` runs.
    """
    with reading():
        constants = [(str(name), value) for name, value in written["constants"].items()]
        given = _at(claim, numbers(constants, tuned(claim)))
        asked = _asked(claim, given)
        found = _written(written, asked)
        bounds = [float(bound) for bound in bounded(claim).at(given)]
        _require_same(written, {**_of_question(asked), "id": claim.id, "bounds": bounds})
        refused_for = _unproved(found)
        holds = within(claim, found.upper, given) if found.upper is not None else False
    signs = ", ".join(f"{PLAIN_SIGNS[b.side]} {value:.9g}" for b, value in zip(tuned(claim), bounds, strict=True))
    end = WORDS["holds"] if holds else "this upper end alone does not show that the bound holds"
    return Rechecked(refused_for, (_told_of(found), f"{claim.id}: {signs}", end))


def recheck_alone(
    written: Mapping[str, Any], method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None
) -> Rechecked:
    """A written row against a method without a theorem, at constants by their symbols; like ``recheck``."""
    with reading():
        asked = _asked_alone(method, measure, values, functions)
        found = _written(written, asked)
        given = {name: str(text(v)) for name, v in asked.settings}
        _require_same(written, {**_of_question(asked), "constants": given})
        return Rechecked(_unproved(found), (_told_of(found),))


@contextmanager
def reading() -> Iterator[None]:
    """What goes wrong with a written row is a Mistake that says so."""
    try:
        yield
    except Mistake:
        raise
    except RecursionError:
        raise Mistake(
            "this is no worst case as `fltheory worst --json` writes it: it stands too deep in itself"
        ) from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        why = f"{type(error).__name__}: {error}"[:200]
        raise Mistake(f"this is no worst case as `fltheory worst --json` writes it: {why}") from None


def _written(written: Mapping[str, Any], asked: Question) -> Bracket:
    """The upper end of a row with what proves it, and the lower one as it says."""
    upper = Fraction(exact(written["upper"]))
    lower = None if written["lower"] is None else Fraction(exact(written["lower"]))
    if "links" in written:
        return Bracket(asked, lower, upper, None, None, links=stored.links_of(written["links"], asked))
    return Bracket(asked, lower, upper, stored.certificate_of(written), None)


def _unproved(found: Bracket) -> str | None:
    if found.lower is not None and found.upper is not None and found.lower > found.upper:
        return f"its lower end {float(found.lower):.9g} is above its upper end {float(found.upper):.9g}"
    return refused(found)


def _of_question(asked: Question) -> dict[str, Any]:
    return {
        "method": asked.method.name,
        "functions": str(asked.functions),
        "measure": asked.measure.name,
        "scope": "class",
        "evidence": "exact",
    }


def _require_same(written: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Mistake where a row says that it is about something else than what is asked; a variant's file may be elsewhere by now."""
    if not isinstance(method := written.get("method"), str) or Path(method).name != Path(str(asked["method"])).name:
        raise Mistake(f"the file is about another question: its method is {method!r}, asked is {asked['method']!r}")
    for name, value in asked.items():
        if name == "method":
            continue
        if written.get(name) != value:
            raise Mistake(
                f"the file is about another question: its {name} is {written.get(name)!r}, asked is {value!r}"
            )


def _told_of(found: Bracket) -> str:
    return f"{found.question}: at most {'?' if found.upper is None else f'{float(found.upper):.9g}'}"
