"""What differs from process to process, and the order of a set, the text of an object, unfilled memory."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.api.worst import worst
from fltheory.claims.check import check_claim
from fltheory.evidence.validation import other_process
from fltheory.evidence.validation.other_process import process_dependence, require_process_independent
from fltheory.model.case import Case
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import DirectMeasure
from fltheory.symbols import declare
from fltheory.verification import find

CLAIM = find("sfl/T7@explicit")
CASE = CLAIM.cases[0]
LETTERS = "abcdefgh"  # the first of the set is d, d, h for the hash seeds 0, 1, 2
NAMES = frozenset(LETTERS[:3])  # c, a, c


@dataclass(frozen=True)
class Setting:
    """A record of a user's."""

    size: int

    def __call__(self) -> int:
        return self.size


def plain(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, client, k)
    return x


def doubled_if(asked: Callable[[], Any]) -> Algorithm:
    """The plain step, farther by what ``asked()`` says."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(x, oracle, c) * (1 + asked())

    return Algorithm("step", step)


def address_of(text: str) -> int:
    return int(text.split("0x")[1].rstrip(">"), 16) >> 20  # what loading elsewhere changes, and no call does


def _distribution() -> Any:
    return SimpleNamespace(offset=1, context=2)


SEEN = {
    "order of a set": lambda: next(iter({*LETTERS})) == "h",
    "order of a set that is held": lambda: next(iter(NAMES)) == "a",
    "order of a comprehension": lambda: [*{c for c in LETTERS}][0] == "h",  # noqa: C416, RUF015
    "order of common keys": lambda: next(iter(dict.fromkeys(LETTERS).keys() & {*LETTERS})) == "h",
    "order of a constant": lambda: [c for c in {"a", "b", "c"}][0] == "a",  # noqa: C416, RUF015
    "order of keys that are left": lambda: next(iter(dict.fromkeys(LETTERS).keys() - ["z"])) == "h",
    "order of keys by a function": lambda: next(iter(operator.or_({}.keys(), dict.fromkeys(LETTERS).keys()))) == "h",
    "text of an array": lambda: address_of(np.array2string(np.array([address_of], dtype=object)).rstrip("]")) % 997,
    "text of a function": lambda: address_of(str(address_of)) % 997,
    "text in a text": lambda: address_of(f"{address_of!r}>".split(" at ")[1]) % 997,
    "text by percent": lambda: address_of("%s" % (address_of,)) % 997,  # noqa: UP031
    "text by a name": lambda: address_of(getattr(address_of, "__re" + "pr__")()) % 997,
}


@pytest.mark.parametrize("asked", SEEN.values(), ids=SEEN)
def test_a_step_that_sees_what_differs_from_process_to_process_is_refused(
    asked: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = check_claim(replace(CLAIM, algorithm=doubled_if(asked)), CASE)
    assert verdict.status == "inapplicable"
    assert "in another process it differs. It depends on " in verdict.reason
    monkeypatch.setattr(other_process, "HASH_SEEDS", ())  # nobody else is asked: a verdict, this one or another
    assert check_claim(replace(CLAIM, algorithm=doubled_if(asked)), CASE).evidence == "exact"


def _of_a_class() -> int:
    class Inner:
        start = np.zeros(2)  # a global that only the body of a class names

        @cached_property
        def length(self) -> int:  # Python 3.11 keeps a lock in it
            return len(str(self.start.size))

    return Inner().length


HONEST = {
    "a set of numbers": lambda: sum({1, 2, len(LETTERS)}) < 0,
    "one of some names": lambda: CLAIM.id in {"a", "b", "c"},
    "a sorted set": lambda: sorted({*LETTERS})[0] != "a",
    "a text of numbers": lambda: f"{CLAIM.id} {2 + len(LETTERS)}" == "",
    "a class inside": lambda: _of_a_class() < 0,
    "a name from a constant": lambda: getattr(np, "sum")([1.0]) < 0,  # noqa: B009
}


@pytest.mark.parametrize("asked", HONEST.values(), ids=HONEST)
def test_a_step_that_makes_nothing_of_it_has_its_verdict(asked: Callable[[], Any]) -> None:
    verdict = check_claim(replace(CLAIM, algorithm=doubled_if(asked)), CASE)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library has to fill memory that it gives out")
@pytest.mark.parametrize("made", [lambda: np.empty(4000), lambda: np.empty_like(np.ones(4000))])
def test_memory_that_was_never_filled_is_another_elsewhere(made: Callable[[], Any]) -> None:
    with pytest.raises(other_process.Impure, match=r"differs\. It depends on numbers of an array"):
        require_process_independent("f", (made,), lambda: made().tobytes(), (b"\0" * 32000).__eq__)


def test_an_array_that_is_filled_later_is_as_it_was() -> None:
    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        out = np.empty_like(x)
        out[...] = plain(x, oracle, c)
        return out

    assert check_claim(replace(CLAIM, algorithm=Algorithm("step", step)), CASE).status == "holds"


def test_a_measure_is_asked_elsewhere_too() -> None:
    def value(instance: Any, constants: Any) -> Fraction:
        return Fraction(next(iter({*LETTERS})) == "h")

    claim = find("sfl/U1@explicit")
    claim = replace(claim, measure=DirectMeasure("value", value, dimension=(1, 0)))
    assert "in another process it differs" in check_claim(claim, claim.cases[0]).reason


def test_a_worst_case_is_asked_elsewhere_too() -> None:
    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(plain(x, oracle, c) if next(iter({*LETTERS})) == "h" else x, oracle, c)

    claim = replace(find("sfl/T7-GC@explicit"), algorithm=Algorithm("step", step))
    with pytest.raises(ValueError, match="in another process it differs"):
        worst(claim, L=1, D=1, sigma=0, zeta_star=0, M=2, K=1, R=2, eta="1/10")


def test_a_letter_of_ones_own_is_known_elsewhere() -> None:
    declare("push_elsewhere", "a factor of a step that is tried elsewhere", "positive")

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return plain(x, oracle, c) * (c.push_elsewhere if sorted({*LETTERS})[0] == "a" else 1)

    case = Case(CASE.instance, **{str(k): v for k, v in dict(CASE.settings).items()}, push_elsewhere=1)
    assert check_claim(replace(CLAIM, algorithm=Algorithm("step", step)), case).evidence == "exact"


def test_what_ends_the_other_process_is_an_answer_that_differs() -> None:
    here = os.getpid()

    def asked() -> int:
        if next(iter({*LETTERS})) and os.getpid() != here:
            os._exit(3)
        return 1

    with pytest.raises(other_process.Impure, match="in another process it raises TerminatedWorkerError"):
        require_process_independent("f", (SEEN["order of a set"],), asked, (1).__eq__)
    require_process_independent(
        "f", (SEEN["order of a set"],), lambda: 1, (1).__eq__
    )  # the next question has its process


def test_what_cannot_be_sent_is_refused_with_its_reason() -> None:
    lines = (line for line in LETTERS)
    with pytest.raises(other_process.Impure, match=r"can't be run in another process: .*generator"):
        require_process_independent("f", (SEEN["order of a set"],), lambda: next(lines), bool)


@pytest.mark.parametrize("ball", [arb(2).sqrt(), arb(0), arb(1, 1) / 3, arb("inf"), arb("nan")], ids=str)
def test_a_ball_is_sent_as_it_is(ball: arb) -> None:
    """A constant may be a ball, such as a step size with a root."""
    asked = (SEEN["order of a set"],)

    def told() -> tuple[str, str]:
        return ball.mid().str(40, radius=False), ball.rad().str(6, radius=False)

    require_process_independent("f", asked, told, told().__eq__)
    with pytest.raises(other_process.Impure, match="in another process it differs"):
        require_process_independent("f", asked, told, ("1", told()[1]).__eq__)


def test_what_a_function_could_see_is_told() -> None:
    told = {name: process_dependence("f", asked) for name, asked in (SEEN | HONEST).items()}
    assert told["order of a set"] == told["a sorted set"] == told["order of a set that is held"] == "the order of a set"
    assert told["text in a text"] == told["text by percent"] == told["text of a function"] == "the text of an object"
    assert told["text by a name"] == "something by a name that can't be read"
    assert process_dependence("f", SimpleNamespace(kept=[{"a", "b"}], step=plain)) == "the order of a set"
    assert process_dependence("f", SimpleNamespace(kept=[{1, 2}], step=plain)) is None
    for unfilled in (lambda: np.char.chararray((4,)), lambda: np.add(1, 2, where=False), lambda: np.empty(3)):
        assert process_dependence("f", unfilled) == "numbers of an array that was never filled"
    assert process_dependence("f", HONEST["one of some names"]) is None
    assert process_dependence("f", plain) is None
    assert process_dependence("f", Setting(1), plain) is None  # its repr is dataclass's own
    assert process_dependence("f", CLAIM.algorithm) is None
    assert (
        process_dependence("f", lambda: _distribution().offset + _distribution().context) is None
    )  # str, set, text inside other words


def test_a_text_that_is_only_raised_is_seen_by_nobody() -> None:
    def refusing() -> int:
        if len(LETTERS) < 2:
            raise ValueError(f"not {LETTERS!r:>3} of {Setting}", "%s" % LETTERS)  # noqa: UP031
        return 1

    def reading() -> bool:
        try:
            return bool(refusing())
        except ValueError as error:
            return error.args[0] == ""

    def keeping() -> int:
        text = f"not {LETTERS!r}"
        raise ValueError(text)

    assert process_dependence("f", refusing) is None
    assert process_dependence("f", reading) == process_dependence("f", keeping) == "the text of an object"
