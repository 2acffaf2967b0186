"""The result of a search for the least constants: limits with the cases that force them, as text and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.claims.claim import Claim, python_name_of
from fltheory.evidence.verdict import import_lines
from fltheory.model import html_cards
from fltheory.model.bound import render
from fltheory.search.tightness.constraints import Fact
from fltheory.search.tightness.drop_condition import DroppedCondition
from fltheory.search.tightness.growth import GrowthExponent
from fltheory.search.tightness.targets import WeightTarget
from fltheory.search.tightness.terms import Terms

LOWER_LIMIT_TEXT = "a lower limit on the constants of any proof: no smaller ones hold; that these hold is not proved"
UPPER_LIMIT_TEXT = "an upper limit on the constants of any proof: no larger ones hold; that these hold is not proved"


@dataclass(frozen=True)
class Limit:
    """A least factor, or least weight of a term with the others at 1 (greatest, for a lower bound), forced by ``fact``.

    ``weights`` are near it, on the side that no found case refutes; None if the bound itself is refuted.
    """

    aim: WeightTarget
    value: Fraction
    fact: Fact
    weights: tuple[Fraction, ...] | None

    def refuted(self, weights: tuple[Fraction, ...]) -> bool:
        """Return whether the case refutes these weights, in ball arithmetic; a factor scales the fixed part too."""
        return self.fact.refutes(weights, weights[0] if self.aim.index is None else Fraction(1)) is True


@dataclass(frozen=True)
class Corner:
    """Weights of all terms on the edge of those consistent with all found cases; the ``facts`` are active."""

    weights: tuple[Fraction, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, repr=False)
class TightnessResult:
    """The least constants of a claim's first bound that survive all found cases.

    ``limits``: for all terms together first, then for each; ``corners``: other weights on the Pareto front. ``upper``:
    a proved limit, if known: no instance of its class at the constants of the forcing case needs a larger factor.
    """

    terms: Terms
    limits: tuple[Limit, ...]
    corners: tuple[Corner, ...]
    growth: tuple[GrowthExponent, ...]
    dropped: tuple[DroppedCondition, ...]
    upper: Fraction | None
    scope: str
    examined: int
    told: int
    cut: int
    error_rate: float
    seconds: float
    reason: str = ""
    interrupted: bool = False  # Ctrl-C ended the search early
    late: int = 0  # evaluations ended by the clock
    work: int = 0  # units

    @property
    def claim(self) -> Claim:
        """Return the claim in its original form."""
        return self.terms.claim

    @property
    def factor(self) -> Fraction | None:
        """Return the least factor of the whole bound (greatest, for a lower bound); None if nothing was found."""
        return next((limit.value for limit in self.limits if limit.aim == WeightTarget()), None)

    def __repr__(self) -> str:
        shown = "nothing found" if self.factor is None else f"factor {self._sign()} {float(self.factor):.6g}"
        return f"<Sharpened {self.claim.id}: {shown} ({self._seen()})>"

    def __str__(self) -> str:
        names = [render(e, self.claim.bound.letters) for e in self.terms.exprs]
        lines = [f"{self.claim.id}: {self._seen()}"]
        if not self.limits:
            return f"{lines[0]}: no case gives a limit{': ' + self.reason if self.reason else ''}"
        lines.append(f"{LOWER_LIMIT_TEXT if self._upper else UPPER_LIMIT_TEXT}")
        for i, name in enumerate(names):
            lines += _indent_lines(f"term {i + 1}: ", name) if len(names) > 1 or self.terms.fixed != 0 else []
        if self.terms.fixed != 0:
            lines += _indent_lines(
                "subtracted, with no weight of its own: ", render(-self.terms.fixed, self.claim.bound.letters)
            )
        for limit in self.limits:
            lines.append(
                f"{self.describe_target(limit.aim)} {self._sign()} {format_number(limit.value)} ({limit.fact.evidence})"
            )
            lines.append(f"  by {reproducer(self.claim, limit.fact)}")
        if self.upper is not None:
            which = "is at most" if self._upper else "is at least"
            lines.append(
                f"at the constants of that case the factor {which} {format_number(self.upper)} for {self.scope} (proved)"
            )
        for corner in self.corners:
            weights = ", ".join(format_number(w) for w in corner.weights)
            lines.append(
                f"consistent with all cases found, none less in all: weights ({weights}), pressed by {len(corner.facts)} of them"
            )
        lines += [str(growth) for growth in self.growth]
        lines += [str(dropped) for dropped in self.dropped]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        first, *rest = str(self).splitlines()
        return html_cards.card(first, [("", html_cards.lines(map(html_cards.escape_text, rest)))])

    @property
    def _upper(self) -> bool:
        return self.claim.bound.side == "upper"

    def _sign(self) -> str:
        return "can't be less than" if self._upper else "can't be more than"

    def describe_target(self, aim: WeightTarget) -> str:
        """Describe an aim of the search in words."""
        if aim.index is None:
            return "the factor of the bound"
        return f"the weight of term {aim.index + 1}, the others as they are,"

    def _seen(self) -> str:
        parts = [f"{self.examined} cases examined", f"{self.told} constrain the constants"]
        parts += [f"{self.cut} cut, as they take too much work"] if self.cut else []
        parts += [f"{self.late} cut by the clock"] if self.late else []
        parts += [f"work {self.work}", f"{self.seconds:.1f} s"]
        parts += [f"error rate at most {self.error_rate:.1g}"] if self.error_rate else []
        parts += ["interrupted"] if self.interrupted else []
        return ", ".join(parts)

    def row(self) -> dict[str, Any]:
        """Return the result as JSON: numbers as fractions in text, cases as lines of Python."""
        return {
            "id": self.claim.id,
            "side": self.claim.bound.side,
            "terms": [str(e) for e in self.terms.exprs],
            "limits": [_limit_row(self.claim, limit) for limit in self.limits],
            "corners": [
                {"weights": [str(w) for w in c.weights], "cases": [reproducer(self.claim, f) for f in c.facts]}
                for c in self.corners
            ],
            "growth": [growth.row() for growth in self.growth],
            "conditions": [dropped.row() for dropped in self.dropped],
            "proved": None if self.upper is None else str(self.upper),
            "examined": self.examined,
            "told": self.told,
            "error_rate": self.error_rate,
            "work": self.work,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
        }


def _limit_row(claim: Claim, limit: Limit) -> dict[str, Any]:
    return {
        "term": limit.aim.index,
        "value": str(limit.value),
        "about": float(limit.value),
        "evidence": limit.fact.evidence,
        "surviving": None if limit.weights is None else [str(w) for w in limit.weights],
        "case": reproducer(claim, limit.fact),
    }


def format_number(value: Fraction) -> str:
    """Return a number to six digits."""
    return f"{float(value):.6g}"


def reproducer(claim: Claim, fact: Fact) -> str:
    """Return a line of Python that checks the original claim on the case."""
    case = fact.case
    return f"from fltheory import verify; {import_lines(case.instance)}; print(verify({python_name_of(claim)}, {case.arguments()}))"


def _indent_lines(label: str, drawn: str) -> list[str]:
    first, *rest = drawn.splitlines()
    return [f"{label}{first}", *(" " * len(label) + line for line in rest)]
