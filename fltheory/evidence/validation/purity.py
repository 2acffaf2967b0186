"""Purity checks of a user's step, which must be a pure function of each seed's state.

The exact engines run a step once and derive the law of every round from it, and all engines use the seed axis for
different sample paths. This is wrong for a step with its own randomness or memory, or with dependence between seeds,
so such a step is rejected with a reason.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory import symbols
from fltheory.games.environment import Environment, Game
from fltheory.games.participation import participants
from fltheory.games.play import simulate_rounds
from fltheory.games.player import Learner, Player, valid_play
from fltheory.games.player import next_player_state as player_step
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import streams
from fltheory.number.ownership import unwrap_function
from fltheory.runs.algorithm import OVERFLOW_LIMIT, Algorithm, rollout, start_state, take_step
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import OwnOracle, random_oracle
from fltheory.runs.states import leaves
from fltheory.runs.step_rule import StepRule, float_steps
from fltheory.symbols import n_rounds
from fltheory.work import separate_meter

StepCall = Callable[[np.ndarray], np.ndarray]
SEEDS = 130
RUNS, ROUNDS = 4, 48  # plain runs whose states are checked
REAL = 4  # games in which a fault is searched
FIRST_CALLS, LATER_CALLS = 24, 2  # calls to compare for a new step, and for every further case
_checked_steps: dict[Any, bool] = {}


class ImpureStep(VariantError):
    """A step returns something else when it is called again."""


def require_pure(algorithm: Algorithm | Player | StepRule, case: Case, world: type[Environment] | None = None) -> None:
    """Raise VariantError if an unknown step returns something else when called again on some of the seeds.

    ``world`` replaces a player's own environment.
    """
    if algorithm.of_library:
        return
    if isinstance(algorithm, StepRule):
        _compare(algorithm, *_rule_calls(algorithm, case))
    elif isinstance(algorithm, Player):
        try:
            _compare(algorithm, *_player_calls(algorithm, case))
        except ImpureStep:
            raise
        except VariantError as error:
            raise _error_in_real_game(algorithm, case, world, error) from error
    else:
        _compare(algorithm, *_step_calls(algorithm, case))


def _step_calls(algorithm: Algorithm, case: Case[FederatedInstance]) -> tuple[StepCall, str]:
    """Return a call of a federated round from states around the start, for some of the seeds."""
    instance = case.instance
    c = run_constants(case, None)
    repetitions = np.arange(SEEDS)
    x = start_state(algorithm, case, SEEDS, None)
    start = x[0]
    watched = algorithm.watched and symbols.largest_step in case.constants
    rounds = int(case.constants.get(n_rounds, 1))
    remembers = len(start) != instance.dim
    # The step may be valid only on reachable states.
    reached_only = watched or remembers or isinstance(instance, OwnOracle)
    called = 2 if reached_only and rounds > 1 else 1  # consecutive rounds
    reached = _plain_run_states(algorithm, case, rounds - called, SEEDS // 2)
    if reached_only:
        x[: len(reached)] = reached
    else:
        spread = np.stack([streams.uniform(1, repetitions, 0, 0, i) for i in range(len(start))], axis=-1)
        x = start + (spread - 0.5) * (1.0 + np.abs(start))
        x[: len(reached)] = reached
        if not _is_defined(algorithm, instance, x, c):  # as a step on the simplex: only where runs come
            x = np.resize(reached, x.shape)

    calls = itertools.count()

    def call(rows: np.ndarray) -> np.ndarray:
        for _ in range(next(calls) % 3):  # extra steps, so that a memory cannot be synchronised with the calls
            take_step(algorithm, x[rows].copy(), random_oracle(instance, 0, repetitions[rows], 0), c, 0)
        states = [x[rows].copy()]
        for r in range(called):
            oracle = random_oracle(instance, 0, repetitions[rows], r)
            states.append(take_step(algorithm, states[-1].copy(), oracle, c, r))
        return np.concatenate(states[1:], axis=1)

    return call, "Draw randomness from the oracle"


def _is_defined(algorithm: Algorithm, instance: FederatedInstance, x: np.ndarray, c: Constants) -> bool:
    """Return whether a step is defined at these points, in runs of their own."""
    try:
        take_step(algorithm, x.copy(), random_oracle(instance, 0, np.arange(len(x)), 0), c, 0)
    except VariantError:
        return False
    return True


def _plain_run_states(algorithm: Algorithm, case: Case, last: int, n: int) -> np.ndarray:
    """Return at most n states of plain runs up to the start of round ``last``, including late ones.

    A step may rely on the number of rounds of the case, so calls from ``last`` on must not exceed it.
    """
    states = rollout(algorithm, case, RUNS, kernel=False, rounds=min(max(last, 0), ROUNDS))
    flat = states[:, np.unique(np.linspace(0, states.shape[1] - 1, 16).astype(int))].reshape(-1, states.shape[2])
    return flat[(np.abs(flat) <= OVERFLOW_LIMIT).all(axis=1)][:n]


def _error_in_real_game(
    player: Player, case: Case, world: type[Environment] | None, error: VariantError
) -> VariantError:
    """Return the player's error in a game of the case; if there is none, the ``error`` from artificial answers."""
    try:
        if isinstance(case.instance, Game) or world is not None:
            for _ in simulate_rounds(player, case, 0, np.arange(REAL), world=world):
                pass
    except VariantError as real:
        return real
    return VariantError(f"{error}, in a game with made-up draws and answers") if type(error) is VariantError else error


def _player_calls(player: Player, case: Case) -> tuple[StepCall, str]:
    """Return a call of a player's rounds with artificial draws and feedback, for some seeds; states become rows.

    It runs two rounds and the next play, or fewer if the case has fewer.
    """
    c = run_constants(case, None)
    turns = min(2, max(int(case.constants.get(n_rounds, 3)) - 1, 0))
    repetitions, clients = np.arange(SEEDS), np.arange(c.n_clients)[None]
    scale = float(c.get("max_feedback", c.get("response_high", 1.0)))
    feedback = [streams.uniform(1, repetitions[:, None], t, clients, 0) * scale for t in range(2)]
    if isinstance(player, Learner):
        seen = [participants(c, 1, repetitions, t) for t in range(2)]
    else:
        seen = [(streams.uniform(1, repetitions[:, None], t, clients, 1) * 3).astype(np.int64) for t in range(2)]

    def call(rows: np.ndarray) -> np.ndarray:
        state = player.call(player.init, len(rows), c)
        for t in range(turns):
            state = player_step(player, state, seen[t][rows].copy(), feedback[t][rows].copy(), c, t)
        parts = (*leaves(state), valid_play(player, state, c, len(rows), turns))
        try:
            return np.concatenate([np.asarray(part, dtype=float).reshape(len(rows), -1) for part in parts], axis=1)
        except ValueError:
            raise VariantError(f"{player.name}: the first axis of every part of the state must be the seeds") from None

    return call, "A sampler or a learner draws nothing itself"


def _rule_calls(rule: StepRule, case: Case) -> tuple[StepCall, str]:
    """Return a call of a rule on artificial step sizes, for some of the entries."""
    c = run_constants(case, None)
    repetitions = np.arange(SEEDS)
    lr, ratio, reach = (4.0 ** (4 * streams.uniform(1, repetitions, 0, 0, i) - 2) for i in range(3))
    lr = lr * float(c.initial_step_size)

    def call(rows: np.ndarray) -> np.ndarray:
        return float_steps(rule, lr[rows], ratio[rows], reach[rows] * lr[rows], c)[:, None]

    return call, "A rule draws nothing"


def _compare(algorithm: Algorithm | Player | StepRule, call: StepCall, advice: str) -> None:
    repetitions = np.arange(SEEDS)
    whole = call(repetitions)
    scale = np.abs(whole[np.isfinite(whole)]).max(initial=0.0)
    step = unwrap_function(algorithm.step)
    try:
        times = LATER_CALLS if step in _checked_steps else FIRST_CALLS
    except TypeError:  # an unhashable callable is checked every time
        times = FIRST_CALLS
    for i in range(times):
        size = (SEEDS, 1, 2, 31)[i % 4]
        rows = np.roll(repetitions[::-1], i)[:size]
        with (
            separate_meter() if i >= LATER_CALLS else contextlib.nullcontext()
        ):  # the same work, whether the step is cached or not
            part = call(rows)
        with np.errstate(all="ignore"):
            same = np.isclose(part, whole[rows], rtol=1e-9, atol=1e-12 * scale, equal_nan=True)
        if not same.all():
            raise ImpureStep(
                f"{algorithm.name} is not a pure function of each seed's state: called twice on the same state it "
                f"answers differently. {advice}, keep no memory between calls, and let no seed depend on another"
            )
    with contextlib.suppress(TypeError):
        _checked_steps[step] = True
