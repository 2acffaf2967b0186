"""Noise by its variance: what is proved of all of it, what is attained by signs in a coordinate of their own, what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

from fltheory import Algorithm, Case
from fltheory.evidence.exact import exact_rational
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.beside import WithNoisyCoordinate
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.worst_case import certificate as certificates
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.one_round import descent, recursion
from fltheory.worst_case.problem import APART, NOISE, Problem
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.symmetry_reduction import WholeFrame, frame
from fltheory.worst_case.symmetry_reduction.permutations import symmetry
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket

CURVED = Smooth(1, "1/10")
KNOWN: dict[str, Any] = {"step_size": "1/10", "initial_distance": 1, "noise_std": 1}


def bracket_of(method: Algorithm, n_clients: int, n_local_steps: int, measure: Any = None) -> Bracket:
    differ = {"heterogeneity_at_optimum": 1} if n_clients > 1 else {}
    sizes = {"n_clients": n_clients, "n_local_steps": n_local_steps, **differ}
    return worst_case(method, CURVED, measure or LastDistance(), **KNOWN, **sizes)


def problem(method: Algorithm, n_clients: int, n_local_steps: int) -> Problem:
    sizes = {"n_clients": n_clients, "n_local_steps": n_local_steps, "heterogeneity_at_optimum": 1}
    return problem_of(question(method, CURVED, LastDistance(), **KNOWN, **sizes))


def test_one_noisy_step_is_known_in_closed_form() -> None:
    """(1 - eta mu)^2 D^2 + eta^2 sigma^2."""
    found = bracket_of(sequential, 1, 1)
    exact = Fraction(99, 100) ** 2 + Fraction(1, 100)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= exact <= found.upper < found.lower + Fraction(1, 1_000_000)


@pytest.mark.parametrize("method", [sequential, parallel])
@pytest.mark.parametrize("measure", [LastDistance(), LastGap()])
@pytest.mark.parametrize(("n_clients", "n_local_steps"), [(1, 3), (2, 1), (2, 2)])
def test_both_ends_are_near(method: Algorithm, measure: Any, n_clients: int, n_local_steps: int) -> None:
    found = bracket_of(method, n_clients, n_local_steps, measure)
    assert found.lower is not None
    assert found.upper is not None
    assert found.is_reproduced
    assert found.lower <= found.upper < found.lower + Fraction(3, 1000)
    assert why_not_proved(found) is None
    assert found.case is not None
    assert exact_rational(measure, method, found.case) is not None
    without = replace(found.question, settings=tuple(s for s in found.question.settings if s[0] != "noise_std"))
    assert why_not_proved(replace(found, question=without)) is not None


@pytest.mark.parametrize("method", [sequential, parallel])
def test_noisy_quadratic_clients_keep_below(method: Algorithm) -> None:
    upper = bracket_of(method, 2, 2).upper
    assert upper is not None
    for curvatures in ((1, 1), (1, "1/10"), ("1/10", "1/10"), ("1/2", 1)):
        slope = Fraction(1)
        best = -slope * 0
        clients = QuadraticClients(curvatures, (slope, -slope), start=best, noise_std=1)
        clients = replace(clients, start=(clients.minimiser[0] + 1,))
        differ = max(v for s, v in clients.constants.items() if s.name == "heterogeneity_at_optimum")
        clients = QuadraticClients(curvatures, (slope / differ, -slope / differ), start=0, noise_std=1)
        clients = replace(clients, start=(clients.minimiser[0] + 1,))
        found = exact_rational(LastDistance(), method, Case(clients, n_rounds=1, n_local_steps=2, step_size="1/10"))
        assert found is not None
        assert found.value <= upper


@pytest.mark.parametrize(("method", "sizes"), [(sequential, (3, 1)), (sequential, (2, 2)), (parallel, (5, 2))])
def test_what_is_proved_in_blocks_is_proved_whole(method: Algorithm, sizes: tuple[int, int]) -> None:
    found = bracket_of(method, *sizes)
    told = problem(method, *sizes)
    same = symmetry(told)
    assert found.certificate is not None
    assert same is not None
    own = frame(told)
    whole = found.certificate if isinstance(own, WholeFrame) else certificates.without_symmetry(found.certificate, same)
    assert len(whole.multipliers) > 1 or isinstance(own, WholeFrame)
    assert certificates.why_invalid(told, whole, WholeFrame(told)) is None
    tampered = replace(whole, upper=whole.upper * fmpq(9999, 10000))
    assert certificates.why_invalid(told, tampered, WholeFrame(told)) is not None


def test_what_depends_on_noise_is_not_apart_from_it() -> None:
    told = problem(sequential, 2, 2)
    record = told.record
    assert any(told.noises)
    for _, i in record.drawn:
        later = [j for key, j in record.asked if any(index == i for index, _ in key.point)]
        assert not set(later) & told.noises[i]
        assert {0, 1, 2} <= told.noises[i]
        assert {j for _, j in record.drawn if j != i} <= told.noises[i]
        for j in later:
            with pytest.raises(KeyError):
                told.limit((APART, i, j))


def test_certificates_with_a_label_that_is_none_are_refused() -> None:
    found = bracket_of(sequential, 2, 2)
    told = problem(sequential, 2, 2)
    assert found.certificate is not None
    noise, asked = next(
        (i, j) for _, i in told.record.drawn for key, j in told.record.asked if any(i == k for k, _ in key.point)
    )
    for label in ((APART, noise, asked), (APART, asked, noise), (NOISE, asked), (NOISE, "1"), (APART, noise)):
        tampered = replace(found.certificate, multipliers=(*found.certificate.multipliers, (label, fmpq(1))))
        assert "no limit" in str(certificates.why_invalid(told, tampered, frame(told)))
    negative = replace(found.certificate, multipliers=(*found.certificate.multipliers, ((NOISE, noise), fmpq(-1))))
    assert "negative" in str(certificates.why_invalid(told, negative, frame(told)))


@pytest.mark.parametrize("method", [sequential, parallel])
def test_less_noise_than_the_recursion_has_is_too_little(method: Algorithm) -> None:
    """Its coefficient is at least eta^2 / M of PFL's, or eta^2 M of SFL's steps, contracted by what flat clients contract."""
    sizes = {"n_clients": 2, "n_local_steps": 1, "step_size": "1/12"}
    found = recursion(method, CURVED, initial_distance=1, heterogeneity_at_optimum=1, noise_std=1, **sizes)
    assert found.refused() is None
    assert found.noise is not None
    flat = 1 - Fraction(1, 120)
    exact = Fraction(1, 144) * ((1 + flat**2) if method is sequential else Fraction(1, 2))
    assert exact <= found.noise < exact + Fraction(1, 100_000)
    assert replace(found, noise=found.noise / 2).refused() is not None
    assert replace(found, noise=None).refused() is not None
    silent = recursion(method, CURVED, initial_distance=1, heterogeneity_at_optimum=1, **sizes)
    assert silent.noise is None
    assert silent.after(3, Fraction(1), Fraction(1)) < found.after(3, Fraction(1), Fraction(1), Fraction(1))
    with pytest.raises(ValueError, match="without noise"):
        silent.after(3, Fraction(1), Fraction(1), Fraction(1))


def test_all_three_terms_of_the_general_convex_rate() -> None:
    """At eta_eff = 1/(6L): 3 D^2/(eta_eff R), 3 eta_eff sigma^2 / (M K) and 18 of Theorem 3 become 0.75, 0.8 and 0.07."""
    step, n_clients, n_local_steps = Fraction(1, 6), 2, 2
    sizes = {"n_clients": n_clients, "n_local_steps": n_local_steps, "step_size": "1/24"}
    found = descent(sequential, Smooth(1), "2/9", **sizes, heterogeneity_at_optimum=1, noise_std=1)
    assert found.refused() is None
    assert found.noise is not None
    assert step / found.gain == Fraction(3, 4)
    of_noise = found.noise / found.gain * n_clients * n_local_steps / step
    assert Fraction(1, 2) < of_noise < 1
    assert found.spread / found.gain * n_clients / step**2 < Fraction(1, 10)


def twice_the_same(x: Any, oracle: Any, c: Any) -> Any:
    y = x - c.step_size * oracle.gradient(x, 0)
    return y - c.step_size * oracle.gradient(y, 0)


def the_mean_of_two(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * (oracle.gradient(x, 0, 0) + oracle.gradient(x, 0, 1)) / 2


def once_asked_twice(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * (oracle.gradient(x, 0) + oracle.gradient(x, 0)) / 2


def test_noise_is_drawn_once_for_a_local_step() -> None:
    """The same noise at two points is more than a variance tells; at one point it is the same, and averages with others."""
    settings = {**KNOWN, "step_size": "1/10"}
    with pytest.raises(OutOfReach, match="two points with the same noise"):
        worst_case(Algorithm("same", twice_the_same), CURVED, LastDistance(), **settings)
    quiet = Fraction(99, 100) ** 2
    for step, part in ((the_mean_of_two, Fraction(1, 200)), (once_asked_twice, Fraction(1, 100))):
        found = worst_case(Algorithm("twice", step), CURVED, LastDistance(), **settings)
        assert found.upper is not None
        assert found.lower is not None
        assert found.lower <= quiet + part <= found.upper < found.lower + Fraction(1, 1_000_000)


HUBER = InterpolatedClients(points=((0, 2),), gradients=((0, 1),), values=((0, "3/2"),), start=2)


def test_clients_with_noise_beside_are_what_they_say() -> None:
    noisy = WithNoisyCoordinate(HUBER, "1/2", 3)
    assert eval(repr(noisy)) == noisy
    known = {s.name: v for s, v in noisy.constants.items()}
    assert (known["noise_std"], known["dimension"], known["initial_distance"]) == (3, 2, 2)
    assert (noisy.start, noisy.minimiser, noisy.noise_std) == ((2, 0), (0, 0), (0, 3))
    with pytest.raises(ValueError, match="curvature"):
        WithNoisyCoordinate(HUBER, 2, 3)
    with pytest.raises(ValueError, match="std"):
        WithNoisyCoordinate(HUBER, 1, 0)
