"""The position in a script: end tactics of equations, and signs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, ZERO, Term, make, minus, number
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import UNIT, cleared, content, normal, term_of, times
from fltheory.rocq.equations.forms import Fact as Fact
from fltheory.rocq.equations.forms import Powers
from fltheory.rocq.equations.shape import collect_denominators, has_fraction, integer_value


class Place(Powers):
    """The position in a script: tactics that finish equations, and signs."""

    def equal(self, a: Term, b: Term) -> str:
        """Return a tactic for a = b, two numbers or two vectors."""
        raise NotImplementedError

    def finish(
        self, terms: Sequence[Term], rewritten: Sequence[str] = (), standing: Sequence[Term] | None = None
    ) -> str:
        """Return ``ring``, or ``field`` with proofs that the denominators are nonzero.

        ``rewritten`` equations are used there too; ``standing`` are the resulting terms.
        """
        bases: dict[Term, None] = {}
        for t in terms:
            collect_denominators(t, bases)
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
        tactics += _generalize_denominators(self, [b for b in unseen if self.say(b) not in granted])
        standing = terms if standing is None else standing
        finer, left = self._finest_roots(standing)
        tactics += self._ladders(standing) + self._exponentials(standing)
        tactics += [f"{text}; rewrite ?{q}" for q, text in finer]
        roots = self._roots(standing, left) + self._joined(standing)
        tactics += [text for _, text in roots]
        if bases:
            tactics += self._nonzero_roots(left)
        with_roots = f"[{' '.join(h for h, _ in roots)}]"
        if bases or any(map(has_fraction, terms)):
            more = f" | ring {with_roots} | field {with_roots}; nzs" if roots else ""
            if any(r.args[0].word == "symbol" for r in left):
                more = f" | {_name_roots(self, left, roots)}{more}"
            tactics.append(f"first [ ring | unfold Rdiv; ring | field; nzs{more} | e_ring ]")
        else:
            tactics.append(f"first [ ring | ring {with_roots} | e_ring ]" if roots else "closes")
        return "; ".join(tactics)

    def _factors_below(self, base: Term, granted: set[str]) -> list[str]:
        """Return the factors of a product in a denominator, all of them nonzero."""
        tactics, stack = list[str](), list(base.args) if base.word == "*" else []
        while stack:
            t = stack.pop()
            if t.word == "*":
                stack += t.args
            elif t.word == "^" and integer_value(t.args[1]) == -1:
                stack.append(t.args[0])
            elif t.word != "number" and self.say(t) not in granted and (seen := self.nonzero(t)):
                granted.add(self.say(t))
                q = self.new("NZ")
                tactics.append(f"assert ({q} : {self.say(t)} <> 0) by ({seen})")
                tactics += [f"try {own}" for own in self._bare(t, q)[0] if t.word in ("+", "poly")]
        return tactics

    def _bare(self, base: Term, q: str) -> tuple[list[str], str]:
        """Return tactics that the expanded remainder of a sum in a denominator is nonzero, and the remainder."""
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
        tactics = [f"assert ({n} : {self.say(p)} <> 0) by ({zero})"]
        for a, e in mono:
            if e > 0 and len(rest) > 1 and (seen := self.nonzero(a)) is not None:
                tactics.append(f"assert ({self.new('NZ')} : {self.say(a)} <> 0) by ({seen})")
        return tactics, self.say(p)

    def enter(self) -> str:
        """Enter an expectation, with a fresh outcome."""
        self.names.means += 1
        self._before = [*getattr(self, "_before", []), self.names.w]
        self.names.w = f"o{self.names.means}"
        return self.names.w

    def leave(self) -> None:
        """Leave the expectation."""
        self.names.means -= 1
        self.names.w = self._before.pop()

    def sign(self, term: Term, strict: bool) -> str | None:
        """Return a tactic for 0 <= term, or 0 < term."""
        raise NotImplementedError

    def nonzero(self, term: Term) -> str | None:
        """Return a tactic for term <> 0."""
        raise NotImplementedError

    def at_most(self, a: Term, b: Term) -> str:
        """Return a tactic for a <= b."""
        found = self.sign(minus(b, a), False)
        return (found if a is ZERO else f"apply Rminus_le_0; {found}") if found else "lra"

    def less(self, a: Term, b: Term) -> str:
        """Return a tactic for a < b."""
        found = self.sign(minus(b, a), True)
        return (found if a is ZERO else f"apply Rminus_lt_0; {found}") if found else "lra"

    @contextmanager
    def with_index(self, i: Term, low: Term, high: Term) -> Iterator[str]:
        """Enter the body of a sum: return the tactic that introduces its index with its range."""
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


def _move_sign(at: Place, base: Term, turned: Term) -> str:
    """Rewrite 1 / -a = -1 / a, for every a."""
    other = make("*", MINUS, turned)
    same = f"transitivity ({at.say(other)}); [ ring | {at.equal(other, base)} ]"
    return f"replace (/ {at.say(base)}) with (- / {at.say(turned)}) by (rewrite <- Rinv_opp; f_equal; {same})"


def _name_roots(at: Place, left: Sequence[Term], roots: Sequence[tuple[str, str]]) -> str:
    """Return the end tactic after replacing each root by a symbol, and a symbol by the power of its root."""
    own = [r for r in left if r.args[1].args[0].p == 1]
    alone = {at.say(r.args[0]) for r in own if r.args[0].word == "symbol"}
    rest = " ".join(h for h, text in roots if not any(f" = {x})" in text for x in alone))
    more = f" | field [{rest}]; nzs" if rest else ""
    return f"root_letters; first [ field; nzs{more} ]"


def _generalize_denominators(at: Place, bases: Sequence[Term]) -> list[str]:
    """Replace denominators not known to be nonzero by symbols: one for those equal up to sign."""
    tactics, named = list[str](), dict[str, Term]()
    for base in bases:
        turned = named.get(at.say(at.plain(make("*", MINUS, base))))
        if turned is not None:
            tactics.append(_move_sign(at, base, turned))
            continue
        other = named.setdefault(at.say(at.plain(base)), base)
        if other is not base:
            tactics.append(f"replace ({at.say(base)}) with ({at.say(other)}) by ({at.equal(other, base)})")
    return [*tactics, *(f"generalize (/ {at.say(b)}); intro" for b in named.values())]
