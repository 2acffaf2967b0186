"""Sums with renamed indices, in another order, and over random draws."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from fltheory.kernel.language.terms import ONE, Term, fresh, insert, make, minus, parts, put
from fltheory.kernel.normal import _factors_of, _without
from fltheory.rocq.equations.vectors import Vectors
from fltheory.rocq.names import Unsupported


class Orders(Vectors):
    """Sums that equal another one of the same numbers."""

    def _drawn(self, one: Term, drawn: Term, m: Term, j: Term, plain: Term) -> str:
        """Rewrite the sum over the entries of a permutation, under an expectation or not."""
        (draw,) = [p for p in parts(m) if p.word == "draw" and j in p.free]
        size = draw.args[1]
        body, own, _, _ = drawn.args
        lo, hi = one.args[2:]
        if m.word != "mean":
            return f"transitivity {self.say(drawn)}; [ {self._permute_sum(one, drawn, draw, j)} | {self.equal(drawn, plain)} ]"
        before, after = make("sum", m.args[0], j, lo, hi), make("sum", body.args[0], own, ONE, size)
        o = self.enter()
        said, then = self.say(before), self.say(after)
        inner = self._permute_sum(before, after, draw, j)
        self.leave()
        return (
            f"transitivity (mean M (fun {o} => {said})); [ symmetry; apply mean_total | transitivity (mean M (fun {o} => {then})); "
            f"[ apply mean_ext; intro {o}; cbv beta; {inner} | transitivity {self.say(drawn)}; [ apply mean_total | {self.equal(drawn, plain)} ] ] ]"
        )

    def _permute_sum(self, one: Term, drawn: Term, draw: Term, j: Term) -> str:
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

    def _rename_sum(self, one: Term, plain: Term) -> str:
        """Rewrite a sum with other names, its sums in another order, and its body in normal form."""
        if plain.word != "sum":
            raise Unsupported("a sum that becomes something else")
        flat, goal = self._flatten_sums(one), self._flatten_sums(plain)
        if flat is None or goal is None or len(flat[1]) != len(goal[1]):
            raise Unsupported("sums of another depth")
        if len(flat[1]) == 1:
            return self._same_sum(one, plain)
        return self._other_order(one, plain, flat, goal)

    def _same_sum(self, one: Term, plain: Term) -> str:
        (old, h, lo, hi), (new, k, low, high) = one.args, plain.args
        i = fresh(h)
        body, moved = put(old, {h: i}), put(new, {k: i})
        with self.with_index(i, lo, hi) as intro:
            return f"apply total_congr; [ {intro}; {self.equal(body, moved)} | {self.equal(lo, low)} | {self.equal(hi, high)} ]"

    def _flatten_sums(self, total: Term) -> tuple[Term, list[tuple[Term, Term, Term]], str] | None:
        """Return the body of nested sums with factors moved inside, the ranges from the outermost on, and a tactic."""
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
        """Move factors inside, swap independent sums, then compare the bodies."""
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
        raise Unsupported("sums in another order")

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
            (i, a, b), (inner, _, _) = ordered[p], ordered[p + 1]
            if inner in a.free | b.free or i in ordered[p + 1][1].free | ordered[p + 1][2].free:
                raise Unsupported("sums whose ranges depend on each other")
            deep = "".join(
                f"apply total_ext; intros {self.names.of(ordered[q][0])} ? ? ?; cbv beta; " for q in range(p)
            )
            tactics.append(f"transitivity {self.say(self._build(body, ordered))}; [ {deep}apply total_swap |")
            close += " ]"
        tactics.append(self._level(self._build(body, now), plain))
        return " ".join(tactics) + close

    def _level(self, one: Term, plain: Term) -> str:
        """Prove two sums with the same ranges in the same order equal."""
        (old, h, lo, hi), (new, k, low, high) = one.args, plain.args
        i = fresh(h)
        body, moved = put(old, {h: i}), put(new, {k: i})
        with self.with_index(i, lo, hi) as intro:
            inner = self._level(body, moved) if body.word == "sum" and moved.word == "sum" else self.equal(body, moved)
            return f"apply total_congr; [ {intro}; {inner} | {self.equal(lo, low)} | {self.equal(hi, high)} ]"
