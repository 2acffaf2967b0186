"""Compiled answers of clients with least squares and one output; ``experiments.optimisers`` has the reference versions.

No mini-batch is stored: ``samples`` (R, n, d + 1), features and target, are read in place; ``starts``, ``sizes`` (M,)
give each client's first sample and number of samples. Models are (R, S, d), those of clients (R, M, S, d). ``places``
come from ``pick_batches``. Clients that are not ``asked`` (R, M) are skipped; their entries don't change.
"""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.compiled import njit

SUMS = {"reassoc", "contract"}  # sums in any order: the reference versions have another order too


@njit(inline="always")
def _fetch(
    samples: np.ndarray, starts: np.ndarray, places: np.ndarray, r: int, clients: np.ndarray, i: int, both: np.ndarray
) -> None:
    """Copy the i-th client's mini-batch, if any, before it is used: main memory serves many requests at once."""
    if i < len(clients):
        m, rows = clients[i], both[i % 2]
        for k in range(rows.shape[0]):
            at = starts[m] + places[r, m, k]
            for j in range(rows.shape[1]):
                rows[k, j] = samples[r, at, j]


@njit(fastmath=SUMS, inline="always")
def _add_gradient(rows: np.ndarray, n: int, model: np.ndarray, errors: np.ndarray, g: np.ndarray) -> float:
    """Add the gradient of the mean loss of ``n`` samples to ``g``, write ``errors`` and return their squared sum."""
    d, total = len(model), 0.0
    for k in range(n):
        error = -rows[k, d]
        for j in range(d):
            error += rows[k, j] * model[j]
        error /= n
        errors[k] = error
        total += error * error
        for j in range(d):
            g[j] += error * rows[k, j]
    return total


@njit(nogil=True, fastmath=SUMS)
def respond(
    samples: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    places: np.ndarray,
    asked: np.ndarray,
    w: np.ndarray,
    errors: np.ndarray,
    energy: np.ndarray,
) -> None:
    """Write the ``errors`` (R, M, S, b) in the scores, 0 beyond a client's data, and |g_m|^2 as ``energy``."""
    d = w.shape[2]
    g, model, own = np.empty(d), np.empty(d), np.empty(places.shape[2])
    both = np.empty((2, places.shape[2], d + 1))
    for r in range(len(samples)):
        clients = np.flatnonzero(asked[r])
        _fetch(samples, starts, places, r, clients, 0, both)
        for i, m in enumerate(clients):
            _fetch(samples, starts, places, r, clients, i + 1, both)
            n, rows = min(sizes[m], places.shape[2]), both[i % 2]
            for s in range(w.shape[1]):
                for j in range(d):
                    model[j], g[j] = w[r, s, j], 0.0
                _add_gradient(rows, n, model, own, g)
                for k in range(n):
                    errors[r, m, s, k] = own[k]
                total = 0.0
                for j in range(d):
                    total += g[j] * g[j]
                energy[r, m, s] = total


@njit(nogil=True, fastmath=SUMS)
def move(
    samples: np.ndarray, starts: np.ndarray, places: np.ndarray, errors: np.ndarray, weights: np.ndarray, w: np.ndarray
) -> None:
    """Subtract sum_m weights_m g_m from w in place, for weights (R, M, S); only drawn clients are read."""
    for r in range(len(samples)):
        for m in range(len(starts)):
            for s in range(w.shape[1]):
                if weights[r, m, s] == 0:
                    continue
                for k in range(places.shape[2]):
                    i, factor = starts[m] + places[r, m, k], weights[r, m, s] * errors[r, m, s, k]
                    for j in range(w.shape[2]):
                        w[r, s, j] -= factor * samples[r, i, j]


@njit(nogil=True, fastmath=SUMS)
def local_step(
    samples: np.ndarray,
    starts: np.ndarray,
    sizes: np.ndarray,
    places: np.ndarray,
    asked: np.ndarray,
    step_size: float,
    server: np.ndarray,
    controls: np.ndarray,
    local: np.ndarray,
    losses: np.ndarray,
) -> None:
    """Take a local step of each client by gradient + ``server`` - ``controls`` in place; write its batch losses.

    ``server`` is (R, S, d), ``controls`` and ``local`` are (R, M, S, d), ``losses`` (R, M, S).
    """
    d = local.shape[3]
    g, model, own = np.empty(d), np.empty(d), np.empty(places.shape[2])
    both = np.empty((2, places.shape[2], d + 1))
    for r in range(len(samples)):
        clients = np.flatnonzero(asked[r])
        _fetch(samples, starts, places, r, clients, 0, both)
        for i, m in enumerate(clients):
            _fetch(samples, starts, places, r, clients, i + 1, both)
            n, rows = min(sizes[m], places.shape[2]), both[i % 2]
            for s in range(local.shape[2]):
                for j in range(d):
                    model[j], g[j] = local[r, m, s, j], server[r, s, j] - controls[r, m, s, j]
                losses[r, m, s] = _add_gradient(rows, n, model, own, g) * n / 2
                for j in range(d):
                    local[r, m, s, j] -= step_size * g[j]


@njit(nogil=True, fastmath=SUMS)
def energies(local: np.ndarray, w: np.ndarray, energy: np.ndarray) -> None:
    """Write |w_m - w|^2 of the clients' models as ``energy`` (R, M, S)."""
    for r in range(local.shape[0]):
        for m in range(local.shape[1]):
            for s in range(local.shape[2]):
                total = 0.0
                for j in range(local.shape[3]):
                    total += (local[r, m, s, j] - w[r, s, j]) ** 2
                energy[r, m, s] = total


@njit(nogil=True, fastmath=SUMS)
def exchange(
    local: np.ndarray,
    w: np.ndarray,
    weights: np.ndarray,
    steps: np.ndarray,
    shares: np.ndarray,
    scale: float,
    moved: np.ndarray,
    server: np.ndarray,
    controls: np.ndarray,
    fresh: np.ndarray,
) -> None:
    """Update the server and SCAFFOLD's controls for the drawn clients, whose weights aren't 0.

    ``moved`` -= ``steps`` sum_m weights_m shares_m (w - w_m), for steps (S,) and shares (M,); c_m becomes
    c_m - c + (w - w_m) / ``scale``; sum_m shares_m (change of c_m) is added to ``fresh``, initially c; all in place.
    """
    for r in range(local.shape[0]):
        for m in range(local.shape[1]):
            for s in range(local.shape[2]):
                if weights[r, m, s] == 0:
                    continue
                for j in range(local.shape[3]):
                    update = w[r, s, j] - local[r, m, s, j]
                    moved[r, s, j] -= steps[s] * weights[r, m, s] * shares[m] * update
                    change = update / scale - server[r, s, j]
                    fresh[r, s, j] += shares[m] * change
                    controls[r, m, s, j] += change
