"""Clients from data and games of responses written out: constants, noise, ceilings, what is read and what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings

from fltheory import symbols
from fltheory.number import BALL, RATIONAL, NotRational, as_number, to_float
from fltheory.problems import logistic
from fltheory.problems.data.clients import LeastSquaresData, from_data
from fltheory.problems.data.samples import (
    FINEST,
    LARGEST,
    Columns,
    SampleRow,
    Samples,
    _client,
    _shape,
    array_rows,
    read_rational_entry,
)
from fltheory.problems.data.tables import TABLES, table
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.quadratics import MatrixClients, deviations, norm_at_most, shrink_deviations
from fltheory.problems.interpolated.sampled import ComponentSamplingClients
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.problems.logistic import GeneratedLogisticClients, LogisticClients, margins, weighted_feature_sum
from fltheory.problems.responses import AdaptiveResponses, RandomResponses, Responses, ResponseTable
from fltheory.problems.strategies import _zigzag, log_uniform_counts, log_uniform_positive
from fltheory.runs.algorithm import object_array
from fltheory.runs.method import NotEnumerable

F = Fraction
FEATURES = (((1, "1/2"), (-1, 1), (2, 0)), ((0, 1), (2, 0)))
LABELS = ((1, 0, 1), (0, 1))
LOGISTIC = LogisticClients(FEATURES, LABELS, "1/4", (1, -1), 2)
PLAIN = LogisticClients(FEATURES, LABELS, "1/4", (1, -1))


def floats(rows: Any) -> np.ndarray:
    return np.array([[float(F(v)) for v in row] for row in rows])


def sigmoid(u: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-u))


# Logistic regression ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [LOGISTIC, PLAIN], ids=["batches", "full"])
def test_logistic_clients_by_numpy(own: LogisticClients) -> None:
    x, l2 = np.array([[0.3, -0.7], [1.0, 2.0]]), 0.25
    total = np.zeros_like(x)
    for m, (rows, answers) in enumerate(zip(FEATURES, LABELS, strict=True)):
        a, y = floats(rows), np.array(answers)
        u = x @ a.T
        value = (np.log1p(np.exp(u)) - y * u).mean(axis=1) + l2 * (x**2).sum(axis=1) / 2
        gradient = (sigmoid(u) - y) @ a / len(y) + l2 * x
        np.testing.assert_allclose(own.client_value(x, m), value)
        np.testing.assert_allclose(own.gradient(x, m), gradient)
        total += gradient / 2
        mixed = own.gradient(x, np.array([m, 1 - m]))
        np.testing.assert_allclose(mixed[0], gradient[0])
    np.testing.assert_allclose(own.mean_gradient(x), total)
    np.testing.assert_allclose(own.value(x), (own.client_value(x, 0) + own.client_value(x, 1)) / 2)
    best = np.array([[to_float(v) for v in own.minimiser]])
    np.testing.assert_allclose(own.mean_gradient(best), 0, atol=1e-12)
    np.testing.assert_allclose(own.gap(x), own.value(x) - own.value(best), rtol=1e-9)
    balls = object_array([arb(v) for v in x.ravel()], x.shape)
    for ball, plain in zip(own.gap(balls), own.gap(x), strict=True):
        assert float(ball.mid()) == pytest.approx(plain, rel=1e-9)
    for m in range(2):
        for ball, plain in zip(own.gradient(balls, m).ravel(), own.gradient(x, m).ravel(), strict=True):
            assert float(ball.mid()) == pytest.approx(plain, abs=1e-12)
    with pytest.raises(NotRational):
        own.gradient(object_array([fmpq(1)] * 2, (1, 2)), 0)
    c = {s: to_float(v) for s, v in own.constants.items()}
    tops = [max(np.linalg.eigvalsh(floats(rows).T @ floats(rows) / len(rows))) for rows in FEATURES]
    assert c[symbols.smoothness] == pytest.approx(l2 + max(tops) / 4, rel=1e-8)
    assert c[symbols.smoothness] >= l2 + max(tops) / 4 - 1e-12
    assert c[symbols.strong_convexity] == l2
    start = np.array([[1.0, -1.0]])
    assert c[symbols.initial_distance] == pytest.approx(np.linalg.norm(start - best))
    assert c[symbols.initial_gap] == pytest.approx(own.gap(start)[0])
    assert c[symbols.initial_gradient] == pytest.approx(np.linalg.norm(own.mean_gradient(start)))
    pulls = [np.linalg.norm(own.gradient(best, m)) for m in range(2)]
    assert c[symbols.heterogeneity_at_optimum] == pytest.approx(np.mean(np.square(pulls)) ** 0.5)
    squares = [(floats(rows) ** 2).sum(axis=1) for rows in FEATURES]
    noise = max(s.mean() for s in squares) / 2 if own.batch_size else 0
    assert c[symbols.noise_std] == c[symbols.noise_std_at_optimum] == pytest.approx(noise**0.5)
    assert (c[symbols.n_clients], c[symbols.dimension]) == (2, 2)
    longest, distance = max(s.max() for s in squares) ** 0.5, float(np.linalg.norm(best))
    far = max(2**0.5, longest / l2) + distance
    near = max(c[symbols.initial_distance], (max(pulls) + (2 * longest if own.batch_size else 0)) / l2)
    for step, expected in (
        (1 / c[symbols.smoothness] * 0.999, min(far, near)),
        (1 / l2, far),
        (1.0, min(far, near) if c[symbols.smoothness] <= 1 else far),
    ):
        found = own.radius(step)
        assert found is not None
        assert expected <= found[0] <= expected * (1 + 1e-6)
    assert own.radius(1.001 / l2) is None
    assert own.draws == (own.batch_size or 0)
    assert eval(repr(own)) == own
    assert own.optimum_error <= logistic.ACCURACY
    h = own._float_gap(best)
    assert abs(h[0]) < 1e-15


def test_minibatches_of_samples_by_numpy() -> None:
    x = np.array([[0.3, -0.7]])
    for m, (rows, answers) in enumerate(zip(FEATURES, LABELS, strict=True)):
        a, y = floats(rows), np.array(answers)
        single = (sigmoid(x @ a.T)[0] - y)[:, None] * a + 0.25 * x
        n = len(y)
        draws = list(itertools.product(range(n), repeat=2))
        cells = (np.array(draws) + 0.5) / n
        noise = LOGISTIC.noise(np.repeat(x, len(draws), axis=0), m, cells)
        expected = [single[list(d)].mean(axis=0) - single.mean(axis=0) for d in draws]
        np.testing.assert_allclose(noise, expected, atol=1e-12)
        assert LOGISTIC.n_noise_values == math.lcm(9, 4)
        listed = LOGISTIC.noise_value(np.repeat(x, 36, axis=0), m, np.arange(36), None)
        np.testing.assert_allclose(
            sorted(map(tuple, listed.round(9))),
            sorted([tuple(np.round(e, 9)) for e in expected] * (36 // n**2)),
            atol=1e-8,
        )
        np.testing.assert_allclose(listed[0], expected[0], atol=1e-12)
    assert LOGISTIC.noise(x, 0, np.array([[0.99999999999, 0.0]])).shape == (1, 2)
    assert LOGISTIC.sizes.tolist() == [3, 2]


def test_margins_and_sums_of_one_client_or_one_for_each_run() -> None:
    a, x, w = np.arange(6.0).reshape(3, 2), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0, 3.0]] * 2)
    stacked = np.stack([a, 2 * a])
    np.testing.assert_array_equal(margins(a, x), [[r @ p for r in a] for p in x])
    np.testing.assert_array_equal(margins(stacked, x), [[r @ p for r in s] for s, p in zip(stacked, x, strict=True)])
    np.testing.assert_array_equal(weighted_feature_sum(w, a), [w[0] @ a] * 2)
    np.testing.assert_array_equal(weighted_feature_sum(w, stacked), [w[0] @ a, w[0] @ (2 * a)])
    exact = object_array([fmpq(int(v)) for v in x.ravel()], (2, 2))
    other = object_array([fmpq(int(v)) for v in a.ravel()], (3, 2))
    assert [float(v) for v in margins(other, exact).ravel()] == margins(a, x).ravel().tolist()
    weights = object_array([fmpq(int(v)) for v in w.ravel()], (2, 3))
    assert [float(v) for v in weighted_feature_sum(weights, other).ravel()] == weighted_feature_sum(
        w, a
    ).ravel().tolist()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: LogisticClients((), (), 1), "one entry for every client and at least one sample"),
        (lambda: LogisticClients(FEATURES, LABELS[:1], 1), "one entry for every client"),
        (lambda: LogisticClients(((),), ((),), 1), "at least one sample in each"),
        (lambda: LogisticClients((((1,), (2,)),), ((1,),), 1), "every sample needs a label and as many features"),
        (lambda: LogisticClients((((1,), (2, 3)),), ((1, 0),), 1), "every sample needs a label and as many features"),
        (lambda: LogisticClients((((1,),),), ((2,),), 1), "labels must be 0 or 1"),
        (lambda: LogisticClients((((1,),),), ((-1,),), 1), "labels must be 0 or 1"),
        (lambda: LogisticClients((((1,),),), ((1,),), 1, (1, 2)), "start has 2 coordinates, the features 1"),
        (lambda: LogisticClients((((1,),),), ((1,),), 0), "l2 must be a positive rational, got 0"),
        (lambda: LogisticClients((((1,),),), ((1,),), "sqrt(2)"), "l2 must be a positive rational"),
        (
            lambda: LogisticClients((((1,),),), ((1,),), 1, None, 0),
            "batch_size must be a positive integer or None, got 0",
        ),
        (lambda: LogisticClients((((1,),),), ((1,),), 1, None, "1"), "batch_size must be a positive integer or None"),
        (lambda: GeneratedLogisticClients(n_clients=0), "n_clients, n_samples and n_features must be positive"),
        (lambda: GeneratedLogisticClients(n_samples=0), "must be positive"),
        (lambda: GeneratedLogisticClients(n_features=0), "must be positive"),
        (lambda: GeneratedLogisticClients(skew="3/2"), "skew lie in"),
        (lambda: GeneratedLogisticClients(skew="-1/2"), "skew lie in"),
    ],
)
def test_what_is_no_logistic_regression_is_refused(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_generated_data_have_their_form() -> None:
    for skew in (0, "1/2", 1):
        own = GeneratedLogisticClients(n_clients=3, n_samples=4, n_features=2, skew=skew, seed=5)
        features, labels = own.data
        assert [len(rows) for rows in features] == [4] * 3
        assert {len(row) for rows in features for row in rows} == {3}
        flat = [row for rows in features for row in rows]
        assert all(row[-1] == 1 and all(-1 <= v <= 1 and (16 * v).denominator == 1 for v in row[:-1]) for row in flat)
        assert {y for ys in labels for y in ys} <= {0, 1}
    assert any(v == 1 for row in GeneratedLogisticClients(n_samples=200).data[0][0] for v in row[:-1])
    every = [
        sorted(zip(*(sum(part, ()) for part in GeneratedLogisticClients(skew=s).data), strict=True)) for s in (0, 1)
    ]
    assert every[0] == every[1]  # the same samples, dealt out in another way
    one = GeneratedLogisticClients(n_clients=1, n_samples=1, n_features=1)
    assert (one.n_clients, one.dim, one.start) == (1, 2, (0, 0))
    assert repr(GeneratedLogisticClients()) == "GeneratedLogisticClients()"


def test_roots_of_balls_cover_what_may_be_there() -> None:
    assert logistic._root(arb(4)).contains(2)
    wide = logistic._root(arb(0, 4))
    assert wide.contains(0)
    assert wide.contains(2)
    assert float(wide.upper()) < 2.1


# Least squares ----------------------------------------------------------------------------------------------------------

TARGETS = ((1, "1/2", -1), (2, 0))


def squares(
    batch: int | None = None, l2: Any = "1/4", start: Any = (1, -1), features: Any = FEATURES
) -> LeastSquaresData:
    given = {
        "X": [row for rows in features for row in rows],
        "y": [y for ys in TARGETS for y in ys],
        "client": [m for m, rows in enumerate(features) for _ in rows],
    }
    found = from_data(given, "squares", regularisation=l2, start=start, batch_size=batch)
    assert isinstance(found, LeastSquaresData)
    return found


@pytest.mark.parametrize("batch", [None, 1, 2])
def test_least_squares_by_numpy(batch: int | None) -> None:
    own, x, l2 = squares(batch), np.array([[0.3, -0.7], [1.0, 2.0]]), 0.25
    hessians, pulls = [], []
    best = np.array([to_float(v) for v in own.minimiser])
    np.testing.assert_allclose(own.mean_gradient(best[None]), 0, atol=1e-12)
    variances, lengths = [], []
    for m, (rows, answers) in enumerate(zip(FEATURES, TARGETS, strict=True)):
        a, y = floats(rows), np.array([float(F(v)) for v in answers])
        residual = x @ a.T - y
        np.testing.assert_allclose(own.client_value(x, m), (residual**2).mean(axis=1) / 2 + l2 * (x**2).sum(axis=1) / 2)
        np.testing.assert_allclose(own.gradient(x, m), residual @ a / len(y) + l2 * x)
        hessians.append(a.T @ a / len(y) + l2 * np.eye(2))
        single = (a @ best - y)[:, None] * a + l2 * best
        pulls += [v @ v for v in single] if batch else [single.mean(axis=0) @ single.mean(axis=0)]
        variances.append(((single - single.mean(axis=0)) ** 2).sum(axis=1).mean() / (batch or 1))
        lengths += (a**2).sum(axis=1).tolist()
        if batch:
            at = (x[0] @ a.T - y)[:, None] * a + l2 * x[0]
            draws = list(itertools.product(range(len(y)), repeat=batch))
            noise = own.noise(np.repeat(x[:1], len(draws), axis=0), m, (np.array(draws) + 0.5) / len(y))
            np.testing.assert_allclose(noise, [at[list(d)].mean(axis=0) - at.mean(axis=0) for d in draws], atol=1e-12)
    spectra = np.array([np.linalg.eigvalsh(h) for h in hessians])
    low, high = own.curvature_range
    assert spectra.min() - 1e-9 <= float(low) <= spectra.min() + 1e-12
    assert spectra.max() - 1e-12 <= float(high) <= spectra.max() + 1e-9
    c = own.constants
    noise_at = max(variances) if batch else 0
    assert to_float(c[symbols.noise_std_at_optimum]) == pytest.approx(noise_at**0.5)
    assert (symbols.noise_std in c) == (batch is None)
    least, largest = (l2, max(lengths) + l2) if batch else (spectra.min(), spectra.max())
    found = own.radius(1 / largest / 1.001)
    assert found is not None
    expected = max(to_float(c[symbols.initial_distance]), max(pulls) ** 0.5 / least)
    assert expected * (1 - 1e-9) <= found[0] <= expected * (1 + 1e-6)
    assert own.radius(1.001 / largest) is None
    assert eval(repr(own)) == own
    assert own.sizes.tolist() == [3, 2]


@pytest.mark.parametrize("batch", [None, 1, 2])
def test_laws_of_least_squares_steps_are_those_of_all_draws(batch: int | None) -> None:
    own, eta, start = squares(batch), F(1, 5), (F(1), F(-1))
    for m, (rows, answers) in enumerate(zip(FEATURES, TARGETS, strict=True)):
        n = len(rows)
        draws = list(itertools.product(range(n), repeat=batch)) if batch else [tuple(range(n))]
        points = []
        for draw in draws:
            y = list(start)
            for i in draw:
                residual = sum(F(a) * v for a, v in zip(rows[i], start, strict=True)) - F(answers[i])
                y = [v - eta * residual * F(a) / len(draw) for v, a in zip(y, rows[i], strict=True)]
            points.append([v - eta * F(1, 4) * s for v, s in zip(y, start, strict=True)])
        (law,) = own.client_laws(m, RATIONAL.scalar(eta), 1, RATIONAL)
        column = RATIONAL.matrix(9, 1, [RATIONAL.scalar(a * b) for a in (F(1), *start) for b in (F(1), *start)])
        second = law.second * column
        for i, j in itertools.product(range(3), repeat=2):
            mean = sum((F(1), *p)[i] * (F(1), *p)[j] for p in points) / len(points)
            assert F(as_number(second[3 * i + j, 0])) == mean
        (twice,) = own.client_laws(m, RATIONAL.scalar(eta), 2, RATIONAL)
        assert twice.first == law.first * law.first
        assert twice.second == law.second * law.second


def test_least_squares_without_regularisation_or_with_equal_features() -> None:
    assert squares(1, 0).radius(0.01) is None
    full = squares(None, 0)
    assert full.radius(0.01) is not None
    mirrored = squares(1, features=(((1, 2), (-1, -2), (1, 2)), ((0, 3), (0, 3))))
    assert mirrored.constants[symbols.noise_std] == mirrored.constants[symbols.noise_std_at_optimum]
    assert symbols.noise_std not in squares(1, features=(((1, 2), (-1, 2), (1, 2)), ((0, 3), (0, 3)))).constants
    twins = from_data({"X": [[1], [2], [2], [1]], "y": [1, 2, 2, 1], "client": [0, 0, 1, 1]}, "squares")
    assert twins.client_types == (0, 0)  # the same objective
    drawn = from_data({"X": [[1], [2], [2], [1]], "y": [1, 2, 2, 1], "client": [0, 0, 1, 1]}, "squares", batch_size=1)
    assert drawn.client_types == (0, 1)  # samples in another order


# Reading ----------------------------------------------------------------------------------------------------------------


def csv(tmp_path: Path, text: str) -> str:
    path = tmp_path / "data.csv"
    path.write_text(text)
    return str(path)


def test_columns_have_roles_of_their_own(tmp_path: Path) -> None:
    path = csv(tmp_path, "client,label,a,b\n1,0,1,2\n1,1,3,4\n")
    plain = from_data(path)
    assert repr(plain).startswith(f"from_data({path!r}, sha256=")
    named = from_data(path, target="label", client="client", features=("b",))
    assert "features=('b',)" in repr(named)
    assert "target" not in repr(named)
    assert named.dim == 1
    assert "intercept=True" in repr(from_data(path, intercept=True))
    words = "expected a target, a client and at least one feature, in columns of their own"
    for chosen in ({"features": ()}, {"features": ("a", "label")}, {"features": ("a", "a")}, {"target": "client"}):
        with pytest.raises(ValueError, match=words):
            from_data(path, **chosen)  # type: ignore[arg-type]
    bare = csv(tmp_path, "client,label\n1,0\n1,1\n")
    with pytest.raises(ValueError, match=words):
        from_data(bare)


def test_samples_belong_together() -> None:
    rows = (((1, 2), (3, 4)), ((5, 6),))
    assert Samples(rows, ((1, 0), (1,)), ("a", "b")).dim == 2
    for features, targets, names, words in (
        (rows, ((1, 0), (1,)), (), "expected clients with names"),
        (rows, ((1, 0), (1, 1)), ("a", "b"), "a target for every sample"),
        (rows, ((1, 0), (1,)), ("a",), "expected clients with names"),
        ((((1,),), ()), ((1,), ()), ("a", "b"), "each with samples"),
        ((((),),), ((1,),), ("a",), "at least one feature"),
        ((((1, 2), (3,)),), ((1, 0),), ("a",), "of all samples the same"),
        (rows, ((1, 0), (1,)), ("a", "a"), "clients with different names"),
    ):
        with pytest.raises(ValueError, match=words):
            Samples(features, targets, names)


@pytest.mark.parametrize(
    ("given", "name"), [("3", 3), (" x ", "x"), ("03", "03"), (3.0, 3), ("3.0", "3.0"), (7, 7), ("²", "²")]
)
def test_names_of_clients(given: Any, name: Any) -> None:
    found = _client(SampleRow(given, 0, (), lambda which: f"at {which}"))
    assert found == name
    assert type(found) is type(name)


@pytest.mark.parametrize("given", [True, 3.5, "", " ", None])
def test_what_is_no_name_of_a_client(given: Any) -> None:
    with pytest.raises(ValueError, match="at client: expected the name or the number of a client"):
        _client(SampleRow(given, 0, (), lambda which: f"at {which}"))


def test_entries_are_rational_and_of_moderate_size() -> None:
    assert read_rational_entry("0.1", "here") == F(1, 10)
    assert read_rational_entry(0.1, "here") == F(1, 10)
    assert read_rational_entry(LARGEST, "here") == LARGEST
    assert read_rational_entry(-LARGEST, "here") == -LARGEST
    assert read_rational_entry(F(1, FINEST), "here") == F(1, FINEST)
    for wrong in (LARGEST + 1, -LARGEST - 1, F(1, FINEST + 1)):
        with pytest.raises(ValueError, match=r"here: .* is too large or has too many digits"):
            read_rational_entry(wrong, "here")
    with pytest.raises(ValueError, match="here: "):
        read_rational_entry("x", "here")
    with pytest.raises(ValueError, match="here: "):
        read_rational_entry(math.nan, "here")


def test_shapes_of_nested_lists() -> None:
    assert _shape([[1, 2], [3, 4]]) == (2, 2)
    assert _shape([[1], [2, 3]]) == (2, -1)
    assert _shape([]) == (0,)
    assert _shape("ab") == ()
    assert _shape(3) == ()
    columns = Columns("label", "client", None)
    rows = array_rows({"X": [[1, 2]], "y": [3], "client": ["a"]}, columns)
    assert (rows[0].client, rows[0].target, list(rows[0].features)) == ("a", 3, [1, 2])
    assert rows[0].place(1) == "the arrays: X[0, 1]"
    assert rows[0].place("target") == "the arrays: y[0]"
    assert rows[0].place("client") == "the arrays: client[0]"
    for odd in (
        {"X": [[1], [2]], "y": [3], "client": ["a", "b"]},
        {"X": [1], "y": [3], "client": ["a"]},
        {"X": [[1], [2, 3]], "y": [3, 4], "client": ["a", "b"]},
        {"X": 1, "y": [3], "client": ["a"]},
        {"X": "table", "y": [3], "client": ["a"]},
        {"X": [[1]], "y": 3, "client": ["a"]},
        {"X": [[1]], "y": [3], "client": "a"},
        {"X": 1, "y": 3, "client": "a"},
    ):
        with pytest.raises(ValueError, match="got the shapes"):
            array_rows(odd, columns)


def test_regularisations_and_batches_of_data() -> None:
    given = {"X": [[1], [2]], "y": [0, 1], "client": [0, 0]}
    assert from_data(given, "squares", regularisation=0).l2 == 0
    for loss, value, words in (
        ("logistic", 0, "a positive rational, got 0: without it logistic regression may have no minimiser"),
        ("logistic", -1, "a positive rational, got -1$"),
        ("squares", -1, "a nonnegative rational, got -1$"),
        ("squares", "sqrt(2)", "a nonnegative rational"),
        ("squares", "x", "regularisation: "),
    ):
        with pytest.raises(ValueError, match=words):
            from_data(given, loss, regularisation=value)  # type: ignore[arg-type]
    for batch in (0, True, "1"):
        with pytest.raises(ValueError, match="batch_size must be a positive integer or None"):
            from_data(given, "squares", batch_size=batch)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected 1 rational numbers, one for each feature"):
        from_data(given, "squares", start=(1, 2))
    with pytest.raises(ValueError, match="loss must be one of logistic, squares"):
        from_data(given, "hinge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sha256 is the checksum of a file"):
        from_data(given, "squares", sha256="12")


def test_public_tables() -> None:
    assert TABLES == ("digits", "pixels", "cancer")
    digits, pixels, cancer = map(table, TABLES)
    assert (digits.x.shape, cancer.x.shape) == ((1797, 64), (569, 30))
    assert (pixels.x.max(), digits.x.max(), digits.x.min()) == (16, 1, 0)
    np.testing.assert_array_equal(digits.x * 16, pixels.x)
    assert (digits.n_classes, cancer.n_classes) == (10, 2)
    np.testing.assert_allclose(cancer.x.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(cancer.x.std(axis=0), 1)
    with pytest.raises(ValueError, match="expected one of digits, pixels, cancer"):
        table("iris")


# Responses --------------------------------------------------------------------------------------------------------------


def test_games_of_responses_shrink_and_adjust() -> None:
    game = ResponseTable(((1, 0, "1/2"), ("1/3", "1/2", 1)), (4, 2), 1, 0, 3, 2)
    assert (game.n_rounds, game.n_clients, game.n_participating) == (18, 3, 2)
    smaller = list(game.smaller())
    assert [(s.repeat, s.counts_of, s.n_clients, s.n_participating) for s in smaller] == [
        (1, (4, 2), 3, 2),
        (3, (2, 2), 3, 2),
        (3, (2,), 3, 2),
        (3, (4, 1), 3, 2),
        (3, (4,), 3, 2),
        (3, (4, 2), 2, 2),
        (3, (4, 2), 2, 2),
        (3, (4, 2), 2, 2),
    ]
    assert [s.responses for s in smaller[5:]] == [
        ((0, F(1, 2)), (F(1, 2), 1)),
        ((1, F(1, 2)), (F(1, 3), 1)),
        ((1, 0), (F(1, 3), F(1, 2))),
    ]
    everyone = ResponseTable(((1, 0, "1/2"),), (1,))
    assert [s.n_participating for s in everyone.smaller()] == [2, 2, 2]
    assert list(ResponseTable(((1, 0),), (1,)).smaller()) == []
    low = ResponseTable(((3, 1), (2, 1)), (4, 2), 3, 1)
    scaled = low.adjusted("response_high", 5)
    assert (scaled.responses, scaled.high, scaled.low) == (((5, 1), (3, 1)), 5, 1)
    assert low.adjusted("n_participating", 1).n_participating == 1
    assert game.adjusted("n_rounds", 12).repeat == 2
    assert game.adjusted("n_rounds", 1).repeat == 1
    assert low.adjusted("n_rounds", 12).counts_of == (8, 4)
    assert low.adjusted("n_rounds", 3).counts_of == (2, 1)
    assert low.adjusted("n_rounds", 1).counts_of == (1, 1)
    assert game.adjustable == ("n_rounds", "n_participating", "response_high")
    assert game.memory(5).shape == (5, 0)
    assert game.counts == (12, 6)


def test_random_and_adaptive_responses() -> None:
    for kind in ("coin", "race", "uniform"):
        game = RandomResponses(kind, 3, 40, 2, 2, "1/2")
        assert game.table.shape[1] == 3
        assert [game.distinct[j] for j in game.order] == list(game._rows)
        assert len(set(game.distinct)) == len(game.distinct)
        drawn = game._drawn
        for row, u in zip(game._rows, drawn, strict=True):
            expected = {
                "coin": [2 if v < 0.5 else F(1, 2) for v in u],
                "race": [2 if i == u.argmax() else F(1, 2) for i in range(3)],
                "uniform": [F(1, 2) + F(3, 2) * F(float(v)) for v in u],
            }[kind]
            assert list(row) == expected
    assert RandomResponses("coin", 3, 40).adjusted("n_clients", 4).n_clients == 4
    p = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    for kind, expected in (
        ("least", [[3, 1, 1], [1, 1, 3], [3, 1, 1]]),
        ("all but the leader", [[3, 1, 3], [1, 3, 3], [3, 3, 1]]),
        ("next", [[1, 1, 3], [1, 3, 1], [3, 1, 1]]),
    ):
        game = AdaptiveResponses(kind, 3, 4, 3, 1)
        answer, memory = game.reveal(0, p, game.memory(3), None)
        assert answer.tolist() == expected
        assert memory.shape == (3, 0)
        with pytest.raises(NotEnumerable, match="the adversary compares floats"):
            game.reveal(0, p, memory, BALL)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: ResponseTable(((1, 0), (1,)), (1, 1)), "every round needs the response of every client"),
        (lambda: ResponseTable(((),), (1,)), "every round needs the response of every client"),
        (lambda: ResponseTable(((1, 0),), (1, 2)), "expected a positive integer for each of the 1 rows"),
        (lambda: ResponseTable(((1, 0),), (0,)), "expected a positive integer"),
        (lambda: ResponseTable(((1, 0),), ("1/2",)), "expected a positive integer"),
        (lambda: ResponseTable(((1, 0),), (1,), "1/2"), r"a response lies outside \[0, 1/2\]"),
        (lambda: ResponseTable(((1, 0),), (1,), 1, "1/2"), r"a response lies outside \[1/2, 1\]"),
        (lambda: ResponseTable(((1, 1),), (1,), 1, 1), "expected 0 <= low < high"),
        (lambda: ResponseTable(((1, 1),), (1,), 1, -1), "expected 0 <= low < high"),
        (lambda: ResponseTable(((1, 0),), (1,), n_participating=3), "n_participating = 3 of 2 clients"),
        (lambda: ResponseTable(((1, 0),), (1,), n_participating=0), "n_participating"),
        (lambda: ResponseTable(((1, 0),), (1,), repeat=0), "repeat"),
        (lambda: RandomResponses("dice", 2, 3), "expected one of coin, race, uniform"),
        (lambda: RandomResponses("coin", 0, 3), "n_clients"),
        (lambda: RandomResponses("coin", 2, 0), "n_rounds"),
        (lambda: RandomResponses("coin", 2, 3, -1), "seed"),
        (lambda: AdaptiveResponses("most", 2, 3), "expected one of least, all but the leader, next"),
        (lambda: AdaptiveResponses("next", 2, 0), "n_rounds"),
    ],
)
def test_what_is_no_game_is_refused(build: Callable[[], Responses], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


# Matrices, interpolation and tilts --------------------------------------------------------------------------------------


def test_matrix_clients_and_their_deviations() -> None:
    own = MatrixClients((((1, "1/2"), ("1/2", 1)), ((1, 0), (0, 0))), ((1, 0), (0, 1)), (1, 2), 2, 0)
    a = [np.array([[1, 0.5], [0.5, 1]]), np.array([[1, 0], [0, 0]])]
    off = [h - np.mean(a, axis=0) for h in a]
    for found, expected in zip(deviations(own.hessians), off, strict=True):
        np.testing.assert_allclose([[float(F(as_number(found[i, j]))) for j in range(2)] for i in range(2)], expected)
    norm = max(np.abs(np.linalg.eigvalsh(v)).max() for v in off)
    apart = float(own._apart)
    assert norm <= apart <= norm * (1 + 1e-3)
    limit = F(1, 5)
    shrunk = shrink_deviations(own.hessians, fmpq(1, 5))
    middle = deviations(shrunk)
    assert all(norm_at_most(v, fmpq(1, 5)) for v in middle)
    assert not all(norm_at_most(v, fmpq(19, 100)) for v in middle)
    total = sum((h for h in shrunk[1:]), shrunk[0])
    assert total == own.hessians[0] + own.hessians[1]
    same = shrink_deviations(own.hessians, fmpq(5))
    assert same == list(own.hessians)
    assert norm_at_most(middle[0], fmpq(limit.numerator, limit.denominator))
    assert MatrixClients((1, 1), (1, -1), 1, 1, 1)._apart == 0
    wider = own.beside(F(1, 3), F(1, 2))
    assert wider.dim == 3
    assert float(F(as_number(wider.hessians[0][2, 2]))) == pytest.approx(1 / 3)
    assert wider.slopes[0][2] == 0
    for build in (
        lambda: MatrixClients((3,), (0,), 1, 2, 0),
        lambda: MatrixClients((-1,), (0,), 1, 2, 0),
        lambda: MatrixClients((1,), (0,), 1, 2, "3/2"),
    ):
        with pytest.raises(ValueError, match="an eigenvalue outside"):
            build()


def test_interpolated_clients_hold_their_data() -> None:
    own = InterpolatedClients(
        (((0,), (1,)), ((0,), (1,))), (((1,), (2,)), ((-1,), (0,))), ((0, "3/2"), (0, "-1/2")), 1, 2
    )
    x = object_array([fmpq(0), fmpq(1)], (2, 1))
    for m, (slopes, values) in enumerate((((1, 2), (0, F(3, 2))), ((-1, 0), (0, F(-1, 2))))):
        assert [F(as_number(v)) for v in own.gradient(x, m)[:, 0]] == list(slopes)
        assert [F(as_number(v)) for v in own.client_value(x, m)] == list(values)
    c = own.constants
    assert (c[symbols.initial_distance], c[symbols.initial_gap]) == (1, F(1, 2))
    assert (c[symbols.heterogeneity_at_optimum], c[symbols.max_heterogeneity_at_optimum]) == (1, 1)
    assert (c[symbols.noise_std], c[symbols.smoothness], c[symbols.strong_convexity]) == (0, 2, 0)
    assert own.client_types == (0, 1)
    pair = ComponentSamplingClients(own, 2)
    assert (pair.n_clients, pair.draws, pair.n_noise_values) == (1, 1, 2)
    assert [F(as_number(v)) for v in pair.gradient(x, 0)[:, 0]] == [0, 1]
    assert [F(as_number(v)) for v in pair.client_value(x, 0)] == [0, F(1, 2)]
    assert [F(as_number(v)) for v in pair.noise_value(x, 0, np.array([0, 1]), RATIONAL)[:, 0]] == [1, -1]
    assert pair.noise(np.array([[0.0]] * 3), 0, np.array([[0.1], [0.6], [1.0 - 1e-16]])).ravel().tolist() == [1, -1, -1]
    assert pair.constants[symbols.noise_std_at_optimum] == 1
    assert pair.constants[symbols.heterogeneity_at_optimum] == 0
    assert ComponentSamplingClients(own, 1).draws == 0
    for n in (3, 0, True, "2"):
        with pytest.raises(ValueError, match="n_components must divide the 2 functions"):
            ComponentSamplingClients(own, n)  # type: ignore[arg-type]
    good: Any = [(((0,),), ((0,),)), (((1,),), ((-1,),)), ((0,), (0,)), 1, 2, 0]
    InterpolatedClients(*good)
    for at, value, words in (
        (0, (((0,),), ((1,),)), "the first point of every client must be the same"),
        (1, (((1,),), ((1,),)), "must sum to 0"),
        (2, ((0,),), "one entry for every client"),
        (2, ((0, 1), (0,)), "every point needs a gradient, a value"),
        (3, (1, 2), "one entry for every coordinate of start"),
        (4, 0, "strong_convexity must lie in"),
        (5, 2, r"strong_convexity must lie in \[0, smoothness\)"),
        (5, -1, "strong_convexity must lie in"),
    ):
        wrong = list(good)
        wrong[at] = value
        with pytest.raises(ValueError, match=words):
            InterpolatedClients(*wrong)
    with pytest.raises(ValueError, match="no function of this class has the data of client 0"):
        InterpolatedClients((((0,), (1,)),), (((0,), (3,)),), ((0, 1),), 1, 2)


def test_tilted_clients_differ_by_linear_functions() -> None:
    given: Any = [((0, 0), (1, 0)), ((0, 0), (1, 0)), (0, "1/2"), ((1, 2), (-1, -2)), (1, 0), 2, 0]
    own = TiltedClients(*given)
    x = np.array([[0.5, 0.25]])
    apart = own.gradient(x, 0) - own.gradient(x, 1)
    np.testing.assert_allclose(apart, [[2, 4]])
    np.testing.assert_allclose(own.client_value(x, 0) - own.client_value(x, 1), [2 * 0.5 + 4 * 0.25])
    c = own.constants
    assert (c[symbols.initial_distance], c[symbols.initial_gap], c[symbols.heterogeneity_slope]) == (1, F(1, 2), 0)
    for s in (symbols.heterogeneity, symbols.heterogeneity_at_optimum, symbols.max_heterogeneity):
        assert to_float(c[s]) == pytest.approx(5**0.5)
    assert (c[symbols.hessian_heterogeneity], c[symbols.noise_std], c[symbols.strong_convexity]) == (0, 0, 0)
    bent = TiltedClients(*[*given[:6], -2])
    assert symbols.strong_convexity not in bent.constants
    assert TiltedClients(*[*given[:6], 1]).constants[symbols.strong_convexity] == 1
    uneven = TiltedClients(*[*given[:3], ((1, 2), (1, 2), (-2, -4)), *given[4:]])
    assert to_float(uneven.constants[symbols.max_heterogeneity]) == pytest.approx(20**0.5)
    assert to_float(uneven.constants[symbols.heterogeneity]) == pytest.approx(10**0.5)
    for at, value, words in (
        (2, (0,), "every point needs a gradient and a value"),
        (3, (), "every client a tilt"),
        (3, ((1, 2), (-1,)), "one entry for every coordinate"),
        (3, ((1, 2), (1, -2)), "the tilts must sum to 0"),
        (6, 2, "curvature must be -smoothness, or lie in"),
        (6, -1, "curvature must be -smoothness, or lie in"),
        (1, ((0, 0), (5, 0)), "no function of this class has these data: see its point"),
        (1, ((1, 0), (1, 0)), "x\\*, must be 0|no function of this class"),
    ):
        wrong = list(given)
        wrong[at] = value
        with pytest.raises(ValueError, match=words):
            TiltedClients(*wrong)


# Strategies -------------------------------------------------------------------------------------------------------------


def test_exponents_go_out_from_0() -> None:
    assert [_zigzag(k, -2, 1) for k in range(4)] == [0, -1, 1, -2]
    assert [_zigzag(k, 1, 3) for k in range(3)] == [1, 2, 3]


@settings(max_examples=40)
@given(log_uniform_positive(1e-2, 20), log_uniform_counts(500), log_uniform_counts(9))
def test_numbers_are_drawn_on_a_logarithmic_scale(value: Fraction, count: int, few: int) -> None:
    """One of a few digits times a power of ten, within the range."""
    assert F(1, 100) <= value <= 20
    exponent = math.floor(math.log10(float(value) * (1 + 1e-9)))
    assert value / F(10) ** exponent in {1, 2, 3, 5, 7}
    assert 1 <= count <= 500
    assert count == 500 or count // 10 ** (len(str(count)) - 1) * 10 ** (len(str(count)) - 1) == count
    assert 1 <= few <= 9
