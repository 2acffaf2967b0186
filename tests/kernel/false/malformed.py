"""Exports that are none: each states 1 <= 0, or breaks what a file must be made of; none may end in a crash."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.kernel.written import combine, step, theorem

GOOD = json.loads(
    json.dumps(
        theorem(
            "own",
            step("1", "0 <= x + 1", combine({"h": "1"}), "h"),
            given={"h": "0 <= x", "d": "y := x", "f": "f: 1, 0"},
        )
    )
)
X: Any = ["symbol", "x", "real"]
LINE = {"left": "1", "op": "<=", "right": "0", "over": []}
CLAIM = ("steps", 0, "claim")
NUMERALS = [
    "1/0",
    "--1",
    "1/-2",
    "",
    "1.5",
    "1e3",
    " 1",
    "+1",
    "0x1",
    "1/2/3",
    "nan",
    "inf",
    "-",
    "1_0",
    1,
    1.5,
    None,
    True,
    [],
]
TERMS: list[tuple[Any, str]] = [
    (["symbol", "x"], "no symbol: ['symbol', 'x']"),
    (["symbol", "x", "complex"], "no symbol: ['symbol', 'x', 'complex']"),
    (["symbol", "x~", "real"], "no symbol: ['symbol', 'x~', 'real']"),
    (["symbol", "#1", "real"], "no symbol: ['symbol', '#1', 'real']"),
    (["symbol", 1, "real"], "no symbol: ['symbol', 1, 'real']"),
    (["symbol", "x", "unknown"], "nothing is known of x"),
    (["family", "Tensor", "a"], "no family: ['family', 'Tensor', 'a']"),
    (["family", "Scalar"], "no family: ['family', 'Scalar']"),
    (["family", "Scalar", "a~"], "no family: ['family', 'Scalar', 'a~']"),
    (["family", "Scalar", "a", X], "family(Scalar, a, x) has no whole index"),
    (["family", "Scalar", "a", "1/2"], "family(Scalar, a, 1/2) has no whole index"),
    (["family", "Fun", "f"], "family(Fun, f) is no number"),
    (["family", "Vector", "u"], "a vector is compared with a number"),
    (["nothing", "1"], "'nothing' with 1 parts is no word of a proof"),
    (["exp"], "'exp' with 0 parts is no word of a proof"),
    (["exp", "1", "2"], "'exp' with 2 parts is no word of a proof"),
    (["^", "1"], "'^' with 1 parts is no word of a proof"),
    (["+"], "'+' with 0 parts is no word of a proof"),
    (["*"], "'*' with 0 parts is no word of a proof"),
    (["max"], "'max' with 0 parts is no word of a proof"),
    (["binomial", "1"], "'binomial' with 1 parts is no word of a proof"),
    (["dot", X, X], "dot of a number"),
    (["dot", ["family", "Vector", "u"]], "'dot' with 1 parts is no word of a proof"),
    (["grad", X, X], "grad of a number"),
    (["val", X, ["family", "Vector", "u"]], "x is no function"),
    (["val", ["family", "Fun", "f"], X], "val of a number"),
    (["mean", ["family", "Vector", "u"]], "mean of a vector"),
    (["abs", ["family", "Vector", "u"]], "abs of a vector"),
    (["*", ["family", "Vector", "u"], ["family", "Vector", "v"]], "vectors are multiplied"),
    (["+", "1", ["family", "Vector", "u"]], "a number is added to a vector"),
    (["sum", "1", X, "1", "2"], "x is no index"),
    (["sum", "1", "2", "1", "2"], "a sum runs over a symbol"),
    (["sum", "1", ["symbol", "i", "integer"], "1", ["oo"]], "infinity stands in a term"),
    (["sum", "1", ["symbol", "i", "integer"], "1"], "'sum' with 3 parts is no word of a proof"),
    (["draw", X, "2"], "draw(x, 2) has no whole index"),
    (["draw", "1"], "'draw' with 1 parts is no word of a proof"),
    (["oo"], "infinity stands in a term"),
    (["-oo"], "infinity stands in a term"),
    (["poly", X], "'poly' with 1 parts is no word of a proof"),
    (["number", "1"], "'number' with 1 parts is no word of a proof"),
]
PARTS: list[tuple[str, tuple[Any, ...], Any, str]] = [
    ("an operator", (*CLAIM, "op"), ">=", "no line: {'left': '0', 'op': '>=', 'right': ['+', ['symbol',"),
    ("an operator", (*CLAIM, "op"), "!=", "no line: {'left': '0', 'op': '!=', 'right': ['+', ['symbol',"),
    ("a line", CLAIM, ["1", "<=", "0"], "no line: ['1', '<=', '0']"),
    ("a line", CLAIM, {**LINE, "more": 1}, "no line: {'left': '1', 'op': '<=', 'right': '0', 'over': [],"),
    ("a line", CLAIM, {"left": "1", "op": "<=", "right": "0"}, "no line: {'left': '1', 'op': '<=', 'right': '0'}"),
    ("a statement", ("statement",), LINE, "the last step is not the statement"),
    ("a statement", ("statement", "right"), X, "the last step is not the statement"),
    ("a hypothesis twice", ("hypotheses", 1, "id"), "h", "h stands twice"),
    ("a step as a hypothesis", ("steps", 0, "id"), "h", "h stands twice"),
    ("a use", ("steps", 0, "uses"), ["1"], "1 uses what does not stand before it"),
    ("a use", ("steps", 0, "uses"), ["nothing"], "1 uses what does not stand before it"),
    ("a definition used", ("steps", 0, "uses"), ["d"], "d is a definition: it stands in ``by``"),
    ("a member inserted", ("steps", 0, "by"), ["f"], "f is no plain equation"),
    ("an inequality inserted", ("steps", 0, "by"), ["h"], "h is no plain equation"),
    ("no step", ("steps",), [], "there is no step"),
    ("a rule", ("steps", 0, "rule"), {"rule": "Trust"}, "Trust is no rule"),
    ("a rule", ("steps", 0, "rule"), {"rule": "Witness", "at": []}, "a witness refutes, and inserts definitions alone"),
    ("a refuted theorem", ("refuted",), True, "the last step is recorded otherwise than the theorem"),
    ("a refuted step", ("steps", 0, "refuted"), True, "there is no step"),
    ("a refuted step", ("steps", 0, "refuted"), "no", "the field 'refuted' of a step is no true or false: no"),
    (
        "a rule without a field",
        ("steps", 0, "rule"),
        {"rule": "Combine", "weights": {}},
        "the rule Combine of step 1 has no field 'axioms'",
    ),
    (
        "a rule with another field",
        ("steps", 0, "rule"),
        {"rule": "Cases", "at": []},
        "step 1 has another field 'at': it has rule",
    ),
    ("a rule of no kind", ("steps", 0, "rule"), {"rule": ["Cases"]}, "is no rule: step 1 has one of Combine"),
    ("a rule", ("steps", 0, "rule"), "Cases", "None is no rule"),
    ("a step", ("steps", 0), {"id": "1"}, "a step has no field 'assuming': it has id, claim, rule"),
    ("a step", ("steps", 0), [], "a step is no object: []"),
    ("the uses of a step", ("steps", 0, "uses"), "h", "the field 'uses' of a step is no list: h"),
    ("a name", ("steps", 0, "id"), 1, "the field 'id' of a step is no text: 1"),
    ("a hypothesis", ("hypotheses", 0), {"id": "h", "kind": "given"}, "the hypothesis h has no field 'relation'"),
    ("a hypothesis", ("hypotheses", 0), 0, "no hypothesis is of the kind None: it is one of given, defines, member"),
    ("an assumption at the end", ("steps", 0, "assuming"), [LINE], "the last step is not the statement"),
    (
        "a range",
        (*CLAIM, "over"),
        [[["symbol", "i", "integer"], "1", X], [["symbol", "i", "integer"], "1", "2"]],
        "the index i stands twice",
    ),
    ("a range", (*CLAIM, "over"), [["1", "1", "2"]], "the index 1 stands twice"),
    (
        "a range",
        (*CLAIM, "over"),
        [[["symbol", "i", "integer"], ["family", "Vector", "u"], "2"]],
        "family(Vector, u) ends no range",
    ),
    (
        "a function defined",
        ("hypotheses", 1, "left"),
        ["family", "Fun", "g"],
        "the hypothesis d: family(Fun, g) can't be defined",
    ),
    (
        "a definition of a sum",
        ("hypotheses", 1, "left"),
        ["+", X, X],
        "the hypothesis d: +(x, x) is no letter and no family with pl",
    ),
    ("a class of a number", ("hypotheses", 2, "function"), X, "the hypothesis f: x is no function"),
    (
        "a class with a vector",
        ("hypotheses", 2, "smooth"),
        ["family", "Vector", "u"],
        "the hypothesis f: family(Vector, u) is no number",
    ),
]


def changed(path: tuple[Any, ...], value: Any) -> Any:
    """The theorem with one thing changed; a changed claim is the statement too."""
    own = copy.deepcopy(GOOD)
    place = own
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    if path[:3] == CLAIM:
        own["statement"] = copy.deepcopy(own["steps"][0]["claim"])
    return own


BROKEN = [
    *((f"the numeral {value!r}", changed((*CLAIM, "left"), value), "no ") for value in NUMERALS),
    *((f"the term {value}", changed((*CLAIM, "left"), value), words) for value, words in TERMS),
    *((f"{what} {value}", changed(path, value), words) for what, path, value, words in PARTS),
]
