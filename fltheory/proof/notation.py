"""Terms and relations as a line of Unicode, in the paper's notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import sympy
from sympy import Expr, Symbol
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.str import StrPrinter

from fltheory.model.bound import Bound, unicode_letter
from fltheory.proof.terms import Dot, Range, Relation, Total, is_vector

Notation = Mapping[Symbol, str]
OPERATIONS = {"<=": "≤", "<": "<", "==": "="}
OPPOSITE = {"<=": "≥", "<": ">", "==": "="}
_DIGITS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "lam": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Delta": "Δ",
    "Phi": "Φ",
    "Psi": "Ψ",
}
_MARKS = {"star": "*", "bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "plus": "⁺", "prime": "′"}


def notation_in(bounds: Iterable[Bound]) -> dict[Symbol, str]:
    """Return the notation of some bounds in Unicode."""
    return {symbol: unicode_letter(latex) for bound in bounds for symbol, latex in bound.letters}


def unicode_name(name: str) -> str:
    """Return the displayed name of a family or an index: ``x_star`` is x*, ``pi`` is π, g with bar and index 1 is ḡ_1."""
    base, *more = re.sub(r"(?<=[A-Za-z])(star|bar|hat|tilde|plus|prime)$", r"_\1", name).split("_")
    text = _GREEK.get(base, base)
    for part in more:
        text += _MARKS.get(part, f"_{_GREEK.get(part, part)}")
    return text


class Printer(StrPrinter):
    """A printer of terms on one line, in a paper's notation."""

    def __init__(self, letters: Notation) -> None:
        super().__init__()
        self.letters = letters

    def _print_Symbol(self, expr: Expr) -> str:
        return self.letters.get(expr) or unicode_name(expr.name)

    _print_Dummy = _print_Symbol

    def _print_Rational(self, expr: Expr) -> str:
        return f"{expr.p}/{expr.q}" if expr.q != 1 else str(expr.p)

    def _print_Infinity(self, expr: Expr) -> str:
        return "∞"

    def _family(self, name: Expr, indices: Sequence[Expr]) -> str:
        inside = ",".join(self._print(i).replace(" ", "") for i in indices)
        if not inside:
            return unicode_name(name.name)
        return f"{unicode_name(name.name)}_{inside}" if len(inside) == 1 else f"{unicode_name(name.name)}_{{{inside}}}"

    def _print_member(self, expr: Expr) -> str:
        return self._family(expr.args[0], expr.args[1:])

    _print_Vector = _print_RandomVector = _print_Fun = _print_member
    _print_Scalar = _print_Nonnegative = _print_RandomScalar = _print_RandomNonnegative = _print_member
    _print_Positive = _print_RandomPositive = _print_RandomInteger = _print_member

    def _print_Draw(self, expr: Expr) -> str:
        return self._family(Symbol("pi"), (expr.args[0], *expr.args[2:]))

    def _print_Val(self, expr: Expr) -> str:
        return f"{self._print(expr.args[0])}({self._print(expr.args[1])})"

    def _print_Grad(self, expr: Expr) -> str:
        return "∇" + self._print_Val(expr)

    def _print_Dot(self, expr: Expr) -> str:
        u, v = expr.args
        return f"‖{self._print(u)}‖²" if u == v else f"⟨{self._print(u)}, {self._print(v)}⟩"

    def _print_Max(self, expr: Expr) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Min(self, expr: Expr) -> str:
        return f"min({', '.join(self._print(a) for a in expr.args)})"

    def _print_Abs(self, expr: Expr) -> str:
        return f"|{self._print(expr.args[0])}|"

    def _print_Indicator(self, expr: Expr) -> str:
        return f"1{{{self._print(expr.args[0])} ≥ 0}}"

    def _print_E(self, expr: Expr) -> str:
        return f"E[{self._print(expr.args[0])}]"

    def _print_Total(self, expr: Expr) -> str:
        body, index, low, high = expr.args
        ends = [self._print(e).replace(" ", "") for e in (low, high)]
        return f"Σ_{{{self._print(index)}={ends[0]}}}^{{{ends[1]}}} {self.parenthesize(body, PRECEDENCE['Mul'])}"

    def _print_Add(self, expr: Expr, order: str | None = None) -> str:
        """Print the summands in SymPy's order, positive ones first."""
        terms = sorted(self._as_ordered_terms(expr, order=order), key=lambda t: t.could_extract_minus_sign())
        text = ""
        for term in terms:
            minus = bool(term.could_extract_minus_sign())
            part = self.parenthesize(-term if minus else term, PRECEDENCE["Add"])
            sign = (" - " if minus else " + ") if text else "-" if minus else ""
            text += sign + part
        return text

    def _print_Mul(self, expr: Expr) -> str:
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
            bottom = f"/({bottom})" if len(below) > 1 or isinstance(below[0], Total) else f"/{bottom}"
        fraction = "" if sums and not above and not below else top + bottom
        last = [f"({self._print(s)})" for s in sums[:-1]] + [self._print(s) for s in sums[-1:]]
        return "·".join([fraction, *last] if fraction else last)

    def _factor(self, factor: Expr) -> str:
        return self.parenthesize(sympy.sympify(factor), PRECEDENCE["Mul"])

    def _print_Pow(self, expr: Expr, rational: bool = False) -> str:
        base, exponent = expr.base, expr.exp
        if exponent.is_Rational and exponent.is_negative:
            return str(self._print_Mul(sympy.Mul(1, expr, evaluate=False)))
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

    def parenthesize(self, item: Expr, level: int, strict: bool = False) -> str:
        """Put the term in parentheses if it binds less than ``level``; a sum binds as a product does."""
        own = PRECEDENCE["Mul"] if isinstance(item, Total) else precedence(item)
        if own < level or (not strict and own <= level and level > PRECEDENCE["Mul"]):
            return f"({self._print(item)})"
        return str(self._print(item))


def term_text(expr: Expr, letters: Notation) -> str:
    """Return a term as one line."""
    return str(Printer(letters).doprint(sympy.sympify(expr)))


def relation_text(r: Relation, letters: Notation) -> str:
    """Return a relation as one line, the longer side on the right."""
    left, right, sign = term_text(r.left, letters), term_text(r.right, letters), OPERATIONS[r.op]
    if r.left == 0 and r.op != "==":
        left, right, sign = right, left, OPPOSITE[r.op]
    return f"{left} {sign} {right}{_ranges(r.over, letters)}"


def _ranges(over: Iterable[Range], letters: Notation) -> str:
    parts = []
    for index, low, high in over:
        end = "" if high is sympy.oo else f" to {term_text(high, letters)}"
        parts.append(f"{term_text(index, letters)} from {term_text(low, letters)}{end or ' on'}")
    return f", for {join_words(parts)}" if parts else ""


def join_words(words: Iterable[str]) -> str:
    """Return ``a, b and c``."""
    words = list(words)
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
