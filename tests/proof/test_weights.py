"""Combinations that only name what they use: weights are found, stored ones are put in, and a false line stays unproved."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sympy import Integer, Symbol, exp, sqrt

from fltheory.proof import by, eq, le, lt, proof
from fltheory.proof import language as lang
from fltheory.proof.algebra.infix import readable
from fltheory.proof.algebra.residual import step_context
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_all_certificates
from fltheory.proof.find.of_file import proofs_of_file
from fltheory.proof.find.unwritten import with_found_weights
from fltheory.proof.language import ProofError, Relation, Theorem
from fltheory.proof.tactics import stored
from fltheory.proof.tactics.monomials import polynomial_of
from fltheory.proof.tactics.weights import find_weights
from fltheory.proof.terms import Nonnegative, Total, Vector, family

a, b, c = (Symbol(name, nonnegative=True) for name in "abc")
p, q = (Symbol(name, positive=True) for name in "pq")
x, y = (Symbol(name, real=True) for name in "xy")
n = Symbol("n", integer=True, positive=True)
k = Symbol("k", integer=True, positive=True)
t = family(Nonnegative, "t")
u, v = Vector("u"), Vector("v")


def theorem(claim: Relation, *used: Relation, **options: object) -> Theorem:
    chain = proof("mine/one")
    for number, relation in enumerate(used, 1):
        chain = chain.given(str(number), relation)
    return chain.qed(claim, by.linear(*map(str, range(1, len(used) + 1))), name="last", **options)


def outcome(own: Theorem) -> tuple[str, str]:
    """What comes of the last line after the search, and why."""
    step = check_theorem(with_found_weights(own)[0], {}).steps[-1]
    return step.outcome, step.reason


FOUND = [
    theorem(le(a, 6 * c), le(a, 2 * b), le(b, 3 * c)),  # numbers
    theorem(le(a * c, c), le(a, b), le(b, 1)),  # a letter that is not negative
    theorem(le(a / p, b / p), le(a, b)),  # a quotient
    theorem(eq(x / p, y / p), eq(x, y)),
    theorem(eq(x, 2), eq(p * x, 2 * p)),  # an equation divided by what is positive
    theorem(le(a**2, b * c), le(a, b), le(a, c)),  # a product of two of them
    theorem(le(a**2, b * x), le(a, b), le(a, x)),
    theorem(le(sqrt(p) * a, p * b), le(a, sqrt(p) * b)),  # roots
    theorem(le(a * exp(-x), b * exp(-x)), le(a, b)),
    theorem(le(a, b + c), le(a, b)),  # slack
    theorem(le(a, n * b), le(a, b)),  # a count is at least 1
    theorem(le(1 / (p + q), 1 / p)),  # nothing is used
    theorem(lt(x, y + 1), lt(x, y)),
    theorem(le(Total(t(k), k, 1, n), 2 * n), le(Total(t(k), k, 1, n) / 2, n)),  # a sum as one term
]
FALSE = [
    (theorem(le(a, 2 * b - 1), le(a, b)), "the sides differ by b - 1"),
    (theorem(le(x * x, x * y), le(x, y)), "the weight x of 1 is not seen to be nonnegative"),
    (theorem(le(-b, -a), le(b, a)), "the weight -1 of 1 is not seen to be nonnegative"),
    (theorem(eq(x, y), le(x, y)), "the inequality 1 cannot prove an equation"),
    (theorem(eq(x, y + 1), eq(x, y)), "the sides differ by 1"),
    (theorem(lt(x, y), le(x, y)), "a strict claim needs a strict inequality with a positive weight"),
    (theorem(le(a, p), le(a * x, p * x)), None),  # divided by what may vanish
]


@pytest.mark.parametrize("own", FOUND, ids=lambda own: str(own.statement))
def test_weights_are_found(own: Theorem) -> None:
    assert outcome(own) == ("PROVED", "")


@pytest.mark.parametrize(("own", "why"), FALSE, ids=lambda v: str(getattr(v, "statement", "")))
def test_a_line_that_does_not_follow_stays_unproved_and_says_why(own: Theorem, why: str | None) -> None:
    told, reason = outcome(own)
    assert told == "UNKNOWN"
    assert reason
    assert why is None or reason == why


def test_a_weight_of_the_wrong_sign_is_shown_and_not_among_those_found() -> None:
    own, found = with_found_weights(FALSE[1][0])
    assert found == {}
    assert own.steps[-1].rule.weights == (("1", x),)


def test_the_sum_of_what_is_named_needs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    own = theorem(le(a, c), le(a, b), le(b, c))
    monkeypatch.setattr("fltheory.proof.find.unwritten.find_weights", lambda *given: pytest.fail("searched"))
    assert with_found_weights(own) == (own, {})


def test_written_weights_are_kept() -> None:
    wrong = proof("mine/one").given("1", le(a, b)).qed(le(a, 2 * b), by.linear({"1": 2}))
    assert with_found_weights(wrong) == (wrong, {})
    assert outcome(wrong)[0] == "UNKNOWN"


def test_the_search_gives_exact_numbers() -> None:
    own = theorem(le(7 * a, 3 * c), le(a, b), le(7 * b, 3 * c))
    assert find_weights(step_context(own, own.steps[-1]), ("1", "2")) == {"1": 7, "2": 1}


def test_an_assumption_of_the_line_has_a_weight_too() -> None:
    claim = le(a * b, a + a * b**2)
    chain = proof("mine/cases").step("under", claim, by.linear(), assuming=le(b, 1))
    own = chain.step("over", claim, by.linear(), assuming=le(1, b)).qed(claim, by.cases("under", "over"))
    whole, found = with_found_weights(own)
    assert found == {"under": {"assumed 1": a}, "over": {"assumed 1": a * b}}
    assert check_theorem(whole, {}).verdict == "PROVED"


# Stored weights


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of stored weights of its own."""
    monkeypatch.setattr(stored.certificates, "recorded_files", lambda: tmp_path)
    stored.read_weights.cache_clear()
    yield tmp_path
    stored.read_weights.cache_clear()


def made() -> Theorem:
    return theorem(le(a * c, 2 * c), le(a, b), le(b, 2))


def test_stored_weights_are_put_in_when_the_theorem_is_made(folder: Path) -> None:
    assert made().steps[-1].rule.weights == ()
    found = with_found_weights(made())[1]
    stored.save_weights(stored.path_of("mine"), {"mine/one": found})
    assert made().steps[-1].rule.weights == (("1", c), ("2", c))
    assert outcome(made()) == ("PROVED", "")
    assert with_found_weights(made()) == (made(), {})


def test_weights_are_written_beside_those_of_others(folder: Path) -> None:
    path = stored.path_of("mine")
    stored.save_weights(path, {"mine/two": {"1": {"1": sqrt(p) / 2}}})
    stored.save_weights(path, {"mine/one": {"last": {"1": Integer(2)}}})
    read = stored.read_weights(path)
    assert set(read) == {"mine/one", "mine/two"}
    assert read["mine/one"] == {"last": {"1": "2"}}
    assert stored.stored_steps("mine/two", path) == ("1",)
    assert made().steps[-1].rule.weights == (("1", 2),)


def test_stale_weights_prove_nothing_and_are_found_anew(folder: Path) -> None:
    stored.save_weights(stored.path_of("mine"), {"mine/one": {"last": {"1": Integer(3), "2": Integer(1)}}})
    stale = made()
    assert check_theorem(stale, {}).verdict == "UNKNOWN"
    own, found = with_found_weights(stale, stored=stored.stored_steps("mine/one", stored.path_of("mine")))
    assert found == {"last": {"1": c, "2": c}}
    assert check_theorem(own, {}).verdict == "PROVED"


def test_weights_of_what_a_step_no_longer_uses_are_passed_over(folder: Path) -> None:
    stored.save_weights(stored.path_of("mine"), {"mine/one": {"last": {"3": Integer(1)}}})
    assert made().steps[-1].rule.weights == ()
    assert check_theorem(made(), {}).verdict == "UNKNOWN"


@pytest.mark.parametrize("key", ["../../x", "", "a b"])
def test_a_key_names_no_other_file(key: str) -> None:
    with pytest.raises(ProofError, match="is not a valid key of proofs"):
        stored.path_of(key)


@pytest.mark.parametrize(
    ("own", "why"),
    [
        (proof("mine/one").given("1", le(a, b)).qed(le(a, b), by.linear("nope")), "step 1 uses nope"),
        (proof("mine/one").given("1", le(a, b)).qed(le(a, b), by.linear("1"), inserting="nope"), "step 1 uses nope"),
        (proof("mine/one").given("1", a <= b).qed(a <= b, by.linear("1")), "is not a part of a proof"),
        (proof("mine/one").where("d", a, b).qed(le(a, c), by.linear("d")), "d"),
    ],
)
def test_a_line_that_can_not_be_read_is_told_and_not_searched(own: Theorem, why: str) -> None:
    report = check_theorem(with_found_weights(own)[0], {})
    assert report.verdict == "UNKNOWN"
    assert why in " ".join((*report.faults, *(s.reason for s in report.steps)))


def test_the_weights_of_a_package_stand_beside_its_certificates(tmp_path: Path) -> None:
    proofs = lang.Proofs("mine", (made(),), tmp_path)
    assert [r.verdict for r in find_all_certificates(proofs)] == ["PROVED"]
    assert stored.path_for(proofs) == tmp_path / "weights.json"
    assert json.loads((tmp_path / "weights.json").read_text())["mine/one"]["last"].keys() == {"1", "2"}
    (loaded,) = stored.with_weights_of_package(proofs).theorems
    assert loaded.steps[-1].rule.weights == (("1", c), ("2", c))
    assert [r.verdict for r in find_all_certificates(proofs)] == ["PROVED"]


def test_a_papers_theorems_are_left_as_they_are(folder: Path) -> None:
    proofs = lang.Proofs("mine", (made(),), folder / "certificates")
    assert stored.with_weights_of_package(proofs) is proofs
    assert stored.path_for(proofs) == stored.path_of("mine")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "mine.json is not a readable file of weights"),
        ("[]", "mine.json: expected the weights by theorem, step and name"),
        ('{"mine/one": []}', "mine.json: expected the weights by theorem, step and name"),
        ('{"mine/one": {"last": 1}}', "mine.json: expected the weights by theorem, step and name"),
        ('{"mine/one": {"last": {"1": "open(1)"}}}', "mine.json, mine/one, step last: 'open(1)' is not a weight"),
        ('{"mine/one": {"last": {"1": "1/0"}}}', "mine.json, mine/one, step last: '1/0' is not a weight"),
        ('{"mine/one": {"last": {"1": 5}}}', "mine.json, mine/one, step last: 5 is not a weight"),
    ],
)
def test_a_broken_file_of_weights_is_named(folder: Path, text: str, why: str) -> None:
    path = stored.path_of("mine")
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ProofError, match=why.replace("(", r"\(").replace(")", r"\)")):
        made()


def test_every_stored_weight_belongs_to_a_step_that_writes_none() -> None:
    """What nothing asks for would stand there for ever."""
    from fltheory.claims.catalogue import KEYS
    from fltheory.proof.library import load

    for key in KEYS:
        read = stored.read_weights(stored.path_of(key))
        steps = {t.id: {s.id: s for s in t.steps} for t in load(key).theorems}
        idle = [f"{name}: {s}" for name, own in read.items() for s in own if s not in steps.get(name, {})]
        other = [
            f"{name}: {s}"
            for name, own in read.items()
            for s, weights in own.items()
            if s in steps.get(name, {}) and set(dict(steps[name][s].rule.weights)) != set(weights)
        ]
        assert (idle, other) == ([], [])


# Monomials


def test_a_polynomial_in_roots_quotients_and_vectors() -> None:
    own = polynomial_of((p + 1) * sqrt(q) / p - 2 * x)
    assert {sum(c for _, c in m): v for m, v in own.items()} == {0: 0, 1: -2} or len(own) == 3
    assert sorted(own.values()) == [-2, 1, 1]
    assert sorted(polynomial_of(2 * u - p * v).values()) == [-1, 2]
    assert polynomial_of(x - x) == {}
    assert polynomial_of(sqrt(Integer(8))) == {frozenset({(Integer(2), Fraction(1, 2))}): 2}


# The kernel's terms in messages


@pytest.mark.parametrize(
    ("term", "formula"),
    [
        ("the sides differ by +(-1, b)", "the sides differ by b - 1"),
        ("+(*(-1, y), *(y, x), x, *(-1, ^(x, 2)))", "y*x + x - y - x^2"),
        ("*(2, ^(n, -1), ^(m, -1))", "2/(n*m)"),
        ("^(+(a, b), *(-1, c)) of 1", "(a + b)^(-c) of 1"),
        ("^(x, 1/2)", "x^(1/2)"),
        ("+(1, sum(*(2, t(k)), k, 1, n)) is", "1 + sum(2*t(k), k, 1, n) is"),
        ("*(-1, +(a, *(-1, b)))", "-(a - b)"),
        ("+(a, ^(-1, n))", "a + (-1)^n"),
        ("*(x, ^(-1, n))", "x*(-1)^n"),
        ("^(x, *(+(a, b), +(c, d)))", "x^((a + b)*(c + d))"),
        ("^(b, *(x, ^(poly(+(1, c)), -1)))", "b^(x/poly(1 + c))"),
        ("^(x, exp(y))", "x^exp(y)"),
        ("^(^(x, 2), 3)", "(x^2)^3"),
        ("^(2/3, n)", "(2/3)^n"),
        ("*(x, ^(2/3, -1))", "x/(2/3)"),
        ("*(-1, -2, x)", "2*x"),
        ("*(-1/2, x)", "-x/2"),
        ("+(y, *(-1, *(-1, x)))", "y - (-x)"),
        ("^(e(), y)", "exp(y)"),
        ("^(x, -1)", "1/x"),
        ("a step (x, y) stays", "a step (x, y) stays"),
        ("what is cut off +(a, *(b, c", "what is cut off +(a, *(b, c"),
        ("a name x^(2), and *(2)", "a name x^(2), and *(2)"),
        ("one cut off ^(2) and one whole +(a, b)", "one cut off ^(2) and one whole a + b"),
    ],
)
def test_terms_of_messages_are_formulas(term: str, formula: str) -> None:
    assert readable(term) == formula


def test_a_combination_with_axioms_or_squares_is_not_searched() -> None:
    step = made().steps[-1]
    assert stored.has_no_weights(step)
    for rule in (lang.Combine(squares=True), lang.Combine((("1", Integer(1)),)), lang.Summed((k,), Integer(1))):
        assert not stored.has_no_weights(replace(step, rule=rule))


@pytest.mark.parametrize("last", ["", 'PROOFS = Proofs("mine", (ONE,), Path(__file__).parent / "certificates")\n'])
def test_the_proofs_of_a_file_are_completed_with_and_without_a_list(tmp_path: Path, last: str) -> None:
    file = tmp_path / f"completed_{len(last)}.py"
    file.write_text(
        "from pathlib import Path\n"
        "from sympy import Symbol\n"
        "from fltheory.proof import Proofs, by, le, proof\n"
        'a, b, c = (Symbol(name, nonnegative=True) for name in "abc")\n'
        'ONE = proof("mine/one").given("p", le(a, 2 * b)).given("q", le(b, 3 * c)).qed(le(a, 6 * c), by.linear("p", "q"))\n'
        + last
    )
    proofs = proofs_of_file(str(file))
    assert [check_theorem(t, {}).verdict for t in proofs.theorems] == ["PROVED"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == [file.name]
