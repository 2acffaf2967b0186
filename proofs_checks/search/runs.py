"""Runs of rounds on kinked clients, for models: where a search does not find the signs of round after round.

The signs of a round are those of the first one, all turned over or not, afresh in each round; a round of noise has an odd number of
steps. Then how far the signs stray is independent of whether the model is right of 0, though there are few outcomes: with
heterogeneity it is so after every round, with noise wherever the turned rounds cancel, and half of the time where they don't.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

from fltheory.proof.models import HORIZON

ROUNDS = HORIZON + 1
RIGHT = Fraction(1, 1_000_000)
LEFT = 1010 * RIGHT  # step times curvature, left and right of 0
Members = dict[str, dict[str, str]]
Signs = list[tuple[int, ...]]  # of each outcome, round after round


def decimal(value: Fraction | int) -> str:
    """A number with finitely many decimals, or a quotient."""
    value = Fraction(value)
    digits, bottom = 0, value.denominator
    while bottom > 1 and digits < 400 and (10**digits) % bottom:
        digits += 1
    if (10**digits) % bottom:
        return str(value)
    whole = abs(value.numerator) * 10**digits // bottom
    text = f"{whole:0{digits + 1}d}"
    number = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return "-" + number if value < 0 else number


def flip_signs(first: Signs, steps: int) -> Signs:
    """Each round's signs are the first one's, turned over or not."""
    flips = list(itertools.product((1, -1), repeat=ROUNDS - 1))
    return [signs + tuple(f * s for f in flip for s in signs) for flip in flips for signs in first]


def balanced_signs(steps: int) -> Signs:
    """As many pluses as minuses in a round."""
    return flip_signs([s for s in itertools.product((1, -1), repeat=steps) if not sum(s)], steps)


def independent_signs(steps: int) -> Signs:
    """Every row of signs in a round."""
    return flip_signs(list(itertools.product((1, -1), repeat=steps)), steps)


@dataclass(frozen=True)
class Names:
    """What the families of a coordinate are called."""

    model: str
    steps: str
    beside: str
    signs: str
    suffix: str = ""

    def own(self, name: str) -> str:
        """A family of the coordinate."""
        return f"{name}{self.suffix}"


def kinked_run(
    signs: tuple[int, ...], start: Fraction, move: Fraction, right: Fraction = RIGHT
) -> tuple[list[Fraction], list[Fraction]]:
    """The model step by step, and that of the steep clients from 0."""
    x, h, left = [start], [Fraction(0)], 1010 * right
    for sign in signs:
        x.append(x[-1] - (left if x[-1] < 0 else right) * x[-1] - move * sign)
        h.append((1 - left) * h[-1] - move * sign)
    return x, h


def join_values(values: list[Fraction | int]) -> str:
    """One value for each outcome."""
    return decimal(values[0]) if len(set(values)) == 1 else "|".join(map(decimal, values))


def sign_walk(names: Names, signs: Signs, steps: int) -> Members:
    """Sums of a round's signs: where they are, and on which side."""
    sums = {
        (r, n): [sum(s[r * steps : r * steps + n]) for s in signs] for r in range(ROUNDS) for n in range(HORIZON + 2)
    }
    far = range(-HORIZON - 1, HORIZON + 2)
    return {
        f"RandomScalar {names.own('sgn')}": {
            f"{r},{n}": join_values([(v > 0) - (v < 0) for v in at]) for (r, n), at in sums.items()
        },
        f"RandomNonnegative {names.own('hit')}": {
            f"{r},{n},{x}": join_values([int(v == x) for v in at]) for (r, n), at in sums.items() for x in far
        },
        f"RandomScalar {names.signs}": {
            str(i + 1): join_values([s[i] for s in signs]) for i in range((ROUNDS - 1) * steps + HORIZON + 1)
        },
    }


def noisy_coordinate(
    names: Names, signs: Signs, steps: int, start: Fraction, move: Fraction, right: Fraction = RIGHT
) -> Members:
    """A coordinate with noise: local steps one by one."""
    runs = [kinked_run(s, start, move, right) for s in signs]
    places = sorted({*range(HORIZON + 2), *(r * steps for r in range(ROUNDS + 1))})
    return {
        f"RandomScalar {names.steps}": {str(n): join_values([x[n] for x, _ in runs]) for n in places},
        f"RandomScalar {names.beside}": {str(n): join_values([h[n] for _, h in runs]) for n in range(HORIZON + 2)},
        f"RandomScalar {names.model}": {
            str(r): join_values([x[r * steps] for x, _ in runs]) for r in range(ROUNDS + 1)
        },
        f"Nonnegative {names.own('s')}": {
            f"{c},{k}": f"sqrt({c + k})" for c in range(HORIZON + 2) for k in range(HORIZON + 2)
        },
        **sign_walk(names, signs, steps),
    }


def heterogeneous_coordinate(
    names: Names, signs: Signs, clients: int, start: Fraction, move: Fraction, right: Fraction = RIGHT
) -> Members:
    """A coordinate with heterogeneity, one local step a client."""
    runs = [kinked_run(s, start, move, right) for s in signs]
    places = sorted({*range(HORIZON + 2), *(r * clients for r in range(ROUNDS + 1))})

    def visits(which: int) -> dict[str, str]:
        begins = {
            f"{v},0": join_values([one[which][v] for one in runs]) for v in places if not which or v <= HORIZON + 1
        }
        return begins | {f"{v},1": join_values([one[which][v + 1] for one in runs]) for v in range(HORIZON + 1)}

    return {
        f"RandomScalar {names.steps}": visits(0),
        f"RandomScalar {names.beside}": visits(1),
        f"RandomScalar {names.model}": {
            str(r): join_values([x[r * clients] for x, _ in runs]) for r in range(ROUNDS + 1)
        },
        f"Nonnegative {names.own('s')}": {
            f"{c},{k}": f"sqrt({c + k * k})" for c in range(HORIZON + 2) for k in range(HORIZON + 2)
        },
        **sign_walk(names, signs, clients),
    }


def weights(count: int) -> tuple[str, ...]:
    """All outcomes are as likely."""
    return (f"1/{count}",) * count
