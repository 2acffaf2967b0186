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
U, FUNCTION = ["family", "Vector", "u"], ["family", "Fun", "f"]
INDEX, UNKNOWN, CALLED = ["symbol", "i", "integer"], ["symbol", "h", "unknown"], ["symbol", "Fun", "real"]
LINE = {"left": "1", "op": "<=", "right": "0", "over": []}
CLAIM = ("steps", 0, "claim")
NUMERALS = [
    "1/0",
    "1/",
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
    "\u0661",
    "\u0660/1",
    "1/\u0662",
    "9" * 4001,
    "1/" + "9" * 4001,
]
NO_TERMS: list[Any] = [1, 1.5, None, True, {}]
TERMS: list[tuple[Any, str]] = [
    (["symbol", "x"], "not a symbol: ['symbol', 'x']"),
    (["symbol", "x", "complex"], "not a symbol: ['symbol', 'x', 'complex']"),
    (["symbol", "x~", "real"], "not a symbol: ['symbol', 'x~', 'real']"),
    (["symbol", "#1", "real"], "not a symbol: ['symbol', '#1', 'real']"),
    (["symbol", 1, "real"], "not a symbol: ['symbol', 1, 'real']"),
    (["symbol", "\ud800", "real"], "not a symbol: "),
    (["symbol", "x\n", "real"], "not a symbol: "),
    (["family", "Scalar", "\ud800"], "not a family: "),
    (["symbol", "x", "unknown"], "the symbol x has no sort and is not bound"),
    (["family", "Tensor", "a"], "not a family: ['family', 'Tensor', 'a']"),
    (["family", "Scalar"], "not a family: ['family', 'Scalar']"),
    (["family", "Scalar", "a~"], "not a family: ['family', 'Scalar', 'a~']"),
    (["family", "Scalar", "a", X], "family(Scalar, a, x) has an index that is not seen to be an integer"),
    (["family", "Scalar", "a", "1/2"], "family(Scalar, a, 1/2) has an index that is not seen to be an integer"),
    (["family", "Fun", "f"], "family(Fun, f) is not a number"),
    (["family", "Vector", "u"], "a vector is compared with a number"),
    (["nothing", "1"], "'nothing' with 1 arguments is not a term"),
    (["exp"], "'exp' with 0 arguments is not a term"),
    (["exp", "1", "2"], "'exp' with 2 arguments is not a term"),
    (["^", "1"], "'^' with 1 arguments is not a term"),
    (["+"], "'+' with 0 arguments is not a term"),
    (["*"], "'*' with 0 arguments is not a term"),
    (["max"], "'max' with 0 arguments is not a term"),
    (["binomial", "1"], "'binomial' with 1 arguments is not a term"),
    (["dot", X, X], "dot is taken of a number"),
    (["dot", ["family", "Vector", "u"]], "'dot' with 1 arguments is not a term"),
    (["grad", X, X], "grad is taken of a number"),
    (["val", X, ["family", "Vector", "u"]], "x is not a function"),
    (["val", ["family", "Fun", "f"], X], "val is taken of a number"),
    (["mean", ["family", "Vector", "u"]], "mean is taken of a vector"),
    (["abs", ["family", "Vector", "u"]], "abs is taken of a vector"),
    (["*", ["family", "Vector", "u"], ["family", "Vector", "v"]], "vectors are multiplied"),
    (["+", "1", ["family", "Vector", "u"]], "a number is added to a vector"),
    (["sum", "1", X, "1", "2"], "x cannot be an index"),
    (["sum", "1", "2", "1", "2"], "the index of a sum must be a symbol"),
    (["sum", "1", ["symbol", "i", "integer"], "1", ["oo"]], "infinity occurs in a term"),
    (["sum", "1", ["symbol", "i", "integer"], "1", ["family", "Fun", "f"]], "family(Fun, f) is not a number"),
    (["sum", "1", ["symbol", "i", "integer"], ["family", "Fun", "f"], "1"], "family(Fun, f) is not a number"),
    (["sum", "1", ["symbol", "i", "integer"], "1"], "'sum' with 3 arguments is not a term"),
    (["draw", X, "2"], "draw(x, 2) has an index that is not seen to be an integer"),
    (["draw", "1"], "'draw' with 1 arguments is not a term"),
    (["oo"], "infinity occurs in a term"),
    (["-oo"], "infinity occurs in a term"),
    (["sum", "1", INDEX, U, "2"], "a vector is an end of the sum from family(Vector, u) to 2"),
    (["sum", "1", INDEX, "1", U], "a vector is an end of the sum from 1 to family(Vector, u)"),
    (["sum", "1", INDEX, ["-oo"], "2"], "infinity occurs in a term"),
    (["sum", "1", INDEX, UNKNOWN, "2"], "the symbol h has no sort and is not bound"),
    (["sum", "1", INDEX, "1", UNKNOWN], "the symbol h has no sort and is not bound"),
    (["dot", X, U], "dot is taken of a number"),
    (["dot", U, X], "dot is taken of a number"),
    (["val", ["family", "Scalar", "a"], U], "family(Scalar, a) is not a function"),
    (["val", CALLED, U], "Fun is not a function"),
    (["abs", FUNCTION], "family(Fun, f) is not a number"),
    (["max", "1", FUNCTION], "family(Fun, f) is not a number"),
    (["poly", X], "'poly' with 1 arguments is not a term"),
    (["number", "1"], "'number' with 1 arguments is not a term"),
]
PARTS: list[tuple[str, tuple[Any, ...], Any, str]] = [
    ("an operator", (*CLAIM, "op"), ">=", ">= is not a relation: it must be <=, < or =="),
    ("an operator", (*CLAIM, "op"), "!=", "!= is not a relation"),
    ("an operator", (*CLAIM, "op"), 1, "the field 'op' of a line is not of the type text: 1"),
    ("a line", CLAIM, ["1", "<=", "0"], "a line is not of the type object: ['1', '<=', '0']"),
    ("a line", CLAIM, {**LINE, "more": 1}, "a line has an unknown field 'more': its fields are left, op, right, over"),
    ("a line", CLAIM, {"left": "1", "op": "<=", "right": "0"}, "a line has no field 'over'"),
    ("a statement", ("statement",), LINE, "the last step is not the statement"),
    ("a statement", ("statement", "right"), X, "the last step is not the statement"),
    ("a hypothesis twice", ("hypotheses", 1, "id"), "h", "the name h occurs twice"),
    ("a step as a hypothesis", ("steps", 0, "id"), "h", "the name h occurs twice"),
    ("a use", ("steps", 0, "uses"), ["1"], "1 uses a line that does not precede it"),
    ("a use", ("steps", 0, "uses"), ["nothing"], "1 uses a line that does not precede it"),
    ("a definition used", ("steps", 0, "uses"), ["d"], "d is a definition: it must be listed in ``by``"),
    ("a member inserted", ("steps", 0, "by"), ["f"], "f is not an equation without ranges"),
    ("an inequality inserted", ("steps", 0, "by"), ["h"], "h is not an equation without ranges"),
    ("no step", ("steps",), [], "there is no step"),
    ("a rule", ("steps", 0, "rule"), {"rule": "Trust"}, "Trust is not a rule"),
    (
        "a rule",
        ("steps", 0, "rule"),
        {"rule": "Witness", "at": []},
        "a counterexample must refute its claim and insert definitions only",
    ),
    ("a refuted theorem", ("refuted",), True, "only one of the theorem and its last step is marked as refuted"),
    ("a refuted step", ("steps", 0, "refuted"), True, "there is no step"),
    (
        "a refuted step",
        ("steps", 0, "refuted"),
        "no",
        "the field 'refuted' of a step is not of the type true or false: no",
    ),
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
        "step 1 has an unknown field 'at': its fields are rule",
    ),
    ("a rule of no kind", ("steps", 0, "rule"), {"rule": ["Cases"]}, "is not a rule: step 1 must have one of Combine"),
    ("a rule", ("steps", 0, "rule"), "Cases", "the field 'rule' of a step is not of the type object: Cases"),
    ("a step", ("steps", 0), {"id": "1"}, "a step has no field 'assuming': its fields are id, claim, rule"),
    ("a step", ("steps", 0), [], "a step is not of the type object: []"),
    ("the uses of a step", ("steps", 0, "uses"), "h", "the field 'uses' of a step is not of the type list: h"),
    (
        "the uses of a step",
        ("steps", 0, "uses"),
        [["h"]],
        "a part of the field 'uses' of a step is not of the type text: ['h']",
    ),
    (
        "what is unused",
        ("unused",),
        [["h"]],
        "a part of the field 'unused' of the theorem is not of the type text: ['h']",
    ),
    ("a claim", ("claim",), {}, "the field 'claim' of the theorem is not of the type text: {}"),
    ("a range", (*CLAIM, "over"), "i", "the field 'over' of a line is not of the type list: i"),
    ("a range", (*CLAIM, "over"), [["1", "2"]], "is not a list of 3: ['1', '2']"),
    ("a name", ("steps", 0, "id"), 1, "the field 'id' of a step is not of the type text: 1"),
    ("a hypothesis", ("hypotheses", 0), {"id": "h", "kind": "given"}, "the hypothesis h has no field 'relation'"),
    (
        "a hypothesis",
        ("hypotheses", 0),
        0,
        "None is not a kind of hypothesis: it must be one of given, defines, member",
    ),
    ("an assumption at the end", ("steps", 0, "assuming"), [LINE], "the last step is not the statement"),
    (
        "a range",
        (*CLAIM, "over"),
        [[["symbol", "i", "integer"], "1", X], [["symbol", "i", "integer"], "1", "2"]],
        "the index i occurs twice, or is not a symbol",
    ),
    ("a range", (*CLAIM, "over"), [["1", "1", "2"]], "the index 1 occurs twice, or is not a symbol"),
    (
        "a range",
        (*CLAIM, "over"),
        [[["symbol", "i", "integer"], ["family", "Vector", "u"], "2"]],
        "family(Vector, u) cannot be the end of a range",
    ),
    (
        "a range",
        (*CLAIM, "over"),
        [[["symbol", "i", "integer"], "1", ["family", "Fun", "f"]]],
        "family(Fun, f) cannot be the end of a range",
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
        "the hypothesis d: +(x, x) is neither a symbol nor a family with",
    ),
    ("a class of a number", ("hypotheses", 2, "function"), X, "the hypothesis f: x is not a function"),
    (
        "a class with a vector",
        ("hypotheses", 2, "smooth"),
        ["family", "Vector", "u"],
        "the hypothesis f: family(Vector, u) is not a number",
    ),
    ("a range", (*CLAIM, "over"), [[INDEX, "1", ["family", "RandomInteger", "N"]]], "the range of i depends on chance"),
    ("a range", (*CLAIM, "over"), [[INDEX, "1", UNKNOWN]], "the symbol h has no sort and is not bound"),
    ("a class of a family of numbers", ("hypotheses", 2, "function"), ["family", "Scalar", "a"], "is not a function"),
    ("a class of a letter called so", ("hypotheses", 2, "function"), CALLED, "the hypothesis f: Fun is not a function"),
    ("a class with a function", ("hypotheses", 2, "smooth"), ["family", "Fun", "g"], "family(Fun, g) is not a number"),
    ("a definition by a function", ("hypotheses", 1, "right"), FUNCTION, "family(Fun, f) is not a number"),
]
HALF = ["draw", "1/2", "2"]
SQUARED = {"weight": "1", "vector": [["1", U]]}
ADDED = {"coefficient": "1", "facts": []}


def weighed(**own: Any) -> Any:
    """A combination with something in it."""
    return {"rule": "Combine", "weights": {"h": "1"}, "axioms": [], "squares": None, **own}


def identity(**own: Any) -> Any:
    """A certificate with something in its one term."""
    return {"rule": "Polynomial", "certificate": {"multiplier": "1", "terms": [{**ADDED, **own}]}}


def on_a_box(tree: Any, box: Any = ()) -> Any:
    """A certificate on a box."""
    return {"rule": "Ball", "box": [[X, "0", "1"]] if box == () else box, "certificate": tree}


COMBINE, POLYNOMIAL, BALL = (f"the rule {kind} of step 1" for kind in ("Combine", "Polynomial", "Ball"))
RULES: list[tuple[Any, str]] = [
    (weighed(weights=None), f"the field 'weights' of {COMBINE} is not of the type object: None"),
    (weighed(weights=["1"]), f"the field 'weights' of {COMBINE} is not of the type object: ['1']"),
    (weighed(weights={"h": 1}), f"a part of the weights of {COMBINE} is not of the type term: 1"),
    (weighed(squares=True), f"the squares of {COMBINE} is not of the type list: True"),
    (weighed(squares=[1]), f"a part of the squares of {COMBINE} is not of the type object: 1"),
    (weighed(squares=[{**SQUARED, "sing": None}]), "has an unknown field 'sing': its fields are weight, vector, sign"),
    (weighed(squares=[{**SQUARED, "sign": None}]), "the field 'sign' of a part of the squares"),
    (weighed(squares=[{"weight": "1"}]), "has no field 'vector': its fields are weight, vector, sign"),
    (weighed(squares=[{**SQUARED, "vector": [["1"]]}]), "is not a list of 2: ['1']"),
    (weighed(axioms=[1]), f"a part of the field 'axioms' of {COMBINE} is not of the type object: 1"),
    (weighed(axioms=[{"kind": "convex"}]), "has no field 'function': its fields are weight, kind, function, u, v"),
    (weighed(axioms=None), f"the field 'axioms' of {COMBINE} is not of the type list: None"),
    (identity(sqare="1"), "has an unknown field 'sqare': its fields are coefficient, facts, square"),
    (identity(facts=[["1"]]), "is not a list of 2: ['1']"),
    (identity(facts=[["1", True]]), "is not of the type whole number: True"),
    (identity(facts=[["1", "2"]]), "is not of the type whole number: 2"),
    (
        {"rule": "Polynomial", "certificate": None},
        f"the field 'certificate' of {POLYNOMIAL} is not of the type object: None",
    ),
    (
        {"rule": "Polynomial", "certificate": "1"},
        f"the field 'certificate' of {POLYNOMIAL} is not of the type object: 1",
    ),
    (
        {"rule": "Polynomial", "certificate": {"multiplier": "1", "terms": [{}]}},
        "has no field 'coefficient': its fields are coefficient, facts, square",
    ),
    (weighed(squares=[{**SQUARED, "weight": HALF}]), "draw(1/2, 2) has an index that is not seen to be an integer"),
    (
        weighed(squares=[{**SQUARED, "vector": [[HALF, U]]}]),
        "draw(1/2, 2) has an index that is not seen to be an integer",
    ),
    (
        weighed(squares=[{**SQUARED, "vector": [["1", ["symbol", "h", "unknown"]]]}]),
        "the symbol h has no sort and is not bound",
    ),
    (
        weighed(squares=[{**SQUARED, "sign": {"multiplier": HALF, "terms": []}}]),
        "draw(1/2, 2) has an index that is not seen to be an integer",
    ),
    (identity(facts=[[HALF, 1]]), "draw(1/2, 2) has an index that is not seen to be an integer"),
    (identity(square=HALF), "draw(1/2, 2) has an index that is not seen to be an integer"),
    (identity(coefficient=HALF), "draw(1/2, 2) has an index that is not seen to be an integer"),
    (on_a_box("direct", [[X, "0", HALF]]), "draw(1/2, 2) has an index that is not seen to be an integer"),
    (on_a_box("direct", [[["family", "Scalar", "a"], "0", "1"]]), "the sides of a box must belong to symbols"),
    (on_a_box("direct", [[["log", X], "0", "1"]]), "the sides of a box must belong to symbols"),
    (on_a_box({"symbol": X, "centre": "1/2", "order": "x"}), "is not of the type whole number: x"),
    (on_a_box({"symbol": X, "cut": "1/2", "below": "direct"}), f"the certificate of {BALL} has no field 'above'"),
    (
        on_a_box({"symbol": X, "cut": "1/2", "below": "direct", "above": 1}),
        f"the certificate of {BALL} is not of the type text: 1",
    ),
    (on_a_box({"symbol": X}), f"the certificate of {BALL} has no field 'centre': its fields are symbol, centre, order"),
    (on_a_box(None), f"the certificate of {BALL} is not of the type text: None"),
    (on_a_box("direct", [["1"]]), "is not a list of 3: ['1']"),
    ({"rule": "Instance", "at": None}, "the field 'at' of the rule Instance of step 1 is not of the type list: None"),
    ({"rule": "Instance", "at": [["x"]]}, "is not a list of 2: ['x']"),
    (
        {"rule": "Summed", "indices": "i", "weight": "1"},
        "the field 'indices' of the rule Summed of step 1 is not of the type list: i",
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


NONE = [
    *((f"the numeral {value!r}", changed((*CLAIM, "left"), value), "not a number: ") for value in NUMERALS),
    *(
        (f"the term {value!r}", changed((*CLAIM, "left"), value), f"is not of the type term: {value}")
        for value in NO_TERMS
    ),
    ("the term []", changed((*CLAIM, "left"), []), "not a term: []"),
    *((f"{rule}", changed(("steps", 0, "rule"), rule), words) for rule, words in RULES),
    *((f"the term {value}", changed((*CLAIM, "left"), value), words) for value, words in TERMS),
    *((f"{what} {value}", changed(path, value), words) for what, path, value, words in PARTS),
]
