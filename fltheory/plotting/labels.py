"""Labels of plots: symbols, units, numbers and names of measures as mathtext, without raw markup."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction

import sympy
from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound, Dimension, unicode_letter
from fltheory.model.case import InWords
from fltheory.model.dataclass_fields import field_values
from fltheory.number import Number, to_float
from fltheory.plotting.figures.spoken import spoken
from fltheory.symbols import VOCABULARY

_COMMANDS = {
    "≤": r"\leq",
    "≥": r"\geq",
    "×": r"\times",
    "∝": r"\propto",
    "∞": r"\infty",
    "±": r"\pm",
    "·": r"\cdot",
    "∇": r"\nabla",
    "∈": r"\in",
    "→": r"\to",
    "²": "^2",
    "<": "<",
    ">": ">",
    "|": "|",
}
LONGEST_INSTANCE, MORE = 300, ", and more data"
MOST_LISTED, LONGEST_LIST = 8, 40  # numbers, and characters, of a list in an instance's words
_CAMEL = re.compile(r"[A-Z][a-z0-9]*")
MILLION = 1e6  # a larger factor has no number
_GREEK = {"theta": r"\theta", "eta": r"\eta", "lam": r"\lambda"}
_MARKS = {"\u0303": r"\tilde", "\u0304": r"\bar", "\u0302": r"\hat", "\u0306": r"\breve"}
_LETTER = r"(?:(?<![A-Za-z])[A-Za-z]{2,}|[^\W\d_][\u0300-\u036f]*|[)\]|}∂0-9²])"
_INDEX = r"(?:\{(?:[^{}]|\{[^{}]*\})*\}|\([^()]*\)|\|[^|]*\||[A-Za-z0-9\u0370-\u03ff]+|∞|\*)"
_INDEXED = re.compile(rf"({_LETTER})((?:_{_INDEX}|\^{_INDEX})+)(\*?)")
_STARRED = re.compile(r"([^\W\d_][\u0300-\u036f]*)\*")
_PARTS = re.compile(rf"([_^])({_INDEX})")
_UNKNOWN = re.compile(r"\\begin|\\overline|\\tag|\\middle|\\substack|\\limits|\\text\b")
RAW = re.compile(r"[_^*\\]|(?<![<>=-])\$")  # markup outside of mathtext


def letter_of(bound: Bound, symbol: Symbol) -> str:
    """Return the paper's symbol as mathtext, or the name."""
    return _letter(symbol, dict(bound.letters))


def plain_letter(bound: Bound, symbol: Symbol) -> str:
    """Return the paper's symbol in unicode, or the name in words."""
    known = dict(bound.letters).get(symbol)
    return symbol.name.replace("_", " ") if known is None else unicode_letter(known)


def unit(dimension: Dimension) -> str:
    """Return a physical dimension in words: powers of the unit of F and of the unit of x."""
    objective, length = dimension
    if objective == 0 and length == 0:
        return "dimensionless"
    power = [f"{letter}^{{{p}}}" if p != 1 else letter for letter, p in (("F", objective), ("x", length)) if p != 0]
    return f"in units of ${' '.join(power)}$"


def number(value: float) -> str:
    """Return a positive number to three digits, as mathtext if it is large or small."""
    if 1e-3 <= value < 1e4:
        return f"{float(format(value, '.3g')):g}"
    mantissa, power = f"{value:.1e}".split("e")
    return rf"${mantissa}\times 10^{{{int(power)}}}$"


def factor_text(value: float) -> str:
    """Return a factor as a number, or that it is too large, as for a value that nearly vanishes."""
    return number(value) if value <= MILLION else "more than a million"


def instance_words(instance: object, longest: int = LONGEST_INSTANCE) -> str:
    """Return an instance in words: its own, else the words of its class's name and its data, long lists by their number.

    What is still too long ends after a whole entry, and says that more follows.
    """
    words = instance.in_words() if isinstance(instance, InWords) else _data_words(instance)
    if len(words) <= longest:
        return words
    kept = words[: longest - len(MORE)]
    return (kept.rpartition(", ")[0] or kept.rpartition(" ")[0]).rstrip(",;:") + MORE


def _data_words(value: object) -> str:
    """Return the words of a class's name and its fields; those that are 0, empty or as usual are left out."""
    name = _CAMEL.sub(lambda found: f" {found.group().lower()}", type(value).__name__).strip()
    if not is_dataclass(value) or isinstance(value, type):
        return name
    usual = {f.name: f.default for f in fields(value)}
    own = {n: v for n, v in field_values(value).items() if not _is_usual(v, usual.get(n, MISSING))}
    said = [_field_words(n.removeprefix("n_").replace("_", " "), v) for n, v in own.items()]
    told = ", ".join(filter(None, said))
    return f"{name}: {told}" if told else name


def _is_usual(value: object, default: object) -> bool:
    """Return whether a field has its default value, which a reader need not be told."""
    return default is not MISSING and type(value) is type(default) and value == default


def _field_words(name: str, value: object) -> str:
    """Return the name of a field with its value; "" for 0 or nothing, the number of what is too long to be listed."""
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        each = [_value_words(v) or "0" for v in value]
        if all(word == "0" for word in each):
            return ""
        if len(each) > MOST_LISTED or sum(map(len, each)) > LONGEST_LIST or any(map(is_dataclass, value)):
            return f"{len(each)} {name if len(each) > 1 else name.removesuffix('s')}"
        nested = any(isinstance(v, Sequence) and not isinstance(v, str) for v in value)
        return f"{name} {'; '.join(each) if nested else _and(each)}"
    words = _value_words(value)
    return f"{name} {words}" if words else ""


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _value_words(value: object) -> str:
    """Return a value: numbers and names as they are, the entries of a list between commas; "" for 0 or nothing."""
    if isinstance(value, bool) or value is None or value == 0:
        return "yes" if value is True else ""
    if isinstance(value, int | Fraction):
        plain = constant_text(value)
        return plain if "$" not in plain else f"{to_float(value):.4g}"
    if isinstance(value, str):
        return value.replace("_", " ")
    if isinstance(value, Sequence):
        return ", ".join(_value_words(v) or "0" for v in value)
    return _data_words(value)


def constant_text(value: Number) -> str:
    """Return a constant of a case for a caption: short fractions as they are, else four digits."""
    if isinstance(value, int) and abs(value) < 10**6:
        return str(value)
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) < 1000:
        return f"{value.numerator}/{value.denominator}"
    return four_digits(to_float(value))


def four_digits(value: float) -> str:
    """Return four digits of a number, or three and a power of ten."""
    if value == 0 or not math.isfinite(value) or 1e-3 <= abs(value) < 1e6:
        return f"{float(f'{value:.4g}'):.10g}"
    mantissa, power = f"{value:.2e}".split("e")
    factor = "" if float(mantissa) == 1 else rf"{float(mantissa):g}\times "
    return rf"${factor}10^{{{int(power)}}}$"


def formula(expr: sympy.Basic, letters: Mapping[Symbol, str]) -> str:
    """Return a formula in the paper's notation as mathtext, or in plain characters if mathtext lacks a command."""
    text = sympy.latex(expr, symbol_names={s: _letter(s, letters) for s in expr.free_symbols})
    if not _UNKNOWN.search(text):
        return f"${_simplify_latex(text)}$"
    named = {s: Symbol(unicode_letter(letters[s])) for s in expr.free_symbols if s in letters}
    plain = str(expr.xreplace(named)).replace("**", "^").replace("*", "·").replace("<=", "≤").replace(">=", "≥")
    return mathtext(plain)


def _letter(symbol: Symbol, letters: Mapping[Symbol, str]) -> str:
    return letters.get(symbol, rf"\mathrm{{{symbol.name.replace('_', chr(92) + ' ')}}}")


def _simplify_latex(latex: str) -> str:
    """Drop LaTeX commands that mathtext lacks and the formula does not need."""
    for old, new in ((r"\tilde\infty", r"\infty"), (r"\operatorname", r"\mathrm")):
        latex = latex.replace(old, new)
    return latex


def axis_label(bound: Bound, symbol: Symbol, brief: bool = False) -> str:
    """Return the meaning (unless brief), symbol and unit of a constant."""
    entry = VOCABULARY[symbol.name]
    if brief:
        return f"${letter_of(bound, symbol)}$ ({unit(entry.dimension)})"
    return f"{mathtext(entry.text)} ${letter_of(bound, symbol)}$ ({unit(entry.dimension)})"


def measure_label(claim: Claim) -> str:
    """Return the measured quantity in mathtext, with its unit."""
    if claim.measure is None:
        return f"rate ({unit(claim.bound.dimension())})"
    name = mathtext(claim.measure.name)
    if not name.startswith("$"):
        name = "\n".join(wrap_mathtext(name, 44))
    return f"{name} ({unit(claim.measure.dimension)})"


def wrap_mathtext(text: str, width: int) -> list[str]:
    """Return lines of at most this many characters, without breaks in mathtext; for measured widths see ``plot``."""
    whole = re.sub(r"\$[^$]*\$", lambda found: found.group().replace(" ", "\u00a0"), text)
    lines = textwrap.wrap(whole, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def mathtext(name: str) -> str:
    """Return names of measures such as E[F(x̄) - F*] as mathtext; in names with words only symbols with an index."""
    whole = name.startswith(("E[", "E|", "min E")) and not re.search(r"[a-z]{2}", name.removeprefix("min "))
    if not whole or _INDEXED.search(name.replace("x_R", "").replace("x_r", "")):
        pieces = _INDEXED.sub(_typeset, name).split("$")
        pieces[::2] = [_STARRED.sub(r"$\1^*$", piece) for piece in pieces[::2]]
        return "$".join(pieces).replace("$$", "")
    for old, new in (
        ("min E", r"\min_r\,E"),
        ("E[", r"\mathrm{E}["),
        ("E|", r"\mathrm{E}|"),
        ("x̄", r"\bar x"),
        ("F*", "F^*"),
        ("x*", "x^*"),
        ("x_R", "x^{(R)}"),
        ("x_r", "x^{(r)}"),
        ("∇", r"\nabla "),
        ("²", "^2"),
        ("|", r"\|" if "x" in name else "|"),
    ):
        name = name.replace(old, new)
    return f"${name}$"


def _typeset(found: re.Match[str]) -> str:
    base, indices, star = found.groups()
    marks = "".join(c for c in base if c in _MARKS)
    letter = base.replace(marks, "") if marks else base
    if len(letter) > 1:
        letter = _GREEK.get(letter, rf"\mathrm{{{letter}}}")
    for mark in marks:
        letter = rf"{_MARKS[mark]} {letter}"
    lower, upper = "", ""
    for kind, index in _PARTS.findall(indices):
        if kind == "_":
            lower += _inner(index)
        else:
            upper += _inner(index)
    upper += "*" if star else ""
    return f"${letter}{f'_{{{lower}}}' if lower else ''}{f'^{{{upper}}}' if upper else ''}$"


def _inner(index: str) -> str:
    """Return an index as in mathtext, without the braces around it."""
    text = index[1:-1] if index.startswith("{") else index
    text = _INDEXED.sub(lambda found: _typeset(found).strip("$"), text)
    words = re.sub(
        r"[^\W\d_]{2,}", lambda word: rf"\mathrm{{{word.group()}}}" if word.group().isascii() else word.group(), text
    )
    return words.replace(" ", r"\ ") if re.search("[<>=]", words) is None else words


def raw_markup(text: str) -> list[str]:
    """Return markup that a reader would see raw: indices, powers, stars and commands outside of mathtext."""
    return RAW.findall("".join(text.split("$")[::2]))


def latex_text(text: str) -> str:
    """Return text with mathtext as LaTeX: signs with a meaning there are escaped outside of mathematics, Greek is inside."""
    pieces = text.replace(r"\$", "\0").split("$")
    for i in range(0, len(pieces), 2):
        piece = re.sub(r"[\\{}]", "", pieces[i])
        piece = (
            re.sub(r"([%&#_])", r"\\\1", piece).replace("~", r"\textasciitilde{}").replace("^", r"\textasciicircum{}")
        )
        for sign, command in _COMMANDS.items():
            piece = piece.replace(sign, f"${command}$")
        pieces[i] = piece.replace("\0", r"\$").replace("\u00a0", "~")
        if i:
            pieces[i] = "$" + pieces[i]
    for i in range(1, len(pieces), 2):
        pieces[i] = "$" + pieces[i]
    return "".join(pieces)


def plain_text(text: str) -> str:
    """Return text with mathtext as plain characters, for titles of files and for screen readers."""
    pieces = text.split("$")
    pieces[1::2] = map(spoken, pieces[1::2])
    return "".join(pieces)
