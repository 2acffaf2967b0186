"""What a step's code could ask, what it may change, and whether it answers twice alike: function by function."""

from __future__ import annotations

import builtins
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.evidence.validation import other_process, purity
from fltheory.evidence.validation.introspection import forbid_type_inspection, is_dataclass_code
from fltheory.evidence.validation.mutation_guard import forbid_mutation
from fltheory.evidence.validation.other_process import process_dependence, require_process_independent
from fltheory.evidence.validation.purity import FIRST_CALLS, LATER_CALLS, SEEDS, ImpureStep, require_pure
from fltheory.evidence.validation.step_kinds import format_ids, resolve_kind
from fltheory.games.player import Learner, Sampler
from fltheory.model.case import Case
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.sfl import algorithms
from fltheory.problems.responses import ResponseTable
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import run_constants
from fltheory.runs.method import VariantError
from fltheory.runs.step_rule import StepRule
from fltheory.work import spend, work_limit

# Asking for types ---------------------------------------------------------------------------------------------------------

own_type = type
KINDS = (dict, list)
alias = np
Shadow = SimpleNamespace(ndarray=dict)
ndarray = 3


class Odd:
    pass


ALLOWED: dict[str, Callable[..., Any]] = {
    "array": lambda x: isinstance(x, np.ndarray),
    "array under another name": lambda x: isinstance(x, alias.ndarray),
    "dictionary": lambda x: isinstance(x, dict) or isinstance(x, list),  # noqa: SIM101
    "tuple of kinds": lambda x: isinstance(x, (dict, np.ndarray, str)),
    "text": lambda x: isinstance(x, str),
    "type": lambda x: type(x) is dict,
    "type is not": lambda x: type(x) is not list,
    "of a closure": lambda x: [isinstance(x, tuple) for _ in x],
    "harmless dunders": lambda x: (x.__len__(), x.__name__, x.__iter__(), x.__getitem__(0)),
    "nothing": lambda x: x + 1,
    "getattr of a plain name": lambda x: getattr(x, "shape"),  # noqa: B009
    "format": lambda x: "{}".format(x),  # noqa: UP032
    "dunders in a text": lambda x: x == "__class__",
}
REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "float": (lambda x: isinstance(x, float), "isinstance"),
    "one of two": (lambda x: isinstance(x, (dict, float)), "isinstance"),
    "one of two calls": (lambda x: isinstance(x, dict) and isinstance(x, float), "isinstance"),
    "own kind": (lambda x: isinstance(x, Odd), "isinstance"),
    "kinds by a name": (lambda x: isinstance(x, KINDS), "isinstance"),
    "ndarray of something else": (lambda x: isinstance(x, Shadow.ndarray), "isinstance"),
    "another name of numpy": (lambda x: isinstance(x, np.floating), "isinstance"),
    "of a part": (lambda x: isinstance(x.T, dict), "isinstance"),
    "of a call": (lambda x: isinstance(len(x), dict), "isinstance"),
    "kept": (lambda x: isinstance, "isinstance"),
    "of what is called with two globals": (lambda x: isinstance(x(np, ndarray), Odd), "isinstance"),
    "of what is called with two kinds": (lambda x: isinstance(x(dict, list), Odd), "isinstance"),
    "a parameter called as a kind": (lambda x, dict: isinstance(x, dict), "isinstance"),
    "a parameter called as a kind, by type": (lambda x, dict: type(x) is dict, "type"),
    "three arguments": (lambda x, ask=None: isinstance(x, dict, ask), "isinstance"),  # type: ignore[call-arg]
    "type of a tuple": (lambda x: type(x) is tuple, "type"),
    "type equals": (lambda x: type(x) == dict, "type"),  # noqa: E721
    "type alone": (lambda x: type(x), "type"),
    "type of a part": (lambda x: type(x.T) is dict, "type"),
    "type of two": (lambda x, y: type(x) is type(y), "type"),
    "type of three": (lambda x: type(x, dict, list) is dict, "type"),  # type: ignore[call-overload]
    "another name": (lambda x: own_type(x), "own_type"),
    "issubclass": (lambda x: issubclass(x, dict), "issubclass"),
    "dir": (lambda x: dir(x), "dir"),
    "class": (lambda x: x.__class__, "__class__"),
    "array protocol": (lambda x: x.__array_priority__, "__array_priority__"),
    "getattr": (lambda x: getattr(x, "__class__"), "__class__"),  # noqa: B009
    "in a format": (lambda x: "{0.__class__}".format(x), "__class__"),  # noqa: UP030, UP032
    "alone in a format": (lambda x: "{__dict__}".format_map(x), "__dict__"),
    "memoryview": (lambda x: memoryview(x), "memoryview"),
    "inside": (lambda x: [lambda: dir(x)], "dir"),
}


@pytest.mark.parametrize("asked", ALLOWED.values(), ids=ALLOWED)
def test_questions_with_the_same_answer_for_exact_numbers_are_allowed(asked: Callable[..., Any]) -> None:
    forbid_type_inspection("mine", "no verdict", asked)


@pytest.mark.parametrize(("asked", "word"), REFUSED.values(), ids=REFUSED)
def test_questions_that_tell_exact_numbers_from_floats_are_refused(asked: Callable[..., Any], word: str) -> None:
    line = asked.__code__.co_firstlineno
    with pytest.raises(VariantError, match=rf"mine uses {word} \(line {line} of .*\), which could tell .*: no verdict"):
        forbid_type_inspection("mine", "no verdict", asked)


def test_every_function_is_looked_through() -> None:
    for place in range(3):
        functions = [ALLOWED["array"], ALLOWED["type"], ALLOWED["text"]]
        functions[place] = REFUSED["float"][0]
        with pytest.raises(VariantError, match="mine uses isinstance"):
            forbid_type_inspection("mine", "", *functions)


def test_a_class_in_a_case_is_a_question() -> None:
    def matching(x: Any) -> int:
        match x:
            case float():
                return 1
        return 2

    def values(x: Any) -> int:
        match x:
            case 1 | 2:
                return 1
        return 2

    with pytest.raises(VariantError, match="mine uses a class in a case of match"):
        forbid_type_inspection("mine", "", matching)
    forbid_type_inspection("mine", "", values)


def test_a_name_that_is_bound_anew_is_not_believed() -> None:
    text = """
def plain(x): return isinstance(x, dict)
def here(x):
    isinstance = x.ask
    return isinstance(x, dict)
def arrays(x): return isinstance(x, np.ndarray)
def stores(x): x.ndarray = float
def deletes(x): del x.ndarray
def rebinds(x): setattr(x, "a", 1)
def shadows(x):
    dict = float
    return dict
"""

    def made(**given: Any) -> dict[str, Any]:
        space: dict[str, Any] = {"np": np, "__builtins__": builtins, **given}
        exec(text, space)
        return space

    one = made()
    forbid_type_inspection("mine", "", one["plain"], one["arrays"])
    for pair in ("plain here", "plain rebinds", "plain shadows", "arrays stores", "arrays deletes", "arrays rebinds"):
        with pytest.raises(VariantError, match="mine uses isinstance"):
            forbid_type_inspection("mine", "", *(one[name] for name in pair.split()))
    with pytest.raises(VariantError, match="mine uses isinstance"):
        forbid_type_inspection("mine", "", made(isinstance=isinstance)["plain"])
    for other in (SimpleNamespace(ndarray=float), math):
        with pytest.raises(VariantError, match="mine uses isinstance"):
            forbid_type_inspection("mine", "", made(np=other)["arrays"])
    with pytest.raises(VariantError, match="mine uses isinstance"):
        forbid_type_inspection("mine", "", made(dict=float)["plain"])


@dataclass(frozen=True, order=True)
class Record:
    size: int
    name: str = ""


def test_the_code_of_dataclasses_is_known() -> None:
    made = [getattr(f, "__wrapped__", f) for f in vars(Record).values()]
    codes = [f.__code__ for f in made if hasattr(f, "__code__")]
    generated = {c.co_name: c for c in codes if c.co_filename == "<string>"}
    assert {"__eq__", "__lt__", "__hash__", "__setattr__", "__delattr__"} <= generated.keys()
    assert all(is_dataclass_code(c) for name, c in generated.items() if name not in ("__init__", "__repr__"))
    forbid_type_inspection("mine", "", lambda: Record(1) == Record(2), *made)
    space: dict[str, Any] = {}
    exec("def f(self, other): return other.__class__ is self.__class__", space)
    assert not is_dataclass_code(space["f"].__code__)
    assert not is_dataclass_code(test_the_code_of_dataclasses_is_known.__code__)
    eq = generated["__eq__"]
    names = list(eq.co_names)
    assert names[0] == "__class__"
    for other in (
        eq.replace(co_filename="mine.py"),
        eq.replace(co_qualname="__eq__"),
        eq.replace(co_names=("__dict__", *names[1:])),
        eq.replace(co_names=(*names[:-1], "a.b")),
        eq.replace(co_varnames=("a", *eq.co_varnames[1:])),
        eq.replace(co_code=eq.co_code + b"\x09\x00"),
    ):
        assert not is_dataclass_code(other)


# Changing the instance ------------------------------------------------------------------------------------------------------


class Held:
    """An instance with data, and values that are computed when they are first asked for."""

    def __init__(self) -> None:
        self.kept, self.other = [1], "two"

    @cached_property
    def late(self) -> int:
        return 3


class Heir(Held):
    pass


MINE: Any = SimpleNamespace(of_library=False)


@pytest.mark.parametrize("kind", [Held, Heir])
def test_a_change_of_the_instance_is_told_and_undone(kind: type) -> None:
    changes: dict[str, tuple[Callable[[Any], Any], str]] = {
        "replaced": (lambda i: setattr(i, "kept", [1]), "kept"),
        "removed": (lambda i: delattr(i, "other"), "other"),
        "added": (lambda i: setattr(i, "new", 1), "new"),
        "several": (lambda i: (setattr(i, "kept", 0), delattr(i, "other"), setattr(i, "new", 1)), "kept, other, new"),
    }
    for change, names in changes.values():
        for fails in (None, ValueError("why"), KeyboardInterrupt()):
            instance: Any = kind()
            before = dict(vars(instance))
            expected = KeyboardInterrupt if isinstance(fails, KeyboardInterrupt) else VariantError
            with pytest.raises(expected) as told, forbid_mutation(MINE, instance):  # noqa: PT012 (it may fail at its end)
                assert instance.late == 3
                change(instance)
                if fails is not None:
                    raise fails
            if expected is VariantError:
                assert str(told.value) == f"the step changed the instance: {names}"
                assert told.value.__cause__ is fails
            assert {k: v for k, v in vars(instance).items() if k != "late"} == before
            assert vars(instance)["kept"] is before["kept"]
            assert vars(instance)["late"] == 3


def test_who_changes_nothing_is_told_nothing() -> None:
    instance: Any = Held()
    with forbid_mutation(MINE, instance):
        assert instance.late == 3
    with pytest.raises(ValueError, match="why"), forbid_mutation(MINE, instance):
        raise ValueError("why")
    with pytest.raises(VariantError, match="changed the instance: late"), forbid_mutation(MINE, instance):
        instance.late = 4
    assert instance.late == 3
    for trusted in (None, SimpleNamespace(of_library=True)):
        with forbid_mutation(trusted, instance):
            instance.new = 1
        assert instance.new == 1


# Calls that are compared ----------------------------------------------------------------------------------------------------


def compared(call: Callable[[np.ndarray], np.ndarray], step: Any = None) -> None:
    purity._compare(SimpleNamespace(name="mine", step=step or (lambda: 0)), call, "Do not")  # type: ignore[arg-type]


STATES = np.linspace(-1, 3, SEEDS)[:, None] * np.array([[1.0, 1e-6]])


def counting(change: Callable[[int, np.ndarray], Any]) -> tuple[Callable[[np.ndarray], np.ndarray], list[int]]:
    """A call that is changed at its n-th time (0: the whole), and the rows of each call."""
    rows_of: list[int] = []

    def call(rows: np.ndarray) -> np.ndarray:
        rows_of.append(len(rows))
        return STATES[rows] + change(len(rows_of) - 1, rows)

    return call, rows_of


def test_a_pure_call_is_compared_with_few_and_with_many_of_the_seeds() -> None:
    def step() -> None: ...

    call, rows = counting(lambda n, rows: 0)
    compared(call, step)
    assert rows == [SEEDS, *([SEEDS, 1, 2, 31] * 6)]
    rows.clear()
    compared(call, step)
    assert rows == [SEEDS, SEEDS, 1]
    assert (FIRST_CALLS, LATER_CALLS) == (24, 2)


def test_other_seeds_come_first_each_time() -> None:
    seen: list[list[int]] = []

    def call(rows: np.ndarray) -> np.ndarray:
        seen.append(rows.tolist())
        return STATES[rows]

    compared(call)
    assert seen[0] == [*range(SEEDS)]
    assert all(sorted(s) == [*range(SEEDS)] and s != seen[0] for s in seen[1::4])
    assert len({s[0] for s in seen[1:]}) == FIRST_CALLS


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 12, 23, 24])
@pytest.mark.parametrize("off", [1e-6, -1e-6, math.nan, math.inf])
def test_a_call_that_answers_otherwise_once_is_impure(n: int, off: float) -> None:
    with pytest.raises(
        ImpureStep, match=r"mine is not a pure function of each seed's state: .*\. Do not, keep no memory"
    ):
        compared(counting(lambda k, rows: off if k == n else 0)[0])
    with pytest.raises(ImpureStep):
        compared(counting(lambda k, rows: np.where(rows[:, None] == rows[-1], off, 0) if k == n else 0)[0])


def test_rounding_is_no_impurity() -> None:
    """A part in 1e9 of a number, or in 1e12 of the largest."""
    compared(counting(lambda k, rows: (k % 2) * STATES[rows] * 0.9e-9)[0])
    compared(counting(lambda k, rows: (k % 2) * -2.9e-12)[0])
    with pytest.raises(ImpureStep):
        compared(counting(lambda k, rows: (k % 2) * STATES[rows] * 1.2e-9 * np.array([[1.0, 0.0]]))[0])
    with pytest.raises(ImpureStep):
        compared(counting(lambda k, rows: (k % 2) * 4e-12 * (np.abs(STATES[rows]) < 1e-5))[0])
    undefined = np.where(STATES > 1, np.nan, np.where(STATES > 0.5, np.inf, STATES))
    compared(lambda rows: undefined[rows])
    compared(lambda rows: np.full((len(rows), 1), np.nan))


def test_the_work_of_further_calls_is_not_charged() -> None:
    """So that the same case costs the same, whether the step was compared before or not."""
    spent = []
    for _ in range(2):

        def call(rows: np.ndarray) -> np.ndarray:
            spend(1.0)
            return STATES[rows]

        with work_limit() as meter:
            compared(call, test_rounding_is_no_impurity)
        spent.append(meter.spent)
    assert spent == [3.0, 3.0]


def test_a_step_that_cannot_be_remembered_is_compared_anew() -> None:
    call, rows = counting(lambda n, rows: 0)
    listed = Listed()
    compared(call, listed)
    compared(call, listed)
    assert len(rows) == 2 * (1 + FIRST_CALLS)


@dataclass
class Listed:
    """A step with a value, which has no hash."""

    factor: int = 1

    def __call__(self, x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return sfl(x, oracle, c) * self.factor


def test_a_record_may_be_a_step() -> None:
    require_pure(Algorithm("mine", Listed()), case_of())


PAIR = QuadraticClients((1, "1/2"), (1, -1), 2)


def sfl(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


def case_of(n: int = 3) -> Case:
    return Case(PAIR, n_rounds=n, n_local_steps=1, step_size="1/8")


def test_the_states_of_a_federated_step_lie_around_the_start() -> None:
    seen: list[np.ndarray] = []

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        seen.append(x.copy())
        return sfl(x, oracle, c)

    call, advice = purity._step_calls(Algorithm("mine", step), case_of())
    assert advice == "Draw randomness from the oracle"
    seen.clear()
    told = call(np.arange(SEEDS))
    assert told.shape == (SEEDS, 1)
    (x,) = seen
    assert x.min() >= 2 - 1.5
    assert x.max() <= 2 + 1.5
    assert x.min() < 1
    assert x.max() > 3
    assert 2.0 in x  # the start itself
    assert len(np.unique(x)) > SEEDS // 2
    counts = []
    for _ in range(6):
        seen.clear()
        call(np.arange(2))
        counts.append(len(seen))
    assert counts == [2, 3, 1, 2, 3, 1]


def test_no_round_is_called_that_the_case_does_not_have() -> None:
    seen: set[int] = set()

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        seen.add(c.round)
        return sfl(x, oracle, c)

    call, _ = purity._step_calls(Algorithm("mine", step), case_of(1))
    for _ in range(3):
        call(np.arange(4))
    assert seen == {0}


def test_a_step_that_watches_its_steps_is_called_where_runs_come() -> None:
    """If the case says how long they may be."""
    for watched in (True, False):
        for given in ({}, {"largest_step": 9}):
            seen: list[np.ndarray] = []

            def step(x: np.ndarray, oracle: Any, c: Any, seen: Any = seen) -> np.ndarray:
                seen.append(x.copy())
                return sfl(x, oracle, c)

            case = Case(PAIR, n_rounds=3, n_local_steps=1, step_size="1/8", **given)
            call, _ = purity._step_calls(Algorithm("mine", step, watched=watched), case)
            seen.clear()
            told = call(np.arange(SEEDS))
            around = bool(seen[0].max() > 2)  # no run goes above its start
            assert around != (watched and bool(given))
            assert told.shape == (SEEDS, 1 if around else 2)


@pytest.mark.parametrize(("rounds", "called"), [(1, 1), (2, 2), (5, 2)])
def test_a_state_that_remembers_is_called_where_runs_come(rounds: int, called: int) -> None:
    """Two rounds in a row, as far as the case has them."""
    seen: list[tuple[int, np.ndarray]] = []

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        seen.append((c.round, x.copy()))
        return np.concatenate([sfl(x[:, :1], oracle, c), x[:, :1]], axis=1)

    mine = Algorithm("mine", step, init=lambda start, c: np.concatenate([start, start], axis=1))
    call, _ = purity._step_calls(mine, case_of(rounds))
    assert max((r for r, _ in seen), default=-1) == rounds - called - 1
    reached = {tuple(row) for run in rollout(mine, case_of(rounds), purity.RUNS, kernel=False) for row in run.tolist()}
    seen.clear()
    told = call(np.arange(SEEDS))
    assert told.shape == (SEEDS, 2 * called)
    assert [r for r, _ in seen] == list(range(called))
    assert {tuple(row) for row in seen[0][1].tolist()} <= reached


def test_states_of_plain_runs_are_of_all_their_rounds_and_none_beyond() -> None:
    mine = Algorithm("mine", lambda x, oracle, c: x * 10 + c.round)
    told = purity._plain_run_states(mine, case_of(40), 3, 1000)
    assert sorted(set(told[:, 0])) == [2, 20, 201, 2012]
    assert len(told) == 4 * 4
    assert len(purity._plain_run_states(mine, case_of(40), 3, 5)) == 5
    assert set(purity._plain_run_states(mine, case_of(40), 0, 9)[:, 0]) == {2}
    assert set(purity._plain_run_states(mine, case_of(40), -1, 9)[:, 0]) == {2}
    grown = Algorithm("mine", lambda x, oracle, c: -x * 1e30)
    told = purity._plain_run_states(grown, case_of(400), 300, 1000)
    assert np.abs(told).max() <= purity.OVERFLOW_LIMIT
    assert np.abs(told).max() > 1e60
    slow = Algorithm("mine", lambda x, oracle, c: x + 1)
    told = purity._plain_run_states(slow, case_of(400), 300, 1000)
    assert (told.min(), told.max()) == (2, 2 + purity.ROUNDS)
    assert len(told) == 16 * purity.RUNS


def test_a_players_game_is_made_up_with_two_rounds_and_a_play() -> None:
    asked: list[tuple[np.ndarray, np.ndarray]] = []

    def step(p: np.ndarray, seen: np.ndarray, answer: np.ndarray, c: Any) -> np.ndarray:
        asked.append((seen, answer))
        return p

    for turns, n in ((2, 40), (1, 2), (0, 1)):
        asked.clear()
        game = Case(FeedbackTable(((1, 0, 0),), comparator="fixed", repeat=n), sampler_rate=1)
        call, advice = purity._player_calls(Sampler("mine", step), game)
        assert advice == "A sampler or a learner draws nothing itself"
        told = call(np.arange(SEEDS))
        assert told.shape == (SEEDS, 6)
        assert len(asked) == turns
        for counts, feedback in asked:
            assert counts.shape == feedback.shape == (SEEDS, 3)
            assert set(np.unique(counts)) == {0, 1, 2}
            assert counts.dtype == np.int64
            assert 0 <= feedback.min() < 0.1 < 0.9 < feedback.max() <= 1
        if turns == 2:
            assert (asked[0][1] != asked[1][1]).any()


def test_a_learner_sees_who_takes_part() -> None:
    asked: list[np.ndarray] = []

    def step(p: np.ndarray, seen: np.ndarray, answer: np.ndarray, c: Any) -> np.ndarray:
        asked.append(seen)
        return p

    game = Case(ResponseTable(((1, 0, 0), (0, 1, 0), (0, 0, 1)), counts_of=(1, 1, 1)))
    call, _ = purity._player_calls(Learner("mine", step), game)
    assert call(np.arange(4)).shape == (4, 6)
    assert all(set(np.unique(seen)) <= {0, 1} for seen in asked)


def test_a_state_without_seeds_first_is_refused() -> None:
    game = Case(FeedbackTable(((1, 0),), comparator="fixed", repeat=5), sampler_rate=1)
    mine = Sampler(
        "mine",
        lambda state, counts, feedback, c: state,
        init=lambda n, c: {"p": np.full((n, 2), 0.5), "odd": np.ones(7)},
        play=lambda state, c: state["p"],
    )
    with pytest.raises(VariantError, match="expected arrays whose first axis is the 3 seeds"):
        purity._player_calls(mine, game)[0](np.arange(3))
    short = Case(FeedbackTable(((1, 0),), comparator="fixed"), sampler_rate=1)
    with pytest.raises(VariantError, match="mine: the first axis of every part of the state must be the seeds"):
        purity._player_calls(mine, short)[0](np.arange(3))


def test_a_rule_is_asked_of_steps_of_many_sizes() -> None:
    asked: list[Any] = []

    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Any) -> np.ndarray:
        asked.append((lr, ratio, reach))
        return lr

    c = run_constants(Case(PAIR, n_rounds=1, n_local_steps=1, initial_step_size=3), None)
    assert c.initial_step_size == 3
    case = Case(PAIR, n_rounds=1, n_local_steps=1, initial_step_size=3)
    call, advice = purity._rule_calls(StepRule("mine", step), case)
    assert advice == "A rule draws nothing"
    assert call(np.arange(SEEDS)).shape == (SEEDS, 1)
    ((lr, ratio, reach),) = asked
    for values in (lr / 3, ratio, reach / lr):
        assert 4.0**-2 <= values.min() < 4.0**-1.8
        assert 4.0**1.8 < values.max() <= 4.0**2
    assert not np.allclose(lr / 3, ratio)
    assert not np.allclose(reach / lr, ratio)


def test_the_librarys_own_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(purity, "_compare", lambda *given: asked.append(given[0].name))
    require_pure(algorithms.sequential, case_of())
    assert not asked
    require_pure(Algorithm("mine", sfl), case_of())
    require_pure(StepRule("rule", lambda lr, *rest: lr), Case(PAIR, n_rounds=1, n_local_steps=1, initial_step_size=3))
    game = Case(FeedbackTable(((1, 0),), comparator="fixed", repeat=5), sampler_rate=1)
    require_pure(Sampler("player", lambda p, *rest: p), game)
    assert asked == ["mine", "rule", "player"]


def test_an_error_of_a_made_up_game_is_told_as_one_unless_a_real_game_has_it() -> None:
    game = Case(FeedbackTable(((1, 0),), comparator="fixed", repeat=5), sampler_rate=1)

    def made_up(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Any) -> np.ndarray:
        if (counts == 2).any() and len(counts) > 50:  # only the game that is made up has so many rows
            raise ValueError("too many")
        return p

    def always(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Any) -> np.ndarray:
        raise ValueError("never")

    with pytest.raises(VariantError, match=r"too many.*, in a game with made-up draws and answers"):
        require_pure(Sampler("mine", made_up), game)
    with pytest.raises(VariantError, match="never") as told:
        require_pure(Sampler("mine", always), game)
    assert "made-up" not in str(told.value)

    def impure(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Any) -> np.ndarray:
        return p[::-1] * 0 + p.mean(axis=0) if len(p) == 1 else np.tile([[0.25, 0.75]], (len(p), 1))

    with pytest.raises(ImpureStep):
        require_pure(Sampler("mine", impure), game)


# Kinds ----------------------------------------------------------------------------------------------------------------------


def test_ids_are_shown_as_far_as_three() -> None:
    for n, text in ((0, ""), (1, "a"), (3, "a, b, c"), (4, "a, b, c, ..."), (5, "a, b, c, ...")):
        assert format_ids("abcde"[:n]) == text
        assert format_ids(iter("abcde"[:n])) == text


def test_what_a_claim_is_about() -> None:
    plain = Algorithm("mine", sfl)
    for about, kind, result in (
        (None, None, "round"),
        (None, "point", "point"),
        ("point", None, "point"),
        ("set", "set", "set"),
    ):
        algorithm, told = resolve_kind(plain._replace(kind=kind), about, "a/b", None)
        assert (algorithm.kind, told) == (result, result)
    for about, kind in (("odd", None), (None, "odd"), ("odd", "round"), ("round", "odd"), ("odd", "odd")):
        with pytest.raises(ValueError, match="a/b: kind 'odd', expected one of round, point"):
            resolve_kind(plain._replace(kind=kind), about, "a/b", None)
    rule = StepRule("mine", lambda lr, *rest: lr)
    with pytest.raises(ValueError, match="makes a round of a rule"):
        resolve_kind(rule, "round", "a/b", None)
    for algorithm, about in ((rule, "point"), (plain._replace(kind="set"), "round")):
        with pytest.raises(ValueError, match="a/b is about") as told_error:
            resolve_kind(algorithm, about, "a/b", None)
        assert "makes a round" not in str(told_error.value)


# Other processes --------------------------------------------------------------------------------------------------------------


NUMBERS, WORDS = {1, 2.5, 3}, {"a", "b"}
MIXED, VOID = frozenset({1, "a"}), set[int]()
SIGHTS: dict[str, tuple[Callable[..., Any], str | None]] = {
    "set of names": (lambda x: {x, 1}, "the order of a set"),
    "comprehension": (lambda x: {v for v in x}, "the order of a set"),  # noqa: C416
    "set of numbers that is asked": (lambda x: x in {1, 2}, None),
    "names that are asked": (lambda x: x in {"a", "b"}, None),
    "names that are not asked": (lambda x: [v for v in {"a", "b"}], "the order of a set"),  # noqa: C416
    "numbers that are gone through": (lambda x: [v for v in {1, 2}], None),  # noqa: C416
    "difference of keys": (lambda x: x.keys() - x, "the order of a set"),
    "difference of items": (lambda x: x.items() - x, "the order of a set"),
    "in place": (lambda x: x.keys().__ixor__(x) if False else x.keys() ^ x, "the order of a set"),
    "keys alone": (lambda x: [*x.keys()], None),
    "difference alone": (lambda x: x - 1, None),
    "where": (lambda x: np.add(x, 1, where=x > 0), "numbers of an array that was never filled"),
    "text": (lambda x: f"{x}", "the text of an object"),
    "text by percent": (lambda x: "%s" % x, "the text of an object"),  # noqa: UP031
    "remainder": (lambda x: x % 3, None),
    "remainder beside a text": (lambda x: (x + 3, "100%"), None),
    "called set": (lambda x: x.set(), "the order of a set"),
    "called reset": (lambda x: x.reset + x.offset + x.dataset + x.settings, None),
    "called str": (lambda x: x.to_str(), "the text of an object"),
    "called represent": (lambda x: x.represent + x.context + x.stream, None),
    "called getattr": (lambda x: getattr(x, "a" + "b"), "something by a name that can't be read"),
    "called empty": (lambda x: x.empty(), "numbers of an array that was never filled"),
    "of a global": (lambda x: WORDS, "the order of a set"),
    "of a global of numbers": (lambda x: NUMBERS, None),
    "of a global of numbers and a name": (lambda x: MIXED, "the order of a set"),
    "of an empty global": (lambda x: VOID, None),
    "a number and a name that are gone through": (lambda x: [v for v in {1, "a"}], "the order of a set"),  # noqa: C416
}


@pytest.mark.parametrize(("asked", "sight"), SIGHTS.values(), ids=SIGHTS)
def test_what_could_differ_in_another_process(asked: Callable[..., Any], sight: str | None) -> None:
    assert process_dependence("mine", asked) == sight
    assert process_dependence("mine", len, asked, len) == sight


def test_nobody_else_is_asked_where_nothing_could_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(other_process, "_answers_in_processes", lambda *given: asked.append(given) or [7, 8])
    require_process_independent("mine", (SIGHTS["remainder"][0],), lambda: 1, lambda told: False)
    assert not asked
    seen: list[int] = []
    require_process_independent("mine", (SIGHTS["text"][0],), lambda: 1, lambda told: bool(seen.append(told)) or True)
    assert seen == [7, 8]
    for wrong in (7, 8):
        with pytest.raises(other_process.Impure, match=r"mine is not .* differs\. It depends on the text of an object"):
            require_process_independent("mine", (SIGHTS["text"][0],), lambda: 1, lambda told, w=wrong: told != w)
    monkeypatch.setattr(other_process, "_answers_in_processes", lambda *given: [KeyError("gone")])
    with pytest.raises(other_process.Impure, match="in another process it raises KeyError: 'gone'"):
        require_process_independent("mine", (SIGHTS["text"][0],), lambda: 1, lambda told: True)


@pytest.mark.parametrize("ball", [arb(2).sqrt(), arb(-3, 2), arb(0), arb(1) / 3], ids=str)
def test_a_ball_that_is_sent_holds_the_same_numbers(ball: arb) -> None:
    make, given = other_process._reduce_ball(ball)
    sent = make(*given)
    assert sent.contains(ball)
    assert sent.mid().str(50, radius=False) == ball.mid().str(50, radius=False)
    assert float(sent.rad()) == pytest.approx(float(ball.rad()), rel=1e-8)


def test_a_ball_of_many_bits_is_sent_with_all_of_them() -> None:
    with ctx.workprec(300):
        for ball in (arb(2).sqrt(), arb(2).sqrt() * 10**400, -(arb(3).sqrt() / 10**400), arb(10) ** -500):
            make, given = other_process._reduce_ball(ball)
            assert make(*given).mid() == ball.mid()
            assert make(*given).contains(ball)
            assert make(*given).rad() <= ball.rad() * arb("1.00001")


def test_balls_without_an_end_are_sent() -> None:
    for ball in (arb("inf"), arb("-inf"), arb("nan"), arb(0, "inf")):
        make, given = other_process._reduce_ball(ball)
        assert str(make(*given)) == str(ball)


def test_what_is_sent_is_what_comes_back() -> None:
    factor = 3

    class Inner:
        @cached_property
        def size(self) -> int:
            return factor

    def asked() -> tuple[int, int, str]:
        return Inner().size, SEEDS, asked.__code__.co_filename

    told = pickle.loads(other_process._pickle_question(asked))
    assert told() == (3, SEEDS, __file__)
    assert other_process._answer_in_worker(other_process._pickle_question(asked), tuple(sys.path), {}) == told()

    def fails() -> None:
        raise KeyError("gone")

    answer = other_process._answer_in_worker(other_process._pickle_question(fails), tuple(sys.path), {})
    assert isinstance(answer, KeyError)


def test_each_other_process_has_a_seed_and_a_filling_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []

    class Pool:
        def __init__(self, **given: Any) -> None:
            made.append(given)

        def shutdown(self, kill_workers: bool = False) -> None:
            ended.append(kill_workers)

    ended: list[bool] = []
    later: list[Callable[[], None]] = []
    monkeypatch.setattr(other_process.atexit, "register", lambda call, **given: later.append(lambda: call(**given)))
    monkeypatch.setitem(sys.modules, "loky", SimpleNamespace(ProcessPoolExecutor=Pool))  # type: ignore[arg-type]
    for seed in other_process.HASH_SEEDS:
        other_process._worker_process.__wrapped__(seed)
    settings = [given["env"] for given in made]
    assert [own["PYTHONHASHSEED"] for own in settings] == ["0", "1", "2"]
    filled = [int(own["MALLOC_PERTURB_"]) for own in settings]
    assert filled[0] == 0
    assert len(set(filled)) == 3
    assert max(filled) < 256
    assert [own["GLIBC_TUNABLES"] for own in settings] == [f"glibc.malloc.perturb={v}" for v in filled]
    assert all(own["OMP_NUM_THREADS"] == own["OPENBLAS_NUM_THREADS"] == "1" for own in settings)
    assert all(given["max_workers"] == 1 for given in made)
    assert not ended
    for call in later:
        call()
    assert ended == [True] * 3  # when Python ends


def test_modules_of_a_user_are_sent() -> None:
    module = sys.modules[__name__]
    assert other_process._is_user_file_module(__name__, module)
    assert not other_process._is_user_file_module("other", module)
    assert not other_process._is_user_file_module("math", math)
    assert not other_process._is_user_file_module("numpy", np)
    assert not other_process._is_user_file_module(__name__, SimpleNamespace(__name__=__name__, __file__=__file__))


def test_modules_of_a_user_are_sent_along_and_registered_only_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process has no such module to import; what was registered before stays so."""
    cloudpickle = pytest.importorskip("cloudpickle")
    sent: list[bytes] = []

    class Other:
        def submit(self, _: Any, question: bytes, *given: Any) -> Any:
            sent.append(question)
            return SimpleNamespace(result=lambda: "told")

    monkeypatch.setattr(other_process, "_worker_process", lambda seed: Other())
    modules = []
    for name in ("of_a_user", "registered_of_a_user"):
        module = ModuleType(name)
        module.__file__ = f"/nowhere/{name}.py"
        exec(compile("def asked():\n    return 7", module.__file__, "exec"), vars(module))
        monkeypatch.setitem(sys.modules, name, module)
        modules.append(module)
    cloudpickle.register_pickle_by_value(modules[1])
    before = cloudpickle.list_registry_pickle_by_value()
    try:
        for module in modules:
            assert other_process._answers_in_processes("mine", "a set", module.asked) == ["told"] * 3
            assert cloudpickle.list_registry_pickle_by_value() == before
    finally:
        cloudpickle.unregister_pickle_by_value(modules[1])
    for module in modules:
        monkeypatch.delitem(sys.modules, module.__name__)
    assert [pickle.loads(question)() for question in sent] == [7] * 6
