"""The compiled loop of Delta-SGD for one client on the line with random curvature: the noise depends on the point."""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform
from fltheory.papers.delta_sgd.kernels.run import FRESH, PAIR, REUSE, n_drawn, next_step


@njit(nogil=True, error_model="numpy")
def _draw_sample(stream: np.uint64, index: int, n: int) -> np.int64:
    """Return the sample of a mini-batch."""
    return np.int64(as_uniform(absorb(stream, index)) * n)


@njit(nogil=True, error_model="numpy")
def _slope(samples: np.ndarray, z: int, x: float) -> float:
    """Return the gradient of sample z at x: a u / sqrt(1 + u^2), u = (x - b) / width."""
    u = (x - samples[1, z]) * samples[2, z]
    square = u * u
    return samples[0, z] * ((1.0 if u > 0.0 else -1.0) if square == np.inf else u / np.sqrt(1.0 + square))


@njit(nogil=True, error_model="numpy")
def _mean(samples: np.ndarray, x: float) -> float:
    total, n = 0.0, samples.shape[1]
    for z in range(n):
        total += _slope(samples, z, x)
    return total / n


@njit(nogil=True, error_model="numpy")
def _round(
    x: float,
    samples: np.ndarray,
    stream: np.uint64,
    batches: int,
    lr: float,
    ratio: float,
    rule: tuple[float, float, float, float],
    local_steps: int,
) -> float:
    """Take K local steps from x."""
    drawn, n = n_drawn(batches), samples.shape[1]
    before, gradient = x, 0.0
    for k in range(local_steps):
        first, last = k * drawn, gradient
        z = _draw_sample(stream, first, n)
        gradient = _slope(samples, z, x)
        if k > 0:
            of_now = of_then = z
            if batches == FRESH:
                of_now, of_then = _draw_sample(stream, first + 1, n), _draw_sample(stream, first + 2, n)
            elif batches == PAIR:
                of_now = of_then = _draw_sample(stream, first + 1, n)
            now = _slope(samples, of_now, x)
            then = last if batches == REUSE else _slope(samples, of_then, before)
            lr, ratio = next_step(lr, ratio, (x - before) * (x - before), (now - then) * (now - then), rule)
        before = x
        x = x - lr * gradient
    return x


@njit(nogil=True, error_model="numpy")
def rollout(
    samples: np.ndarray,
    start: float,
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
) -> None:
    """Run as ``run.rollout``; ``samples`` (3, n): a, b and 1 / width."""
    root = absorb(U64(0), seed)
    for s in range(len(repetitions)):
        of_run, x = absorb(root, repetitions[s]), start
        squares[s] = 0.0
        for t in range(rounds):
            if states.shape[1] > 1:
                states[s, t, 0] = x
            slope = _mean(samples, x)
            squares[s] += slope * slope / rounds
            x = _round(x, samples, absorb(absorb(of_run, t), 0), batches, lr, ratio, rule, local_steps)
        states[s, states.shape[1] - 1, 0] = x
