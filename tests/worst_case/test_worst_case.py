"""Worst cases over all monotone submodular functions, and their certificates."""

import itertools
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from fltheory.papers.fedcg.instances.greedy import greedy as greedy_of_values
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Table, table_violation
from fltheory.worst_case.set_functions import PathCertificate, answers, linear_program, why_not_worst, worst_ratio
from fltheory.worst_case.set_functions.answers import SetProblem
from fltheory.worst_case.set_functions.linear_forms import Algorithm, Form, Game, inequality, mask_of, replay
from tests.worst_case.set_games import continuous_greedy, greedy, is_monotone_submodular, partition_greedy, proved

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def coverage(n_items, random):
    """A random coverage function, as a table."""
    covers = [[random.random() < 0.4 for _ in range(n_items)] for _ in range(random.randint(2, 6))]
    weights = [Fraction(random.randint(1, 9)) for _ in covers]
    return tuple(
        sum(
            (w for w, c in zip(weights, covers, strict=True) if any(c[e] for e in range(n_items) if mask >> e & 1)),
            Fraction(0),
        )
        for mask in range(1 << n_items)
    )


# Known worst cases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "ratio"), [(1, "1"), (2, "3/4"), (3, "19/27"), (4, "175/256")])
def test_greedy_attains_its_guarantee_exactly(k, ratio):
    worst = proved(greedy(k), 2 * k, range(k), symmetric=True)
    assert worst.exact
    assert worst.ratio == Fraction(ratio) == 1 - (1 - Fraction(1, k)) ** k
    assert len(worst.values) == 4**k


@pytest.mark.parametrize("k", [2, 3])
def test_without_symmetry_every_course_is_followed_and_the_answer_is_the_same(k):
    every = proved(greedy(k), 2 * k, range(k))
    assert every.ratio == worst_ratio(greedy(k), 2 * k, range(k), symmetric=True).ratio
    problem = SetProblem.read(2 * k, range(k), (), False)
    assert len(list(problem.runs(greedy(k)))) == [12, 120][k - 2]  # 4*3 and 6*5*4
    assert len(every.certificates) < 2**k + 1  # courses that differ by names share a linear program


def threshold(game):
    """Takes the items one by one that gain at least a third of the best singleton."""
    best = game.argmax({e: game.value({e}) for e in sorted(game.items)})
    second = game.argmax({e: game.value({best, e}) for e in sorted(game.items - {best})})
    enough = game.at_least(game.value({best, second}) - game.value({best}), game.value({best}) / 3)
    return game.value({best, second}) if enough else game.value({best})


@pytest.mark.parametrize(
    ("algorithm", "n_items"),
    [(greedy(2, rank=1), 5), (continuous_greedy(2, 2), 4), (continuous_greedy(2, 1), 5), (threshold, 4)],
)
def test_symmetry_only_saves_time(algorithm, n_items):
    every, once = (proved(algorithm, n_items, range(2), symmetric=s) for s in (False, True))
    assert every.ratio == once.ratio < 1
    runs = [len(list(SetProblem.read(n_items, range(2), (), s).runs(algorithm))) for s in (False, True)]
    assert runs[0] > runs[1]


def test_an_item_that_was_taken_is_told_apart_from_then_on():
    """Steps of 1/3 along the best items, which may be taken again: both ways meet the same linear programs."""

    def run(game):
        x = dict.fromkeys(game.items, Fraction(0))
        for _ in range(3):
            x[game.argmax(game.gradient(x))] += THIRD
        return game.extension(x)

    met = []
    for symmetric in (False, True):
        problem = SetProblem.read(4, range(2), (), symmetric)
        met.append({problem.key(r) for r in problem.runs(run)})
    assert met[0] == met[1]
    assert len(met[0]) > 2**3


@pytest.mark.parametrize("k", [2, 3])
def test_the_worst_function_can_be_run(k):
    """The table as an instance: with the optimum last, ties to the lowest item are ties against greedy."""
    worst = proved(greedy(k), 2 * k, range(k, 2 * k), symmetric=True)
    function, matroid = Table(worst.values), Uniform(2 * k, k)
    assert table_violation(function) is None
    chosen = frozenset(greedy_of_values(function.value, matroid.independent, range(2 * k)))
    assert function.value(chosen) == worst.ratio
    assert max(function.value(frozenset(s)) for s in itertools.combinations(range(2 * k), k)) == 1
    turned = [worst.values[sum(1 << 2 * k - 1 - e for e in range(2 * k) if m >> e & 1)] for m in range(4**k)]
    kindly = frozenset(greedy_of_values(Table(turned).value, matroid.independent, range(2 * k)))
    assert Table(turned).value(kindly) > worst.ratio  # ties for it, with the optimum first


def test_the_order_of_the_items_doesnt_matter():
    assert proved(greedy(2), 4, {1, 3}).ratio == Fraction(3, 4)


def test_greedy_on_a_partition_matroid_attains_one_half():
    algorithm = partition_greedy([(0, 2), (1, 3)])
    assert proved(algorithm, 4, {0, 1}).ratio == HALF
    with pytest.raises(ValueError, match="tells items of a class apart"):
        worst_ratio(algorithm, 4, {0, 1}, symmetric=True)


def test_more_items_than_needed_change_nothing():
    assert proved(greedy(2), 5, range(2), symmetric=True).ratio == Fraction(3, 4)


def test_the_second_best_item_does_worse_and_one_more_item_better():
    assert proved(greedy(2, rank=1), 4, range(2), symmetric=True).ratio < Fraction(3, 4)
    assert proved(greedy(3), 5, range(2), symmetric=True).ratio == 1 - HALF**3
    assert proved(greedy(1), 3, range(2), symmetric=True).ratio == HALF


@pytest.mark.parametrize("p", [THIRD, Fraction(3, 5)])
def test_each_item_with_the_same_chance_keeps_that_share(p):
    worst = proved(lambda game: game.extension([p] * 3), 3, {0, 1, 2})
    assert worst.ratio == p
    assert proved(lambda game: game.extension({0: p, 1: p}), 3, {0, 1}).ratio == p


def test_the_mean_of_pairs_of_three_items_is_two_thirds():
    pairs = [frozenset(c) for c in itertools.combinations(range(3), 2)]
    assert proved(lambda game: sum(game.value(s) for s in pairs) / 3, 3, {0, 1, 2}).ratio == Fraction(2, 3)


def test_small_facts_of_two_items():
    singles = proved(lambda game: game.value({0}) + game.value({1}), 2, {0, 1})
    assert singles.ratio == 1  # subadditive
    assert proved(lambda game: game.value({0}), 2, {0, 1}).ratio == 0
    assert proved(lambda game: game.value({0, 1}), 2, {0}).ratio == 1  # monotone
    assert (
        proved(lambda game: game.argmax({e: game.value({e}) for e in (0, 1)}) * Form() + game.value({0}), 2, {1}).ratio
        == 0
    )


def test_an_algorithm_may_compare_with_a_threshold():
    def run(game):
        return game.value({1} if game.at_least(game.value({1}), game.value({0}) / 3) else {0})

    assert proved(run, 2, {0}).ratio == THIRD


# Continuous greedy ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rank", "n_steps", "ratio"), [(1, 2, "1"), (1, 3, "1"), (2, 1, "1/2"), (2, 2, "4/7")])
def test_continuous_greedy_on_a_uniform_matroid(rank, n_steps, ratio):
    n_items = min(rank * (n_steps + 1), 5)
    worst = proved(continuous_greedy(rank, n_steps), n_items, range(rank), symmetric=True)
    assert worst.ratio == Fraction(ratio)
    everything = list(itertools.combinations(range(n_items), rank))
    optimal = proved(continuous_greedy(rank, n_steps), n_items, range(rank), symmetric=True, feasible=everything)
    assert optimal.ratio == worst.ratio
    assert all(optimal.values[mask_of(s)] <= 1 for s in everything)


def test_the_error_of_a_step_by_second_derivatives_suffices_for_every_function():
    """F(x) + (r^2 / 2T) m_F >= (1 - (1 - 1/T)^T) f(O), even with r(r-1) for r^2, and not without it."""
    r, n_steps = 2, 2
    guarantee = 1 - (1 - Fraction(1, n_steps)) ** n_steps
    printed, sharper, none = (
        proved(continuous_greedy(r, n_steps, Fraction(c, 2 * n_steps)), 4, range(r), symmetric=True).ratio
        for c in (r * r, r * (r - 1), 0)
    )
    assert none < guarantee <= sharper <= printed


@pytest.mark.deep
def test_continuous_greedy_of_three_steps():
    worst = proved(continuous_greedy(2, 3), 6, range(2), symmetric=True)
    assert worst.ratio == Fraction(263, 432)


# Nothing is below, nothing is believed --------------------------------------------------------------------------------


@pytest.mark.parametrize("picks", [2, 3])
def test_no_random_function_is_below(picks):
    worst = worst_ratio(greedy(picks), 5, range(2), symmetric=True)
    runs = list(SetProblem.read(5, range(2), (), False).runs(greedy(picks)))
    random, ratios = Random(picks), []
    for _ in range(60):
        near = random.choice([0, 1, 10, 100])  # times the worst function: cones are convex
        values = tuple(near * w + v for w, v in zip(worst.values, coverage(5, random), strict=True))
        assert is_monotone_submodular(values)
        taken = [run for run in runs if all(f.at(values) >= 0 for f in run.inequalities)]
        assert taken  # every function takes some course
        if best := values[0b11]:
            ratios += [run.achieved.at(values) / best for run in taken]
    assert min(ratios) >= worst.ratio
    assert min(ratios) < 1


def test_every_course_is_bounded_by_its_own_certificate():
    worst = worst_ratio(greedy(2), 4, range(2), symmetric=True)
    random = Random(1)
    for certificate in worst.certificates:
        run = replay(greedy(2), 4, certificate.script)
        for _ in range(200):
            values = coverage(4, random)
            if values[0b11] and all(f.at(values) >= 0 for f in run.inequalities):
                assert run.achieved.at(values) >= certificate.low * values[0b11]


@pytest.fixture(scope="module")
def certified():
    return worst_ratio(greedy(2), 4, range(2))


def changed(worst, i, **parts):
    certificates = list(worst.certificates)
    certificates[i] = replace(certificates[i], **parts)
    return replace(worst, certificates=tuple(certificates))


def test_a_perturbed_multiplier_is_refused(certified):
    assert certified.dual
    for i, certificate in enumerate(certified.certificates):
        for k, (label, y) in enumerate(certificate.multipliers):
            for other in (y + Fraction(1, 10**9), y / 2, -y):
                multipliers = (*certificate.multipliers[:k], (label, other), *certificate.multipliers[k + 1 :])
                assert why_not_worst(changed(certified, i, multipliers=multipliers), greedy(2)) is not None


def test_negative_multipliers_are_refused_even_where_they_add_up(certified):
    cycle = [("submodular", 0, 0, 1), ("submodular", 1, 1, 2), ("submodular", 0, 1, 2), ("submodular", 4, 0, 1)]
    signs = [Fraction(s) for s in (1, 1, -1, -1)]
    assert sum((y * inequality(label) for label, y in zip(cycle, signs, strict=True)), Form()) == Form()
    extra = (*certified.certificates[0].multipliers, *zip(cycle, signs, strict=True))
    assert "negative" in why_not_worst(changed(certified, 0, multipliers=extra), greedy(2))


def test_a_better_limit_isnt_proved_by_the_same_multipliers(certified):
    for i, certificate in enumerate(certified.certificates):
        assert "leave" in why_not_worst(changed(certified, i, low=certificate.low + Fraction(1, 10**9)), greedy(2))
    assert "only 3/4 is proved" in why_not_worst(replace(certified, lower=Fraction(4, 5)), greedy(2))


def test_a_course_without_a_certificate_is_noticed(certified):
    for i in range(len(certified.certificates)):
        fewer = certified.certificates[:i] + certified.certificates[i + 1 :]
        assert "no certificate" in why_not_worst(replace(certified, certificates=fewer), greedy(2))


@pytest.mark.parametrize(
    "label",
    [
        ("submodular", 0, 0, 0),
        ("submodular", 1, 0, 1),
        ("submodular", -4, 0, 1),
        ("monotone", 1, 0),
        ("other", 0),
        ("course", 99),
        ("optimal", 2),
    ],
)
def test_an_inequality_that_isnt_one_is_refused(certified, label):
    extra = (*certified.certificates[0].multipliers, (label, Fraction(1)))
    assert "no inequality" in why_not_worst(changed(certified, 0, multipliers=extra), greedy(2))


def test_items_that_there_are_not_prove_nothing(certified):
    extra = (*certified.certificates[0].multipliers, (("submodular", 0, 4, 5), Fraction(1)))
    assert "leave" in why_not_worst(changed(certified, 0, multipliers=extra), greedy(2))


def test_the_certificate_of_another_algorithm_is_refused(certified):
    assert why_not_worst(certified, greedy(2, rank=1)) is not None
    assert why_not_worst(certified, greedy(3)) is not None
    assert why_not_worst(certified, lambda game: game.value({2, 3})) is not None


def test_a_function_that_doesnt_attain_the_limit_is_refused(certified):
    for mask in range(16):
        for change in (Fraction(1, 10**6), -Fraction(1, 10**6)):
            values = list(certified.values)
            values[mask] += change
            reason = why_not_worst(replace(certified, values=tuple(values)), greedy(2))
            moved = replay(greedy(2), 4, certified.script)
            still = (
                is_monotone_submodular(values) and not values[0] and all(f.at(values) >= 0 for f in moved.inequalities)
            )
            assert (reason is None) == (still and values[0b11] == 1 and moved.achieved.at(values) == certified.upper)
    assert "table" in why_not_worst(replace(certified, values=certified.values[:8]), greedy(2))
    assert "attains" in why_not_worst(replace(certified, upper=HALF), greedy(2))
    assert why_not_worst(replace(certified, script=()), greedy(2)) is not None


def test_limits_that_differ_are_reported_as_an_interval(monkeypatch):
    monkeypatch.setattr(linear_program, "_rational_multipliers", lambda *_: iter(()))
    worst = worst_ratio(greedy(2), 4, range(2), symmetric=True)
    assert not worst.exact
    assert Fraction(3, 4) - Fraction(1, 10**5) < worst.lower < worst.upper == Fraction(3, 4)
    assert why_not_worst(worst, greedy(2)) is None
    with pytest.raises(ValueError, match="only known to lie between"):
        _ = worst.ratio


def test_a_course_that_no_function_takes_has_a_certificate_too():
    def run(game):
        return Form() if game.at_least(Form(), game.value({0, 1})) else game.value({0, 1})

    worst = proved(run, 2, {0, 1})
    assert worst.ratio == 1
    impossible = next(i for i, c in enumerate(worst.certificates) if c.low is None)
    assert why_not_worst(changed(worst, impossible, multipliers=()), run) is not None
    possible = next(i for i, c in enumerate(worst.certificates) if c.low is not None)
    assert why_not_worst(changed(worst, possible, low=None), run) is not None


def test_that_the_optimum_is_best_can_be_used():
    def run(game):
        return 3 * game.value({0}) - game.value({1})

    with pytest.raises(ValueError, match="negative without limit"):
        worst_ratio(run, 2, {0})
    worst = proved(run, 2, {0}, feasible=[{1}])
    assert worst.ratio == 2
    assert why_not_worst(replace(worst, feasible=()), run) is not None


# Comparisons that are told at equality ----------------------------------------------------------------------------------


def best_of(game: Game) -> Form:
    return game.value({game.argmax({e: game.value({e}) for e in game.items})})


def itself(game: Game) -> Form:
    v = best_of(game)
    return v if game.at_least(v, v) else game.value(())


def looser(game: Game) -> Form:
    v, everything = best_of(game), game.value(game.items)
    return v if game.at_least(everything + v, everything) else game.value(())


def monotone(game: Game) -> Form:
    everything = game.value(game.items)
    return everything if game.at_least(everything, game.value({0})) else game.value(())


def threshold(game: Game) -> Form:
    chosen: frozenset[int] = frozenset()
    for e in sorted(game.items):
        if game.at_least(game.value(chosen | {e}) - game.value(chosen), 0 * game.value({e})):
            chosen |= {e}
    return game.value(chosen)


def after_the_best(game: Game) -> Form:
    """The course has told already that no item is better than the best: no is no answer."""
    best = game.argmax({e: game.value({e}) for e in game.items})
    sure = all(game.at_least(game.value({best}), game.value({e})) for e in game.items)
    return game.value({best}) if sure else game.value(())


@pytest.mark.parametrize("algorithm", [itself, looser, monotone, threshold, after_the_best])
def test_no_is_answered_only_where_some_function_is_strictly_below(algorithm: Algorithm) -> None:
    worst = worst_ratio(algorithm, 2, {0})
    assert worst.ratio == 1
    assert why_not_worst(worst, algorithm) is None


def test_a_no_that_some_function_gives_counts() -> None:
    """f({1}) > f({0}) for some: 0 is achieved there, and no certificate says otherwise."""

    def sometimes(game: Game) -> Form:
        return game.value({0}) if game.at_least(game.value({0}), game.value({1})) else game.value(())

    worst = worst_ratio(sometimes, 2, {0})
    assert worst.ratio == 0
    assert why_not_worst(worst, sometimes) is None
    refused = PathCertificate(worst.script, None, (), 0)
    certificates = tuple(refused if c.script == worst.script else c for c in worst.certificates)
    assert why_not_worst(replace(worst, certificates=certificates), sometimes) is not None


def test_a_certificate_of_no_names_a_comparison_that_was_answered_no() -> None:
    worst = worst_ratio(monotone, 2, {0})
    (never,) = [c for c in worst.certificates if c.strict is not None]
    for wrong in (replace(never, strict=1), replace(never, low=Fraction(1)), replace(never, multipliers=())):
        others = tuple(wrong if c == never else c for c in worst.certificates)
        assert why_not_worst(replace(worst, certificates=others), monotone) is not None


def lazy(renew: bool) -> Algorithm:
    """Two items greedily, gains put back in the queue; ``renew``: and compared with what they were put back with."""

    def algorithm(game: Game) -> Form:
        chosen: frozenset[int] = frozenset()
        gains = {e: game.value({e}) for e in game.items}
        priority = dict(gains)
        while len(chosen) < 2:
            e = game.argmax({i: priority[i] for i in game.items - chosen})
            now = game.value(chosen | {e}) - game.value(chosen)
            if game.at_least(now, gains[e]):
                chosen |= {e}
            else:
                priority[e] = now
                gains[e] = now if renew else gains[e]
        return game.value(chosen)

    return algorithm


@pytest.mark.parametrize(("n_items", "ratio"), [(2, 1), (3, Fraction(3, 4)), (4, Fraction(3, 4))])
def test_lazy_greedy_is_greedy(n_items: int, ratio: Fraction) -> None:
    worst = worst_ratio(lazy(True), n_items, {0, 1})
    assert worst.ratio == ratio
    assert why_not_worst(worst, lazy(True)) is None


def test_a_comparison_that_is_asked_without_end_is_named() -> None:
    with pytest.raises(ValueError, match="not ended after 10000 comparisons in one course"):
        worst_ratio(lazy(False), 2, {0, 1})


def test_courses_without_end_are_ended_by_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each comparison is another one: the courses are as many as one asks for."""

    def growing(game: Game) -> Form:
        k = 1
        while not game.at_least(k * game.value({0}), game.value({1})):
            k += 1
        return game.value({0})

    monkeypatch.setattr(answers, "MAX_COMPARISONS", 200)
    with pytest.raises(ValueError, match="more than 200 comparisons in the first 20 courses"):
        worst_ratio(growing, 2, {0})


def test_a_table_is_of_all_sets_and_0_at_the_empty_one(certified):
    assert why_not_worst(certified, greedy(2)) is None
    for values in (
        (Fraction(1, 10), *certified.values[1:]),
        (Fraction(-1, 10), *certified.values[1:]),
        certified.values[:-1],
        (*certified.values, Fraction(1)),
    ):
        assert "2^n values with f(empty) = 0" in why_not_worst(replace(certified, values=values), greedy(2))
