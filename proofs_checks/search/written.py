"""Models that are written down: runs of the rounds of the lower bounds, the noise term, one round of the doubling trick."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from fltheory.proof.models import HORIZON, Model
from proofs_checks.search.runs import (
    LEFT,
    RIGHT,
    ROUNDS,
    Members,
    Names,
    Signs,
    balanced_signs,
    decimal,
    heterogeneous_coordinate,
    independent_signs,
    join_values,
    kinked_run,
    noisy_coordinate,
    weights,
)

# Heterogeneity alone: 4 clients of one step, lam1 such that the first range of step sizes ends at 4e-4 -----------------------

H2 = Names("X", "y", "h", "t")
ETA, LAM1 = Fraction(4, 10_000), Fraction(1000, 163_216)
ZETA = Fraction(2500)  # a step moves the model by 1


def regime_h2(average: bool = False) -> Model:
    """Regime h2, one round and those after it."""
    signs = balanced_signs(4)
    start = ZETA / (81_608_000 * LAM1 * 2)
    members = heterogeneous_coordinate(H2, signs, 4, start, ETA * ZETA)
    if average:
        runs = [kinked_run(s, start, ETA * ZETA)[0] for s in signs]
        members["RandomScalar bar"] = {"": join_values([(x[0] + x[4]) / 2 for x in runs])}
    symbols = {
        "n_local_steps": "1",
        "n_clients": "4",
        "n_rounds": "1",
        "g": "0",
        "step_size": decimal(ETA),
        "large_curvature": decimal(LEFT / ETA),
        "small_curvature": decimal(RIGHT / ETA),
        "auxiliary_curvature": str(LAM1),
        "heterogeneity": decimal(ZETA),
    }
    return Model(symbols, members, weights=weights(len(signs)))


# One round of it, from a start right of 0 ------------------------------------------------------------------------------------


def one_round() -> Model:
    """Four clients of one step, from 3 on, by place in the round and by number of steps."""
    rows = [s for s in itertools.product((1, -1), repeat=4) if not sum(s)]
    start, places, far = Fraction(3), range(5), range(-5, 6)
    runs = [kinked_run(s, start, Fraction(1)) for s in rows]
    steep = [[x + (1 - LEFT) ** n * start for n, x in enumerate(h)] for _, h in runs]
    sums = [[sum(s[:n]) for s in rows] for n in places]
    visits = {f"{c + 1},0": join_values([x[c] for x, _ in runs]) for c in places}
    members = {
        "RandomScalar x": visits | {f"{c + 1},1": join_values([x[c + 1] for x, _ in runs]) for c in range(4)},
        "RandomScalar y": {str(n): join_values([x[n] for x, _ in runs]) for n in places},
        "RandomScalar h": {str(n): join_values([x[n] for x in steep]) for n in places},
        "RandomNonnegative above": {"*": "1"},
        "RandomScalar tau": {str(n + 1): join_values([s[n] for s in rows]) for n in range(4)},
        "RandomScalar sgn": {str(n): join_values([(v > 0) - (v < 0) for v in at]) for n, at in enumerate(sums)},
        "RandomNonnegative hit": {
            f"{n},{x}": join_values([int(v == x) for v in at]) for n, at in enumerate(sums) for x in far
        },
        "Nonnegative s": {f"{c},{k}": f"sqrt({c + k * k})" for c in places for k in places},
        "RandomScalar x0": {"*": decimal(start)},
        "RandomNonnegative H": {"*": "1"},
    }
    sizes = {
        "step_size": "1",
        "heterogeneity": "1",
        "large_curvature": decimal(LEFT),
        "small_curvature": decimal(RIGHT),
    }
    places_of = {"a": decimal(start), "start": decimal(start), "b": "1", "q": "0"}
    return Model({"n_clients": "4", "n_local_steps": "1", "g": "0"} | sizes | places_of, members, weights=weights(6))


# Noise alone: 5 steps a round, lam1 sqrt(5) = 1250/10201 ---------------------------------------------------------------------

S2 = Names("X", "w", "h", "sign")
ETA_S, SIGMA = Fraction(4, 100_000), Fraction(25_000)


def regime_s2(average: bool = False) -> Model:
    """Regime s2, one round and those after it."""
    signs = independent_signs(5)
    start = SIGMA / 1_000_000
    members = noisy_coordinate(S2, signs, 5, start, ETA_S * SIGMA)
    if average:
        runs = [kinked_run(s, start, ETA_S * SIGMA)[0] for s in signs]
        members["RandomScalar bar"] = {"": join_values([(x[0] + x[5]) / 2 for x in runs])}
    symbols = {
        "n_local_steps": "1",
        "n_clients": "5",
        "n_rounds": "1",
        "step_size": decimal(ETA_S),
        "large_curvature": decimal(LEFT / ETA_S),
        "small_curvature": decimal(RIGHT / ETA_S),
        "auxiliary_curvature": "250/10201*sqrt(5)",
        "noise_std": decimal(SIGMA),
    }
    return Model(symbols, members, weights=weights(len(signs)))


# Theorems 5 and 6: several coordinates, which share the outcomes ---------------------------------------------------------------

KINKED = Names("x2", "y2", "h2", "t2", "2")
SHAKEN = Names("w", "ws", "hs", "signs", "s")
STILL = {"*": "0"}
FOUR = {"n_clients": "4", "n_local_steps": "1", "g": "0"}


def shrinking_coordinate(start: Fraction, rate: Fraction, places: Iterable[int], root: str = "") -> dict[str, str]:
    """A coordinate without noise, perhaps times a root."""
    return {str(n): decimal(start * (1 - rate) ** n) + root for n in places}


def repeat_signs(outcomes: int) -> Signs:
    """Independent signs in each round, the same in all of them: for a model that stays at 0."""
    rows = list(itertools.product((1, -1), repeat=4))
    return [rows[i % len(rows)] * ROUNDS for i in range(outcomes)]


def still_coordinates(outcomes: int) -> Members:
    """The two coordinates with noise, without any: they stay at 0, and their signs are what they are."""
    signs = repeat_signs(outcomes)
    own = noisy_coordinate(SHAKEN, signs, 4, Fraction(0), Fraction(0))
    sums = [[sum(s[:n]) for s in signs] for n in range(HORIZON + 2)]
    return own | {
        "Scalar x7": STILL,
        "RandomScalar x6": STILL,
        "RandomScalar sign": {str(n + 1): join_values([s[n] for s in signs]) for n in range(2 * HORIZON + 1)},
        "RandomScalar S6": {str(n): join_values(at) for n, at in enumerate(sums)},
    }


def theorem_5() -> Model:
    """Theorem 5, at a step between the first two regimes."""
    signs, zeta = balanced_signs(4), Fraction(163_216)
    start, places = Fraction(1000), range(HORIZON + 2)
    last: list[list[Fraction]] = [[Fraction(0)] for _ in signs]
    for row, own in zip(last, signs, strict=True):
        for sign in own[:4]:
            row.append((1 - LEFT) * row[-1] - zeta * sign)
    members = heterogeneous_coordinate(KINKED, signs, 4, start, zeta) | still_coordinates(len(signs))
    sigma, moved = Fraction(3), repeat_signs(len(signs))
    noise = [[sigma / RIGHT] for _ in signs]
    for row, own in zip(noise, moved, strict=True):
        for sign in own[: HORIZON + 1]:
            row.append((1 - RIGHT) * row[-1] - sigma * sign)
    members |= {
        "RandomScalar x6": {str(n): join_values([row[n] for row in noise]) for n in places},
        "Scalar x1": shrinking_coordinate(zeta / RIGHT, 2 * RIGHT, places),
        "Scalar x5": shrinking_coordinate(zeta / RIGHT, 2 * LEFT, places),
        "RandomScalar before": STILL,
        "RandomScalar B": {str(n): join_values([row[n] for row in last]) for n in places},
        "RandomScalar after": {"": join_values([row[4] for row in last])},
        "RandomScalar tau": {str(n + 1): join_values([s[n] for s in signs]) for n in range(4)},
    }
    sizes = {"heterogeneity": decimal(zeta), "noise_std": decimal(sigma), "mu": decimal(RIGHT), "smoothness": "1/100"}
    return Model(FOUR | sizes | {"n_rounds": "1", "step_size": "1"}, members, weights=weights(len(signs)))


def theorem_6() -> Model:
    """Theorem 6, strongly convex, with heterogeneity, two rounds."""
    signs, mu = balanced_signs(4), Fraction(1, 1_632_160)
    start, rounds, places = Fraction(5, 1000), (0, 4, 8), sorted({*range(HORIZON + 2), 8})
    members = heterogeneous_coordinate(KINKED, signs, 4, start, Fraction(1)) | still_coordinates(len(signs))
    runs = [kinked_run(s, start, Fraction(1))[0] for s in signs]
    members |= {
        "Scalar x1": shrinking_coordinate(1 / mu, 2 * mu, places),
        "Scalar bar1": {"": decimal(sum(((1 - 2 * mu) ** n / mu for n in rounds), Fraction(0)) / 3)},
        "RandomScalar bar2": {"": join_values([sum((x[n] for n in rounds), Fraction(0)) / 3 for x in runs])},
        "Scalar bar7": STILL,
        "RandomScalar barw": STILL,
        "RandomScalar bar6": STILL,
    }
    sizes = {"heterogeneity": "1", "noise_std": "0", "mu": str(mu), "smoothness": decimal(LEFT)}
    return Model(FOUR | sizes | {"n_rounds": "2", "step_size": "1"}, members, weights=weights(len(signs)))


def theorem_5_noise() -> Model:
    """Theorem 5, noise, at a step so small that the model stays right of 0."""
    signs, sigma, mu, places = independent_signs(4), Fraction(163_216), Fraction(1, 10**9), range(HORIZON + 2)
    members = noisy_coordinate(SHAKEN, signs, 4, Fraction(10**7), sigma, mu)
    third: list[list[Fraction]] = [[Fraction(0)] for _ in signs]
    for row, own in zip(third, signs, strict=True):
        for sign in own[: HORIZON + 1]:
            row.append((1 - 1010 * mu) * row[-1] - sigma * sign)
    members |= {
        "Scalar x7": shrinking_coordinate(sigma / mu, 2 * mu, places),
        "Scalar x9": shrinking_coordinate(sigma / mu, 2020 * mu, places),
        "RandomScalar x8": {str(n): join_values([row[n] for row in third]) for n in places},
        "RandomScalar third": {str(n + 1): join_values([s[n] for s in signs]) for n in range(HORIZON + 1)},
    }
    sizes = {"noise_std": decimal(sigma), "mu": decimal(mu), "smoothness": "1/100"}
    return Model(FOUR | sizes | {"n_rounds": "1", "step_size": "1"}, members, weights=weights(len(signs)))


def theorem_6_drift() -> Model:
    """Theorem 6, general convex, without noise: 51^3 rounds, zeta = 2 L D."""
    signs, right, edge = balanced_signs(4), Fraction(1, 10**11), 51 * 81_608
    distance, eta = Fraction(edge**3), 1010 * right
    start = distance / (1000 * edge)
    root = f"*sqrt({decimal(distance**2 - start**2)})"
    members = heterogeneous_coordinate(KINKED, signs, 4, start, eta * 2 * distance, right)
    members["Scalar x1"] = shrinking_coordinate(Fraction(1), 2 * eta / 51**2, range(HORIZON + 2), root)
    sizes = {"zeta": decimal(2 * distance), "D": decimal(distance), "D1": root[1:], "smoothness": "1"}
    symbols = FOUR | sizes | {"n_rounds": str(51**3), "step_size": decimal(eta)}
    return Model(symbols, members, weights=weights(len(signs)))


# The noise term: steps of half the curvature, with signs that are pairwise uncorrelated ------------------------------------------


def noise_term() -> Model:
    """mu x^2/2 with noise from sigma/mu, both 1, one round of one step: eight rows of seven signs."""
    bits = [[r >> b & 1 for b in range(3)] for r in range(8)]
    rows = [[(-1) ** sum(x & (c >> b & 1) for b, x in enumerate(own)) for c in range(1, 8)] for own in bits]
    places, half = range(HORIZON + 2), Fraction(1, 2)
    runs = [[Fraction(1)] for _ in rows]
    for run_, row in zip(runs, rows, strict=True):
        for sign in row[: HORIZON + 1]:
            run_.append(half * run_[-1] - half * sign)
    members = {
        "RandomScalar tau": {str(n + 1): join_values([row[n] for row in rows]) for n in range(7)},
        "RandomScalar x": {str(n): join_values([one[n] for one in runs]) for n in places},
        "RandomScalar S": {str(n): join_values([sum(row[:n]) for row in rows]) for n in places},
        "RandomScalar bar": {"": join_values([(one[0] + one[1]) / 2 for one in runs])},
        "Nonnegative h": {"*": "1/2"},
        "Scalar w": {"*": "1/2"},
    }
    symbols = dict.fromkeys(("n_clients", "n_local_steps", "n_rounds", "mu", "noise_std", "z"), "1")
    return Model(symbols | {"step_size": "1/2"}, members, weights=weights(8))


# One round of the doubling trick: one of two clients is drawn; one expert, as the floor leaves the uniform one alone -----------


def doubling_trick() -> Model:
    """Theorem 10 of the samplers' paper at one round: one block of one round."""
    half, root = {"*": "-log(2)"}, "1/8*sqrt(2*log(2))"
    members = {
        "RandomScalar logpe": half,
        "RandomScalar logp": half,
        "RandomScalar logq": half,
        "RandomScalar logw": {"*": "0"},
        "RandomScalar c": {"0,1,1": "-10"},
        "RandomScalar z": {"0,1": "-2*sqrt(2)|-1*sqrt(2)"},
        "RandomNonnegative N": {"1,1": "1|0", "1,2": "0|1"},
        "RandomNonnegative a": {"1,1": "1", "1,2": "1/2"},
        "Positive rate": {"0,1": root},
        "Positive least_rate": {"0": root},
        "Positive best_rate": {"0": root},
        "Positive meta_rate": {"0": "1/2*sqrt(2)"},
        "Nonnegative budget": {"0": "0"},
        "Scalar size": {"0": "0"},
        "Scalar regret": {"0": "0"},
    }
    symbols = {
        "n_clients": "2",
        "n_sampled": "1",
        "n_rounds": "1",
        "last_block": "0",
        "probability_floor": "1",
        "max_feedback": "1",
        "total_variation": "0",
        "variation_budget": "1",
    }
    return Model(symbols, members, weights=weights(2))


HANDMADE_MODELS: Mapping[str, Callable[[], Model]] = {
    **dict.fromkeys(
        ("sfl/kink-side", "sfl/I-sym", "sfl/kink-grows", "sfl/I-inv", "sfl/I-inv-start", "sfl/h2"), regime_h2
    ),
    **dict.fromkeys(("sfl/I8", "sfl/I10", "sfl/I10-front", "sfl/kink-ahead", "sfl/I11a"), one_round),
    "sfl/h2-average": lambda: regime_h2(average=True),
    **dict.fromkeys(
        ("sfl/noise-side", "sfl/noise-grows", "sfl/J-sym", "sfl/J-inv", "sfl/J-inv-start", "sfl/s2"), regime_s2
    ),
    "sfl/s2-average": lambda: regime_s2(average=True),
    **dict.fromkeys(("sfl/T5", "sfl/T5-printed"), theorem_5),
    **dict.fromkeys(
        (
            "sfl/T5-noise",
            "sfl/noise-against",
            "sfl/noise-size",
            "sfl/T5-schedule",
            "sfl/noise-anywhere",
            "sfl/T6-noise",
        ),
        noise_term,
    ),
    "sfl/T5-noise-appendix": theorem_5_noise,
    "sfl/T6-GC-drift-last": theorem_6_drift,
    "osmd/T10@corrected": doubling_trick,
    **dict.fromkeys(("sfl/T6-SC-last", "sfl/T6-SC", "sfl/T6-SC-printed", "sfl/T6-SC-last-printed"), theorem_6),
}
