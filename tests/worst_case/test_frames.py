"""Forms in blocks: nonnegative exactly where the whole averaged form is, by random forms; frames are chosen where they fit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory.number.linear import is_semidefinite, nearby_solution
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.symbols import strong_convexity
from fltheory.worst_case import symmetry_reduction
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.gram import Expression, combine_expressions, square
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.problem import Problem
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symbolic_run import START_INDEX
from fltheory.worst_case.symmetry_reduction import BlockFrame, Frame, WholeFrame
from fltheory.worst_case.symmetry_reduction.permutations import (
    image_of_value,
    partitions,
    representation_dimension,
    symmetry,
    young_symmetriser,
)
from fltheory.worst_case.symmetry_reduction.separate_clients import AgentFrame, agent_frame
from fltheory.worst_case.two_sided import bracket, why_not_proved

FLAT, CURVED = Smooth(1), Smooth(1, "1/10")
APART = replace(parallel, ordered=False)


def problem(method: Algorithm, n_clients: int, n_local_steps: int = 1) -> Problem:
    return problem_of(
        question(
            method,
            CURVED,
            LastDistance(),
            n_clients=n_clients,
            n_local_steps=n_local_steps,
            step_size="1/10",
            initial_distance=1,
            heterogeneity_at_optimum=1,
        )
    )


def averaged(of: Problem, expression: Expression) -> Expression:
    """Over all permutations of the clients, one by one."""
    same = symmetry(of)
    assert same is not None
    found = []
    for image in same.images:
        products: dict[tuple[int, int], fmpq] = {}
        for (i, j), c in expression.products.items():
            a, b = sorted((int(image[i]), int(image[j])))
            products[a, b] = products.get((a, b), fmpq(0)) + c
        found.append((fmpq(1, len(same.images)), Expression(products)))
    return combine_expressions(*found)


def random_form(of: Problem, seed: int) -> Expression:
    """A multiple of the squares of the basis less a random square, both of vectors that depend on differences of the h."""
    draw = np.random.default_rng(seed)
    n = of.n_clients
    numbers = draw.integers(-2, 3, of.size)
    numbers[1] -= numbers[1 : n + 1].sum()
    less = square(tuple((i, fmpq(int(c))) for i, c in enumerate(numbers) if c))
    squares = [square(((i, fmpq(1)),)) for i in range(of.size) if not 1 <= i <= n]
    squares += [square(((m, fmpq(1)), (m + 1, fmpq(-1)))) for m in range(1, n)]
    weight = fmpq(int(draw.integers(1, 400)), 8)
    return combine_expressions(*((weight, one) for one in squares), (fmpq(-1), less))


@pytest.mark.parametrize(("method", "n_clients"), [(sequential, 2), (sequential, 3), (APART, 3), (APART, 4)])
def test_blocks_tell_whether_the_whole_form_is_nonnegative(method: Algorithm, n_clients: int) -> None:
    of = problem(method, n_clients)
    same = symmetry(of)
    assert same is not None
    ways: list[Frame] = [BlockFrame(of, same)]
    apart = agent_frame(of)
    assert (apart is not None) == (method is APART or n_clients == 2)  # two clients are two agents
    ways += [apart] if apart is not None else []
    told = set()
    for seed in range(40):
        form = random_form(of, seed)
        (whole,) = WholeFrame(of).matrices(averaged(of, form))
        expected = is_semidefinite(whole)
        told.add(expected)
        for way in ways:
            assert all(is_semidefinite(m) for m in way.matrices(form)) == expected
    assert told == {True, False}


@pytest.mark.parametrize("n_clients", [2, 3])
def test_frames_agree_about_parallel_clients(n_clients: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question(
        APART,
        CURVED,
        LastDistance(),
        n_clients=n_clients,
        n_local_steps=2,
        step_size="1/10",
        initial_distance=1,
        heterogeneity_at_optimum=1,
    )
    found = [bracket(asked)]
    monkeypatch.setattr(symmetry_reduction, "MIN_BLOCK_SIZE", 2)
    assert isinstance(symmetry_reduction.frame(problem_of(asked)), AgentFrame)
    found.append(bracket(asked))
    monkeypatch.setattr(symmetry_reduction, "agent_frame", lambda problem: None)
    assert isinstance(symmetry_reduction.frame(problem_of(asked)), BlockFrame)
    found.append(bracket(asked))
    lower, upper = max(f.lower or 0 for f in found), min(f.upper or 9 for f in found)
    assert lower <= upper < lower + Fraction(1, 10**6)


def test_sixty_four_parallel_clients() -> None:
    """As bad as two: clients that never meet are two agents."""
    settings: dict[str, Any] = {"step_size": "1/10", "initial_distance": 1, "heterogeneity_at_optimum": 1}
    many, two = (
        bracket(question(APART, CURVED, LastDistance(), n_clients=n, n_local_steps=4, **settings), attain=False)
        for n in (64, 2)
    )
    assert why_not_proved(many) is None
    assert many.upper is not None
    assert two.upper is not None
    assert abs(many.upper - two.upper) < Fraction(1, 10**5)
    assert many.certificate is not None
    lowered = replace(many.certificate, upper=many.certificate.upper - fmpq(1, 1000))
    assert why_not_proved(replace(many, certificate=lowered, upper=many.upper - Fraction(1, 1000))) is not None


def test_who_meets_is_not_apart() -> None:
    assert agent_frame(problem(sequential, 3)) is None
    assert agent_frame(problem(fixed_order, 3)) is None
    assert isinstance(symmetry_reduction.frame(problem(fixed_order, 3, 8)), WholeFrame)


@pytest.mark.parametrize("functions", [FLAT, CURVED, Quadratic(1), Quadratic(1, "1/10")])
@pytest.mark.parametrize("kept", ["1", "1/2"])
@pytest.mark.parametrize("noise", [{}, {"noise_std": 1}])
def test_a_start_is_free_where_no_limit_holds_its_square(
    functions: FunctionClass, kept: str, noise: dict[str, int]
) -> None:
    """All limits tell it, of which one of each sort was looked at."""
    sizes: dict[str, Any] = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/10", "heterogeneity_at_optimum": 1}
    growth = RoundGrowth(sympy.Rational(2, 9), sympy.Rational(kept))
    found = problem_of(question(sequential, functions, growth, **sizes, **noise))
    limits = [replace(found, free=False).limit(label) for label in found.labels()]
    held = any((START_INDEX, START_INDEX) in expression.products for expression in (found.objective, *limits))
    assert found.free == (not held)
    assert found.free == (kept == "1" and not functions.constants[strong_convexity])


def test_irreducible_representations() -> None:
    """Their dimensions' squares sum to n!; a symmetriser's square is a multiple of itself."""
    for n in range(1, 7):
        assert sum(representation_dimension(shape) ** 2 for shape in partitions(n)) == math.factorial(n)
    for shape in partitions(4):
        once = young_symmetriser(shape)
        twice: dict[tuple[int, ...], int] = {}
        for p, a in once.items():
            for q, b in once.items():
                product = tuple(p[q[i]] for i in range(4))
                twice[product] = twice.get(product, 0) + a * b
        multiple = math.factorial(4) // representation_dimension(shape)
        assert {p: c for p, c in twice.items() if c} == {p: multiple * c for p, c in once.items() if c}


def test_semidefinite_matrices() -> None:
    assert is_semidefinite([[fmpq(1), fmpq(1)], [fmpq(1), fmpq(1)]])
    assert is_semidefinite([[fmpq(0), fmpq(0)], [fmpq(0), fmpq(2)]])
    assert not is_semidefinite([[fmpq(0), fmpq(1)], [fmpq(1), fmpq(2)]])
    assert not is_semidefinite([[fmpq(1), fmpq(2)], [fmpq(2), fmpq(1)]])
    assert not is_semidefinite([[fmpq(1), fmpq(0)], [fmpq(0), fmpq(-1, 10**30)]])


def by_pivots(matrix: list[list[fmpq]]) -> bool:
    """By LDL^T: a zero pivot must have a zero row."""
    rows, left = [list(row) for row in matrix], list(range(len(matrix)))
    while left:
        pivot = left.pop()
        p = rows[pivot][pivot]
        if p < 0 or (p == 0 and any(rows[pivot][j] != 0 for j in left)):
            return False
        for i in left if p != 0 else ():
            factor = rows[i][pivot] / p
            for j in left:
                rows[i][j] -= factor * rows[pivot][j]
    return True


@pytest.mark.parametrize("size", [0, 1, 2, 5, 9])
def test_eigenvalues_and_pivots_tell_the_same(size: int) -> None:
    """Of squares of few vectors, less a little on the diagonal, or nothing."""
    told = set()
    for seed in range(60):
        draw = np.random.default_rng(seed)
        vectors = draw.integers(-3, 4, (int(draw.integers(0, size + 1)), size))
        off = np.diag(draw.integers(0, 2, size) * int(draw.integers(0, 2)))
        whole = (vectors.T @ vectors * 7 - off).tolist()
        matrix = [[fmpq(c, (i + 1) * (j + 1)) for j, c in enumerate(row)] for i, row in enumerate(whole)]
        told.add(by_pivots(matrix))
        assert is_semidefinite(matrix) == by_pivots(matrix)
    assert told == {True, False} if size else {True}


def test_equations_are_met_exactly() -> None:
    near = [fmpq(1, 3), fmpq(1, 2), fmpq(1, 7)]
    found = nearby_solution(near, [{0: fmpq(1), 1: fmpq(1)}, {1: fmpq(2), 2: fmpq(-1)}], [fmpq(1), fmpq(1)])
    assert found is not None
    assert (found[0] + found[1], 2 * found[1] - found[2]) == (1, 1)
    assert nearby_solution(near, [{0: fmpq(1)}, {0: fmpq(2)}], [fmpq(1), fmpq(1)]) is None


def noisy_problem(n_clients: int, free: bool = False) -> Problem:
    given: dict[str, Any] = {"n_clients": n_clients, "n_local_steps": 1, "step_size": "1/10", "noise_std": 1}
    functions, measure, start = (
        (FLAT, LastGap(), "initial_gap") if free else (CURVED, LastDistance(), "initial_distance")
    )
    return problem_of(question(APART, functions, measure, heterogeneity_at_optimum=1, **{start: 1}, **given))


def all_frames(of: Problem) -> list[Frame]:
    same, apart = symmetry(of), agent_frame(of)
    assert same is not None
    assert apart is not None
    return [WholeFrame(of), BlockFrame(of, same), apart]


@pytest.mark.parametrize("n_clients", [2, 3])
@pytest.mark.parametrize("noisy", [False, True])
def test_a_gram_matrix_has_the_products_that_its_blocks_say(n_clients: int, noisy: bool) -> None:
    """Whatever the blocks are, a form has the same value by its packed columns, by its matrices and by the Gram matrix."""
    of = noisy_problem(n_clients) if noisy else problem(APART, n_clients, 2)
    draw = np.random.default_rng(n_clients)
    for way in all_frames(of):
        blocks = [(lambda a: a + a.T)(draw.normal(size=(n, n))) for n in way.sizes]
        gram = way.gram(blocks)
        assert np.allclose(gram, gram.T)
        root = math.sqrt(2)
        long = np.concatenate(
            [[y[a, b] * (1 if a == b else root) for b in range(len(y)) for a in range(b + 1)] for y in blocks]
        )
        for seed in range(5):
            form = random_form(of, seed)
            wanted = sum(float(c.p) / float(c.q) * gram[i, j] for (i, j), c in form.products.items())
            (told,) = way.packed([form]).T @ long
            assert told == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("free", [False, True])
def test_labels_of_frames_are_each_of_one_orbit(free: bool) -> None:
    """No label twice; with a free start none is about a product of noise with the start, whose value is unknown."""
    of = noisy_problem(3, free)
    assert of.free == free
    whole, *others = all_frames(of)
    for way in (whole, *others):
        assert len(set(way.labels)) == len(way.labels)
        assert set(way.labels) <= set(of.labels())
        of_start = [label for label in way.labels if label[0] == "apart" and label[2] == START_INDEX]
        assert bool(of_start) == (not free)
    for way in others:
        noise = [label for label in way.labels if label[0] == "noise"]
        assert len(noise) == 1
    same = symmetry(of)
    assert same is not None
    pairs = {same.pair(i, j) for i, others_ in of.noises.items() for j in others_ if not (free and j == START_INDEX)}
    assert len([label for label in others[0].labels if label[0] == "apart"]) == len(pairs)


def test_values_of_an_orbit_are_one() -> None:
    """Those of clients that change places add up, and what adds up to 0 is none."""
    of = noisy_problem(3, free=True)
    first = [places[1] for places in of.places]
    for way in all_frames(of)[1:]:
        assert len({way.value(i) for i in first}) == 1
        assert len({way.value((START_INDEX, i)) for i in first}) == 1
        assert way.value("least") == "least"
        own = Expression({}, {first[0]: fmpq(2), first[1]: fmpq(-2), (START_INDEX, first[2]): fmpq(1)})
        assert way.values(own) == {way.value((START_INDEX, first[0])): fmpq(1)}


def test_images_of_values() -> None:
    """A gradient goes to its image, a product with the start to that with the image, and another value stays."""
    image = [0, 5, 7]
    assert image_of_value(2, image) == 7
    assert image_of_value((START_INDEX, 1), image) == (START_INDEX, 5)
    assert image_of_value("least", image) == "least"


@pytest.mark.parametrize("factor", ["1/3", "2/7", "5", "-1/12"])
def test_matrices_are_linear_in_their_expression(factor: str) -> None:
    own, scale = noisy_problem(2), fmpq(*Fraction(factor).as_integer_ratio())
    for frame in all_frames(own):
        whole = frame.matrices(own.objective)
        part = frame.matrices(combine_expressions((scale, own.objective)))
        for one, other in zip(whole, part, strict=True):
            assert [[scale * v for v in row] for row in one] == other
