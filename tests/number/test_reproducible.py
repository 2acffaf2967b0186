"""Training gives the same bits everywhere: sums in a fixed order, exp and log of basic operations."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fltheory.number import streams
from fltheory.number.reproducible.arithmetic import (
    EXP_TERMS,
    exp,
    exponential_series_in_numpy,
    log,
    product,
    product_in_numpy,
)
from fltheory.number.reproducible.loops import exponential_series
from fltheory.papers.delta_sgd.experiments.networks import Network

SINGLE = st.floats(-4, 4, width=32)
BITS = "dc077769c4df0621"  # of the weights of ``trained``


@given(st.data(), st.sampled_from([np.float32, np.float64]))
def test_the_compiled_product_is_the_one_in_numpy(data: st.DataObject, kind: type) -> None:
    rows, n, inner, m = (data.draw(st.integers(1, 9)) for _ in range(4))
    a = data.draw(arrays(kind, (rows, n, inner), elements=SINGLE))
    b = data.draw(arrays(kind, (rows, inner, m), elements=SINGLE))
    assert product(a, b).tobytes() == product_in_numpy(a, b).tobytes()
    assert product(a, b) == pytest.approx(a.astype(float) @ b.astype(float), abs=1e-4)


def test_of_views_and_in_another_order() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((3, 4, 50), (3, 50, 2)))
    turned = np.swapaxes(np.ascontiguousarray(np.swapaxes(a, 1, 2)), 1, 2)
    assert product(turned, b).tobytes() == product(a, b).tobytes()
    assert product(a[:, :, ::-1], b[:, ::-1]).tobytes() != product(a, b).tobytes()  # the order matters


@given(st.floats(-700, 700))
def test_exp(x: float) -> None:
    assert float(exp(np.array(x))) == pytest.approx(float(np.exp(x)), rel=1e-14)


@given(arrays(float, st.integers(0, 20), elements=st.floats(-0.35, 0.35)))
def test_the_compiled_series_is_the_one_in_numpy(x: np.ndarray) -> None:
    found = np.empty_like(x)
    exponential_series(x, EXP_TERMS, found)
    assert found.tobytes() == exponential_series_in_numpy(x).tobytes()


def test_exp_in_another_order() -> None:
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    assert np.array_equal(exp(np.asfortranarray(x)), exp(x))
    assert np.array_equal(exp(np.swapaxes(x, 0, 2)), np.swapaxes(exp(x), 0, 2))


@given(st.floats(1e-300, 1e300))
def test_log(x: float) -> None:
    assert float(log(np.array(x))) == pytest.approx(float(np.log(x)), rel=4e-16, abs=2e-16)


def test_exp_at_its_ends() -> None:
    at = np.array([np.nan, -np.inf, np.inf, 0, -800, 800, 709.7], dtype=np.float32)
    with np.errstate(over="ignore"):
        found = exp(at)
    assert found.dtype == np.float32
    assert np.array_equal(found, np.array([np.nan, 0, np.inf, 1, 0, np.inf, np.inf], dtype=np.float32), equal_nan=True)
    assert log(np.array([1.0, 2.0])).tolist() == [0.0, float(np.log(2))]


def trained(network: Network, steps: int = 40) -> np.ndarray:
    """Weights after gradient steps on made samples, (2, dim), in single precision."""
    places = np.arange(2 * 16 * network.sizes[0]).reshape(2, 16, -1)
    x = (2 * streams.uniform(3, places, 0, 0, 0) - 1).astype(np.float32)
    y = (streams.uniform(4, places[..., 0], 0, 0, 0) * network.sizes[-1]).astype(np.int64)
    w = (streams.uniform(5, np.arange(2)[:, None], np.arange(network.dim), 0, 0) - 0.5).astype(np.float32)
    for _ in range(steps):
        w = w - np.float32(0.5) * network.gradient(w, x, y)
    return w


def test_the_bits_of_trained_weights() -> None:
    """As on the machine that stored them; other arithmetic ends with other ones."""
    found = trained(Network((16, 8, 10)))
    assert hashlib.sha256(found.tobytes()).hexdigest()[:16] == BITS
    assert found[0] != pytest.approx(found[1], abs=0.1)
