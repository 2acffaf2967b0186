"""Names for the symbols of a theorem in a script, and its terms as real expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fltheory.kernel.language.lines import Definition, Line
from fltheory.kernel.language.terms import Term, endless

INTEGERS = ("integer", "from 0", "from 1", "unknown")
SHORT = {
    "real": "r",
    "nonnegative": "n",
    "positive": "p",
    "integer": "z",
    "from 0": "z0",
    "from 1": "z1",
    "unknown": "u",
}
KIND = {
    "Vector": "V",
    "RandomVector": "RV",
    "Fun": "F",
    "Scalar": "S",
    "Nonnegative": "N",
    "Positive": "P",
    "RandomScalar": "RS",
    "RandomInteger": "RI",
    "RandomNonnegative": "RN",
    "RandomPositive": "RP",
}
FUNCTIONS = {
    "log": "ln",
    "abs": "Rabs",
    "indicator": "indicator",
    "floor": "floor",
    "exp": "exp",
    "sin": "sin",
    "cos": "cos",
}


class Unsupported(Exception):
    """Raised for a statement or step that the scripts do not support; the text is the reason."""


class NameTable:
    """A table with one name for each symbol."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], str] = {}
        self.taken: set[str] = set()
        self.w = "w"
        self.means = 0

    def name(self, key: tuple[object, ...], like: str) -> str:
        """Return the name of a symbol, derived from its original name."""
        if key not in self.known:
            base = re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"~\d+", "", like)).strip("_") or "x"
            base = base if base[0].isalpha() else "x" + base
            found, n = base, 0
            while found in self.taken:
                n += 1
                found = f"{base}_{n}"
            self.taken.add(found)
            self.known[key] = found
        return self.known[key]

    def of(self, term: Term) -> str:
        """Return the name of a symbol or a family."""
        if term.word == "symbol":
            return self.name(("symbol", *term.args), f"{term.args[0]}_{SHORT[term.args[1]]}")
        kind, name, *at = term.args
        return self.name(("family", kind, name, len(at)), f"{name}_{KIND[kind]}{len(at) or ''}")


class Names(NameTable):
    """A printer of terms with these names, at the outcome ``w``."""

    def number(self, term: Term) -> str:
        """Return a number as text."""
        word, args = term.word, term.args
        if term.vector:
            return self.vector(term)
        if word == "number":
            p, q = int(args[0].p), int(args[0].q)
            top = str(p) if p >= 0 else f"(-{-p})"
            return top if q == 1 else f"({top} / {q})"
        if word == "symbol":
            return self.of(term)
        if word == "poly":
            return self.number(args[0])
        if word == "family":
            at = [self.number(a) for a in args[2:]] + ([self.w] if args[0].startswith("Random") else [])
            return f"({' '.join([self.of(term), *at])})" if at else self.of(term)
        if word in ("+", "*"):
            return self._folded(f" {word} ", [self.number(a) for a in args])
        if word in ("max", "min"):
            found = self.number(args[-1])
            for a in args[-2::-1]:
                found = f"(R{word} {self.number(a)} {found})"
            return found
        if word == "^":
            return self._power(*args)
        if word in FUNCTIONS:
            return f"({FUNCTIONS[word]} {self.number(args[0])})"
        if word == "binomial":
            return f"(binomial {self.number(args[0])} {self.number(args[1])})"
        if word in ("e", "pi"):
            return "(exp 1)" if word == "e" else "PI"
        if word == "dot":
            return f"(dot M {self.vector(args[0])} {self.vector(args[1])})"
        if word == "val":
            return f"({self.of(args[0])}_v {' '.join([*(self.number(a) for a in args[0].args[2:]), self.vector(args[1])])})"
        if word == "mean":
            before, self.means = self.w, self.means + 1
            self.w = f"o{self.means}"
            found = f"(mean M (fun {self.w} => {self.number(args[0])}))"
            self.w, self.means = before, self.means - 1
            return found
        if word == "sum":
            return self._sum("total", self.number, term)
        if word == "draw":
            place, size, *which = map(self.number, args)
            return f"(dr {f'(Some {which[0]})' if which else 'None'} {size} {place} {self.w})"
        raise Unsupported(f"the word {word}")

    def _folded(self, sign: str, parts: list[str]) -> str:
        found = parts[-1]
        for p in parts[-2::-1]:
            found = f"({p}{sign}{found})"
        return found

    def _power(self, base: Term, exponent: Term) -> str:
        a = self.number(base)
        if exponent.word == "number" and exponent.args[0].q == 1:
            n = int(exponent.args[0].p)
            if n in (1, -1, 0):
                return {1: a, -1: f"(/ {a})", 0: "1"}[n]
            return f"({a} ^ {n})" if n > 0 else f"((/ {a}) ^ {-n})"
        return f"(power {a} {self.number(exponent)})"

    def _sum(self, word: str, say: object, term: Term) -> str:
        body, index, low, high = term.args
        if endless(low, high):
            raise Unsupported("a sum without end")
        own = self.vector(body) if word == "vtotal" else self.number(body)
        return f"({word} {'M ' if word == 'vtotal' else ''}(fun {self.of(index)} => {own}) {self.number(low)} {self.number(high)})"

    def vector(self, term: Term) -> str:
        """Return a vector as text."""
        word, args = term.word, term.args
        if not term.vector:
            return "(vzero M)"
        if word == "family":
            at = [self.number(a) for a in args[2:]] + ([self.w] if args[0].startswith("Random") else [])
            return f"({' '.join([self.of(term), *at])})" if at else self.of(term)
        if word == "grad":
            return f"({self.of(args[0])}_g {' '.join([*(self.number(a) for a in args[0].args[2:]), self.vector(args[1])])})"
        if word == "+":
            found = self.vector(args[-1])
            for a in args[-2::-1]:
                found = f"(vadd M {self.vector(a)} {found})"
            return found
        if word == "*":
            return self._scale(list(args))
        if word == "sum":
            return self._sum("vtotal", self.vector, term)
        raise Unsupported(f"the vector {word}")

    def _scale(self, args: list[Term]) -> str:
        first, *rest = args
        if not rest:
            return self.vector(first)
        if first.vector:
            return f"(vscal M {self._folded(' * ', [self.number(a) for a in rest])} {self.vector(first)})"
        return f"(vscal M {self.number(first)} {self._scale(rest)})"

    def relation(self, own: Line) -> str:
        """Return both sides, without ranges."""
        if own.left.vector or own.right.vector:
            return f"{self.vector(own.left)} = {self.vector(own.right)}"
        return f"{self.number(own.left)} {'=' if own.op == '==' else own.op} {self.number(own.right)}"

    def ranges(self, over: Iterable[tuple[Term, Term, Term]]) -> str:
        """Return the quantifiers over integers in some ranges."""
        found = ""
        for i, low, high in over:
            v = self.of(i)
            found += f"forall {v} : R, integer {v} -> "
            found += "" if low.word == "-oo" else f"{self.number(low)} <= {v} -> "
            found += "" if high.word == "oo" else f"{v} <= {self.number(high)} -> "
        return found

    def line(self, own: Line, assuming: Iterable[Line] = ()) -> str:
        """Return a line, for every outcome."""
        under = "".join(f"({self.ranges(h.over)}{self.relation(h)}) -> " for h in assuming)
        return f"forall w : Omega M, {self.ranges(own.over)}{under}{self.relation(own)}"

    def definition(self, own: Definition) -> str:
        """Return the definition of ``left`` as ``right``."""
        at = own.left.args[2:] if own.left.word == "family" else ()
        return f"forall w : Omega M, {''.join(f'forall {self.of(s)} : R, ' for s in at)}{self.relation(Line(own.left, '==', own.right))}"
