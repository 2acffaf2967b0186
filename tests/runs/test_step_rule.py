"""Step-size rules: exact numbers and floats agree, users' rules are fenced, mixed numbers stay rational as long as they can."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.evidence.deterministic import evaluate_deterministic
from fltheory.evidence.measured import EvidenceKind
from fltheory.evidence.validation.purity import require_pure
from fltheory.evidence.verdict import Status
from fltheory.model.bound import Bound, Side, Source
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, NotRational, Number, to_float
from fltheory.number.mixed import (
    MAX_RATIONAL_BITS,
    is_zero,
    larger_of,
    may_be_zero,
    mixed_array,
    mixed_sqrt,
    shorten_to_ball,
    smaller_of,
    to_mixed,
    to_ring,
)
from fltheory.runs.client_optimiser import adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants
from fltheory.runs.measures import DeterministicMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.step_rule import (
    StepRule,
    auto_tuned,
    auto_tuned_exact,
    auto_tuned_step,
    exact_step,
    float_steps,
    next_steps,
)
from fltheory.verification import find
from tests.typed import Run

CLAIM = "delta_sgd/R4@printed"
LOOSE = "delta_sgd/FP-contraction@corrected"  # no stored case attains its bound
PAPER = SimpleNamespace(amplifier=2.0, growth_damping=0.1)
EXACT = SimpleNamespace(amplifier=fmpq(2), growth_damping=fmpq(1, 10))
COPY = """import numpy as np


def rule(lr, ratio, reach, c):
    return np.minimum(c.amplifier * reach / 2, np.sqrt(1 + c.growth_damping * ratio) * lr)
"""
GREEDY = "def rule(lr, ratio, reach, c):\n    return 2 * lr\n"

positive = st.builds(Fraction, st.integers(1, 50), st.integers(1, 50))


def floats(value: arb | fmpq) -> float:
    return to_float(value if isinstance(value, arb) else Fraction(int(value.p), int(value.q)))


# The paper's rule -------------------------------------------------------------------------------------------------------


@given(positive, positive, st.one_of(st.none(), positive))
def test_the_exact_twin_is_the_rule(lr: Fraction, ratio: Fraction, reach: Fraction | None) -> None:
    numbers = [np.array([np.inf if v is None else float(v)]) for v in (lr, ratio, reach)]
    exact = auto_tuned_exact(*(None if v is None else to_mixed(v) for v in (lr, ratio, reach)), EXACT)
    assert floats(exact) == pytest.approx(auto_tuned_step(*numbers, PAPER)[0], rel=1e-12)


def test_an_infinite_ratio_caps_nothing() -> None:
    assert auto_tuned_exact(fmpq(1), None, fmpq(3), EXACT) == 3
    assert auto_tuned_exact(fmpq(1), None, None, EXACT) is None
    assert auto_tuned_step(np.ones(1), np.array([np.inf]), np.array([3.0]), PAPER)[0] == 3


def test_a_client_that_has_not_moved_keeps_its_step() -> None:
    moved, turned = np.array([0.0, 4.0, 4.0]), np.array([0.0, 1.0, 0.0])
    new = next_steps(auto_tuned, np.ones(3), np.ones(3), moved, turned, PAPER)
    assert new == pytest.approx([1, min(2, 1.1**0.5), 1.1**0.5])
    objects = [mixed_array([Fraction(v) for v in values]) for values in (np.ones(3), np.ones(3), moved, turned)]
    assert [floats(v) for v in next_steps(auto_tuned, *objects, EXACT)] == pytest.approx(list(new))


def test_where_a_gradient_may_have_stayed_the_same_every_answer_is_kept() -> None:
    around = arb(0, 1e-3)
    found = exact_step(auto_tuned, fmpq(1), fmpq(1), fmpq(1), around, EXACT)
    assert isinstance(found, arb)
    for turned in (fmpq(0), fmpq(1, 10**6), fmpq(1, 1100)):
        assert found.overlaps(arb(exact_step(auto_tuned, fmpq(1), fmpq(1), fmpq(1), turned, EXACT)))
    assert exact_step(auto_tuned, fmpq(1), fmpq(1), fmpq(1), fmpq(4), EXACT) == fmpq(1, 2)


# Rules of users ---------------------------------------------------------------------------------------------------------


def bad(answer: Callable[[np.ndarray], object]) -> StepRule:
    return auto_tuned._replace(step=lambda lr, ratio, reach, c: answer(lr), name="mine")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda lr: -lr, "positive step sizes"),
        (lambda lr: lr * 0, "positive step sizes"),
        (lambda lr: lr * np.nan, "positive step sizes"),
        (lambda lr: lr * np.inf, "positive step sizes"),
        (lambda lr: lr.sum(), "a step size for every entry"),
        (lambda lr: np.stack([lr, lr]), "a step size for every entry"),
        (lambda lr: None, "mine"),
        (lambda lr: "much", "expected floats"),
        (lambda lr: ["1", "2", "3"], "expected floats"),
        (lambda lr: lr * (1 + 1j), "complex128, expected floats"),
        (lambda lr: lr > 0, "bool, expected floats"),
        (lambda lr: [Fraction(1)] * len(lr), "object, expected floats"),
        (lambda lr: 1 / 0, "division by zero"),
    ],
)
def test_a_bad_answer_is_one_line(answer: Callable[..., Any], words: str) -> None:
    with pytest.raises(VariantError, match=words):
        float_steps(bad(answer), np.ones(3), np.ones(3), np.ones(3), PAPER)
    claim = replace(find(CLAIM), algorithm=bad(answer))
    verdict = check_claim(claim, claim.cases[0])
    assert (verdict.status, verdict.broken) == ("inapplicable", True)
    assert "mine" in verdict.reason


def test_integers_are_step_sizes_too() -> None:
    found = float_steps(bad(lambda lr: [1, 2, 3]), np.ones(3), np.ones(3), np.ones(3), PAPER)
    assert found.dtype == float
    assert list(found) == [1, 2, 3]


def test_a_rule_can_not_change_its_arguments() -> None:
    def greedy(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        lr *= 2
        return lr

    lr = np.ones(3)
    assert list(float_steps(auto_tuned._replace(step=greedy), lr, lr, lr, PAPER)) == [2, 2, 2]
    assert list(lr) == [1, 1, 1]


def random_factor(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return lr * np.random.default_rng().random(lr.shape)


def coupled(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    return lr * 0 + lr.mean()


CALLS = [0]


def memory(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    CALLS[0] += 1
    return lr / CALLS[0]


@pytest.mark.parametrize("step", [random_factor, coupled, memory], ids=lambda f: f.__name__)
def test_a_rule_that_is_no_pure_function_gets_no_verdict(step: Callable[..., np.ndarray]) -> None:
    claim = replace(find(CLAIM), algorithm=auto_tuned._replace(step=step))
    verdict = check_claim(claim, claim.cases[0])
    assert verdict.status == "inapplicable"
    assert "not a pure function" in verdict.reason
    require_pure(auto_tuned._replace(step=auto_tuned_step), claim.cases[0])


def test_a_rule_in_floats_has_no_exact_steps() -> None:
    mine = StepRule("mine", auto_tuned_step)
    assert not mine.own
    with pytest.raises(NotEnumerable, match="only on floats"):
        next_steps(mine, *[mixed_array([1])] * 4, EXACT)
    assert auto_tuned._replace(name="renamed").own


# The command line -------------------------------------------------------------------------------------------------------


def test_a_rule_of_a_file_takes_the_place_of_the_papers(run: Run, tmp_path: Path) -> None:
    greedy, copy = tmp_path / "greedy.py", tmp_path / "copy.py"
    greedy.write_text(GREEDY)
    copy.write_text(COPY)
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--variant", f"{greedy}:rule")
    assert status == 1
    assert "violated" in out
    assert run("verify", LOOSE, "--jobs", 1, "--variant", f"{copy}:rule")[0] == 0
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--variant", f"{copy}:rule")
    assert status == 0
    assert "inconclusive" in out  # the bound is attained, and floats don't tell that
    assert "violated" not in out


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def rule(lr, ratio):\n    return lr\n", "step(lr, ratio, reach, c)"),
        ("def rule(lr, ratio, reach, c):\n    return lr / nothing\n", "mine.py:2"),
        ("rule = 3\n", "of type int"),
    ],
)
def test_a_rule_that_can_not_be_used_is_one_line(run: Run, tmp_path: Path, source: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(source)
    status, out, err = run("verify", CLAIM, "--jobs", 1, "--variant", f"{tmp_path}/mine.py:rule")
    assert status in (2, 3)
    assert words in " ".join((out + err).split())


# Runs that are followed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Root(DeterministicMeasure):
    """A measure that is sqrt(2) less a little, in balls."""

    less: Number = 0
    name: str = "sqrt(2)"
    letters: tuple[Any, ...] = ()

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, dict[Any, Any]]:
        return arb(2).sqrt() - self.less, {}


def told(less: Number, side: Side = "upper", rule: StepRule = auto_tuned) -> Status | None:
    bound = Bound(sympy.sqrt(2), Source("delta_sgd", "a test", "printed"), side=side)
    return evaluate_deterministic(Root(less), rule, bound, find(CLAIM).cases[0])[0]


def test_precision_rises_until_it_is_told() -> None:
    tiny = fmpq(1, 2**180)  # more than the first precision tells
    assert told(tiny) == "holds"
    assert told(-tiny) == "violated"
    assert told(tiny, "lower") == "violated"
    assert told(0) is None  # equal, as far as balls can tell
    assert told(tiny, "equal") == "violated"


def test_of_a_users_rule_small_differences_are_not_told() -> None:
    mine = StepRule("mine", auto_tuned_step)
    assert told(fmpq(1, 10**12), rule=mine) is None
    assert told(fmpq(1, 10**6), rule=mine) == "holds"
    assert told(-fmpq(1, 10**6), rule=mine) == "violated"


@dataclass(frozen=True)
class Near(Root):
    """The same, with a tolerance."""

    tolerance: float = 2.0**-64


@pytest.mark.parametrize("side", ["upper", "lower", "equal"])
def test_what_a_tolerance_decides_is_not_called_exact(side: Side) -> None:
    bound = Bound(sympy.sqrt(2), Source("delta_sgd", "a test", "printed"), side=side)
    case, off = find(CLAIM).cases[0], -1 if side == "lower" else 1

    def judged(less: Number, rule: StepRule = auto_tuned) -> tuple[Status | None, EvidenceKind]:
        status, measured, _ = evaluate_deterministic(Near(less), rule, bound, case)
        return status, measured.evidence

    assert judged(0) == ("holds", "numerical")
    assert judged(-off * fmpq(1, 2**100)) == ("violated", "exact")
    assert judged(off * fmpq(1, 2**100)) == ("violated" if side == "equal" else "holds", "exact")
    assert judged(arb(0, 1e-10))[0] is None  # coarser than the tolerance
    assert judged(0, StepRule("mine", auto_tuned_step)) == (None, "sampled")


@dataclass(frozen=True)
class Nothing(Near):
    """A measure that is 0 and a little, in balls."""

    def follow(self, rule: StepRule, case: Case) -> tuple[Any, dict[Any, Any]]:
        return arb(2).sqrt() * arb(2).sqrt() - 2 + self.less, {}


def test_of_nothing_a_tolerance_is_absolute() -> None:
    bound = Bound(sympy.Integer(0), Source("delta_sgd", "a test", "printed"), side="equal")
    case, mine = find(CLAIM).cases[0], StepRule("mine", auto_tuned_step)
    for more, rule, expected in (
        (0, auto_tuned, "holds"),
        (fmpq(1, 2**100), auto_tuned, "violated"),
        (fmpq(1, 10**12), mine, None),
        (fmpq(5, 10**9), mine, "violated"),
    ):
        assert evaluate_deterministic(Nothing(more), rule, bound, case)[0] == expected


# Mixed numbers ----------------------------------------------------------------------------------------------------------


@given(positive, positive)
def test_roots_of_squares_are_rational(a: Fraction, b: Fraction) -> None:
    one, two = to_mixed(a), to_mixed(b)
    assert mixed_sqrt(one * one) == one
    assert smaller_of(one, two) == to_mixed(min(a, b))
    assert larger_of(one, two) == to_mixed(max(a, b))
    product = mixed_sqrt(one * two)
    assert (product * product - one * two).contains(0) if isinstance(product, arb) else product * product == one * two


def test_what_can_not_be_ordered_is_kept_together() -> None:
    wide = arb(1, 0.5)
    for value in (smaller_of(wide, fmpq(1)), larger_of(wide, fmpq(1))):
        assert isinstance(value, arb)
        assert value.contains(1)
    assert not smaller_of(wide, fmpq(1)) > 1
    assert smaller_of(wide, fmpq(2)) is wide
    with pytest.raises(ValueError, match="expected a nonnegative number for a root, got -1"):
        mixed_sqrt(fmpq(-1))


def test_zero_is_told_from_what_may_be_zero() -> None:
    assert is_zero(fmpq(0))
    assert is_zero(arb(0))
    assert not is_zero(arb(0, 1e-9))
    assert may_be_zero(arb(0, 1e-9))
    assert not may_be_zero(fmpq(1, 10**9))


def test_long_numbers_become_balls() -> None:
    short, long = fmpq(1, 3), fmpq(2**MAX_RATIONAL_BITS + 1, 2**MAX_RATIONAL_BITS)
    assert shorten_to_ball(short) is short
    with ctx.workprec(128):
        ball = shorten_to_ball(long)
        assert isinstance(ball, arb)
        assert ball.contains(arb(long))


def test_mixed_numbers_in_a_ring() -> None:
    assert to_ring(fmpq(1, 3), RATIONAL) == fmpq(1, 3)
    assert to_ring(fmpq(1, 3), BALL).contains(fmpq(1, 3))
    with pytest.raises(NotRational):
        to_ring(arb(1), RATIONAL)
    assert [type(v) for v in mixed_array([1, Fraction(1, 2), arb(1)])] == [fmpq, fmpq, arb]


def test_a_rule_with_a_memory_is_refused_inside_a_federation_too() -> None:
    """An optimiser made of a user's rule is not taken for the library's."""
    calls = itertools.count()
    forgetful = StepRule("counts", lambda lr, ratio, reach, c: lr * (1 + 1 / (3 + next(calls))))
    assert federated_averaging(adaptive_optimiser(auto_tuned)).anonymous
    claim = replace(find("delta_sgd/T1-X@corrected"), algorithm=federated_averaging(adaptive_optimiser(forgetful)))
    verdict = check_claim(claim, claim.cases[0])
    assert verdict.status == "inapplicable"
    assert "not a pure function" in verdict.reason
