"""A model is checked exactly: a wrong one is rejected by the hypothesis that fails, contradictions have none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sympy import Expr, Integer, Rational, Symbol, binomial, exp, log, oo, sqrt

from fltheory.proof.find.of_file import proofs_of_file
from fltheory.proof.language import (
    Defines,
    Given,
    Hypothesis,
    Member,
    ProofError,
    Proofs,
    Relation,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.models import (
    Model,
    check_model,
    model_status,
    model_status_text,
    path_of,
    read_models,
    summary,
    write_models,
)
from fltheory.proof.terms import (
    Dot,
    Draw,
    E,
    Fun,
    Grad,
    Indicator,
    Nonnegative,
    Positive,
    RandomInteger,
    RandomScalar,
    RandomVector,
    Scalar,
    Total,
    Val,
    Vector,
    family,
    square,
)

x, y = (Symbol(name, real=True) for name in "xy")
p = Symbol("p", positive=True)
M = Symbol("M", integer=True, positive=True)
i, n = (Symbol(name, integer=True, nonnegative=True) for name in "in")
a, eta = family(Scalar, "a"), family(Positive, "eta")
u, X = family(Vector, "u"), family(RandomVector, "X")
F, tau = family(Fun, "F"), family(RandomScalar, "tau")


def theorem(*hypotheses: Hypothesis | Relation) -> Theorem:
    entries = tuple(h if not isinstance(h, Relation) else Given(f"h{k}", h) for k, h in enumerate(hypotheses, 1))
    return Theorem("mine/T", le(0, 1), entries)


def fault(model: Model, *hypotheses: Hypothesis | Relation) -> str:
    return check_model(theorem(*hypotheses), model).fault


def point(**symbols: object) -> Model:
    return Model({name: str(value) for name, value in symbols.items()})


GOOD: dict[str, tuple[Model, tuple[Hypothesis | Relation, ...]]] = {
    "rationals": (point(x="1/3", y=2), (le(x, y), lt(0, x), eq(6 * x, y))),
    "roots": (point(x="sqrt(2)", y=2), (eq(x**2, y), lt(Rational(7, 5), x), le(x, Rational(3, 2)))),
    "logarithms": (point(x="-log(2)", y="1/2"), (eq(exp(x), y), lt(x, 0), eq(log(y), x))),
    "families": (
        Model({"M": "3"}, {"Scalar a": {"0": "0", "*": "1"}}),
        (eq(Total(a(i), i, 0, M), M), le(a(i), 1, (i, 0, M))),
    ),
    "vectors": (
        Model(members={"Vector u": {"1": "1 0", "2": "0 1/2"}}, dimension=2),
        (eq(Dot(u(1), u(2)), 0), eq(square(u(1) - u(2)), Rational(5, 4)), eq(u(1) - u(1), 0)),
    ),
    "functions": (
        Model({"p": "2"}, {"Vector u": {"0": "3", "1": "1"}}, {"F": {"": "1 1 5"}}),
        (
            Member("class", F(), p, 1),
            eq(u(1), u(0) - Grad(F(), u(0))),
            eq(Val(F(), u(0)), 7),
            lt(Val(F(), u(1)), Val(F(), u(0))),
        ),
    ),
    "outcomes": (
        Model(members={"RandomScalar tau": {"1": "1|-1", "2": "1|-1"}}, weights=("1/2", "1/2")),
        (eq(E(tau(1)), 0), eq(tau(1) ** 2, 1), eq(E(tau(1) * tau(2)), 1), eq(E(Indicator(tau(1))), Rational(1, 2))),
    ),
    "permutations": (
        Model(
            functions={"F": {"1": "1 0 0", "2": "1 2 0"}}, members={"Vector u": {"": "0"}}, population=2, rounds=("",)
        ),
        (
            eq(E(Val(F(Draw(i + 1, Integer(2))), u())), Total(Val(F(n), u()), n, 1, 2) / 2, (i, 0, 1)),
            eq(Draw(Integer(1), Integer(2)) + Draw(Integer(2), Integer(2)), 3),
        ),
    ),
    "definitions": (
        Model({"x": "2"}, {"Scalar a": {"0": "1"}}),
        (Defines("d", a(n, i), x * n + i), eq(a(3, 1), 7), Defines("s", y, x + 1), eq(y, 3), eq(a(0), 1)),
    ),
    "empty ranges": (point(M=1), (le(1, 0, (i, 0, M - 2)),)),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_model_is_seen_to_be_one(name: str) -> None:
    model, hypotheses = GOOD[name]
    found = check_model(theorem(*hypotheses), model)
    assert not found.fault
    assert not found.prefix


BAD: dict[str, tuple[Model, tuple[Hypothesis | Relation, ...], str]] = {
    "false": (point(x="1/3"), (le(x, 1), le(1, x)), "h2"),
    "not strict": (point(x=1), (lt(x, 1),), "h1"),
    "not strict at a root": (point(x="sqrt(2)"), (lt(x**2, 2),), "h1"),
    "no equation": (point(x="7/5"), (eq(x**2, 2),), "h1"),
    "out of its domain": (point(p=0), (le(p, 1),), "p = 0 is out of its domain"),
    "no integer": (point(M="3/2"), (le(1, M),), "M = 3/2 is out of its domain"),
    "no value": (Model(), (le(x, 1),), "x has no value"),
    "a division by 0": (point(x=0), (le(1 / x, 1),), "a division by 0"),
    "the root of what is negative": (point(x=-1), (le(sqrt(x), 1),), "h1"),
    "not positive": (Model(members={"Positive eta": {"0": "0"}}), (le(eta(0), 1),), "not positive"),
    "negative": (Model(members={"Nonnegative a": {"0": "-1"}}), (le(Nonnegative(Symbol("a"), 0), 1),), "negative"),
    "no whole draw": (
        Model(members={"RandomInteger k": {"": "1/2"}}),
        (le(RandomInteger(Symbol("k")), 1),),
        "not an integer",
    ),
    "one place of a range": (Model({"M": "3"}, {"Scalar a": {"2": "2", "*": "1"}}), (le(a(i), 1, (i, 0, M)),), "i = 2"),
    "one outcome": (Model(members={"RandomScalar tau": {"1": "1|-1"}}, weights=("1/2", "1/2")), (le(0, tau(1)),), "h1"),
    "chance for what has none": (
        Model(members={"Scalar a": {"1": "1|-1"}}, weights=("1/2", "1/2")),
        (eq(E(a(1)), 0),),
        "h1",
    ),
    "probabilities": (Model(weights=("1/2", "1/3")), (le(0, 1),), "do not add up to 1"),
    "a mean that is none": (
        Model(members={"RandomScalar tau": {"1": "1|-1"}}, weights=("1/3", "2/3")),
        (eq(E(tau(1)), 0),),
        "h1",
    ),
    "not smooth": (Model(functions={"F": {"": "3 0 0"}}), (Member("class", F(), 2, None),), "class"),
    "not strongly convex": (Model(functions={"F": {"": "1 0 0"}}), (Member("class", F(), None, 2),), "class"),
    "concave": (Model(functions={"F": {"": "-1 0 0"}}), (Member("class", F(), 1, 0),), "class"),
    "one function of a family": (
        Model({"M": "2"}, functions={"F": {"1": "1 0 0", "2": "2 0 0"}}),
        (Member("class", F(n), 1, 0),),
        "class",
    ),
    "no function": (Model(), (Member("class", F(), 1, 0),), "class"),
    "another step": (
        Model(members={"Vector u": {"0": "2", "1": "1"}}, functions={"F": {"": "1 0 0"}}),
        (eq(u(1), u(0) - Grad(F(), u(0))),),
        "h1",
    ),
    "a vector that is not 0": (Model(members={"Vector u": {"0": "2"}}), (eq(u(0), u(0)), eq(u(0) + u(0), 0)), "h2"),
    "a definition out of its domain": (point(x=0), (Defines("d", p, x**2),), "d"),
    "a later place of a range without end": (
        Model({"M": "1"}, {"Scalar a": {"*": "1"}}),
        (le(a(i) * i, 2, (i, 0, oo)),),
        "i = 3",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_model_is_rejected_with_what_fails(name: str) -> None:
    model, hypotheses, words = BAD[name]
    assert words in fault(model, *hypotheses)


def test_ranges_without_end_are_seen_through_where_values_stay_the_same() -> None:
    still = Model({"p": "1"}, {"Positive eta": {"*": "1"}})
    endless = le(eta(n + 1), p * eta(n), (n, 0, oo))
    assert check_model(theorem(endless), still) == check_model(theorem(), Model())
    table = Model({"p": "1"}, {"Positive eta": {str(k): "1" for k in range(9)}})
    found = check_model(theorem(endless), table)
    assert found.prefix
    assert not found.fault


def test_a_positive_number_below_every_share_is_no_model() -> None:
    """d <= s/m for every m and d > 0: it holds on any prefix, and is never said to hold for all m."""
    m = Symbol("m", integer=True, positive=True)
    small = Model(members={"Positive eta": {"": "1/100"}, "Nonnegative s": {"": "1"}})
    found = check_model(theorem(le(eta(), Nonnegative(Symbol("s")) / m, (m, 1, oo))), small)
    assert found.prefix


CONTRADICTIONS: dict[str, tuple[Hypothesis | Relation, ...]] = {
    "two sides": (le(x, 0), le(1, x)),
    "a sign": (le(p, 0),),
    "an open and a closed end": (lt(x, 1), le(1, x)),
    "integers between": (lt(1, M), lt(M, 2)),
    "more convex than smooth": (Member("class", F(), 1, 2),),
    "a negative smoothness": (Member("class", F(), -1, None),),
    "a negative length": (lt(square(u(0)), 0),),
    "Cauchy and Schwarz": (le(square(u(0)), 1), le(square(u(1)), 1), le(2, Dot(u(0), u(1)))),
    "a sum": (eq(Total(a(i), i, 1, 2), 3), le(a(i), 1, (i, 1, 2))),
    "a mean above its values": (le(tau(1), 1), lt(1, E(tau(1)))),
    "a variance": (eq(tau(1) ** 2, 1), eq(E(tau(1) ** 2), 2)),
    "a definition": (Defines("d", y, x), lt(x, y)),
    "a drawn client": (lt(2, Draw(Integer(1), Integer(2))),),
    "a mean of permuted places": (lt(Rational(3, 2), E(Draw(Integer(1), Integer(2)))),),
    "two limits of a step": (eq(a(1), a(0) + 1), eq(a(1), a(0))),
    "an exponential": (le(exp(x), 0),),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictory_hypotheses_have_no_model(name: str) -> None:
    from proofs_checks.search.find import find_model

    found, _ = find_model(theorem(*CONTRADICTIONS[name]), tries=100)
    assert found is None


FOUND: dict[str, tuple[Hypothesis | Relation, ...]] = {
    "scalars": (le(x, 0), lt(y, x), eq(p, x - y)),
    "a run": (
        Member("class", F(), p, 1),
        eq(u(n + 1), u(n) - x * Grad(F(), u(n)), (n, 0, M)),
        lt(0, x),
        le(x * p, 1),
        le(2, M),
        lt(0, square(u(0))),
    ),
    "signs": (eq(tau(i) ** 2, 1, (i, 1, 2)),),
    "draws": (eq(E(Draw(i + 1, M)), (M + 1) / 2, (i, 0, M - 1)),),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_search_finds_models(name: str) -> None:
    from proofs_checks.search.find import find_model

    found, blame = find_model(theorem(*FOUND[name]))
    assert found is not None, blame
    assert not fault(found, *FOUND[name])


def test_files_are_read_back(tmp_path: Path) -> None:
    models = {f"mine/{name.replace(' ', '-')}": model for name, (model, _) in GOOD.items()}
    write_models(tmp_path / "mine.json", models)
    assert read_models(tmp_path / "mine.json") == models
    assert read_models(tmp_path / "none.json") == {}
    (tmp_path / "mine.json").write_text('{"mine/T": {"no": 1}}')
    with pytest.raises(ProofError, match=r"mine\.json is not a readable file of models"):
        read_models(tmp_path / "mine.json")


def test_members_of_many_outcomes_are_written_once(tmp_path: Path) -> None:
    many = tuple(["1/40"] * 40)
    one = Model({"x": "1"}, {"Scalar a": {"0": "2"}}, weights=many)
    two = Model({"x": "3"}, {"Scalar a": {"0": "2"}, "Scalar b": {"": "1/7"}}, weights=many)
    other = Model({"x": "3"}, {"Scalar a": {"0": "5"}}, weights=many)
    models, path = {"mine/A": one, "mine/B": two, "mine/C": other}, tmp_path / "mine.json"
    write_models(path, models)
    assert read_models(path) == models
    assert path.read_text().count('"Scalar a"') == 2
    path.write_text('{"mine/T": {"like": "mine/A"}}')
    with pytest.raises(ProofError, match="not a readable file"):
        read_models(path)


def test_what_is_known_is_said(tmp_path: Path) -> None:
    own = theorem(le(x, 0), Given("second", le(-1, x)))
    bare, proofs = replace(own, id="mine/bare", hypotheses=()), Proofs("mine", (own,), tmp_path / "certificates")
    assert "no model of its hypotheses is known" in model_status_text(proofs, own)
    assert model_status_text(proofs, bare) == ""
    assert (
        summary([model_status(proofs, own), model_status(proofs, bare)])
        == "hypotheses satisfied by a model: 0 of 1 theorems, no model known for 1"
    )
    write_models(path_of(proofs), {"mine/T": point(x=-2)})
    assert "second" in model_status_text(proofs, own)
    path_of(proofs).unlink()
    write_models(path_of(proofs), {"mine/T": point(x="-1/2")})
    import os

    os.utime(path_of(proofs), (1, 1))
    assert model_status_text(proofs, own) == "its hypotheses hold together, in a stored model with x = -1/2"
    assert summary([model_status(proofs, own)]) == "hypotheses satisfied by a model: 1 of 1 theorems"


def test_terms_without_a_value_are_refused() -> None:
    endless: Expr = Total(a(i), i, 0, x)
    assert "integer" in fault(Model({"x": "1/2"}, {"Scalar a": {"*": "1"}}), le(endless, 1))
    assert "has no value" in fault(Model(members={"RandomVector X": {"0": "1"}}), le(square(X(1)), 1))


def test_numbers_of_subsets_have_values_at_whole_numbers():
    chosen = eq(binomial(M, i), 10)
    assert not fault(Model({"M": "5", "i": "2"}), chosen)
    assert "h1" in fault(Model({"M": "5", "i": "1"}), chosen)
    assert "needs known nonnegative integers" in fault(Model({"x": "-1"}), eq(binomial(x - 1, 2), 3))
    assert "integer" in fault(Model({"x": "1/2"}), eq(binomial(x, 2), 3))


# A file of one's own ----------------------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file with a theorem whose hypotheses hold together."""
    path = tmp_path / f"modelled_{tmp_path.name}.py"
    path.write_text(
        "from sympy import Symbol\n"
        "from fltheory.proof import by, le, proof\n"
        'a, b = (Symbol(name, nonnegative=True) for name in "ab")\n'
        'ONE = proof("mine/one").given("p", le(a, b)).qed(le(a, 2 * b), by.linear("p"))\n'
    )
    return path


@pytest.mark.parametrize(
    ("values", "status"), [({"a": "1", "b": "2"}, "holds"), ({"a": "2", "b": "1"}, "none"), (None, "none")]
)
def test_a_model_beside_a_file_is_checked_with_its_proofs(
    own: Path, values: dict[str, str] | None, status: str
) -> None:
    if values is not None:
        write_models(own.parent / "models/mine.json", {"mine/one": Model(symbols=values)})
    proofs = proofs_of_file(str(own))
    assert model_status(proofs, proofs.theorems[0]) == status


def test_a_broken_file_of_models_is_named(own: Path) -> None:
    (own.parent / "models").mkdir()
    (own.parent / "models/mine.json").write_text("{")
    with pytest.raises(ProofError, match=r"mine\.json is not a readable file of models"):
        proofs_of_file(str(own))
