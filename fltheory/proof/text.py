"""A proof as text: terms and relations in the paper's letters, each step with its reason, its scope and its outcome."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy
from sympy import Symbol
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.str import StrPrinter

from fltheory.bound import unicode_letter
from fltheory.proof import language as lang
from fltheory.proof.axioms import Axiom
from fltheory.proof.check import Report, StepReport
from fltheory.proof.language import Defines, Given, Hypothesis, Proofs, Relation, Theorem
from fltheory.proof.terms import Dot, Total, is_vector

Letters = Mapping[Symbol, str]
OPERATIONS = {"<=": "≤", "<": "<", "==": "="}
OPPOSITE = {"<=": "≥", "<": ">", "==": "="}
_DIGITS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Phi": "Φ", "Psi": "Ψ",
}  # fmt: skip
_MARKS = {"star": "*", "bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "plus": "⁺", "prime": "′"}
_AXIOMS = {
    "convex": "convexity", "descent": "smoothness", "ascent": "smoothness from below",
    "lipschitz": "the gradient's Lipschitz bound", "cocoercive": "co-coercivity",
}  # fmt: skip


def letters_of(proofs: Proofs, theorem: Theorem) -> dict[Symbol, str]:
    """The paper's letters in unicode: those of the theorem's own formula, then those of the paper's other ones."""
    bounds = [t.bound for t in (*proofs.theorems, theorem) if t.bound is not None]
    return {symbol: unicode_letter(latex) for bound in bounds for symbol, latex in bound.letters}


def spell(name: str) -> str:
    """The name of a family or an index as it is written: ``x_star`` is x*, ``pi`` is π, ``g_bar_1`` is ḡ_1."""
    base, *more = re.sub(r"(?<=[A-Za-z])(star|bar|hat|tilde|plus|prime)$", r"_\1", name).split("_")
    text = _GREEK.get(base, base)
    for part in more:
        text += _MARKS.get(part, f"_{_GREEK.get(part, part)}")
    return text


class Printer(StrPrinter):
    """Terms on one line, in a paper's letters."""

    def __init__(self, letters: Letters) -> None:
        super().__init__()
        self.letters = letters

    def _print_Symbol(self, expr: Any) -> str:
        return self.letters.get(expr) or spell(expr.name)

    _print_Dummy = _print_Symbol

    def _print_Rational(self, expr: Any) -> str:
        return f"{expr.p}/{expr.q}" if expr.q != 1 else str(expr.p)

    def _print_Infinity(self, expr: Any) -> str:
        return "∞"

    def _family(self, name: Any, indices: Sequence[Any]) -> str:
        inside = ",".join(self._print(i).replace(" ", "") for i in indices)
        if not inside:
            return spell(name.name)
        return f"{spell(name.name)}_{inside}" if len(inside) == 1 else f"{spell(name.name)}_{{{inside}}}"

    def _print_member(self, expr: Any) -> str:
        return self._family(expr.args[0], expr.args[1:])

    _print_Vector = _print_RandomVector = _print_Fun = _print_member
    _print_Scalar = _print_Nonnegative = _print_RandomScalar = _print_RandomNonnegative = _print_member

    def _print_Draw(self, expr: Any) -> str:
        return self._family(Symbol("pi"), (expr.args[0], *expr.args[2:]))

    def _print_Val(self, expr: Any) -> str:
        return f"{self._print(expr.args[0])}({self._print(expr.args[1])})"

    def _print_Grad(self, expr: Any) -> str:
        return "∇" + self._print_Val(expr)

    def _print_Dot(self, expr: Any) -> str:
        u, v = expr.args
        return f"‖{self._print(u)}‖²" if u == v else f"⟨{self._print(u)}, {self._print(v)}⟩"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Min(self, expr: Any) -> str:
        return f"min({', '.join(self._print(a) for a in expr.args)})"

    def _print_E(self, expr: Any) -> str:
        return f"E[{self._print(expr.args[0])}]"

    def _print_Indicator(self, expr: Any) -> str:
        return f"1{{{self._print(expr.args[0])} ≥ 0}}"

    def _print_Abs(self, expr: Any) -> str:
        return f"|{self._print(expr.args[0])}|"

    def _print_Total(self, expr: Any) -> str:
        body, index, low, high = expr.args
        ends = [self._print(e).replace(" ", "") for e in (low, high)]
        return f"Σ_{{{self._print(index)}={ends[0]}}}^{{{ends[1]}}} {self.parenthesize(body, PRECEDENCE['Mul'])}"

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        """Summands in SymPy's order, those with a plus first."""
        terms = sorted(self._as_ordered_terms(expr, order=order), key=lambda t: t.could_extract_minus_sign())
        text = ""
        for term in terms:
            minus = bool(term.could_extract_minus_sign())
            part = self.parenthesize(-term if minus else term, PRECEDENCE["Add"])
            sign = (" - " if minus else " + ") if text else "-" if minus else ""
            text += sign + part
        return text

    def _print_Mul(self, expr: Any) -> str:
        number, rest = expr.as_coeff_Mul()
        if number.is_negative:
            return "-" + self.parenthesize(-expr, PRECEDENCE["Mul"])
        above, below = ([number.p], [number.q]) if number.is_Rational else ([number], [1])
        sums = []
        for factor in rest.as_ordered_factors():
            base, exponent = factor.as_base_exp() if isinstance(factor, sympy.Pow) else (factor, None)
            if isinstance(factor, Total):
                sums.append(factor)
            elif exponent is not None and exponent.is_Rational and exponent.is_negative:
                below.append(sympy.Pow(base, -exponent))
            else:
                above.append(factor)
        above, below = ([f for f in side if f != 1] for side in (above, below))
        above.sort(key=lambda f: (is_vector(f), bool(sympy.sympify(f).args), not sympy.sympify(f).is_number))
        top = "·".join(self._factor(f) for f in above) or "1"
        bottom = "·".join(self._factor(f) for f in below)
        if bottom:
            bottom = f"/({bottom})" if len(below) > 1 else f"/{bottom}"
        fraction = "" if sums and not above and not below else top + bottom
        last = [f"({self._print(s)})" for s in sums[:-1]] + [self._print(s) for s in sums[-1:]]
        return "·".join([fraction, *last] if fraction else last)

    def _factor(self, factor: Any) -> str:
        return self.parenthesize(sympy.sympify(factor), PRECEDENCE["Mul"])

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, exponent = expr.base, expr.exp
        if exponent.is_Rational and exponent.is_negative:
            return f"1/{self.parenthesize(sympy.Pow(base, -exponent), PRECEDENCE['Mul'], strict=False)}"
        if exponent == sympy.Rational(1, 2):
            return f"√{self._print(base)}" if base.is_Atom else f"√({self._print(base)})"
        if isinstance(base, Dot) and base.args[0] == base.args[1] and exponent.is_Integer:
            return f"‖{self._print(base.args[0])}‖" + str(2 * exponent).translate(_DIGITS)
        inner = self.parenthesize(base, PRECEDENCE["Pow"], strict=False)
        if isinstance(base, Total):
            inner = f"({self._print(base)})"
        if exponent.is_Integer:
            return inner + str(exponent).translate(_DIGITS)
        return f"{inner}^{self.parenthesize(exponent, PRECEDENCE['Pow'], strict=False)}"

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
        """The term in parentheses where it binds less than ``level``; a sum binds as a product does."""
        own = PRECEDENCE["Mul"] if isinstance(item, Total) else precedence(item)
        if own < level or (not strict and own <= level and level > PRECEDENCE["Mul"]):
            return f"({self._print(item)})"
        return str(self._print(item))


def term(expr: Any, letters: Letters) -> str:
    """One term on one line."""
    return str(Printer(letters).doprint(sympy.sympify(expr)))


def relation(r: Relation, letters: Letters) -> str:
    """A relation on one line, the longer side on the right."""
    left, right, sign = term(r.left, letters), term(r.right, letters), OPERATIONS[r.op]
    if r.left == 0 and r.op != "==":
        left, right, sign = right, left, OPPOSITE[r.op]
    return f"{left} {sign} {right}{_ranges(r.over, letters)}"


def _ranges(over: Iterable[lang.Range], letters: Letters) -> str:
    parts = []
    for index, low, high in over:
        end = "" if high is sympy.oo else f" to {term(high, letters)}"
        parts.append(f"{term(index, letters)} from {term(low, letters)}{end or ' on'}")
    return f", for {_listed(parts)}" if parts else ""


def _listed(words: Iterable[str]) -> str:
    words = list(words)
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def hypothesis(entry: Hypothesis, letters: Letters) -> str:
    """What a hypothesis says."""
    if isinstance(entry, Given):
        return relation(entry.relation, letters)
    if isinstance(entry, Defines):
        return f"{term(entry.left, letters)} stands for {term(entry.right, letters)}"
    kinds = []
    if entry.smooth is not None:
        kinds.append(f"{term(entry.smooth, letters)}-smooth")
    if entry.convex is not None:
        kinds.append("convex" if entry.convex == 0 else f"{term(entry.convex, letters)}-strongly convex")
    return f"{term(entry.function, letters)} is {_listed(kinds) or 'differentiable'}"


# Rules in words -------------------------------------------------------------------------------------------------


def rule_in_words(step: lang.Step, letters: Letters, found: Any = None) -> str:
    """How a step follows; ``found`` is its certificate, for its size."""
    rule, uses = step.rule, list(step.uses)
    text = _rule(rule, uses, letters, found)
    if step.by:
        text += f"; {_listed(step.by)} inserted"
    return text


def _rule(rule: Any, uses: list[str], letters: Letters, found: Any) -> str:
    source = f" from {_listed(uses)}" if uses else ""
    if isinstance(rule, lang.Combine):
        return _combination(rule, uses, letters, found)
    if isinstance(rule, lang.Summed):
        weight = "" if rule.weight == 1 else f", times {term(rule.weight, letters)}"
        return f"{_listed(uses)} summed over {_listed(term(i, letters) for i in rule.indices)}{weight}"
    if isinstance(rule, lang.Expected):
        return f"expectation of both sides of {_listed(uses)}"
    if isinstance(rule, lang.Instance):
        return f"{uses[0] if uses else '?'} at {_values(rule.at, letters)}{_signs(uses[1:])}"
    if isinstance(rule, lang.Apply):
        at = f" with {_values(rule.at, letters)}" if rule.at else ""
        return f"{rule.theorem}{at}{'; its hypotheses' + source if uses else ''}"
    if isinstance(rule, lang.Cases):
        return f"the cases {_listed(uses)} leave nothing out"
    if isinstance(rule, lang.Induction):
        return f"induction over {term(rule.index, letters)}: {_listed(uses[:1])} starts, {_listed(uses[1:])} goes on"
    if isinstance(rule, lang.Power):
        return f"both sides of {_listed(uses[1:2])} to the power {term(rule.exponent, letters)}{_signs([*uses[:1], *uses[2:]])}"
    if isinstance(rule, lang.Polynomial):
        return f"a polynomial inequality{source}{_certificate(found)}"
    if isinstance(rule, lang.Ball):
        box = _listed(f"{lo} ≤ {term(s, letters)} ≤ {hi}" for s, lo, hi in rule.box)
        return f"ball arithmetic on {box}{source}{_certificate(found)}"
    if isinstance(rule, lang.Enumerate):
        return f"every case evaluated exactly{source}"
    if isinstance(rule, lang.Known):
        known = {
            "exp": "1 + u ≤ exp(u)", "log": "log(u) ≤ u - 1", "max": "the largest of some numbers,",
            "abs": "u ≤ |u|", "indicator": "the indicator 1{u ≥ 0}",
        }[rule.name]  # fmt: skip
        return f"{known} at u = {term(rule.at, letters)}{_signs(uses)}"
    if isinstance(rule, lang.Absolute):
        return f"an absolute value is one of two numbers{source}"
    if isinstance(rule, lang.Monotone):
        return f"an indicator of what is larger{source}"
    if isinstance(rule, lang.Assumed):
        return f"assumed: {rule.citation}{'; ' + rule.reason if rule.reason else ''}"
    if isinstance(rule, lang.Witness):
        return f"at {_values(rule.at, letters)}{', where ' + _listed(uses) + ' hold' if uses else ''}"
    return f"the stored case of {rule.claim} violates it"


def _combination(rule: lang.Combine, uses: list[str], letters: Letters, found: Any) -> str:
    weights = dict(rule.weights)
    plain = not (rule.weights or rule.axioms or rule.squares)
    parts = []
    for name in uses:
        weight = weights.get(name, sympy.Integer(1 if plain else 0))
        if weight != 0:
            parts.append(name if weight == 1 else f"{name} times {term(weight, letters)}")
    for weight, axiom in rule.axioms:
        times = "" if weight == 1 else f" times {term(weight, letters)}"
        parts.append(f"{_axiom(axiom, letters)}{times}")
    if rule.squares and not (isinstance(found, dict) and found.get("squares") == []):
        parts.append("squares" + _certificate(found))
    signs = [] if plain else [name for name in uses if weights.get(name, 0) == 0]
    if not parts:
        return "an identity" + _signs(signs)
    return ("by " if len(parts) == 1 else "sum of ") + _listed(parts) + _signs(signs)


def _axiom(axiom: Axiom, letters: Letters) -> str:
    where = f"at {term(axiom.u, letters)} from {term(axiom.v, letters)}"
    return f"{_AXIOMS.get(axiom.kind, axiom.kind)} of {term(axiom.function, letters)} {where}"


def _signs(names: Sequence[str]) -> str:
    return f", given {_listed(names)}" if names else ""


def _values(at: lang.Pairs, letters: Letters) -> str:
    return ", ".join(f"{term(k, letters)} = {term(v, letters)}" for k, v in at)


def _certificate(found: Any) -> str:
    """How much a certificate lists."""
    if isinstance(found, dict):
        for key, value in found.items():
            if isinstance(value, list):
                one = {"squares": "square", "boxes": "box"}.get(key, key.rstrip("s"))
                return f" (certificate: {len(value)} {one if len(value) == 1 else key})"
    return " (certificate)"


# A whole proof --------------------------------------------------------------------------------------------------


def page(report: Report, letters: Letters, found: Mapping[str, Any], width: int = 100) -> list[str]:
    """The proof as lines of at most ``width`` characters where a formula lets itself be broken."""
    theorem = report.theorem
    names = ", ".join(n for n in (theorem.claim and f"proves {theorem.claim}", theorem.place) if n)
    lines = [f"{theorem.id}: {verdict(report)}", *_wrapped(names, width, "  ")]
    lines += _wrapped(theorem.note, width, "  ")
    lines += ["", "theorem", *_wrapped(relation(theorem.statement, letters), width, "  ")]
    if theorem.hypotheses:
        lines += ["", "suppose"]
        space = max(len(h.id) for h in theorem.hypotheses) + 2
        for entry in theorem.hypotheses:
            lines += _wrapped(hypothesis(entry, letters), width, f"  {entry.id:<{space}}", space + 2)
            idle = "not needed here" if entry.id in theorem.unused else ""
            lines += _wrapped("; ".join(w for w in (entry.why, idle) if w), width, " " * (space + 4))
    lines += ["", "proof"]
    space = max((len(s.step.id) for s in report.steps), default=0) + 2
    for step in report.steps:
        lines += _step(step, letters, found.get(step.step.id), width, space)
    lines += [f"fault: {fault}" for fault in report.faults]
    return lines


def verdict(report: Report) -> str:
    """The verdict with its scope and the counts of steps, on one line."""
    recorded = "" if report.verdict == report.theorem.expected else f", recorded as {report.theorem.expected}"
    return f"{report.verdict}{recorded}, {report.scope}; {counts(report)}"


def counts(report: Report) -> str:
    """How many steps there are of each outcome."""
    kinds = [f"{report.count(o)} {o.lower()}" for o in ("PROVED", "ASSUMED", "UNKNOWN", "REFUTED") if report.count(o)]
    return f"{number_of(len(report.steps), 'step')}: {', '.join(kinds) or 'nothing'}"


def number_of(count: int, noun: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def _step(report: StepReport, letters: Letters, found: Any, width: int, space: int) -> list[str]:
    step, deep = report.step, " " * (space + 4)
    lines = _wrapped(relation(step.claim, letters), width, f"  {step.id + '.':<{space}}", space + 2)
    if step.note:
        lines += _wrapped(step.note, width, deep)
    if step.assuming:
        lines += _wrapped("if " + _listed(relation(h, letters) for h in step.assuming), width, deep)
    why = rule_in_words(step, letters, (found or {}).get("certificate") if isinstance(found, dict) else None)
    return lines + _wrapped(f"{why} [{outcome(report)}]", width, deep)


def outcome(report: StepReport) -> str:
    """What came of a step, in words."""
    if report.outcome == "PROVED":
        return "PROVED" if report.scope == lang.ALL else f"PROVED for {report.scope}"
    surprise = "" if report.outcome == report.step.expected else f", recorded as {report.step.expected}"
    if report.outcome == "REFUTED":
        return f"REFUTED{surprise}, the line is false as it stands: {report.reason}"
    if report.outcome == "ASSUMED":
        return f"ASSUMED{surprise}"
    return f"UNKNOWN{surprise}: {report.reason}"


def _wrapped(text: str, width: int, first: str, hang: int | None = None) -> list[str]:
    if not text:
        return []
    rest = " " * (len(first) + 2 if hang is None else hang + 2)
    return textwrap.wrap(
        " ".join(text.split()), max(width, len(rest) + 20), initial_indent=first, subsequent_indent=rest,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
