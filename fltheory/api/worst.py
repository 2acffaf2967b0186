"""The worst case of a claim's algorithm over all clients of its theorem, compared with the theorem's bound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sympy import Symbol

from fltheory import symbols
from fltheory.api.bounds import MAX_EXACT_BITS, BoundAt, claim_bounds
from fltheory.api.lookup import implied_constants, parse_constants, require_constants
from fltheory.claims.claim import Claim, bounds_with_tuning
from fltheory.model import html_cards
from fltheory.model.bound import PLAIN_SIGNS
from fltheory.model.errors import UserError
from fltheory.number import NotRational, Number, exact, exact_text
from fltheory.number.rational import length
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient, Measure
from fltheory.verification import find
from fltheory.worst_case.claims import (
    CLASS_SYMBOLS,
    bound_constants,
    question_of_claim,
    require_about_rounds,
    satisfies_bounds,
    status_of,
    stored,
)
from fltheory.worst_case.exact_value import with_exact_value
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
from fltheory.worst_case.two_sided import why_not_proved as refused
from fltheory.worst_case.whole_run import Bracket

MEASURES: Mapping[str, Measure] = {
    "distance": LastDistance(),
    "gap": LastGap(),
    "gradient": LeastGradient(),
    "last_gradient": LastGradient(),
    "least_gap": LeastGap(),
    "regret": Regret(),
}
CLASS_NAMES = ("convex", "quadratic", "nonconvex", "lipschitz", "linear")
CLASS_CONSTANTS = (*CLASS_SYMBOLS, symbols.client_gradient_bound)


@dataclass(frozen=True, repr=False)
class ClaimWorstCase:
    """Two-sided bounds on the worst case, with the claim's bounds at the same constants.

    ``status``: "holds" or "violated" for the whole class, or "open" if the interval does not decide.
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
            "no instance was found"
            if low is None
            else f"{float(low):.9g} attained by an instance on which the method was run"
        )
        proved = (
            "nothing is proved" if high is None else f"{float(high):.9g} proved by {self._multipliers} dual multipliers"
        )
        if low is not None and low == high:
            attained = f"{exactly(low)}, attained by an instance on which the method was run"
            proved = f"no value of the class is larger: {self._multipliers} dual multipliers prove it"
        lines.append(f"worst case: {attained}; {proved}")
        for bound in self.bounds:
            times = "" if not high else f", {float(bound) / float(high):.3g} times the worst case"
            says = f"; {bound.vacuous}" if bound.vacuous else ""
            lines.append(f"{self.claim.id}: {PLAIN_SIGNS[bound.bound.side]} {float(bound):.9g}{times}{says}")
        lines.append(self._told())
        return "\n".join(lines)

    def _told(self) -> str:
        """Return the status in words: whether the bound is attained, or how near it is if undecided."""
        low, high, told = self.bracket.lower, self.bracket.upper, STATUS_TEXTS[self.status]
        if low is None or high is None:
            return told
        if self.status == "holds" and any(bound.exact == low for bound in self.bounds):
            return f"tight: {told}, and an instance attains the bound"
        apart, limit = float(high - low), min(map(float, self.bounds))
        return TIGHT_TEXT.format(apart / limit) if self.status == "open" and apart <= TIGHT_TOLERANCE * limit else told

    def __repr__(self) -> str:
        low, high = ("?" if end is None else f"{float(end):.9g}" for end in (self.bracket.lower, self.bracket.upper))
        return f"<ClaimWorstCase {self.claim.id}: {self.status}, worst case in [{low}, {high}]>"

    def _repr_html_(self) -> str:
        asked, worst_, *bounds, told = map(html_cards.escape_text, str(self).splitlines())
        case = self.bracket.case
        counterexample = "" if case is None else html_cards.code(repr(case))
        rows = [("asked", asked), ("worst case", worst_), ("bound", html_cards.lines(bounds))]
        return html_cards.card("worst case of a class", [*rows, ("verdict", told), ("instance", counterexample)])

    @property
    def _multipliers(self) -> int:
        proofs = [one.certificate for one in (self.bracket, *self.bracket.links) if one.certificate is not None]
        return sum(len(certificate.multipliers) for certificate in proofs)

    def row(self) -> dict[str, Any]:
        """Return the result as JSON: the question, both limits, the multipliers, the instance as a line of Python."""
        constants = {s.name: str(exact_text(v)) for s, v in self.values.items()}
        bounds = [float(bound) for bound in self.bounds]
        return {
            "id": self.claim.id,
            **bracket_row(self.bracket),
            "constants": constants,
            "status": self.status,
            "bounds": bounds,
            "vacuous": [bound.vacuous for bound in self.bounds if bound.vacuous],
        }


def exactly(value: Fraction) -> str:
    """Return a worst case that is known exactly: as a fraction if that is short, else as a float."""
    return f"{float(value):.9g}" if length(value) > MAX_EXACT_BITS else f"exactly {value}"


TIGHT_TOLERANCE = 1e-6  # relative: in so narrow an interval only the solver's rounding is undecided
TIGHT_TEXT = (
    "tight: the bound and the worst case agree within {:.1g} (relative), which the rounding of a solver's numbers explains; "
    "whether it holds is open in the last digits"
)
STATUS_TEXTS = {
    "holds": "holds for every instance of the class at these constants, in every dimension (exact)",
    "violated": "violated (exact): the instance that attains the worst case refutes it",
    "open": "open: the bound lies inside the bracket, or a side of it is missing",
}


def bracket_row(found: Bracket) -> dict[str, Any]:
    """Return both limits as JSON: question, multipliers (of each round of a chain), instance as a line of Python."""
    asked, certificate = found.question, found.certificate
    proof: dict[str, Any] = {"multipliers": []} if certificate is None else stored.certificate_row(certificate)
    if found.links:
        proof = {"links": [stored.link_row(link) for link in found.links]}
    return {
        "method": asked.method.name,
        "constants": {name: str(exact_text(v)) for name, v in asked.settings},
        "functions": str(asked.functions),
        "measure": asked.measure.name,
        "scope": "class",
        "evidence": "exact",
        **proof,
        "lower": None if found.lower is None else str(found.lower),
        "upper": None if found.upper is None else str(found.upper),
        "instance": None if found.case is None else repr(found.case),
    }


def worst_of_method(
    method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None = None
) -> Bracket:
    """Return the worst case of a method by one of ``MEASURES``, over the clients given by the constants.

    ``functions``: one of ``CLASS_NAMES``; None to derive it from the constants.
    """
    try:
        return with_exact_value(bracket(_method_question(method, measure, values, functions)))
    except (ValueError, NotRational) as error:
        raise UserError(str(error)) from None
    except ArithmeticError as error:
        raise UserError(_float_range_message(error)) from None


def _method_question(
    method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None
) -> Question:
    found = _functions(functions or _implied_class(measure, values), values)
    stray = next((s.name for s in CLASS_CONSTANTS if s in values and s not in found.constants), None)
    if stray is not None:
        raise UserError(f"{stray}: {found} are not told by it")
    settings = {s.name: v for s, v in values.items() if s not in CLASS_CONSTANTS}
    return question(method, found, MEASURES[measure], **settings)


def _implied_class(measure: str, values: Mapping[Symbol, Number]) -> str:
    """Return the class: Lipschitz if limited so, else smooth; nonconvex only for gradients from a limited gap."""
    if symbols.client_gradient_bound in values:
        return "lipschitz"
    high = symbols.initial_gap in values and symbols.initial_distance not in values
    return "nonconvex" if high and "gradient" in measure and symbols.strong_convexity not in values else "convex"


def _functions(name: str, values: Mapping[Symbol, Number]) -> FunctionClass:
    """Return the class of this name; UserError if unknown, or if its constant is missing."""
    if name not in CLASS_NAMES:
        raise UserError(f"{name}: expected one of the classes {', '.join(CLASS_NAMES)}")
    missing = f"missing {symbols.smoothness.name}, or {symbols.client_gradient_bound.name}"
    if name in ("lipschitz", "linear"):
        if symbols.client_gradient_bound not in values:
            raise UserError(f"missing {symbols.client_gradient_bound.name}")
        bound = values[symbols.client_gradient_bound]
        return Linear(bound) if name == "linear" else Lipschitz(bound)
    if symbols.smoothness not in values:
        raise UserError(missing)
    high, low = values[symbols.smoothness], values.get(symbols.strong_convexity, 0)
    if name == "nonconvex":
        return NonConvex(high)
    return Quadratic(high, low) if name == "quadratic" else Smooth(high, low)


def worst(claim: Claim | str, constants: Mapping[str, object] | None = None, /, **named: object) -> ClaimWorstCase:
    """Compute the worst case of a claim's algorithm over its whole class of functions, in every dimension.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    constants : mapping, optional
        Constants by canonical name or by the paper's letter.
    **named : int, float, str, Fraction
        The same as keywords.

    Returns
    -------
    ClaimWorstCase
        Lower and upper limits of the worst case, with an instance and a certificate, beside the bound.

    Raises
    ------
    ValueError
        If a constant is missing, or the claim's class is not supported.

    Examples
    --------
    >>> from fltheory import worst
    >>> worst("sfl/T3-GC@printed", M=1, K=1, R=2, L=1, D=1, eta="1/6", sigma=0, zeta_star=0).status
    'holds'
    """
    claim = find(claim) if isinstance(claim, str) else claim
    return worst_at(claim, parse_constants([*(constants or {}).items(), *named.items()], bounds_with_tuning(claim)))


def worst_at(claim: Claim, values: Mapping[Symbol, Number]) -> ClaimWorstCase:
    """Compute it at constants by symbol; UserError if this is not supported."""
    given = _complete_constants(claim, values)
    try:
        require_about_rounds(claim)
    except OutOfReach as error:
        raise UserError(str(error)) from None
    bounds = claim_bounds(claim)
    for bound in bounds.bounds:
        require_constants(bound, given)  # before the question: it names all missing constants
    asked = _claim_question(claim, given)
    try:
        found = with_exact_value(bracket(asked))
    except (OutOfReach, NoSolver, Unsolved) as error:
        raise UserError(f"{claim.id}: {error}") from None
    except ArithmeticError as error:
        raise UserError(f"{claim.id}: {_float_range_message(error)}") from None
    return ClaimWorstCase(claim, values, found, bounds.at(given), status_of(claim, found, given))


def _float_range_message(error: ArithmeticError) -> str:
    return (
        f"at these constants the search for the worst case leaves the range of floats ({error}): other units may help"
    )


def _complete_constants(claim: Claim, values: Mapping[Symbol, Number]) -> Mapping[Symbol, Number]:
    """Complete the constants by the claim's conditions; without noise by default."""
    try:
        return bound_constants(claim, {symbols.noise_std: 0, **implied_constants(bounds_with_tuning(claim)), **values})
    except OutOfReach as error:
        raise UserError(str(error)) from None


def _claim_question(claim: Claim, values: Mapping[Symbol, Number]) -> Question:
    try:
        return question_of_claim(claim, values)
    except OutOfReach as error:
        raise UserError(str(error)) from None


@dataclass(frozen=True)
class RecheckResult:
    """The result of checking a written row without a solver; ``refused``: why the upper limit is not proved.

    ``said``: the question posed anew, the number, and for a claim whether its bound follows.
    """

    refused: str | None
    said: tuple[str, ...]

    def __str__(self) -> str:
        head = "proved" if self.refused is None else f"not proved: {self.refused}"
        return "\n".join([head, *self.said])


def recheck(written: Mapping[str, Any], claim: Claim) -> RecheckResult:
    """Check a written row against this claim, exactly. UserError for an invalid row, or one about another question.

    Only the upper limit is checked: the lower one is that of its instance, which ``verify`` runs.
    """
    with user_errors():
        constants = [(str(name), value) for name, value in written["constants"].items()]
        given = _complete_constants(claim, parse_constants(constants, bounds_with_tuning(claim)))
        asked = _claim_question(claim, given)
        found = _bracket_from_row(written, asked)
        bounds = [float(bound) for bound in claim_bounds(claim).at(given)]
        _require_same(written, {**_question_fields(asked), "id": claim.id, "bounds": bounds})
        refused_for = _why_unproved(found)
        holds = satisfies_bounds(claim, found.upper, given) if found.upper is not None else False
    signs = ", ".join(
        f"{PLAIN_SIGNS[b.side]} {value:.9g}" for b, value in zip(bounds_with_tuning(claim), bounds, strict=True)
    )
    end = STATUS_TEXTS["holds"] if holds else "this upper end alone does not show that the bound holds"
    return RecheckResult(refused_for, (_upper_end_text(found), f"{claim.id}: {signs}", end))


def recheck_method(
    written: Mapping[str, Any], method: Algorithm, measure: str, values: Mapping[Symbol, Number], functions: str | None
) -> RecheckResult:
    """Check a written row against a method without a theorem, at constants by symbol; like ``recheck``."""
    with user_errors():
        asked = _method_question(method, measure, values, functions)
        found = _bracket_from_row(written, asked)
        given = {name: str(exact_text(v)) for name, v in asked.settings}
        _require_same(written, {**_question_fields(asked), "constants": given})
        return RecheckResult(_why_unproved(found), (_upper_end_text(found),))


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn errors of a written row into UserErrors."""
    try:
        yield
    except UserError:
        raise
    except RecursionError:
        raise UserError("this is no worst case as `fltheory worst --json` writes it: it is nested too deeply") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        why = f"{type(error).__name__}: {error}"[:200]
        raise UserError(f"this is no worst case as `fltheory worst --json` writes it: {why}") from None


def _bracket_from_row(written: Mapping[str, Any], asked: Question) -> Bracket:
    """Return the upper limit of a row with its proof, and the lower one as stated."""
    upper = Fraction(exact(written["upper"]))
    lower = None if written["lower"] is None else Fraction(exact(written["lower"]))
    if "links" in written:
        return Bracket(asked, lower, upper, None, None, links=stored.parse_links(written["links"], asked))
    return Bracket(asked, lower, upper, stored.parse_certificate(written), None)


def _why_unproved(found: Bracket) -> str | None:
    if found.lower is not None and found.upper is not None and found.lower > found.upper:
        return f"its lower end {float(found.lower):.9g} is above its upper end {float(found.upper):.9g}"
    return refused(found)


def _question_fields(asked: Question) -> dict[str, Any]:
    return {
        "method": asked.method.name,
        "functions": str(asked.functions),
        "measure": asked.measure.name,
        "scope": "class",
        "evidence": "exact",
    }


def _require_same(written: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise UserError if a row is about another question; a variant's file may have moved."""
    if not isinstance(method := written.get("method"), str) or Path(method).name != Path(str(asked["method"])).name:
        raise UserError(f"the file is about another question: its method is {method!r}, asked is {asked['method']!r}")
    for name, value in asked.items():
        if name == "method":
            continue
        if written.get(name) != value:
            raise UserError(
                f"the file is about another question: its {name} is {written.get(name)!r}, asked is {value!r}"
            )


def _upper_end_text(found: Bracket) -> str:
    return f"{found.question}: at most {'?' if found.upper is None else f'{float(found.upper):.9g}'}"
