"""A round of clients drawn without replacement, with local steps and noise, from class, steps and statement alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer, Max, Rational, Symbol

from fltheory.papers.sfl.recursion.proofs import descent, round
from fltheory.papers.sfl.recursion.proofs.drift import full
from fltheory.proof import Given, eq, le, library
from fltheory.proof.check import check_theorem, statement_alone
from fltheory.proof.facts import draws
from fltheory.proof.find import find_certificates
from fltheory.proof.find.products import product_of_facts
from fltheory.proof.language import Hypothesis, Relation, Theorem
from fltheory.proof.report import Report
from fltheory.proof.terms import Dot, E, RandomVector, Total, Vector, family, square
from fltheory.proving import Proved, Refuted, prove, standard
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget
from fltheory.proving.multipliers.agents import read_alike
from fltheory.proving.multipliers.system.forms import constants_apart, without_common
from fltheory.proving.source import source_of
from fltheory.proving.tactics.squared_sums import squared_sums
from fltheory.proving.weighing import weighed
from tests.proving.agent_cases import AGENTS, each, m, noise, other
from tests.proving.agent_cases import sigma as sigma_of_clients

pytest.importorskip("clarabel")
K, M, S, L, eta, mu, sigma, zeta_star = (
    round.K,
    round.M,
    round.S,
    round.L,
    round.eta,
    round.mu,
    round.sigma,
    round.zeta_star,
)
i, k, n, xi = round.i, round.k, round.n, round.xi
SAMPLED = (*round.SETTING, round.FEW, round.CAP)
ALL = (
    *full((descent.CLASS, descent.GRADIENT, descent.VARIANCE, descent.PAST, descent.START)),
    descent.AFTER,
    descent.CAP,
)
NAMES = [h.id for h in SAMPLED]
NEEDED = ("optimum", "variance", "unbiased", "start", "draw gap", "two", "few", "c1")


def sampled(noise: object = 4, gap: object = Rational(2, 3), drift: object = Rational(8, 3)) -> Relation:
    """Return what S of M clients with K steps each gain in a round, with some constants."""
    spread = 4 * eta**2 * K**2 * S * (M - S) / Max(M - 1, 1) * zeta_star**2
    right = round.SHRUNK + noise * S * K * eta**2 * sigma**2 - gap * eta * S * K * round.GAP + spread
    return le(E(square(round.after - round.best)) - drift * L * eta * round.DRIFT, right)


def board_of(statement: Relation, hypotheses: tuple[Hypothesis, ...]) -> Board:
    lemmas = {t.id: statement_alone(t) for t in standard.named("mine")}
    return Board(hypotheses, Budget(400), lemmas, name="mine/round")


def found(statement: Relation, hypotheses: tuple[Hypothesis, ...]) -> bool:
    """Return whether multipliers prove a statement, after the bounds on sums of noise and of draws."""
    return weighed(board_of(statement, hypotheses), statement, "explicit") is not None


def is_accepted(outcome: Proved) -> bool:
    """Return whether the file of a proof is: its certificates are found from the theorems alone."""
    known: dict[str, Report] = {}
    for theorem in (*outcome.facts, outcome.theorem):
        known[theorem.id] = check_theorem(theorem, find_certificates(theorem, known), known)
    return {report.verdict for report in known.values()} == {"PROVED"}


def test_a_round_of_s_of_m_clients() -> None:
    assert sampled() == round.ONE_ROUND
    outcome = prove(Theorem("mine/round", round.ONE_ROUND, SAMPLED))
    assert isinstance(outcome, Proved)
    assert outcome.region == ()
    assert {"mine/noise", "mine/sampled"} <= {t.id for t in outcome.facts}
    assert "local" in outcome.theorem.unused
    built: dict[str, Theorem] = {}
    exec(source_of(*outcome.facts, outcome.theorem), built)
    assert outcome.theorem in built.values()
    assert is_accepted(outcome)


@pytest.mark.parametrize("name", ["sfl/U4", "sfl/round-nc", "sfl/U9"])
def test_a_round_of_all_clients(name: str) -> None:
    recorded = next(t for t in library.load("sfl").theorems if t.id == name)
    outcome = prove(replace(recorded, id=f"mine/{name.split('/')[1]}"))
    assert isinstance(outcome, Proved)
    assert outcome.region == ()
    assert is_accepted(outcome)


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_left_out_is_missing(name: str) -> None:
    assert name in NAMES
    assert not found(round.ONE_ROUND, tuple(h for h in SAMPLED if h.id != name))


@pytest.mark.parametrize("name", [h.id for h in ALL if h.id not in ("after", "gradient")])
def test_what_is_left_out_is_missing_without_convexity(name: str) -> None:
    assert not found(descent.ROUND.statement, tuple(h for h in ALL if h.id != name))


def test_a_step_ten_times_as_large_is_too_large() -> None:
    wide = Given("c1", le(eta * S * K, 10 / (6 * L)))
    assert not found(round.ONE_ROUND, tuple(wide if h.id == "c1" else h for h in SAMPLED))


@pytest.mark.parametrize(
    "constants",
    [{"noise": Rational(1, 2)}, {"gap": Rational(5, 2)}, {"drift": Rational(1, 10)}],
    ids=lambda c: next(iter(c)),
)
def test_false_neighbours(constants: dict[str, object]) -> None:
    assert not found(sampled(**constants), SAMPLED)


def test_one_agent_is_a_client_a_place_and_a_step() -> None:
    read = read_alike(Theorem("mine/round", round.ONE_ROUND, SAMPLED))
    assert read is not None
    assert {(low, high) for _, low, high in read.over} == {(1, M), (0, S - 1), (0, K - 1)}
    classes = [h for h in read.single.hypotheses if h.id in ("class", "class too")]
    assert len(classes) == 2
    names = {h.id for h in read.single.hypotheses}
    assert not {"local", "two", "unbiased"} & names  # they say nothing of one agent alone


def test_all_clients_drawn_have_the_average_of_all_clients() -> None:
    statement = descent.ROUND.statement
    read = read_alike(Theorem("mine/round", statement, ALL))
    assert read is not None
    assert any("drawn" in h.id for h in read.single.hypotheses)
    part = read_alike(Theorem("mine/round", round.ONE_ROUND, SAMPLED))
    assert part is not None
    assert not any("drawn" in h.id for h in part.single.hypotheses)


# Sums of noise and of draws -------------------------------------------------------------------------------------------


def bounds(*hypotheses: Hypothesis) -> list[Relation]:
    return [line.relation for line in squared_sums(board_of(le(0, 1), hypotheses))[1]]


def test_squares_of_noise_add_up() -> None:
    assert bounds(round.VARIANCE, round.PAST) == [le(E(square(round.per_step(xi(n, k)))), S * K * sigma**2)]
    assert bounds(round.VARIANCE) == bounds(round.PAST) == []


def test_noise_of_one_index() -> None:
    w = family(RandomVector, "w")
    past = Given("past", eq(E(Dot(Total(w(i), i, 0, n - 1), w(n))), 0, (n, 0, S - 1)))
    size = Given("size", le(E(square(w(n))), mu, (n, 0, S - 1)))
    assert bounds(past, size) == [le(E(square(Total(w(n), n, 0, S - 1))), S * mu)]
    later = Given("past", eq(E(Dot(Total(w(i), i, 0, n), w(n))), 0, (n, 0, S - 1)))  # with its own square
    assert bounds(later, size) == []


def test_noise_that_is_only_unbiased_against_the_last_step_is_none() -> None:
    last = Given("last", eq(E(Dot(xi(n, k - 1), xi(n, k))), 0, *round.STEP))
    other = replace(round.VARIANCE, relation=le(E(square(xi(n, k))), sigma**2, (n, 0, S - 1), (k, 0, K)))
    assert bounds(round.VARIANCE, last) == bounds(other, round.PAST) == []


def test_draws_without_replacement() -> None:
    own = (round.OPTIMUM, round.SPREAD, round.ONE, round.TWO, round.FEW)
    vectors = round.spread_part(i)
    wanted = le(E(square(Total(vectors, i, 0, S - 1))), S * (M - S) / Max(M - 1, 1) * zeta_star**2)
    assert bounds(*own) == [wanted]
    for left_out in (round.OPTIMUM, round.TWO, round.FEW):
        assert bounds(*(h for h in own if h != left_out)) == []


def test_draws_from_two_clients_or_more() -> None:
    """The mean square of S of M draws, and of a sample mean around the mean, with M - 1 below the line as papers have it."""
    v = family(Vector, "v")
    mean = Total(v(round.a), round.a, 1, M) / M
    own = {h.id: h for h in draws.given(lambda p: v(p) - mean, sigma**2)}
    hypotheses = (own["spread"], own["one"], own["two"], round.FEW, Given("several", le(2, M)))
    sample = Total(draws.drawn(n, v), n, 0, S - 1) / S
    true, false = (le(E(square(sample - mean)), c * (M - S) / (S * (M - 1)) * sigma**2) for c in (1, Rational(9, 10)))
    outcome = prove(Theorem("mine/sample", true, hypotheses))
    assert isinstance(outcome, Proved)
    assert outcome.consistent
    assert not isinstance(prove(Theorem("mine/sample", false, hypotheses), work=100), Proved)
    for left_out in ("two", "few", "several"):
        rest = tuple(h for h in hypotheses if h.id != left_out)
        assert not isinstance(prove(Theorem("mine/sample", true, rest), work=60), Proved)


def test_noise_of_clients_that_is_uncorrelated_in_pairs() -> None:
    case = next(case for case in AGENTS if case.name == "contraction with noise")
    pairs = Given("pairs", eq(E(Dot(noise(other), noise(m))), 0, each, (other, 1, m - 1)))
    size = Given("variance", le(E(square(noise(m))), sigma_of_clients**2, each))
    rest = tuple(h for h in case.hypotheses if h.id != "variance")
    assert isinstance(prove(Theorem("mine/pairs", case.statement(case.true), (*rest, size, pairs))), Proved)
    for less in ((*rest, size), (*rest, pairs)):
        assert not isinstance(prove(Theorem("mine/pairs", case.statement(case.true), less), work=60), Proved)


def test_a_step_that_is_not_needed_is_left_out() -> None:
    recursion = Given("step", eq(round.y(n, k + 1), round.y(n, k) - eta * round.g(n, k), *round.STEP))
    assert found(round.ONE_ROUND, (*SAMPLED, recursion))


def test_a_mean_for_each_client_says_nothing_of_a_random_one() -> None:
    own = Given("size", le(E(square(draws.X(round.a))), sigma**2, (round.a, 1, M)))
    outcome = prove(Theorem("mine/random", le(E(square(draws.drawn(Integer(0)))), sigma**2), (own,)), work=150)
    assert not isinstance(outcome, Proved)


def test_a_false_statement_about_draws_is_refuted_with_an_order() -> None:
    own = {h.id: h for h in draws.given(mean_square=sigma**2)}
    statement = le(E(square(Total(draws.drawn(n), n, 0, S - 1))), S * (M - S) / Max(M - 1, 1) * sigma**2)
    uncentred = (own["spread"], own["one"], own["two"], round.FEW)
    outcome = prove(Theorem("mine/uncentred", statement, uncentred))
    assert isinstance(outcome, Refuted)
    assert outcome.counterexample.model.population == int(outcome.counterexample.values[str(M)])


# Parameters -----------------------------------------------------------------------------------------------------------


def test_constants_of_their_own_are_numbers_and_no_parameters() -> None:
    a, b = Symbol("a", positive=True), Symbol("b", positive=True)
    atom = Dot(round.x, round.x)
    forms, own = constants_apart([{Integer(1): 4 * a * b**2 - b**3, atom: a}])
    assert own == {b}
    assert forms == [{atom: a, b**2: 4 * a, b**3: Integer(-1)}]


def test_common_parameters_are_divided_out() -> None:
    a, b = Symbol("a", positive=True), Symbol("b", real=True)
    atom = Dot(round.x, round.x)
    assert without_common({Integer(1): a**2 * b, atom: 3 * a}) == (a, {Integer(1): a * b, atom: Integer(3)})
    assert without_common({Integer(1): b, atom: b})[0] == 1  # it may be 0


def test_products_of_facts_with_counts() -> None:
    c = Symbol("c", real=True)
    count = Symbol("N", integer=True, positive=True)
    assert product_of_facts(count**2 * c / 2, (c,)) is not None
    assert product_of_facts(count * (1 - count), (c,)) is None
    assert product_of_facts(Integer(2), ()) is not None  # of no letter at all
