"""Clients from a user's own data: read exactly, constants true, claims judged on them, bad input told with its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import Case, find, symbols
from fltheory.claims.check import check_claim
from fltheory.evidence.exact import exact_value
from fltheory.evidence.verdict import import_lines
from fltheory.number import RATIONAL, to_ball, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.problems import from_data
from fltheory.problems.data import LeastSquaresData, LogisticData
from fltheory.problems.data.samples import CHECKSUM
from fltheory.runs import assumptions
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import LastGap
from tests.problems.own_constants import require_own_constants

CSV = """client,age,dose,label,price
north,0.5,-1,1,2.25
south,1.25,0.75,0,1.5
north,-0.5,0.1,0,-1.75
west,2,1/3,1,3
south,-1.5,2,0,-4.125
north,1,1.5,1,0.5
west,0.25,-0.8,1,1
south,0.75,-0.25,1,1.75
"""
NUMBERS = ("age", "dose")
X = [[0.5, -1], [1.25, 0.75], [-0.5, 0.1], [2, Fraction(1, 3)], [-1.5, 2], [1, 1.5], [0.25, -0.8], [0.75, -0.25]]
WHO = ["north", "south", "north", "west", "south", "north", "west", "south"]
PRICES = [2.25, 1.5, -1.75, 3, -4.125, 0.5, 1, 1.75]
LABELS = [1, 0, 0, 1, 0, 1, 1, 1]
SQUARES = from_data({"X": X, "y": PRICES, "client": WHO}, "squares", regularisation="1/10")
LOGISTIC = from_data({"X": X, "y": LABELS, "client": WHO}, regularisation="1/2")
Instance = LogisticData | LeastSquaresData
Written = Callable[[str], str]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a CSV file; its path."""

    def write(text: str) -> str:
        path = tmp_path / "data.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def read(path: str, loss: Any = "squares", **options: Any) -> Instance:
    """The clients of a file, of its features age and dose."""
    target = "price" if loss == "squares" else "label"
    return from_data(path, loss, **{"target": target, "features": NUMBERS, **options})


# What is read ---------------------------------------------------------------------------------------------------------


def test_decimals_and_fractions_are_read_exactly(written: Written) -> None:
    found = read(written(CSV), regularisation="1/10")
    assert found == SQUARES
    assert found.samples.names == ("north", "south", "west")
    assert found.samples.features[0] == ((Fraction(1, 2), -1), (Fraction(-1, 2), Fraction(1, 10)), (1, Fraction(3, 2)))
    assert found.samples.features[2][0] == (2, Fraction(1, 3))
    assert read(written(CSV), "logistic", regularisation="1/2") == LOGISTIC


@pytest.mark.parametrize("loss", ["logistic", "squares"])
def test_an_npz_file_equals_a_csv_file(loss: Any, tmp_path: Path, written: Written) -> None:
    table = CSV.replace("1/3", "0.3125")
    features = [[float(v) for v in row] for row in X]
    features[3][1] = 0.3125
    path = tmp_path / "data.npz"
    np.savez(path, X=np.array(features), y=np.array(PRICES if loss == "squares" else LABELS), client=np.array(WHO))
    assert from_data(path, loss) == read(written(table), loss)


def test_any_two_labels_serve_and_the_smaller_is_0() -> None:
    def labels(values: list[Any]) -> Any:
        return from_data({"X": [[1], [2], [3]], "y": values, "client": [0, 0, 0]}).samples.targets[0]

    assert labels(["yes", "no", "yes"]) == (1, 0, 1)
    assert labels([-1, 1, 1]) == labels(["-1.0", "1", "1.0"]) == labels([False, True, True]) == (0, 1, 1)
    assert labels(["10", "9", "9"]) == (1, 0, 0)


def test_all_other_columns_are_features_and_an_intercept_comes_last(written: Written) -> None:
    found = from_data(written(CSV), target="label", intercept=True)
    assert found.samples.features[2][0] == (2, Fraction(1, 3), 3, 1)
    assert found.dim == 4


def test_clients_can_be_picked(written: Written) -> None:
    found = read(written(CSV), clients=["west", "north"])
    assert found.samples.names == ("west", "north")
    assert found.samples.targets == ((3, 1), (Fraction(9, 4), Fraction(-7, 4), Fraction(1, 2)))


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "squares", "intercept": True, "start": (1, 0, "1/3")},
        {"loss": "logistic", "batch_size": 2, "clients": ("west", "south")},
    ],
)
def test_the_repr_rebuilds_the_instance(options: Any, written: Written) -> None:
    found = read(written(CSV), **options)
    names: dict[str, Any] = {}
    exec(import_lines(found), names)
    assert eval(repr(found), names) == found
    assert hash(eval(repr(found), names)) == hash(found)


@pytest.mark.parametrize("instance", [SQUARES, LOGISTIC, replace(SQUARES, start=(1, 2), batch_size=1)])
def test_the_repr_of_arrays_holds_the_samples(instance: Instance) -> None:
    assert eval(repr(instance)) == instance


def test_what_is_made_of_a_file_tells_its_own_samples(written: Written) -> None:
    """A search that makes a case simpler changes samples: its line must not read the file again."""
    found = read(written(CSV))
    changed = replace(found, samples=replace(found.samples, targets=((1, 0, 0), (0, 0, 1), (1, 1))))
    assert repr(changed).startswith("from_data({'X': ((")
    assert eval(repr(changed)) == changed != found
    logistic = read(written(CSV), "logistic")
    with pytest.raises(ValueError, match="labels must be 0 and 1, and both occur"):
        replace(logistic, samples=replace(logistic.samples, targets=((0, 0, 0), (0, 0, 0), (0, 0))))
    with pytest.raises(ValueError, match="a target for every sample"):
        replace(found.samples, targets=((1,),))


def test_the_line_of_a_file_refuses_another_file(written: Written) -> None:
    path = written(CSV)
    line = repr(read(path))
    checksum = re.search(r"sha256='([0-9a-f]+)'", line)
    assert checksum is not None
    assert len(checksum[1]) == CHECKSUM
    written(CSV.replace("2.25", "2.5"))
    with pytest.raises(ValueError, match=f"not the expected file: its SHA-256 begins with .*, not {checksum[1]}"):
        eval(line)


# Constants ------------------------------------------------------------------------------------------------------------


def constant(instance: Instance, name: str) -> Any:
    return instance.constants[getattr(symbols, name)]


def test_least_squares_are_those_of_sympy() -> None:
    x = sympy.Matrix(sympy.symbols("x0 x1", real=True))
    rows = [sympy.Matrix([[sympy.nsimplify(v, rational=True) for v in row]]) for row in X]
    terms = {name: [] for name in ("north", "south", "west")}
    for row, y, name in zip(rows, PRICES, WHO, strict=True):
        terms[name].append(((row * x)[0] - sympy.nsimplify(y, rational=True)) ** 2 / 2)
    ridge = sympy.Rational(1, 10) * x.dot(x) / 2
    objectives = [sum(own) / len(own) + ridge for own in terms.values()]
    mean = sum(objectives) / 3
    best = sympy.solve([mean.diff(v) for v in x], list(x), dict=True)[0]
    assert [sympy.Rational(str(v)) for v in SQUARES.minimiser] == [best[v] for v in x]
    zero = dict.fromkeys(x, 0)
    assert constant(SQUARES, "initial_gap") == mean.subs(zero) - mean.subs(best)
    assert sympy.simplify(constant(SQUARES, "initial_distance") ** 2 - sum(v**2 for v in best.values())) == 0
    pulls = sum(f.diff(v).subs(best) ** 2 for f in objectives for v in x) / 3
    assert sympy.simplify(constant(SQUARES, "heterogeneity_at_optimum") ** 2 - pulls) == 0
    spectra = [
        float(v) for f in objectives for v in np.linalg.eigvalsh(np.array(sympy.hessian(f, list(x)), dtype=float))
    ]
    assert max(spectra) <= constant(SQUARES, "smoothness") * (1 + 1e-12) <= max(spectra) * (1 + 1e-8)
    assert min(spectra) * (1 - 1e-8) <= constant(SQUARES, "strong_convexity") * (1 - 1e-12) <= min(spectra)
    value = SQUARES.client_value(np.array([[0.5, -2.0]]), 1)[0]
    assert value == pytest.approx(float(objectives[1].subs(dict(zip(x, (0.5, -2), strict=True)))))


data = st.integers(1, 3).flatmap(
    lambda d: st.lists(
        st.tuples(
            st.lists(st.integers(-20, 20).map(lambda v: Fraction(v, 8)), min_size=d, max_size=d),
            st.integers(-9, 9),
            st.sampled_from("ab"),
        ),
        min_size=2,
        max_size=6,
    ).filter(lambda rows: len({y > 0 for _, y, _ in rows}) == 2)
)


def made(rows: Any, loss: Any, **options: Any) -> Instance:
    targets = [y if loss == "squares" else int(y > 0) for _, y, _ in rows]
    return from_data({"X": [a for a, _, _ in rows], "y": targets, "client": [m for _, _, m in rows]}, loss, **options)


@given(data, st.sampled_from(["logistic", "squares"]), st.lists(st.floats(-3, 3), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_constants_bound_what_they_name(rows: Any, loss: Any, point: list[float]) -> None:
    """Curvatures at a random point lie within the constants, and the gradient at the minimiser holds 0."""
    instance = made(rows, loss)
    low, high = (to_float(constant(instance, name)) for name in ("strong_convexity", "smoothness"))
    x = np.array(point[: instance.dim])
    for own in instance.samples.features:
        table = np.array(own, dtype=float)
        h = 1 / (1 + np.exp(-table @ x))
        weights = h * (1 - h) if loss == "logistic" else np.ones(len(table))
        found = np.linalg.eigvalsh((table.T * weights) @ table / len(table)) + 0.01
        assert low * (1 - 1e-9) <= found[0]
        assert found[-1] <= high * (1 + 1e-9)
    best = np.array([*map(to_ball, instance.minimiser), None], dtype=object)[None, :-1]
    assert all(v.contains(0) for v in instance.mean_gradient(best)[0])
    require_own_constants(instance, assumptions.strongly_convex)


@pytest.mark.parametrize("instance", [SQUARES, LOGISTIC])
def test_a_constant_that_promises_too_much_is_caught(instance: Instance) -> None:
    half = to_float(constant(instance, "smoothness")) / 3
    case = Case(instance, smoothness=half, n_rounds=1, n_local_steps=1, step_size=1)
    reason = assumptions.smooth.check(case)
    assert reason is not None
    assert "changes faster" in reason


def test_constants_scale_with_the_data() -> None:
    """Targets and features in other units: lengths scale by 10/1000, objectives by 100."""
    scaled = from_data(
        {"X": [[1000 * Fraction(str(v)) for v in row] for row in X], "y": [10 * v for v in PRICES], "client": WHO},
        "squares",
        regularisation=100_000,
    )
    powers = {"smoothness": 10**6, "strong_convexity": 10**6, "initial_distance": Fraction(1, 100), "initial_gap": 100}
    powers |= {"heterogeneity_at_optimum": 10_000, "heterogeneity": 10_000, "heterogeneity_slope": 1}
    for name, factor in powers.items():
        assert to_float(constant(scaled, name)) == pytest.approx(to_float(constant(SQUARES, name)) * factor, rel=1e-9)


def test_a_logistic_optimum_is_found_in_raw_units() -> None:
    """Incomes and ages as they are, hardly regularised: floats alone do not reach the accuracy."""
    incomes = [[20_000 + 7_919 * (i * i % 11), 20 + i * 7 % 40, 1] for i in range(12)]
    instance = from_data(
        {"X": incomes, "y": [i * i % 11 > 4 for i in range(12)], "client": [i % 3 for i in range(12)]},
        regularisation="1/100000",
    )
    assert isinstance(instance, LogisticData)
    assert instance.optimum_error <= 1e-12


def test_a_client_that_determines_nothing_is_not_strongly_convex() -> None:
    rows = {"X": [[1, 1], [2, 2], [0, 1], [1, 0]], "y": [1, 2, 0, 5], "client": [0, 0, 1, 1]}
    instance = from_data(rows, "squares", regularisation=0)
    assert constant(instance, "strong_convexity") == 0
    verdict = check_claim(find("sfl/T3-SC@corrected"), at_effective_step(instance, "1/6", n_rounds=9, n_local_steps=1))
    assert (verdict.status, "strong_convexity is 0" in verdict.reason) == ("inapplicable", True)


def test_many_long_numbers_have_constants() -> None:
    """The optimum of many features is a quotient of long integers: roots of it are balls, in no time."""
    table = np.sin(np.arange(1200) ** 1.5).reshape(60, 20).round(4)
    instance = from_data({"X": table, "y": table[:, 0] * 2 - table[:, 1], "client": np.arange(60) % 3}, "squares")
    distance = constant(instance, "initial_distance")
    assert isinstance(distance, arb)
    assert float(distance.mid()) == pytest.approx(np.linalg.norm([to_float(v) for v in instance.minimiser]))


# Minibatches ----------------------------------------------------------------------------------------------------------


def test_single_samples_of_least_squares_have_exact_moments() -> None:
    rows = {"X": [[1], [2], ["1/2"], [1]], "y": [1, 0, -1, 2], "client": [0, 0, 1, 1]}
    instance = from_data(rows, "squares", batch_size=1)
    case = Case(instance, n_rounds=2, n_local_steps=1, step_size="1/8")
    states, probabilities = enumerate_runs(algorithms.sequential, case, RATIONAL)
    values = LastGap().values(states, case)[:, 0]
    assert exact_value(LastGap(), algorithms.sequential, case, RATIONAL) == sum(values * np.array(probabilities))
    assert symbols.noise_std not in instance.constants  # the variance grows with the distance
    verdict = check_claim(
        find("sfl/T7@strengthened"), at_effective_step(instance, "1/6", "K", n_rounds=9, n_local_steps=1)
    )
    assert "the instance provides no noise_std" in verdict.reason


def test_noise_at_the_optimum_is_that_of_the_samples() -> None:
    instance = from_data({"X": X, "y": PRICES, "client": WHO}, "squares", batch_size=2)
    best = np.array([to_float(v) for v in instance.minimiser])
    variances = []
    for m in range(3):
        n = instance.sizes[m]
        indices = np.arange(n**2)
        noise = instance.noise_value(np.tile(best, (n**2, 1)), m, indices, None)
        assert np.abs(noise.mean(axis=0)).max() < 1e-12
        variances.append((noise**2).sum(axis=-1).mean())
    assert to_float(constant(instance, "noise_std_at_optimum")) == pytest.approx(max(variances) ** 0.5)


def test_equal_features_make_the_noise_the_same_everywhere() -> None:
    instance = from_data({"X": [[1], [-1], [2]], "y": [1, 3, 0], "client": [0, 0, 1]}, "squares", batch_size=1)
    assert constant(instance, "noise_std") == constant(instance, "noise_std_at_optimum") == 2


# Verdicts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["sfl/T3-SC@corrected", "sfl/T3-GC@printed", "sfl/T7@explicit", "sfl/C20@corrected"])
def test_theorems_hold_exactly_on_least_squares_and_mutants_do_not(id: str) -> None:
    claim = find(id)
    steps = "K" if id.startswith("sfl/T7") else "MK"
    case = at_effective_step(SQUARES, "1/6", steps, n_rounds=300, n_local_steps=2)
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert verdict.ratio is not None
    mutant = replace(claim, bounds=tuple(b.scaled(Fraction(verdict.ratio) / 2) for b in claim.bounds))
    broken = check_claim(mutant, case)
    assert (broken.status, broken.ratio) == ("violated", pytest.approx(2))


def test_a_theorem_holds_exactly_on_one_logistic_client_and_a_mutant_does_not() -> None:
    alone = from_data({"X": X, "y": LABELS, "client": [0] * 8}, regularisation="1/2")
    claim, case = find("sfl/T3-SC@strengthened"), at_effective_step(alone, "1/6", n_rounds=30, n_local_steps=1)
    verdict = check_claim(claim, case)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert verdict.ratio is not None
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(verdict.ratio) / 2),))
    assert check_claim(mutant, case).status == "violated"


def test_statistics_decide_of_many_logistic_clients_and_tell_vacuity() -> None:
    claim = find("sfl/T3-SC@strengthened")
    cases = [at_effective_step(LOGISTIC, "1/6", "MK", n_rounds=r, n_local_steps=2) for r in (1, 60)]
    assert [check_claim(claim, case).status for case in cases] == ["vacuous", "holds"]
    assert check_claim(claim, cases[1]).evidence == "statistical"


def test_the_witness_of_a_file_replays(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    instance = read(written(CSV), regularisation="1/10")
    verdict = check_claim(find("sfl/T7@strict"), Case(instance, n_rounds=10_000, n_local_steps=2))
    assert verdict.status == "violated"
    assert verdict.counterexample is not None
    exec(verdict.counterexample, {})
    assert capsys.readouterr().out.startswith("sfl/T7@strict: violated")


# Bad input ------------------------------------------------------------------------------------------------------------

BAD_FILES = {
    "a missing target": (CSV.replace("price", "cost"), {}, "no column 'price' (target=): it has 'client', 'age'"),
    "a missing client": (CSV, {"client": "site"}, "no column 'site' (client=)"),
    "a missing feature": (CSV, {"features": ["age", "weight"]}, "no column 'weight' (features=)"),
    "a feature that is the target": (CSV, {"features": ["price"]}, "in columns of their own"),
    "another separator": (CSV.replace(",", ";"), {}, "entries must be separated by commas"),
    "two columns of one name": (CSV.replace("dose", "age"), {}, "more than one column is called 'age'"),
    "no number": (CSV.replace("-1.5", "high"), {}, "line 6, column 'age': expected a number such as 3, 0.1, 1/3"),
    "NaN": (CSV.replace("1.5,2,0", "nan,2,0"), {}, "line 6, column 'age': expected a number"),
    "an empty entry": (CSV.replace("0.25,-0.8", ",-0.8"), {}, "line 8, column 'age': expected a number"),
    "an irrational number": (CSV.replace("1/3", "sqrt(2)"), {}, "line 5, column 'dose': expected a number"),
    "a date": (
        CSV.replace("1/3", "2020-01-02"),
        {},
        "line 5, column 'dose': expected a number such as 3, 0.1, 1/3 or 2e-5",
    ),
    "a range": (CSV.replace("1/3", "10-20"), {}, "line 5, column 'dose': expected a number"),
    "grouped digits": (CSV.replace("1/3", "1_0"), {}, "line 5, column 'dose': expected a number"),
    "a sum": (CSV.replace("1/3", "1+2"), {}, "line 5, column 'dose': expected a number"),
    "a power": (CSV.replace("1/3", "2**3"), {}, "line 5, column 'dose': expected a number"),
    "a date as a target": (CSV.replace("0.25,-0.8", "2020-01-02,-0.8"), {}, "expected a number"),
    "too large a number": (CSV.replace("1/3", "1e60"), {}, "line 5, column 'dose': 1e60 is too large"),
    "far too large a number": (CSV.replace("1/3", "1e999999999"), {}, "line 5, column 'dose': a number of more than"),
    "a short line": (CSV + "north,1\n", {}, "line 10: expected 5 entries, as in the first line, got 2"),
    "no client's name": (
        CSV + " ,1,1,1,1\n",
        {},
        "line 10, column 'client': expected the name or the number of a client",
    ),
    "a client without samples": (
        CSV,
        {"clients": ["east"]},
        "client 'east' has no samples: there are 'north', 'south'",
    ),
    "a client twice": (CSV, {"clients": ["west", "west"]}, "at least one client, and each once"),
    "three labels": (CSV.replace("3\n", "2\n").replace("1/3,1", "1/3,2"), {"loss": "logistic"}, "found 3: 0, 1, 2"),
    "one label": (CSV, {"loss": "logistic", "clients": ["west"]}, "needs two different labels, found 1: 1"),
    "a label that is none": (
        CSV.replace("2,0,-4", "2,?,-4"),
        {"loss": "logistic"},
        "line 6, column 'label': expected a",
    ),
    "an empty file": ("", {}, "empty: expected a line with the names of the columns"),
    "a header alone": ("client,age,dose,price\n", {}, "no samples: expected at least one"),
    "a quote that is not closed": (CSV + '"north', {}, "expected a CSV file in UTF-8"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_what_is_wrong_with_a_file_is_told(what: str, written: Written) -> None:
    text, options, words = BAD_FILES[what]
    path = written(text)
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        read(path, **options)
    assert str(error.value).startswith(path)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.csv: No such file"):
        from_data(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"binary\.csv: expected a CSV file in UTF-8"):
        from_data(tmp_path / "binary.csv")
    (tmp_path / "text.npz").write_text(CSV)
    with pytest.raises(ValueError, match=r"text\.npz: expected an NPZ file with the arrays X, y and client"):
        from_data(tmp_path / "text.npz")
    np.savez(tmp_path / "half.npz", X=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"half\.npz: no y and no client"):
        from_data(tmp_path / "half.npz")


BAD_ARRAYS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "NaN": ({"X": [[1.0], [float("nan")]]}, {}, "X[1, 0]: expected a finite number, got nan"),
    "infinity": ({"y": [1.0, float("inf")]}, {}, "y[1]: expected a finite number, got inf"),
    "another length": ({"y": [1]}, {}, "got the shapes (2, 1), (1,), (2,)"),
    "one axis": (
        {"X": [1, 2]},
        {},
        "expected X (samples, features), y (samples,), client (samples,), got the shapes (2,)",
    ),
    "ragged rows": ({"X": [[1], [1, 2]]}, {}, "got the shapes (2, -1)"),
    "no rows": ({"X": np.ones((0, 1)), "y": [], "client": []}, {}, "expected"),
    "a client that is no name": (
        {"client": [0, 0.5]},
        {},
        "client[1]: expected the name or the number of a client, got",
    ),
    "no features": ({"X": np.ones((2, 0))}, {}, "no features"),
    "named features": ({}, {"features": ["a"]}, "features names columns of a CSV file"),
    "a checksum": ({}, {"sha256": "ab"}, "sha256 is the checksum of a file"),
    "a negative weight": ({}, {"regularisation": -1}, "regularisation must be a nonnegative rational, got -1"),
    "a weight that is no number": ({}, {"regularisation": "x"}, "regularisation: expected a number"),
    "no weight": (
        {},
        {"loss": "logistic", "regularisation": 0},
        "without it logistic regression may have no minimiser",
    ),
    "another start": ({}, {"start": (1, 2)}, "expected 1 rational numbers, one for each feature"),
    "no batch": ({}, {"batch_size": 0}, "batch_size must be a positive integer or None, got 0"),
    "another loss": ({}, {"loss": "hinge"}, "loss must be one of logistic, squares, got 'hinge'"),
}


@pytest.mark.parametrize("what", BAD_ARRAYS)
def test_what_is_wrong_with_arrays_is_told(what: str) -> None:
    arrays, options, words = BAD_ARRAYS[what]
    with pytest.raises(ValueError, match=re.escape(words)):
        from_data({"X": [[1], [2]], "y": [0, 1], "client": [0, 0], **arrays}, **{"loss": "squares", **options})


def test_a_source_of_another_kind_is_told() -> None:
    with pytest.raises(ValueError, match="expected a file or a mapping of the arrays X, y and client, got list"):
        from_data([[1, 2]])  # type: ignore[arg-type]
