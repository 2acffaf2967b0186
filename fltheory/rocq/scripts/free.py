"""Symbols over which the lines of a proof are universally quantified, instead of fixed for the theorem."""

from __future__ import annotations

from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import Term, read
from fltheory.kernel.theorem import Theorem
from fltheory.rocq.names import INTEGERS, Names

FIRST = {"nonnegative": "0", "from 0": "0", "from 1": "1"}


def free_letters(own: Theorem) -> tuple[Term, ...]:
    """Return symbols that rise from 0, and those in one line only that index another."""
    return tuple(dict.fromkeys((*letters_that_rise(own), *_indices_elsewhere(own))))


def letters_that_rise(own: Theorem) -> tuple[Term, ...]:
    """Return the symbols that a proof lets rise from 0: its lines hold for all their values."""
    return tuple(dict.fromkeys(read(s.rule["symbol"]) for s in own.steps if s.kind == "Rising" and not s.refuted))


def _indices_elsewhere(own: Theorem) -> list[Term]:
    steps = [s for s in own.steps if not s.refuted]
    indices = {i for s in steps for i in s.claim.indices} | {
        read(i) for s in steps if s.kind == "Summed" for i in s.rule["indices"]
    }
    spoken = {
        x for s in steps for x in (s.claim.loose | frozenset().union(*(h.loose for h in s.assuming)) - s.claim.indices)
    }
    fixed = {x for h in own.hypotheses.values() for x in (h.loose if isinstance(h, Line) else h.letters)}
    fixed |= own.statement.loose
    return sorted((x for x in indices & spoken - fixed if x.args[1] in INTEGERS and x.args[1] != "unknown"), key=str)


def quantifiers(names: Names, free: tuple[Term, ...]) -> str:
    """Return the quantifiers at the start of a line, for all of these symbols."""
    said = ""
    for x in free:
        v, sort = names.of(x), x.args[1]
        said += f"forall {v} : R, {f'integer {v} -> ' if sort in INTEGERS else ''}{f'{FIRST[sort]} <= {v} -> ' if sort in FIRST else ''}"
    return said


def intro_names(names: Names, x: Term) -> list[str]:
    """Return the names of a symbol and of its property."""
    v, sort = names.of(x), x.args[1]
    return [v, *([f"Z_{v}"] if sort in INTEGERS else []), *([f"G_{v}"] if sort in FIRST else [])]
