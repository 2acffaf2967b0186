"""Linear forms of an unknown set function, and small linear programs solved exactly."""

import itertools
import operator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from fltheory.problems.sets.matroids import Uniform
from fltheory.worst_case.set_functions import PathCertificate, WorstCase, linear_forms, linear_program, worst_ratio
from fltheory.worst_case.set_functions.linear_forms import (
    Form,
    Game,
    _subset_probabilities,
    elementary_inequalities,
    inequality,
    plain_form,
)
from fltheory.worst_case.set_functions.linear_program import Program, Unbounded, prove, prove_weaker
from tests.worst_case.set_games import is_monotone_submodular

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def test_elementary_inequalities_are_monotone_and_submodular():
    random, seen = Random(0), set()
    for _ in range(400):
        values = (Fraction(0), *(Fraction(random.randint(1, 3)) for _ in range(7)))
        holds = all(form.at(values) >= 0 for _, form in elementary_inequalities(3))
        assert holds == is_monotone_submodular(values)
        seen.add(holds)
    assert seen == {True, False}
    assert len(elementary_inequalities(3)) == 3 + 3 * 2


def test_forms_are_exact_linear_forms():
    game, values = Game(3), (0, 1, 2, Fraction(5, 2), 4, 4, 4, 5)
    x = (HALF, THIRD, 1)
    mean = sum(
        values[mask] * prod
        for mask in range(8)
        if (
            prod := (x[0] if mask & 1 else 1 - x[0])
            * (x[1] if mask & 2 else 1 - x[1])
            * (x[2] if mask & 4 else 1 - x[2])
        )
    )
    assert game.extension(x).at(values) == mean
    assert plain_form(game.extension([0.5, "1/3", 1])) == plain_form(game.extension(x))
    for e, slope in game.gradient(x).items():
        ends = [game.extension([*x[:e], end, *x[e + 1 :]]) for end in (0, 1)]
        assert plain_form(slope) == plain_form(ends[1] - ends[0])
    assert plain_form(game.value([])) == Form() == plain_form(game.value({0}) - game.value({0}))
    assert (2 * game.value({1}) / 4).at(values) == 1
    assert inequality(("submodular", 4, 0, 1)).renamed((2, 1, 0)) == inequality(("submodular", 1, 2, 1))


@pytest.mark.parametrize("compare", [operator.eq, operator.ne, operator.lt, operator.ge, max, lambda a, b: bool(a)])
def test_values_of_an_unknown_function_are_not_compared_behind_the_game(compare):
    """A comparison that isn't asked of the game would not be followed both ways."""
    game = Game(2)
    with pytest.raises(ValueError, match="can't be compared"):
        compare(game.value({0}), game.value({1}))


def program(objective, rows, unit=0, size=2):
    vector = lambda entries: {v: Fraction(c) for v, c in entries.items()}  # noqa: E731
    return Program(vector(objective), tuple(vector(r) for r in rows), unit, size)


def test_small_linear_programs():
    least = program({1: 7}, [{0: "-1/3", 1: 1}])  # z1 >= 1/3, z0 = 1
    found = prove(least)
    assert found.low == Fraction(7, 3)
    assert linear_program.attain(least, found) == [1, THIRD]
    assert least.is_proof(found.low, found.multipliers)
    assert not least.is_proof(found.low + Fraction(1, 10**12), found.multipliers)
    assert not least.is_proof(found.low, {i: -y for i, y in found.multipliers.items()})
    twice = program({1: 1}, [{1: 1}, {1: 2}])
    assert twice.is_proof(Fraction(0), {0: Fraction(1)})
    assert not twice.is_proof(Fraction(0), {0: Fraction(3), 1: Fraction(-1)})
    weaker = prove_weaker(least, 7 / 3, (1.0, 1 / 3))
    assert Fraction(7, 3) - Fraction(1, 10**5) < weaker.low <= Fraction(7, 3)
    assert least.is_proof(weaker.low, weaker.multipliers)
    assert prove(program({1: 1}, [{0: -1}])).low is None
    with pytest.raises(Unbounded):
        prove(program({1: 1}, [{0: 1}]))


def test_numbers_that_no_small_denominator_meets_are_solved_exactly():
    steep = Fraction(1234567891, 987654321987)
    least = program({1: 1}, [{0: -steep, 1: 1}, {0: steep, 1: -1}])
    found = prove(least)
    assert found.low == steep
    assert linear_program.attain(least, found) == [1, steep]


def test_a_weaker_limit_has_multipliers_away_from_zero():
    """Only so can they be repaired: as large as the margin of the limit allows, although one is 0 at the optimum."""
    least = program({1: 7}, [{0: "-1/3", 1: 1}, {0: 1, 1: 1}])  # the second row's multiplier is 0 at the optimum
    weaker = prove_weaker(least, 7 / 3, (1.0, 1 / 3))
    assert weaker.low is not None
    assert Fraction(7, 3) - Fraction(2, 10**6) < weaker.low < Fraction(7, 3)
    assert least.is_proof(weaker.low, weaker.multipliers)
    assert min(weaker.multipliers[i] for i in (0, 1)) > Fraction(1, 10**7)
    wider = prove_weaker(least, 7 / 3, (1.0, 1 / 3), Fraction(1, 100))
    assert wider.low is not None
    assert Fraction(7, 3) - Fraction(2, 100) < wider.low < Fraction(7, 3) - Fraction(1, 10**4)
    assert min(wider.multipliers[i] for i in (0, 1)) > Fraction(1, 10**3)


@pytest.mark.parametrize("seed", range(20))
def test_exact_solutions_of_linear_equations(seed):
    """Consistent ones are solved whatever the rank is; others have no solution."""
    random = Random(seed)
    columns = [{v: Fraction(random.randint(-2, 2)) for v in (0, 3, 5)} for _ in range(4)]
    x = [Fraction(random.randint(-3, 3), 2) for _ in columns]
    right = {v: sum(a * c[v] for a, c in zip(x, columns, strict=True)) for v in (0, 3, 5)}
    found = linear_program.solve(columns, right)
    assert found is not None
    assert all(sum(a * c[v] for a, c in zip(found, columns, strict=True)) == right[v] for v in right)
    assert linear_program.solve(columns, {**right, 7: Fraction(1)}) is None
    assert linear_program.solve([{}, {}], {}) == [0, 0]
    assert linear_program.solve([{0: Fraction(1)}, {0: Fraction(2)}], {0: Fraction(3)}) == [3, 0]


def test_what_proves_a_limit_and_what_is_feasible():
    """At the boundary: a multiplier of 0, a constraint that is met as an equation; the unit is 1."""
    least = program({0: 2, 1: 1}, [{0: -1, 1: 1}], unit=0)
    assert least.is_proof(Fraction(3), {0: Fraction(1)})
    assert not least.is_proof(Fraction(2), {0: Fraction(1)})
    assert not least.is_proof(Fraction(3), {0: Fraction(2)})
    assert least.residual(Fraction(1), {0: Fraction(3)}) == {0: Fraction(4), 1: Fraction(-2)}
    assert least.residual(None, {0: Fraction(2)}) == {0: Fraction(1), 1: Fraction(-2)}
    assert program({}, [{0: -1}]).is_proof(None, {0: Fraction(1)})
    assert program({}, [{0: -1}, {1: 0}]).is_proof(None, {0: Fraction(1), 1: Fraction(0)})
    assert least.is_feasible([Fraction(1), Fraction(1)])
    assert not least.is_feasible([Fraction(1), Fraction(99, 100)])
    assert not least.is_feasible([Fraction(2), Fraction(2)])
    assert linear_program.dot({0: Fraction(-2), 2: Fraction(3)}, [Fraction(1), Fraction(9), Fraction(5)]) == 13
    assert linear_program.dot({}, [Fraction(1)]) == 0


def test_an_infeasible_program_is_proved_so_in_any_rationals():
    """Two bounds that miss each other by a number of no small denominator: the multipliers are solved for."""
    high = Fraction(1234567891, 987654321987)
    for gap in (Fraction(1, 7), Fraction(12345, 98765), Fraction(1, 3)):
        found = prove(program({1: 1}, [{0: -high, 1: 1}, {0: high - gap, 1: -1}]))
        assert found.low is None
        assert found.multipliers == {0: 1 / gap, 1: 1 / gap}


def test_forms_are_subtracted_from_forms_alone():
    form = Game(2).value({0})
    assert plain_form(form - form) == Form()
    assert (2 * form - form).at((0, 5, 1, 7)) == 5
    for other in (0, 1, "1"):
        with pytest.raises(TypeError):
            form - other


def test_probabilities_of_sets_are_positive_and_sum_to_one():
    found = _subset_probabilities({0: Fraction(1), 1: HALF, 2: Fraction(0)})
    assert found == {1: HALF, 3: HALF}
    assert _subset_probabilities({}) == {0: 1}


def test_bases_are_largest_and_not_too_many(monkeypatch):
    """At the limit they are listed, above it the question is refused."""
    two_of_three = Uniform(3, 2)
    assert sorted(map(sorted, Game(3)._bases(two_of_three))) == [[0, 1], [0, 2], [1, 2]]
    monkeypatch.setattr(linear_forms, "MAX_BASES", 3)
    assert len(Game(3)._bases(two_of_three)) == 3
    monkeypatch.setattr(linear_forms, "MAX_BASES", 2)
    with pytest.raises(ValueError, match="more than 2 bases"):
        Game(3)._bases(two_of_three)
    assert Game(3)._bases([(0, 1), (2,)]) == [{0, 1}, {2}]
    with pytest.raises(ValueError, match=r"items are 0..2, got \[3\]"):
        Game(3)._bases([(0, 3)])
    game = Game(3)
    game._count()
    monkeypatch.setattr(linear_forms, "MAX_COMPARISONS", 2)
    game._count()
    with pytest.raises(ValueError, match="has not ended after 2 comparisons"):
        game._count()


def test_each_comparison_counts():
    """A repeated one gets the same answer and counts too, and so does one of two equal forms, which is a yes."""
    game = Game(2, [False])
    first, second = game.value({0}), game.value({1})
    assert game.at_least(first, second) is False
    assert game.at_least(first + second, 2 * second) is False
    assert game.at_least(first, first) is True
    assert game.n_comparisons == 3
    assert len(game.decisions) == 1
    (decision,) = game.decisions
    assert decision.strict.at((0, 1, 3, 4)) == 2
    assert [form.at((0, 1, 3, 4)) for form in decision.inequalities] == [2]
    assert game.argmax({0: first, 1: second}) == 0
    assert game.decisions[-1].strict is None  # of a largest one nothing is known to be strict
    assert game.n_comparisons == 4
    with pytest.raises(ValueError, match=r"answer 2 isn't among the options of comparison 1"):
        Game(2, [2]).at_least(first, second)


def test_a_limit_with_slack_is_proved_exactly():
    """The float's value has no small denominator, and a weaker limit would be provable too."""
    steep = Fraction(1234567891, 987654321987)
    found = prove(program({1: 1}, [{0: -steep, 1: 1}, {0: 1, 1: 1}]))
    assert found.low == steep
    assert found.multipliers == {0: Fraction(1)}


def test_the_dual_is_that_of_the_least_limit():
    def certificate(low, name):
        return PathCertificate((), low, ((name, Fraction(1)),))

    paths = tuple(certificate(low, str(low)) for low in (HALF, None, Fraction(0), THIRD))
    worst = WorstCase(2, frozenset({0}), Fraction(0), Fraction(0), (), (), paths)
    assert worst.dual == (("0", Fraction(1)),)
    assert replace(worst, certificates=paths[:2]).dual == (("1/2", Fraction(1)),)
    assert worst.ratio == 0
    with pytest.raises(ValueError, match="only known to lie between 0 and 1/2"):
        _ = replace(worst, upper=HALF).ratio


@pytest.mark.parametrize("found", [None, [Fraction(1)] * 9])
def test_a_no_of_which_no_function_is_found_is_not_decided(found, monkeypatch):
    """Neither without a point nor with one at which what must be positive is 0."""

    def asking(game):
        game.at_least(game.value({0}), game.value({1}))
        return game.value({0, 1})

    monkeypatch.setattr(linear_program, "attain", lambda program, proof: found)
    with pytest.raises(ArithmeticError, match="could not be decided"):
        worst_ratio(asking, 2, {0, 1})


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_best_feasible_point_of_all_is_attained(order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """min z_1 with z_1 >= z_0 = 1: of 3, 2 and a point that is not feasible, 2 is taken."""
    one = Program({1: Fraction(1)}, ({1: Fraction(1), 0: Fraction(-1)},), 0, 2)
    points = [[Fraction(1), Fraction(v)] for v in (3, 2, "1/2")]
    monkeypatch.setattr(linear_program, "_rational_points", lambda program, proof: iter([points[i] for i in order]))
    assert linear_program.attain(one, linear_program.Proof(Fraction(1), {}, ())) == [1, 2]
