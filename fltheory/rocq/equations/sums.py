"""Sums: splitting, closed forms and removal of end terms; expectations."""

from __future__ import annotations

from fltheory.kernel.language.terms import MINUS, ONE, ZERO, Term, fresh, make, put, symbol
from fltheory.kernel.normal import _ends, _product, _reordered, opened, term_of
from fltheory.rocq.equations.orders import Orders
from fltheory.rocq.equations.shape import is_power


class Sums(Orders):
    """A sum, decomposed as in the kernel."""

    def _sum(self, s: Term, plain: Term) -> str:
        _body, _i, low, high = s.args
        own_body, j, lo, hi = opened(s)
        ends = ""
        if self.say(low) != self.say(lo) or self.say(high) != self.say(hi):
            same = make("sum", own_body, j, lo, hi)
            ends = f"transitivity {self.say(same)}; [ apply total_congr; [ intros; reflexivity | {self.equal(low, lo)} | {self.equal(high, hi)} ] | "
        with self.with_index(j, lo, hi) as intro:
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
        for _, moving in pieces:
            one = make("sum", moving, j, lo, hi)
            got = self._piece(one, moving, j, lo, hi)
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
                    self.finish([*[f for f, _ in pieces], *new, plain]),
                ]
            )
            + (" ]" if ends else "")
        )

    def _piece(self, one: Term, m: Term, j: Term, lo: Term, hi: Term) -> tuple[Term, str] | None:
        """Prove a sum of one monomial: closed, without its last terms, or reordered."""
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
            return self._take_off_terms(one, m, j, lo, hi, n, how == "all", plain)
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
        return plain, self._rename_sum(one, plain)

    def _take_off_terms(
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
            symbol("n~sum", "from 0")
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
        return self._rename_sum(one, plain)


class Means(Sums):
    """An expectation, decomposed as in the kernel."""

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
                self.say(one.args[0])
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
