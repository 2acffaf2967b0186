"""What the kernel says of random terms, held against what they are worth at points."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from flint import fmpq

from fltheory.kernel import context, limits, normal
from fltheory.kernel.language.effort import TooLong, begin
from fltheory.kernel.language.terms import Term, Wrong, read, whole
from fltheory.kernel.needs import Need, noted, powers_closed
from tests.kernel import random_terms
from tests.kernel.values import chancy, exactly, integers, number, sign
from tests.kernel.worlds import Undecided, Unfit, World

POINTS, WORLDS = 5, 60


def text(term: Term) -> Any:
    """A term of the kernel as JSON."""
    if term.word == "number":
        return str(term.args[0])
    return [term.word, *(text(a) if isinstance(a, Term) else a for a in term.args)]


def worlds(seed: object) -> list[World]:
    """Points with many zeros and negative numbers, and a permutation of 1, 2."""
    return [World((seed, i), wild=i % 4 != 0, population=2) for i in range(WORLDS)]


def met(need: Need, world: World, outcome: int) -> bool:
    """Whether a need holds there: for all integers around it, and for every outcome if it stands under an expectation."""
    around = [[text(e) for e in own] for own in reversed(need.around)]
    for own in range(len(world.outcomes)) if need.averaged else (outcome,):
        for at in integers(around, world, {}, own):
            told = sign(number(text(need.term), world, at, own))
            if not {"nonzero": told != 0, "positive": told > 0, "nonnegative": told >= 0}[need.kind]:
                return False
    return True


def values(term: Any, needs: Sequence[Need], at: Sequence[World]) -> Iterator[tuple[World, int, Any]]:
    """The number at points where the needs are met, outcome by outcome."""
    for world in at:
        for outcome in range(len(world.outcomes)) if chancy(term) else (0,):
            world.work = 3000
            try:
                if all(met(need, world, outcome) for need in needs):
                    value = number(term, world, {}, outcome)
                    if isinstance(value, fmpq) or value.is_finite():
                        yield world, outcome, value
            except (Undecided, Unfit):
                continue
            except Exception as error:
                if type(error).__name__ != "Spent":
                    raise


Said = tuple[str, Callable[[Any], bool], tuple[Need, ...]]  # what is said, whether a number is so, what is supposed


def asked(say: str, question: Callable[[], bool], so: Callable[[Any], bool]) -> Iterator[Said]:
    """What the kernel says, if it says it."""
    begin()
    with noted() as needs:
        try:
            told = question()
        except (Wrong, TooLong):
            return
    if told:
        yield say, so, tuple(needs)


def not_below(a: Any) -> bool:
    """Whether a number may be at least 0."""
    return not a < 0


def above(a: Any) -> bool:
    """Whether a number may be above 0."""
    return not a <= 0


def not_zero(a: Any) -> bool:
    """Whether a number may be other than 0."""
    return not bool(a == 0)


def zero(a: Any) -> bool:
    """Whether a number may be 0."""
    return not (a < 0 or a > 0)


def is_whole(a: Any) -> bool:
    """Whether a number may be an integer."""
    return bool(a.q == 1 if isinstance(a, fmpq) else a.contains_integer())


def said(own: Term) -> Iterator[Said]:
    """What the kernel says of one number: its signs, whether it is an integer."""
    yield from asked("not negative at a glance", lambda: normal.glance(normal.normal(own)), not_below)
    yield from asked("positive at a glance", lambda: normal.glance(normal.normal(own), True), above)
    turned = normal.scaled
    yield from asked(
        "not positive at a glance", lambda: normal.glance(turned(normal.normal(own), -1)), lambda a: not a > 0
    )
    yield from asked("settled", lambda: limits.settled(own), not_below)
    yield from asked("not negative", lambda: context.not_negative(own, ()), not_below)
    yield from asked("positive", lambda: context._positive(own, (), ()), above)
    yield from asked("not zero", lambda: context.nonzero(own, (), ()), not_zero)
    yield from asked("whole", lambda: whole(own), is_whole)
    yield from asked("an integer", lambda: context.integer(own), is_whole)


def supposing(own: Term, fact: Term, strict: bool) -> Iterator[Said]:
    """What the kernel says of a number by a fact."""
    begin()
    with noted() as needs:
        try:
            form = normal.normal(fact)
        except (Wrong, TooLong):
            return
    facts, strictly = ((), (form,)) if strict else ((form,), ())
    questions = (
        ("not negative by a fact", lambda: context.not_negative(own, facts, strictly), not_below),
        ("positive by a fact", lambda: context._positive(own, facts, strictly), above),
        ("not zero by a fact", lambda: context.nonzero(own, facts, strictly), not_zero),
    )
    for say, question, so in questions:
        yield from ((a, b, (*needs, *c)) for a, b, c in asked(say, question, so))


def normal_of(own: Term) -> tuple[Any, tuple[Need, ...]] | None:
    """The normal form as JSON, and what it supposes."""
    begin()
    with noted() as needs:
        try:
            return text(normal.term_of(normal.normal(own))), tuple(needs)
        except (Wrong, TooLong):
            return None


Found = tuple[str, Any, str]


def of_nested(seed: object, count: int) -> tuple[Counter[str], list[Found]]:
    """Random sums inside sums, held against their normal forms."""
    r, counts, wrong, all_worlds = Random(str(seed)), Counter[str](), list[Found](), worlds(seed)
    with exactly():
        for _ in range(count):
            written = random_terms.nested(r)
            form = normal_of(read(written))
            if form is not None:
                difference, some = ["+", written, ["*", "-1", form[0]]], r.sample(all_worlds, POINTS)
                wrong += _false("has this normal form", zero, written, difference, form[1], some, counts)
    return counts, wrong


def of_terms(seed: object, count: int, first: bool = False) -> tuple[Counter[str], list[Found]]:
    """Random terms: what was said how often at how many points, and what is false."""
    r, counts, wrong = Random(str(seed)), Counter[str](), list[Found]()
    all_worlds = worlds(seed)
    with exactly():
        for turn in range(count):
            if first and wrong:
                break
            written = random_terms.term(r, turn % 3 == 0)
            own, some = read(written), r.sample(all_worlds, POINTS)
            form = normal_of(own)
            if form is not None:
                difference = ["+", written, ["*", "-1", form[0]]]
                wrong += _false("has this normal form", zero, written, difference, form[1], some, counts)
            for say, so, needs in said(own):
                wrong += _false(say, so, written, written, needs, some, counts)
            fact, strict = random_terms.base(r) if turn % 2 else _near(written, r), turn % 5 == 0
            for say, so, needs in supposing(own, read(fact), strict):
                there = [w for w in some if _so(fact, strict, w)]
                wrong += _false(f"{say} {fact}", so, written, written, needs, there, counts)
    return counts, wrong


def _closed(own: Term) -> bool:
    with powers_closed():
        return limits.is_zero(own)


def _near(written: Any, r: Random) -> Any:
    """A part of a term, perhaps less or more than it: as facts are that help."""
    while (
        isinstance(written, list)
        and len(written) > 1
        and r.random() < 0.7
        and written[0] not in ("sum", "mean", "symbol")
    ):
        part = r.choice(written[1:])
        if not (isinstance(part, list) and part[0] != "family") or part[1:2] == ["Vector"] or written[0] == "dot":
            break
        written = part
    return r.choice(
        [written, ["*", "-1", written], ["+", written, "1"], ["+", "1", ["*", "-1", written]], ["+", written, "-1"]]
    )


def _so(fact: Any, strict: bool, world: World) -> bool:
    world.work = 3000
    try:
        told = [sign(number(fact, world, {}, o)) for o in range(len(world.outcomes) if chancy(fact) else 1)]
    except Exception as error:
        if isinstance(error, Undecided) or type(error).__name__ == "Spent":
            return False
        raise
    return min(told) > 0 if strict else min(told) >= 0


def of_laws(seed: object, count: int, first: bool = False) -> tuple[Counter[str], list[Found]]:
    """Pairs of terms by a law that may fail: those that the kernel calls the same are the same."""
    r, counts, wrong = Random(str(seed)), Counter[str](), list[Found]()
    all_worlds = worlds(seed)
    with exactly():
        for _ in range(count):
            if first and wrong:
                break
            left, right = random_terms.law(r)
            difference = ["+", left, ["*", "-1", right]]
            own, some = read(difference), r.sample(all_worlds, POINTS)
            for say, question, so in (
                ("the same", lambda own=own: normal.is_zero(own), zero),
                ("the same, by a limit", lambda own=own: limits.is_zero(own), zero),
                ("settled, by a limit", lambda own=own: limits.settled(own), not_below),
                ("the same, with powers closed", lambda own=own: _closed(own), zero),
            ):
                for told, true, needs in asked(say, question, so):
                    wrong += _false(told, true, [left, right], difference, needs, some, counts)
    return counts, wrong


def _false(
    say: str,
    so: Callable[[Any], bool],
    written: Any,
    term: Any,
    needs: Sequence[Need],
    at: Sequence[World],
    counts: Counter[str],
) -> list[Found]:
    word = say.partition(" [")[0]
    seen = False
    for world, outcome, value in values(term, needs, at):
        seen = True
        if not so(value):
            known = {key[1]: str(v) for key, v in world.values.items()}
            return [
                (
                    say,
                    written,
                    f"{value} where {known}, outcome {outcome}, supposing {[(n.kind, n.term) for n in needs]}",
                )
            ]
    counts[word] += 1
    counts[f"{word}: at points"] += seen
    return []


# Controls -------------------------------------------------------------------------------------------------------------


def laws() -> dict[str, int]:
    """Where the normal form says what a law supposes: the function and which of its calls, and the line."""
    found: dict[str, int] = {}
    tree = ast.parse(inspect.getsource(normal))
    for own in ast.walk(tree):
        if not isinstance(own, ast.FunctionDef) or own.name in ("supposed", "one", "own"):
            continue
        calls = [
            c
            for c in ast.walk(own)
            if isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id == "supposed"
        ]
        for place, call in enumerate(sorted(calls, key=lambda c: c.lineno), 1):
            found[f"{own.name} {place}"] = call.lineno
    return found


def without(lineno: int) -> Callable[[str, Term], None]:
    """``supposed``, but for the call on this line, which says nothing."""
    kept = normal.supposed

    def own(kind: str, term: Term) -> None:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        if frame.f_back.f_lineno != lineno:
            kept(kind, term)

    return own


def forget() -> None:
    """What was worked out before is worked out again."""
    for own in list(vars(normal).values()):
        names = own.__code__.co_freevars if hasattr(own, "__code__") else ()
        for cell, name in zip(getattr(own, "__closure__", None) or (), names, strict=False):
            if name == "kept" and isinstance(cell.cell_contents, dict):
                cell.cell_contents.clear()
