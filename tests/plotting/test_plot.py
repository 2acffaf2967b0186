"""Sweeps, pictures and their files: the plotted numbers are the claims' numbers."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_rational
from fltheory.model.bound import Source
from fltheory.model.case import Case
from fltheory.number import exact, to_float
from fltheory.papers.sfl.instances.lemmas import Parameters
from fltheory.plotting.axis_range import free_constants, values_along, with_constant
from fltheory.plotting.captions import finding_text
from fltheory.plotting.labels import mathtext, number, unit
from fltheory.plotting.picture import Curve, Panel, Picture, claim_picture, table
from fltheory.plotting.plot import draw, plot, save, save_picture
from fltheory.plotting.point import applicability
from fltheory.plotting.sweep import exponent, sweep
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.symbols import VOCABULARY, n_clients, n_local_steps, n_rounds, step_size
from tests.papers.sample import sampled

T3 = "sfl/T3-SC@corrected"
CASE = Case(QuadraticClients((1, "1/2"), (1, -1), 2, noise_std=1), n_rounds=500, n_local_steps=3, step_size="1/60")


def test_the_bound_is_the_formula() -> None:
    """Theorem 3 typed again, in floats: L = 1, mu = 1/2, D = 2, sigma = 1, zeta* = 1, M = 2, K = 3."""
    found = sweep(find(T3), CASE, "n_rounds", values=[20, 100, 500])
    effective = 6 / 60
    for point in found.points:
        decayed = 4.5 * 0.5 * 4 * math.exp(-0.5 * effective * point.value / 2)
        rest = 12 * effective / 6 + 18 * effective**2 / 6 + 18 * effective**2 / 2
        assert point.limits[0] == pytest.approx(decayed + rest, rel=1e-12)


def test_the_measured_value_is_exact() -> None:
    """One round of equal clients, by hand: x1 = a^2 x0 + a (noise) ..., in rationals."""
    claim = find(T3)
    case = Case(QuadraticClients((1, 1), (1, -1), 2), n_rounds=1, n_local_steps=1, step_size="1/12")
    found = sweep(claim, case, "n_rounds", values=[1])
    a, eta, weight = Fraction(11, 12), Fraction(1, 12), 1 - Fraction(1, 12)
    ends = [a * (a * 2 - eta * s) + eta * s for s in (1, -1)]
    averages = [(2 * weight + x) / (weight + 1) for x in ends]
    assert found.points[0].measured == pytest.approx(float(sum(v**2 for v in averages) / 4), rel=1e-14)
    rational = exact_rational(claim.measure, claim.algorithm, case)
    assert rational is not None
    assert found.points[0].measured == pytest.approx(float(rational.value), rel=1e-14)


def test_inapplicable_points_are_marked_not_drawn() -> None:
    found = sweep(find(T3), CASE, "step_size")
    good = np.array([p.applies for p in found.points])
    assert good.any()
    assert not good.all()
    assert np.isnan(found.limit()[~good]).all()
    assert np.isfinite(found.limit()[good]).all()
    effective = 6 * found.column("value")  # M K = 6
    assert (good == ((effective <= 1 / 6) & (0.5 * effective * 500 >= 1))).all()
    assert {str(c) for c in found.broken} == {
        "effective_step_size <= 1/(6*smoothness)",
        "effective_step_size*n_rounds*strong_convexity >= 1",
    }
    panel = claim_picture(find(T3), CASE, "step_size").panels[0]
    assert isinstance(panel, Panel)
    zones = [z for z in panel.zones if z.kind == "inapplicable"]
    inside = np.array([any(z.low <= v <= z.high for z in zones) for v in found.column("value")])
    assert (inside == ~good).all()


def test_vacuous_where_the_bound_exceeds_what_is_known() -> None:
    found = sweep(find("sfl/T3-GC@printed"), CASE, "n_rounds")
    assert (found.vacuous() == (found.limit() > 0.5 * 1 * 4)).all()  # L D^2 / 2
    assert found.vacuous().any()
    assert not found.vacuous().all()


def test_the_effective_step_stays_when_clients_or_local_steps_change() -> None:
    claim = find(T3)
    for symbol, value in ((n_clients, 8), (n_local_steps, 12)):
        new = with_constant(claim, CASE, symbol, value).constants
        assert new[step_size] * new[n_clients] * new[n_local_steps] == Fraction(1, 10)
        assert new[symbol] == value
    assert with_constant(claim, CASE, n_rounds, 7).constants[step_size] == Fraction(1, 60)


def test_constructed_instances_are_built_again() -> None:
    """The instance of Theorem 6 depends on the number of rounds."""
    claim = find("sfl/T6-GC-drift@corrected")
    for rounds in (51**3, 10**6):
        new = with_constant(claim, claim.cases[0], n_rounds, rounds)
        assert applicability(claim, new)[0] == ""
    assert with_constant(claim, claim.cases[0], n_rounds, 10**6).instance != claim.cases[0].instance


def test_simulated_means_have_a_band_that_holds_the_mean() -> None:
    claim = find("sfl/T3-GC@printed")
    kinked = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 1)
    case = Case(kinked, n_rounds=300, n_local_steps=2, step_size="1/48")
    point = sweep(claim, case, "n_rounds", values=[300]).points[0]
    assert "seeds" in point.evidence
    assert point.low < point.measured < point.high
    few = sweep(claim, case, "n_rounds", values=[2]).points[0]
    assert few.evidence == "exact"
    assert few.low == few.high == few.measured


def test_exponents() -> None:
    x = np.geomspace(1, 1000, 20)
    assert exponent(x, 3 * x**-0.5) == pytest.approx(-0.5)
    assert exponent(x, np.where(x > 50, x**2, 1.0)) == pytest.approx(2, abs=0.3)
    assert exponent(x[:2], x[:2]) is None
    assert exponent(x, -x) is None


def test_along_names_the_free_constants() -> None:
    with pytest.raises(ValueError, match=r"'speed'.*n_rounds.*step_size.*n_local_steps.*n_clients"):
        plot(T3, along="speed")
    with pytest.raises(ValueError, match="smoothness"):
        plot(T3, along="smoothness")
    assert sweep(find(T3), CASE, "R", values=[10]).symbol == n_rounds  # the paper's letter
    assert sweep(find(T3), CASE).symbol == n_rounds
    assert sweep(find("sfl/L8@printed")).symbol.name == "n_signs"
    with pytest.raises(ValueError, match="no free constant"):
        sweep(find("sfl/U1@explicit"))
    with pytest.raises(ValueError, match="no case of its own"):
        sweep(find("sfl/TAB1-GC-Woodworth@printed"))


def test_an_external_rate_is_drawn_on_a_given_case() -> None:
    case = Case(
        Parameters(n_clients=4, n_local_steps=2, smoothness=1, initial_distance=1, noise_std=1, max_heterogeneity=2),
        n_rounds=10,
    )
    picture = claim_picture(find("sfl/TAB1-GC-Woodworth@printed"), case)
    assert "external" in picture.title
    draw(picture)


def test_a_mutant_has_another_picture() -> None:
    claim = find(T3)
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(1, 50)),))
    assert "loose by a factor" in finding_text(sweep(claim, CASE))
    assert finding_text(sweep(mutant, CASE)).startswith("violated")
    assert table(claim_picture(claim, CASE)) != table(claim_picture(mutant, CASE))
    assert _svg(claim) != _svg(mutant)


def _svg(claim: Claim) -> str:
    buffer = io.StringIO()
    plot(claim, CASE).savefig(buffer, format="svg")
    return buffer.getvalue()


def test_files_are_the_same_twice(tmp_path: Path) -> None:
    picture = claim_picture(find(T3), CASE)
    for name in ("a.svg", "b.svg", "a.pdf", "b.pdf", "a.png", "b.png"):
        save_picture(picture, tmp_path / name)
    for kind in ("svg", "pdf", "png"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert b"dc:date" not in (tmp_path / "a.svg").read_bytes()
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [
        ".csv",
        ".csv",
        ".pdf",
        ".pdf",
        ".png",
        ".png",
        ".svg",
        ".svg",
    ]
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [tuple(r.values()) for r in rows] == table(picture)[1:]
    with pytest.raises(ValueError, match=r"\.svg, \.png or \.pdf"):
        save(draw(picture), tmp_path / "a.docx")


def test_the_table_holds_every_curve() -> None:
    panel = Panel("t", "x", "y", (Curve("c", [1, 2], [3.0, math.nan], "bound"),))
    assert table(Picture("p", (panel,)))[1:] == [
        ("1: t", "c", "1", "3", "3", "3", ""),
        ("1: t", "c", "2", "nan", "nan", "nan", ""),
    ]


def test_labels() -> None:
    assert unit(VOCABULARY["step_size"].dimension) == "in units of $F^{-1} x^{2}$"
    assert unit(VOCABULARY["n_rounds"].dimension) == "dimensionless"
    assert mathtext("E[F(x̄) - F*]") == r"$\mathrm{E}[F(\bar x) - F^*]$"
    assert mathtext("T(d)/T(d')") == "T(d)/T(d')"
    assert number(1234.5) == "1230"
    assert number(2.5e18) == r"$2.5\times 10^{18}$"


def test_values_are_short_and_reach_the_condition() -> None:
    claim = find(T3)
    values = values_along(claim, CASE, step_size, True)
    own = Fraction(1, 60)
    assert own in values
    assert all(Fraction(v) == Fraction(exact(float(f"{to_float(v):.3g}"))) for v in values if v != own)
    assert max(to_float(v) for v in values if to_float(v) <= 1 / 36) == pytest.approx(1 / 36, rel=0.01)
    rounds = values_along(claim, CASE, n_rounds, True)
    assert rounds == sorted(set(rounds))
    assert {1, 500, 5000} <= set(rounds)


EXPERIMENTS = [pytest.param(c, id=c.id, marks=pytest.mark.deep) for c in catalogue() if c.kind == "experiment"]
OTHERS = sampled((c for c in catalogue() if c.kind != "experiment"), first=2)


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", [*OTHERS, *EXPERIMENTS])
def test_a_claim_can_be_followed_or_says_why_not(claim: Claim) -> None:
    """Three values each; a claim without a free constant, or without a case, is refused with its id.

    Every third claim of a paper, the others and what trains models with ``-m deep``.
    """
    if not _followed(claim):
        if not any(free_constants(claim, case) for case in claim.cases):
            with pytest.raises(ValueError, match=claim.id):
                sweep(claim)
        return
    case = claim.cases[0]
    symbol = VOCABULARY[free_constants(claim, case)[0]].symbol
    base = case.constants[symbol]
    values = [base, base + 1, 2 * base] if isinstance(base, int) and base < 10**9 else [base]
    found = sweep(claim, case, symbol.name, values=values)
    assert found.points
    if found.points[0].applies and claim.measure is not None:
        assert math.isfinite(found.points[0].measured)


def test_most_claims_can_be_followed() -> None:
    assert sum(map(_followed, catalogue())) > 100


def _followed(claim: Claim) -> bool:
    return bool(claim.cases and free_constants(claim, claim.cases[0]))


@pytest.mark.parametrize(
    ("claim_id", "along"),
    [
        ("sfl/C4-GC@printed", None),
        ("sfl/L8@printed", None),
        ("sfl/T3-NC@printed", "step_size"),
        ("sfl/h3@explicit", "K"),
        ("sfl/T6-GC@corrected", None),
        ("sfl/T5@explicit", "noise_std"),
        ("sfl/U3b@strengthened", None),
    ],
)
def test_whole_pictures(claim_id: str, along: str | None) -> None:
    figure = plot(claim_id, along=along)
    axes = figure.axes[0]
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert figure.get_suptitle().startswith(claim_id)
    sizes = [t.get_fontsize() for t in (axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels())]
    assert min(sizes) >= 7


def test_a_false_claim_is_shown_on_a_case_that_refutes_it() -> None:
    assert "violated at" in claim_picture(find("sfl/C4-GC@printed")).title


def test_sources_are_named() -> None:
    """The legend of a single picture says where the bound stands."""
    claim = find(T3)
    elsewhere = replace(claim.bound, source=Source("sfl", "Lemma 99", "corrected"))
    (panel,) = claim_picture(replace(claim, bounds=(elsewhere,)), CASE).panels
    assert isinstance(panel, Panel)
    assert "Lemma 99" in panel.curves[0].label


def test_a_short_logarithmic_axis_has_labels() -> None:
    """Half a decade: ticks at 1, 2, 5 alone would leave one label."""
    axes = plot("sfl/L9@printed").axes[0]
    low, high = axes.get_ylim()
    shown = [float(t.get_text()) for t in axes.get_yticklabels() if low <= t.get_position()[1] <= high]
    assert len(shown) >= 3
    assert 0.2 < low < 0.25 < 0.5 < high < 0.6


def test_empty_decades_are_said() -> None:
    assert "empty decades" in claim_picture(find("sfl/T5@explicit"), find("sfl/T5@explicit").cases[0]).caption
    assert "empty decades" not in claim_picture(find(T3), CASE).caption


def test_every_measure_can_be_typeset() -> None:
    assert mathtext("P(E_n > 0)") == "P($E_{n}$ > 0)"
    assert mathtext("Σ X̄_n") == r"Σ $\bar X_{n}$"
    parser = MathTextParser("agg")
    for name in sorted({c.measure.name for c in catalogue() if c.measure is not None}):
        parser.parse(mathtext(name))


def test_what_may_lack_less_than_nothing_is_drawn_on_a_plain_axis() -> None:
    """A shortfall below 0 can't stand on a logarithmic axis; where every value is positive the axis stays logarithmic."""
    below = claim_picture(find("fedcg/S1@strengthened"), find("fedcg/S1@strengthened").cases[2], "n_rounds")
    assert isinstance(below.panels[0], Panel)
    assert below.panels[0].y_scale == "linear"
    assert "Exponents" not in below.caption
    above = claim_picture(find(T3), CASE, "n_rounds").panels[0]
    assert isinstance(above, Panel)
    assert above.y_scale == "log"
