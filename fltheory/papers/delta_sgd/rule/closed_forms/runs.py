"""Exact runs of rule (4), one step a round with full gradients, in the readings that the text allows.

The step state is kept from round to round. The text does not define the clients' points x^i_t; ``Reading``:
"A": x^i_{t+1} = x^i_t - eta^i_t grad f_i(x^i_t), clients never meet, x_t is their mean (one client: AdGD);
"B": x^i_t = x_t for all, x_{t+1} = x_t - mean eta^i_t grad f_i(x_t);
"C": x^i_{t+1} = x_t - eta^i_t grad f_i(x_t), x_{t+1} their mean, differences in the rule from x_{t-1} to x^i_t;
"step": B with the smallest of the clients' proposals as the common step (our variant, for which the theory is true);
"ratio": B where every client multiplies its own step by the smallest of the clients' ratios.
A run is in mixed numbers: rational if possible. A user's rule is evaluated in floats, and its results are the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from flint import arb, ctx, fmpq
from sympy import Symbol

from fltheory.games.player import ImpreciseState
from fltheory.model.bound import BoundError
from fltheory.model.case import Case
from fltheory.number import Ring, as_number, to_float
from fltheory.number.mixed import Mixed, is_zero, largest, mixed_array, mixed_sqrt, shorten_to_ball, smallest, to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.problems.convex import Convex, ConvexClients, Quadratic
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.step_rule import StepRule, exact_step, float_steps, squared_length

Reading = Literal["A", "B", "C", "step", "ratio"]
MIXED = Ring("MIXED", to_mixed, object)
INFINITE = None  # a ratio without a cap
UNLIMITED = "nothing limits the first step that is chosen: theta_0 is infinite and the gradient did not change"
FINER = (128, 512, 2048, 8192)  # bits
LONGEST = 20_000  # most rounds times clients of a run


@dataclass(frozen=True)
class History:
    """A run of T rounds: ``server[t]``, ``points[t][i]`` for t = 0..T+1; steps, ratios, gradients, values to t = T.

    ``lr[t][i]`` is eta^i_t and ``ratio[t][i]`` theta^i_t, of which those at t = 0 are given.
    """

    instance: ConvexClients
    server: list[np.ndarray]
    points: list[list[np.ndarray]]
    lr: list[list[Any]]
    ratio: list[list[Any]]
    gradient: list[list[np.ndarray]]  # of f_i at x^i_t

    @property
    def n_rounds(self) -> int:
        """Return T."""
        return len(self.lr) - 1

    @property
    def n_clients(self) -> int:
        """Return m."""
        return self.instance.n_clients

    @cached_property
    def above(self) -> list[list[Any]]:
        """Return f_i(x^i_t) - f_i(x*) for t = 0..T, x* the point of comparison."""
        f, best = self.instance.objectives, self.least
        return [[f[i].value(x) - best[i] for i, x in enumerate(xs)] for xs in self.points[:-1]]

    @cached_property
    def least(self) -> list[Any]:
        """Return f_i(x*)."""
        return [f.value(self.instance.point) for f in self.instance.objectives]

    def mean(self, values: Iterable[Mixed]) -> Mixed:
        """Return the mean over the clients."""
        return sum(values, fmpq(0)) / self.n_clients

    @cached_property
    def local_smoothness(self) -> Mixed:
        """Return the largest Lipschitz constant of a client's gradient on the hull of the run's points."""
        every = [x for xs in self.points for x in xs] + self.server
        return largest(f.smoothness_between(every) for f in self.instance.objectives)


def refine_until_narrow(look: Callable[[], Any]) -> Any:
    """Evaluate a run at the working precision, or at the first higher one at which its balls are narrow enough.

    ValueError if that fails.
    """
    reason = ""
    for precision in (ctx.prec, *FINER):
        try:
            with ctx.workprec(precision):
                return look()
        except ImpreciseState as error:
            reason = str(error)
        except NotEnumerable as error:
            raise ValueError(str(error)) from None
    raise ValueError(reason)


def follow(rule: StepRule, case: Case, reading: Reading) -> History:
    """Run a case at the working precision: n_rounds = T rounds after the first one."""
    return _follow(rule, case, reading, ctx.prec)


@lru_cache(maxsize=64)
def _follow(rule: StepRule, case: Case[ConvexClients], reading: Reading, precision: int) -> History:
    instance = case.instance
    c = run_constants(case, MIXED)
    ask = _step_function(rule, case, c)
    f, m = instance.objectives, instance.n_clients
    if int(c.n_rounds) * m > LONGEST:
        raise NotEnumerable(f"a run of more than {LONGEST} rounds times clients is too long")
    x = mixed_array(instance.start)
    first = to_mixed(c.initial_step_size)
    ratio_0 = to_mixed(c.initial_ratio) if notation.theta_0 in case.constants else INFINITE
    server, points = [x], [[x] * m]
    lr, ratio, gradient = (
        [[first * to_mixed(v) for v in instance.pace or (1,) * m]],
        [[ratio_0] * m],
        list[list[np.ndarray]](),
    )
    at_server = [g.gradient(x) for g in f]  # of f_i at the server's last point, for C
    for t in range(int(c.n_rounds) + 1):
        own = [f[i].gradient(points[t][i]) for i in range(m)]
        gradient.append(own)
        if t > 0:
            before = [server[t - 1]] * m if reading == "C" else points[t - 1]
            then = at_server if reading == "C" else gradient[t - 1]
            proposals = [
                ask(lr[t - 1][i], ratio[t - 1][i], points[t][i] - before[i], own[i] - then[i], f[i]) for i in range(m)
            ]
            steps, grown = _agree_steps(proposals, lr[t - 1], reading)
            lr.append(steps)
            ratio.append(grown)
        if reading == "C":
            at_server = [g.gradient(server[t]) for g in f]
            moved = [_after(server[t], lr[t][i] * at_server[i]) for i in range(m)]
        elif reading == "A":
            moved = [_after(points[t][i], lr[t][i] * own[i]) for i in range(m)]
        else:
            moved = [_after(server[t], sum((lr[t][i] * own[i] for i in range(m)), x * 0) / m)] * m
        points.append(moved)
        server.append(sum(moved, x * 0) / m if reading in "AC" else moved[0])
    if any(isinstance(v, arb) and not v.is_finite() for v in server[-1]) and precision >= 4096:
        if rule.own:
            raise NotEnumerable("the balls of the run grow too wide")
        raise VariantError(f"{rule.name} left the finite numbers")
    return History(instance, server, points, lr, ratio, gradient)


def _after(x: np.ndarray, move: np.ndarray) -> np.ndarray:
    """Return x - move with limited precision; a rational coordinate that does not move stays rational."""
    return mixed_array(shorten_to_ball(v if is_zero(d) else v - d) for v, d in zip(x, move, strict=True))


def _step_function(
    rule: StepRule, case: Case, c: Constants
) -> Callable[[Any, Any, np.ndarray, np.ndarray, Convex], Any]:
    """Return one next step size; a user's rule returns floats."""
    floats = run_constants(case, None)

    def asked(lr: Mixed, ratio: Mixed, move: np.ndarray, turn: np.ndarray, f: Convex) -> Mixed:
        if all(is_zero(v) for v in move):
            return lr
        known = (
            f.curvature if isinstance(f, Quadratic) else None
        )  # the inverse local smoothness is 1/h for any move, without rounding
        moved, turned = (fmpq(1), known * known) if known is not None else (squared_length(move), squared_length(turn))
        if rule.own:
            new = exact_step(rule, lr, ratio, moved, turned, c)
            if new is None:
                raise BoundError(UNLIMITED)
            return shorten_to_ball(new)
        reach = np.inf if is_zero(turned) else _float(mixed_sqrt(moved / turned))
        last = np.inf if ratio is INFINITE else _float(ratio)
        if reach == last == np.inf:
            raise BoundError(UNLIMITED)
        answer = float_steps(rule, np.array([_float(lr)]), np.array([last]), np.array([reach]), floats)
        return fmpq(*float(answer[0]).as_integer_ratio())

    return asked


def _float(value: Mixed) -> float:
    """Return a close float; ImpreciseState if a ball is too wide."""
    if isinstance(value, arb) and not (value.is_finite() and value.rel_accuracy_bits() >= 60):
        raise ImpreciseState("the balls of the run are too wide")
    return to_float(as_number(value))


def _agree_steps(proposals: list[Any], last: list[Any], reading: Reading) -> tuple[list[Any], list[Any]]:
    """Return the steps that are taken, and their ratios to the last ones."""
    m = len(proposals)
    if reading == "step":
        proposals = [smallest(proposals)] * m
    elif reading == "ratio":
        grown = smallest([new / old for new, old in zip(proposals, last, strict=True)])
        return [old * grown for old in last], [grown] * m
    return proposals, [new / old for new, old in zip(proposals, last, strict=True)]


def mixed_constant(case: Case, symbol: Symbol) -> Mixed:
    """Return a constant of the case as a mixed number."""
    return to_mixed(case.constants[symbol])
