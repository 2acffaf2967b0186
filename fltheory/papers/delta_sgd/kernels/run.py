"""The compiled loop of Delta-SGD (Algorithm 1) on separable clients: seeds outside, coordinates inside.

Clients are multiples of a sum of roots, or diagonal quadratics, with noise that does not depend on the point. So one
noiseless gradient serves every mini-batch at a point, and that of the last step is not computed again.
"""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, ordered_sample

FRESH, PAIR, SAME, REUSE = range(4)


@njit(nogil=True, error_model="numpy")
def _slopes(roots: bool, row: np.ndarray, x: np.ndarray, found: np.ndarray) -> None:
    """Compute a client's gradient at x without noise, from its row of ``kernels.Clients.table``."""
    if not roots:
        curvature, slope = row[0], row[1]
        for j in range(len(x)):
            found[j] = curvature[j] * x[j] + slope[j]
        return
    multiple, inverse, ripple, turn = row[0, 0], row[1, 0], row[2, 0], row[3, 0]
    weight = multiple if ripple == 0.0 else 1.0
    for j in range(len(x)):
        u = inverse * x[j]
        square = u * u
        found[j] = weight * (1.0 if u > 0.0 else -1.0) if square == np.inf else weight * (u / np.sqrt(1.0 + square))
    if ripple != 0.0:
        for j in range(len(x)):
            found[j] *= multiple + ripple * np.cos(turn * x[j])


@njit(nogil=True, error_model="numpy", fastmath={"reassoc"})
def _changes(
    x: np.ndarray, before: np.ndarray, now: np.ndarray, then: np.ndarray, std: np.ndarray, of_now: float, of_then: float
) -> tuple[float, float]:
    """Return |x - x'|^2 and |g - g'|^2 with the noise of two mini-batches."""
    moved, turned = 0.0, 0.0
    for j in range(len(x)):
        way = x[j] - before[j]
        turn = (now[j] + of_now * std[j]) - (then[j] + of_then * std[j])
        moved += way * way
        turned += turn * turn
    return moved, turned


@njit(nogil=True, error_model="numpy", fastmath={"reassoc"})
def _squared_norm(v: np.ndarray) -> float:
    total = 0.0
    for j in range(len(v)):
        total += v[j] * v[j]
    return total


@njit(nogil=True, error_model="numpy")
def _step(x: np.ndarray, now: np.ndarray, noise: float, std: np.ndarray, lr: float, before: np.ndarray) -> None:
    """Take the step of line 8; ``before`` and ``then`` receive its initial point and gradient."""
    for j in range(len(x)):
        before[j] = x[j]
        x[j] = x[j] - lr * (now[j] + noise * std[j])


@njit(nogil=True, error_model="numpy")
def n_drawn(batches: int) -> int:
    """Return the number of mini-batches of a local step."""
    return 3 if batches == FRESH else 2 if batches == PAIR else 1


@njit(nogil=True, error_model="numpy")
def next_step(
    lr: float, ratio: float, moved: float, turned: float, rule: tuple[float, float, float, float]
) -> tuple[float, float]:
    """Return line 9, clipped to two limits, and its ratio, from |x - x'|^2 and |g - g'|^2."""
    amplifier, damping, least, largest = rule
    if not moved > 0.0:
        return lr, ratio
    reach = np.sqrt(moved / turned) if turned > 0.0 else np.inf
    new, cap = amplifier * reach / 2.0, np.sqrt(1.0 + damping * ratio) * lr
    new = cap if cap < new else new
    new = least if new < least else new
    new = largest if new > largest else new
    return new, (new / lr if lr > 0.0 else 0.0)


@njit(nogil=True, error_model="numpy")
def _noise(stream: np.uint64, index: int, two_point: bool) -> float:
    """Return the standardised noise of one mini-batch: a sign, or uniform on [-sqrt 3, sqrt 3]."""
    u = as_uniform(absorb(stream, index))
    if two_point:
        return 1.0 if u < 0.5 else -1.0
    return (2.0 * u - 1.0) * 3**0.5


@njit(nogil=True, error_model="numpy")
def _client(
    y: np.ndarray,
    before: np.ndarray,
    now: np.ndarray,
    then: np.ndarray,
    roots: bool,
    row: np.ndarray,
    std: np.ndarray,
    noisy: bool,
    two_point: bool,
    stream: np.uint64,
    batches: int,
    local_steps: int,
    lr: float,
    ratio: float,
    rule: tuple[float, float, float, float],
) -> None:
    """Take K local steps of a client on ``y``, (d,); ``before``, ``now`` and ``then`` are workspace."""
    drawn = n_drawn(batches)
    last, noise = 0.0, 0.0
    for k in range(local_steps):
        _slopes(roots, row, y, now)
        first = k * drawn
        if noisy:
            last, noise = noise, _noise(stream, first, two_point)
        if k > 0:
            of_now, of_then = noise, noise
            if noisy and batches == FRESH:
                of_now, of_then = _noise(stream, first + 1, two_point), _noise(stream, first + 2, two_point)
            elif noisy and batches == PAIR:
                of_now = of_then = _noise(stream, first + 1, two_point)
            elif batches == REUSE:
                of_then = last
            moved, turned = _changes(y, before, now, then, std, of_now, of_then)
            lr, ratio = next_step(lr, ratio, moved, turned, rule)
        _step(y, now, noise, std, lr, before)
        now, then = then, now


@njit(nogil=True, error_model="numpy")
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for j in range(len(source)):
        target[j] = source[j]


@njit(nogil=True, error_model="numpy")
def rollout(
    roots: bool,
    table: np.ndarray,
    mean: np.ndarray,
    start: np.ndarray,
    std: np.ndarray,
    two_point: bool,
    noisy: bool,
    batches: int,
    lr: float,
    ratio: float,
    rule: tuple[float, float, float, float],
    local_steps: int,
    rounds: int,
    seed: int,
    repetitions: np.ndarray,
    states: np.ndarray,
    squares: np.ndarray,
    room: np.ndarray,
    order: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Run a block. ``squares`` (seeds,) receives the mean over the rounds of |grad f(x_t)|^2 at their starts.

    ``states`` (seeds, T + 1, d) receives the starts of the rounds and the end, or, as (seeds, 1, d), only the end.
    ``room``: workspace for six points; ``order``: 0, 1, ..., m - 1, workspace for a round's clients and their swaps.
    """
    x, y, total, before, now, then = room[0], room[1], room[2], room[3], room[4], room[5]
    clients, chosen, places = order
    root, size = absorb(U64(0), seed), len(chosen)
    for s in range(len(repetitions)):
        of_run = absorb(root, repetitions[s])
        _copy(start, x)
        squares[s] = 0.0
        for t in range(rounds):
            if states.shape[1] > 1:
                _copy(x, states[s, t])
            _slopes(roots, mean, x, now)
            squares[s] += _squared_norm(now) / rounds
            of_round = absorb(of_run, t)
            ordered_sample(of_round, clients, chosen, places)
            for j in range(len(x)):
                total[j] = 0.0
            for i in chosen:
                _copy(x, y)
                _client(
                    y,
                    before,
                    now,
                    then,
                    roots,
                    table[i],
                    std,
                    noisy,
                    two_point,
                    absorb(of_round, i),
                    batches,
                    local_steps,
                    lr,
                    ratio,
                    rule,
                )
                for j in range(len(x)):
                    total[j] += y[j]
            for j in range(len(x)):
                x[j] = total[j] / size
        _copy(x, states[s, states.shape[1] - 1])
