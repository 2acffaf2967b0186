"""Runs too long to be followed whole: chained from certificates of single rounds, attained by quadratic clients."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from fltheory import Algorithm
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure
from fltheory.worst_case import many_rounds
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.many_rounds import (
    Coefficients,
    chain_upper,
    coefficients,
    distance_after,
    power_rounded_up,
    prove_links,
    root_rounded_up,
)
from fltheory.worst_case.measures import ConstrainedQuantity, LastGradient
from fltheory.worst_case.one_round import recursion
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import bracket, why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket, bracket_run, why_run_unproved
from tests.test_examples import example
from tests.typed import Run

CURVED = Smooth(1, "1/10")
EVENLY = AveragedGap(sympy.Integer(1))
FADING = AveragedGap(sympy.Rational(119, 120))
MEASURES: tuple[Measure, ...] = (EVENLY, FADING, LastDistance(), LastGap(), LeastGradient())
SETTINGS: dict[str, Any] = {
    "n_clients": 2,
    "n_local_steps": 1,
    "step_size": "1/12",
    "initial_distance": 1,
    "heterogeneity_at_optimum": 1,
}


def descent(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * oracle.gradient(x, 0)


def noisy(measure: Measure, n_rounds: int) -> Bracket:
    """Gradient descent with noise."""
    settings: dict[str, Any] = {"step_size": "1/2", "initial_distance": 1, "noise_std": "1/3", "n_rounds": n_rounds}
    return worst_case(Algorithm("descent", descent), CURVED, measure, **settings)


@pytest.mark.parametrize("n_rounds", [100, 800])
def test_descent_with_noise_is_known_for_every_run(n_rounds: int) -> None:
    found = noisy(LastDistance(), n_rounds)
    assert found.links
    assert why_not_proved(found) is None
    kept = Fraction(19, 20) ** 2
    exactly = kept**n_rounds + Fraction(1, 36) * (1 - kept**n_rounds) / (1 - kept)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= exactly <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**5)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("noise", [0, 1])
def test_a_chain_is_never_below_a_run_followed_whole(measure: Measure, noise: int) -> None:
    settings = {**SETTINGS, "noise_std": noise} if noise else SETTINGS
    for n_rounds in (1, 2):
        asked = question(sequential, CURVED, measure, **settings, n_rounds=n_rounds)
        whole = bracket_run(asked, attain=False)
        links = prove_links(asked)
        upper = chain_upper(asked, links)
        assert why_not_proved(Bracket(asked, None, upper, None, None, links=links)) is None
        assert whole.upper is not None
        assert upper >= whole.upper - Fraction(1, 10**6)
        if n_rounds == 1 and measure == LastDistance():
            assert upper <= whole.upper + Fraction(1, 10**6)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("method", [sequential, parallel], ids=lambda m: m.name)
def test_both_ends_of_long_runs(measure: Measure, method: Algorithm) -> None:
    for n_rounds, noise in ((300, {}), (10**9, {"noise_std": "1/2"})):
        found = worst_case(method, CURVED, measure, **SETTINGS, n_rounds=n_rounds, **noise)
        assert why_not_proved(found) is None
        assert found.lower is not None
        assert found.upper is not None
        assert found.case is not None
        assert 0 < found.lower <= found.upper


def test_more_rounds_come_nearer() -> None:
    uppers = [noisy(EVENLY, n).upper or 0 for n in (100, 300, 1000)]
    assert all(more < fewer for fewer, more in itertools.pairwise(uppers))


def tampered(found: Bracket) -> list[Bracket]:
    """Brackets that their links do not prove."""
    (link,) = found.links
    assert link.certificate is not None
    assert found.upper is not None
    multipliers, problem = link.certificate.multipliers, problem_of(link.question)

    def having(**changes: Any) -> Bracket:
        return replace(found, links=(replace(link, **changes),))

    def weighed(i: int, factor: int) -> Bracket:
        label, c = multipliers[i]
        other = (*multipliers[:i], (label, c * factor), *multipliers[i + 1 :])
        assert link.certificate is not None
        upper = link.certificate.upper - c * (factor - 1) * problem.limit(label).constant
        new = replace(found, links=(replace(link, certificate=Certificate(upper, other)),))
        return replace(new, upper=chain_upper(found.question, new.links))

    return [
        replace(found, upper=found.upper * Fraction(999, 1000)),
        replace(found, links=(link, link)),
        having(question=replace(link.question, functions=Smooth(1, "1/5"))),
        having(question=replace(link.question, method=fixed_order)),
        having(question=replace(link.question, measure=LastGap())),
        having(
            question=replace(
                link.question, settings=tuple((n, v / 2 if n == "step_size" else v) for n, v in link.question.settings)
            )
        ),
        *(weighed(i, 0) for i in range(len(multipliers))),
        *(weighed(i, -1) for i in range(len(multipliers))),
    ]


@pytest.mark.parametrize("measure", [EVENLY, LastDistance()], ids=lambda m: type(m).__name__)
def test_what_the_links_do_not_prove_is_refused(measure: Measure) -> None:
    found = worst_case(sequential, CURVED, measure, **SETTINGS, n_rounds=1000)
    assert why_not_proved(found) is None
    changed = tampered(found)
    assert len(changed) > 20
    assert all(why_not_proved(one) is not None for one in changed)


def test_a_round_that_knows_more_does_not_chain() -> None:
    """Its multipliers of other limits would be left out of the sum."""
    found = worst_case(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=1, max_heterogeneity=1)
    with pytest.raises(OutOfReach, match="rests on max_heterogeneity"):
        coefficients(found)
    with pytest.raises(OutOfReach, match="chain from initial_distance"):
        worst_case(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=1000, max_heterogeneity=1)


def test_a_round_without_noise_proves_nothing_with_it() -> None:
    quiet = worst_case(sequential, CURVED, EVENLY, **SETTINGS, n_rounds=1000)
    asked = question(sequential, CURVED, EVENLY, **SETTINGS, n_rounds=1000, noise_std=1)
    assert "without noise" in str(why_not_proved(replace(quiet, question=asked)))


def test_what_remembers_is_not_chained() -> None:
    momentum = example("server_momentum").claim.algorithm
    with pytest.raises(OutOfReach, match=r"not followed whole; nor .* remembers more than its points"):
        worst_case(momentum, CURVED, LastDistance(), **SETTINGS, n_rounds=1000)


def test_what_looks_at_its_round_is_not_chained() -> None:
    def fading(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size / (c.round + 1) * oracle.gradient(x, 0)

    settings: dict[str, Any] = {"step_size": "1/2", "initial_distance": 1, "n_rounds": 1000}
    with pytest.raises(OutOfReach, match="uses the number of its round"):
        worst_case(Algorithm("fading", fading), CURVED, LastDistance(), **settings)


@pytest.mark.parametrize(("base", "exponent"), [("3/7", 10), ("119/120", 40_000), ("121/120", 40_000), ("1/2", 10**6)])
def test_powers_are_rounded_up(base: str, exponent: int) -> None:
    exactly, found = Fraction(base) ** exponent, power_rounded_up(Fraction(base), exponent)
    assert exactly <= found
    assert found - exactly <= exactly / 10**9 + Fraction(1, 2**10_000)


@pytest.mark.parametrize("square", [0, 1, 4, Fraction(1, 9), 2, Fraction(5, 7)])
def test_roots_are_rounded_up(square: Fraction) -> None:
    assert 0 <= root_rounded_up(square) ** 2 - square < Fraction(1, 10**11)


@pytest.mark.parametrize("start", ["1/2", "1", "101/100"])
def test_a_recursion_is_its_rounds_one_after_another(start: str) -> None:
    one = Coefficients(Fraction(start), Fraction(1, 3), Fraction(1, 5))
    distance = Fraction(4)
    for _ in range(7):
        distance = one.total(distance, Fraction(2), Fraction(1))
    assert distance_after(one, 7, Fraction(2), Fraction(2), Fraction(1)) == distance


def test_the_coefficients_of_descent_are_the_textbook_ones() -> None:
    found = noisy(LastDistance(), 200)
    one = coefficients(found.links[0])
    assert float(one.start) == pytest.approx(0.95**2, abs=1e-6)
    assert one.noise is not None
    assert float(one.noise) == pytest.approx(0.25, abs=1e-5)


def test_descent_on_rough_functions_with_noise_is_the_textbook_s() -> None:
    """min E|grad F|^2 <= (2 D / (eta (R + 1)) + L eta sigma^2) / (2 - L eta) for gap D at first: Ghadimi and Lan 2013."""
    eta, sigma, n_rounds = Fraction(1, 6), Fraction(1, 2), 999
    settings: dict[str, Any] = {"step_size": eta, "initial_gap": 3, "noise_std": sigma, "n_rounds": n_rounds}
    found = worst_case(Algorithm("descent", descent), NonConvex(1), LeastGradient(), **settings)
    assert why_not_proved(found) is None
    assert found.lower is not None
    assert found.upper is not None
    textbook = (Fraction(2 * 3) / (eta * (n_rounds + 1)) + eta * sigma**2) / (2 - eta)
    assert found.lower <= found.upper
    assert found.upper == pytest.approx(float(textbook), rel=1e-4)
    assert found.lower == pytest.approx(float(eta * sigma**2 / (2 - eta)), rel=1e-3)


@pytest.mark.parametrize("method", [sequential, parallel], ids=lambda m: m.name)
def test_rough_clients_that_differ_everywhere(method: Algorithm) -> None:
    settings: dict[str, Any] = {
        "n_clients": 2,
        "n_local_steps": 1,
        "step_size": "1/12",
        "initial_gap": 1,
        "heterogeneity": 1,
    }
    found = worst_case(method, NonConvex(1), LeastGradient(), **settings, n_rounds=500, noise_std="1/2")
    assert why_not_proved(found) is None
    assert 0 < (found.lower or 0) < (found.upper or 0)
    for n_rounds in (1, 2):
        asked = question(method, NonConvex(1), LeastGradient(), **settings, n_rounds=n_rounds)
        whole = bracket_run(asked, attain=False).upper
        assert whole is not None
        assert chain_upper(asked, prove_links(asked)) >= whole - Fraction(1, 10**5)
    assert all(why_not_proved(one) is not None for one in tampered(found)[:6])


def test_what_is_proved_of_clients_alike_is_no_link() -> None:
    """Limits that are 0 say of a link what is not so of others, whatever their multipliers."""
    settings = {**SETTINGS, "heterogeneity_at_optimum": 0}
    link = bracket_run(question(sequential, CURVED, LastDistance(), **settings, n_rounds=1))
    assert why_run_unproved(link) is None
    assert why_run_unproved(link, whatever=True) is not None
    asked = question(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=500)
    assert why_not_proved(Bracket(asked, None, Fraction(1), None, None, links=(link,))) is not None


def test_a_claim_for_thousands_of_rounds(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "worst.json"
    at = ("M=2", "K=2", "R=5000", "L=1", "D=1", "zeta_star=1", "eta=1/24", "sigma=1/2")
    status, out, _ = run("worst", "sfl/T3-GC@printed", "--set", *at, "--json", path)
    assert status == 0
    assert "holds for every instance of the class" in out
    row = json.loads(path.read_text())
    assert len(row["links"]) == 1
    assert run("worst", "sfl/T3-GC@printed", "--check", path)[1].startswith("proved\n")
    row["upper"] = str(Fraction(row["upper"]) / 2)
    path.write_text(json.dumps(row))
    assert run("worst", "sfl/T3-GC@printed", "--check", path)[0] == 1
    row["links"] = []
    path.write_text(json.dumps(row))
    status, _, err = run("worst", "sfl/T3-GC@printed", "--check", path)
    assert status == 2
    assert "expected 1 rounds, got 0" in err


def test_a_false_bound_is_refuted_for_thousands_of_rounds() -> None:
    found = bracket(question(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=3000, noise_std=1))
    assert found.case is not None
    assert found.is_reproduced
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower > found.upper / 2


def shorter_steps(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size / c.n_rounds * oracle.gradient(x, 0)


def steps_by_distance(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * c.get("initial_distance", 1) * oracle.gradient(x, 0)


@pytest.mark.parametrize(("step", "name"), [(shorter_steps, "n_rounds"), (steps_by_distance, "initial_distance")])
@pytest.mark.parametrize("measure", [EVENLY, LastDistance(), LastGap()], ids=lambda m: type(m).__name__)
def test_a_round_that_depends_on_the_run_is_not_chained(step: Any, name: str, measure: Measure) -> None:
    """One round of it would be another than those of the run."""
    settings: dict[str, Any] = {"step_size": "1/2", "initial_distance": 1}
    with pytest.raises(OutOfReach, match=f"reads {name}, which a step on unknown functions can't know"):
        worst_case(Algorithm("mine", step), CURVED, measure, **settings, n_rounds=500)
    if name == "n_rounds":  # known of a run that is followed whole; how far a start is at most is not how far one is
        assert worst_case(Algorithm("mine", step), CURVED, measure, **settings, n_rounds=2).upper is not None
    with pytest.raises(OutOfReach, match=name):
        recursion(Algorithm("mine", step), CURVED, **settings)


def test_a_step_that_counts_by_itself_is_not_chained() -> None:
    calls = list[int]()

    def counting(x: Any, oracle: Any, c: Any) -> Any:
        calls.append(1)
        return x - c.step_size / len(calls) * oracle.gradient(x, 0)

    settings: dict[str, Any] = {"step_size": "1/2", "initial_distance": 1, "n_rounds": 500}
    with pytest.raises(OutOfReach, match="behaves otherwise when it is repeated with more"):
        worst_case(Algorithm("counting", counting), CURVED, LastDistance(), **settings)


def test_powers_beyond_what_is_exact() -> None:
    """One that grows out of all numbers is refused; one that falls below all is a small number above it, and 1 stays 1."""
    with pytest.raises(OutOfReach, match="grows too large for exact arithmetic"):
        power_rounded_up(Fraction(2), 10**40)
    assert power_rounded_up(Fraction(1, 2), 10**40) == Fraction(1, 2**20_000)
    assert power_rounded_up(Fraction(1), 10**3) == 1
    assert power_rounded_up(Fraction(2), 10_000) == 2**10_000  # 2 bits, so many times, are just still exact
    assert power_rounded_up(Fraction(2, 3), 10_000) == Fraction(2, 3) ** 10_000
    assert power_rounded_up(Fraction(2, 3), 10_001) > Fraction(2, 3) ** 10_001


@pytest.mark.parametrize("start", ["1/2", "999/1000", "1", "1001/1000"])
def test_a_long_recursion_is_bounded_by_its_rounds(start: str) -> None:
    """Its geometric sum is at most that of all rounds to come, and near it where the powers have died out."""
    one, n_rounds = Coefficients(Fraction(start), Fraction(1, 3), Fraction(1, 5)), 30_000
    found = distance_after(one, n_rounds, Fraction(2), Fraction(3), Fraction(1, 2))
    base, each = float(one.start), 9 / 3 + 1 / 20
    rounds = n_rounds if base == 1 else (base**n_rounds - 1) / (base - 1)
    assert float(found) == pytest.approx(base**n_rounds * 4 + each * rounds, rel=1e-9)
    if base < 1:
        assert found >= Fraction(61, 20) / (1 - one.start)
    assert distance_after(one, 0, Fraction(-2), Fraction(3), Fraction(1)) == 4


def test_the_total_of_a_round() -> None:
    quiet, noisy_one = (Coefficients(Fraction(2), Fraction(3), noise) for noise in (None, Fraction(5)))
    assert quiet.total(Fraction(7), Fraction(-2)) == 2 * 7 + 3 * 4
    assert noisy_one.total(Fraction(7), Fraction(-2), Fraction(1, 2)) == 2 * 7 + 3 * 4 + Fraction(5, 4)
    with pytest.raises(ValueError, match="proved without noise"):
        quiet.total(Fraction(7), Fraction(-2), Fraction(1, 2))


def test_recursions_go_to_the_fixed_point_of_the_one_before() -> None:
    """The next is tight where the rounds of the one before end: x^2 = a x^2 + b."""
    asked = question(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=1000)
    found = list(many_rounds._recursions(asked))
    assert 2 <= len(found) <= many_rounds.MAX_TANGENTS
    for before, after in itertools.pairwise(found):
        own = coefficients(before)
        at = dict(after.question.settings)["initial_distance"]
        assert float(at) ** 2 == pytest.approx(float(own.total(Fraction(0), Fraction(1)) / (1 - own.start)), rel=1e-6)
    assert dict(found[0].question.settings)["initial_distance"] == 1
    assert dict(found[0].question.settings)["n_rounds"] == 1


@pytest.mark.parametrize(("decay", "n_rounds"), [("1", 4), ("2/3", 4), ("1/7", 1)])
def test_the_least_fall_of_a_round(decay: str, n_rounds: int) -> None:
    """D^2 over the sum of decay^-(r + 1) for r = 0..R: as much as it falls at least once, weighed so."""
    rounds: dict[str, Any] = {**SETTINGS, "initial_distance": "3/2", "n_rounds": n_rounds}
    asked = question(sequential, CURVED, AveragedGap(sympy.Rational(decay)), **rounds)
    weights = [Fraction(decay) ** -(r + 1) for r in range(n_rounds + 1)]
    exactly = Fraction(9, 4) / sum(weights)
    assert many_rounds._fall(asked) == exactly
    one = many_rounds.one_round_question(asked)
    assert isinstance(one.measure, ConstrainedQuantity)
    assert 0 <= one.measure.fall - exactly <= Fraction(1, 10**12)
    assert one.alone
    assert not one.measure.of_height
    assert "initial_distance" not in dict(one.settings)


def test_what_limits_clients_in_a_chain() -> None:
    asked = question(sequential, CURVED, EVENLY, **SETTINGS, n_rounds=9, noise_std="1/3")
    assert many_rounds.client_limits(asked) == (1, 1, Fraction(1, 3))
    quiet = question(Algorithm("descent", descent), CURVED, EVENLY, step_size=1, initial_distance="1/2")
    assert many_rounds.client_limits(quiet) == (Fraction(1, 2), 0, 0)
    rough = question(sequential, NonConvex(1), LeastGradient(), **{**ROUGH, "heterogeneity": "2/3"})
    assert many_rounds.client_limits(rough) == (0, Fraction(2, 3), 0)
    assert many_rounds._start_value(rough) == 3  # a height, not squared
    assert many_rounds._start_value(quiet) == Fraction(1, 4)
    with pytest.raises(OutOfReach, match="weights that fall by 2 a round do not chain"):
        many_rounds._fall(replace(quiet, measure=AveragedGap(sympy.Integer(2))))
    with pytest.raises(OutOfReach, match="does not chain from single rounds"):
        many_rounds.one_round_question(replace(quiet, measure=LastGradient()))
    with pytest.raises(OutOfReach, match="functions, convex or not, does not chain from single rounds"):
        prove_links(replace(rough, measure=LastGap()))


ROUGH: dict[str, Any] = {"n_clients": 2, "n_local_steps": 1, "step_size": "1/12", "initial_gap": 3}


@pytest.mark.parametrize(
    ("percent", "tangents"), [("99/100", 1), ("1", many_rounds.MAX_TANGENTS), ("2", many_rounds.MAX_TANGENTS)]
)
def test_recursions_end_where_the_distance_changes_by_less_than_a_percent(
    percent: str, tangents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(sequential, CURVED, LastDistance(), **SETTINGS, n_rounds=1000)
    monkeypatch.setattr(many_rounds, "_prove_round", lambda one: dict(one.settings)["initial_distance"])
    grown = 1 + Fraction(percent) / 100
    monkeypatch.setattr(many_rounds, "root_rounded_up", lambda square: square)
    monkeypatch.setattr(
        many_rounds, "coefficients", lambda before: SimpleNamespace(start=0, total=lambda *given: before * grown)
    )
    found = list(many_rounds._recursions(asked))
    assert found == [grown**k for k in range(tangents)]
