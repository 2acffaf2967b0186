"""``prove``: true statements are proved, false neighbours are refuted at exact values or stay stuck, never PROVED."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from sympy import Abs, Expr, Max, Min, Rational, Symbol, exp, log, oo, sqrt

from fltheory.command.proof_search import Request, run
from fltheory.proof import Given, ProofError, Relation, by, eq, le, lt, proof
from fltheory.proof import language as lang
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Theorem
from fltheory.proof.models import Model
from fltheory.proof.terms import E, Indicator, RandomScalar, Scalar, Total, Vector, family, square
from fltheory.proving import Proved, Refuted, Stuck, multipliers, outcomes, prove, refuting, source, weighing
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget, Exhausted
from fltheory.proving.refuting import counterexample, fails
from fltheory.proving.source import source_of

a, b, c = (Symbol(name, positive=True) for name in "abc")
t, u = (Symbol(name, real=True) for name in "tu")
z = Symbol("z", nonnegative=True)
n, N = Symbol("n", integer=True, nonnegative=True), Symbol("N", integer=True, positive=True)
i = Symbol("i", integer=True, positive=True)
d, s, w = (family(Scalar, name) for name in "dsw")
X, Y = family(RandomScalar, "X")(), family(RandomScalar, "Y")()
n_many = Symbol("m", integer=True, positive=True)
v = family(Vector, "v")


@dataclass(frozen=True)
class Question:
    """A true statement, its hypotheses, a rule that its proof needs, and a false neighbour."""

    name: str
    true: Relation
    false: Relation
    given: tuple[Relation, ...] = ()
    rule: type[Any] = lang.Combine

    def theorem(self, statement: Relation) -> Theorem:
        """Return the statement as a theorem without steps."""
        chain = proof(f"mine/{self.name}")
        for number, relation in enumerate(self.given, 1):
            chain = chain.given(f"h{number}", relation, "as supposed")
        return chain.conjecture(statement)


def rounds(step: Expr) -> Relation:
    return le(d(n + 1), step, (n, 0, N - 1))


QUESTIONS = (
    Question("two squares", le(2 * t * u, t**2 + u**2), le(3 * t * u, t**2 + u**2), (), lang.Polynomial),
    Question(
        "tangent of log",
        le(log(a) - log(b), a / b - 1),
        le(log(a) - log(b), a / (2 * b) - Rational(1, 2)),
        (),
        lang.Known,
    ),
    Question("exp grows", le(exp(t), exp(u)), le(exp(t), exp(u) / 2), (le(t, u),), lang.Known),
    Question("adding up", le(d(N), d(0) + N * c), le(d(N), d(0) + (N - 1) * c), (rounds(d(n) + c),), lang.Induction),
    Question("geometric", le(d(N), c**N * d(0)), le(d(N), c ** (N + 1) * d(0)), (rounds(c * d(n)),), lang.Induction),
    Question(
        "telescoping",
        le(Total(s(n), n, 0, N - 1), d(0) - d(N)),
        le(Total(s(n), n, 0, N - 1), d(0) - d(N) - 1),
        (rounds(d(n) - s(n)),),
        lang.Induction,
    ),
    Question(
        "largest", le(Max(t, u), (t + u + Abs(t - u)) / 2), le(Max(t, u), (t + u + Abs(t - u)) / 3), (), lang.Cases
    ),
    Question("smallest", le(Min(t, u) + Max(t, u), t + u), le(t + u, Min(t, u) + Max(t, u) - 1), (), lang.Cases),
    Question("modulus", le(Abs(t - u), c), le(Abs(t - u), c / 2), (le(t - u, c), le(u - t, c)), lang.Absolute),
    Question("powers", le(a**c, b**c), le(a**c, b**c / 2), (le(a, b),), lang.Power),
    Question(
        "sum of terms",
        le(Total(s(i), i, 1, N), Total(w(i), i, 1, N)),
        le(Total(s(i), i, 1, N), Total(w(i), i, 1, N) - 1),
        (le(s(i), w(i), (i, 1, N)),),
        lang.Summed,
    ),
    Question("at one index", le(s(3), c), le(s(3), c / 2), (le(s(i), c, (i, 1, 5)),), lang.Instance),
    Question(
        "squared sum",
        le(square(Total(v(i), i, 1, N)), N * Total(square(v(i)), i, 1, N)),
        le(square(Total(v(i), i, 1, N)), N * Total(square(v(i)), i, 1, N) / 2),
        (),
        lang.Summed,
    ),
    Question("squeezed", eq(t, u), eq(t, u + 1), (le(t, u), le(u, t)), lang.Squeezed),
    Question("log by its slope", le(2 * z / (2 + z), log(1 + z)), le(3 * z / (2 + z), log(1 + z)), (), lang.Rising),
    Question("quotient", le(a / b, c), le(a / b, c / 2), (le(a, b * c),)),
    Question("means", le(E(X), c), le(E(X), c / 2), (le(X, c),), lang.Expected),
    Question(
        "indicators", le(Indicator(t), Indicator(u)), le(Indicator(u), Indicator(t) - 1), (le(t, u),), lang.Monotone
    ),
    Question(
        "power below exp", le((1 - z) ** N, exp(-N * z)), le((1 - z) ** N, exp(-2 * N * z)), (le(z, 1),), lang.Known
    ),
    Question(
        "power of a share", le((1 - z / N) ** N, exp(-z)), le((1 - z / N) ** N, exp(-2 * z)), (le(z, 1),), lang.Power
    ),
    Question("root below 1", lt(0, 1 - sqrt(z)), lt(0, 1 - 2 * sqrt(z)), (lt(z, 1),)),
    Question("strict product", lt(a / n_many, a / 2), lt(a / n_many, a / 4), (le(3, n_many),)),
    Question("mean square", le(E(X) ** 2, E(X**2)), le(E(X**2), E(X) ** 2), (), lang.Expected),
    Question("difference of means", le(E(X) - E(Y), 1), le(E(X) - E(Y), 0), (le(X, Y + 1),), lang.Expected),
)


@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_a_true_statement_is_proved(question: Question) -> None:
    outcome = prove(question.theorem(question.true))
    assert isinstance(outcome, Proved), outcome
    again = check_theorem(outcome.theorem, outcome.certificates, {r.theorem.id: r for r in outcome.known})
    assert (again.verdict, again.scope, again.faults) == ("PROVED", "all parameters", ())
    assert outcome.theorem.statement == question.true
    assert outcome.theorem.hypotheses == question.theorem(question.true).hypotheses
    assert question.rule in {type(s.rule) for s in outcome.theorem.steps}


@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_its_false_neighbour_is_not(question: Question) -> None:
    outcome = prove(question.theorem(question.false))
    assert isinstance(outcome, Refuted | Stuck)
    if isinstance(outcome, Refuted):
        model = outcome.counterexample.model
        assert fails(question.false, outcome.theorem, model)
        assert not fails(question.true, outcome.theorem, model)


MOSTLY_REFUTED = [q for q in QUESTIONS if q.name not in ("means", "indicators")]


@pytest.mark.parametrize("question", MOSTLY_REFUTED, ids=[q.name for q in MOSTLY_REFUTED])
def test_it_is_refuted_at_exact_values(question: Question) -> None:
    assert isinstance(prove(question.theorem(question.false)), Refuted)


def test_the_kernel_confirms_a_counterexample_of_numbers() -> None:
    outcome = prove(QUESTIONS[0].theorem(QUESTIONS[0].false))
    assert isinstance(outcome, Refuted)
    assert outcome.counterexample.kernel
    assert check_theorem(outcome.theorem, {}).verdict == "REFUTED"


def test_no_counterexample_where_a_hypothesis_fails() -> None:
    theorem = QUESTIONS[2].theorem(QUESTIONS[2].true)
    assert counterexample(theorem, Budget()) is None
    freed = replace(theorem, hypotheses=())
    assert counterexample(freed, Budget()) is not None


def test_a_hypothesis_about_endlessly_many_indices_is_not_checked_on_a_few_alone() -> None:
    always = proof("mine/always").given("zero", eq(s(i), 0, (i, 1, oo)), "all of them").conjecture(le(s(10), 0))
    assert counterexample(always, Budget()) is None
    assert isinstance(prove(always), Proved)
    some = proof("mine/some").given("zero", eq(s(i), 0, (i, 1, 9)), "nine of them").conjecture(le(s(10), 0))
    assert isinstance(prove(some), Refuted)


def test_every_line_is_needed_and_the_proof_has_no_fault() -> None:
    for question in QUESTIONS[:6]:
        outcome = prove(question.theorem(question.true))
        assert isinstance(outcome, Proved)
        used = {name for step in outcome.theorem.steps for name in (*step.uses, *step.by)}
        assert {s.id for s in outcome.theorem.steps[:-1]} <= used
        idle = {h.id for h in outcome.theorem.hypotheses} - used
        assert set(outcome.theorem.unused) == idle


@pytest.mark.parametrize("question", QUESTIONS, ids=[q.name for q in QUESTIONS])
def test_a_found_proof_is_a_file_that_builds_it(question: Question) -> None:
    outcome = prove(question.theorem(question.true))
    assert isinstance(outcome, Proved)
    built: dict[str, Any] = {}
    exec(source_of(outcome.theorem), built)
    assert built["theorem"] == outcome.theorem


def test_the_same_statement_gives_the_same_proof_and_the_same_work() -> None:
    one, two = (prove(QUESTIONS[6].theorem(QUESTIONS[6].true)) for _ in range(2))
    assert isinstance(one, Proved)
    assert isinstance(two, Proved)
    assert (one.theorem, one.certificates, one.work) == (two.theorem, two.certificates, two.work)


def test_little_work_ends_the_search() -> None:
    outcome = prove(QUESTIONS[6].theorem(QUESTIONS[6].true), work=35)
    assert isinstance(outcome, Stuck)
    assert outcome.exhausted
    assert outcome.work <= 35


def test_a_budget_is_never_exceeded() -> None:
    budget = Budget(3)
    budget.spend(3)
    with pytest.raises(Exhausted):
        budget.spend(1)
    assert budget.spent == 3


LEMMA = proof("mine/lemma").given("order", le(a, b), "two lengths").conjecture(le(exp(a) * log(a), exp(b) * log(b)))
GOAL = (
    proof("mine/goal").given("h", le(2 * c, b), "as supposed").conjecture(le(exp(2 * c) * log(2 * c), exp(b) * log(b)))
)


def test_a_given_lemma_is_applied_and_named() -> None:
    outcome = prove(GOAL, given=(LEMMA,))
    assert isinstance(outcome, Proved)
    assert [t.id for t in outcome.lemmas] == ["mine/lemma"]
    assert not isinstance(prove(GOAL), Proved)


def test_a_lemma_whose_hypothesis_does_not_hold_is_not_applied() -> None:
    reverse = proof("mine/goal").given("h", le(b, 2 * c), "the other way round").conjecture(GOAL.statement)
    assert not isinstance(prove(reverse, given=(LEMMA,)), Proved)


def test_two_symbols_with_one_name_are_named() -> None:
    other = Symbol("c", real=True)
    assert other != c
    with pytest.raises(ProofError, match="two symbols are named c and suppose different things"):
        prove(Theorem("mine/names", le(c, c + 1), (Given("sign", le(0, other)),)))


def test_a_theorem_does_not_prove_itself() -> None:
    assert not isinstance(prove(LEMMA, given=(LEMMA,)), Proved)


def test_the_steps_of_a_given_theorem_are_ignored() -> None:
    lines = (lang.Step("1", le(t, u), lang.Combine()),)
    assert not isinstance(prove(Theorem("mine/no", le(t, u), (), lines)), Proved)


def test_stuck_names_a_goal_and_where_it_is_false() -> None:
    theorem = proof("mine/rounds").given("one", rounds(c * d(n)), "").conjecture(le(Total(exp(d(n)), n, 1, N), exp(c)))
    outcome = prove(theorem)
    assert isinstance(outcome, Refuted | Stuck)


def test_a_board_takes_no_line_that_the_kernel_refuses() -> None:
    board = Board((Given("h", le(t, u)),), Budget())
    assert board.accept(le(u, t), by.linear("h")) is None
    assert board.accept(lt(t, u), by.linear("h")) is None
    assert board.accept(le(t, u + 1), by.linear("h")) is not None
    assert board.accept(le(t, u - 1), by.polynomial("h")) is None


def test_a_line_under_an_assumption_is_used_only_there() -> None:
    board = Board((), Budget())
    inner = board.suppose(le(t, u)).accept(le(t, u), by.linear({"assumed 1": 1}))
    assert inner is not None
    assert inner.stating(le(t, u)) is not None
    assert inner.back(board).stating(le(t, u)) is None


def test_what_the_kernel_cannot_read_is_refused_with_its_reason() -> None:
    for statement, why in (
        (le(t, Symbol("odd", odd=True)), "assumptions"),
        (le(n, 2 ** (n * 10**9)), "beyond 1000000"),
        (le(s(n), c, (n, 0, 10**9)), "beyond 1000000"),
    ):
        with pytest.raises(ProofError, match=why):
            prove(Theorem("mine/odd", statement))


def test_contradictory_hypotheses_prove_what_follows_from_them_alone() -> None:
    theorem = proof("mine/both").given("low", le(t, 0), "").given("high", le(1, t), "").conjecture(le(u, 0))
    outcome = prove(theorem)
    assert isinstance(outcome, Stuck) or not outcome.consistent
    alone = prove(proof("mine/both").given("low", le(t, 0), "").given("high", le(1, t), "").conjecture(le(1, 0)))
    assert isinstance(alone, Proved)
    assert not alone.consistent


def test_hypotheses_that_hold_together_are_said_to() -> None:
    outcome = prove(QUESTIONS[2].theorem(QUESTIONS[2].true))
    assert isinstance(outcome, Proved)
    assert outcome.consistent


def test_endless_rounds_are_rounds_up_to_any() -> None:
    endless = Given("one", le(d(n + 1), c * d(n), (n, 0, oo)), "every round")
    assert isinstance(prove(Theorem("mine/endless", le(d(N), c**N * d(0)), (endless,))), Proved)


def test_a_world_that_breaks_a_hypothesis_is_no_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is checked on its own, whatever was drawn."""
    theorem = QUESTIONS[2].theorem(QUESTIONS[2].true)
    wrong = Model(symbols={"t": "1", "u": "0"})
    monkeypatch.setattr(refuting, "_models", lambda *_: iter([wrong]))
    assert counterexample(theorem, Budget()) is None
    assert counterexample(replace(theorem, hypotheses=()), Budget()) is not None
    monkeypatch.setattr(refuting, "_models", lambda *_: iter([Model(symbols={"t": "0", "u": "1"})]))
    assert counterexample(theorem, Budget()) is None


def test_a_counterexample_is_the_kernels_only_if_it_confirms_it(monkeypatch: pytest.MonkeyPatch) -> None:
    theorem = QUESTIONS[0].theorem(QUESTIONS[0].true)
    assert refuting.witness_theorem(theorem, Model(symbols={"t": "1", "u": "2"})) is None
    false = QUESTIONS[0].theorem(QUESTIONS[0].false)
    assert refuting.witness_theorem(false, Model(symbols={"t": "1", "u": "1"})) is not None
    vectors = QUESTIONS[12].theorem(QUESTIONS[12].false)
    found = prove(vectors)
    assert isinstance(found, Refuted)
    assert not found.counterexample.kernel


def test_only_what_the_kernel_confirms_as_a_whole_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (lang.Step("1", QUESTIONS[0].true, lang.Combine()),)
    monkeypatch.setattr(outcomes, "shortened", lambda board: (wrong, {}))
    with pytest.raises(AssertionError, match="are no proof"):
        prove(QUESTIONS[0].theorem(QUESTIONS[0].true))


def test_multipliers_that_the_kernel_does_not_confirm_are_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    theorem = proof("mine/two").conjecture(le(square(v(1) + v(2)), square(v(1))))
    claimed = multipliers.Found(
        replace(theorem, steps=(lang.Step("1", theorem.statement, lang.Combine()),)), {}, (), {}
    )
    monkeypatch.setattr(weighing, "prove_by_multipliers", lambda *_: claimed)
    monkeypatch.setattr(outcomes, "counterexample", lambda *_: None)
    assert isinstance(prove(theorem), Stuck)


def test_a_found_proof_has_no_line_to_spare() -> None:
    outcome = prove(QUESTIONS[6].theorem(QUESTIONS[6].true))
    assert isinstance(outcome, Proved)
    assert len(outcome.theorem.steps) == 9
    used = {name for s in outcome.theorem.steps for name in s.uses}
    assert {s.id for s in outcome.theorem.steps} - used == {outcome.theorem.steps[-1].id}
    assert all(len(s.uses) <= 2 for s in outcome.theorem.steps)


def test_lines_and_hypotheses_have_different_names() -> None:
    theorem = Theorem("mine/names", QUESTIONS[2].true, (Given("1", le(t, u), "called as a line would be"),))
    outcome = prove(theorem)
    assert isinstance(outcome, Proved)
    assert len({*(h.id for h in outcome.theorem.hypotheses), *(s.id for s in outcome.theorem.steps)}) == 3


def test_a_file_that_builds_another_theorem_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = prove(QUESTIONS[0].theorem(QUESTIONS[0].true))
    assert isinstance(outcome, Proved)
    text = source_of(outcome.theorem)
    monkeypatch.setattr(source, "_file", lambda *_: text.replace("2*t*u", "t*u"))
    with pytest.raises(ProofError, match="differs from it"):
        source_of(outcome.theorem)


@pytest.mark.parametrize(
    "name", ["N", "S", "by", "lambda", "theorem", "theorem_1", "x'", 'a"b', "x y", "le", "x²", "E"]
)
def test_a_symbol_may_have_any_name(name: str) -> None:
    letter = Symbol(name, real=True)
    theorem = (
        proof("mine/name", note='it\'s "so"').given("h", le(0, letter), 'don\'t "ask"').conjecture(le(0, letter + c))
    )
    outcome = prove(theorem)
    assert isinstance(outcome, Proved)
    built: dict[str, Any] = {}
    exec(source_of(outcome.theorem), built)
    assert built["theorem"] == outcome.theorem


def test_an_inequality_between_vectors_is_refused() -> None:
    with pytest.raises(ProofError, match="compares numbers"):
        prove(proof("mine/vectors").conjecture(le(v(1), v(2))))


@pytest.mark.parametrize(
    ("false", "given"),
    [
        pytest.param(eq(E(X * Y), E(X) * E(Y)), (), id="the mean of a product"),
        pytest.param(le(E(Abs(X)), Abs(E(X))), (), id="the mean of an absolute value"),
        pytest.param(le(E(Max(X, Y)), Max(E(X), E(Y))), (), id="the mean of a maximum"),
        pytest.param(le(E((t + X) ** 2), t**2), (eq(E(t * X), 0),), id="noise without a mean"),
    ],
)
def test_what_is_false_by_chance_alone_is_refuted(false: Relation, given: tuple[Relation, ...]) -> None:
    """Each holds for numbers that do not depend on chance."""
    outcome = prove(replace(Question("chance", false, false, given).theorem(false)))
    assert isinstance(outcome, Refuted)
    assert outcome.counterexample.model.weights == ("1/2", "1/2")
    assert "two equally likely outcomes" in str(outcome.counterexample.values)


def test_a_goal_that_is_false_in_a_drawn_world_is_not_searched() -> None:
    theorem = proof("mine/worlds").given("h", le(t, 1), "as supposed").conjecture(le(t, 2))
    worlds = refuting.Worlds.of(theorem)
    assert worlds.refute(le(t, -3), ())
    assert not worlds.refute(le(t, 1), ())
    assert not worlds.refute(le(t, -3), (le(t, -4),))  # where the assumption holds


def test_worlds_of_endless_runs_refute_nothing() -> None:
    """What lies beyond the beginning of an endless range is drawn freely, and may contradict the hypotheses."""
    given = le(d(n), 1, (n, 0, oo))
    theorem = proof("mine/endless").given("h", given, "as supposed").conjecture(le(d(9), 1))
    assert not refuting.Worlds.of(theorem).refute(le(d(9), -100), ())


def test_lemmas_keep_their_own_names_and_solve_for_new_ones() -> None:
    """The lemma has one more factor, which is 1 in the theorem; names that both have stay as they are."""
    lemma = proof("mine/lemma").given("step", le(d(n + 1), d(n) + a * b * c, (n, 0, N - 1)), "a step")
    lemma = lemma.conjecture(le(d(N), d(0) + N * a * b * c))
    theorem = proof("mine/theorem").given("step", le(d(n + 1), d(n) + b * c, (n, 0, N - 1)), "a step")
    outcome = prove(theorem.conjecture(le(d(N), d(0) + N * b * c)), [lemma])
    assert isinstance(outcome, Proved)
    (applied,) = (step for step in outcome.theorem.steps if isinstance(step.rule, lang.Apply))
    assert dict(applied.rule.at) == {a: 1}


def test_a_positive_value_of_a_lemma_is_shown_to_be_positive() -> None:
    """Its factor is 1 - sqrt(z), whose sign needs a line of its own."""
    lemma = proof("mine/factor").given("h", le(a * t, u), "as supposed").conjecture(le(t, u / a))
    theorem = (
        proof("mine/signed")
        .given("small", lt(z, 1), "as supposed")
        .given("h", le((1 - sqrt(z)) * t, u), "as supposed")
        .conjecture(le(t, u / (1 - sqrt(z))))
    )
    outcome = prove(theorem, [lemma])
    assert isinstance(outcome, Proved)
    assert not isinstance(prove(replace(theorem, hypotheses=theorem.hypotheses[1:]), [lemma], work=100), Proved)


def test_a_vector_beside_a_number_is_named() -> None:
    theorem = proof("mine/sorts").given("h", eq(v(), 1), "a mistake").conjecture(le(0, c))
    with pytest.raises(ProofError, match=r"Vector\(v\) == 1 compares a vector with a number"):
        prove(theorem)


def test_a_multiple_of_a_term_is_solved_when_worlds_are_drawn() -> None:
    """With 3 d(0) == t the hypotheses hold in a world, so that the false statement is refuted."""
    theorem = proof("mine/multiple").given("h", eq(3 * d(0), t), "as supposed").conjecture(le(t, d(0) + 1))
    assert isinstance(prove(theorem), Refuted)
    true = proof("mine/multiple").given("h", eq(3 * d(0), t), "as supposed").conjecture(le(t, 3 * d(0)))
    found = prove(true)
    assert isinstance(found, Proved)
    assert found.consistent


def test_what_is_read_as_a_total_function_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The root of a number of either sign is read as some number; the answer says so."""
    run(
        Request(proof("mine/root").conjecture(le(0, t**2 + sqrt(t) ** 2 * 0 + sqrt(u) - sqrt(u))), (), (), 50),
        None,
        False,
    )
    capsys.readouterr()
    run(Request(proof("mine/root").conjecture(le(log(t), log(t) + c)), (), (), 50), None, False)
    assert "outside its natural domain" in capsys.readouterr().out
