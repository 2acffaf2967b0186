"""The bounds of the displays (14)-(30) in the proof of Theorem 1 that proofs use too."""

from __future__ import annotations

from sympy import Integer, Rational, sqrt

from fltheory.papers.delta_sgd.bounds import PSI_2, bound
from fltheory.papers.delta_sgd.notation import K, L, T, a, gap, h, rho

NONE, ONE, QUARTER = Integer(0), Integer(1), Rational(1, 4)

TOWER = bound(NONE, "(14)", note="the noise", side="equal")
EXPECTED = bound(L, "(14)")
ADDED = bound(NONE, "(15)", note="D_t outside the expectation", side="equal")
A1_CHOSEN = bound(
    2 * K**2 * L**2 * PSI_2, "(21)", "strict", note="steps that depend on past noise, D_t in the expectation"
)
A4_CHOSEN = bound(4 * K**2 * L**3 * PSI_2, "(25)", "strict", note="steps that depend on past noise")
ROUND = bound(ONE, "(28)", note="f(x_{t+1}) itself")

SMALL = (rho <= QUARTER, L * a * K <= Rational(1, 20))  # consequences of rho <= 1/4, T >= 400 for steps up to a
ENOUGH_ROUNDS = (rho <= QUARTER, rho**2 * T >= 25, L * a * K * sqrt(T) <= 1)  # a = O(gamma), gamma = O(1/(K sqrt T))
TAKEN = bound(1 - QUARTER, "(29)", "printed", ENOUGH_ROUNDS, "rho <= 1/4, T >= (5/rho)^2")
SUMMED = bound(gap / (h * K), "(30)", note="with the least D_t that there can be")
SUMMED_OMEGA = bound(gap / (a * K), "(30)", note="D_t = O(gamma K) taken for Omega(gamma K)")
