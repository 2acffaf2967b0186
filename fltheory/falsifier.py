"""The search for a counterexample: Hypothesis draws cases and is steered to the bound, a local search climbs, then it shrinks.

A witness is re-checked on its own with the strongest evidence there is before it is reported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase

from fltheory.algorithm import VariantError
from fltheory.claim import ERROR_RATE, Claim, check, find
from fltheory.evidence import STAGES
from fltheory.instance import Case, Instance
from fltheory.number import text
from fltheory.verdict import Verdict, ratio_text

BATCH = 60  # cases that Hypothesis draws between two local searches
CLIMB = 150  # moves of one local search
SEARCH_RATE = 1e-12  # error rate of one statistical check during the search: there are many


@dataclass(frozen=True)
class Falsification:
    """What a search found: the violated verdict, or the case that came nearest."""

    claim: Claim
    verdict: Verdict | None
    nearest: Verdict | None
    examined: int
    applicable: int
    seconds: float
    interrupted: bool = False  # by Ctrl-C, which ends the search early

    @property
    def found(self) -> bool:
        """Whether a counterexample was found."""
        return self.verdict is not None

    @property
    def best_ratio(self) -> float | None:
        """The largest ratio seen: above 1 for a counterexample."""
        best = self.nearest if self.verdict is None else self.verdict
        return None if best is None else best.ratio

    def __str__(self) -> str:
        seen = f"{self.examined} cases examined, {self.applicable} within the hypotheses, {self.seconds:.1f} s"
        if self.verdict is not None:
            return f"{self.verdict}\n  {seen}"
        nearest = ""
        if self.nearest is not None:
            nearest = f"; nearest: ratio {ratio_text(self.best_ratio or 0)} at {self.nearest.case}"
        return f"{self.claim.id}: no counterexample found ({seen}){nearest}"


class _Stop(Exception):
    """Ends a batch of Hypothesis early."""


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


class _Search:
    """The state of one search: the clock, the best cases so far, the first violation."""

    def __init__(self, claim: Claim, seconds: float, seed: int) -> None:
        self.claim, self.deadline, self.random, self.seed = claim, time.perf_counter() + seconds, Random(seed), seed
        self.examined = self.applicable = 0
        self.best: list[Verdict] = []  # to climb from
        self.nearest: Verdict | None = None  # of those that are decided
        self.witness: Verdict | None = None
        self.error: ValueError | None = None  # kept out of Hypothesis, which would write about it
        self._seen: set[str] = set()

    @property
    def over(self) -> bool:
        return self.witness is not None or self.error is not None or time.perf_counter() > self.deadline

    def check(self, case: Case, *, fully: bool = False) -> Verdict:
        """The verdict of a short look or, ``fully``, of all the looks on fresh randomness; ValueError if it breaks."""
        try:
            if fully:
                return check(self.claim, case, ERROR_RATE, self.seed + 1)
            return check(self.claim, case, SEARCH_RATE, self.seed, stages=STAGES[:1])
        except Exception as error:
            why = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise CheckFailed(f"{self.claim.id}: the check broke: {why} (on {case.arguments()})") from error

    def look(self, case: Case) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None."""
        self.examined += 1
        verdict = self.check(case)
        if verdict.status == "inapplicable":
            if verdict.broken:
                raise VariantError(verdict.reason)
            return None
        self.applicable += 1
        if verdict.status == "violated" and self.witness is None:
            self.witness = verdict
        self._remember(verdict)
        return verdict

    def _remember(self, verdict: Verdict) -> None:
        key = verdict.case.arguments()
        if verdict.middle is None or key in self._seen:
            return
        self._seen.add(key)
        self.best = sorted([*self.best, verdict], key=lambda v: -(v.middle or 0.0))[:8]
        decided = verdict.status != "inconclusive"
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict


def falsify(
    claim: Claim | str,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    start: tuple[Case, ...] = (),
    max_cases: int | None = None,
) -> Falsification:
    """Search for a case on which the claim is violated, for at most ``seconds`` (or about ``max_cases`` cases).

    ``start``: cases to look at first and to climb from. The search is the same for any machine as long as it is not
    cut by the clock. Ctrl-C ends it too: what was found until then is returned, marked ``interrupted``.
    ValueError where a check breaks, or a variant can't be run.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if claim.family is None or claim.measure is None:
        raise ValueError(f"{claim.id} can't be searched: it has no {'measure' if claim.measure is None else 'family'}")
    began = time.perf_counter()
    search = _Search(claim, seconds, seed)
    interrupted = False
    try:
        _explore(search, start, max_cases)
    except KeyboardInterrupt:
        interrupted = True
    if (found := search.witness) is not None:
        found, interrupted = (found, True) if interrupted else _shrunk(search, found)
        found = _confirmed(search, found)
    return Falsification(
        claim, found, search.nearest, search.examined, search.applicable,
        time.perf_counter() - began, interrupted,
    )  # fmt: skip


def _explore(search: _Search, start: tuple[Case, ...], max_cases: int | None) -> None:
    """Draw and climb in turns until a violation, the deadline or the number of cases."""
    for case in start:
        search.look(case)
    batch = 0
    while not search.over and (max_cases is None or search.examined < max_cases):
        _draw(search, batch, BATCH if max_cases is None else min(BATCH, max_cases - search.examined))
        if max_cases is not None and search.examined >= max_cases:
            break
        for verdict in _promising(search, batch):
            _climb(search, verdict)
        batch += 1


def _draw(search: _Search, batch: int, size: int) -> None:
    """A batch of cases from the claim's family, steered to large ratios by Hypothesis."""
    assert search.claim.family is not None

    def examine(case: Case) -> None:
        if search.over:
            raise _Stop
        try:
            verdict = search.look(case)
        except ValueError as error:
            search.error = error
            return
        if verdict is not None and verdict.middle is not None and verdict.middle > 0:
            hypothesis.target(max(-300.0, math.log10(verdict.middle)))

    given: Any = hypothesis.given(search.claim.family())
    run: Any = hypothesis.settings(
        max_examples=size, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target), report_multiple_bugs=False,
    )(given(examine))  # fmt: skip
    with suppress(_Stop, hypothesis.errors.Unsatisfiable):
        hypothesis.seed(search.seed * 1_000_003 + batch)(run)()
    if search.error is not None:
        raise search.error


def _promising(search: _Search, batch: int) -> list[Verdict]:
    """The best case, and one of the others."""
    if not search.best:
        return []
    return [search.best[0], search.best[batch % len(search.best)]][: 1 if len(search.best) == 1 else 2]


def _climb(search: _Search, verdict: Verdict) -> None:
    """A random local search on the logarithms of the numbers of a case; the step adapts to its success."""
    size = 1.0
    for _ in range(CLIMB):
        if search.over:
            return
        case = _moved(verdict.case, size, search.random)
        better = search.look(case) if case is not None else None
        if better is not None and (better.middle or 0.0) > (verdict.middle or 0.0):
            verdict, size = better, min(4.0, size * 1.5)
        else:
            size = max(0.01, size * 0.95)


# -- numbers of a case -----------------------------------------------------------------------------------------------

Path = tuple[Any, ...]


def leaves(case: Case) -> dict[Path, Any]:
    """The exact numbers of a case by their place: ("instance", field, i, j) or ("settings", name)."""
    found: dict[Path, Any] = {}

    def walk(value: Any, path: Path) -> None:
        if isinstance(value, bool):
            return
        if isinstance(value, int | Fraction):
            found[path] = value
        elif isinstance(value, tuple):
            for i, item in enumerate(value):
                walk(item, (*path, i))

    if is_dataclass(case.instance):
        for f in fields(case.instance):
            if f.init:
                walk(getattr(case.instance, f.name), ("instance", f.name))
    for name, value in case.settings:
        walk(value, ("settings", name))
    return found


def with_leaves(case: Case, changes: dict[Path, Any]) -> Case | None:
    """The case with some numbers changed; None where no such instance exists."""
    try:
        settings = dict(case.settings) | {p[1]: v for p, v in changes.items() if p[0] == "settings"}
        by_field: dict[str, dict[Path, Any]] = {}
        for path, value in changes.items():
            if path[0] == "instance":
                by_field.setdefault(path[1], {})[path[2:]] = value
        instance: Instance = case.instance
        if by_field:
            new = {name: _put(getattr(instance, name), items) for name, items in by_field.items()}
            instance = replace(instance, **new)  # type: ignore[type-var]
        made = Case(instance, **settings)
        _ = made.constants  # an objective without a minimiser shows here
        return made
    except (ValueError, ZeroDivisionError):
        return None


def _put(value: Any, items: dict[Path, Any]) -> Any:
    if () in items:
        return items[()]
    parts = list(value)
    for i in {p[0] for p in items}:
        parts[i] = _put(parts[i], {p[1:]: v for p, v in items.items() if p[0] == i})
    return tuple(parts)


def _moved(case: Case, size: float, random: Random) -> Case | None:
    """A random neighbour: some numbers multiplied, two in opposite directions, a whole field scaled, or two made equal."""
    numbers = leaves(case)
    if not numbers:
        return None
    paths = list(numbers)
    first = random.choice(paths)
    factor = math.exp(random.gauss(0.0, size))
    kind = random.random()
    changes: dict[Path, Any] = {first: _times(numbers[first], factor)}
    if kind < 0.3:
        second = random.choice(paths)
        changes[second] = _times(numbers[second], 1 / factor if random.random() < 0.7 else factor)
    elif kind < 0.5:
        changes = {p: _times(numbers[p], factor) for p in paths if p[:2] == first[:2]}
    elif kind < 0.6:
        alike = [p for p in paths if p[:2] == first[:2]]
        changes = {first: numbers[random.choice(alike)]}
    elif kind < 0.65:
        changes = {first: 0 if numbers[first] else 1}
    elif kind < 0.7:
        changes = {first: -numbers[first]}
    return with_leaves(case, changes)


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, int) and value > 0 and abs(value) < 2**53 and factor == 1:
        return value
    moved = float(value) * factor
    if isinstance(value, int):
        nearest = round(moved)
        return nearest if nearest != value else value + (1 if factor > 1 else -1)
    return rounded(moved, 4)


def rounded(value: float | Fraction, digits: int) -> Fraction:
    """The number with so many significant decimal digits."""
    if value == 0:
        return Fraction(0)
    return Fraction(f"{float(value):.{digits - 1}e}")


# -- shrinking -------------------------------------------------------------------------------------------------------


def _cost(case: Case) -> tuple[int, float]:
    numbers = leaves(case)
    size = sum(abs(math.log(abs(v))) for v in numbers.values() if v)
    return sum(len(str(text(v))) + (v != 0) for v in numbers.values()), size


def _simpler(case: Case) -> Iterator[Case]:
    """Simpler cases, boldest first: fewer clients, fewer coordinates, then simpler numbers."""
    yield from _smaller_shapes(case)
    numbers = leaves(case)
    for path, value in numbers.items():
        options: list[Any] = [0, 1, -1]
        if isinstance(value, int):
            options += [value // 2, value - 1, value // 10 * 10, round(float(value), -len(str(abs(value))) + 1)]
        elif value:
            options += [Fraction(round(value)), rounded(value, 1), rounded(value, 2)]
            options.append(Fraction(1, max(1, round(1 / value))))
        for option in options:
            option = int(option) if isinstance(value, int) else option
            if option != value:
                made = with_leaves(case, {path: option})
                if made is not None:
                    yield made


def _smaller_shapes(case: Case) -> Iterator[Case]:
    """Cases with one client or one coordinate less, where the instance is made of tables [client][coordinate]."""
    instance: Any = case.instance
    if not is_dataclass(instance):
        return
    tables = {f.name: getattr(instance, f.name) for f in fields(instance) if f.init}
    n, d = getattr(instance, "n_clients", 0), getattr(instance, "dim", 0)
    for axis, length in (("client", n), ("coordinate", d)):
        for drop in range(length if length > 1 else 0):
            new = {name: _dropped(value, axis, drop, n, d) for name, value in tables.items()}
            try:
                family: Any = type(instance)
                made = Case(family(**new), **dict(case.settings))
                _ = made.constants
            except (ValueError, TypeError, ZeroDivisionError, IndexError):
                continue
            yield made


def _dropped(value: Any, axis: str, drop: int, n: int, d: int) -> Any:
    if not isinstance(value, tuple):
        return value
    table = bool(value) and isinstance(value[0], tuple)
    if axis == "client":
        return value[:drop] + value[drop + 1 :] if table and len(value) == n else value
    if table:
        return tuple(row[:drop] + row[drop + 1 :] if isinstance(row, tuple) and len(row) == d else row for row in value)
    return value[:drop] + value[drop + 1 :] if len(value) == d else value


def _shrunk(search: _Search, witness: Verdict, seconds: float = 10.0) -> tuple[Verdict, bool]:
    """Greedy: take the first simpler case that is still violated, until none is, or Ctrl-C (then True comes with it)."""
    end = time.perf_counter() + seconds
    simpler: Verdict | None = witness
    try:
        while simpler is not None:
            witness, simpler = simpler, _still_violated(search, simpler, end)
    except KeyboardInterrupt:
        return witness, True
    return witness, False


def _still_violated(search: _Search, witness: Verdict, end: float) -> Verdict | None:
    """The first simpler case that is violated as well."""
    for case in _simpler(witness.case):
        if time.perf_counter() > end:
            return None
        if _cost(case) < _cost(witness.case):
            with suppress(CheckFailed):
                verdict = search.check(case)
                if verdict.status == "violated":
                    return verdict
    return None


def _confirmed(search: _Search, witness: Verdict) -> Verdict | None:
    """The witness checked again on fresh randomness with the full effort; None if it does not stand."""
    again = search.check(witness.case, fully=True)
    return again if again.status == "violated" else None
