"""Detection of trivial proofs: whether hypotheses imply a statement by linear arithmetic and substitution alone.

As in the kernel, each product of symbols in the normal form of a line counts as a separate unknown. The search is for
multipliers, nonnegative for inequalities, by which the hypotheses add up to the statement plus a visibly nonnegative
term. They are exact numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from flint import fmpq

from fltheory.kernel.context import Context, same
from fltheory.kernel.language.effort import TooLong
from fltheory.kernel.language.lines import Definition, Line, unfolding
from fltheory.kernel.language.terms import Term, endless, minus, number, parts, put, whole
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import Mono, Normal, glance, is_zero, normal, scaled

MAX_UNKNOWNS = 3000  # unknowns or columns: larger systems take too long
PLACES, INSIDE = 8, 3  # instances of a line, and integers of a range, that are tried


def implying_lines(
    statement: Line, lines: Mapping[str, Line], definitions: tuple[Definition, ...], surely: bool = False
) -> tuple[str, ...]:
    """Return the names of lines that together imply a statement, perhaps for nonzero divisors; () if not shown.

    With ``surely``, they imply it wherever they hold.
    """
    with noted() as needs:
        found = _implying_lines(statement, lines, definitions)
    if surely and needs:
        return tuple(name for name, line in lines.items() if line == statement)[:1]
    return found


def _implying_lines(statement: Line, lines: Mapping[str, Line], definitions: tuple[Definition, ...]) -> tuple[str, ...]:
    if statement.gap.vector:
        return tuple(name for name, line in lines.items() if same(line, statement))[:1]
    definitions = unfolding(definitions)
    equations = tuple(_equations(statement, lines, definitions))
    instances = [(name, one) for name, line in lines.items() for one in _instances(line, statement)]
    for inserted in dict.fromkeys((definitions, definitions + equations)):
        context = Context({}, inserted, (), statement)
        wanted = _without_positive_factors(normal(context.expand(statement.gap)))
        columns = [(name, form) for name, one in instances for form in _forms(context, one)]
        targets = (wanted,) if statement.op != "==" else (wanted, scaled(wanted, -1))
        found = [_positive_combination(target, columns) for target in targets]
        if all(found):
            return tuple(dict.fromkeys(name for names in found for name in names))
    return ()


def contradictory_lines(
    statement: Line, lines: Mapping[str, Line], definitions: tuple[Definition, ...]
) -> tuple[str, ...]:
    """Return the names of lines that contradict each other, perhaps for nonzero divisors, found in the same way."""
    with noted():
        return _contradictory_lines(statement, lines, definitions)


def _contradictory_lines(
    statement: Line, lines: Mapping[str, Line], definitions: tuple[Definition, ...]
) -> tuple[str, ...]:
    context = Context({}, unfolding(definitions), (), statement)
    plain = [(name, own) for name, line in lines.items() for own in _at_first_integers(line)]
    columns = [(name, f, own.op != "<") for name, own in plain for f in _forms(context, own)]
    never = next((name for name, f, weak in columns if glance(scaled(f, -1), weak)), None)
    if never is not None:
        return (never,)
    return tuple(dict.fromkeys(_positive_combination({(): fmpq(-1)}, [(name, f) for name, f, _ in columns])))


def _at_first_integers(line: Line) -> Iterator[Line]:
    """Yield the line at the first integers of its ranges, if these are provably nonempty."""
    at: dict[Term, Term] = {}
    for index, low, high in line.over:
        first, last = put(low, at), put(high, at)
        if first.word != "-oo" and (last.word == "oo" or (whole(first) and glance(normal(minus(last, first))))):
            at[index] = first
        elif endless(first) and not endless(last):
            at[index] = last
        else:
            return
    yield replace(line, over=()).renamed(at)


def is_identity(statement: Line, definitions: tuple[Definition, ...], surely: bool = False) -> bool:
    """Return whether a statement is an identity once definitions are inserted, perhaps assuming nonzero divisors."""
    gap = Context({}, unfolding(definitions), (), statement).expand(statement.gap)
    with noted() as needs:
        found = is_zero(gap) if gap.vector or statement.op == "==" else glance(normal(gap), statement.op == "<")
    return found and not (surely and needs)


def _equations(statement: Line, lines: Mapping[str, Line], definitions: tuple[Definition, ...]) -> Iterator[Definition]:
    """Yield equations without ranges as definitions of one of their symbols, each with the earlier ones inserted."""
    known = definitions
    for name, line in lines.items():
        if line.op != "==" or line.over:
            continue
        context = Context({}, known, (), statement)
        left, right = context.expand(line.left), context.expand(line.right)
        pairs = [(left, right), (right, left)]
        for letter, value in pairs:
            if letter.word in ("symbol", "family", "mean") and letter not in set(parts(value)):
                own = Definition(name, letter, value, anywhere=False)
                known = (*known, own)
                yield own
                break


def _instances(line: Line, statement: Line) -> Iterator[Line]:
    """Yield a line with its own indices if the statement has them, else at some integers and symbols of its ranges."""
    places = [replace(line, over=tuple(e for e in line.over if e[0] in line.gap.free or e[0] in statement.indices))]
    while free := [e for e in places[0].over if e[0] not in statement.indices]:
        index, low, high = free[0]
        letters = [t for t in statement.loose | statement.indices if t.word == "symbol" and t.args[1] != "real"]
        at = dict.fromkeys(
            [*_integers_between(low, high), *(e for e in (low, high) if not endless(e)), *sorted(letters)]
        )
        put = (
            replace(one, over=tuple(e for e in one.over if e[0] is not index)).renamed({index: place})
            for one in places
            for place in at
        )
        places = list(islice(put, PLACES))
    yield from places


def _integers_between(low: Term, high: Term) -> Iterator[Term]:
    """Yield some integers between the ends."""
    first, last = (int(e.args[0].p) if e.word == "number" else None for e in (low, high))
    if endless(low) and endless(high):
        yield number(0)
    elif first is not None:
        yield from map(number, range(first, min(first + INSIDE, last + 1 if last is not None else first + INSIDE)))
    elif last is not None:
        yield from map(number, range(last - INSIDE + 1, last + 1))


def _forms(context: Context, line: Line) -> Iterator[Normal]:
    if line.gap.vector:
        return
    form = _without_positive_factors(normal(context.expand(line.gap)))
    yield form
    if line.op == "==":
        yield scaled(form, -1)


def _without_positive_factors(form: Normal) -> Normal:
    """Return a form divided by its positive common factors, such as pi, the root of 2 or a positive symbol."""
    shared = set.intersection(*({a for a, e in mono if e == 1} for mono in form)) if form else set()
    for a in shared:
        if glance({((a, 1),): fmpq(1)}, True):
            form = {tuple(p for p in mono if p[0] is not a): c for mono, c in form.items()}
    return form


def _positive_combination(wanted: Normal, columns: list[tuple[str, Normal]]) -> list[str]:
    """Return names of columns that, with visibly nonnegative terms and multipliers >= 0, add up to a form."""
    letters: list[Mono] = list(dict.fromkeys([*wanted, *(m for _, form in columns for m in form)]))
    spare = [("", {m: fmpq(1)}) for m in letters if glance({m: fmpq(1)})]
    kept = _cancellable_columns(wanted, [*columns, *spare])
    letters = list(dict.fromkeys(m for _, form in kept for m in form))
    if not kept or not wanted or not wanted.keys() <= set(letters):
        return []
    if max(len(letters), len(kept)) > MAX_UNKNOWNS:
        raise TooLong("too many unknowns")
    found = multipliers([form for _, form in kept], wanted)
    return [] if found is None else [name for (name, _), x in zip(kept, found, strict=True) if x and name]


def _cancellable_columns(wanted: Normal, columns: list[tuple[str, Normal]]) -> list[tuple[str, Normal]]:
    """Drop each column with a product of symbols that no other column can cancel, as its multiplier is 0."""
    places: dict[Mono, list[int]] = {}
    counts: dict[tuple[Mono, bool], int] = Counter((m, c < 0) for m, c in wanted.items())
    for i, (_, form) in enumerate(columns):
        for m, c in form.items():
            places.setdefault(m, []).append(i)
            counts[m, c > 0] += 1
    kept = dict(enumerate(columns))
    single = [m for m in places if not (counts[m, True] and counts[m, False])]
    while single:
        for i in places[single.pop()]:
            _, form = kept.pop(i, ("", {}))
            for m, c in form.items():
                counts[m, c > 0] -= 1
                if not counts[m, c > 0]:
                    single.append(m)
    return list(kept.values())


def multipliers(forms: Sequence[Mapping[Any, fmpq]], goal: Mapping[Any, fmpq]) -> list[fmpq] | None:
    """Return x >= 0 with which the forms add up to the goal; None if there is none.

    This is phase one of the simplex method with Bland's rule, in exact numbers; rows are sparse.
    """
    last = len(forms)  # the column of the goal
    rows: dict[Any, dict[int, fmpq]] = {m: {last: c} for m, c in goal.items() if c}
    for j, form in enumerate(forms):
        for m, c in form.items():
            rows.setdefault(m, {})[j] = c
    table = [{j: -c for j, c in row.items()} if row.get(last, 0) < 0 else row for row in rows.values()]
    basis = [-1] * len(table)  # artificial unknowns of phase one, which never re-enter the basis
    lack: dict[int, fmpq] = {}
    for row in table:
        lack = _subtract_multiple(lack, fmpq(-1), row)
    while lack.get(last, 0) > 0:
        enter = min((j for j, c in lack.items() if c > 0 and j < last), default=None)
        if enter is None:
            return None
        ratios = [(row.get(last, 0) / row[enter], basis[i], i) for i, row in enumerate(table) if row.get(enter, 0) > 0]
        _, _, leave = min(ratios)
        by = table[leave][enter]
        pivot = {j: c / by for j, c in table[leave].items()}
        basis[leave] = enter
        table = [pivot if i == leave else _subtract_multiple(row, row.get(enter), pivot) for i, row in enumerate(table)]
        lack = _subtract_multiple(lack, lack.get(enter), pivot)
    found = [fmpq(0)] * last
    for row, j in zip(table, basis, strict=True):
        if j >= 0:
            found[j] = row.get(last, fmpq(0))
    return found


def _subtract_multiple(row: dict[int, fmpq], times: fmpq | None, other: dict[int, fmpq]) -> dict[int, fmpq]:
    """Return a row less a multiple of another."""
    if not times:
        return row
    left = dict(row)
    for j, c in other.items():
        left[j] = left.get(j, 0) - times * c
        if not left[j]:
            del left[j]
    return left
