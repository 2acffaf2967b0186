"""What is PROVED is what the kernel confirms of the exported text: whatever the objects say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy
from sympy import Integer, Symbol, binomial

from fltheory.kernel import theorem as kernel
from fltheory.proof import library, text
from fltheory.proof.check import Report, check_all
from fltheory.proof.language import ALL, Combine, Given, Polynomial, Proofs, Relation, Step, Theorem, eq, le, lt
from fltheory.proof.side_by_side import checked_side_by_side
from fltheory.proof.terms import Scalar, family

x, y = family(Scalar, "x")(), family(Scalar, "y")()
n = Symbol("n", integer=True)


class Small(Symbol):
    """A letter that says of itself that it is negative."""

    def _eval_is_negative(self) -> bool:
        return True


def decided(statement: Relation, given: Sequence[Any] = (), steps: Sequence[Step] = (), **more: Any) -> Report:
    """The report on a theorem with one step, unless others are given, from its hypotheses."""
    own = steps or (Step("1", statement, Combine(), tuple(h.id for h in given)),)
    (report,) = check_all(
        Proofs("test", (Theorem("test/t", statement, tuple(given), tuple(own), **more),), Path("nowhere"))
    )
    return report


def said(report: Report) -> str:
    return "; ".join([*report.faults, *(s.reason for s in report.steps)])


def test_what_the_kernel_confirms_is_proved() -> None:
    report = decided(le(x, y + 1), (Given("less", le(x, y)),))
    assert (report.verdict, report.read, report.scope) == ("PROVED", "", ALL)
    assert not report.faults


ZERO = Symbol("z", zero=True)
FALSE = {  # statements, and why they are not proved
    "0^(n+1) is 0": (eq(Integer(0) ** (n + 1), 0), "is not seen to be"),
    "0^n is 0": (eq(Integer(0) ** n, 0), "the sides differ"),
    "1 is 0": (eq(1, 0), "the sides differ"),
    "a letter that is 0": (lt(0, ZERO), "what is known of z can't be exported"),
    "a letter that is odd": (le(1, Symbol("o", odd=True) ** 2), "what is known of o can't be exported"),
    "a letter of another kind": (lt(Small("s", real=True), 0), "s"),
    "a binomial below 3": (le(binomial(n, 3), 0), "the sides differ"),
    "a binomial with a sign": (le(0, -binomial(n, 2)), "the sides differ"),
}


@pytest.mark.parametrize(("statement", "words"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refused_with_its_reason(statement: Relation, words: str) -> None:
    report = decided(statement)
    assert report.verdict == "UNKNOWN"
    assert words in said(report)


def test_what_another_program_says_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        kernel, "each", lambda own, earlier: [kernel.Told(s, "refused", "Wrong: no") for s in own.steps]
    )
    report = decided(le(x, x))
    assert (report.verdict, report.steps[0].reason) == ("UNKNOWN", "no")


def test_a_step_that_rests_on_what_is_refused_is_not_proved() -> None:
    steps = (Step("a", le(x, y), Combine()), Step("b", le(x, y + 1), Combine({"a": 1}), ("a",)))
    report = decided(le(x, y + 1), (), steps)
    assert [s.outcome for s in report.steps] == ["UNKNOWN", "UNKNOWN"]
    assert report.steps[1].reason == "a is not proved"


def test_what_has_no_natural_value_is_read_so_and_proves_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    report = decided(eq(x / y - x / y, 0))
    assert report.verdict == "PROVED"
    inverse = decided(eq(2 / (2 * y), 1 / y), ())
    assert (inverse.verdict, inverse.read) == ("PROVED", "family(Scalar, y) is not seen to be nonzero")
    assert "; read with x/0 = 0: family(Scalar, y)" in text.verdict(inverse, {})
    proofs = library.load("aaggff")
    tied = next(t for t in proofs.theorems if t.bound is not None and t.expected == "PROVED" and len(t.steps) == 1)
    monkeypatch.setattr(kernel, "artificial", lambda own: "y is not seen to be nonzero")
    own = next(r for r in check_all(replace(proofs, theorems=(tied,))))
    assert own.verdict == "UNKNOWN"
    assert own.faults == ("read with x/0 = 0: y is not seen to be nonzero",)
    plain = next(t for t in proofs.theorems if t.id == "aaggff/nonnegative-square")
    assert [(r.verdict, r.read) for r in checked_side_by_side(proofs, [plain], 1)] == [
        ("PROVED", "y is not seen to be nonzero")
    ]


def test_an_export_that_fails_is_a_fault() -> None:
    odd = decided(le(sympy.zeta(x), sympy.zeta(x)))
    assert odd.verdict == "UNKNOWN"
    assert "can't be exported" in odd.faults[0] or "zeta" in said(odd)
    lost = decided(le(0, x**2), (), (Step("1", le(0, x**2), Polynomial()),))
    assert lost.verdict == "UNKNOWN"
    assert "certificate" in said(lost)
