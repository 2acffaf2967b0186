"""The weight of a round's noise in the average with the weights t, for steps 2/(nu t) and N + 1 rounds."""

from __future__ import annotations

from sympy import Expr, Rational, Symbol

from fltheory.papers.osmd.mirror.proofs.lemmas import SQUARE
from fltheory.proof import by, eq, le, proof
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.terms import Total

PLACE = "(5)"
N, r, i = (Symbol(name, integer=True, positive=True) for name in ("N", "r", "i"))
d = Symbol("d", integer=True, nonnegative=True)
_STEP, _ALL = (d, 0, N - 2 - r), (d, 0, N - 1 - r)


def harmonic(count: Expr | int) -> Expr:
    """1 + 1/2 + ... + 1/n."""
    return Total(1 / i, i, 1, count)


def weight(rounds: Expr, number: Expr) -> Expr:
    """Return the weight of half the noise of round number + 1, of rounds + 1 in all."""
    return 1 - number / rounds + number * (harmonic(rounds - 1) - harmonic(number - 1))


def _part(count: Expr, first: Expr = r, rounds: Expr = N) -> Expr:
    """Return a bound of 1/(first + 1) + ... + 1/count."""
    return (count - first) / rounds + rounds / 2 * (1 / (2 * first + 1) - 1 / (2 * count + 1))


PART = (
    proof("osmd/harmonic-part", PLACE, note="1/n <= 1/N + N/(4 n^2), and 1/n^2 telescopes")
    .step("square", by.apply(SQUARE, {P: 2 * (r + d + 1) - N, Q: 0}))
    .step("mean", le(1 / (r + d + 1), 1 / N + N / (4 * (r + d + 1) ** 2)),
        by.linear({"square": 1 / (4 * N * (r + d + 1) ** 2)}))
    .step("next", le(1 / (r + d + 1), 1 / N + N / 2 * (1 / (2 * r + 2 * d + 1) - 1 / (2 * r + 2 * d + 3))),
        by.linear("mean"))
    .step("0", le(harmonic(r) - harmonic(r), _part(r)), by.linear())
    .step("1", le(harmonic(r + d + 1) - harmonic(r), _part(r + d + 1), _STEP), by.linear({"assumed 1": 1, "next": 1}),
        assuming=le(harmonic(r + d) - harmonic(r), _part(r + d)))
    .qed(le(harmonic(r + d) - harmonic(r), _part(r + d), _ALL), by.induction(d, "0", "1"))
)
GROWS = (
    proof("osmd/harmonic-grows", PLACE)
    .step("0", le(0, harmonic(r) - harmonic(r)), by.linear())
    .step("1", le(0, harmonic(r + d + 1) - harmonic(r), _STEP), by.linear({"assumed 1": 1}),
        assuming=le(0, harmonic(r + d) - harmonic(r)))
    .qed(le(0, harmonic(r + d) - harmonic(r), _ALL), by.induction(d, "0", "1"))
)
a, b = (Symbol(name, integer=True, nonnegative=True) for name in "ab")  # rounds before this one and after it
_R, _N = a + 1, a + b + 2
_OWN = 2 - _R / _N + _R * (harmonic(_N - 1) - harmonic(_R))
_ROOT = _N + Rational(29, 20)
_LEFT = 20 * (2 * a + 3) * _N * (2 * _N - 1)  # the factor that clears the denominators
_FIRST, _SECOND = b - 1, b - Rational(77, 76)
EARLY = (
    proof("osmd/weight-early", PLACE, note="a round that is not the last one")
    .step("parts", le(harmonic(_R + d) - harmonic(_R), _part(_R + d, _R, _N), (d, 0, b)),
        by.apply(PART, {r: _R, N: _N}))
    .step("grows", by.apply(GROWS, {r: _R, N: _N}))
    .step("part", by.instance({d: b}, "parts"))
    .step("sign", by.instance({d: b}, "grows"))
    .step("square 1", le(0, _FIRST**2), by.apply(SQUARE, {P: _FIRST, Q: 0}))
    .step("square 2", le(0, _SECOND**2), by.apply(SQUARE, {P: _SECOND, Q: 0}))
    .step("square 3", le(0, (b - Rational(11, 20)) ** 2), by.apply(SQUARE, {P: b - Rational(11, 20), Q: 0}))
    .step("most", le(2 * _OWN, _ROOT),
        by.linear(
            {"part": 2 * _R, "square 1": 80 * b / _LEFT, "square 2": 114 / _LEFT, "square 3": 40 * a * b / _LEFT}))
    .step("least", le(0, 2 * _OWN), by.linear({"sign": 2 * _R}))
    .step("squares", by.power(2, "least", "most"))
    .step("room", le(_ROOT**2, (_N + 1) * (_N + 2)), by.linear())
    .qed(le(4 * weight(_N, _R) ** 2, (_N + 1) * (_N + 2)), by.linear("squares", "room"))
)
_LINE = le(4 * weight(N, r) ** 2, (N + 1) * (N + 2))
WEIGHT = (
    proof("osmd/weight", PLACE, note="for every number of rounds")
    .given("round", le(r, N), "a round")
    .step("early", by.apply(EARLY, {a: r - 1, b: N - 1 - r}), assuming=le(r, N - 1))
    .step("at", eq(r, N), by.antisymmetry("round"), assuming=le(N, r))
    .step("none", le(4 * weight(N, N) ** 2, (N + 1) * (N + 2)), by.linear())
    .step("last", _LINE, by.linear("none"), inserting="at", assuming=le(N, r))
    .qed(_LINE, by.cases("early", "last"))
)

THEOREMS = (PART, GROWS, EARLY, WEIGHT)
