"""What the attempts to prove something false share: terms, and a theorem that both checkers must refuse, or accept."""

from __future__ import annotations

import json
from typing import Any

from sympy import Symbol

from fltheory.kernel.theorem import Verdict, recheck
from fltheory.proof import certificates, export
from fltheory.proof.check import Report, check
from fltheory.proof.language import Relation, Step, Theorem, le
from fltheory.proof.terms import Fun, RandomScalar, Scalar, Vector, family
from tests.kernel.mutants import false_somewhere

OWN = "test/t"

x, y, t = (Symbol(name, real=True) for name in "xyt")
L = Symbol("L", positive=True)
i, j, k, n, M = (Symbol(name, integer=True) for name in ("i", "j", "k", "n", "M"))
N = Symbol("N", integer=True, nonnegative=True)
P = Symbol("P", integer=True, positive=True)
a, b, c = (family(Scalar, name) for name in "abc")
u, v = family(Vector, "u"), family(Vector, "v")
X, Y = family(RandomScalar, "X"), family(RandomScalar, "Y")
f = family(Fun, "f")
FALSE = le(0, -1)
SIGN = le(0, y)


def prove(
    claim: Relation,
    *steps: Step,
    given: tuple[Any, ...] = (),
    earlier: tuple[Theorem, ...] = (),
    found: dict[str, Any] | None = None,
    unused: tuple[str, ...] = (),
) -> Report:
    """The report of a theorem; ``found`` are certificates by step, whose marks are put right."""
    reports: dict[str, Report] = {}
    for other in earlier:
        reports[other.id] = check(other, {}, reports)
        assert reports[other.id].verdict == "PROVED", [(s.step.id, s.reason) for s in reports[other.id].steps]
    theorem = Theorem(OWN, claim, given, steps, unused=unused)
    marked = {
        s.id: {"hash": certificates.fingerprint(theorem, s), "certificate": (found or {})[s.id]}
        for s in steps
        if s.id in (found or {})
    }
    return check(theorem, marked, reports)


def confirmed(
    claim: Relation,
    *steps: Step,
    given: tuple[Any, ...] = (),
    earlier: tuple[Theorem, ...] = (),
    found: dict[str, Any] | None = None,
    unused: tuple[str, ...] = (),
) -> Verdict:
    """What the second checker says of the same theorem, exported; what can't be exported is refused."""
    try:
        theorems = exported(claim, *steps, given=given, earlier=earlier, found=found, unused=unused)
    except Exception as error:
        return Verdict(OWN, "refused", f"not exported: {error}")
    return list(recheck({"format": export.FORMAT, "papers": {"test": theorems}}, domains=True))[-1]


def exported(
    claim: Relation,
    *steps: Step,
    given: tuple[Any, ...] = (),
    earlier: tuple[Theorem, ...] = (),
    found: dict[str, Any] | None = None,
    unused: tuple[str, ...] = (),
) -> list[Any]:
    """The theorem as JSON, those that it applies before it."""
    own = Theorem(OWN, claim, given, steps, unused=unused)
    entries = {name: {"certificate": certificate} for name, certificate in (found or {}).items()}
    return json.loads(json.dumps([*(export.theorem(t, {}) for t in earlier), export.theorem(own, entries)]))


def refused(*args: Any, **more: Any) -> None:
    _first_refuses(*args, **more)
    again = confirmed(*args, **more)
    assert again.outcome == "refused", f"the second checker: {args[0]} was {again.outcome}"


def refused_or_true(*args: Any, **more: Any) -> None:
    """Where a line has no value for the first checker the second gives it one, x/0 = 0: what it confirms is true so at points."""
    _first_refuses(*args, **more)
    if confirmed(*args, **more).outcome != "refused":
        tried, false = false_somewhere(exported(*args, **more)[-1], str(args[0]))
        assert tried
        assert not false, f"the second checker confirms {args[0]}, which is false: {false}"


def _first_refuses(*args: Any, **more: Any) -> None:
    report = prove(*args, **more)
    assert report.verdict == "UNKNOWN", f"{report.theorem.statement} was {report.verdict}"
    assert report.faults or any(s.reason for s in report.steps)


def accepted(*args: Any, **more: Any) -> None:
    report = prove(*args, **more)
    assert report.verdict == "PROVED", (report.faults, [(s.step.id, s.reason) for s in report.steps])
    again = confirmed(*args, **more)
    assert again.outcome == "confirmed", again.reason
