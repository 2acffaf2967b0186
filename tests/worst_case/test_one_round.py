"""What claims say of one round from any start: their bound's shares of distance and gap taken off, over whole classes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

from fltheory import Algorithm
from fltheory.api.worst import worst
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.command import cli
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.separable import QuadraticClients
from fltheory.verification import find
from fltheory.worst_case import two_sided as brackets
from fltheory.worst_case.claims import recursion_measure
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.one_round import best_recursion, descent, recursion
from fltheory.worst_case.symbolic_run import OutOfReach

AT: dict[str, Any] = {"M": 2, "K": 2, "L": 1, "zeta_star": 1, "sigma": 0}
CLAIMS = {
    "sfl/U6@explicit": {**AT, "mu": 0, "eta": "1/24"},
    "sfl/U11@explicit": {**AT, "mu": "1/10", "eta": "1/12"},
    "sfl/U12-SFL@explicit": {**AT, "M": 3, "S": 2, "K": 1, "mu": 0, "eta": "1/12"},
    "sfl/U12-PFL@explicit": {**AT, "M": 3, "S": 2, "K": 1, "mu": "1/10", "eta": "1/6"},
}


def scaled(claim: Claim, factor: Fraction) -> Claim:
    """With this part of its bound beside the distance and the gap."""
    bound = claim.bounds[0]
    measure = recursion_measure(claim)
    away, height = (
        (s for s in bound.symbols if s.name == "initial_distance"),
        (s for s in bound.symbols if s.name == "initial_gap"),
    )
    start = measure.kept * next(away) ** 2 - measure.weight * next(height)
    return replace(
        claim, bounds=(replace(bound, expr=start + sympy.Rational(str(factor)) * (bound.expand_definitions() - start)),)
    )


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_about_a_round_from_any_start(name: str) -> None:
    """It holds with less than a quarter of what it adds; with less than what is attained it is refuted by the instance."""
    claim = find(name)
    told = worst(claim, CLAIMS[name])
    found = told.bracket
    assert told.status == "holds"
    assert found.lower is not None
    assert found.upper is not None
    assert found.is_reproduced
    assert 0 < found.lower <= found.upper < found.lower * Fraction(1001, 1000)
    assert brackets.why_not_proved(found) is None
    assert brackets.why_not_proved(replace(found, upper=found.lower * Fraction(9_999, 10_000))) is not None
    added = Fraction(told.bounds[0].high)
    assert found.upper * 4 < added
    enough = worst(scaled(claim, found.upper / added * Fraction(1001, 1000)), CLAIMS[name])
    assert enough.status == "holds"
    false = worst(scaled(claim, found.lower / added * Fraction(999, 1000)), CLAIMS[name])
    assert false.status == "violated"
    rebuilt = eval(str(false.row()["instance"]), {"Case": Case, "InterpolatedClients": InterpolatedClients})
    assert (check_claim(false.claim, rebuilt).status, check_claim(claim, rebuilt).status) == ("violated", "holds")


TABLE = re.findall(
    r"^\| `(sfl/U\S+)`[^|]*\| ([^|]*) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$",
    (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "worst_cases.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def test_the_table_of_the_page_is_proved() -> None:
    """Rounded up, the factors down; "the same" is what the row above says."""
    letters = {"η": "eta", "μ": "mu", "σ": "sigma"}
    at: dict[str, str] = {}
    assert len(TABLE) == 4
    for name, settings, adds, left, times in TABLE:
        at = at if "the same" in settings else {}
        for equation in re.findall(r"(\w(?: = \w)*) = ([\d/]+)", settings):
            at |= {letters.get(letter, letter): equation[1] for letter in equation[0].split(" = ")}
        told = worst(name, {"L": 1, "zeta_star": 1, **at})
        assert told.status == "holds"
        assert told.bracket.upper is not None
        added = float(told.bounds[0])
        assert abs(added - float(adds)) < 1e-5
        assert float(told.bracket.upper) <= float(left) < float(told.bracket.upper) * 1.0001
        assert float(times) <= added / float(told.bracket.upper) < float(times) + 1


def test_noise_is_a_part_of_it() -> None:
    quiet, noisy = (worst("sfl/U6@explicit", {**CLAIMS["sfl/U6@explicit"], "sigma": s}) for s in (0, 1))
    assert noisy.status == "holds"
    assert quiet.bracket.upper is not None
    assert noisy.bracket.upper is not None
    assert noisy.bracket.lower is not None
    assert quiet.bracket.upper < noisy.bracket.lower
    assert noisy.bracket.upper < noisy.bracket.lower * Fraction(101, 100)


def test_what_is_attained_of_a_sharpened_constant() -> None:
    """A gain of twice the step leaves a solver no room, but the instance stands: 2/7 is no more than 3.4 times too much."""
    told = worst("sfl/U6-tight@strengthened", {**AT, "mu": 0, "eta": "1/24"})
    assert told.bracket.lower is not None
    assert told.bracket.is_reproduced
    assert told.status in ("open", "holds")
    assert 3 < Fraction(told.bounds[0].high) / told.bracket.lower < Fraction(34, 10)


def test_the_shares_of_the_start_are_read_off_the_bound() -> None:
    measure = recursion_measure(find("sfl/U6-tight@strengthened"))
    assert measure.kept == 1
    m, k, eta = (
        next(s for s in measure.weight.free_symbols if s.name == n) for n in ("n_clients", "n_local_steps", "step_size")
    )
    assert sympy.expand(measure.weight - 2 * m * k * eta) == 0
    for other in ("sfl/U4@explicit", "sfl/T3-GC@printed"):
        with pytest.raises(OutOfReach, match="no recursion"):
            recursion_measure(find(other))
    strange = find("sfl/U6@explicit")
    away = next(s for s in strange.bounds[0].symbols if s.name == "initial_distance")
    twisted = replace(
        strange, bounds=(replace(strange.bounds[0], expr=strange.bounds[0].expr + away * sympy.sqrt(away)),)
    )
    with pytest.raises(OutOfReach, match="other terms of the start"):
        recursion_measure(twisted)


def test_a_start_is_not_given() -> None:
    for name in ("D", "A"):
        with pytest.raises(ValueError, match="from any start: leave out"):
            worst("sfl/U6@explicit", {**CLAIMS["sfl/U6@explicit"], name: 1})
    for other in ("sfl/U4@explicit", "sfl/U5@explicit"):
        with pytest.raises(ValueError, match=r"not the rounds of an algorithm: it has no worst case|is no upper bound"):
            worst(other, CLAIMS["sfl/U6@explicit"])


def mean_descent(x: Any, oracle: Any, c: Any) -> Any:
    """A step of one's own, which is not moved to where x* is 0."""
    return x - c.step_size * sum(oracle.gradient(x, m) for m in range(2)) / 2


@pytest.mark.parametrize("method", [sequential, parallel, Algorithm("mine", mean_descent)])
def test_growth_by_moments_is_growth_by_courses(method: Any) -> None:
    """Of the same clients by their numbers, of which laws are known, and by their Hessians, of which every course is run."""
    known = {"slopes": ((1, 0), (-1, 2)), "start": (3, -1), "noise_std": ("1/3", 0)}
    by_numbers = QuadraticClients(((1, "1/2"), ("1/4", 1)), **known)
    by_matrices = MatrixClients((((1, 0), (0, "1/2")), (("1/4", 0), (0, 1))), **known, smoothness=1)
    measure = RoundGrowth(sympy.Rational(2, 3), sympy.Rational(9, 10))
    one, other = (
        exact_rational(measure, method, Case(clients, n_rounds=2, n_local_steps=1, step_size="1/5"))
        for clients in (by_numbers, by_matrices)
    )
    assert one is not None
    assert other is not None
    assert one.value == other.value != 0


def test_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "round.json"
    given = [f"{name}={value}" for name, value in CLAIMS["sfl/U6@explicit"].items()]
    for arguments, said in (
        (["--set", *given, "--json", str(path)], "holds for every instance of the class"),
        (["--check", str(path)], "proved"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(["worst", "sfl/U6@explicit", *arguments])
        assert ended.value.code == 0
        assert said in capsys.readouterr().out
    row = json.loads(path.read_text())
    assert "|x_0 - x*|²" in row["measure"]
    below = str(Fraction(row["lower"]) * Fraction(999, 1000))
    path.write_text(json.dumps({**row, "upper": below}))
    with pytest.raises(SystemExit) as ended:
        cli.main(["worst", "sfl/U6@explicit", "--check", str(path)])
    assert ended.value.code == 1


def test_the_best_recursion_is_that_of_the_rounds_that_are_asked_for() -> None:
    """Of those tight at parts of the distance the one that is least after all rounds; without noise it knows none."""
    given: dict[str, Any] = {"n_clients": 2, "n_local_steps": 1, "step_size": "1/12"}
    curved, ratios = Smooth(1, "1/10"), ("1/4", 1)
    for noise, n_rounds in ((Fraction(0), 200), (Fraction(1, 2), 2)):
        best = best_recursion(sequential, curved, n_rounds, Fraction(2), Fraction(1), noise, ratios, **given)
        more = {"noise_std": noise} if noise else {}
        own = [
            recursion(sequential, curved, initial_distance=2 * Fraction(r), heterogeneity_at_optimum=1, **more, **given)
            for r in ratios
        ]
        assert (best.noise is None) == (not noise)
        ends = [one.after(n_rounds, Fraction(2), Fraction(1), noise) for one in own]
        assert best.after(n_rounds, Fraction(2), Fraction(1), noise) == min(ends) < max(ends)
        assert best.refused() is None
        assert replace(best, spread=best.spread * 2).refused() == "the coefficients are others"
    told = descent(sequential, curved, "1/12", initial_distance=1, heterogeneity_at_optimum=1, **given)
    assert told.refused() is None
    assert replace(told, spread=told.spread * 2).refused() == "the coefficients are others"
    assert told.after(5, Fraction(-2), Fraction(3)) == (Fraction(4, 5) + told.spread * 9) * 12
    with pytest.raises(ValueError, match="proved without noise"):
        told.after(5, Fraction(2), Fraction(3), Fraction(1))
