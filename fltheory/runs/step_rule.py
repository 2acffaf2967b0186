"""Step-size rules: functions that choose a client's next step size from its last steps.

``step(lr, ratio, reach, c) -> lr`` takes the last step size, its ratio to the one before, and the inverse of the local
smoothness, ``reach`` = |x - x'| / |g - g'|, which is infinite if the gradient did not change. All are arrays of floats
with an entry for every run; ``c`` holds the constants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb

from fltheory.number.mixed import Mixed, is_zero, may_be_zero, mixed_sqrt, smaller_of
from fltheory.runs.method import Method, NotEnumerable, VariantError, describes_functions

if TYPE_CHECKING:
    from fltheory.runs.constants import Constants

MAX_REPEATED_CALLS = 2048  # largest number of entries of a run for which a rule is called again
ExactRule = Callable[[Any, Any, Any, Any], Any]  # a rule on mixed numbers; None is an infinite reach or ratio


@dataclass(frozen=True)
class StepRule(Method):
    r"""A rule by which a client chooses its next step size.

    Parameters
    ----------
    name : str
        The name of the rule in verdicts and plots.
    step : callable
        ``step(lr, ratio, reach, c) -> lr`` returns the next step sizes, shape (runs,), from the last ones, their ratio to
        those before, and ``reach`` = \|x - x'\| / \|g - g'\|, the inverse of the local smoothness (infinite where the
        gradient did not change). ``c`` holds the constants.
    exact : callable, optional
        The rule on exact numbers, non-decreasing in ``reach``, which is None if it is infinite.

    Examples
    --------
    >>> from fltheory import StepRule
    >>> StepRule("constant", lambda lr, ratio, reach, c: lr).name
    'constant'
    """

    exact: ExactRule | None = field(default=None, metadata=describes_functions("step"))

    kernel = None
    kind = "rule"

    @property
    def own(self) -> bool:
        """Whether it and its exact version are the library's: known to keep no memory and to follow their formula."""
        return self.exact is not None and self.of_library


def squared_length(v: np.ndarray) -> Any:
    """Compute |v|^2 along the last axis."""
    return (v * v).sum(axis=-1)


def next_steps(
    rule: StepRule, lr: np.ndarray, ratio: np.ndarray, moved: np.ndarray, turned: np.ndarray, c: Constants
) -> np.ndarray:
    """Compute the next step sizes (rows,) from |x - x'|^2 and |g - g'|^2, (rows,) each, in floats or mixed numbers.

    A client that has not moved keeps its step size.
    """
    if moved.dtype == object:
        if rule.exact is None:
            raise NotEnumerable(f"{rule.name} is defined only on floats")
        found = np.empty(len(lr), dtype=object)
        for i, (old, last, way, turn) in enumerate(zip(lr, ratio, moved, turned, strict=True)):
            found[i] = old if is_zero(way) else exact_step(rule, old, last, way, turn, c)
        return found
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = np.where(turned > 0, np.sqrt(moved / turned), np.inf)
        new = float_steps(rule, lr, ratio, reach, c)
    return np.where(moved > 0, new, lr)


def exact_step(rule: StepRule, lr: Mixed, ratio: Mixed | None, moved: Mixed, turned: Mixed, c: Constants) -> Any:
    """Compute a next step size in mixed numbers; a ball covers both cases if a change may be zero."""
    assert rule.exact is not None
    if not may_be_zero(turned):
        return _require_positive(rule, rule.exact(lr, ratio, mixed_sqrt(moved / turned), c))
    free = _require_positive(rule, rule.exact(lr, ratio, None, c))  # the gradient has not changed
    if free is not None and may_be_zero(moved):
        free = arb(free).union(arb(lr))
    if is_zero(turned):
        return free
    below, above = arb(moved).lower(), arb(turned).upper()
    shortest = (below / above).sqrt() if below > 0 else arb(0)
    return arb.nan() if free is None else arb(rule.exact(lr, ratio, shortest, c)).union(arb(free))


def _require_positive(rule: StepRule, step: Mixed | None) -> Any:
    """Return a step size of the exact version; VariantError unless it is certainly positive."""
    if step is not None and bool(step <= 0):
        raise VariantError(f"{rule.name} returned {step}: expected positive step sizes")
    return step


def float_steps(rule: StepRule, lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    """Call the rule; VariantError if it fails or returns step sizes that are not positive and finite."""
    if not rule.own:
        lr, ratio, reach = lr.copy(), ratio.copy(), reach.copy()
    new = np.asarray(rule.call(rule.step, lr, ratio, reach, c))
    if new.dtype.kind not in "iuf":
        raise VariantError(f"{rule.name} returned values of type {new.dtype}, expected floats")
    new = new.astype(float, copy=False)
    if new.shape != lr.shape:
        raise VariantError(f"{rule.name} returned shape {new.shape}, expected {lr.shape}, a step size for every entry")
    if not rule.own and not (np.isfinite(new) & (new > 0)).all():
        raise VariantError(
            f"{rule.name} returned {new[~(np.isfinite(new) & (new > 0))][0]}: expected positive step sizes"
        )
    return new


def record_calls(rule: StepRule) -> tuple[StepRule, list[tuple[np.ndarray, ...]]]:
    """Return the rule and a list that records the arguments and results of its calls."""
    calls: list[tuple[np.ndarray, ...]] = []

    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        asked = (lr.copy(), ratio.copy(), reach.copy())
        new = rule.step(lr, ratio, reach, c)
        calls.append((*asked, np.array(new)))
        return new

    step.__wrapped__ = rule.step  # type: ignore[attr-defined]
    return StepRule(rule.name, step), calls


def require_repeatable(rule: StepRule, calls: list[tuple[np.ndarray, ...]], c: Constants) -> None:
    """Raise VariantError unless the rule returns equal step sizes for all entries of a run at once and separately."""
    if not calls:
        return
    lr, ratio, reach, answers = (np.concatenate(column)[:MAX_REPEATED_CALLS] for column in zip(*calls, strict=True))
    single = np.arange(0, len(answers), max(1, len(answers) // 8))
    once = np.array([float_steps(rule, lr[[i]], ratio[[i]], reach[[i]], c)[0] for i in single])
    twice = np.tile(np.arange(len(answers)), 2)
    many = float_steps(rule, lr[twice], ratio[twice], reach[twice], c)
    if not (np.allclose(many, answers[twice], rtol=1e-9) and np.allclose(once, answers[single], rtol=1e-9)):
        raise VariantError(
            f"{rule.name} returns different step sizes for equal arguments: it must keep no memory, and not depend on "
            "the number of entries or on the caller"
        )


# Malitsky and Mishchenko's rule, applied by the clients -------------------------------------------------------------


def auto_tuned_step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
    """Return min{gamma |x - x'| / (2 |g - g'|), sqrt(1 + delta theta) eta}, line 9 of Algorithm 1 (there delta = 1)."""
    return np.minimum(c.amplifier * reach / 2, np.sqrt(1 + c.growth_damping * ratio) * lr)


def auto_tuned_exact(lr: Mixed, ratio: Mixed | None, reach: Mixed | None, c: Constants) -> Any:
    """Compute it on mixed numbers; None for an infinite reach or ratio, and if both are infinite."""
    first = None if reach is None else c.amplifier * reach / 2
    cap = None if ratio is None or not c.growth_damping > 0 else mixed_sqrt(1 + c.growth_damping * ratio) * lr
    if ratio is not None and cap is None:
        cap = lr
    if first is None or cap is None:
        return cap if first is None else first
    return smaller_of(first, cap)


auto_tuned = StepRule("Delta-SGD", auto_tuned_step, auto_tuned_exact)
