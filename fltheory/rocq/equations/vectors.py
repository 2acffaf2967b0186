"""Equations between vectors and inner products."""

from __future__ import annotations

from collections.abc import Sequence

from fltheory.kernel.language.terms import ONE, ZERO, Term, fresh, make, put
from fltheory.rocq.equations.place import Place


class Vectors(Place):
    """Vectors are equal if their inner products with all vectors are."""

    def inside(self, pairs: Sequence[tuple[Term, Term]], last: str = "reflexivity") -> str:
        """Rewrite each argument to its new form, then run ``last``."""
        tactics, later = [], []
        for a, b in pairs:
            if self.names.number(a) == self.names.number(b):
                continue
            q = self.new("Q")
            tactics.append(f"assert ({q} : {self.names.number(a)} = {self.names.number(b)}) by ({self.equal(a, b)})")
            later.append((-len(self.names.number(a)), f"rewrite ?{q}"))
        return "; ".join([*tactics, *(text for _, text in sorted(later)), last])

    def _arguments(self, s: Term, plain: Term) -> str:
        args = [a for a in s.args if isinstance(a, Term)]
        if s.word == "val":
            args = [*args[0].args[2:], args[1]]
        return self.inside([(a, self.plain(a)) for a in args])

    def equal_vectors(self, a: Term, b: Term) -> str:
        """Prove u = v by <u, z> = <v, z> for all z."""
        if self.names.vector(a) == self.names.vector(b):
            return "reflexivity"
        if a.word == b.word and a.word in ("family", "grad"):
            return self._same_atom(a, b)
        z = make("family", "Vector", f"z{next(self.count)}")
        name = self.names.of(z)
        left, right = (make("dot", t, z) for t in (a, b))
        return f"apply vext; intro {name}; {self.equal(left, right)}"

    def _same_atom(self, a: Term, b: Term) -> str:
        one, two = ((t.args[0].args[2:] + t.args[1:]) if t.word == "grad" else t.args[2:] for t in (a, b))
        return self.inside(list(zip(one, two, strict=True)))

    def _pieces(self, u: Term) -> list[tuple[Term, Term]]:
        """Return a vector as (coefficient, atom) pairs, as it is written."""
        if not u.vector:
            return []
        if u.word == "+":
            return [p for a in u.args for p in self._pieces(a)]
        if u.word == "*":
            if any(a is ZERO for a in u.args):
                return [(ZERO, make("family", "Vector", "nothing"))][:0]
            (v,) = [a for a in u.args if a.vector]
            rest = [a for a in u.args if a is not v]
            return [(make("*", *rest, c) if rest else c, w) for c, w in self._pieces(v)]
        return [(ONE, u)]

    def _dot(self, s: Term, plain: Term) -> str:
        u, v = s.args
        one, two = self._pieces(u), self._pieces(v)
        if len(one) == len(two) == 1 and one[0][1] is u and two[0][1] is v:
            return self._dot_atoms(u, v)
        pairs = [make("*", c, d, make("dot", x, y)) for c, x in one for d, y in two]
        whole_sum = make("+", *pairs) if len(pairs) > 1 else pairs[0] if pairs else ZERO
        q = self.new("Q")
        return (
            f"assert ({q} : {self.say(s)} = {self.say(whole_sum)}) by (rewrite ?dot_add, ?dot_add', ?dot_scal, ?dot_scal', "
            f"?dot_add, ?dot_add', ?dot_0, ?dot_0'; dots; ring); rewrite {q}; clear {q}; {self.equal(whole_sum, plain)}"
        )

    def _dot_atoms(self, u: Term, v: Term) -> str:
        """Return <u, v> of two atoms: each in normal form, sums expanded, in canonical order."""
        if u.word == "sum" or v.word == "sum":
            first, second, lemma = (u, v, "dot_vtotal") if u.word == "sum" else (v, u, "dot_vtotal'")
            body, i, low, high = first.args
            if i in second.free:
                new = fresh(i)
                body, i = put(body, {i: new}), new
            inner = make("dot", body, second) if u.word == "sum" else make("dot", second, body)
            own = make("sum", inner, i, low, high)
            return f"rewrite {lemma}; cbv beta; {self.equal(own, self.plain(own))}"
        a, b = self._atom(u), self._atom(v)
        pairs = [(x, y) for x, y in ((u, a), (v, b))]
        swapped = a is not b and make("dot", *sorted((a, b))) is not make("dot", a, b)
        end = "apply dot_comm" if swapped else "reflexivity"
        if len(self._pieces(a)) != 1 or self._pieces(a)[0][1] is not a or len(self._pieces(b)) != 1:
            end = "dots; ring"
        return self.inside(pairs, end)

    def _atom(self, u: Term) -> Term:
        return self.vector_plain(u)
