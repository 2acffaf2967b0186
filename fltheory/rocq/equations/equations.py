"""Tactics that prove two terms equal: special parts in the kernel's normal form, then ``ring`` or ``field``."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.kernel.language.terms import MINUS, Term, make, minus, parts
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import normal, term_of, vanishes
from fltheory.rocq.equations.shape import first_of, replace_specials, specials
from fltheory.rocq.equations.sums import Means
from fltheory.rocq.names import Unsupported


class Equations(Means):
    """Equations between numbers, by structure."""

    def equal(self, a: Term, b: Term) -> str:
        """Return a tactic for a = b, two numbers or two vectors."""
        if a.vector or b.vector:
            return self.equal_vectors(a, b)
        if self.say(a) == self.say(b):
            return "reflexivity"
        self.depth += 1
        if self.depth > 40:
            raise Unsupported("terms within terms too deep")
        try:
            return self._equal(a, b)
        finally:
            self.depth -= 1

    def _equal(self, a: Term, b: Term) -> str:
        own: dict[Term, None] = {}
        specials(a, own)
        specials(b, own)
        ladders = {self.say(base) for (base, _), rungs in self._rungs([a, b]).items() if len(rungs) > 1}
        left = [s for s in own if not any(p.word == "^" and self.say(p.args[0]) in ladders for p in parts(s))]
        ways = [self._by_parts(a, b, own), *([self._by_parts(a, b, left)] if len(left) < len(own) else [])]
        return first_of(ways)

    def _by_parts(self, a: Term, b: Term, own: Iterable[Term]) -> str:
        """Prove the equation after bringing special parts to normal form."""
        tactics, new, later = list[str](), dict[Term, Term](), list[tuple[int, str]]()
        for s in own:
            found = self.special(s)
            if found is not None:
                plain, tactic = found
                new[s] = plain
                q = self.new("Q")
                tactics.append(f"assert ({q} : {self.say(s)} = {self.say(plain)}) by ({tactic})")
                later.append((-len(self.say(s)), q))
        rewritten = [q for _, q in sorted(later)]
        tactics += [f"rewrite ?{q}" for q in rewritten]
        tactics.append(self.finish([a, b, *new.values()], rewritten, [replace_specials(t, new) for t in (a, b)]))
        return "; ".join(tactics)

    def special(self, s: Term) -> tuple[Term, str] | None:
        """Return the normal form of a special part with a tactic, or None if it is in normal form."""
        plain = self.plain(s)
        if self.say(s) == self.say(plain):
            return None
        how = {
            "family": self._arguments,
            "val": self._arguments,
            "dot": self._dot,
            "sum": self._sum,
            "mean": self._mean,
            "^": self._power,
            "exp": self._exp,
            "draw": self._arguments,
            "abs": self._absolute,
            "max": self._lattice,
            "min": self._lattice,
            "indicator": self._arguments,
            "floor": self._floor,
            "log": self._log,
            "e": self._exp,
            "sin": self._arguments,
            "cos": self._arguments,
            "binomial": self._arguments,
        }.get(s.word)
        if how is None:
            raise Unsupported(f"the normal form of {s.word}")
        return plain, how(s, plain)

    def _power(self, s: Term, plain: Term) -> str:
        raise NotImplementedError

    def _exp(self, s: Term, plain: Term) -> str:
        raise NotImplementedError

    def _absolute(self, s: Term, plain: Term) -> str:
        atoms = [p for p in parts(plain) if p.word == "abs"]
        if len(atoms) == 1 and (found := self._of_product(s, plain, atoms[0])):
            return found
        sign = self.sign(s.args[0], False)
        if sign is not None:
            return f"rewrite Rabs_right by (apply Rle_ge; {sign}); {self.equal(s.args[0], plain)}"
        q = make("*", MINUS, s.args[0])
        down = self.sign(q, False)
        if down is not None:
            turned = f"replace (- {self.say(s.args[0])}) with ({self.say(q)}) by ring"
            return f"transitivity ({self.say(q)}); [ rewrite Rabs_left1; [ ring | apply Ropp_le_cancel; rewrite Ropp_0; {turned}; {down} ] | {self.equal(q, plain)} ]"
        inner = self.plain(s.args[0])
        return self.inside([(s.args[0], inner)], "first [ reflexivity | rewrite Rabs_Ropp; reflexivity | lattice ]")

    def _of_product(self, s: Term, plain: Term, atom: Term) -> str:
        """Rewrite |c a| = c |a| for a nonnegative factor c, or |-c a|; return None for other forms."""
        factor = term_of({tuple(x for x in m if x[0] is not atom): c for m, c in normal(plain).items()})
        seen = self.sign(factor, False)
        if not seen:
            return ""
        for other in (make("*", factor, atom.args[0]), make("*", MINUS, factor, atom.args[0])):
            with noted():
                same = vanishes(self.form(minus(s.args[0], other)))
            if not same:
                continue
            product = make("*", factor, atom.args[0])
            mine = s.args[0] if other is product else make("*", MINUS, s.args[0])
            turned = f"rewrite <- Rabs_Ropp; replace (- {self.say(s.args[0])}) with ({self.say(mine)}) by ring; "
            return (
                f"{'' if other is product else turned}transitivity (Rabs {self.say(product)}); "
                f"[ f_equal; {self.equal(mine, product)} | rewrite Rabs_mult; "
                f"rewrite (Rabs_right {self.say(factor)}) by (apply Rle_ge; {seen}); ring_or_field ]"
            )
        return ""

    def _lattice(self, s: Term, plain: Term) -> str:
        inner = [(a, self.plain(a)) for a in s.args]
        return self.inside(inner, f"first [ reflexivity | {_in_another_order(s.word)} | lattice ]")

    def _floor(self, s: Term, plain: Term) -> str:
        return self.inside([(a, self.plain(a)) for a in s.args], "floors")

    def _log(self, s: Term, plain: Term) -> str:
        raise NotImplementedError


def _in_another_order(word: str) -> str:
    """Return a tactic for two maxima (minima) of the same numbers: each side bounds every entry of the other."""
    below = word == "max"
    bound, side = ("Rmax_lub", "|- _ <= Rmax _ _") if below else ("Rmin_glb", "|- Rmin _ _ <= _")
    ways = (
        f"eapply Rle_trans; [ | apply R{word}_{e} ]; up" if below else f"eapply Rle_trans; [ apply R{word}_{e} | ]; up"
        for e in "lr"
    )
    up = (
        f"let rec up := first [ apply Rle_refl | lazymatch goal with {side} => first [ {' | '.join(ways)} ] end ] in up"
    )
    return f"solve [ apply Rle_antisym; repeat apply {bound}; {up} ]"
