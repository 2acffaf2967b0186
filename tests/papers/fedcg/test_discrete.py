"""The federated discrete greedy: closed forms, chance by other means, and mutants that must fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.papers.fedcg.algorithms import discrete
from fltheory.papers.fedcg.discrete import families
from fltheory.papers.fedcg.discrete.cases import greedy_half, heavy_and_light, independent_sets_first, of_few_kinds
from fltheory.papers.fedcg.discrete.claims.greedy import CLAIMS, KINDS, MANY, PAIRS, THREE, case_of_run, greedy_value
from fltheory.papers.fedcg.discrete.closed_forms import sparsifier
from fltheory.papers.fedcg.discrete.closed_forms.importance import answer_chances, factors
from fltheory.papers.fedcg.instances.families import clients
from fltheory.papers.fedcg.instances.greedy import greedy, lazy_greedy
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Partition, Uniform, independent_sets
from fltheory.problems.sets.set_functions import Modular, as_kind_of
from fltheory.runs.algorithm import Algorithm, Step, rollout
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.sample_paths import enumerate_runs

BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}
TRUE = tuple(c for c in CLAIMS if c.entry.recorded == "holds")
BY_CHANCE = tuple(c for c in TRUE if c.mode == "with probability")
NAMES = ("S6-matroid@strengthened", "S6-uniform@strengthened", "S7-matroid@strengthened", "S7-uniform@strengthened")


# Chance -----------------------------------------------------------------------------------------------------------------


def unconditional(name: str) -> Claim:
    """The claim whatever kappa is."""
    claim = BY_ID[name]
    return replace(claim, bounds=tuple(replace(b, conditions=()) for b in claim.bounds))


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", NAMES)
def test_few_answers_are_not_enough(name: str) -> None:
    """At a small kappa mostly nobody answers, and the lowest item is taken: exactly for few, statistically for many."""
    claim = unconditional(name)
    for many, kappa in ((4, "1/10"), (150, "1/1000")):
        poor = of_few_kinds(((0, 1),), many, Uniform(2, 1))
        case = Case(poor, accuracy="2/5", sampling_scale=kappa, n_independent=3)
        verdict = check_claim(claim, case, 1e-9)
        assert verdict.status == "violated", str(verdict)
        assert verdict.evidence == ("exact" if many == 4 else "statistical")
        assert check_claim(claim, case.with_settings(sampling_scale=200), 1e-9).status == "holds"


def unscaled_step(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """A mutant that forgets 1/kappa_i."""
    chances = discrete.chances_of(oracle.instance, x, c.sampling_scale, True)
    scales = [np.where(own != 0, own * 0 + 1, own) for own in discrete.answers(oracle, x, chances)]
    return discrete.with_best_item(oracle, x, scales)


def test_answers_that_are_not_rescaled_are_refuted() -> None:
    """One client is worth 125 on item 0 and answers; 560 are worth 1 on item 1, and about 110 of them answer."""
    functions = (Modular((125, 0)), *(Modular((0, 1)) for _ in range(560)))
    one = SubmodularClients(functions, Uniform(2, 1))
    case = case_of_run(one, discrete_scale(), "2/5")
    claim = BY_ID["S6-uniform@strengthened"]
    assert check_claim(claim, case, 1e-9).status == "holds"
    mutant = replace(claim, algorithm=discrete.greedy._replace(step=unscaled_step))
    assert check_claim(mutant, case, 1e-9).status == "violated"


def worst_item(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """A mutant: the feasible item of least gain."""
    new = x.copy()
    total = discrete.gains(oracle.instance, x).sum(axis=0)
    able = discrete.addable_items(oracle.instance, x, False)
    for row in range(len(x)):
        items = [e for e in range(x.shape[1]) if able[row, e]]
        if items:
            new[row, min(items, key=lambda e: total[row, e])] = as_kind_of((1,), x)[0]
    return new


def everything(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
    """A mutant: no independent set."""
    return x * 0 + 1


@pytest.mark.parametrize(("step", "status"), [(worst_item, "violated"), (everything, "inapplicable")])
def test_a_step_of_ones_own_takes_the_place_of_algorithm_3(step: Step, status: str) -> None:
    case = case_of_run(of_few_kinds(((0, 1), (0, 2)), 2, Uniform(2, 1)), discrete_scale(), "3/5")
    claim = BY_ID["S6-uniform@strengthened"]
    assert check_claim(claim, case).status == "holds"
    verdict = check_claim(replace(claim, algorithm=discrete.greedy._replace(step=step)), case)
    assert (verdict.status, verdict.broken) == (status, step is everything)


def discrete_scale() -> Any:
    from fltheory.papers.fedcg.bounds import KAPPA_UNIFORM

    return KAPPA_UNIFORM


@pytest.mark.parametrize("rule", [discrete.greedy, discrete.repeating, discrete.one_shot], ids=lambda a: a.name)
def test_simulated_runs_have_the_enumerated_law(rule: Algorithm) -> None:
    one = SubmodularClients((Modular((2, 0, 1)), Modular((0, 3, 1)), Modular((0, 1, 1))), Uniform(3, 2), (1, 2, 3))
    case = Case(one, sampling_scale="1/2", n_rounds=1 if rule is discrete.one_shot else 2)
    states, weights = enumerate_runs(rule, case, RATIONAL)
    law: dict[tuple[float, ...], float] = {}
    for row, weight in zip(states[:, -1], weights, strict=True):
        key = tuple(float(as_number(v)) for v in row)
        law[key] = law.get(key, 0.0) + float(as_number(weight))
    assert len(law) > 1
    assert sum(law.values()) == pytest.approx(1)
    ends = rollout(rule, case, 4000)[:, -1]
    for key, share in law.items():
        seen = (ends == np.array(key)).all(axis=1).mean()
        assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / 4000) + 1e-9


def by_hand(one: SubmodularClients, kappa: Fraction, rounds: int) -> dict[frozenset[int], Fraction]:
    """The law of Algorithm 3's set, from the definition: all coins of all clients in every round, values of sets."""
    w = factors(one)
    chances = [min(Fraction(1), kappa * v) for v in w]
    law = {frozenset[int](): Fraction(1)}
    for _ in range(rounds):
        new: dict[frozenset[int], Fraction] = {}
        for s, weight in law.items():
            free = [e for e in one.order() if e not in s and one.matroid.independent(s | {e})]
            for coins in product((0, 1), repeat=one.n_clients):
                chance = weight
                for coin, k in zip(coins, chances, strict=True):
                    chance *= k if coin else 1 - k
                if not chance:
                    continue

                def score(e: int, s: frozenset[int] = s, coins: tuple[int, ...] = coins) -> Fraction:
                    parts = zip(coins, one.functions, one.weights, chances, strict=True)
                    return sum(
                        (p * (f.value(s | {e}) - f.value(s)) / k for coin, f, p, k in parts if coin and k), Fraction(0)
                    )

                grown = s | {max(free, key=score)} if free else s
                new[grown] = new.get(grown, Fraction(0)) + chance
        law = new
    return law


@given(clients(most_clients=3, most_items=3), st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(50)]))
def test_a_run_by_the_definition(one: SubmodularClients, kappa: Fraction) -> None:
    if one.ties and not isinstance(one.ties[0], int):
        one = replace(one, ties=one.ties[0])
    rank = one.matroid.rank
    states, weights = enumerate_runs(discrete.greedy, Case(one, sampling_scale=kappa, n_rounds=rank), RATIONAL)
    law: dict[frozenset[int], Fraction] = {}
    for row, weight in zip(states[:, -1], weights, strict=True):
        s = frozenset(e for e, v in enumerate(row) if v == 1)
        law[s] = law.get(s, Fraction(0)) + Fraction(as_number(weight))
    assert law == by_hand(one, kappa, rank)


@given(clients())
def test_with_everybody_answering_it_is_greedy(one: SubmodularClients) -> None:
    one = replace(one, ties=())
    if any(0 < w < Fraction(1, 10**9) for w in factors(one)):
        return
    case = Case(one, sampling_scale=10**9, n_rounds=one.matroid.rank)
    states, _ = enumerate_runs(discrete.greedy, case, RATIONAL)
    chosen = greedy(one.value, one.matroid.independent, range(one.dim))
    assert len(states) == 1
    assert frozenset(np.nonzero(states[0, -1] != 0)[0].tolist()) == frozenset(chosen)
    assert lazy_greedy(one.value, one.matroid.independent, range(one.dim)) == chosen
    once, _ = enumerate_runs(discrete.one_shot, case.with_settings(n_rounds=1), RATIONAL)
    assert (once[0, -1] == states[0, -1]).all()


@given(clients(), st.sets(st.integers(0, 3)))
def test_gains_are_differences_of_values(one: SubmodularClients, chosen: set[int]) -> None:
    s = frozenset(e for e in chosen if e < one.dim)
    for kind in (object, float):
        x = as_kind_of([int(e in s) for e in range(one.dim)], np.empty(0, dtype=kind))[None]
        found = discrete.gains(one, x)
        for i, f in enumerate(one.functions):
            for e in set(range(one.dim)) - s:
                assert float(as_number(found[i, 0, e])) == pytest.approx(float(f.value(s | {e}) - f.value(s)))


# Coins thrown once ------------------------------------------------------------------------------------------------------


def deviation_by_coins(one: SubmodularClients, scale: Fraction, accuracy: Fraction) -> Fraction:
    """The same probability from the coins of all clients one by one."""
    chances = answer_chances(one, scale)
    total = Fraction(0)
    for coins in product((0, 1), repeat=one.n_clients):
        weight = Fraction(1)
        for coin, k in zip(coins, chances, strict=True):
            weight *= k if coin else 1 - k
        for s in independent_sets(one.matroid):
            parts = zip(coins, one.functions, one.weights, chances, strict=True)
            rough = sum((p * f.value(s) / k for coin, f, p, k in parts if coin and k), Fraction(0))
            if abs(rough - one.value(s)) > accuracy * one.value(s):
                total += weight
                break
    return total


@given(clients(most_clients=4, most_items=3), st.sampled_from([Fraction(1, 2), Fraction(1)]))
def test_the_deviation_by_all_coins(one: SubmodularClients, scale: Fraction) -> None:
    for accuracy in (Fraction(1, 4), Fraction(1)):
        assert sparsifier.deviation_chance(one, scale, accuracy) == deviation_by_coins(one, scale, accuracy)


def test_equal_clients_are_counted() -> None:
    one = of_few_kinds(((1, 0), (2, 1)), 3, Uniform(2, 1))
    found = sparsifier.deviation_chance(one, Fraction(1, 2), Fraction(1, 2))
    assert 0 < found == deviation_by_coins(one, Fraction(1, 2), Fraction(1, 2))


def test_fewer_coins_deviate_more_often() -> None:
    claim = unconditional("S7-deviation@strengthened")
    for one in (KINDS, PAIRS):
        case = Case(one, accuracy="1/2", sampling_scale="1/2", n_independent=3)
        assert check_claim(claim, case).status == "violated"
        assert check_claim(BY_ID["S7-deviation@strengthened"], case).status == "inapplicable"
    wrong = claim.cases[0].with_settings(n_independent=2)
    assert "there are 3" in check_claim(claim, wrong).reason


# Closed forms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3, 5])
@pytest.mark.parametrize("cardinality", [True, False])
def test_i5(rank: int, cardinality: bool) -> None:
    one = independent_sets_first(rank, cardinality)
    assert one.optimum == 1
    assert greedy_value(one) == 1 - (1 - Fraction(1, rank)) ** rank
    states, _ = enumerate_runs(discrete.greedy, Case(one, sampling_scale=1, n_rounds=rank), RATIONAL)
    assert as_number(one.extension(states[:, -1])[0]) == greedy_value(one)


@pytest.mark.parametrize("m", [2, 3, 10, 100])
def test_i7(m: int) -> None:
    one = greedy_half(m)
    assert (greedy_value(one), one.optimum) == (m + 1, max(m + 1, 2 * m - 1))
    assert Fraction(m + 1, one.optimum) > Fraction(1, 2)


def test_i8() -> None:
    one = heavy_and_light()
    case = Case(one, sampling_scale=100, n_rounds=1)
    values = []
    for rule in (discrete.unweighted, discrete.greedy):
        states, weights = enumerate_runs(rule, case, RATIONAL)
        assert len(weights) == 1
        values.append(as_number(one.extension(states[:, -1])[0]))
    assert values == [Fraction(101, 10000), Fraction(99, 100)]


def test_most_answers_of_the_large_cases_are_left_to_chance() -> None:
    seen = 0
    for claim in BY_CHANCE:
        for case in claim.cases:
            chances = answer_chances(case.instance, Fraction(case.constants[discrete_symbol("sampling_scale")]))
            seen += sum(1 for k in chances if 0 < k < 1) > len(chances) / 3
    assert seen >= 6
    assert len(THREE.functions) == 9
    assert MANY.n_clients == 240


def discrete_symbol(name: str) -> Any:
    from fltheory import symbols

    return getattr(symbols, name)


def test_the_remark_on_what_kappa_means() -> None:
    from fltheory.papers.fedcg.discrete.bounds import least_scale

    one = SubmodularClients((Modular([1] * 10),), Uniform(10, 3))
    assert f"kappa = {least_scale(discrete_scale(), one, '1/10')}" in BY_ID["S6-uniform@strengthened"].remark


def test_other_problems_are_inapplicable() -> None:
    parted = SubmodularClients((Modular((1, 2)),), Partition([[0, 1]], [1]))
    uniform = BY_ID["S6-uniform@strengthened"]
    assert check_claim(uniform, Case(parted, accuracy="1/2", sampling_scale=1000)).reason.startswith(
        "a uniform matroid"
    )
    assert "sampling_scale" in check_claim(uniform, Case(KINDS, accuracy="1/2", sampling_scale=1)).reason
    facility = BY_ID["D.2@printed"]
    modular = SubmodularClients((Modular((1, 2)),), Uniform(2, 1))
    assert check_claim(facility, Case(modular, accuracy="1/2", sampling_scale=1000)).reason.startswith(
        "facility location"
    )
    promised = Case(KINDS, accuracy="3/5", sampling_scale=1000, optimum=100)
    assert "optimum = 100 contradicts the instance" in check_claim(uniform, promised).reason
    uneven = replace(KINDS, masses=(2,) + (1,) * 59)
    assert check_claim(facility, Case(uneven, accuracy="1/2", sampling_scale=1000)).status == "inapplicable"


@given(families.runs())
def test_runs_are_within_the_hypotheses(case: Case) -> None:
    assert check_claim(BY_ID["S6-uniform@strengthened"], case).status in ("holds", "vacuous")
