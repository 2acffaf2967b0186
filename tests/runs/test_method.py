"""Methods: what is known of a function goes where the function goes, and one guard names whose error it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from fltheory.games.player import Sampler, state_as_play, uniform_start
from fltheory.number.elements import NotExact
from fltheory.number.ownership import is_library
from fltheory.papers.delta_sgd.algorithms.optimisers import sgd
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.sfl.algorithms import sequential, sequential_step
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.client_optimiser import ClientOptimiser, federated_averaging
from fltheory.runs.method import AssumptionFailed, Method, NotEnumerable, VariantError
from fltheory.runs.step_rule import auto_tuned


def mine(*given: Any) -> Any:
    return given[0]


@pytest.mark.parametrize("method", [sequential, osmd, auto_tuned, sgd], ids=lambda m: m.name)
def test_a_new_step_drops_what_described_the_old_one(method: Method) -> None:
    variant = method._replace(step=mine)
    assert (variant.name, variant.step) == ("variant", mine)
    assert method.own
    assert not variant.own
    assert type(variant) is type(method)
    assert method._replace(name="renamed") == replace(method, name="renamed")


def test_what_a_new_step_starts_from_is_its_own_or_the_plainest() -> None:
    assert (osmd._replace(step=mine).init, osmd._replace(step=mine).play) == (uniform_start, state_as_play)
    assert osmd._replace(step=mine, init=mine).init is mine
    moved = sequential._replace(init=mine)
    assert (moved.law, moved.kernel, moved.anonymous) == (None, None, True)


def test_what_others_say_of_their_own_is_not_believed() -> None:
    claimed = replace(sequential, step=mine, batches=3)
    assert claimed.law is not None
    believed = claimed.believed()
    assert (believed.law, believed.kernel, believed.anonymous) == (None, None, False)
    assert believed.batches == 3
    assert replace(sequential, init=mine).believed().law is None
    assert sequential.believed() == sequential
    assert replace(osmd, play=mine).believed().exact is None
    assert replace(osmd, play=mine).believed().play is mine
    assert not replace(sgd, step=mine).believed().own


class Pair(NamedTuple):
    name: str
    function: Callable[..., Any]


@pytest.mark.parametrize(
    "holder",
    [
        Pair("a", mine),
        (("a", mine),),
        Sampler("a", mine),
        replace(sgd, step=mine),
        federated_averaging(ClientOptimiser("a", mine, lambda x, c: None)).step,
    ],
    ids=["tuple", "nested", "record", "twins", "closure"],
)
def test_a_function_is_found_in_whatever_holds_it(holder: Any) -> None:
    assert not is_library(holder)
    assert is_library((sequential, osmd, sgd, federated_averaging(sgd).step))


def raising(error: BaseException) -> Method:
    def step(*given: Any) -> Any:
        raise error

    return Algorithm("mine", step)


@pytest.mark.parametrize(
    ("error", "exact", "kind", "words"),
    [
        (ZeroDivisionError("by 0"), False, VariantError, r"^mine: by 0 \(in round 3\), .*test_method.py:\d+$"),
        (ZeroDivisionError("by 0"), True, NotEnumerable, "by 0"),
        (NotExact("takes a root"), False, NotEnumerable, "takes a root"),
        (NotEnumerable("too many"), True, NotEnumerable, "^too many$"),
        (VariantError("bad"), True, VariantError, r"^bad \(in round 3\), .*test_method.py:\d+$"),
        (AssumptionFailed("client 2 leaves"), False, AssumptionFailed, "^round 3, client 2 leaves$"),
    ],
)
def test_an_error_names_the_method_and_the_round(
    error: Exception, exact: bool, kind: type[Exception], words: str
) -> None:
    method = raising(error)
    with pytest.raises(kind, match=words):
        method.call(method.step, 1, round_=3, exact=exact)


def test_what_a_function_returns_comes_back_and_floats_may_overflow() -> None:
    method = Algorithm("mine", lambda x, oracle, c: x * 1e200 / 0.0)
    assert np.isinf(method.call(method.step, np.full(2, 1e200), None, None)).all()
    assert sequential.call(mine, 7) == 7
    assert sequential.step is sequential_step
