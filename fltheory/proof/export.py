"""Export of proofs as JSON for other checkers, with all terms, rules and certificates (docs/reference/proof_format.md).

Whatever the project's own checker derives (the order of facts and generators, the cuts of a box) is written out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

import sympy
from sympy import Expr, S, Symbol

from fltheory.proof import certificates
from fltheory.proof import language as lang
from fltheory.proof import terms as words
from fltheory.proof.algebra import ball, polynomial
from fltheory.proof.algebra.normal import normal_form
from fltheory.proof.algebra.residual import step_context
from fltheory.proof.certificates import parse
from fltheory.proof.language import Defines, Given, ProofError, Proofs, Relation, Step, Theorem

FORMAT = "fltheory proofs 1"
_OPERATORS: dict[Any, str] = {
    sympy.Add: "+",
    sympy.Mul: "*",
    sympy.Pow: "^",
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.Abs: "abs",
    sympy.Max: "max",
    sympy.Min: "min",
    sympy.floor: "floor",
    sympy.binomial: "binomial",
    words.Grad: "grad",
    words.Val: "val",
    words.Dot: "dot",
    words.E: "mean",
    words.Indicator: "indicator",
    words.Draw: "draw",
    words.Total: "sum",
}
_NUMBERS: dict[type, str] = {type(sympy.E): "e", type(sympy.pi): "pi", type(sympy.oo): "oo", type(-sympy.oo): "-oo"}
_RATIONALS = {sympy.Rational, sympy.Integer, *map(type, (S.Zero, S.One, S.NegativeOne, S.Half))}
_FAMILIES = {
    kind
    for kind in vars(words).values()
    if isinstance(kind, type) and issubclass(kind, words.Vector | words.Scalar | words.Fun)
}
_RULES = set(get_args(lang.Rule))
_NAME = re.compile(r"(?=.*[^\W\d])[^\d\s+*/<>=().,-].*")  # names that cannot be read as a number or a sum
_KINDS: dict[str, dict[str, bool]] = {  # the assumptions that a symbol may have
    "unknown": {},
    "real": {"real": True},
    "nonnegative": {"nonnegative": True},
    "positive": {"positive": True},
    "integer": {"integer": True},
    "from 0": {"integer": True, "nonnegative": True},
    "from 1": {"integer": True, "positive": True},
}
_SORTS = {frozenset(Symbol("x", **kind).assumptions0.items()): sort for sort, kind in _KINDS.items()}
Json = Any


def export_papers(*papers: Proofs) -> dict[str, Json]:
    """Return all theorems of some papers as data for ``json.dump``."""
    found = {p.key: [theorem_json(t, _certificates_of(p, t)) for t in p.theorems] for p in papers}
    return {"format": FORMAT, "papers": found}


def _certificates_of(proofs: Proofs, own: Theorem) -> Mapping[str, Any]:
    try:
        return certificates.load(proofs.certificates, own.id)
    except ProofError:  # there are no valid certificates
        return {}


def theorem_json(own: Theorem, found: Mapping[str, Any]) -> dict[str, Json]:
    """Return one theorem with its certificates."""
    return {
        "id": own.id,
        "claim": own.claim,
        "refuted": own.recorded == "REFUTED",
        "statement": relation_json(own.statement),
        "hypotheses": [_hypothesis(h) for h in own.hypotheses],
        "unused": list(own.unused),
        "steps": [step_json(own, s, found) for s in own.steps],
    }


def term_json(expr: Any) -> Json:
    """Return a term: a number as "p/q", everything else as a list that begins with a word.

    ProofError for objects of other classes than SymPy's and the proof language's: they could have misleading names.
    """
    return _term_json(_ByIdentity(expr if isinstance(expr, sympy.Basic) else sympy.sympify(expr)))


class _ByIdentity:
    """An object that is equal only to itself, whatever its ``__eq__`` says."""

    def __init__(self, expr: sympy.Basic) -> None:
        self.expr = expr

    def __hash__(self) -> int:
        return id(self.expr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self.expr is other.expr


@lru_cache(maxsize=100_000)
def _term_json(held: _ByIdentity) -> Json:
    expr: Any = held.expr
    kind = type(expr)
    if kind in _RATIONALS:
        return str(expr)
    if kind in _NUMBERS:
        return [_NUMBERS[kind]]
    if kind is Symbol:
        return ["symbol", _name(expr), _sort(expr)]
    if kind in _FAMILIES:
        label = expr.args[0]
        if type(label) is not Symbol or _sort(label) != "unknown":
            raise ProofError(f"the name of the family {expr} is not a plain Symbol")
        return ["family", kind.__name__, _name(label), *map(term_json, expr.args[1:])]
    if kind in _OPERATORS:
        return [_OPERATORS[kind], *map(term_json, expr.args)]
    raise ProofError(
        f"{expr} ({kind.__name__}) cannot be exported: expected exact numbers such as Rational(1, 10), and terms of proofs"
    )


def _name(letter: Symbol) -> str:
    if not _NAME.fullmatch(letter.name):
        raise ProofError(f"a symbol cannot be named {letter.name!r}: the name could be read as another term")
    return str(letter.name)


def _sort(letter: Symbol) -> str:
    found = _SORTS.get(frozenset(letter.assumptions0.items()))
    if found is None:
        raise ProofError(f"the assumptions of the symbol {letter} cannot be exported: {letter._assumptions_orig}")
    return found


def relation_json(own: Relation) -> dict[str, Json]:
    """Return a relation as JSON."""
    over = [[term_json(part) for part in entry] for entry in own.over]
    return {"left": term_json(own.left), "op": own.op, "right": term_json(own.right), "over": over}


def _hypothesis(entry: lang.Hypothesis) -> dict[str, Json]:
    if isinstance(entry, Given):
        return {"id": entry.id, "kind": "given", "relation": relation_json(entry.relation)}
    if isinstance(entry, Defines):
        return {"id": entry.id, "kind": "defines", "left": term_json(entry.left), "right": term_json(entry.right)}
    smooth, convex = (None if c is None else term_json(c) for c in (entry.smooth, entry.convex))
    return {"id": entry.id, "kind": "member", "function": term_json(entry.function), "smooth": smooth, "convex": convex}


def step_json(own: Theorem, one: Step, found: Mapping[str, Any]) -> dict[str, Json]:
    """Return one step, with the data of its rule."""
    certificate = found.get(one.id, {}).get("certificate")
    return {
        "id": one.id,
        "claim": relation_json(one.claim),
        "rule": {"rule": type(one.rule).__name__, **_rule(own, one, certificate)},
        "uses": list(one.uses),
        "by": list(one.by),
        "assuming": [relation_json(h) for h in one.assuming],
        "refuted": one.recorded == "REFUTED",
    }


def _pairs(pairs: lang.Pairs) -> list[Json]:
    return [[term_json(k), term_json(v)] for k, v in pairs]


def _rule(own: Theorem, step: Step, certificate: Any) -> dict[str, Json]:
    """Return the data of a rule."""
    rule = step.rule
    if type(rule) not in _RULES:
        raise ProofError(f"{type(rule).__name__} is not a rule")
    if isinstance(rule, lang.Combine):
        return _combination_json(own, step, rule, certificate)
    if isinstance(rule, lang.Summed):
        return {"indices": [term_json(i) for i in rule.indices], "weight": term_json(rule.weight)}
    if isinstance(rule, lang.Apply):
        return {"theorem": rule.theorem, "at": _pairs(rule.at)}
    if isinstance(rule, lang.Instance | lang.Witness):
        return {"at": _pairs(rule.at)}
    if isinstance(rule, lang.Induction):
        return {"index": term_json(rule.index)}
    if isinstance(rule, lang.Rising):
        return {"symbol": term_json(rule.symbol)}
    if isinstance(rule, lang.Power):
        return {"exponent": term_json(rule.exponent)}
    if isinstance(rule, lang.Known):
        return {"name": rule.name, "at": term_json(rule.at)}
    if isinstance(rule, lang.Enumerate):
        return {"scope": rule.scope}
    if isinstance(rule, lang.Assumed):
        return {"citation": rule.citation}
    if isinstance(rule, lang.Violated):
        return {"claim": rule.claim}
    if isinstance(rule, lang.Polynomial):
        context = step_context(own, step)
        return {"certificate": _identity(normal_form(context.expand(step.claim.gap)), context.facts(), certificate)}
    if isinstance(rule, lang.Ball):
        box = {s: (low, high) for s, low, high in rule.box}
        problem = ball.Problem(normal_form(step_context(own, step).expand(step.claim.gap)), box)
        letters = {str(s): s for s in box}
        own_letters = [letters[n] for n in problem.names]
        tree = _tree(problem, own_letters, problem.box, certificate)
        return {"box": [[term_json(part) for part in side] for side in rule.box], "certificate": tree}
    return {}


def _combination_json(own: Theorem, step: Step, rule: lang.Combine, certificate: Any) -> dict[str, Json]:
    axioms = [
        {
            "weight": term_json(w),
            "kind": a.kind,
            "function": term_json(a.function),
            "u": term_json(a.u),
            "v": term_json(a.v),
        }
        for w, a in rule.axioms
    ]
    squares = None
    if rule.squares:
        context, squares = step_context(own, step), []
        for entry in certificate["squares"]:
            weight = parse(entry["weight"])
            vector = [[term_json(parse(c)), term_json(parse(v))] for c, v in entry["vector"]]
            known = (*context.facts(), *context.positive())
            sign = {"sign": _identity(weight, known, entry["sign"])} if "sign" in entry else {}
            squares.append({"weight": term_json(weight), "vector": vector, **sign})
    weights = {name: term_json(w) for name, w in rule.weights}
    return {"weights": weights, "axioms": axioms, "squares": squares}


def _identity(target: Expr, facts: tuple[Expr, ...], certificate: Any) -> dict[str, Json]:
    """Return multiplier * target = the sum of coefficient * product of facts * square^2, each written as a term."""
    problem = polynomial.Problem.read(target, facts)
    top = problem.expression(problem.target)
    multiplier = sympy.cancel(sympy.together(top / target)) if target != 0 else sympy.Integer(1)
    if "multiplier" in certificate:
        multiplier *= _polynomial(problem, certificate["multiplier"])
    return {"multiplier": term_json(multiplier), "terms": [_product(problem, entry) for entry in certificate["terms"]]}


def _product(problem: polynomial.Problem, entry: Mapping[str, Any]) -> dict[str, Json]:
    powers = zip(problem.facts, map(int, entry["powers"]), strict=True)
    facts = [[term_json(problem.expression(f)), power] for f, power in powers if power]
    square = {"square": term_json(_polynomial(problem, entry["square"]))} if "square" in entry else {}
    return {"coefficient": entry["coefficient"], "facts": facts, **square}


def _polynomial(problem: polynomial.Problem, value: Any) -> Expr:
    terms = [
        sympy.Rational(c) * sympy.Mul(*(g ** int(e) for g, e in zip(problem.generators, exponents, strict=True)))
        for c, exponents in value
    ]
    return sympy.Add(*terms)


def _tree(problem: ball.Problem, letters: list[Symbol], box: ball.Box, tree: Any) -> Json:
    """Return the tree of a box with its cuts."""
    if isinstance(tree, list):
        below, above = ball.bisect_box(box, problem.box)
        axis = next(i for i, (one, two) in enumerate(zip(below, above, strict=True)) if one != two)
        halves = [_tree(problem, letters, half, branch) for half, branch in zip((below, above), tree, strict=True)]
        return {
            "symbol": term_json(letters[axis]),
            "cut": str(Fraction(below[axis][1])),
            "below": halves[0],
            "above": halves[1],
        }
    if isinstance(tree, dict):
        letter = letters[problem.names.index(tree["symbol"])]
        return {"symbol": term_json(letter), "centre": tree["centre"], "order": int(tree["order"])}
    return tree
