"""Steps of 2/(L + m) contract: proved directly from what smooth strongly convex functions obey at two points."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sympy import Expr, Integer, Symbol

from fltheory.kernel.theorem import FORMAT, recheck
from fltheory.proof import Axiom, Member, by, eq, export, le, proof
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.terms import Fun, Grad, Vector, family, square

F = family(Fun, "F")()
x, y, best = (family(Vector, name)() for name in ("x", "y", "best"))
L, m = Symbol("L", positive=True), Symbol("m", positive=True)


def contraction(factor: Expr, kind: Any = "interpolated") -> Any:
    """|y - best|^2 <= factor |x - best|^2 for a step of 2/(L + m)."""
    weight = Integer(4) / (L + m) ** 2
    pair = ((weight, Axiom(kind, F, best, x)), (weight, Axiom(kind, F, x, best)))
    return (
        proof("mine/contraction", note="a step of size 2/(L + m)")
        .under(Member("class", F, L, m, "F is m-strongly convex and L-smooth"))
        .given("step", eq(y, x - 2 * Grad(F, x) / (L + m)), "gradient descent")
        .given("least", eq(Grad(F, best), 0 * best), "best is a minimiser")
        .qed(le(square(y - best), factor * square(x - best)), by.sos(*pair, "class"), inserting=("step", "least"))
    )


RATE = ((L - m) / (L + m)) ** 2


def test_the_contraction_is_proved_directly_and_by_both_checkers() -> None:
    theorem = contraction(RATE)
    found = find_certificates(theorem, {})
    report = check_theorem(theorem, found)
    assert (report.verdict, report.scope, report.faults) == ("PROVED", "all parameters", ())
    written = {"format": FORMAT, "papers": {"mine": [export.theorem_json(theorem, found)]}}
    (again,) = recheck(json.loads(json.dumps(written)))
    assert again.outcome == "confirmed", again.reason
    written["papers"]["mine"][0] = json.loads(
        json.dumps(export.theorem_json(theorem, found)).replace("interpolated", "cocoercive")
    )
    (other,) = recheck(written)
    assert other.outcome == "refused"


@pytest.mark.parametrize(
    ("factor", "kind"), [(RATE * 99 / 100, "interpolated"), (RATE, "cocoercive"), (RATE, "convex")]
)
def test_less_is_not_proved_and_what_lacks_is_named(factor: Expr, kind: str) -> None:
    """A smaller factor is false; co-coercivity or convexity alone do not give it."""
    theorem = contraction(factor, kind)
    report = check_theorem(theorem, find_certificates(theorem, {}))
    assert report.verdict == "UNKNOWN"
    (step,) = report.steps
    assert "certificate is missing" not in step.reason
    assert "is not known to be a sum of squares" in step.reason
    assert "an axiom of the class or another weight is missing" in step.reason
