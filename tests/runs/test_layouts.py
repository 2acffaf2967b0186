"""States in rows: where each part stands, what comes back, and what has no form; methods and capabilities of instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.number.elements import NotExact
from fltheory.papers.sfl.algorithms import sequential, sequential_step
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import protocols
from fltheory.runs.algorithm import Algorithm, object_array, rollout, start_state
from fltheory.runs.flat_states import (
    MAX_EXACT_FLOAT_INT,
    LeafSlot,
    RowInit,
    RowStep,
    adapt_to_rows,
    restore_dtype,
    with_row_states,
)
from fltheory.runs.method import AssumptionFailed, NotEnumerable, VariantError, describes_functions, not_exact, shape_of
from fltheory.runs.states import copy_state, is_node, leaves, map_leaves, parts_of, rebuild_node, select_rows

PLANE = QuadraticClients(((1, 2), (2, 1)), ((0, 1), (1, 0)), (3, -1))
CASE = Case(PLANE, n_rounds=2, n_local_steps=1, step_size="1/10")


class Named(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True)
class Held:
    x: Any
    y: Any


def unchanged(state: Any, oracle: Any, c: Any) -> Any:
    return state


def flat(init: Callable[..., Any], step: Any = unchanged, point: Any = None, case: Any = CASE) -> Algorithm:
    return with_row_states(Algorithm("mine", step, init=init, point=point), case)


# Trees ------------------------------------------------------------------------------------------------------------------


def test_nodes_are_tuples_dicts_and_dataclasses() -> None:
    x, y = np.zeros((2, 1)), np.ones((2, 3))
    for node, names in (
        ((x, y), [0, 1]),
        (Named(x, y), ["x", "y"]),
        ({"x": x, "y": y}, ["x", "y"]),
        (Held(x, y), ["x", "y"]),
    ):
        assert is_node(node)
        assert list(parts_of(node)) == names
        assert [leaf is own for leaf, own in zip(leaves(node), (x, y), strict=True)] == [True, True]
        again = rebuild_node(node, parts_of(node))
        assert type(again) is type(node)
        np.testing.assert_equal(list(parts_of(again).values()), [x, y])
        assert [v.shape for v in leaves(select_rows(node, np.array([1])))] == [(1, 1), (1, 3)]
    for leaf in (x, 3, "text", [x], Held, Named, None):
        assert not is_node(leaf)
        assert list(leaves(leaf)) == [leaf] if leaf is not x else next(iter(leaves(leaf))) is x
    given = {"x": x}
    assert parts_of(given) is not given
    copied = copy_state((x, 7))
    assert copied[0] is not x
    assert copied[1] == 7
    assert map_leaves(lambda v: v + 1, ({"a": 1}, 2)) == ({"a": 2}, 3)

    class Odd(tuple):
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    assert list(parts_of((1, 2))) == [0, 1]


# Layouts ----------------------------------------------------------------------------------------------------------------


def test_points_stand_first_and_the_rest_follows_in_order() -> None:
    """Even where the points are the last part."""

    def init(start: np.ndarray, c: Any) -> Any:
        n = len(start)
        return {
            "m": np.arange(n * 6.0).reshape(n, 2, 3) + 10,
            "deep": (np.full((n,), 5), {"f": np.full((n, 1), True)}),
            "x": start,
        }

    seen = []

    def step(state: Any, oracle: Any, c: Any) -> Any:
        seen.append(state)
        return {**state, "x": state["x"] / 2, "deep": (state["deep"][0] + 1, state["deep"][1])}

    rows = flat(init, step)
    first = start_state(rows, CASE, 2, None)
    assert first.tolist() == [[3, -1, *range(10, 16), 5, 1], [3, -1, *range(16, 22), 5, 1]]
    run = rollout(rows, CASE, 2)
    assert run[:, :, :2].tolist() == [[[3, -1], [1.5, -0.5], [0.75, -0.25]]] * 2
    assert run[:, -1, 2:].tolist() == [[*range(10, 16), 7, 1], [*range(16, 22), 7, 1]]
    state = seen[0]
    assert state["m"].tolist() == (np.arange(12.0).reshape(2, 2, 3) + 10).tolist()
    assert (state["deep"][0].dtype.kind, state["deep"][1]["f"].dtype.kind, state["m"].dtype.kind) == ("i", "b", "f")
    assert rows.point is None
    assert isinstance(rows.init, RowInit)
    assert isinstance(rows.step, RowStep)
    assert rows.step.__wrapped__ is step


def test_points_may_be_looked_up_in_a_state() -> None:
    rows = flat(lambda start, c: (0 * start, start + 1), lambda s, o, c: (s[0], s[1] / 2), lambda s: 2 * s[1])
    run = rollout(rows, CASE, 1)[0]
    assert run.tolist() == [[8, 0, 0, 0, 4, 0], [4, 0, 0, 0, 2, 0], [2, 0, 0, 0, 1, 0]]
    for point, words in (
        (lambda s: s[0][:, :1], r"the points of mine are \(1, 1\), expected an array of shape \(1, 2\)"),
        (lambda s: s[0].tolist(), r"the points of mine are list"),
    ):
        with pytest.raises(VariantError, match=words):
            flat(lambda start, c: (0 * start, start), point=point)
    plain = flat(lambda start, c: start * 1, point=lambda x: 2 * x)
    assert rollout(plain, CASE, 1)[0, 0].tolist() == [6, -2, 3, -1]


def test_states_that_are_points_stay_as_they_are() -> None:
    assert with_row_states(sequential, CASE) is sequential
    mine = Algorithm("mine", unchanged)
    assert with_row_states(mine, CASE) is mine
    assert adapt_to_rows(mine, CASE) is mine
    assert adapt_to_rows("no algorithm", CASE) == "no algorithm"
    assert adapt_to_rows(Algorithm("m", unchanged, init=lambda s, c: {"x": s}), CASE).init.__class__ is RowInit
    with pytest.raises(VariantError, match=r"init of mine returned \(1, 1\), expected points of shape \(runs, 2\)"):
        flat(lambda start, c: start[:, :1])


@pytest.mark.parametrize(
    ("init", "words"),
    [
        (lambda s, c: {"a": s, "b": s}, "the state of mine has the parts a, b and none is called x"),
        (lambda s, c: (s, s), "has the parts 0, 1 and none is called x"),
        (lambda s, c: {"x": s[:, :1]}, r"the part x of the state of mine is \(1, 1\), expected \(runs, 2\)"),
        (lambda s, c: {"x": s.tolist()}, "the part x of the state of mine is list, expected"),
        (lambda s, c: {"x": s, "a": 7}, "a part of the state of mine is int: expected arrays with the runs first"),
        (lambda s, c: {"x": s, "a": np.float64(7)}, "a part of the state of mine is float64"),
        (lambda s, c: {"x": s, "a": np.array(7)}, r"a part of the state of mine is \(\): expected arrays"),
        (lambda s, c: {"x": s, "a": np.zeros((2, 1))}, r"a part of the state of mine is \(2, 1\): expected arrays"),
        (lambda s, c: {"x": s, "a": 1j * s}, "the part a of the state of mine holds complex128, expected real numbers"),
        (lambda s, c: {"x": s, "a": np.array([2**53])}, r"the part a .* holds integers of 2\^53 and more"),
        (lambda s, c: {"x": s, "a": np.array([-(2**53)])}, r"the part a .* holds integers of 2\^53 and more"),
        (lambda s, c: {"x": s, "a": np.array([2**63], dtype=np.uint64)}, r"the part a .* holds integers of 2\^53"),
    ],
)
def test_a_first_state_without_form_is_named(init: Any, words: str) -> None:
    with pytest.raises(VariantError, match=words):
        flat(init)


def test_integers_that_floats_hold_are_kept() -> None:
    for value in (2**53 - 1, -(2**53) + 1, 0):
        rows = flat(lambda s, c, value=value: {"x": s, "a": np.full(len(s), value)})
        assert rollout(rows, CASE, 1)[0, -1, 2] == value


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda s, o, c: s["x"], "mine returned ndarray, expected what init made: a dict with x, v"),
        (lambda s, o, c: (s["x"], s["v"]), "mine returned tuple with 0, 1, expected what init made: a dict with x, v"),
        (lambda s, o, c: {"x": s["x"]}, "mine returned dict with x, expected what init made: a dict with x, v"),
        (lambda s, o, c: {**s, "w": s["x"]}, "mine returned dict with x, v, w, expected"),
        (
            lambda s, o, c: {"x": s["x"], "v": {"a": s["x"]}},
            r"the part v.a of the state of mine has become \(3, 2\), expected an array of shape \(3, 1\)",
        ),
        (lambda s, o, c: {"x": s["x"], "v": {"a": 3}}, "the part v.a of the state of mine has become int"),
        (lambda s, o, c: {"x": s["x"][:1], "v": s["v"]}, r"the part x of the state of mine has become \(1, 2\)"),
        (
            lambda s, o, c: {"x": s["x"], "v": {"a": s["v"]["a"] * 1j}},
            "the part v.a of the state of mine holds complex128",
        ),
    ],
)
def test_a_later_state_keeps_the_form_of_the_first(step: Any, words: str) -> None:
    with pytest.raises(VariantError, match=words):
        rollout(flat(lambda s, c: {"x": s, "v": {"a": s[:, :1]}}, step), CASE, 3)


def test_a_single_array_with_points_looked_up_is_called_x() -> None:
    with pytest.raises(VariantError, match=r"the part x of the state of mine has become \(3, 1\)"):
        rollout(flat(lambda s, c: s + 0, lambda s, o, c: s[:, :1], lambda s: s), CASE, 3)


def test_parts_may_come_back_in_another_order() -> None:
    rows = flat(lambda s, c: {"x": s, "v": s * 10}, lambda s, o, c: {"v": s["v"] + 1, "x": s["x"]})
    assert rollout(rows, CASE, 1)[0, -1].tolist() == [3, -1, 32, -8]


def test_rows_are_exact_where_one_part_is() -> None:
    rows = flat(lambda s, c: {"x": s, "n": np.zeros(len(s), dtype=int)})
    first = start_state(rows, CASE, 1, RATIONAL)
    assert {type(v) for v in first.flat} == {fmpq}
    assert start_state(rows, CASE, 1, None).dtype == float


def test_kinds_of_numbers_come_back_where_they_can() -> None:
    whole, truth = np.dtype(int), np.dtype(bool)
    assert restore_dtype(np.array([1.0, -2.0]), whole).dtype == whole
    assert restore_dtype(np.array([0.0, 1.0]), truth).tolist() == [False, True]
    for odd, kind in (([1.0, 0.5], whole), ([0.0, 2.0], truth), ([0.0, 0.5], truth), ([0.0, -1.0], truth)):
        assert restore_dtype(np.array(odd), kind).dtype == float
    assert restore_dtype(np.array([2.0**53 - 1]), whole).tolist() == [2**53 - 1]
    for far in (2.0**53, -(2.0**53)):
        assert restore_dtype(np.array([far]), whole).dtype == float
    assert restore_dtype(object_array([fmpq(3), fmpq(-4)], (2, 1)), whole).tolist() == [[3], [-4]]
    for values in (
        [fmpq(1, 2), fmpq(1)],
        [fmpq(MAX_EXACT_FLOAT_INT)],
        [fmpq(-MAX_EXACT_FLOAT_INT)],
        [arb(1, 0.5)],
        ["a"],
    ):
        own = object_array(values, (len(values),))
        assert restore_dtype(own, whole) is own
    most = object_array([fmpq(MAX_EXACT_FLOAT_INT - 1)], (1,))
    assert restore_dtype(most, whole).tolist() == [MAX_EXACT_FLOAT_INT - 1]
    slot = LeafSlot(3, (2, 4))
    assert (slot.first, slot.last, slot.shape, slot.kind) == (3, 11, (2, 4), None)
    assert LeafSlot(3, ()).last == 4


# Methods ----------------------------------------------------------------------------------------------------------------


def test_shapes_are_told_of_arrays_and_types_of_others() -> None:
    assert shape_of(np.zeros((2, 3))) == "(2, 3)"
    assert shape_of(np.ma.masked_array([1.0])) == "MaskedArray"
    assert shape_of([1]) == "list"
    assert describes_functions("step") == {"about": ("step",), "believed": False}
    assert describes_functions("step", "init", believed=True) == {"about": ("step", "init"), "believed": True}


def test_errors_on_exact_numbers_are_told_with_their_kind() -> None:
    assert str(not_exact(TypeError("unsupported operand"), "mine")) == "mine has no value on exact numbers"
    found = not_exact(ZeroDivisionError("by\n  0"), "mine")
    assert str(found) == "mine has no value on exact numbers (ZeroDivisionError: by 0)"
    assert isinstance(found, NotEnumerable)
    assert str(not_exact(NotExact("takes a root"), "mine")) == "mine takes a root"


@pytest.mark.parametrize(
    ("error", "round_", "exact", "kind", "words"),
    [
        (ZeroDivisionError("by 0"), None, False, VariantError, r"^mine: by 0, .*test_layouts.py:\d+$"),
        (ZeroDivisionError("by 0"), 0, False, VariantError, r"^mine: by 0 \(in round 0\), .*layouts.py:\d+$"),
        (KeyError("lr"), 0, False, VariantError, r"^mine: KeyError: 'lr' \(in round 0\), .*layouts.py:\d+$"),
        (ValueError(), None, False, VariantError, r"^mine: ValueError, .*layouts.py:\d+$"),
        (VariantError("client 9"), 0, False, VariantError, r"^client 9 \(in round 0\), .*layouts.py:\d+$"),
        (VariantError("NaN in round 4"), 5, False, VariantError, r"^NaN in round 4, .*layouts.py:\d+$"),
        (AssumptionFailed("client 2"), None, False, AssumptionFailed, "^client 2$"),
        (AssumptionFailed("client 2"), 0, False, AssumptionFailed, "^round 0, client 2$"),
        (MemoryError("no room"), 3, True, MemoryError, "^no room$"),
        (MemoryError("no room"), 3, False, MemoryError, "^no room$"),
        (NotEnumerable("many"), None, False, NotEnumerable, "^many$"),
        (NotExact("takes a root"), None, True, NotEnumerable, "takes a root"),
        (KeyError("a"), None, True, NotEnumerable, "has no value on exact numbers .KeyError: 'a'"),
    ],
)
def test_whose_error_it_is(error: BaseException, round_: Any, exact: bool, kind: Any, words: str) -> None:
    def step(*given: Any) -> Any:
        raise error

    with pytest.raises(kind, match=words):
        Algorithm("mine", step).call(step, round_=round_, exact=exact)


def test_what_is_known_goes_with_its_functions() -> None:
    assert sequential.of_library is True
    mine = replace(sequential, step=unchanged)
    assert mine.of_library is False
    assert mine.believed().kernel is None
    variant = sequential._replace(init=lambda s, c: s)
    assert (variant.name, variant.step, variant.law) == ("variant", sequential_step, None)
    named = sequential._replace(step=unchanged, name="own name", batches=3)
    assert (named.name, named.batches) == ("own name", 3)
    kept = sequential._replace(within=3)
    assert (kept.name, kept.law, kept.within) == (sequential.name, sequential.law, 3)


# Capabilities -----------------------------------------------------------------------------------------------------------


class Silent:
    """An instance of a user's with what is set on it."""

    n_clients, dim, draws = 1, 1, 1

    def __init__(self, **own: Any) -> None:
        for name, value in own.items():
            setattr(self, name, value)


def test_noise_is_known_by_what_an_instance_offers() -> None:
    support = np.array([[fmpq(1)], [fmpq(-2)]], dtype=object)
    finite: Any = Silent(n_noise_values=2, noise_support=lambda ring: support)
    assert protocols.noise_value_count(finite) == 2
    values = protocols.noise_values(finite)
    assert values is not None
    assert values(np.zeros((3, 1)), 0, np.array([1, 0, 1]), None)[:, 0].tolist() == [-2, 1, -2]
    at_point: Any = Silent(n_noise_values=3, noise_value=lambda x, client, index, ring: x * index[:, None])
    assert protocols.noise_value_count(at_point) == 3
    assert protocols.noise_values(at_point) is at_point.noise_value
    unknown: Any = Silent(n_noise_values=3)
    assert protocols.noise_value_count(unknown) == 0
    assert protocols.noise_values(unknown) is None
    infinite: Any = Silent(n_noise_values=None, noise_support=lambda ring: support)
    assert protocols.noise_value_count(infinite) == 0
    one: Any = Silent(noise_std=(Fraction(1, 2),))
    assert protocols.client_noise_factors(one, 3) == [(Fraction(1, 2),)]
    each: Any = Silent(noise_std=(1,), noise_factors=lambda client: [(client,)])
    assert protocols.client_noise_factors(each, 3) == [(3,)]
    assert protocols.client_noise_factors(Silent(), 3) is None  # type: ignore[arg-type]


def test_capabilities_of_built_in_classes_are_theirs_or_set_on_an_instance() -> None:
    own = QuadraticClients((1,), (0,), 1)
    assert protocols.has_capability(own, protocols.OneFactor)
    assert not protocols.has_capability(own, protocols.OwnFactors)
    assert protocols.has_capability(FiniteSumQuadraticClients((1,), ((1, -1),), 1), protocols.OwnFactors)
    assert not protocols.has_capability(own, protocols.HasGradientCeiling)
    own.__dict__["gradient_ceiling"] = 3
    assert protocols.has_capability(own, protocols.HasGradientCeiling)
    anything = type("Anything", (), {"__getattr__": lambda self, name: 1, "__module__": "fltheory.own"})()
    assert protocols.has_capability(anything, protocols.HasGradientCeiling)
    nothing = type("Nothing", (), {"__module__": "fltheory.own"})()
    assert not protocols.has_capability(nothing, protocols.HasGradientCeiling)
    assert protocols.has_capability(SimpleNamespace(gradient_ceiling=1), protocols.HasGradientCeiling)
    assert not protocols.has_capability(object(), protocols.HasGradientCeiling)


def test_rows_hold_floats_unless_a_part_is_exact() -> None:
    layout = flat(lambda start, c: {"x": start, "y": start[:, :1] > 0}).step.layout
    x = np.array([[1.0, 2.0]])
    assert layout.rows({"x": x, "y": np.array([[True]])}, 1).dtype == float
    assert layout.rows({"x": x.astype(object), "y": np.array([[True]])}, 1).dtype == object
    assert layout.rows({"x": x, "y": np.array([[fmpq(1)]], dtype=object)}, 1).dtype == object
