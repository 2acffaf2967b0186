"""Normal forms at one position of a script, and powers of one number reduced to one of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from fltheory.kernel.context import Context, unmet
from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, E, Term, Wrong, make, number, whole
from fltheory.kernel.needs import noted, powers_closed
from fltheory.kernel.normal import Mono, Normal, linear, normal, term_of, vector_of
from fltheory.rocq.equations.shape import is_root, open_parts
from fltheory.rocq.names import Names

Rest = tuple[tuple[Mono, fmpq], ...]


@dataclass(frozen=True)
class Fact:
    """A hypothesis of the script that is a line without ranges; ``proof`` is its term."""

    proof: str
    line: Line
    form: Normal


class Forms:
    """Normal forms at one position of a script, with its names, its facts, and a counter of fresh names."""

    def __init__(self, names: Names, grounds: tuple[Context, Context] | None = None) -> None:
        self.names, self.grounds = names, grounds
        self.facts: list[Fact] = []
        self.count = itertools.count()
        self.depth = 0

    def new(self, like: str) -> str:
        """Return a fresh name for a hypothesis."""
        return f"{like}{next(self.count)}"

    def say(self, term: Term) -> str:
        """Return a number as text."""
        return self.names.number(term)

    def form(self, term: Term) -> Normal:
        """Return the kernel's normal form if its conditions are granted; else one with unexpanded powers."""
        with noted() as needs:
            found = normal(term)
        if not needs or self._granted(needs):
            return found
        with powers_closed(), noted() as needs:
            return normal(term)

    def _granted(self, needs: object) -> bool:
        if self.grounds is None:
            return False
        try:
            return all(unmet((n,), self.grounds[n.averaged]) is None for n in needs)  # type: ignore[attr-defined]
        except Wrong:
            return False

    def plain(self, term: Term) -> Term:
        """Return the normal form as a term."""
        return self.vector_plain(term) if term.vector else term_of(self.form(term))

    def vector_plain(self, term: Term) -> Term:
        """Return the vector as a combination of atomic vectors."""
        return vector_of(linear(term))

    def sign(self, term: Term, strict: bool) -> str | None:
        """Return a tactic for 0 <= term, or 0 < term."""
        raise NotImplementedError

    def nonzero(self, term: Term) -> str | None:
        """Return a tactic for term <> 0."""
        raise NotImplementedError


class Powers(Forms):
    """Powers of one base, reduced to one of them."""

    def _ladders(self, terms: Sequence[Term]) -> list[str]:
        """Rewrite powers of a nonzero base with integer exponent differences as multiples of the lowest."""
        tactics = []
        for (base, _), own in self._rungs(terms).items():
            if len(own) < 2 or base is E:
                continue
            low, above = min(own), self.sign(base, True)
            seen = None if above else self.sign(own[low].args[1], False)
            if not (above or seen):
                continue
            how = f"apply power_up_pos; [ {above} |" if above else f"apply power_up; [ int | {seen} |"
            for c, p in sorted(own.items())[1:]:
                q, b = self.new("Q"), self.say(base)
                tactics.append(
                    f"assert ({q} : {self.say(p)} = {self.say(own[low])} * {b} ^ {c - low}) by ({how} simpl; ring_or_field ])"
                )
                tactics.append(f"rewrite ?{q}")
        return tactics

    def _rungs(self, terms: Sequence[Term]) -> dict[tuple[Term, Rest], dict[int, Term]]:
        """Return the powers by base and non-numeric part of the exponent, then by number."""
        found: dict[tuple[Term, Rest], dict[int, Term]] = {}
        bases: dict[str, Term] = {}  # equal texts are one term
        for p in dict.fromkeys(p for t in terms for p in open_parts(t) if p.word == "^" and p.args[1].word != "number"):
            with noted():
                form = dict(normal(p.args[1]))
            c = form.pop((), fmpq(0))
            if c.q == 1 and form:
                base = bases.setdefault(self.say(p.args[0]), p.args[0])
                found.setdefault((base, tuple(sorted(form.items()))), {})[int(c.p)] = p
        return found

    def _joined(self, terms: Sequence[Term]) -> list[tuple[str, str]]:
        """Return named equations b^x b^y = b^z b^k of the present powers, for x + y = z + k."""
        lowest: dict[Term, list[Term]] = {}
        for (base, _), rungs in self._rungs(terms).items():
            if base is not E:
                lowest.setdefault(base, []).append(rungs[min(rungs)])
        found = []
        for base, powers in lowest.items():
            for one, two in itertools.combinations_with_replacement(powers, 2):
                for three in powers:
                    own = self._joins(base, (one, two, three))
                    found += [own] if own else []
        return found

    def _joins(self, base: Term, powers: tuple[Term, Term, Term]) -> tuple[str, str] | None:
        one, two, three = powers
        x, y, z = (p.args[1] for p in powers)
        with noted():
            above = normal(make("+", x, y, make("*", MINUS, z)))
        k = above.get((), fmpq(0))
        if not set(above) <= {()} or k.q != 1 or k < 0:
            return None
        positive = self.sign(base, True)
        seen = [] if positive else [self.sign(e, False) for e in (x, y, z)]
        if None in seen or not (positive or all(map(whole, (x, y, z)))):
            return None
        h, b = self.new("hj"), self.say(base)
        split = f"symmetry; apply power_plus; {positive}"
        up = f"apply power_up_pos; [ {positive} | simpl; ring_or_field ]"
        if not positive:
            split = f"symmetry; apply power_plus_int; [ int | int | {seen[0]} | {seen[1]} ]"
            up = f"apply power_up; [ int | {seen[2]} | simpl; ring_or_field ]"
        said = f"{self.say(one)} * {self.say(two)} = {self.say(three)} * {b} ^ {int(k.p)}"
        how = f"transitivity (power {b} ({self.say(x)} + {self.say(y)})); [ {split} | {up} ]"
        return h, f"assert ({h} : {said}) by ({how})"

    def _exponentials(self, terms: Sequence[Term]) -> list[str]:
        """Rewrite powers of e with commensurable exponents as powers of one of them."""
        found: dict[Mono, dict[fmpq, Term]] = {}
        for p in dict.fromkeys(p for t in terms for p in open_parts(t) if p.word == "^" and p.args[0] is E):
            with noted():
                form = normal(p.args[1])
            if len(form) == 1:
                (mono, c), *_ = form.items()
                found.setdefault(mono, {})[c] = p
        tactics = []
        for mono, own in found.items():
            if len(own) < 2 or not mono:
                continue
            under = math.lcm(*(int(c.q) for c in own))
            step = fmpq(math.gcd(*(int(c.p) * under // int(c.q) for c in own)), under)
            low = self.say(make("^", E, term_of({mono: step})))
            for c, p in own.items():
                k = int((c / step).p)
                if k == 1 and self.say(p) == low:
                    continue
                q = self.new("Q")
                value = f"{low} ^ {k}" if k > 0 else f"(/ {low}) ^ {-k}"
                tactics += [f"assert ({q} : {self.say(p)} = {value}) by exps", f"rewrite ?{q}"]
        return tactics

    def _finest_roots(self, terms: Sequence[Term]) -> tuple[list[tuple[str, str]], list[Term]]:
        """Return equations for roots of one number as powers of one root, with tactics, and the remaining roots."""
        found: dict[Term, dict[fmpq, Term]] = {}
        for r in dict.fromkeys(p for t in terms for p in open_parts(t) if is_root(p)):
            found.setdefault(r.args[0], {})[r.args[1].args[0]] = r
        equations, left = list[tuple[str, str]](), list[Term]()
        for base, own in found.items():
            seen = self.sign(base, False) if len(own) > 1 else None
            if seen is None:
                left += own.values()
                continue
            step = fmpq(1, math.lcm(*(int(e.q) for e in own)))
            left += [make("^", base, number(step)), *(r for e, r in own.items() if e < 0)]
            equations += [self._stepped(r, step, seen) for e, r in own.items() if e > 0 and e != step]
        return equations, left

    def _stepped(self, root: Term, step: fmpq, seen: str) -> tuple[str, str]:
        """Return a name and tactic for b^(k s) = (b^s)^k, for s = 1/n and b >= 0."""
        base, e = root.args[0], root.args[1].args[0]
        h, q, k, n = self.new("hr"), self.new("Q"), int((e / step).p), int(step.q)
        low = self.say(make("^", base, number(step)))
        signs = f"{seen} | apply pow_le; apply power_nonneg; {seen}"
        power = f"apply (power_char _ _ _ {int(e.p)} {int(e.q)}); [ lia | lia | {signs} | simpl; lra | ring [{h}] ]"
        whole = f"assert ({h} : {low} ^ {n} = {self.say(base)}) by (apply root_to; [ {seen} | lia | simpl; lra ])"
        return q, f"assert ({q} : {self.say(root)} = {low} ^ {k}) by ({whole}; {power})"

    def _nonzero_roots(self, roots: Sequence[Term]) -> list[str]:
        """Return roots that may occur in denominators."""
        return [
            f"assert ({self.new('NZ')} : {self.say(r)} <> 0) by ({seen})" for r in roots if (seen := self.nonzero(r))
        ]

    def _roots(self, terms: Sequence[Term], roots: Sequence[Term]) -> list[tuple[str, str]]:
        """Rewrite powers of roots and absolute values."""
        found = []
        for r in (r for r in roots if r.args[1].args[0].p == 1):
            seen = self.sign(r.args[0], False)
            if seen:
                h, q = self.new("hr"), int(r.args[1].args[0].q)
                found.append(
                    (
                        h,
                        f"assert ({h} : {self.say(r)} ^ {q} = {self.say(r.args[0])}) by (apply root_to; [ {seen} | lia | simpl; lra ])",
                    )
                )
        for r in dict.fromkeys(p for t in terms for p in open_parts(t) if p.word == "abs"):
            h, b = self.new("hr"), self.say(r.args[0])
            found.append((h, f"assert ({h} : {self.say(r)} ^ 2 = {b} ^ 2) by (symmetry; apply pow2_abs_)"))
        return found
