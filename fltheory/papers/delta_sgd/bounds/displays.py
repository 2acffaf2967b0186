"""The bounds of the displays (13)-(30) in the proof of Theorem 1; sums over steps stand on the measured side."""

from __future__ import annotations

from sympy import Integer, Rational

from fltheory.papers.delta_sgd.bounds import PSI_2, bound
from fltheory.papers.delta_sgd.letters import K, L, R_t, a, b, gap, h, m, rho, sigma

NONE, ONE, HALF, QUARTER = Integer(0), Integer(1), Rational(1, 2), Rational(1, 4)

MOVE = bound(NONE, "A.1, preamble", side="equal")
MOVE_FIXED = bound(NONE, "A.1, preamble", "corrected", side="equal")
DESCENT = bound(L / 2, "(13)")
UNBIASED = bound(NONE, "(14)", note="the clients", side="equal")
JENSEN = bound(ONE, "(14)", note="the clients")
TOWER = bound(NONE, "(14)", note="the noise", side="equal")
TOWER_FIXED = bound(NONE, "(14)", "corrected", note="the noise", side="equal")
EXPECTED = bound(L, "(14)")
EXPECTED_FIXED = bound(L, "(14)", "corrected", note="steps independent of the noise that they multiply")
ADDED = bound(NONE, "(15)", note="D_t outside the expectation", side="equal")
ADDED_FIXED = bound(NONE, "(15)", "corrected", note="D_t in the expectation", side="equal")
YOUNG = bound(HALF, "(16)")
FACTOR = bound(NONE, "(17)", side="equal")
REGROUPED = bound(NONE, "(18)", side="equal")
REGROUPED_FIXED = bound(NONE, "(18)", "corrected", note="f_i'(x_{t,k}) - f_i'(x_t)", side="equal")
SPLIT_DRIFT = bound(ONE, "(19)", note="A_1 and A_2")
SPLIT_MOVE = bound(ONE, "(19)", note="A_3 to A_6")
SPLIT = bound(ONE, "(19)", "corrected", note="steps independent of the noise that they multiply")
A1_JENSEN = bound(K, "(20)")
A1 = bound(2 * K**2 * L**2 * PSI_2, "(21)")
A1_CHOSEN = bound(2 * K**2 * L**2 * PSI_2, "(21)", note="steps that depend on past noise, D_t in the expectation")
A1_SHARP = bound(K * (K - 1) * L**2 * PSI_2, "(21)", "sharpened")
NESTED = bound(K, "(21)", note="its last step")
NESTED_SHARP = bound((K - 1) / 2, "(21)", "sharpened", note="its last step")
A2 = bound(K * rho, "(22)")
A2_SHARP = bound(rho, "(22)", "sharpened", note="weighted Jensen")
A3 = bound(2 * K * L * sigma**2 / b, "(23)")
A3_SHARP = bound(2 * L * sigma**2 / b, "(23)", "sharpened", note="martingale differences")
A4_JENSEN = bound(2 * K * L, "(24)")
A4 = bound(4 * K**2 * L**3 * PSI_2, "(25)")
A4_CHOSEN = bound(4 * K**2 * L**3 * PSI_2, "(25)", note="steps that depend on past noise")
A4_SHARP = bound(2 * K * (K - 1) * L**3 * PSI_2, "(25)", "sharpened")
A5 = bound(2 * K * L * rho, "(26)")
A6 = bound(2 * K * L, "(27)")
ROUND = bound(ONE, "(28)", note="f(x_{t+1}) itself")
ROUND_FIXED = bound(ONE, "(28)", "corrected", note="E f(x_{t+1}), given steps")

SMALL = (rho <= QUARTER, L * a * K <= Rational(1, 20))  # what rho <= 1/4, T >= 400 are to make of steps up to a
DISPERSION = bound(2 * rho * R_t, "(29)", "explicit", side="equal")
DISPERSION_LEAST = bound(2 * rho, "(29)", "sharpened", side="lower")
DISPERSION_MOST = bound(2 * rho * m * K, "(29)", "sharpened")
TAKEN = bound(1 - QUARTER, "(29)", "printed", SMALL, "for rho <= 1/4")
TAKEN_EQUAL = bound(1 - QUARTER, "(29)", "corrected", (*SMALL, h >= a), "equal steps")
TAKEN_ALL = bound(ONE, "(29)", "sharpened", (2 * rho * R_t >= 1,), side="lower")

TELESCOPED = bound(NONE, "(30)", note="as if it telescoped")
SUMMED = bound(gap / (h * K), "(30)", note="with the least D_t that there can be")
SUMMED_OMEGA = bound(gap / (a * K), "(30)", note="D_t = O(gamma K) taken for Omega(gamma K)")
SUMMED_FIXED = bound(gap / (h * K), "(30)", "corrected", note="f never rises")
SUMMED_EQUAL = bound(gap / (h * K), "(30)", "corrected", (h >= a,), "equal steps")
