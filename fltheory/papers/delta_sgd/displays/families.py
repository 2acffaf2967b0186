"""Families of rounds of Algorithm 1 on clients with piecewise linear gradients.

Steps are rational: the cap of Delta-SGD is the root of a square, or is constant if a round has several computed steps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.number.mixed import to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps, Rounds
from fltheory.problems.strategies import log_uniform_positive
from fltheory.runs.client_optimiser import Batches

Kind = Literal["given", "adapted", "own", ""]
SIZES = [Fraction(v) for v in (1, 2, "1/2", 3, "1/4", 5)]
FACTORS = [Fraction(v) for v in (1, "1/2", "3/2", 2, "1/4", "3/4", "-1/2", 5)]
NEAR = [Fraction(v) for v in (1, "3/4", "5/4", 1, "1/2", "3/2")]
NOISES = [Fraction(v) for v in (1, 0, -1, 2, "1/2")]
STEPS = [Fraction(v) for v in (1, "1/2", "1/10", "1/3", "1/100", 2)]
KNOTS = [(-2, 0, 2), (-1, 0, 1), (-2, -1, 0, 1, 2), (-1, 0, 2, 4)]


@st.composite
def clients(draw: st.DrawFn, most: int = 3, noise: bool = True, near: bool = False) -> PiecewiseClients:
    """Draw clients whose gradients are multiples, by segment, of one that is 0 at 0: A1c holds for some rho."""
    knots = draw(st.sampled_from(KNOTS))
    n = draw(st.integers(1, most))
    base = [draw(st.sampled_from(SIZES)) * ((p > 0) - (p < 0)) for p in knots]
    chance = draw(st.sampled_from([Fraction(1, 2), Fraction(1, 2), Fraction(1, 10)]))
    noisy = noise and draw(st.booleans() if not noise else st.sampled_from([True, True, False]))
    table = []
    for _ in range(n):
        mean = [draw(st.sampled_from(NEAR if near else FACTORS)) * v for v in base]
        if noisy:
            off = [draw(st.sampled_from(NOISES)) for _ in knots]
            less = chance / (1 - chance)
            table.append(
                [
                    [v + e for v, e in zip(mean, off, strict=True)],
                    [v - less * e for v, e in zip(mean, off, strict=True)],
                ]
            )
        else:
            table.append([mean])
    return PiecewiseClients(knots, table, (chance, 1 - chance) if noisy else (1,))


def _smoothness(of: PiecewiseClients) -> Number:
    return of.constants[notation.L]


def _usable(of: PiecewiseClients) -> bool:
    try:
        return bool(_smoothness(of))
    except ValueError:  # all gradients are constant
        return False


@st.composite
def _tables(draw: st.DrawFn, n: int, k: int, outcomes: int, adapted: bool, foresight: bool, unit: Fraction) -> Any:
    """Draw steps [client][k][history]."""

    def entry() -> Fraction:
        return unit * draw(st.sampled_from(STEPS))

    def row(j: int) -> list[Fraction]:
        seen = j + foresight
        return [entry() for _ in range(min(outcomes**seen, 4) if adapted or foresight else 1)]

    return [[row(j) for j in range(k)] for _ in range(n)]


@st.composite
def rounds(
    draw: st.DrawFn,
    kind: Kind = "",
    dependent: bool | None = None,
    short: bool = False,
    far: bool = False,
    near: bool = False,
) -> Case:
    """Draw a round; ``dependent``: whether a step depends on the noise that it multiplies; ``short``: small steps."""
    kinds = [kind] if kind else ["given", "adapted", "own"] if not dependent else ["adapted", "own"]
    kind = draw(st.sampled_from(kinds))
    k = draw(st.integers(1 if kind == "given" else 2, 3))
    of = draw(clients(3 if kind == "given" or k < 3 else 2, near=near).filter(_usable))
    n = of.n_clients
    start = draw(st.sampled_from([Fraction(v) for v in (1, "1/2", -1, 2, "1/10")]))
    if far and not of.mean(to_mixed(start)):
        start = Fraction(1)
    size = draw(st.integers(1, n))
    unit = Fraction(1) if not short else 1 / (Fraction(_smoothness(of)) * k * draw(st.sampled_from([50, 200, 1000])))
    if kind == "own":
        return Case(_own(draw, of, start, k, dependent, size, unit))
    foresight = bool(dependent) if dependent is not None else kind == "adapted" and draw(st.booleans())
    outcomes = len(of.batches)
    steps = draw(_tables(n, k, outcomes, kind == "adapted", foresight and outcomes > 1, unit))
    return Case(GivenSteps(of, start, steps, size, foresight))


def _own(
    draw: st.DrawFn, of: PiecewiseClients, start: Fraction, k: int, dependent: bool | None, size: int, unit: Fraction
) -> OwnSteps:
    names: dict[bool | None, tuple[Batches, ...]] = {True: ("same", "reuse"), False: ("pair", "fresh")}
    batches = draw(st.sampled_from(names.get(dependent, ("same", "reuse", "pair", "fresh"))))
    if batches == "fresh":
        k = 2
    if k == 3 and of.n_clients > 1 and batches == "pair":
        k = 2
    grows = k == 2
    return OwnSteps(
        of,
        start,
        k,
        unit * draw(st.sampled_from(STEPS)),
        batches,
        initial_ratio=draw(st.sampled_from([0, 3, 8, 99])) if grows else 1,
        amplifier=draw(st.sampled_from([Fraction(v) for v in (1, 2, "1/2", "1/10")])),
        growth_damping=1 if grows else 0,
        n_participating=size,
    )


def small_steps() -> Any:
    """Draw a round with small steps, none of which depends on the noise that it multiplies."""
    return rounds(dependent=False, short=True, far=True, near=True)


@st.composite
def uneven(draw: st.DrawFn, equal: bool = False) -> Case:
    """Draw one of T rounds with given, very different steps of at most 1/(L K sqrt T), on similar clients."""
    of = draw(clients(4, noise=False, near=True).filter(_usable))
    k, root = draw(st.integers(1, 3)), draw(st.sampled_from((20, 40, 1000)))
    top = 1 / (root * Fraction(_smoothness(of)) * k)
    shrunk = st.just(Fraction(1)) if equal else st.sampled_from([Fraction(1, 10**e) for e in (0, 1, 2, 3)])
    steps = [[top * draw(shrunk) for _ in range(k)] for _ in range(of.n_clients)]
    return Case(GivenSteps(of, 1, steps), n_rounds=root**2)


def even() -> Any:
    """Draw the same with equal steps."""
    return uneven(equal=True)


@st.composite
def several_rounds(draw: st.DrawFn, falling: bool = False, equal: bool = False, swinging: bool = False) -> Case:
    """Draw up to four rounds with given steps; ``falling``: small, ``equal``: all equal, ``swinging``: both sizes."""
    of = draw(clients(2, noise=False, near=True).filter(_usable))
    k, count = draw(st.integers(1, 2)), 3 if swinging else draw(st.integers(1, 4))
    unit = 1 / Fraction(_smoothness(of)) / k
    small, large = ([Fraction(v) for v in sizes] for sizes in ((1, "1/2", "1/10", "1/4"), (1, 3, 5, 2, 8)))
    same = draw(st.sampled_from(small + large))

    def step(t: int) -> Fraction:
        sizes = small if falling else (small, large)[t % 2] if swinging else small + large
        return unit * (same if equal else draw(st.sampled_from(sizes)))

    steps = [[[step(t) for _ in range(k)] for _ in range(of.n_clients)] for t in range(count)]
    return Case(Rounds(of, draw(st.sampled_from([1, -1, Fraction(1, 2)])), steps))


@st.composite
def heavy(draw: st.DrawFn) -> Case:
    """Draw one client with a rare large noise, after which its step is larger or smaller than otherwise."""
    rarity = draw(st.sampled_from([10**2, 10**4, 10**6, 10**8]))
    chance, width = Fraction(1, rarity), draw(log_uniform_positive(1, 1e6))
    noise = width * draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2)]))
    mean = [-1, 0, 1]
    table = [[v + noise for v in mean], [v - noise * chance / (1 - chance) for v in mean]]
    of = PiecewiseClients((-width, 0, width), [table], (chance, 1 - chance))
    later = [draw(log_uniform_positive(1e-2, 1e3)) for _ in range(2)]
    return Case(GivenSteps(of, 0, [[[1], later]]))
