"""The statement of a theorem for Rocq: JSON turned into constructors of ``Semantics.v``, and nothing else. This must be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Any
SORTS = {
    "real": "Real",
    "nonnegative": "Nonnegative",
    "positive": "Positive",
    "integer": "Integer",
    "from 0": "From0",
    "from 1": "From1",
    "unknown": "Unknown",
}
KINDS = {
    k: k
    for k in (
        "Vector",
        "RandomVector",
        "Fun",
        "Scalar",
        "RandomScalar",
        "RandomInteger",
        "RandomNonnegative",
        "RandomPositive",
    )
} | {"Nonnegative": "NonnegativeScalar", "Positive": "PositiveScalar"}
LISTS = {"+": "Add", "*": "Mul", "max": "Max", "min": "Min"}
PLAIN = {
    "^": "Pow",
    "exp": "Exp",
    "log": "Log",
    "abs": "Abs",
    "floor": "Floor",
    "sin": "Sin",
    "cos": "Cos",
    "binomial": "Binomial",
    "e": "Euler",
    "pi": "Pi",
    "dot": "Dot",
    "grad": "Grad",
    "val": "Val",
    "mean": "Mean",
    "indicator": "Indicator",
    "oo": "Endless",
    "-oo": "MinusEndless",
}
RELATIONS = {"<=": "LE", "<": "LT", "==": "EQ"}


def quoted(name: str) -> str:
    """A name as a string of Rocq."""
    return '"' + name.replace('"', '""') + '"'


def _all(found: list[str]) -> str:
    return "[" + "; ".join(found) + "]"


def term(value: Json) -> str:
    """A term as a constructor with its parts."""
    if isinstance(value, str):
        p, _, q = value.partition("/")
        return f"(Num ({p}) {q or 1})"
    word, *args = value
    if word == "symbol":
        return f"(Sym {quoted(args[0])} {SORTS[args[1]]})"
    if word == "family":
        return f"(Fam {KINDS[args[0]]} {quoted(args[1])} {_all([term(a) for a in args[2:]])})"
    if word == "sum":
        body, (_, name, sort), low, high = args
        return f"(Sum {term(body)} {quoted(name)} {SORTS[sort]} {term(low)} {term(high)})"
    if word in LISTS:
        return f"({LISTS[word]} {_all([term(a) for a in args])})"
    name = ("Draw", "DrawOf")[len(args) - 2] if word == "draw" else PLAIN[word]
    return f"({' '.join([name, *map(term, args)])})" if args else name


def line(value: Mapping[str, Json]) -> str:
    """A line."""
    over = [f"Range {quoted(i[1])} {SORTS[i[2]]} {term(low)} {term(high)}" for i, low, high in value["over"]]
    return f"(Line {term(value['left'])} {RELATIONS[value['op']]} {term(value['right'])} {_all(over)})"


def hypothesis(value: Mapping[str, Json]) -> str:
    """A hypothesis."""
    if value["kind"] == "given":
        return f"Given {line(value['relation'])}"
    if value["kind"] == "defines":
        return f"Defines {term(value['left'])} {term(value['right'])}"
    smooth, convex = ("None" if value[k] is None else f"(Some {term(value[k])})" for k in ("smooth", "convex"))
    return f"Member {term(value['function'])} {smooth} {convex}"


def statement(theorem: Mapping[str, Json]) -> str:
    """What a theorem says."""
    says = "refuted" if theorem["refuted"] else "valid"
    return f"{says}\n  {_all([hypothesis(h) for h in theorem['hypotheses']])}\n  {line(theorem['statement'])}".replace(
        "; Given", ";\n   Given"
    )
