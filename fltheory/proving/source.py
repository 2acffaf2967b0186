"""A theorem as a Python file in the form of the proof language: hypotheses, lines with their reasons, the statement."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable
from typing import Any

import sympy
from sympy import Expr, Symbol
from sympy.printing.precedence import precedence
from sympy.printing.str import StrPrinter

from fltheory.proof import language as lang
from fltheory.proof import terms as words
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.language import Defines, Given, Hypothesis, Member, ProofError, Relation, Step, Theorem
from fltheory.proof.terms import Dot, Fun, Scalar, Vector

WIDTH = 110  # a call that is longer gets a line for each argument
_FROM_SYMPY = ("Abs", "Max", "Min", "Rational", "Symbol", "binomial", "cos", "exp", "floor", "log", "oo", "sin", "sqrt")
_FROM_PROOF = ("Axiom", "Given", "Member", "by", "eq", "le", "lt", "proof")
_THEOREMS = tuple(f"theorem_{n}" for n in range(1, 40))
_IMPORTED = (*_FROM_SYMPY, *_FROM_PROOF, "E1", "square", "family", "theorem", *_THEOREMS)
_FAMILIES = (Vector, Scalar, Fun)
_OPS = {"<=": "le", "<": "lt", "==": "eq"}


class _Names:
    """The Python names of the symbols and families of a theorem."""

    def __init__(self, terms: list[Expr]) -> None:
        symbols, families = set[Symbol](), set[tuple[str, str]]()
        for term in terms:
            _collect(term, symbols, families)
        self.symbols: dict[Symbol, str] = {}
        self.families: dict[tuple[str, str], str] = {}
        indexed = {(type(f).__name__, f.args[0].name) for t in terms for f in t.atoms(*_FAMILIES) if len(f.args) > 1}
        self.single = families - indexed
        taken = {*keyword.kwlist, *_IMPORTED, *(n for n, v in vars(words).items() if isinstance(v, type)), "name"}
        for symbol in sorted(symbols, key=lambda s: (s.name, str(sorted(s.assumptions0.items())))):
            self.symbols[symbol] = _free_name(symbol.name, taken)
        for kind, name in sorted(families):
            self.families[kind, name] = _free_name(name, taken)


def _collect(term: Any, symbols: set[Symbol], families: set[tuple[str, str]]) -> None:
    if isinstance(term, Symbol):
        symbols.add(term)
        return
    args = term.args
    if isinstance(term, _FAMILIES):
        families.add((type(term).__name__, term.args[0].name))
        args = args[1:]
    for argument in args:
        _collect(argument, symbols, families)


def _free_name(wanted: str, taken: set[str]) -> str:
    plain = re.sub(r"\W", "_", wanted, flags=re.ASCII) if not wanted.isidentifier() else wanted
    plain = plain if plain and not plain[0].isdigit() else f"t_{plain}"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}_{number}"
    taken.add(name)
    return name


class _Printer(StrPrinter):
    """Prints terms as Python expressions that build them."""

    def __init__(self, names: _Names, apart: bool = False) -> None:
        super().__init__({"order": None})
        self.names, self.apart = names, apart

    def _print_Symbol(self, expr: Symbol) -> str:
        return self.names.symbols[expr]

    def _print_Add(self, expr: Expr, order: str | None = None) -> str:
        """Print what is added before what is subtracted: 1 - a, not -a + 1."""
        parts = sorted(expr.args, key=lambda a: (a.could_extract_minus_sign(), not a.is_number, str(a)))
        text = self.parenthesize(parts[0], precedence(expr))
        for part in parts[1:]:
            minus = part.could_extract_minus_sign()
            text += f" {'-' if minus else '+'} {self.parenthesize(-part if minus else part, precedence(expr) + minus)}"
        return text

    def _print_Mul(self, expr: Expr) -> str:
        """Print a number last if it must stand ``apart``: SymPy multiplies it into a sum that comes next."""
        number, rest = expr.as_coeff_Mul()
        if not self.apart or abs(number) == 1 or not isinstance(rest, sympy.Mul | sympy.Pow):
            return str(super()._print_Mul(expr))
        return f"{self.parenthesize(rest, precedence(expr))}*{self.parenthesize(number, precedence(expr))}"

    def _print_Rational(self, expr: Expr) -> str:
        return f"Rational({expr.p}, {expr.q})"

    def _print_Exp1(self, expr: Expr) -> str:
        return "E1"

    def _print_Infinity(self, expr: Expr) -> str:
        return "oo"

    def _print_NegativeInfinity(self, expr: Expr) -> str:
        return "-oo"

    def _print_Function(self, expr: Expr) -> str:
        if isinstance(expr, _FAMILIES):
            key = (type(expr).__name__, expr.args[0].name)
            name = self.names.families[key]
            if key in self.names.single:
                return name
            return f"{name}({', '.join(map(self._print, expr.args[1:]))})"
        if isinstance(expr, Dot) and expr.args[0] == expr.args[1]:
            return f"square({self._print(expr.args[0])})"
        return f"{type(expr).__name__}({', '.join(map(self._print, expr.args))})"


def source_of(*theorems: Theorem) -> str:
    """Return the file that builds some theorems, each of which may apply those before; ProofError if it would build others.

    The file names them ``theorem``, or ``theorem_1``, ``theorem_2``, ...
    """
    names = ["theorem"] if len(theorems) == 1 else [f"theorem_{n}" for n in range(1, len(theorems) + 1)]
    other = theorems[0]
    for apart in (False, True):
        text = _file(theorems, names, apart)
        built: dict[str, Any] = {}
        exec(compile(text, f"{theorems[-1].id}.py", "exec"), built)  # our own text, to compare what it builds
        different = [t for name, t in zip(names, theorems, strict=True) if built[name] != t]
        if not different:
            return text
        other = different[0]
    raise ProofError(f"{other.id} cannot be written as a file: what the file builds differs from it")


def _file(theorems: tuple[Theorem, ...], called: list[str], apart: bool) -> str:
    terms = [term for theorem in theorems for term in _terms_in(theorem)]
    names = _Names(terms)
    printer = _Printer(names, apart)
    body = "\n".join(_proof(t, name, printer) for t, name in zip(theorems, called, strict=True))
    declared = "\n".join(_declarations(names))
    used = {w for text in (body, declared) for w in re.findall(r"[A-Za-z_]\w*", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))}
    from_terms = {w for w in used if w in vars(words) and getattr(vars(words)[w], "__module__", "") == words.__name__}
    from_terms -= {*_FROM_PROOF, *_FROM_SYMPY}
    from_sympy = [w for w in _FROM_SYMPY if w in used]
    from_proof = sorted((w for w in _FROM_PROOF if w in used), key=lambda w: (w.islower(), w))
    title = ", ".join(t.id for t in theorems).replace('"', "'").replace("\\", "/")
    lines = [f'"""Found by a search and confirmed by the kernel: {title}."""', ""]
    if from_sympy:
        lines.append(f"from sympy import {', '.join(from_sympy)}")
    if "E1" in used:
        lines.append("from sympy import E as E1")
    lines += [""] * bool(from_sympy or "E1" in used)
    lines.append(f"from fltheory.proof import {', '.join(from_proof)}")
    if from_terms:
        lines.append(
            f"from fltheory.proof.terms import {', '.join(sorted(from_terms, key=lambda w: (w.islower(), w)))}"
        )
    own = {t.id for t in theorems}
    outside = dict.fromkeys(
        s.rule.theorem
        for t in theorems
        for s in t.steps
        if isinstance(s.rule, lang.Apply) and s.rule.theorem not in own
    )
    if outside:
        lines += ["", f"# Supposed, and not proved in this file: {', '.join(outside)}."]
    return "\n".join([*lines, "", declared, "", body, ""]).replace("\n\n\n", "\n\n")


def _terms_in(theorem: Theorem) -> list[Expr]:
    relations = [theorem.statement, *(s.claim for s in theorem.steps), *(a for s in theorem.steps for a in s.assuming)]
    relations += [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
    terms = [t for r in relations for t in (r.left, r.right, *(p for entry in r.over for p in entry))]
    terms += [t for h in theorem.hypotheses for t in _terms_of(h)]
    return terms + [t for s in theorem.steps for t in _rule_terms(s.rule)]


def _terms_of(h: Hypothesis) -> list[Expr]:
    if isinstance(h, Defines):
        return [h.left, h.right]
    member = h.member if isinstance(h, Given) else h
    return (
        []
        if member is None
        else [sympy.sympify(t) for t in (member.function, member.smooth, member.convex) if t is not None]
    )


def _rule_terms(rule: lang.Rule) -> list[Expr]:
    found: list[Expr] = []
    if isinstance(rule, lang.Combine):
        found += [w for _, w in rule.weights] + [t for w, a in rule.axioms for t in (w, a.function, a.u, a.v)]
    if isinstance(rule, lang.Apply | lang.Instance | lang.Witness):
        found += [t for pair in rule.at for t in pair]
    if isinstance(rule, lang.Summed):
        found += [*rule.indices, sympy.sympify(rule.weight)]
    for name in ("exponent", "index", "symbol"):
        found += [sympy.sympify(vars(rule)[name])] if name in vars(rule) else []
    if isinstance(rule, lang.Known):
        found.append(sympy.sympify(rule.at))
    if isinstance(rule, lang.Ball):
        found += [sympy.sympify(part) for entry in (*rule.box, *rule.zeros) for part in entry]
    return found


def _tuples(group: Iterable[Iterable[Any]], show: Callable[[Any], str]) -> str:
    entries = (", ".join(show(sympy.sympify(part)) for part in entry) for entry in group)
    return f"({' '.join(f'({entry}),' for entry in entries)})"


def _declarations(names: _Names) -> Iterable[str]:
    by_sort: dict[str, list[Symbol]] = {}
    for symbol in names.symbols:
        by_sort.setdefault(_sort(symbol), []).append(symbol)
    for sort, symbols in sorted(by_sort.items()):
        left = ", ".join(names.symbols[s] for s in symbols)
        if len(symbols) == 1:
            yield f"{left} = Symbol({_q(symbols[0].name)}{sort})"
        else:
            yield f"{left} = (Symbol(name{sort}) for name in {_q(tuple(s.name for s in symbols))})"
    for single in (True, False):
        for kind in sorted({k for k, _ in names.families}):
            own = {n: p for (k, n), p in names.families.items() if k == kind and ((k, n) in names.single) == single}
            if len(own) == 1:
                ((name, python),) = own.items()
                yield f"{python} = family({kind}, {_q(name)}){'()' if single else ''}"
            elif own:
                left, called = ", ".join(own.values()), "()" if single else ""
                yield f"{left} = (family({kind}, name){called} for name in {_q(tuple(own))})"


def _sort(symbol: Symbol) -> str:
    for sort in (
        (),
        ("real",),
        ("nonnegative",),
        ("positive",),
        ("integer",),
        ("integer", "nonnegative"),
        ("integer", "positive"),
    ):
        if Symbol("x", **dict.fromkeys(sort, True)).assumptions0 == symbol.assumptions0:
            return "".join(f", {s}=True" for s in sort)
    raise ProofError(f"{symbol} cannot be written: its assumptions are {symbol.assumptions0}")


def _proof(theorem: Theorem, name: str, printer: _Printer) -> str:
    options = "".join(
        f", {k}={_q(v)}" for k, v in (("note", theorem.note), ("recorded", theorem.recorded)) if v and v != "PROVED"
    )
    options += f", unused={_q(theorem.unused)}" if theorem.unused else ""
    place = f", {_q(theorem.place)}" if theorem.place else ""
    calls = [_hypothesis(h, printer) for h in theorem.hypotheses]
    *lines, last = theorem.steps
    calls += [f".step({_line(s, printer)})" for s in lines]
    calls.append(f".qed({_line(last, printer, final=True)})")
    text = f"proof({_q(theorem.id)}{place}{options})"
    return "\n".join([f"{name} = (", f"    {text}", *(f"    {c}" for c in calls), ")"])


def _q(value: str | tuple[str, ...]) -> str:
    """Return a text, or several, as Python writes them, in double quotes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_q, value))}{',' if len(value) == 1 else ''})"
    return json.dumps(value, ensure_ascii=False)


def _hypothesis(h: Hypothesis, printer: _Printer) -> str:
    extra = ", supposed=True" if isinstance(h, Given | Defines) and h.supposed else ""
    if isinstance(h, Given):
        if h.member is not None:
            relation, member = _relation(h.relation, printer), _member(h.member, printer)
            return f".under(Given({_q(h.id)}, {relation}, {_q(h.why)}{extra}, member={member}))"
        return f".given({_q(h.id)}, {_relation(h.relation, printer)}, {_q(h.why)}{extra})"
    if isinstance(h, Defines):
        return f".where({_q(h.id)}, {printer.doprint(h.left)}, {printer.doprint(h.right)}, {_q(h.why)}{extra})"
    return f".under({_member(h, printer)})"


def _member(h: Member, printer: _Printer) -> str:
    smooth, convex = (None if c is None else printer.doprint(sympy.sympify(c)) for c in (h.smooth, h.convex))
    return f"Member({_q(h.id)}, {printer.doprint(h.function)}, {smooth}, {convex}, {_q(h.why)})"


def _relation(r: Relation, printer: _Printer) -> str:
    over = "".join(f", ({', '.join(printer.doprint(p) for p in entry)})" for entry in r.over)
    return f"{_OPS[r.op]}({printer.doprint(r.left)}, {printer.doprint(r.right)}{over})"


def _line(step: Step, printer: _Printer, final: bool = False) -> str:
    parts = [_relation(step.claim, printer), _reason(step, printer)]
    parts = [*parts, _q(step.id)] if final else [_q(step.id), *parts]
    if step.by:
        parts.append(f"inserting={_q(step.by)}")
    if step.assuming:
        said = [_relation(a, printer) for a in step.assuming]
        parts.append(f"assuming=({', '.join(said)},)")
    if step.note:
        parts.append(f"note={_q(step.note)}")
    if step.recorded != "PROVED" and not final:
        parts.append(f"recorded={_q(step.recorded)}")
    text = ", ".join(parts)
    if len(text) < WIDTH:
        return text
    return "\n        " + ",\n        ".join(parts) + ",\n    "


def _reason(step: Step, printer: _Printer) -> str:
    rule, show = step.rule, printer.doprint
    uses = [_q(u) for u in step.uses]
    if isinstance(rule, lang.Combine):
        kind = "sos" if rule.squares else "linear"
        weights = dict(rule.weights)
        first = next(
            (k for k, n in enumerate(step.uses) if n in weights), 0
        )  # names before the first weight stay there
        parts = list(uses[:first])
        parts += [f"{{{', '.join(f'{_q(n)}: {show(w)}' for n, w in weights.items())}}}"] if weights else []
        parts += [f"({show(w)}, {_axiom(a, printer)})" for w, a in rule.axioms]
        parts += [u for u, n in zip(uses[first:], step.uses[first:], strict=True) if n not in weights]
        text = f"by.{kind}({', '.join(parts)})"
        return (
            text
            if len(text) < WIDTH
            else f"by.{kind}(\n            {f',{chr(10)}            '.join(parts)},\n        )"
        )
    if isinstance(rule, lang.Apply):
        at = ", ".join(f"{show(k)}: {show(v)}" for k, v in rule.at)
        return f"by.apply({', '.join([_q(rule.theorem), f'{{{at}}}', *uses])})"
    if isinstance(rule, lang.Instance):
        return f"by.instance({', '.join([f'''{{{', '.join(f'{show(k)}: {show(v)}' for k, v in rule.at)}}}''', *uses])})"
    if isinstance(rule, lang.Summed):
        indices = ", ".join(map(show, rule.indices))
        weight = [f"weight={show(sympy.sympify(rule.weight))}"] if rule.weight != 1 else []
        return f"by.sum_over({', '.join([f'({indices},)' if len(rule.indices) > 1 else indices, *uses, *weight])})"
    if isinstance(rule, lang.Known):
        return f"by.fact({', '.join([_q(rule.name), show(sympy.sympify(rule.at)), *uses])})"
    if isinstance(rule, lang.Ball):
        box, zeros = (_tuples(group, show) for group in (rule.box, rule.zeros))
        return f"by.ball({', '.join([box, *uses, *([f'zeros={zeros}'] if rule.zeros else [])])})"
    if isinstance(rule, lang.Power):
        return f"by.power({', '.join([show(sympy.sympify(rule.exponent)), *uses])})"
    if isinstance(rule, lang.Induction | lang.Rising):
        letter = rule.index if isinstance(rule, lang.Induction) else rule.symbol
        return f"by.{'induction' if isinstance(rule, lang.Induction) else 'derivative'}({', '.join([show(letter), *uses])})"
    if isinstance(rule, lang.Witness):
        return f"by.counterexample({', '.join([f'''{{{', '.join(f'{show(k)}: {show(v)}' for k, v in rule.at)}}}''', *uses])})"
    plain = {
        lang.Expected: "expectation",
        lang.Cases: "cases",
        lang.Squeezed: "antisymmetry",
        lang.Polynomial: "polynomial",
        lang.Absolute: "absolute",
        lang.Monotone: "monotone",
    }
    return f"by.{plain[type(rule)]}({', '.join(uses)})"


def _axiom(axiom: Axiom, printer: _Printer) -> str:
    return f"Axiom({_q(axiom.kind)}, {', '.join(map(printer.doprint, (axiom.function, axiom.u, axiom.v)))})"
