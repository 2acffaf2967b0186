"""Application of a proved theorem: substitution for its symbols and families, and discharge of its hypotheses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from fltheory.kernel.context import Context, class_of, divided, fits, not_negative, of_kind, same, same_ranges, says
from fltheory.kernel.language.lines import Definition, Line, Member
from fltheory.kernel.language.terms import (
    ZERO,
    Term,
    Wrong,
    a_function,
    anywhere,
    fresh,
    make,
    minus,
    put,
    read,
    read_at,
    slots,
    symbol,
)
from fltheory.kernel.limits import equal, is_zero, settled
from fltheory.kernel.needs import decides, ranging
from fltheory.kernel.normal import glance, normal
from fltheory.kernel.rules import need

At = list[tuple[Term, Term]]
PERMUTATION = "permutation"


def apply(rule: Mapping[str, Any], theorem: Any, context: Context, conditional: Collection[str]) -> None:
    """Check that the instance is the claim and that the step uses each of its hypotheses; raise Wrong if not."""
    at: At = [(read(k), read(v)) for k, v in rule["at"]]
    need(len({k for k, _ in at}) == len(at), "a symbol or family is substituted twice")
    for key, value in at:
        _fitting(
            key, context.expand(anywhere(key, value)), theorem, context
        )  # a symbol inside the value is not an index of the family
    for hypothesis in theorem.hypotheses.values():
        try:
            _discharged(hypothesis, at, context, conditional)
        except Wrong as error:
            raise Wrong(f"a hypothesis of {theorem.name}: {error}") from error
    first, second = context.line(context.claim), context.line(line_at(theorem.statement, at, _taken(context)))
    free = Line(first.left, first.op, first.right)
    need(
        says(first, second) or says(free, second),
        f"{theorem.name} gives {second.left} {second.op} {second.right}"[:400],
    )


def _fitting(key: Term, value: Term, theorem: Any, context: Context) -> None:
    facts, above = context.facts(), context.above()
    chance = value.random and theorem.of_chance
    if key.word == "symbol":
        need(not chance, f"{value} depends on chance, and {theorem.name} takes expectations")
        need(fits(key, value, facts, above), f"{value} is not seen to be of the sort of {key}")
        return
    kind = key.args[0]
    need(not (chance and not kind.startswith("Random")), f"{value} depends on chance, {key} does not")
    if kind == "Fun":
        need(a_function(value), f"{value} is not a function")
        return
    need(key.vector == value.vector or value is ZERO, f"{value} is not of the sort of {key}")
    need(not a_function(value), f"{value} is a function")
    need(
        key.vector or of_kind(kind, value, facts, above),
        f"{value} is not seen to have the sign of {key}, or is not an integer",
    )


def _taken(context: Context) -> set[Term]:
    return {letter for d in context.definitions for letter in d.letters}


def line_at(own: Line, at: At, taken: Iterable[Term] = ()) -> Line:
    """Return a line after all substitutions at once; bound indices are renamed to avoid capture."""
    values = set(taken).union(*(v.free - set(slots(k)) for k, v in at))
    need(not own.indices & {k for k, _ in at}, "an index of the statement is substituted")
    if own.indices & values:
        names = {i: fresh(i) for i in own.indices}
        own = own.renamed(names)
    return own.mapped(lambda t: term_at(t, at))


def term_at(term: Term, at: At) -> Term:
    """Return a term after all substitutions at once: an index of a family is substituted before the family is read at it."""
    letters = {k: v for k, v in at if k.word == "symbol"}
    families = {(*k.args[:2], len(k.args)): (slots(k), v) for k, v in at if k.word == "family"}
    for key in [k for k in letters if k.args[0] == PERMUTATION]:
        mark = fresh(key)
        term, letters[mark] = _renumbered(term, mark), letters.pop(key)
    return _replaced(term, letters, families, frozenset().union(*(v.free for _, v in at)))


def _replaced(
    term: Term,
    letters: Mapping[Term, Term],
    families: Mapping[tuple[Any, ...], tuple[tuple[Term, ...], Term]],
    brought: frozenset[Term],
) -> Term:
    """Substitute in a term; an index of a sum that occurs in a substituted value, or is itself substituted, is renamed."""
    if term.word == "symbol":
        return letters.get(term, term)
    if term.word == "sum" and (term.args[1] in brought or term.args[1] in letters):
        body, index, low, high = term.args
        own = fresh(index)
        term = make("sum", put(body, {index: own}), own, low, high)
    args = tuple(_replaced(a, letters, families, brought) if isinstance(a, Term) else a for a in term.args)
    found = families.get((*args[:2], len(args))) if term.word == "family" else None
    return make(term.word, *args) if found is None else read_at(found[1], dict(zip(found[0], args[2:], strict=True)))


def _renumbered(term: Term, mark: Term) -> Term:
    args = tuple(_renumbered(a, mark) if isinstance(a, Term) else a for a in term.args)
    return make(term.word, *args, *([mark] if term.word == "draw" and len(args) == 2 else []))


def _discharged(hypothesis: Any, at: At, context: Context, conditional: Collection[str]) -> None:
    if isinstance(hypothesis, Member):
        return _member(hypothesis, at, context)
    if isinstance(hypothesis, Definition):
        own = {s: fresh(s, "integer") for s in slots(hypothesis.left)}
        left, right = (context.expand(term_at(put(e, own), at)) for e in (hypothesis.left, hypothesis.right))
        if equal(left, right):
            return None
        need(not own, f"{left} does not equal {right} here"[:300])
        wanted = Line(term_at(hypothesis.left, at), "==", term_at(hypothesis.right, at))
    else:
        wanted = line_at(hypothesis, at, _taken(context))
    names = {i: symbol(f"{i}~", i.args[1]) for i in wanted.indices}  # the claim may use the same name
    wanted = wanted.renamed(names)
    expanded = context.line(wanted)
    if _granted(expanded):
        return None
    used = {n: k.renamed({i: own for i, own in names.items() if i in k.indices}) for n, k in context.used.items()}
    lines = [(name, known, context.line(known)) for name, known in used.items()]
    for name, known, here in sorted(lines, key=lambda own: not _to_the_letter(own[2], expanded)):
        if wanted.over and name in conditional:
            continue
        op = "<=" if wanted.op == "<=" else here.op  # every relation implies <=
        plain, asked = Line(here.left, op, here.right), Line(expanded.left, expanded.op, expanded.right)
        if wanted.op == "<=" and not known.over and not wanted.over and _multiple(plain, asked):
            return None
        alike = same(Line(here.left, op, here.right, here.over), expanded)
        if alike or (_same_there(wanted, plain, asked) and _covers(here, wanted, context)):
            return None
    raise Wrong(f"{expanded.left} {expanded.op} {expanded.right} is not among the lines that the step uses"[:400])


def _to_the_letter(known: Line, wanted: Line) -> bool:
    """Return whether two lines agree literally up to ranges and names of indices; this quick test orders the candidates."""
    names = dict(zip(known.names, wanted.names, strict=False))
    return all(put(a, names) is b for a, b in ((known.left, wanted.left), (known.right, wanted.right)))


@decides
def _granted(own: Line) -> bool:
    with ranging(own.over):
        if own.op == "==":
            return is_zero(own.gap)
        return settled(own.gap) if own.op == "<=" else glance(normal(own.gap), True)


@decides
def _same_there(wanted: Line, known: Line, asked: Line) -> bool:
    """Return whether two lines without ranges are equivalent for all indices in the ranges of the wanted line."""
    with ranging(wanted.over):
        return same(known, asked)


@decides
def _multiple(known: Line, wanted: Line) -> bool:
    """Return whether the wanted gap is the known gap times a nonnegative factor."""
    if known.gap.vector:
        return False
    quotient = divided(normal(wanted.gap), normal(known.gap))
    return quotient is not None and glance(quotient)


@decides
def _covers(known: Line, wanted: Line, context: Context) -> bool:
    """Return whether the ranges of a line contain the wanted ranges and those of the claim."""
    ranges = Line(ZERO, "<=", ZERO, (*context.claim.over, *wanted.over))
    used = {n: k for n, k in context.used.items() if not k.loose & ranges.indices}
    with ranging(wanted.over):
        return same_ranges(known, ranges, Context(used, context.definitions, context.members, ranges).facts())


def _member(hypothesis: Member, at: At, context: Context) -> None:
    names = {s: fresh(s, "integer") for s in slots(hypothesis.function)}
    own = class_of(term_at(put(hypothesis.function, names), at), context.members)
    for kind in ("smooth", "convex"):
        wanted, given = getattr(hypothesis, kind), getattr(own, kind)
        if wanted is None:
            continue
        need(given is not None, f"{own.name} does not state this constant of its functions")
        asked, here = context.expand(term_at(put(wanted, names), at)), context.expand(given)
        convex_enough = kind == "convex" and not_negative(minus(here, asked), context.facts())
        need(equal(asked, here) or convex_enough, f"{own.name} has {here}, not {asked}")
