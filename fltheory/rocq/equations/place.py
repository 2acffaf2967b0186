"""Where a script stands: what is known there, normal forms, and what an equation ends with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from flint import fmpq

from fltheory.kernel.context import Context, unmet
from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, ZERO, E, Term, Wrong, make, minus, number
from fltheory.kernel.needs import noted, powers_closed
from fltheory.kernel.normal import UNIT, Mono, Normal, cleared, content, linear, normal, term_of, times, vector_of
from fltheory.rocq.equations.shape import below, is_root, literal, open_parts, rational
from fltheory.rocq.names import Names


@dataclass(frozen=True)
class Fact:
    """A hypothesis of the script that is a line without ranges: ``proof`` is its term."""

    proof: str
    line: Line
    form: Normal


class Forms:
    """Normal forms in one place of a script: with the names there, what is known, and a count of fresh names."""

    def __init__(self, names: Names, grounds: tuple[Context, Context] | None = None) -> None:
        self.names, self.grounds = names, grounds
        self.facts: list[Fact] = []
        self.count = itertools.count()
        self.depth = 0

    def new(self, like: str) -> str:
        """A fresh name for a hypothesis."""
        return f"{like}{next(self.count)}"

    def say(self, term: Term) -> str:
        """A number as it is printed."""
        return self.names.number(term)

    def form(self, term: Term) -> Normal:
        """The kernel's normal form, if what it supposes is granted; else with powers that stay whole."""
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
        """The term of the normal form."""
        return self.vector_plain(term) if term.vector else term_of(self.form(term))

    def vector_plain(self, term: Term) -> Term:
        """The combination of atomic vectors."""
        return vector_of(linear(term))


class Place(Forms):
    """What an equation ends with, and signs."""

    def equal(self, a: Term, b: Term) -> str:
        """A tactic for a = b, two numbers or two vectors."""
        raise NotImplementedError

    def finish(self, terms: Sequence[Term], rewritten: Sequence[str] = ()) -> str:
        """``ring``, or ``field`` with what is divided by seen not to vanish; ``rewritten`` equations are used there too."""
        bases: dict[Term, None] = {}
        for t in terms:
            below(t, bases)
        tactics, unseen, granted = list[str](), list[Term](), set[str]()
        for base in bases:
            if base.word == "number" or self.say(base) in granted:
                continue
            seen = self.nonzero(base)
            if seen is not None:
                q = self.new("NZ")
                tactics.append(f"assert ({q} : {self.say(base)} <> 0) by ({seen})")
                tactics += self._factors_below(base, granted)
                bare, own = self._bare(base, q)
                granted |= {self.say(base), own}
                tactics += bare
                tactics += [f"rewrite ?{e} in {q}" for e in rewritten]
            else:
                unseen.append(base)
        tactics += self._generalized([b for b in unseen if self.say(b) not in granted])
        tactics += self._ladders(terms) + self._exponentials(terms) + self._finest_roots(terms)
        roots = self._roots(terms)
        tactics += [text for _, text in roots]
        if bases:
            tactics += self._nonzero_roots(terms)
        with_roots = f"[{' '.join(h for h, _ in roots)}]"
        if bases or any(map(rational, terms)):
            more = f" | ring {with_roots} | field {with_roots}; nzs" if roots else ""
            tactics.append(f"first [ ring | unfold Rdiv; ring | field; nzs{more} | e_ring ]")
        else:
            tactics.append(f"first [ ring | ring {with_roots} | e_ring ]" if roots else "closes")
        return "; ".join(tactics)

    def _factors_below(self, base: Term, granted: set[str]) -> list[str]:
        """The factors of a product below the line, none of which vanishes."""
        tactics, stack = list[str](), list(base.args) if base.word == "*" else []
        while stack:
            t = stack.pop()
            if t.word == "*":
                stack += t.args
            elif t.word == "^" and literal(t.args[1]) == -1:
                stack.append(t.args[0])
            elif t.word != "number" and self.say(t) not in granted and (seen := self.nonzero(t)):
                granted.add(self.say(t))
                tactics.append(f"assert ({self.new('NZ')} : {self.say(t)} <> 0) by ({seen})")
        return tactics

    def _generalized(self, bases: Sequence[Term]) -> list[str]:
        """What is divided by and not seen to differ from 0, as letters: one for those that are the same."""
        tactics, named = list[str](), dict[str, Term]()
        for base in bases:
            other = named.setdefault(self.say(self.plain(base)), base)
            if other is not base:
                tactics.append(f"replace ({self.say(base)}) with ({self.say(other)}) by ({self.equal(other, base)})")
        return [*tactics, *(f"generalize (/ {self.say(b)}); intro" for b in named.values())]

    def _ladders(self, terms: Sequence[Term]) -> list[str]:
        """Powers of one base whose exponents differ by integers, as multiples of the lowest, which needs no base but 0."""
        found: dict[tuple[Term, tuple[object, ...]], dict[int, Term]] = {}
        for p in dict.fromkeys(p for t in terms for p in open_parts(t) if p.word == "^" and p.args[1].word != "number"):
            with noted():
                form = dict(normal(p.args[1]))
            c = form.pop((), fmpq(0))
            if c.q == 1 and form:
                found.setdefault((p.args[0], tuple(sorted(form.items()))), {})[int(c.p)] = p
        tactics = []
        for (base, _), own in found.items():
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

    def _finest_roots(self, terms: Sequence[Term]) -> list[str]:
        """Roots of one positive number as powers of one root."""
        found: dict[Term, dict[fmpq, Term]] = {}
        for r in dict.fromkeys(p for t in terms for p in open_parts(t) if is_root(p)):
            found.setdefault(r.args[0], {})[r.args[1].args[0]] = r
        tactics = []
        for base, own in found.items():
            above = self.sign(base, True) if len(own) > 1 and base.word != "number" else None
            if above is None:
                continue
            step = fmpq(1, math.lcm(*(int(e.q) for e in own)))
            low = self.say(make("^", base, number(step)))
            for e, r in own.items():
                k = int((e / step).p)
                if self.say(r) != low and k > 0:
                    q = self.new("Q")
                    how = f"as_exp ({self.say(base)}) ltac:({above}); exps"
                    tactics += [f"assert ({q} : {self.say(r)} = {low} ^ {k}) by ({how})", f"rewrite ?{q}"]
        return tactics

    def _nonzero_roots(self, terms: Sequence[Term]) -> list[str]:
        """Roots that may stand below the line."""
        roots = dict.fromkeys(p for t in terms for p in open_parts(t) if is_root(p))
        return [
            f"assert ({self.new('NZ')} : {self.say(r)} <> 0) by ({seen})" for r in roots if (seen := self.nonzero(r))
        ]

    def _exponentials(self, terms: Sequence[Term]) -> list[str]:
        """Powers of e whose exponents are multiples of one another, as powers of one of them."""
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

    def _roots(self, terms: Sequence[Term]) -> list[tuple[str, str]]:
        """What the roots that stand in terms are to their powers."""
        found = []
        for r in dict.fromkeys(p for t in terms for p in open_parts(t) if is_root(p) and p.args[1].args[0].p == 1):
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

    def _bare(self, base: Term, q: str) -> tuple[list[str], str]:
        """What is left of a sum below the line once it is multiplied out does not vanish either: tactics, and what that is."""
        with noted():
            top, under = cleared(self.form(base))
            if len(top) < 2:
                return [], ""
            c, mono, rest = content(top)
            if not mono and under == UNIT and len(rest) > 1 and base.word in ("+", "poly"):
                return [], ""
            p = term_of(rest)
            back = normal(make("^", term_of(under), MINUS)) if under != UNIT else UNIT
            factor = term_of(times({mono: c}, back))
        product = make("*", factor, p)
        n, d = self.new("NZ"), self.new("NC")
        zero = f"intro {d}; apply {q}; transitivity {self.say(product)}; [ {self.equal(base, product)} | rewrite {d}; ring ]"
        return [f"assert ({n} : {self.say(p)} <> 0) by ({zero})"], self.say(p)

    def enter(self) -> str:
        """Under an expectation: its own outcome."""
        self.names.means += 1
        self._before = [*getattr(self, "_before", []), self.names.w]
        self.names.w = f"o{self.names.means}"
        return self.names.w

    def leave(self) -> None:
        """Out of it."""
        self.names.means -= 1
        self.names.w = self._before.pop()

    def sign(self, term: Term, strict: bool) -> str | None:
        """A tactic for 0 <= term, or 0 < term."""
        from fltheory.rocq.equations.signs import sign

        return sign(self, term, strict)

    def nonzero(self, term: Term) -> str | None:
        """A tactic for term <> 0."""
        from fltheory.rocq.equations.signs import nonzero

        return nonzero(self, term)

    def at_most(self, a: Term, b: Term) -> str:
        """A tactic for a <= b."""
        found = self.sign(minus(b, a), False)
        return (found if a is ZERO else f"apply Rminus_le_0; {found}") if found else "lra"

    def less(self, a: Term, b: Term) -> str:
        """A tactic for a < b."""
        found = self.sign(minus(b, a), True)
        return (found if a is ZERO else f"apply Rminus_lt_0; {found}") if found else "lra"

    @contextmanager
    def ranging(self, i: Term, low: Term, high: Term) -> Iterator[str]:
        """Inside the body of a sum: gives what introduces its index, of which its range is known."""
        v, a, b, c = self.names.of(i), self.new("I"), self.new("L"), self.new("L")
        kept = list(self.facts)
        intro = f"intros {v} {a} {b} {c}; cbv beta"
        for proof, left, right in ((b, low, i), (c, i, high)):
            own = Line(left, "<=", right)
            with noted():
                self.facts.append(Fact(proof, own, normal(own.gap)))
        if i.args[1] in ("from 0", "from 1"):
            first = "0" if i.args[1] == "from 0" else "1"
            at_least = self.at_most(number(int(first)), low)
            intro += f"; assert (G_{v} : {first} <= {v}) by (apply (Rle_trans _ {self.say(low)}); [ {at_least} | exact {b} ])"
        try:
            yield intro
        finally:
            self.facts = kept
