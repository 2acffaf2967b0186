"""Tactics that prove two terms equal: each special part is brought to the kernel's normal form, the rest is ``ring`` or ``field``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fltheory.kernel.context import Context, unmet
from fltheory.kernel.needs import noted, powers_closed
from fltheory.kernel.normal import (
    UNIT,
    Normal,
    _ends,
    _factors_of,
    _product,
    _reordered,
    _without,
    cleared,
    content,
    linear,
    normal,
    opened,
    term_of,
    times,
    vector_of,
)
from fltheory.recheck.context import Line
from fltheory.recheck.terms import (
    MINUS,
    ONE,
    ZERO,
    Term,
    Wrong,
    fresh,
    insert,
    make,
    minus,
    number,
    parts,
    put,
    symbol,
)
from fltheory.rocq.names import Names, Outside
from fltheory.rocq.shape import below, is_power, is_root, open_parts, rational, specials


@dataclass(frozen=True)
class Fact:
    """A hypothesis of the script that is a line without ranges: ``proof`` is its term."""

    proof: str
    line: Line
    form: Normal


class Equations:
    """Equations in one place of a script: with the names there, what is known, and a count of fresh names."""

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

    # ---- normal forms ----

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

    # ---- equality ----

    def equal(self, a: Term, b: Term) -> str:
        """A tactic for a = b, two numbers or two vectors."""
        if a.vector or b.vector:
            return self.equal_vectors(a, b)
        if self.say(a) == self.say(b):
            return "reflexivity"
        self.depth += 1
        if self.depth > 40:
            raise Outside("terms within terms too deep")
        try:
            return self._equal(a, b)
        finally:
            self.depth -= 1

    def _equal(self, a: Term, b: Term) -> str:
        own: dict[Term, None] = {}
        specials(a, own)
        specials(b, own)
        tactics, new, later = [], {}, []
        for s in own:
            found = self.special(s)
            if found is not None:
                plain, tactic = found
                new[s] = plain
                q = self.new("Q")
                tactics.append(f"assert ({q} : {self.say(s)} = {self.say(plain)}) by ({tactic})")
                later.append((-len(self.say(s)), f"rewrite ?{q}"))
        tactics += [text for _, text in sorted(later)]
        mine = [t for s in (a, b, *new.values()) for t in (s,)]
        tactics.append(self.finish(mine))
        return "; ".join(tactics)

    def finish(self, terms: Sequence[Term]) -> str:
        """``ring``, or ``field`` with what is divided by seen not to vanish."""
        bases: dict[Term, None] = {}
        for t in terms:
            below(t, bases)
        tactics = []
        for base in bases:
            if base.word == "number":
                continue
            seen = self.nonzero(base)
            if seen is not None:
                q = self.new("NZ")
                tactics.append(f"assert ({q} : {self.say(base)} <> 0) by ({seen})")
                tactics += self._bare(base, q)
            else:
                tactics.append(f"generalize (/ {self.say(base)}); intro")
        roots = self._roots(terms)
        tactics += [text for _, text in roots]
        with_roots = f"[{' '.join(h for h, _ in roots)}]"
        if bases or any(map(rational, terms)):
            more = f" | ring {with_roots} | field {with_roots}; nzs" if roots else ""
            tactics.append(f"first [ ring | field; nzs{more} ]")
        else:
            tactics.append(f"first [ ring | ring {with_roots} ]" if roots else "ring")
        return "; ".join(tactics)

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

    def _bare(self, base: Term, q: str) -> list[str]:
        """What is left of a sum below the line once it is multiplied out does not vanish either."""
        with noted():
            top, under = cleared(self.form(base))
            if len(top) < 2:
                return []
            c, mono, rest = content(top)
            if not mono and under == UNIT and len(rest) > 1 and base.word in ("+", "poly"):
                return []
            p = term_of(rest)
            back = normal(make("^", term_of(under), MINUS)) if under != UNIT else UNIT
            factor = term_of(times({mono: c}, back))
        product = make("*", factor, p)
        n, d = self.new("NZ"), self.new("NC")
        return [
            f"assert ({n} : {self.say(p)} <> 0) by (intro {d}; apply {q}; transitivity {self.say(product)}; [ {self.equal(base, product)} | rewrite {d}; ring ])"
        ]

    def special(self, s: Term) -> tuple[Term, str] | None:
        """The normal form of a special part and a tactic that shows it; nothing where it is in normal form."""
        plain = self.plain(s)
        if self.say(s) == self.say(plain):
            return None
        how = {
            "family": self._arguments, "val": self._arguments, "dot": self._dot, "sum": self._sum, "mean": self._mean,
            "^": self._power, "exp": self._exp, "draw": self._arguments, "abs": self._absolute, "max": self._lattice,
            "min": self._lattice, "indicator": self._arguments, "floor": self._floor, "log": self._log, "e": self._exp,
            "sin": self._arguments, "cos": self._arguments, "binomial": self._arguments,
        }.get(s.word)  # fmt: skip
        if how is None:
            raise Outside(f"the normal form of {s.word}")
        return plain, how(s, plain)

    def inside(self, pairs: Sequence[tuple[Term, Term]], last: str = "reflexivity") -> str:
        """Each argument in its new form, then ``last``."""
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

    # ---- vectors ----

    def equal_vectors(self, a: Term, b: Term) -> str:
        """u = v by <u, z> = <v, z> for all z."""
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
        """A vector as (coefficient, atom) pairs, as it is written."""
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
        """<u, v> of two atoms: each in normal form, a sum taken out, the two in order."""
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

    # ---- sums ----

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

    def _sum(self, s: Term, plain: Term) -> str:
        body, i, low, high = s.args
        own_body, j, lo, hi = opened(s)
        ends = ""
        if self.say(low) != self.say(lo) or self.say(high) != self.say(hi):
            same = make("sum", own_body, j, lo, hi)
            ends = f"transitivity {self.say(same)}; [ apply total_congr; [ intros; reflexivity | {self.equal(low, lo)} | {self.equal(high, hi)} ] | "
        with self.ranging(j, lo, hi) as intro:
            form = self.form(own_body)
            pieces = []
            for m, c in form.items():
                fixed = term_of({tuple(p for p in m if j not in p[0].free): c})
                pieces.append((fixed, _product(tuple(p for p in m if j in p[0].free))))
            summands = [make("*", f, m) for f, m in pieces]
            spread = make("+", *summands) if len(summands) > 1 else summands[0] if summands else ZERO
            bodies = self.equal(own_body, spread)
        v = self.names.of(j)
        low_said, high_said = self.say(lo), self.say(hi)
        moved = [make("*", f, make("sum", m, j, lo, hi)) for f, m in pieces]
        total = make("+", *moved) if len(moved) > 1 else moved[0] if moved else ZERO
        q = self.new("Q")
        split = (
            f"assert ({q} : total (fun {v} => {self.say(own_body)}) {low_said} {high_said} = {self.say(total)}) by ("
            f"transitivity (total (fun {v} => {self.say(spread)}) {low_said} {high_said}); [ apply total_ext; {intro}; {bodies} | totals; ring ])"
        )
        rest, new = [], []
        for f, m in pieces:
            one = make("sum", m, j, lo, hi)
            got = self._piece(one, m, j, lo, hi)
            if got is not None:
                p, tactic = got
                name = self.new("Q")
                rest += [f"assert ({name} : {self.say(one)} = {self.say(p)}) by ({tactic})", f"rewrite ?{name}"]
                new.append(p)
        return (
            ends
            + "; ".join(
                [
                    split,
                    f"change ({self.say(make('sum', own_body, j, lo, hi))} = {self.say(plain)})",
                    f"rewrite {q}",
                    *rest,
                    self._last([*[f for f, _ in pieces], *new, plain]),
                ]
            )
            + (" ]" if ends else "")
        )

    def _last(self, terms: Sequence[Term]) -> str:
        return self.finish(terms)

    def _piece(self, one: Term, m: Term, j: Term, lo: Term, hi: Term) -> tuple[Term, str] | None:
        """A sum of one monomial, closed, with its last terms taken off, or reordered."""
        plain = self.plain(one)
        if self.say(plain) == self.say(one):
            return None
        if m is ONE or j not in m.free:
            closed = make("*", m, make("+", hi, make("*", MINUS, lo), ONE))
            if plain.word != "sum":
                return (
                    plain,
                    f"transitivity {self.say(closed)}; [ apply total_const'; [ int | int | {self.at_most(lo, make('+', hi, ONE))} ] | {self.equal(closed, plain)} ]",
                )
        how, n, _ = _ends(m, lo, hi)
        if how in ("all", "off") and n > 0:
            return self._taken_off(one, m, j, lo, hi, n, how == "all", plain)
        if how == "all":
            return (
                plain,
                f"transitivity 0; [ apply total_empty; [ int | int | {self.less(hi, lo)} ] | {self.equal(ZERO, plain)} ]",
            )
        if how == "more":
            return self._one_more(one, m, j, lo, hi, plain)
        power = m.args[1] if is_power(m) and m.args[0] is j else ONE if m is j else None
        if power is not None:
            return plain, self._power_sum(one, plain, j, lo, hi)
        drawn = _reordered(m, j, lo, hi)
        if drawn is not None:
            return plain, self._drawn(one, drawn, m, j, plain)
        return plain, self._renamed(one, plain)

    def at_most(self, a: Term, b: Term) -> str:
        """A tactic for a <= b."""
        found = self.sign(minus(b, a), False)
        return (found if a is ZERO else f"apply Rminus_le_0; {found}") if found else "lra"

    def less(self, a: Term, b: Term) -> str:
        """A tactic for a < b."""
        found = self.sign(minus(b, a), True)
        return (found if a is ZERO else f"apply Rminus_lt_0; {found}") if found else "lra"

    def _taken_off(
        self, one: Term, m: Term, j: Term, lo: Term, hi: Term, n: int, empty: bool, plain: Term
    ) -> tuple[Term, str]:
        tactics, high, ends = [], hi, []
        for _ in range(n):
            lower, at = self.plain(make("+", high, MINUS)), put(m, {j: high})
            now, rest = make("sum", m, j, lo, high), make("sum", m, j, lo, lower)
            q = self.new("Q")
            tactics.append(
                f"assert ({q} : {self.say(now)} = {self.say(rest)} + {self.say(at)}) by (rewrite (total_last _ {self.say(lo)} {self.say(high)}); "
                f"[ f_equal; f_equal; {self.equal(make('+', high, MINUS), lower) if False else 'ring'} | int | int | {self.at_most(lo, high)} ])"
            )
            tactics.append(f"rewrite {q}")
            ends.append(at)
            high = lower
        left = make("sum", m, j, lo, high)
        if empty:
            q = self.new("Q")
            tactics += [
                f"assert ({q} : {self.say(left)} = 0) by (apply total_empty; [ int | int | {self.less(high, lo)} ])",
                f"rewrite {q}",
            ]
            left = ZERO
        whole_sum = make("+", left, *ends[::-1])
        printed = self.say(left)
        for at in ends[::-1]:
            printed = f"({printed} + {self.say(at)})"
        return plain, "; ".join(
            [*tactics, f"transitivity {self.say(whole_sum)}; [ ring | {self.equal(whole_sum, plain)} ]"]
        )

    def _one_more(self, one: Term, m: Term, j: Term, lo: Term, hi: Term, plain: Term) -> tuple[Term, str]:
        longer = self.plain(make("+", hi, ONE))
        more, at = make("sum", m, j, lo, longer), put(m, {j: longer})
        whole_sum = make("+", more, make("*", MINUS, at))
        q = self.new("Q")
        return plain, (
            f"assert ({q} : {self.say(more)} = {self.say(one)} + {self.say(at)}) by (rewrite (total_last _ {self.say(lo)} {self.say(longer)}); "
            f"[ f_equal; f_equal; ring | int | int | {self.at_most(lo, longer)} ]); transitivity {self.say(whole_sum)}; [ rewrite {q}; ring | {self.equal(whole_sum, plain)} ]"
        )

    def _power_sum(self, one: Term, plain: Term, j: Term, lo: Term, hi: Term) -> str:
        degree = 1 if one.args[0] is j else int(one.args[0].args[1].args[0].p)
        if one.args[0] is j or degree > 0:
            x = fresh(j, "real")
            power = symbol("n~sum", "from 0")
            from fltheory.kernel.normal import _power_sum

            grown = term_of(_power_sum(degree, ONE, x))
            name = self.names.of(x)
            at_hi, at_lo = put(grown, {x: hi}), put(grown, {x: make("+", lo, MINUS)})
            closed = make("+", at_hi, make("*", MINUS, at_lo))
            return (
                f"transitivity ({self.say(at_hi)} - {self.say(put(grown, {x: make('+', lo, MINUS)}))}); [ rewrite (total_closed _ (fun {name} => {self.say(grown)})); "
                f"[ cbv beta; field | int | int | {self.at_most(lo, make('+', hi, ONE))} | intro; cbv beta; field ] | "
                f"transitivity {self.say(closed)}; [ field | {self.equal(closed, plain)} ] ]"
            )
        return self._renamed(one, plain)

    def _drawn(self, one: Term, drawn: Term, m: Term, j: Term, plain: Term) -> str:
        """The sum over what a permutation has in its places, under an expectation or not."""
        (draw,) = [p for p in parts(m) if p.word == "draw" and j in p.free]
        size = draw.args[1]
        body, own, _, _ = drawn.args
        lo, hi = one.args[2:]
        if m.word != "mean":
            return f"transitivity {self.say(drawn)}; [ {self._permuted(one, drawn, draw, j)} | {self.equal(drawn, plain)} ]"
        before, after = make("sum", m.args[0], j, lo, hi), make("sum", body.args[0], own, ONE, size)
        o = self.enter()
        said, then = self.say(before), self.say(after)
        inner = self._permuted(before, after, draw, j)
        self.leave()
        return (
            f"transitivity (mean M (fun {o} => {said})); [ symmetry; apply mean_total | transitivity (mean M (fun {o} => {then})); "
            f"[ apply mean_ext; intro {o}; cbv beta; {inner} | transitivity {self.say(drawn)}; [ apply mean_total | {self.equal(drawn, plain)} ] ] ]"
        )

    def _permuted(self, one: Term, drawn: Term, draw: Term, j: Term) -> str:
        place, size, *which = draw.args
        body, own = drawn.args[:2]
        v, k = self.names.of(own), self.names.of(j)
        which_said = f"(Some {self.say(which[0])})" if which else "None"
        sigma = f"(fun {k} => dr {which_said} {self.say(size)} {k} {self.names.w})"
        shift = self.plain(minus(place, j))
        placed = insert(one.args[0], draw, make("draw", j, *draw.args[1:]), anywhere=False)
        plainly = make("sum", placed, j, ONE, size)
        permuted = (
            f"etransitivity; [ | apply (total_permuted (fun {v} => {self.say(body)}) {sigma} {self.say(size)}); "
            f"[ int | apply dr_permutes; int | intro; apply dr_integer ] ]; apply total_congr; [ intros; cbv beta; reflexivity | ring | ring ]"
        )
        if self.say(shift) == "0" and self.say(place) == self.say(j):
            return permuted
        moved = put(placed, {j: make("+", j, shift)})
        said = f"(total (fun {k} => {self.say(moved)}) (1 - {self.say(shift)}) ({self.say(size)} - {self.say(shift)}))"
        return (
            f"transitivity {self.say(plainly)}; [ transitivity {said}; [ apply total_congr; [ intros {k} ? ? ?; cbv beta; {self.equal(one.args[0], moved)} | ring | ring ] | "
            f"symmetry; apply (total_shift (fun {k} => {self.say(placed)})); int ] | {permuted} ]"
        )

    def _renamed(self, one: Term, plain: Term) -> str:
        """The same sum with other names, its sums in another order, its body in normal form."""
        if plain.word != "sum":
            raise Outside("a sum that becomes something else")
        flat, goal = self._nested(one), self._nested(plain)
        if flat is None or goal is None or len(flat[1]) != len(goal[1]):
            raise Outside("sums of another depth")
        if len(flat[1]) == 1:
            return self._same_sum(one, plain)
        return self._other_order(one, plain, flat, goal)

    def _same_sum(self, one: Term, plain: Term) -> str:
        (old, h, lo, hi), (new, k, low, high) = one.args, plain.args
        i = fresh(h)
        body, moved = put(old, {h: i}), put(new, {k: i})
        with self.ranging(i, lo, hi) as intro:
            return f"apply total_congr; [ {intro}; {self.equal(body, moved)} | {self.equal(lo, low)} | {self.equal(hi, high)} ]"

    def _nested(self, total: Term) -> tuple[Term, list[tuple[Term, Term, Term]], str] | None:
        """The body of a sum of sums, with factors brought in, the ranges from the outermost on, and a tactic that shows it."""
        body, i, lo, hi = total.args
        ranges = [(i, lo, hi)]
        chain: list[str] = [f"apply total_ext; intros {self.names.of(i)} ? ? ?; cbv beta"]
        while (inner := next((a for a in (body, *_factors_of(body)) if a.word == "sum"), None)) is not None:
            inside, k, low, high = inner.args
            if any(k in r[0].free or k is r[0] for r in ranges) or k in body.free:
                new = fresh(k)
                inside, k = put(inside, {k: new}), new
            rest = () if inner is body else _without(_factors_of(body), inner)
            first = (make("*", *rest) if len(rest) > 1 else rest[0]) if rest else None
            product = make("*", first, inside) if first is not None else inside
            if first is not None:
                chain.append(f"transitivity {self.say(make('*', first, inner))}; [ ring |")
                chain.append(
                    f"transitivity {self.say(make('sum', product, k, low, high))}; [ symmetry; apply total_scal |"
                )
            chain.append(f"apply total_ext; intros {self.names.of(k)} ? ? ?; cbv beta")
            body = product
            ranges.append((k, low, high))
        close = " ]" * sum(c.endswith("|") for c in chain)
        text = "".join(c + (" " if c.endswith("|") else "; ") for c in chain)
        return body, ranges, f"{text}reflexivity{close}"

    def _other_order(
        self,
        one: Term,
        plain: Term,
        flat: tuple[Term, list[tuple[Term, Term, Term]], str],
        goal: tuple[Term, list[tuple[Term, Term, Term]], str],
    ) -> str:
        """Brings factors in, swaps independent sums, then compares body with body."""
        (body, ranges, how), (aim, wanted, _) = flat, goal
        for order in itertools.permutations(range(len(ranges))):
            names = {wanted[k][0]: ranges[order[k]][0] for k in range(len(wanted))}
            ends = [(put(w[1], names), put(w[2], names), ranges[order[k]]) for k, w in enumerate(wanted)]
            if not all(
                self.say(self.plain(a)) == self.say(self.plain(r[1]))
                and self.say(self.plain(b)) == self.say(self.plain(r[2]))
                for a, b, r in ends
            ):
                continue
            moved = put(aim, names)
            if self.say(self.plain(moved)) == self.say(self.plain(body)):
                return self._reorder(how, plain, body, ranges, list(order))
        raise Outside("sums in another order")

    def _build(self, body: Term, ranges: Sequence[tuple[Term, Term, Term]]) -> Term:
        for i, lo, hi in reversed(ranges):
            body = make("sum", body, i, lo, hi)
        return body

    def _reorder(
        self, how: str, plain: Term, body: Term, ranges: list[tuple[Term, Term, Term]], order: list[int]
    ) -> str:
        flat = self._build(body, ranges)
        tactics = [f"transitivity {self.say(flat)}; [ {how} |"]
        close = " ]"
        now, place = list(ranges), list(range(len(ranges)))
        swaps = []
        for k in range(len(order)):  # bubble the wanted one outwards
            at = place.index(order[k])
            for p in range(at, k, -1):
                place[p - 1], place[p] = place[p], place[p - 1]
                now[p - 1], now[p] = now[p], now[p - 1]
                swaps.append((p - 1, list(now)))
        for p, ordered in swaps:
            (i, a, b), (k, _, _) = ordered[p], ordered[p + 1]
            if k in a.free | b.free or i in ordered[p + 1][1].free | ordered[p + 1][2].free:
                raise Outside("sums whose ranges depend on each other")
            deep = "".join(
                f"apply total_ext; intros {self.names.of(ordered[q][0])} ? ? ?; cbv beta; " for q in range(p)
            )
            tactics.append(f"transitivity {self.say(self._build(body, ordered))}; [ {deep}apply total_swap |")
            close += " ]"
        tactics.append(self._level(self._build(body, now), plain))
        return " ".join(tactics) + close

    def _level(self, one: Term, plain: Term) -> str:
        """Two sums with the same ranges in the same order."""
        (old, h, lo, hi), (new, k, low, high) = one.args, plain.args
        i = fresh(h)
        body, moved = put(old, {h: i}), put(new, {k: i})
        with self.ranging(i, lo, hi) as intro:
            inner = self._level(body, moved) if body.word == "sum" and moved.word == "sum" else self.equal(body, moved)
            return f"apply total_congr; [ {intro}; {inner} | {self.equal(lo, low)} | {self.equal(hi, high)} ]"

    # ---- expectations ----

    def _mean(self, s: Term, plain: Term) -> str:
        body = s.args[0]
        form = self.form(body)
        pieces = []
        for m, c in form.items():
            fixed = term_of({tuple(p for p in m if not p[0].random): c})
            pieces.append((fixed, tuple(p for p in m if p[0].random)))
        summands = [make("*", f, _product(m)) for f, m in pieces]
        spread = make("+", *summands) if len(summands) > 1 else summands[0] if summands else ZERO
        moved = [make("*", f, make("mean", _product(m))) if m else f for f, m in pieces]
        total = make("+", *moved) if len(moved) > 1 else moved[0] if moved else ZERO
        o = self.enter()
        bodies = self.equal(body, spread)
        said = self.say(spread)
        self.leave()
        tactics = [
            f"transitivity (mean M (fun {o} => {said})); [ apply mean_ext; intro {o}; cbv beta; {bodies} |",
            f"transitivity {self.say(total)}; [ means; ring |",
        ]
        rest, new = [], []
        for _, m in pieces:
            got = self._mean_piece(m)
            if got is not None:
                one, p, tactic = got
                q = self.new("Q")
                rest += [f"assert ({q} : {self.say(one)} = {self.say(p)}) by ({tactic})", f"rewrite ?{q}"]
                new.append(p)
        return (
            " ".join(tactics) + " " + "; ".join([*rest, self.finish([*(f for f, _ in pieces), *new, plain])]) + " ] ]"
        )

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

    def _mean_piece(self, m: tuple[tuple[Term, int], ...]) -> tuple[Term, Term, str] | None:
        one = make("mean", _product(m))
        plain = self.plain(one)
        if not m or self.say(plain) == self.say(one):
            return None
        for a, e in m:
            if a.word == "sum" and e > 0 and not (a.args[2].random or a.args[3].random):
                body, i, lo, hi = opened(a)
                rest = _product(tuple(p for p in m if p[0] is not a) + (((a, e - 1),) if e > 1 else ()))
                inner = make("*", body, rest)
                out = make("sum", make("mean", inner), i, lo, hi)
                flat = make("sum", inner, i, lo, hi)
                o = self.enter()
                said = self.say(flat)
                whole_one = self.say(one.args[0])
                scaled = make("*", rest, a)
                scaled_said = self.say(scaled)
                self.leave()
                return (
                    one,
                    plain,
                    (
                        f"transitivity (mean M (fun {o} => {said})); [ apply mean_ext; intro {o}; cbv beta; transitivity ({scaled_said}); [ ring | bring ] | "
                        f"transitivity {self.say(out)}; [ apply mean_total | {self.equal(out, plain)} ] ]"
                    ),
                )
        return one, plain, "reflexivity"

    # ---- powers and functions ----

    def _power(self, s: Term, plain: Term) -> str:
        from fltheory.rocq.powers import power

        return power(self, s, plain)

    def _exp(self, s: Term, plain: Term) -> str:
        from fltheory.rocq.powers import exponential

        return exponential(self, s, plain)

    def _absolute(self, s: Term, plain: Term) -> str:
        inner = self.plain(s.args[0])
        sign = self.sign(s.args[0], False)
        if sign is not None:
            return f"rewrite Rabs_right by (apply Rle_ge; {sign}); {self.equal(s.args[0], plain)}"
        down = self.sign(make("*", MINUS, s.args[0]), False)
        if down is not None:
            q = make("*", MINUS, s.args[0])
            return f"transitivity ({self.say(q)}); [ rewrite Rabs_left1; [ ring | apply Ropp_le_cancel; rewrite Ropp_0; replace (- {self.say(s.args[0])}) with ({self.say(q)}) by ring; {down} ] | {self.equal(q, plain)} ]"
        atoms = [p for p in parts(plain) if p.word == "abs"]
        if len(atoms) == 1:
            factor = term_of({tuple(x for x in m if x[0] is not atoms[0]): c for m, c in normal(plain).items()})
            seen = self.sign(factor, False)
            inside = atoms[0].args[0]
            if seen:
                q, product = self.new("Q"), make("*", factor, inside)
                sides = []
                for other in (product, make("*", MINUS, factor, inside)):
                    if self.say(self.plain(s.args[0])) == self.say(self.plain(other)):
                        back = "" if other is product else "rewrite <- Rabs_Ropp; "
                        want = product
                        mine = s.args[0] if other is product else make("*", MINUS, s.args[0])
                        fix = (
                            ""
                            if other is product
                            else f"replace (- {self.say(s.args[0])}) with ({self.say(mine)}) by ring; "
                        )
                        return (
                            f"{back}{fix}transitivity (Rabs {self.say(product)}); [ f_equal; {self.equal(mine, product)} | rewrite Rabs_mult; "
                            f"rewrite (Rabs_right {self.say(factor)}) by (apply Rle_ge; {seen}); ring_or_field ]"
                        )
        return self.inside([(s.args[0], inner)], "first [ reflexivity | rewrite Rabs_Ropp; reflexivity | lattice ]")

    def _lattice(self, s: Term, plain: Term) -> str:
        return self.inside([(a, self.plain(a)) for a in s.args], "lattice")

    def _floor(self, s: Term, plain: Term) -> str:
        return self.inside([(a, self.plain(a)) for a in s.args], "floors")

    def _log(self, s: Term, plain: Term) -> str:
        from fltheory.rocq.powers import logarithm

        return logarithm(self, s, plain)

    # ---- signs ----

    def sign(self, term: Term, strict: bool) -> str | None:
        """A tactic for 0 <= term, or 0 < term."""
        from fltheory.rocq.signs import sign

        return sign(self, term, strict)

    def nonzero(self, term: Term) -> str | None:
        """A tactic for term <> 0."""
        from fltheory.rocq.signs import nonzero

        return nonzero(self, term)
