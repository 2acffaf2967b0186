"""Theorems in one line each: terms as in Python, and a table row says what is claimed, by which rule, and where it is false.

``x y w t`` are real, ``z s`` not negative, ``p q`` positive, ``i j k l`` integers, ``m`` an integer from 0 and ``n M`` from 1,
``i0 i1 h`` the index i "from 0", "from 1" and an unknown one; ``X Y`` random numbers, ``Q P N`` random ones that are not negative,
positive, whole; ``a b c d`` families of numbers (real, real, not negative, positive), ``u v`` vectors, ``U`` a random one, ``f g``
functions; ``o O integer`` and the families ``real integer(i)`` are called as kinds and sorts are. ``draw(i, M)``,
``sum(term, i, low, high)`` and the rest are as in a file of proofs.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq

from fltheory.kernel.theorem import Verdict, recheck
from tests.kernel.points import conditions, satisfied, world_of
from tests.kernel.values import FALSE, exactly, gap, holds, places
from tests.kernel.worlds import World

SORTS = {
    **dict.fromkeys("xywt", "real"),
    **dict.fromkeys("zs", "nonnegative"),
    **dict.fromkeys("pq", "positive"),
    **dict.fromkeys("ijkl", "integer"),
    "m": "from 0",
    "n": "from 1",
    "M": "from 1",
    "h": "unknown",
}
LETTERS = {name: ["symbol", name, sort] for name, sort in SORTS.items()}
LETTERS |= {"i0": ["symbol", "i", "from 0"], "i1": ["symbol", "i", "from 1"], "r": ["symbol", "permutation", "integer"]}
LETTERS |= {"o": ["symbol", "Positive", "real"], "O": ["symbol", "Scalar", "integer"]}
LETTERS["integer"] = ["symbol", "integer", "real"]
KINDS = {
    "X": "RandomScalar",
    "Y": "RandomScalar",
    "Q": "RandomNonnegative",
    "P": "RandomPositive",
    "N": "RandomInteger",
}
KINDS |= {"a": "Scalar", "b": "Scalar", "c": "Nonnegative", "d": "Positive", "u": "Vector", "v": "Vector"}
KINDS |= {"U": "RandomVector", "f": "Fun", "g": "Fun", "real": "Positive", "integer": "Scalar"}
WORDS = (
    "exp",
    "log",
    "abs",
    "floor",
    "sin",
    "cos",
    "binomial",
    "max",
    "min",
    "dot",
    "grad",
    "val",
    "mean",
    "indicator",
    "sum",
    "draw",
)
OPS = {ast.LtE: "<=", ast.Lt: "<", ast.Eq: "=="}


def term(text: str) -> Any:
    """A term as it stands in a file."""
    if text.strip() in ("oo", "-oo"):
        return [text.strip()]
    return _term(ast.parse(text.strip(), mode="eval").body)


def _term(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() as own):
            return str(own)
        case ast.Name(id="e" | "pi" as own):
            return [own]
        case ast.Name(id=own) if own in LETTERS:
            return LETTERS[own]
        case ast.Name(id=own):
            return ["family", KINDS[own], own]
        case ast.Call(func=ast.Name(id=own), args=args) if own in WORDS:
            return [own, *map(_term, args)]
        case ast.Call(func=ast.Name(id=own), args=args):
            return ["family", KINDS[own], own, *map(_term, args)]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            own = _term(inner)
            return f"-{own}" if isinstance(own, str) else ["*", "-1", own]
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(_term(left), op, _term(right))
    raise ValueError(ast.dump(node))


def _operation(a: Any, op: ast.operator, b: Any) -> Any:
    if isinstance(op, ast.Add):
        return ["+", a, b]
    if isinstance(op, ast.Sub):
        return ["+", a, f"-{b}" if isinstance(b, str) and b[0] != "-" else ["*", "-1", b]]
    if isinstance(op, ast.Mult):
        return ["*", a, b]
    if isinstance(op, ast.Pow):
        return ["^", a, b]
    if isinstance(a, str) and isinstance(b, str) and b != "0":
        return str(Fraction(a) / Fraction(b))
    return ["*", a, ["^", b, "-1"]]


def line(text: str) -> Any:
    """``left <= right for i in 1..n, j in 0..i``."""
    own, _, over = text.partition(" for ")
    node = ast.parse(own.strip(), mode="eval").body
    assert isinstance(node, ast.Compare), text
    ranges = []
    for part in filter(None, re.split(r", *(?=\w+ in )", over)):
        index, _, ends = part.partition(" in ")
        ranges.append([term(index), *map(term, ends.split(".."))])
    return {"left": _term(node.left), "op": OPS[type(node.ops[0])], "right": _term(node.comparators[0]), "over": ranges}


# Rules ----------------------------------------------------------------------------------------------------------------


def combine(weights: Mapping[str, str] | None = None, *axioms: Any, squares: Sequence[Any] | None = None) -> Any:
    """Weights of lines by name, axioms, squares."""
    own = {name: term(w) for name, w in (weights or {}).items()}
    return {
        "rule": "Combine",
        "weights": own,
        "axioms": list(axioms),
        "squares": None if squares is None else list(squares),
    }


def axiom(kind: str, weight: str, u: str = "u", v: str = "v", function: str = "f") -> Any:
    """An axiom of a class at two points."""
    return {"kind": kind, "function": term(function), "u": term(u), "v": term(v), "weight": term(weight)}


def square(weight: str, *parts: tuple[str, str], **more: Any) -> Any:
    """A weight times the squared norm of a combination of vectors."""
    return {"weight": term(weight), "vector": [[term(c), term(v)] for c, v in parts], **more}


def summed(*indices: str, weight: str = "1") -> Any:
    """Both sides summed."""
    return {"rule": "Summed", "indices": [term(i) for i in indices], "weight": term(weight)}


def at_terms(**at: str) -> Any:
    return [[term(key), term(value)] for key, value in at.items()]


def instance(**at: str) -> Any:
    """A line at integers."""
    return {"rule": "Instance", "at": at_terms(**at)}


def apply(name: str, *at: tuple[str, str]) -> Any:
    """A theorem with its letters replaced."""
    return {"rule": "Apply", "theorem": name, "at": [[term(key), term(value)] for key, value in at]}


def known(name: str, at: str) -> Any:
    """A fact of a function."""
    return {"rule": "Known", "name": name, "at": term(at)}


def polynomial(*terms: tuple[str, Sequence[tuple[str, int]], str | None], multiplier: str = "1") -> Any:
    """A certificate of terms (coefficient, facts with their powers, a square)."""
    own = []
    for coefficient, facts, squared in terms:
        entry: dict[str, Any] = {"coefficient": term(coefficient), "facts": [[term(f), power] for f, power in facts]}
        own.append(entry | ({"square": term(squared)} if squared is not None else {}))
    return {"rule": "Polynomial", "certificate": {"multiplier": term(multiplier), "terms": own}}


def ball(box: Mapping[str, tuple[str, str]], tree: Any = "direct") -> Any:
    """A box with its tree of cuts."""
    return {"rule": "Ball", "box": [[term(s), term(lo), term(hi)] for s, (lo, hi) in box.items()], "certificate": tree}


def plain(rule: str, **more: Any) -> Any:
    """A rule with what it brings in as it stands."""
    return {"rule": rule, **more}


def witness(**at: str) -> Any:
    """Numbers."""
    return {"rule": "Witness", "at": at_terms(**at)}


# Theorems -------------------------------------------------------------------------------------------------------------


def step(
    name: str,
    claim: str | Any,
    rule: Any,
    uses: str = "",
    by: str = "",
    assuming: Sequence[str] = (),
    refuted: bool = False,
) -> Any:
    """A step; what it uses and inserts are names between commas."""
    own = line(claim) if isinstance(claim, str) else claim
    if not uses and isinstance(rule, dict) and rule.get("rule") == "Combine":
        uses = ", ".join(name for name in rule["weights"] if not name.startswith("assumed "))
    names = [[part.strip() for part in text.split(",") if part.strip()] for text in (uses, by)]
    more = {"assuming": [line(h) for h in assuming], "refuted": refuted}
    return {"id": name, "claim": own, "rule": rule, "uses": names[0], "by": names[1], **more}


def hypothesis(name: str, text: Any) -> Any:
    """A line; ``left := right``; ``f: L, m`` a class with its constants, of which ``-`` says nothing."""
    if ":=" in text:
        left, right = text.split(":=")
        return {"id": name, "kind": "defines", "left": term(left), "right": term(right)}
    if re.match(r"^[fg](\(.*\))?:", text):
        function, _, constants = text.partition(":")
        smooth, convex = (None if c.strip() == "-" else term(c) for c in constants.split(","))
        return {"id": name, "kind": "member", "function": term(function), "smooth": smooth, "convex": convex}
    return {"id": name, "kind": "given", "relation": line(text)}


def theorem(name: str, *steps: Any, given: Mapping[str, str] | None = None, **more: Any) -> Any:
    """A theorem that states its last step."""
    last = steps[-1]
    own = {"claim": "", "refuted": last["refuted"], "statement": last["claim"], "unused": []}
    hypotheses = [hypothesis(key, text) for key, text in (given or {}).items()]
    return {"id": name, **own, "hypotheses": hypotheses, "steps": list(steps), **more}


def told(*theorems: Any, domains: bool = False) -> Verdict:
    """What the kernel says of the last one."""
    exported = {"format": "fltheory proofs 1", "papers": {"p": list(theorems)}}
    return list(recheck(json.loads(json.dumps(exported)), domains))[-1]


@dataclass(frozen=True)
class Row:
    """A claim by a rule, the words of its refusal ("" for a true one), where it is false, and what stands before it."""

    claim: str
    rule: Any
    reason: str = ""
    at: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    uses: str = ""
    by: str = ""
    assuming: Sequence[str] = ()
    before: Sequence[Any] = ()
    lemmas: Sequence[Any] = ()
    refuted: bool = False
    statement: str = ""  # where it is not the claim

    @property
    def theorems(self) -> tuple[Any, ...]:
        """The theorems of the file, the claim's own last."""
        last = step("end", self.claim, self.rule, self.uses, self.by, self.assuming, self.refuted)
        if self.assuming:  # what is claimed under assumptions is no statement: the last step forgets them
            last = [last, step("free", self.claim, plain("Cases"), "end")]
        steps = [*self.before, *(last if isinstance(last, list) else [last])]
        more = {"statement": line(self.statement)} if self.statement else {}
        return (*self.lemmas, theorem("own", *steps, given=self.given, **more))

    def __str__(self) -> str:
        return f"{self.claim} by {self.rule['rule'] if isinstance(self.rule, dict) else self.rule}"


def row(claim: str, rule: Any = None, reason: str = "", at: str = "", **more: Any) -> Row:
    """A row of a table; without a rule the normal form decides."""
    given = more.pop("given", {})
    given = {f"h{i}": text for i, text in enumerate(given, 1)} if not isinstance(given, dict) else given
    named = [name for name, text in given.items() if ":=" not in text]
    own = combine(dict.fromkeys(named, "0") if not more.get("uses") else {}) if rule is None else rule
    more.setdefault("uses", ", ".join(named))
    return Row(claim, own, reason, at, given, **more)


CRASH = re.compile(r"\b[A-Z]\w*(Error|Exception|Interrupt)\b")


def refused(own: Row) -> None:
    """The kernel refuses it for the reason of the table; a crash is none."""
    verdict = told(*own.theorems)
    assert verdict.outcome == "refused", f"{own}: {verdict.outcome}"
    assert not CRASH.search(verdict.reason), f"{own}: {verdict.reason}"
    assert own.reason, f"{own}: {verdict.reason}"
    assert own.reason in verdict.reason, f"{own}: {verdict.reason}"


def confirmed(own: Row) -> None:
    """The kernel confirms it."""
    verdict = told(*own.theorems)
    assert verdict.outcome == "confirmed", f"{own}: {verdict.reason}"


# Where it is false ----------------------------------------------------------------------------------------------------


def there(own: Row) -> World:
    """The point of the table: ``x=0; X=1|-1`` (outcome by outcome, alike probable); ``u=(1, 0)``; ``a(2)=3``; ``f=1/2``."""
    value = own.theorems[-1]
    world = world_of(value, "the table", False)
    world.dimension = 1
    if not world.population:
        world.outcomes = tuple((fmpq(1, 2), ((), {})) for _ in range(2))
    world.outcomes = tuple(sorted(world.outcomes, key=lambda o: o[1][0]))
    parts = [part.strip().partition("=") for part in own.at.split(";") if part.strip()]
    world.dimension = max((right.split("|")[0].count(",") + 1 for _, _, right in parts), default=1)
    for left, _, right in parts:
        _set(world, term(left), right)
    return world


def _set(world: World, left: Any, right: str) -> None:
    if left[0] == "symbol":
        world.put(tuple(left), _number(right))
        return
    _, kind, name, *place = left
    indices = tuple(int(i) for i in place)
    if kind == "Fun":  # the share of its curvature between the class's constants, with the minimum 0 at 0
        world.values[("Fun", name, indices, None)] = tuple(
            (_number(right), fmpq(1), False) for _ in range(world.dimension)
        )
        world.put(("offset", name, indices, None), fmpq(0))
        world.put(("slopes", name, indices, None), (fmpq(0),) * world.dimension)
        return
    parts = right.split("|")
    for outcome in range(len(world.outcomes)) if kind.startswith("Random") else (None,):
        own = parts[(outcome or 0) % len(parts)].strip()
        many = own.startswith("(")
        numbers = tuple(map(_number, own.strip("()").split(",")))
        world.put((kind, name, indices, outcome), numbers if many else numbers[0])


def _number(text: str) -> fmpq:
    own = Fraction(text.strip())
    return fmpq(own.numerator, own.denominator)


def false_there(own: Row) -> None:
    """At the point of the table the hypotheses hold and the statement does not."""
    value = own.theorems[-1]
    with exactly():
        world = there(own)
        for h in conditions(value):
            assert satisfied(h, world), f"{own}: a hypothesis fails there"
        said = value["statement"]
        told = [holds(said["op"], gap(said, world, at, outcome)) for at, outcome in places(said, world)]
    assert (FALSE in told) != own.refuted, f"{own}: it is {'false' if own.refuted else 'true'} there"
