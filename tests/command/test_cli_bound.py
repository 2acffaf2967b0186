"""``fltheory bound``: the number, its spellings, and what it says of constants it does not need."""

from __future__ import annotations

from fractions import Fraction

from fltheory.api import lookup
from fltheory.verification import find
from tests.typed import Run

CLAIM = "sfl/T3-SC@corrected"
CONSTANTS = ["M=4", "K=2", "R=1200", "L=1", "mu=1/10", "eta=1/100", "D=1", "sigma=1", "zeta_star=1"]


# bound ----------------------------------------------------------------------------------------------------------


def test_bound_is_rounded_up(run: Run) -> None:
    status, out, err = run("bound", CLAIM, "--set", *CONSTANTS)
    claim = find(CLAIM)
    exact = claim.bound.ball(lookup.parse_assignments(CONSTANTS, claim.bounds), 200)
    assert (status, err) == (0, "")
    assert 0 <= float((float(out.split()[0]) - exact) / exact) < 1e-15


def test_bound_takes_every_spelling(run: Run) -> None:
    spellings = [
        ["M", "K", "R", "L", "mu", "eta", "D", "sigma", "zeta_star"],
        ["M", "K", "R", "L", "μ", "η", "D", "σ", "ζ⋆"],
        [r"M", r"K", r"R", r"L", r"\mu", r"\eta", r"D", r"\sigma", r"\zeta_*"],
        [
            "n_clients",
            "n_local_steps",
            "n_rounds",
            "smoothness",
            "strong_convexity",
            "step_size",
            "initial_distance",
            "noise_std",
            "heterogeneity_at_optimum",
        ],
    ]
    values = [c.split("=")[1] for c in CONSTANTS]
    results = set()
    for names in spellings:
        sets = [f"--set={n}={v}" for n, v in zip(names, values, strict=True)]
        results.add(run("bound", CLAIM, *sets)[1])
    assert len(results) == 1


def test_bound_prints_a_short_rational(run: Run) -> None:
    _, out, _ = run(
        "bound", "sfl/T3-GC@printed", "--set", "M=4", "K=2", "R=1200", "L=1", "η̃=0.01", "D=1", "σ=1", "ζ⋆=1"
    )
    exact = 3 / (Fraction(1, 100) * 1200) + Fraction(12, 100) / 8 + Fraction(18, 10**4) / 8 + Fraction(18, 10**4) / 4
    assert f"exactly {exact}" in out


def test_bound_names_what_it_does_not_use(run: Run) -> None:
    status, _, err = run("bound", CLAIM, "--set", *CONSTANTS, "A=3")
    assert status == 0
    assert err == "not used by this bound: A (initial_gap)\n"


def test_bound_of_a_tuned_claim_needs_no_step(run: Run) -> None:
    status, out, _ = run("bound", "sfl/C4-SC@explicit", "--set", *(c for c in CONSTANTS if not c.startswith("eta")))
    assert status == 0
    assert float(out.split()[0]) > 0
