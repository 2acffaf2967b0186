"""Tactics for 0 <= t and 0 < t: by the structure of a term, by its normal form, or by a known line."""

from __future__ import annotations

from flint import fmpq

from fltheory.kernel.context import divided
from fltheory.kernel.language.terms import MINUS, ONE, ZERO, Term, Wrong, fresh, make, minus, number, put, symbol, whole
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import (
    UNIT,
    Mono,
    Normal,
    atom,
    cleared,
    content,
    glance,
    normal,
    plus,
    raised,
    scaled,
    term_of,
    times,
)
from fltheory.rocq.equations.numbers import interval_positivity
from fltheory.rocq.equations.place import Fact, Place

DEEP = 3


def sign(at: Place, term: Term, strict: bool, depth: int = DEEP) -> str | None:
    """Return a tactic, or None if none is found."""
    if at.depth > 30:
        return None
    at.depth += 1
    try:
        return _sign(at, term, strict, depth)
    except (Wrong, RecursionError):
        return None
    finally:
        at.depth -= 1


def _sign(at: Place, term: Term, strict: bool, depth: int) -> str | None:
    found = structural_sign(at, term, strict, depth)
    if found is not None:
        return found
    form = at.form(term)
    plain = term_of(form)
    if at.say(plain) != at.say(term):
        found = structural_sign(at, plain, strict, depth)
        if found is not None:
            return _by_equal_term(at, term, plain, strict, found)
    counted = _with_counts(form)
    if counted is not None:
        found = structural_sign(at, counted, strict, depth)
        if found is not None:
            return _by_equal_term(at, term, counted, strict, found)
    found = _by_fact(at, term, form, strict, depth)
    if found is None and depth > 0 and not strict:
        found = _by_logarithms(at, term, form, depth)
    if found is None and depth > 0:
        found = _by_factors(at, term, form, strict, depth)
    return found or interval_positivity(at, term)


def _by_equal_term(at: Place, term: Term, other: Term, strict: bool, found: str) -> str:
    lemma = "pos_as" if strict else "nn_as"
    return f"apply ({lemma} _ {at.say(other)}); [ {at.equal(term, other)} | {found} ]"


def structural_sign(at: Place, t: Term, strict: bool, depth: int) -> str | None:
    """Return a tactic from the structure of a term."""
    word, args = t.word, t.args
    if t.vector:
        return None
    if word == "number":
        return "lra" if (args[0] > 0 if strict else args[0] >= 0) else None
    if word == "symbol":
        return _letter_sign(at, t, strict) or _line_tactic(at, t, strict)
    if word == "family":
        return _family_sign(at, t, strict) or _line_tactic(at, t, strict)
    if word == "poly":
        return structural_sign(at, args[0], strict, depth) or (
            sign(at, args[0], strict, depth - 1) if depth > 0 else None
        )
    if (
        word == "+"
        and not strict
        and len(args) == 2
        and args[0].word == "symbol"
        and args[0].args[1] == "from 1"
        and at.say(args[1]) == "((-1) * 1)"
    ):
        return f"apply less_one; exact G_{at.names.of(args[0])}"
    if word == "+":
        return _sum_sign(at, list(args), strict, depth) or _line_tactic(at, t, strict)
    if word == "*":
        return _product_sign(at, list(args), strict, depth) or _line_tactic(at, t, strict)
    if word == "^":
        return _power_sign(at, t, strict, depth)
    if word == "e":
        return _weaken_unless_strict(strict, "apply exp_pos")
    if word == "pi":
        return _weaken_unless_strict(strict, "apply PI_RGT_0")
    if word == "exp":
        return _weaken_unless_strict(strict, "apply exp_pos")
    if word == "draw":
        size = f"{'Rlt_le_trans _ _ _ Rlt_0_1' if strict else 'Rle_trans _ _ _ Rle_0_1'}"
        return f"apply ({size} (proj2 (dr_integer _ _ _ _)))"
    if word in ("max", "min"):
        return _extreme_sign(at, list(args), word, strict, depth)
    if word == "log" and depth > 0:
        inner = sign(at, make("+", args[0], make("*", MINUS, ONE)), strict, depth - 1)
        return f"apply {'ln_pos' if strict else 'ln_nonneg'}; {inner}" if inner else None
    if strict:
        return _positive_rest(at, t, depth) or _line_tactic(at, t, strict)
    if word == "abs":
        return "apply Rabs_pos"
    if word == "indicator":
        return "apply indicator_nonneg"
    if word == "dot" and at.say(make("dot", args[0], args[0])) == at.say(t):
        return "apply dot_nonneg"
    return _through(at, t, depth) or _line_tactic(at, t, strict)


def _through(at: Place, t: Term, depth: int) -> str | None:
    """Prove 0 <= an expectation, a sum or a floor from its argument."""
    word, args = t.word, t.args
    if word == "mean":
        o = at.enter()
        try:
            inner = sign(at, args[0], False, depth - 1)
        finally:
            at.leave()
        return f"apply mean_nonneg; intro {o}; cbv beta; {inner}" if inner else None
    if word == "sum":
        body, i, lo, hi = _own_index(t)
        with at.with_index(i, lo, hi) as intro:
            inner = sign(at, body, False, depth - 1)
        return f"apply total_nonneg; {intro}; {inner}" if inner else None
    if word == "floor" and depth > 0:
        inner = sign(at, args[0], False, depth - 1)
        return f"apply floor_max; [ apply (int_IZR 0) | {inner} ]" if inner else None
    return None


def _own_index(t: Term) -> tuple[Term, Term, Term, Term]:
    """Return the parts of a sum, with a fresh index of the sort that its range implies."""
    body, i, lo, hi = t.args
    with noted():
        first = normal(lo)
        sort = "from 1" if glance(plus(first, {(): fmpq(-1)})) else "from 0" if glance(first) else "integer"
    own = fresh(i, sort)
    return put(body, {i: own}), own, lo, hi


def _positive_rest(at: Place, t: Term, depth: int) -> str | None:
    if t.word == "sum" and depth > 0:
        body, i, lo, hi = _own_index(t)
        some = sign(at, minus(hi, lo), False, depth - 1)
        if some is None:
            return None
        with at.with_index(i, lo, hi) as intro:
            inner = sign(at, body, True, depth - 1)
        return f"apply total_pos; [ int | int | {at.at_most(lo, hi)} | {intro}; {inner} ]" if inner else None
    return None


def _weaken_unless_strict(strict: bool, tactic: str) -> str:
    return tactic if strict else f"left; {tactic}"


def _letter_sign(at: Place, t: Term, strict: bool) -> str | None:
    g, sort = f"G_{at.names.of(t)}", t.args[1]
    if sort == "positive":
        return f"exact {g}" if strict else f"exact (Rlt_le _ _ {g})"
    if sort == "from 1":
        return f"exact (Rlt_le_trans _ _ _ Rlt_0_1 {g})" if strict else f"exact (Rle_trans _ _ _ Rle_0_1 {g})"
    if sort in ("nonnegative", "from 0") and not strict:
        return f"exact {g}"
    return None


def _family_sign(at: Place, t: Term, strict: bool) -> str | None:
    kind = t.args[0]
    g = f"G_{at.names.of(t)}"
    if kind.endswith("Positive"):
        return f"apply {g}" if strict else f"left; apply {g}"
    return f"apply {g}" if kind.endswith("Nonnegative") and not strict else None


def _sum_sign(at: Place, args: list[Term], strict: bool, depth: int) -> str | None:
    if len(args) == 1:
        return structural_sign(at, args[0], strict, depth)
    if not strict:
        one = structural_sign(at, args[0], False, depth)
        rest = one and _sum_sign(at, args[1:], False, depth)
        return f"apply Rplus_le_le_0_compat; [ {one} | {rest} ]" if rest else None
    one = structural_sign(at, args[0], True, depth)
    if one:
        rest = _sum_sign(at, args[1:], False, depth)
        return f"apply Rplus_lt_le_0_compat; [ {one} | {rest} ]" if rest else None
    one = structural_sign(at, args[0], False, depth)
    rest = one and _sum_sign(at, args[1:], True, depth)
    return f"apply Rplus_le_lt_0_compat; [ {one} | {rest} ]" if rest else None


def _product_sign(at: Place, args: list[Term], strict: bool, depth: int) -> str | None:
    def own(t: Term) -> str | None:
        return structural_sign(at, t, strict, depth) or (
            sign(at, t, strict, depth - 1) if depth > 0 and t.word in ("+", "*", "^") else None
        )

    if len(args) == 1:
        return own(args[0])
    one = own(args[0])
    rest = one and _product_sign(at, args[1:], strict, depth)
    return f"apply {'Rmult_lt_0_compat' if strict else 'Rmult_le_pos'}; [ {one} | {rest} ]" if rest else None


def _power_sign(at: Place, t: Term, strict: bool, depth: int) -> str | None:
    base, exponent = t.args
    known = int(exponent.args[0].p) if exponent.word == "number" and exponent.args[0].q == 1 else None
    if known == 0:
        return "lra"
    if known == 1:
        return structural_sign(at, base, strict, depth)
    inner = structural_sign(at, base, strict, depth) or (sign(at, base, strict, depth - 1) if depth > 0 else None)
    if known is not None:
        if known % 2 == 0 and not strict:
            return "apply even_pow; reflexivity"
        if inner is None and known % 2 == 0 and depth > 0:
            seen = nonzero(at, base, depth - 1)
            if seen and known > 0:
                return f"apply even_pow_pos; [ reflexivity | {seen} ]"
        if inner is None:
            return None
        inverse = "apply Rinv_0_lt_compat" if strict else "apply inv_nonneg"
        tactics = [] if known in (1, -1) else ["apply pow_lt" if strict else "apply pow_le"]
        return "; ".join([*tactics, *([inverse] if known < 0 else []), inner])
    if inner is None and not strict:
        if exponent.word == "number":
            n = exponent.args[0].floor()
            return f"apply power_root_nonneg; apply (not_integer _ ({int(n)})); lra"
        return _line_tactic(at, t, strict)
    return f"apply {'power_pos' if strict else 'power_nonneg'}; {inner}" if inner else _line_tactic(at, t, strict)


def _extreme_sign(at: Place, args: list[Term], word: str, strict: bool, depth: int) -> str | None:
    if len(args) == 1:
        return structural_sign(at, args[0], strict, depth) or sign(at, args[0], strict, depth - 1)
    one = structural_sign(at, args[0], strict, depth) or (sign(at, args[0], strict, depth - 1) if depth > 0 else None)
    if word == "min":
        rest = one and _extreme_sign(at, args[1:], word, strict, depth)
        return f"apply {'Rmin_pos_' if strict else 'Rmin_nonneg'}; [ {one} | {rest} ]" if rest else None
    if one:
        return f"apply {'Rmax_pos1' if strict else 'Rmax_nonneg1'}; {one}"
    rest = _extreme_sign(at, args[1:], word, strict, depth)
    return f"apply {'Rmax_pos2' if strict else 'Rmax_nonneg2'}; {rest}" if rest else None


# ---- by known lines ----


def usable_facts(at: Place) -> list[Fact]:
    """Return the facts that hold at the present outcome."""
    calm = at.names.w == "w"
    return [f for f in at.facts if calm or "{w}" in f.proof or not (f.line.left.random or f.line.right.random)]


def fact_proof(at: Place, fact: Fact) -> str:
    """Return the proof of a fact at this outcome."""
    return fact.proof.replace("{w}", at.names.w)


def _line_tactic(at: Place, t: Term, strict: bool) -> str | None:
    """Return a tactic if a line says exactly this."""
    for f in usable_facts(at):
        own = f.line
        if own.left is ZERO and at.say(own.right) == at.say(t):
            if own.op == "<":
                return f"exact ({fact_proof(at, f)})" if strict else f"left; exact ({fact_proof(at, f)})"
            if own.op == "<=" and not strict:
                return f"exact ({fact_proof(at, f)})"
    return None


def gap_proof(at: Place, fact: Fact, negative: bool, strict: bool) -> str:
    """Return a tactic for 0 <= r - l, or l - r for an equation."""
    own = fact_proof(at, fact)
    if fact.line.op == "==":
        return (
            f"right; pose proof ({own}); lra"
            if False
            else f"apply {'gap_neg' if negative else 'gap_pos'}; exact ({own})"
        )
    if strict:
        return f"apply Rlt_Rminus; exact ({own})"
    return f"apply sub_nn; exact ({own})" if fact.line.op == "<=" else f"apply sub_nn; left; exact ({own})"


def _by_fact(at: Place, term: Term, form: Normal, strict: bool, depth: int) -> str | None:
    for f in usable_facts(at):
        for negative in (False, True) if f.line.op == "==" else (False,):
            own = scaled(f.form, -1) if negative else f.form
            shared = any(m and m in own for m in form)
            if not shared:
                continue
            for c in dict.fromkeys([fmpq(1), *(form[m] / v for m, v in own.items() if m in form and form[m] / v > 0)]):
                rest = plus(form, scaled(own, -c))
                tight = f.line.op == "<"
                if rest and not glance(rest, strict and not tight):
                    continue
                if not rest and strict and not tight:
                    continue
                left = term_of(rest)
                more = sign(at, left, strict and not tight, depth - 1) if rest else "lra"
                if more is None:
                    continue
                gap = minus(f.line.right, f.line.left)
                if negative:
                    gap = make("*", MINUS, gap)
                product = make("*", number(c), gap)
                whole_one = make("+", product, left)
                lemma = "pos_left" if strict and tight else "pos_right" if strict else "nn_both"
                said = (
                    f"({at.say(number(c))} * ({at.say(f.line.right)} - {at.say(f.line.left)}))"
                    if not negative
                    else f"({at.say(number(c))} * ({at.say(f.line.left)} - {at.say(f.line.right)}))"
                )
                scale = "apply Rmult_lt_0_compat; [ lra |" if strict and tight else "apply Rmult_le_pos; [ lra |"
                return (
                    f"apply ({lemma} _ {said} {at.say(left)}); [ transitivity {at.say(whole_one)}; [ {at.equal(term, whole_one)} | ring ] | "
                    f"{scale} {gap_proof(at, f, negative, strict and tight)} ] | {more} ]"
                )
    if depth > 1:
        return _by_quotient(at, term, form, strict, depth)
    return None


def _by_quotient(at: Place, term: Term, form: Normal, strict: bool, depth: int) -> str | None:
    """Return a tactic by the product of a line's gap with a factor."""
    for f in usable_facts(at):
        if strict and f.line.op != "<":
            continue
        if (
            not any({a for m in form for a, _ in m} & {a for m in f.form for a, _ in m} for _ in (0,))
            or not f.form
            or f.line.op == "=="
        ):
            continue
        quotient = divided(form, f.form)
        if quotient is None or set(quotient) == {()}:
            continue
        q = term_of(quotient)
        seen = sign(at, q, strict, depth - 2)
        if seen is None:
            continue
        product = make("*", q, minus(f.line.right, f.line.left))
        said = f"({at.say(q)} * ({at.say(f.line.right)} - {at.say(f.line.left)}))"
        lemma = "pos_as" if strict else "nn_as"
        return (
            f"apply ({lemma} _ {said}); [ transitivity {at.say(product)}; [ {at.equal(term, product)} | ring ] | "
            f"apply {'Rmult_lt_0_compat' if strict else 'Rmult_le_pos'}; [ {seen} | {gap_proof(at, f, False, strict)} ] ]"
        )
    return None


def _with_counts(form: Normal) -> Term | None:
    """Return the number with each count as 1 + a nonnegative term, so that all terms have a visible sign."""
    counts = {a for m in form for a, _ in m if a.word == "symbol" and a.args[1] == "from 1"}
    if not counts:
        return None
    with noted():
        least = {a: max(0, *(-e for m in form for b, e in m if b is a)) for a in counts}
        shift = {tuple(sorted((a, e) for a, e in least.items() if e)): fmpq(1)}
        own = times(form, shift)
        for a in counts:
            more = plus(atom(symbol(a.args[0] + "~less 1", "from 0")), UNIT)
            kept: Normal = {}
            for m, c in own.items():
                kept = plus(kept, times({tuple(p for p in m if p[0] is not a): c}, raised(more, dict(m).get(a, 0))))
            own = kept
    back = {symbol(a.args[0] + "~less 1", "from 0"): minus(a, ONE) for a in counts}
    out = []
    for m, c in own.items():
        factors = [number(c)] + [make("^", back.get(a, a), number(e)) if e != 1 else back.get(a, a) for a, e in m]
        out.append(make("*", *factors) if len(factors) > 1 else factors[0])
    if not out:
        return None
    top = make("+", *out) if len(out) > 1 else out[0]
    under = term_of({tuple((a, -e) for a, e in m): c for m, c in shift.items()})
    return top if under is ONE else make("*", top, under)


def _by_logarithms(at: Place, term: Term, form: Normal, depth: int) -> str | None:
    """Prove 0 <= c (log a - log b) + the rest, from b <= a and the sign of c."""
    for low, k in form.items():
        taken = _log_of(low)
        if k > 0 or taken is None:
            continue
        b, beside = taken
        for high, c in form.items():
            other = _log_of(high)
            if c < -k or other is None or other[1] != beside:
                continue
            a = other[0]
            left = {m: v for m, v in plus(form, {low: -k, high: k}).items() if v}
            weight, rest = term_of({beside: -k}), term_of(left)
            seen = sign(at, weight, False, depth - 1)
            more = sign(at, rest, False, depth - 1) if left and seen else None
            positive = sign(at, b, True, depth - 1) if seen else None
            less = sign(at, minus(a, b), False, depth - 1) if positive else None
            if less is None or (left and more is None):
                continue
            apart = make("+", make("log", a), make("*", MINUS, make("log", b)))
            one = f"apply Rmult_le_pos; [ {seen} | apply ln_apart; [ {positive} | apply Rminus_le_0; {less} ] ]"
            whole_one = make("*", weight, apart)
            if not left:
                return _by_equal_term(at, term, whole_one, False, one)
            return _by_equal_term(
                at, term, make("+", whole_one, rest), False, f"apply Rplus_le_le_0_compat; [ {one} | {more} ]"
            )
    return None


def _log_of(mono: Mono) -> tuple[Term, Mono] | None:
    """Return (p, the rest) of a product that contains log p once and no other logarithm."""
    logs = [a for a, e in mono if a.word == "log"]
    if len(logs) != 1 or dict(mono)[logs[0]] != 1:
        return None
    return logs[0].args[0], tuple((a, e) for a, e in mono if a is not logs[0])


def _by_factors(at: Place, term: Term, form: Normal, strict: bool, depth: int) -> str | None:
    """Return a tactic by the signs of all factors, in numerator and denominator."""
    with noted():
        top, below = cleared(form)
        if not top:
            return None
        found: list[Term] = []
        turned = 1
        for part, down in ((top, False), (below, True)):
            c, mono, rest = content(part)
            turned *= 1 if c > 0 else -1
            found += [number(1 / abs(c) if down else abs(c))] if abs(c) != 1 else []
            found += [make("^", a, number(-e if down else e)) if (e != 1 or down) else a for a, e in mono]
            if rest != UNIT:
                found.append(make("^", term_of(rest), MINUS) if down else term_of(rest))
    if len(found) < 2 and turned > 0:
        return None
    signed: list[Term] = []
    tactics: list[str] = []
    for t in found:
        seen = sign(at, t, strict, depth - 1)
        if seen is None:
            back = _negated_factor(t)
            seen = sign(at, back, strict, depth - 1) if back is not None else None
            if seen is None or back is None:
                return None
            turned, t = -turned, back
        signed.append(t)
        tactics.append(seen)
    if turned < 0:
        return None
    product = make("*", *signed) if len(signed) > 1 else signed[0]
    steps = tactics[-1]
    for own in tactics[-2::-1]:
        steps = f"apply {'Rmult_lt_0_compat' if strict else 'Rmult_le_pos'}; [ {own} | {steps} ]"
    return _by_equal_term(at, term, product, strict, steps)


def _negated_factor(factor: Term) -> Term | None:
    """Return -t, and 1/-t for 1/t."""
    if factor.word != "^":
        return term_of(scaled(normal(factor), -1))
    return make("^", term_of(scaled(normal(factor.args[0]), -1)), MINUS) if factor.args[1] is MINUS else None


def nonzero(at: Place, term: Term, depth: int = DEEP) -> str | None:
    """Return a tactic for term <> 0."""
    seen = sign(at, term, True, depth)
    if seen is not None:
        return f"apply nz_pos; {seen}"
    down = sign(at, make("*", MINUS, term), True, depth)
    if down is not None:
        return f"apply nz_neg; {down}"
    if term.word == "^" and whole(term.args[1]) and term.args[1].word != "number":
        inner = nonzero(at, term.args[0], depth - 1) if depth > 0 else None
        return f"apply power_int_nz; [ int | {inner} ]" if inner else None
    return None
