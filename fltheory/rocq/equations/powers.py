"""Equations between powers, exponentials and logarithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flint import fmpq

from fltheory.kernel.language.terms import MINUS, ONE, E, Term, make, number, parts, whole
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import UNIT, Normal, _factors, cleared, content, normal, scaled, term_of
from fltheory.rocq.equations.equations import Equations
from fltheory.rocq.equations.shape import collect_denominators, first_of, is_root, open_parts
from fltheory.rocq.names import Unsupported


def is_integer(term: Term) -> bool:
    """Return whether a number is an integer; unknown symbols are indices."""
    from fltheory.kernel.language.terms import put, symbol

    free = {s: symbol(s.args[0] + "~whole", "integer") for s in term.free if s.args[1] == "unknown"}
    return whole(put(term, free) if free else term)


def exponential(at: Equations, s: Term, plain: Term) -> str:
    """Rewrite powers of e as one exponential on both sides."""
    if s.word == "e":
        return "reflexivity"
    exponent = s.args[0] if s.word == "exp" else s.args[1]
    inner = (
        at.inside([(exponent, at.plain(exponent))], "idtac")
        if any(p.word not in ("symbol", "+", "*", "number") for p in parts(exponent))
        else "idtac"
    )
    arguments = [p.args[0] for p in open_parts(at.plain(exponent)) if p.word == "log"]
    bases = _bases_as_exponentials(at, plain)
    ways = [f"{bases}{_as_exponentials(at, arguments)}exps", *_exp_as_product(at, exponent, plain)]
    return f"{inner}; {first_of(ways)}"


def _exp_as_product(at: Equations, exponent: Term, plain: Term) -> list[str]:
    """Return exp of a sum with terms c ln p, c an integer, as a product with p^c; None without such terms."""
    own = at.plain(exponent)
    logs, factors = list[str](), list[Term]()
    for mono, c in normal(own).items():
        if len(mono) == 1 and mono[0][0].word == "log" and mono[0][1] == 1 and c.q == 1:
            p = mono[0][0].args[0]
            seen = at.sign(p, True)
            if seen is None:
                return []
            one = f"; rewrite ?(exp_ln ({at.say(p)})) by ({seen})" if c == 1 else ""
            logs.append(f"rewrite ?(exp_ln_Z ({at.say(p)}) ({int(c.p)})) by ({seen}){one}")
            factors.append(make("^", p, number(c)) if c != 1 else p)
    if not logs:
        return ["exps"] if any(p.word == "log" for p in open_parts(own)) else []
    turned = (
        ""
        if at.say(own) == at.say(exponent)
        else f"replace {at.say(exponent)} with {at.say(own)} by ({at.equal(exponent, own)}); "
    )
    return [f"{turned}rewrite ?exp_plus, ?exp_0; {'; '.join(logs)}; cbn [powZ]; nats; {at.finish([*factors, plain])}"]


def _bases_as_exponentials(at: Equations, plain: Term) -> str:
    """Rewrite positive bases as exponentials."""
    bases = (
        p.args[0]
        for p in parts(plain)
        if p.word == "^" and p.args[0] is not E and not (p.args[1].word == "number" and p.args[1].args[0].q == 1)
    )
    return _as_exponentials(at, bases)


def _as_exponentials(at: Equations, terms: Iterable[Term]) -> str:
    """Rewrite each positive term, longer ones first, as they may contain others."""
    own = sorted(dict.fromkeys(terms), key=lambda t: -len(at.say(t)))
    return "".join(f"as_exp ({at.say(t)}) ltac:({seen}); " for t in own if (seen := at.sign(t, True)))


def power(at: Equations, s: Term, plain: Term) -> str:
    """Rewrite a power with a non-literal exponent."""
    base, exponent = s.args
    own = [p for p in parts(plain) if p.word == "^" and not (p.args[1].word == "number" and p.args[1].args[0].q == 1)]
    if (
        base is E
        or base.word == "exp"
        or (base.word == "^" and base.args[0] is E)
        or (own and base.word in ("exp", "^") and all(p.args[0] is E for p in own))
    ):
        return exponential(at, s, plain)
    if base.word == "^" and exponent.word == "number" and exponent.args[0].q == 1:
        inner = at.plain(base)
        return f"{at.inside([(base, inner)], 'idtac')}; {at.finish([make('^', inner, exponent), plain])}"
    if exponent.word == "number":
        return _root(at, s, plain)
    if is_integer(exponent):
        return _counted_power(at, s, plain)
    seen = at.sign(base, True)
    if seen is None:
        as_it_is = at.inside([(base, at.plain(base)), (exponent, at.plain(exponent))])
        taken = _sure_factors(at, s, plain)
        return first_of([f"solve [ {as_it_is} ]", *taken]) if taken else as_it_is
    if base is ONE and plain is ONE:
        return "apply power_one"
    if base.word == "number" and (found := _number_power(at, s, plain, seen)):
        return found
    within = at.inside([(exponent, at.plain(exponent))], "idtac")
    bases = _bases_as_exponentials(at, plain)
    whole_base = f"as_exp ({at.say(base)}) ltac:({seen}); {within}; {bases}exps"
    ways = [f"{within}; {bases}exps"] if base.word == "*" and bases else []
    ways += [whole_base, *_sure_factors(at, s, plain)]
    return first_of(ways)


def _sure_factors(at: Equations, s: Term, plain: Term) -> list[str]:
    """Take positive factors out of a power of a product with factors of unknown sign."""
    base, exponent = s.args
    sure = [t for t in base.args if at.sign(t, True)] if base.word == "*" else []
    rest = [t for t in base.args if t not in sure] if sure else []
    if not rest:
        return []
    factor, other = (make("*", *own) if len(own) > 1 else own[0] for own in (sure, rest))
    seen = at.sign(factor, True)
    return [_take_out_factor(at, base, plain, exponent, factor, other, seen)] if seen else []


def _number_power(at: Equations, s: Term, plain: Term, positive: str) -> str:
    """Rewrite b^e = b^k b^x for a number b and e = x + k; return None if the normal form differs."""
    base, exponent = s.args
    form = normal(plain)
    own = [p for p in parts(plain) if p.word == "^" and p.args[0] is base]
    if len(form) != 1 or len(own) != 1:
        return ""
    (mono, c), *_ = form.items()
    k = next((k for k in range(20) if base.args[0] ** k == c), None)
    if k is None or mono != ((own[0], 1),):
        return ""
    b, x = at.say(base), own[0].args[1]
    sum_ = make("+", x, number(k))
    return (
        f"rewrite (power_up_pos {b} {at.say(x)} {k}) by first [ {positive} | "
        f"transitivity {at.say(sum_)}; [ {at.equal(exponent, sum_)} | simpl; ring ] ]; ring"
    )


def _counted_power(at: Equations, s: Term, plain: Term) -> str:
    """Split a power with an integer exponent along the exponent, if granted."""
    base, exponent = s.args
    inner_base = at.plain(base)
    exponent_plain = at.plain(exponent)
    tactics = [at.inside([(base, inner_base), (exponent, exponent_plain)], "idtac"), "lits"]
    now = make("^", inner_base, exponent_plain)
    if at.say(now) == at.say(plain):
        return "; ".join([*tactics, "reflexivity"])
    if inner_base.word == "^" and is_integer(inner_base.args[1]) and inner_base.args[1].word != "number":
        return "; ".join(
            [
                *tactics,
                "rewrite power_mult_int by (first [ int | posx ])",
                "first [ reflexivity | f_equal; ring_or_field | split_int; ring_or_field | "
                "rewrite power_pow by (first [ int | posx ]); f_equal; simpl; ring_or_field ]",
            ]
        )
    ways = [_along_exponent(at, inner_base, plain, factors) for factors in _factors_of_base(at, inner_base)]
    return "; ".join([*tactics, first_of(ways)])


def _along_exponent(at: Equations, base: Term, plain: Term, factors: list[Term]) -> str:
    """Expand a power with an integer exponent by the factors of its base and the summands of its exponent."""
    tactics = list[str]()
    if len(factors) > 1:
        spread = make("*", *factors)
        tactics.append(f"rewrite_base ({at.say(base)}) ({at.say(spread)}) ({at.equal(base, spread)})")
    q = at.new("NZ")
    seen = "lra" if base.word == "number" else at.nonzero(base)
    if seen is not None:
        tactics.append(f"assert ({q} : {at.say(base)} <> 0) by ({seen})")
        tactics += at._bare(base, q)[0]
        for f in factors:
            own = at.nonzero(f) if f.word not in ("number", "+", "poly") and len(factors) > 1 else None
            if own:
                tactics.append(f"assert ({at.new('NZ')} : {at.say(f)} <> 0) by ({own})")
        tactics.append("split_nz")
    else:
        tactics.append("split_int")
    for root in dict.fromkeys(p for p in parts(plain) if p.word == "^" and p.args[1].word != "number"):
        own = at.nonzero(root)
        if own:
            tactics.append(f"assert ({at.new('NZ')} : {at.say(root)} <> 0) by ({own})")
    return "; ".join([*tactics, "first [ ring | field; nzs | powers_of_powers; field; nzs ]"])


def _factors_of_base(at: Equations, base: Term) -> list[list[Term]]:
    """Return ways to write a base as a product: as in the normal form of a power, or over a common denominator."""
    form = at.form(base)
    if not form or base.word in ("symbol", "number"):
        return [[base]]
    if not _has_sums(form):
        return [_sum_factors(form)]
    with noted():
        top, under = cleared(form)
    if len(top) < 2 or _has_sums(top) or _has_sums(under):
        return [[base]]
    return [[base], _sum_factors(top) + [make("^", f, MINUS) for f in _sum_factors(under)]]


def _has_sums(form: Normal) -> bool:
    return any(a.word == "poly" for m in form for a, _ in m)


def _sum_factors(form: Normal) -> list[Term]:
    """Return the factors of a sum of products: primes, symbols and the rest."""
    c, mono, rest = content(form)
    found: list[Term] = []
    for prime, e in (*_factors(abs(c).p), *((p, -e) for p, e in _factors(c.q))):
        own = number(prime) if e > 0 else make("^", number(prime), MINUS)
        found += [own] * abs(e)
    for a, e in mono:
        found += [a if e > 0 else make("^", a, MINUS)] * abs(e)
    if rest != UNIT or c < 0:
        found.append(term_of(scaled(rest, -1) if c < 0 else rest))
    return found


def _root(at: Equations, s: Term, plain: Term) -> str:
    """Rewrite a rational power by its q-th power."""
    base, exponent = s.args
    p, q = int(exponent.args[0].p), int(exponent.args[0].q)
    inner = at.plain(base)
    own = make("^", inner, exponent)
    before = at.inside([(base, inner)], "idtac") if at.say(base) != at.say(inner) else "idtac"
    if at.say(own) == at.say(plain):
        return f"{before}; reflexivity"
    below_it = (
        at.sign(inner.args[0], True) if inner.word == "^" == plain.word and inner.args[0] is plain.args[0] else None
    )
    if below_it is not None:  # (a^n)^e = a^(n e) for a positive a
        product = at.equal(make("*", inner.args[1], exponent), plain.args[1])
        texts = " ".join(f"({at.say(t)})" for t in (*inner.args, exponent))
        return f"{before}; rewrite (power_mult {texts}) by ({below_it}); f_equal; {product}"
    strict = at.sign(inner, True)
    if strict is not None and inner.word == "symbol":
        return f"{before}; as_exp ({at.say(inner)}) ltac:({strict}); exps"
    if strict is not None:
        alone = (p for p in (*parts(inner), *parts(plain)) if p.word == "symbol")
        letters = _as_exponentials(at, alone) if inner.word == "*" and plain.word == "*" else ""
        ways = [_by_roots(at, inner, plain, fmpq(p, q)), *([f"{letters}exps"] if letters else [])]
        lowest = at.sign(inner.args[0], True) if inner.word == "^" else None
        if lowest is not None:
            texts = " ".join(f"({at.say(t)})" for t in (*inner.args, exponent))
            positive = f"heads_exp ({at.say(inner.args[0])}) ltac:({lowest})"
            ways.append(f"rewrite (power_mult {texts}) by ({lowest}); {positive}; exps")
        return f"{before}; {first_of(ways)}"
    weak = at.sign(inner, False)
    if weak is None:
        return f"{before}; {_pull_out_factor(at, inner, plain, exponent)}"
    return f"{before}; {_by_roots(at, inner, plain, fmpq(p, q))}"


def _pull_out_factor(at: Equations, base: Term, plain: Term, exponent: Term) -> str:
    """Take a positive factor out of a root of unknown sign."""
    c, mono, rest = content(at.form(base))
    factor, other = term_of({mono: abs(c)}), term_of(scaled(rest, -1) if c < 0 else rest)
    seen = None if factor is ONE else at.sign(factor, True)
    if seen is None:
        raise Unsupported("a root of what has no sign")
    return _take_out_factor(at, base, plain, exponent, factor, other, seen)


def _take_out_factor(
    at: Equations, base: Term, plain: Term, exponent: Term, factor: Term, other: Term, seen: str
) -> str:
    """Rewrite (c a)^e = c^e a^e for a positive c."""
    a, b, e = (at.say(t) for t in (factor, other, exponent))
    spread = make("*", make("^", factor, exponent), make("^", other, exponent))
    return (
        f"transitivity (power ({a} * {b}) {e}); [ f_equal; {at.equal(base, make('*', factor, other))} | "
        f"rewrite (power_pull {a} {b} {e}) by ({seen}); {at.equal(spread, plain)} ]"
    )


def _by_roots(at: Equations, base: Term, plain: Term, exponent: fmpq) -> str:
    """Prove X = base^(p/q) from X^q = base^p: powers of X's own roots are their bases."""
    p, q = int(exponent.p), int(exponent.q)
    x = at.sign(plain, p < 0)
    b = at.sign(base, p < 0)
    if x is None or b is None:
        raise Unsupported("a root whose value has no sign")
    rules, held = "", list[str]()
    strict = at.sign(base, True)
    whole_base = [base] if strict is not None and base.word != "number" else []
    finer, left = at._finest_roots((base, plain))
    rules += "".join(f"{text}; " for _, text in finer)
    for t, seen in ((t, seen) for t in (*whole_base, *_denominators(base, plain)) if (seen := at.nonzero(t))):
        nz = at.new("NZ")
        rules += f"assert ({nz} : {at.say(t)} <> 0) by ({seen}); "
        rules += "".join(f"rewrite ?{q} in {nz}; " for q, _ in finer)
    nested = [r for r in left if any(map(is_root, open_parts(r.args[0])))]
    last = next((r for r in left if r not in nested), None)
    for root in (*sorted(nested, key=lambda r: -len(at.say(r))), *(r for r in left if r not in nested)):
        if root is last:  # arguments of other roots have symbols by now
            rules += "".join(f"rewrite ?{q}; " + "".join(f"rewrite ?{q} in {h}; " for h in held) for q, _ in finer)
        own = at.sign(root.args[0], True)
        weak = own or at.sign(root.args[0], False)
        if weak is None:
            raise Unsupported("a root of what has no sign")
        r, h, _e = at.new("rt"), at.new("hr"), at.new("he")
        e_own = root.args[1].args[0]
        rules += f"assert ({h} : {at.say(root)} ^ {int(e_own.q)} = {at.say(make('^', root.args[0], number(fmpq(e_own.p))))}) by (apply root_to; [ {'left; ' + own if own else weak} | lia | simpl; lra ]); "
        held.append(h)
        rules += f"set ({r} := {at.say(root)}) in *; clearbody {r}; "
    for size in dict.fromkeys(t for t in parts(plain) if t.word == "abs"):
        h = at.new("hr")
        rules += f"assert ({h} : {at.say(size)} ^ 2 = {at.say(size.args[0])} ^ 2) by (symmetry; apply pow2_abs_); "
        held.append(h)
    lemma = (
        f"apply (power_char _ _ _ {p} {q}); [ lia | lia | {b} | {x} | simpl; lra | "
        if p > 0
        else f"apply (power_char_neg _ _ _ {-p} {q}); [ lia | lia | {b} | {x} | simpl; lra | "
    )
    return f"{lemma} {rules} {_end(held)} ]"


def _denominators(*terms: Term) -> list[Term]:
    """Return denominators other than symbols and numbers."""
    bases: dict[Term, None] = {}
    for t in terms:
        collect_denominators(t, bases)
    return [b for b in bases if b.word not in ("symbol", "number")]


def _end(held: list[str]) -> str:
    own = f"[{' '.join(held)}]"
    return f"first [ ring_or_field | ring {own} | field {own}; nzs | roots_end ]" if held else "ring_or_field"


def logarithm(at: Equations, s: Term, plain: Term) -> str:
    """Prove ln X = Y from X = exp Y, where exp of c ln p is p^c."""
    inner = at.plain(s.args[0])
    before = at.inside([(s.args[0], inner)], "idtac")
    if at.say(make("log", inner)) == at.say(plain):
        return f"{before}; reflexivity"
    powers = _of_logarithms(plain)
    if powers is None:
        return _other_logarithm(at, before, plain)
    rules, product = [], []
    for p, c in powers.items():
        seen = at.sign(p, True) or _positivity_of_rest(at, s.args[0], p, powers)
        if seen is None:
            raise Unsupported("a logarithm of what has no sign")
        rules.append(
            f"rewrite ?(exp_ln_Z ({at.say(p)}) ({c})) by ({seen}); rewrite ?(exp_ln ({at.say(p)})) by ({seen})"
        )
        product.append(make("^", p, number(c)) if c != 1 else p)
    whole_product = make("*", *product) if len(product) > 1 else product[0] if product else ONE
    rest = f"cbn [powZ]; nats; {at.finish([inner, whole_product])}"
    return "; ".join([before, "apply ln_is", "rewrite ?exp_plus, ?exp_0", *rules, rest])


def _of_logarithms(plain: Term) -> dict[Term, int] | None:
    """Return the arguments in a sum of integers times logarithms."""
    found = {}
    for mono, c in normal(plain).items():
        if len(mono) != 1 or mono[0][0].word != "log" or mono[0][1] != 1 or c.q != 1:
            return None
        found[mono[0][0].args[0]] = int(c.p)
    return found


def _positivity_of_rest(at: Equations, whole_: Term, own: Term, powers: Mapping[Term, int]) -> str | None:
    """Prove one factor positive from the positive product and the other factors."""
    if abs(powers[own]) != 1 or any(p is not own and at.sign(p, True) is None for p in powers):
        return None
    others = [make("^", p, number(-c)) for p, c in powers.items() if p is not own]
    rest = make("*", whole_, *others) if others else whole_
    rest = make("^", rest, MINUS) if powers[own] == -1 else rest
    seen = at.sign(rest, True)
    return seen and f"apply (pos_as _ {at.say(rest)}); [ {at.equal(own, rest)} | {seen} ]"


def _other_logarithm(at: Equations, before: str, plain: Term) -> str:
    tactics = ""
    for p in dict.fromkeys(p.args[0] for p in open_parts(plain) if p.word == "log"):
        seen = at.sign(p, True)
        if seen:
            tactics += f"as_exp ({at.say(p)}) ltac:({seen}); "
    exponentials = f"{tactics}to_exp; one_exp; rewrite ?ln_exp; ring_or_field"
    return f"{before}; first [ reflexivity | {tactics}logs | {exponentials} ]"
