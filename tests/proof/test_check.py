"""What is PROVED is what the kernel confirms of the exported text: whatever the objects say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy
from sympy import Dummy, Integer, Symbol, binomial

from fltheory.kernel import theorem as kernel
from fltheory.proof import library, text
from fltheory.proof.check import check_all, check_each
from fltheory.proof.language import (
    ALL_PARAMETERS,
    Apply,
    Combine,
    Given,
    Polynomial,
    Proofs,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.parallel import check_in_parallel
from fltheory.proof.report import Report
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
    assert (report.verdict, report.read, report.scope) == ("PROVED", "", ALL_PARAMETERS)
    assert not report.faults


ZERO = Symbol("z", zero=True)
FALSE = {  # statements, and why they are not proved
    "0^(n+1) is 0": (eq(Integer(0) ** (n + 1), 0), "is not seen to be"),
    "0^n is 0": (eq(Integer(0) ** n, 0), "the sides differ"),
    "1 is 0": (eq(1, 0), "the sides differ"),
    "a letter that is 0": (lt(0, ZERO), "the assumptions of the symbol z cannot be exported"),
    "a letter that is odd": (le(1, Symbol("o", odd=True) ** 2), "the assumptions of the symbol o cannot be exported"),
    "a letter of another kind": (lt(Small("s", real=True), 0), "s"),
    "a binomial below 3": (le(binomial(n, 3), 0), "the sides differ"),
    "a binomial with a sign": (le(0, -binomial(n, 2)), "the sides differ"),
}


@pytest.mark.parametrize(("statement", "words"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refused_with_its_reason(statement: Relation, words: str) -> None:
    report = decided(statement)
    assert report.verdict == "UNKNOWN"
    assert words in said(report)


class Assumed(Combine):
    """A rule that calls itself what it is not."""


class Flip(tuple):
    """A list that is empty the second time."""

    seen = 0

    def __iter__(self) -> Any:
        self.seen += 1
        return iter(()) if self.seen > 1 else super().__iter__()


class Liar(Symbol):
    """A letter that passes for another one."""

    def __hash__(self) -> int:
        return hash(Symbol("x", real=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol)


TWINS = Dummy("d", real=True), Dummy("d", real=True)
LABELS = Scalar(Symbol("a")), Scalar(Symbol("a", real=True))


def test_objects_that_pass_for_others_are_refused() -> None:
    assert "Assumed is not a rule" in said(decided(le(1, 0), (), (Step("1", le(1, 0), Assumed()),)))
    middle = (Step("a", le(1, 0), Assumed()), Step("b", le(2, 1), Combine({"a": 1}), ("a",)))
    assert decided(le(2, 1), (), middle).verdict == "UNKNOWN"
    assert "cannot be exported" in said(decided(eq(*TWINS)))
    assert "is not a plain Symbol" in said(decided(eq(*LABELS)))
    steps = (Step("1", le(1, 0), Combine({"no": 1}), ("no",)),)
    own = Theorem("test/t", le(1, 0), Flip((Given("no", le(1, 0)),)), steps)
    (report,) = check_all(Proofs("test", (own,), Path("nowhere")))
    assert (report.verdict, report.faults) == ("UNKNOWN", ("its parts must be plain tuples",))
    assert "could be read as another term" in said(decided(lt(0, Symbol("-1", positive=True))))


def test_a_letter_that_lies_says_nothing_of_others() -> None:
    liar = Symbol.__xnew__(Liar, "y", positive=True)
    assert decided(lt(0, liar)).verdict == "UNKNOWN"
    assert decided(lt(0, Symbol("x", real=True))).verdict == "UNKNOWN"


def test_what_is_applied_is_what_was_decided() -> None:
    first = Theorem("test/a", le(0, 1), (), (Step("1", le(0, 1), Combine()),))
    claim = le(1, 0)
    second = Theorem("test/b", claim, (), (Step("1", claim, Apply("test/a")),))

    def changing() -> Any:
        yield first
        object.__setattr__(first, "statement", claim)
        yield second

    reports = list(check_each(Proofs("test", (), Path("nowhere")), changing()))
    assert [r.verdict for r in reports] == ["PROVED", "UNKNOWN"]


def test_what_takes_too_long_does_so_the_second_time() -> None:
    def power(b: int, e: int) -> sympy.Expr:
        return sympy.Pow(Integer(b), Integer(e), evaluate=False)

    parts = [
        sympy.Mul(power(b, e), x**k, evaluate=False)
        for b, e, k in ((3, 1_800_000, 2), (5, 1_200_000, 4), (7, 1_200_000, 6))
    ]
    long = le(0, sympy.Add(*parts, evaluate=False))
    assert [decided(long).verdict for _ in range(2)] == ["UNKNOWN", "UNKNOWN"]
    assert "too long" in said(decided(long))


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
    assert "; read with x/0 = 0: family(Scalar, y)" in text.verdict_text(inverse, {})
    proofs = library.load("aaggff")
    tied = next(t for t in proofs.theorems if t.bound is not None and t.recorded == "PROVED" and len(t.steps) == 1)
    monkeypatch.setattr(kernel, "artificial", lambda own, earlier: "y is not seen to be nonzero")
    own = next(r for r in check_all(replace(proofs, theorems=(tied,))))
    assert own.verdict == "UNKNOWN"
    assert own.faults == ("read with x/0 = 0: y is not seen to be nonzero",)
    plain = next(t for t in proofs.theorems if t.id == "aaggff/nonnegative-square")
    assert [(r.verdict, r.read) for r in check_in_parallel([(proofs, [plain])], 1)] == [
        ("PROVED", "y is not seen to be nonzero")
    ]


def test_an_export_that_fails_is_a_fault() -> None:
    odd = decided(le(sympy.zeta(x), sympy.zeta(x)))
    assert odd.verdict == "UNKNOWN"
    assert "cannot be exported" in odd.faults[0] or "zeta" in said(odd)
    lost = decided(le(0, x**2), (), (Step("1", le(0, x**2), Polynomial()),))
    assert lost.verdict == "UNKNOWN"
    assert "certificate" in said(lost)
