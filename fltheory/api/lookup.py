"""Lookup of user input: selectors give claims, ``NAME=VALUE`` gives constants."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from fltheory.api.word_search import READING_ORDER, search
from fltheory.claims.ids import paper_of
from fltheory.model.errors import UserError

if TYPE_CHECKING:
    from sympy import Expr, Symbol
    from sympy.core.relational import Relational

    from fltheory.claims.claim import Claim
    from fltheory.claims.index import Line
    from fltheory.model.bound import Bound
    from fltheory.number import Number


MAX_NAMED_CLAIMS = 8  # claims of a file listed in a message


# Claims ---------------------------------------------------------------------------------------------------------


def select(*selectors: str, words: str | None = None) -> tuple[Claim, ...]:
    """Return the claims that any selector names: id, with or without reading, paper, family, glob, FILE.py, module.

    ``words``: only claims that contain all of these. No selector means all claims. UserError if one matches nothing.
    A family is the part of ids before a hyphen: ``sfl/TAB1`` means every ``sfl/TAB1-...``, as no claim has that id.
    Papers of the library that no selector names are not loaded.
    """
    from fltheory.claims.catalogue import catalogue

    found = [line.id for line in selected_lines(selectors, words)]
    claims = {claim.id: claim for claim in catalogue(tuple(dict.fromkeys(paper_of(i) for i in found)))}
    return tuple(claims[i] for i in found)


def selected_lines(selectors: Sequence[str], words: str | None = None) -> tuple[Line, ...]:
    """Return the lines of ``select``; claims of the library's papers are not loaded if their lines are cached."""
    from fltheory.claims.index import lines

    if not all(selector.strip() for selector in selectors):
        raise UserError("an empty selector; a paper's key, an id or a glob, such as sfl or 'sfl/T3-*'")
    names = [name for selector in selectors for name in resolve_external(selector)]
    keys = {paper_of(name) for name in names}
    plain = names and not any(set("*?[") & set(key) for key in keys)  # then only these papers are loaded
    found = lines(keys if plain else None)
    if names:
        ids = [line.id for line in found]
        named = set().union(*(_matches(name, ids, words) for name in names))
        found = tuple(line for line in found if line.id in named)
    return found if words is None else search(found, words)


def whole_papers(selectors: Sequence[str], found: Sequence[Line]) -> tuple[str, ...]:
    """Return the papers named as a whole; none if any selector names less."""
    keys = tuple(dict.fromkeys(name for selector in selectors for name in resolve_external(selector)))
    return keys if set(keys) <= {line.paper for line in found} else ()


def resolve_external(selector: str) -> tuple[str, ...]:
    """Return a selector in catalogue form, after adding its file or module to the catalogue."""
    from fltheory.claims.plugins import PluginError, resolve_selector

    try:
        return resolve_selector(selector)
    except PluginError as error:
        raise UserError(str(error)) from None


def _matches(selector: str, ids: Sequence[str], words: str | None) -> set[str]:
    from fltheory.claims.ids import family_of, unknown_id_message
    from fltheory.claims.index import lines

    found = {i for i in ids if selector in (i, i.split("@")[0], i.split("/")[0])}
    found = found or set(family_of(selector, ids)) or {i for i in ids if fnmatchcase(i, selector)}
    if not found:
        known = lines()
        raise UserError(
            unknown_id_message(selector, [line.id for line in known]) + _search_hint(selector, words, known)
        )
    return found


def _search_hint(selector: str, words: str | None, known: Sequence[Line]) -> str:
    """Return the end of a message about a selector that names nothing: the search that finds it as a word, if any does.

    ``words`` are those of the search beside it: several words without quotes come as one word and selectors.
    """
    text = selector if words is None else f"{words} {selector}"
    found = lines_by_words(text, known)
    return f"; by words: fltheory list --search {shlex.quote(text)} finds {len(found)}" if found else ""


def lines_by_words(text: str, known: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines that a search finds, none for what is no words but an id or a pattern."""
    if set("/@*?[") & set(text):
        return ()
    try:
        return search(known, text)
    except UserError:
        return ()


def lines_or_words(selectors: Sequence[str], words: str | None) -> tuple[tuple[Line, ...], str | None]:
    """Return the lines of ``selected_lines``, or those that have the selectors as words, with these words."""
    from fltheory.claims.index import lines

    try:
        return selected_lines(selectors, words), None
    except UserError:
        text = " ".join([*(() if words is None else (words,)), *selectors])
        found = lines_by_words(text, lines()) if selectors else ()
        if not found:
            raise
        return found, text


def claim_of(claim_id: str) -> Claim:
    """Return the claim with this id; the reading may be omitted if there is only one. Loads only its paper."""
    from fltheory.claims.ids import UnknownId

    name = id_of(claim_id)
    try:
        from fltheory.verification import find

        return find(name)
    except UnknownId as error:
        raise UserError(str(error)) from None


def id_of(claim_id: str) -> str:
    """Return the full id; the reading may be omitted if there is only one. UserError names similar ids."""
    from fltheory.claims.catalogue import KEYS
    from fltheory.claims.ids import UnknownId, resolve_id
    from fltheory.claims.index import lines

    if claim_id in KEYS or set("*?[") & set(claim_id):
        from fltheory.number.parsing import clip_text

        what = "a paper" if claim_id in KEYS else "a pattern"
        short = clip_text(claim_id)
        raise UserError(
            f"{short!r} is {what}: show, bound, falsify and plot take one id; fltheory list {short!r} names them"
        )
    asked, named = claim_id, resolve_external(claim_id)
    claim_id = named[0]
    there = [line.id for line in lines({paper_of(name) for name in named})]
    if not claim_id.strip() or claim_id in there:
        return claim_id
    if claim_id != asked and "/" not in claim_id and there:
        return _only_claim_id(asked, there, len(named) > 1)
    try:
        return resolve_id(claim_id, [line.id for line in lines()])
    except UnknownId as error:
        raise UserError(str(error)) from None


def shown_id(claim_id: str) -> tuple[str, tuple[Line, ...]]:
    """Return the full id and the lines of the claim's other readings, if the id leaves the reading out.

    Without a reading it is the printed one or, if there is none, the first of ``READING_ORDER``. UserError names similar ids.
    """
    from fltheory.claims.ids import without_reading
    from fltheory.claims.index import lines

    if claim_id.strip() and "@" not in claim_id and not set("*?[") & set(claim_id):
        name, *more = resolve_external(claim_id)
        own = [line for line in lines({paper_of(name)}) if without_reading(line.id) == name]
        if own and not more:
            first, *others = sorted(own, key=lambda line: READING_ORDER.index(line.reading))
            return first.id, tuple(others)
    return id_of(claim_id), ()


def _only_claim_id(spec: str, there: Sequence[str], with_keys: bool) -> str:
    """Return the only claim of a file or module; UserError says how to name one of several."""
    if len(there) == 1:
        return there[0]
    ids = [i if with_keys else i.partition("/")[2] for i in there]
    readings = Counter(i.partition("@")[0] for i in ids)
    names = [i if readings[i.partition("@")[0]] > 1 else i.partition("@")[0] for i in ids]
    more = f" and {len(names) - MAX_NAMED_CLAIMS} more" if len(names) > MAX_NAMED_CLAIMS else ""
    shown = ", ".join(f"{spec}:{name}" for name in names[:MAX_NAMED_CLAIMS])
    raise UserError(f"{spec} has {len(there)} claims; choose one: {shown}{more}")


# Constants ------------------------------------------------------------------------------------------------------

_ASCII_LETTERS = (
    (r"\tilde\eta", "eta_eff"),
    (r"\eta_{\max}", "eta_max"),
    (r"\hat\zeta", "zeta_hat"),
    ("x^{(0)}", "x0"),
    ("_*", "_star"),
)


def spellings(symbol: Symbol, letters: Mapping[Symbol, str]) -> set[str]:
    """Return every spelling of a constant: its canonical name, the paper's symbol in LaTeX, ASCII and unicode."""
    from fltheory.model.bound import unicode_letter

    spellings = {symbol.name}
    latex = letters.get(symbol)
    if latex is not None:
        ascii_ = latex
        for pattern, word in _ASCII_LETTERS:
            ascii_ = ascii_.replace(pattern, word)
        ascii_ = ascii_.replace("\\", "").replace("{", "").replace("}", "")
        pretty = unicode_letter(latex)
        spellings |= {latex, latex.replace("\\", ""), ascii_, ascii_.replace("_", ""), pretty, pretty.replace("⋆", "*")}
    return {_normal(s) for s in spellings}


def _normal(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip()).replace("∗", "⋆").replace("ς", "σ")


def letters_of(bounds: Sequence[Bound]) -> dict[Symbol, str]:
    """Return the paper's notation for its constants; by default the common symbols."""
    from fltheory.symbols import notation_for

    said = dict(pair for bound in bounds for pair in bound.letters)
    return said or notation_for({s for bound in bounds for s in bound.symbols}, {})


def label(symbol: Symbol, letters: Mapping[Symbol, str]) -> str:
    """Return the paper's symbol with the canonical name, or only the name."""
    from fltheory.model.bound import unicode_letter

    return f"{unicode_letter(letters[symbol])} ({symbol.name})" if symbol in letters else symbol.name


def resolve(name: str, bounds: Sequence[Bound], more: Iterable[Symbol] = ()) -> Symbol:
    """Return the constant that a user calls ``name``: of these bounds first, else any known one."""
    from fltheory.number.parsing import clip_text
    from fltheory.symbols import VOCABULARY

    letters = letters_of(bounds)
    own = {s for bound in bounds for s in (*bound.symbols, *(w for w, _ in bound.where))} | set(more)
    known = {v.symbol for v in VOCABULARY.values()}
    for pool in (own, known):
        found = sorted((s for s in pool if _normal(name) in spellings(s, letters)), key=lambda s: s.name)
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(f"{name!r} is ambiguous: write {' or '.join(s.name for s in found)}")
    if not own:
        from fltheory.claims.ids import suggest

        raise UserError(f"no constant {clip_text(name)!r}{suggest(name, sorted(s.name for s in known))}")
    choices = ", ".join(label(s, letters) for s in sorted(own, key=lambda s: s.name))
    raise UserError(f"no constant {clip_text(name)!r}; this bound takes {choices}")


def parse_assignments(assignments: Iterable[str], bounds: Sequence[Bound]) -> dict[Symbol, Any]:
    """Parse ``NAME=VALUE`` texts to exact values, each checked against its domain."""
    return parse_constants(map(_split, assignments), bounds)


def as_typed(answer: str, assignments: Iterable[str], bounds: Sequence[Bound]) -> str:
    """Return an answer in which ``name = value`` has the names that the user typed in valid assignments.

    A line of Python, which has no blanks around ``=``, keeps its names.
    """
    names = {resolve(name, bounds).name: name.strip() for name, _ in map(_split, assignments)}
    return re.sub(r"\b(\w+)(?= = )", lambda found: names.get(found[1], found[1]), answer)


def in_letters(answer: str, bounds: Sequence[Bound]) -> str:
    """Return an answer with the paper's letters in place of the constants' names, except in lines of Python."""
    from fltheory.model.bound import unicode_letter

    letters = {symbol.name: unicode_letter(letter) for symbol, letter in letters_of(bounds).items()}

    def written(line: str) -> str:
        if "from fltheory" in line:
            return line
        return re.sub(r"\b([A-Za-z]\w*)\b(?!=\S)", lambda found: letters.get(found[1], found[1]), line)

    return "\n".join(map(written, answer.split("\n")))


def _split(assignment: str) -> tuple[str, str]:
    from fltheory.number.parsing import clip_text

    name, equals, value = assignment.partition("=")
    if not equals or not name.strip():
        raise UserError(f"--set {clip_text(assignment)!r}: expected NAME=VALUE, such as M=4 or eta=1/60")
    return name, value.strip()


def parse_constants(named: Iterable[tuple[str, object]], bounds: Sequence[Bound]) -> dict[Symbol, Any]:
    """Parse constants by name to exact values, each checked against its domain; no duplicates."""
    from fltheory.number import exact
    from fltheory.number.parsing import clip_text
    from fltheory.symbols import in_domain, meaning

    letters = letters_of(bounds)
    values: dict[Symbol, Any] = {}
    for name, value in named:
        symbol = resolve(name, bounds)
        if symbol in values:
            raise UserError(f"{label(symbol, letters)} is set twice")
        try:
            number = exact(value)
        except (ValueError, ArithmeticError) as error:
            raise UserError(f"{label(symbol, letters)}: {error}") from None
        entry = meaning(symbol)
        if not in_domain(symbol, number):
            given = f"{label(symbol, letters)} = {clip_text(value)}"
            raise UserError(f"{given} is out of its domain: {entry.text}, {entry.domain}")
        values[symbol] = number
    return values


def complete_values(bound: Bound, values: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    """Return the values completed by conditions and definitions; UserError for a missing or contradictory one."""
    from fltheory.model.bound import BoundError

    values = {**implied_constants([bound]), **values}
    require_constants(bound, values)
    try:
        return _complete(bound, values)
    except BoundError as error:
        raise UserError(str(error)) from None
    except ZeroDivisionError:
        raise UserError(f"{bound.source.paper}, {bound.source.place} divides by 0 here") from None


def require_constants(bound: Bound, values: Mapping[Symbol, Any]) -> None:
    """Raise UserError if constants of a bound are missing: lists all of them, in its notation."""
    from fltheory.model.bound import symbols_of
    from fltheory.symbols import meaning

    letters = letters_of([bound])
    defined = dict(bound.where)
    values = {**implied_constants([bound]), **values}
    missing: list[Symbol] = []
    instead: list[Symbol] = []
    queue = list(symbols_of(bound.expr, *bound.conditions))
    while queue:
        symbol = queue.pop(0)
        if symbol in values or symbol in missing or symbol in instead:
            continue
        if symbol in defined:
            inputs = [s for s in defined[symbol].free_symbols if s not in values]
            instead += [symbol] if inputs else []
            queue += symbols_of(defined[symbol])
        else:
            missing.append(symbol)
    if missing:
        parts = [f"{label(s, letters)}: {meaning(s).text}, {meaning(s).domain}" for s in missing]
        either = f" ({', '.join(label(s, letters) for s in instead)} may be set directly)" if instead else ""
        raise UserError(f"missing {'; '.join(parts)}{either}")


def implied_constants(bounds: Sequence[Bound]) -> dict[Symbol, Any]:
    """Return the constants that conditions fix, such as "there is one client"."""
    from sympy import Eq

    from fltheory.number import exact

    equal = [c.args for bound in bounds for c in bound.conditions if isinstance(c, Eq)]
    told = [sides for args in equal for sides in (args, args[::-1])]
    return {symbol: exact(value) for symbol, value in told if symbol.is_Symbol and value.is_Rational}


def _complete(bound: Bound, values: Mapping[Symbol, Any]) -> dict[Symbol, Any]:
    from fltheory.number import decide, to_ball
    from fltheory.number.parsing import clip_text

    letters = letters_of([bound])
    for symbol, expr in bound.where:
        if symbol in values and expr.free_symbols <= values.keys():
            other = bound.complete({s: v for s, v in values.items() if s != symbol})[symbol]
            if not to_ball(other).overlaps(to_ball(values[symbol])):
                given = f"{label(symbol, letters)} = {clip_text(values[symbol])}"
                raise UserError(f"{given} contradicts its definition {inline(expr, letters)} = {clip_text(other)}")
    full = bound.complete(values)
    for condition in bound.conditions:
        truth = decide(condition, full)
        if truth is not True:
            verb = "fails" if truth is False else "can't be decided"
            raise UserError(f"the condition {inline(condition, letters)} {verb}: {_sides(condition, full)}")
    return full


def _sides(condition: Relational, values: Mapping[Symbol, Number]) -> str:
    from fltheory.number import evaluate_ball

    left, right = (float(evaluate_ball(side, values).mid()) for side in (condition.lhs, condition.rhs))
    return f"the left side is {left:.6g}, the right side {right:.6g}"


def inline(expr: Expr, letters: Mapping[Symbol, str]) -> str:
    """Return an expression or condition in the paper's notation, on one line."""
    import sympy
    from sympy.printing.str import StrPrinter

    from fltheory.model.bound import unicode_letter

    class Printer(StrPrinter):
        """A printer of case distinctions and infinity for readers."""

        def _print_Piecewise(self, expr: Expr) -> str:
            parts = [f"{self._print(e)} if {self._print(c)}" for e, c in expr.args if c != sympy.true]
            return f"({', '.join(parts + [f'else {self._print(e)}' for e, c in expr.args if c == sympy.true])})"

        def _print_Equality(self, expr: Expr) -> str:
            return f"{self._print(expr.lhs)} = {self._print(expr.rhs)}"

        def _print_Infinity(self, expr: Expr) -> str:
            return "∞"

    renamed = {s: sympy.Symbol(unicode_letter(name), **s.assumptions0) for s, name in letters.items()}
    text = Printer().doprint(expr.xreplace(renamed))
    for plain, drawn in (("**", "^"), ("*", "·"), ("<=", "≤"), (">=", "≥"), ("Min(", "min("), ("Max(", "max(")):
        text = text.replace(plain, drawn)
    return text
