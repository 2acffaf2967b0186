"""The loss in each step of the paper's proof of Theorem 3: its inequalities compared with their exact worst cases.

The proof of one round, without noise, at t = L eta_eff; G = F(x) - F*, N = M K, DR = E sum |x_{m,k} - x|^2:

    U1       -2 eta E sum <g, x - x*>  <=  -2 eta_eff G + 2 L eta DR
    sum      E|sum g|^2                <=  4 L^2 N DR + 8 L N^2 G                    (a split in four, Jensen, U2)
    U4       E|x+ - x*|^2              <=  |x - x*|^2 - (2 - 8 t) eta_eff G + (2 + 4 t) L eta DR
    moves    DR                        <=  4 eta^2 (L^2 N^2/2 DR + 2 L N^3/3 G + M^2 K^3/2 zeta^2)   (the same, and U3b)
    U5       DR                        <=  3 L N^3 eta^2 G + 9/4 M^2 K^3 eta^2 zeta^2
    U6       E|x+ - x*|^2              <=  |x - x*|^2 - eta_eff G / 3 + 6 L eta_eff^3 zeta^2 / M

Theorem 3 has 1/gain = 3 as factor of D^2 / (eta_eff R), and spread/gain = 18 as factor of L eta_eff^2 zeta^2 / M.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from figures.worst.steps import Inequality, Round, no_tangent_at_optimum, rational, sequential_round, without_optimum
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, BarPanel, Bars, Picture
from fltheory.worst_case.gram import Expression, combine_expressions

SIZES = ((2, 2), (3, 2), (2, 4))
SMALL = Fraction(1, 6)  # t, the largest that Theorem 3 allows
PRINTED = (Fraction(1, 3), Fraction(6))  # gain and spread of U6


@dataclass(frozen=True)
class Chain:
    """The constants of the proof; smaller ones, if valid, give a sharper theorem.

    ``pull``: U1's 2; ``of_drift, of_gap``: 4 and 8 of the squared sum; ``moved, risen, drawn``: the 4 of the moves, for
    each of their three terms; ``round, drift``: sufficient parts of the right sides of U4 and U5.
    """

    pull: Fraction = Fraction(2)
    of_drift: Fraction = Fraction(4)
    of_gap: Fraction = Fraction(8)
    moved: Fraction = Fraction(4)
    risen: Fraction = Fraction(4)
    drawn: Fraction = Fraction(4)
    round: Fraction = Fraction(1)
    drift: Fraction = Fraction(1)

    @property
    def gain_before(self) -> Fraction:
        """Return the gain in U4, in eta_eff."""
        return 2 - self.of_gap * SMALL

    @property
    def weight(self) -> Fraction:
        """Return the weight of the drift in U4, in L eta."""
        return self.round * (self.pull + self.of_drift * SMALL)

    @property
    def drifted(self) -> tuple[Fraction, Fraction]:
        """Return U5: DR in L N^3 eta^2 G and M^2 K^3 eta^2 zeta^2."""
        left = 1 - self.moved * SMALL**2 / 2
        return self.drift * self.risen * Fraction(2, 3) / left, self.drift * self.drawn / 2 / left

    @property
    def recursion(self) -> tuple[Fraction, Fraction]:
        """Return U6: the gain in eta_eff, the spread in L eta_eff^3 / M."""
        of_gap, of_spread = self.drifted
        return self.gain_before - self.weight * of_gap * SMALL**2, self.weight * of_spread


@dataclass(frozen=True, eq=False)
class Proof:
    """The inequalities of a chain, for a round."""

    one: Round

    def pull(self, chain: Chain) -> Inequality:
        """Return U1."""
        one, eta = self.one, self.one.eta
        left = _sum((-2 * eta, one.pull), (2 * SMALL, one.gap))
        return Inequality(one, left, _sum((chain.pull * eta, one.drift)), no_tangent_at_optimum)

    def jensen(self, chain: Chain) -> Inequality:
        """Return E|sum of the drift parts|^2 <= L^2 N DR."""
        one = self.one
        return Inequality(one, one.whole(one.drift_part), _sum((one.n_steps, one.drift)), without_optimum)

    def jensen_before(self, chain: Chain) -> Inequality:
        """Return the same for the sums before each step: L^2 N^2/2 DR."""
        one = self.one
        right = _sum((Fraction(one.n_steps**2, 2), one.drift))
        return Inequality(one, one.so_far(one.drift_part), right, without_optimum)

    def squared(self, chain: Chain) -> Inequality:
        """Return the inequality on the squared sum of the gradients."""
        one, n = self.one, self.one.n_steps
        right = _sum((chain.of_drift * n, one.drift), (chain.of_gap * n**2, one.gap))
        return Inequality(one, one.whole(one.gradient), right)

    def round(self, chain: Chain) -> Inequality:
        """Return U4."""
        one = self.one
        left = _sum((1, one.growth), (chain.gain_before * SMALL, one.gap))
        return Inequality(one, left, _sum((chain.weight * one.eta, one.drift)))

    def moves(self, chain: Chain) -> Inequality:
        """Return the inequality on the squared moves."""
        one, n, spread = self.one, self.one.n_steps, Fraction(self._blocks, 2)
        terms = (
            (chain.moved * Fraction(n**2, 2), one.drift),
            (chain.risen * Fraction(2 * n**3, 3), one.gap),
            (chain.drawn * spread, one.heterogeneity),
        )
        return Inequality(one, one.drift, _sum(*((one.eta**2 * c, e) for c, e in terms)))

    def drift(self, chain: Chain) -> Inequality:
        """Return U5."""
        one, (of_gap, of_spread) = self.one, chain.drifted
        terms = ((of_gap * one.n_steps**3, one.gap), (of_spread * self._blocks, one.heterogeneity))
        return Inequality(one, one.drift, _sum(*((one.eta**2 * c, e) for c, e in terms)))

    def recursion(self, gain: Fraction, spread: Fraction) -> Inequality:
        """Return U6."""
        one = self.one
        left = _sum((1, one.growth), (gain * SMALL, one.gap))
        return Inequality(one, left, _sum((spread * SMALL**3 / one.n_clients, one.heterogeneity)))

    def blocks(self) -> Fraction:
        """Return U3b: the sum is M K (K^2 M + 1) / 6 zeta^2, while the proof has M^2 K^3 / 2."""
        m, k = self.one.n_clients, self.one.n_local_steps
        return Fraction(m * k * (k**2 * m + 1), 3 * self._blocks)

    def powers(self) -> Fraction:
        """Return the sum of the squares of 0, ..., N - 1, while the proof has N^3 / 3; x^2 / 2 attains U2 itself."""
        n = self.one.n_steps
        return Fraction((n - 1) * (2 * n - 1), 2 * n**2)

    @property
    def _blocks(self) -> int:
        return self.one.n_clients**2 * self.one.n_local_steps**3


def _sum(*parts: tuple[Fraction | int, Expression]) -> Expression:
    return combine_expressions(*((rational(Fraction(c)), e) for c, e in parts))


class Loss(NamedTuple):
    """A step of the proof: its own looseness, and the constants of Theorem 3 once it and all before it are exact."""

    name: str
    alone: Fraction
    of_distance: Fraction
    of_spread: Fraction


AS_PRINTED = Loss("as printed", Fraction(1), 1 / PRINTED[0], PRINTED[1] / PRINTED[0])


def _scale(*names: str) -> Callable[[Chain, Fraction], Chain]:
    """Return a chain with some of its numbers multiplied by a factor."""
    return lambda chain, factor: replace(chain, **{n: vars(chain)[n] * factor for n in names})


@cache
def proof_losses(n_clients: int, n_local_steps: int) -> tuple[Loss, ...]:
    """Return every step of the proof for a round of these clients, in the order in which they are made exact."""
    proof = Proof(sequential_round(n_clients, n_local_steps, SMALL))
    return tuple(_losses(proof))


def _losses(proof: Proof) -> Iterator[Loss]:
    gain, spread = PRINTED
    chain = Chain()
    yield AS_PRINTED
    first = chain.recursion
    yield Loss("rounded numbers", spread / gain * first[0] / first[1], 1 / first[0], first[1] / first[0])
    steps: tuple[tuple[str, Callable[[Chain], Inequality] | Fraction, Callable[[Chain, Fraction], Chain]], ...] = (
        ("sum split in 4, not 2", Fraction(1, 2), _scale("of_drift", "of_gap")),
        ("moves split in 4, not 3", Fraction(3, 4), _scale("moved", "risen", "drawn")),
        ("U3b, drawn clients", proof.blocks(), _scale("drawn")),
        ("U2, sum of squares", proof.powers(), _scale("risen")),
        ("Jensen, sum", proof.jensen, _scale("of_drift")),
        ("Jensen, moves", proof.jensen_before, _scale("moved")),
        ("U1, pull", proof.pull, _scale("pull")),
        ("squared sum at once", proof.squared, _scale("of_drift", "of_gap")),
        ("U4, one round at once", proof.round, _scale("round")),
        ("squared moves at once", proof.moves, _scale("moved", "risen", "drawn")),
        ("U5, drift at once", proof.drift, _scale("drift")),
    )
    for name, step, exact in steps:
        alone, now = (step if isinstance(step, Fraction) else step(c).enough() for c in (Chain(), chain))
        chain = exact(chain, now)
        gain, spread = chain.recursion
        yield Loss(name, 1 / alone, 1 / gain, spread / gain)
    alone, now = (proof.recursion(*numbers).enough() for numbers in (PRINTED, (gain, spread)))
    yield Loss("U6, recursion at once", 1 / alone, 1 / gain, spread * now / gain)


def _waterfall(title: str, x_label: str, of: Callable[[Loss], Fraction], named: bool) -> BarPanel:
    """Return falling bars: each step's bar runs from the constant before it to the constant with it exact."""
    found = proof_losses(*SIZES[0])
    ends = [float(of(one)) for one in found]
    starts = [ends[0], *ends[:-1]]
    words = tuple(
        f"{end:.3g}" if start < 1.05 * end else f"{end:.3g} (÷{start / end:.2g})"
        for start, end in zip(starts, ends, strict=True)
    )
    falls = Bars(FALL, ends, "measured", starts, words)
    return BarPanel(title, x_label, tuple(one.name for one in found), (falls,), min(ends), named)


def largest(of: Callable[[Loss], Fraction]) -> tuple[str, float, float]:
    """Return the step that loses most of a constant, the factor, and its share of the logarithm of the whole loss."""
    found = proof_losses(*SIZES[0])
    factor, name = max((float(of(before) / of(after)), after.name) for before, after in itertools.pairwise(found))
    return name, factor, math.log(factor) / math.log(float(of(found[0]) / of(found[-1])))


@headline("Theorem 3 loses one constant in many proof steps, the other mostly in one")
def loss() -> Picture:
    """Return the theorem's two constants as waterfalls over the steps of its proof."""
    last, others = proof_losses(*SIZES[0])[-1], [proof_losses(*size)[-1] for size in SIZES[1:]]
    (m, k), rest = SIZES[0], " and with ".join(f"$M={m}$, $K={k}$" for m, k in SIZES[1:])
    (name, factor, share), (only, by, most) = largest(lambda one: one.of_spread), largest(lambda one: one.of_distance)
    return Picture(
        f"With every step of its proof exact, Theorem 3 of sequential federated learning has {float(last.of_spread):.2g} for 18 "
        f"and {float(last.of_distance):.2g} for 3 ($M={m}$, $K={k}$). Of the 18 the step \u201c{name}\u201d loses most, a factor "
        f"of {factor:.2g}, {share:.0%} of the logarithm of the whole loss; of the 3 the step \u201c{only}\u201d loses "
        f"{by:.2g}, {most:.0%}. With {rest} it is {' and '.join(f'{float(o.of_spread):.2g}' for o in others)} for 18",
        (
            _waterfall(r"What is left of 18", r"factor of $L\tilde\eta^2\zeta_*^2/M$", lambda one: one.of_spread, True),
            _waterfall(r"What is left of 3", r"factor of $D^2/(\tilde\eta R)$", lambda one: one.of_distance, False),
        ),
        columns=2,
        width=PAGE,
        row_height=3.4,
        caption=fill(CAPTION),
        legend_columns=1,
    )


FALL = "from the constant before a step is made exact (right end) to the constant after it (left end, with its number)"
CAPTION = (
    r"$M$ clients with $K$ local steps, one round at the effective step $\tilde\eta=1/(6L)$ without noise, over all $L$-smooth "
    "convex clients in every dimension; each number is proved by rational multipliers (splits and sums: in closed form). "
    "Downwards: each step made exact after all above it; \u201cat once\u201d: an inequality whole, with all its steps. "
    "Rounded numbers: the rounding at the end of the proof. Sum, moves: the sum of a round\u2019s gradients, and how far the "
    "clients move. U1 to U6: the inequalities of the proof, U1 the pull (inner products) to the minimiser, U2 sums of "
    "squares, U3b drawn clients, U4 a round, U5 the drift of the clients, U6 the recursion. "
    r"$\zeta_*$: heterogeneity at the minimiser; $D$: distance of the start from it; $R$: rounds."
)
