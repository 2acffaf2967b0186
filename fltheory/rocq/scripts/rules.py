"""The script of a step by its rule: one function for each rule, with the rule's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.kernel.context import class_of
from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, ONE, ZERO, Term, make, minus, number, put, read
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import UNIT, normal, term_of, vanishes
from fltheory.kernel.rules import HALF, _follows, _impossible
from fltheory.kernel.theorem import Step
from fltheory.rocq.equations.numbers import exponentials
from fltheory.rocq.names import Unsupported
from fltheory.rocq.scripts.applied import apply_theorem
from fltheory.rocq.scripts.derivatives import prove_rising
from fltheory.rocq.scripts.inductions import prove_induction
from fltheory.rocq.scripts.lines import gap
from fltheory.rocq.scripts.script import RuleScript, Script, lines, proof_at_outcome


def require_tactic(found: str | None, what: str) -> str:
    """Return the tactic; raise Unsupported, naming what was not found, if there is none."""
    if found is None:
        raise Unsupported(what)
    return found


def combine(script: Script, step: Step, claim: Line) -> None:
    """Prove the gap as a sum of products."""
    rule, at = step.rule, script.at
    weights = {n: script.expand(read(w)) for n, w in rule["weights"].items()}
    plain = not (weights or rule["axioms"] or rule["squares"] is not None)
    vector = claim.left.vector or claim.right.vector
    target, op = claim, claim.op
    if vector:
        z = make("family", "Vector", at.new("z"))
        script.emit(f"apply vext; intro {script.names.of(z)}.")
        target = Line(make("dot", claim.left, z), "==", make("dot", claim.right, z))
    taken: list[tuple[Term, str, bool]] = []
    for n, (proof, k) in lines(script, step).items():
        weight = weights.get(n, ONE if plain else ZERO)
        if weight is ZERO or (not weight.vector and vanishes(normal(weight))):
            continue
        taken.append(_product(script, proof, k, weight, op, z if vector else None))
    for entry in rule["axioms"]:
        taken.append(_axiom(script, step, entry))
    for entry in rule["squares"] or ():
        taken.append(_square(script, entry))
    close_by_sum(script, target, taken)


def _product(script: Script, proof: str, k: Line, weight: Term, op: str, z: Term | None) -> tuple[Term, str, bool]:
    at = script.at
    if z is not None:
        own = Line(make("dot", k.left, z), "==", make("dot", k.right, z))
        return make("*", weight, gap(own)), f"apply times_eq; apply dot_of_eq; exact {proof}", False
    if weight.vector:
        lemma = "dots_eq" if op == "==" else "dots_eq_le"
        return make("dot", weight, gap(k)), f"apply {lemma}; exact {proof}", False
    product = make("*", weight, gap(k))
    if k.op == "==":
        return product, f"apply {'times_eq' if op == '==' else 'times_eq_le'}; exact {proof}", False
    strict = op == "<" and k.op == "<"
    seen = at.sign(weight, True) if strict else None
    if seen:
        return product, f"apply times_lt; [ exact {proof} | {seen} ]", True
    seen = require_tactic(at.sign(weight, False), "the sign of a weight")
    exact = f"exact {proof}" if k.op == "<=" else f"left; exact {proof}"
    return product, f"apply times_le; [ {exact} | {seen} ]", False


def _axiom(script: Script, step: Step, entry: Mapping[str, Any]) -> tuple[Term, str, bool]:
    members = tuple(m for n, (_, m) in script.members.items() if n in step.uses)
    f, u, v = (read(entry[k]) for k in ("function", "u", "v"))
    member = class_of(f, members)
    proof = next(p for p, m in script.members.values() if m.name == member.name)
    kind = entry["kind"]
    weight = script.expand(read(entry["weight"]))
    smooth, convex = (None if c is None else script.expand(c) for c in (member.smooth, member.convex))
    fe = script.expand(f)
    u, v = script.expand(u), script.expand(v)
    sub_uv = make("+", u, make("*", MINUS, v))
    gu, gv = make("grad", fe, u), make("grad", fe, v)
    turn = make("+", gu, make("*", MINUS, gv))
    square = make("dot", sub_uv, sub_uv)
    tangent = make("+", make("val", fe, v), make("dot", gv, sub_uv))
    turns = make("dot", turn, turn)
    value = make("val", fe, u)
    sides: dict[str, Any] = {
        "convex": lambda: (make("+", tangent, make("*", HALF, convex, square)), value),
        "descent": lambda: (value, make("+", tangent, make("*", HALF, smooth, square))),
        "ascent": lambda: (make("+", tangent, make("*", MINUS, make("*", HALF, smooth, square))), value),
        "lipschitz": lambda: (turns, make("*", smooth, smooth, square)),
        "cocoercive": lambda: (make("+", tangent, make("*", HALF, make("^", smooth, MINUS), turns)), value),
        "interpolated": lambda: (
            make(
                "+",
                make("*", HALF, turns),
                make(
                    "+",
                    make("*", HALF, smooth, convex, square),
                    make("*", MINUS, make("*", convex, make("dot", turn, sub_uv))),
                ),
            ),
            make("*", make("+", smooth, make("*", MINUS, convex)), make("+", value, make("*", MINUS, tangent))),
        ),
    }
    left, right = sides[kind]()
    own = Line(left, "<=", right)
    at_ = " ".join(script.names.number(a) for a in f.args[2:])
    least = script.names.number(convex or ZERO) if kind == "cocoercive" else "_"
    head = f"class_{kind} _ _ _ _ {least}"
    nonneg = (
        f" ltac:({require_tactic(script.at.sign(convex or ZERO, False), 'the sign of a convexity')})"
        if kind == "cocoercive"
        else ""
    )
    said = f"({head}{nonneg} ({proof} {script.names.w} {at_}) {script.names.vector(u)} {script.names.vector(v)})"
    q = script.at.new("Ax")
    script.emit(f"assert ({q} : {script.names.relation(own)}) by exact {said}.")
    for e in script.equations:  # an equation may replace a gradient
        script.emit(f"rewrite ?{e} in {q}.")
    own = script.expanded(own)
    return (
        make("*", weight, gap(own)),
        f"apply times_le; [ exact {q} | {require_tactic(script.at.sign(weight, False), 'the sign of the weight of an axiom')} ]",
        False,
    )


def _square(script: Script, entry: Mapping[str, Any]) -> tuple[Term, str, bool]:
    weight = script.expand(read(entry["weight"]))
    vector = script.expand(make("+", *(make("*", read(c), read(v)) for c, v in entry["vector"])))
    own = make("*", weight, make("dot", vector, vector))
    if "sign" in entry:
        seen = certificate(script, weight, entry["sign"])
    else:
        seen = require_tactic(script.at.sign(weight, False), "the sign of the weight of a square")
    return own, f"apply Rmult_le_pos; [ {seen} | apply dot_nonneg ]", False


def certificate(script: Script, target: Term, cert: Mapping[str, Any]) -> str:
    """Return a tactic for 0 <= target by an identity."""
    multiplier = read(cert["multiplier"])
    summands, signs = _certificate_terms(script, cert)
    whole_sum = make("+", *summands) if len(summands) > 1 else summands[0] if summands else ZERO
    positive = require_tactic(script.at.sign(multiplier, True), "the sign of a multiplier")
    product = make("*", multiplier, target)
    return (
        f"apply (nn_times _ {script.names.number(multiplier)} {script.names.number(whole_sum)}); "
        f"[ {positive} | {script.at.equal(product, whole_sum)} | {_chain(signs)} ]"
    )


def _certificate_terms(script: Script, cert: Mapping[str, Any]) -> tuple[list[Term], list[str]]:
    summands, signs = [], []
    for entry in cert["terms"]:
        factors, own = [read(entry["coefficient"])], ["lra"]
        for fact, k in entry["facts"]:
            f = read(fact)
            seen = require_tactic(script.at.sign(f, False), f"the sign of a fact: {str(f)[:70]}")
            factors.append(make("^", f, number(k)) if k != 1 else f)
            own.append(f"apply pow_le; {seen}" if k != 1 else seen)
        if "square" in entry:
            factors.append(make("^", read(entry["square"]), number(2)))
            own.append("apply even_pow; reflexivity")
        tactic = own[-1]
        for t in own[-2::-1]:
            tactic = f"apply Rmult_le_pos; [ {t} | {tactic} ]"
        summands.append(make("*", *factors) if len(factors) > 1 else factors[0])
        signs.append(tactic)
    return summands, signs


def _chain(signs: Sequence[str], lemma: str = "apply Rplus_le_le_0_compat") -> str:
    if not signs:
        return "lra"
    tactic = signs[-1]
    for t in signs[-2::-1]:
        tactic = f"{lemma}; [ {t} | {tactic} ]"
    return tactic


def close_by_sum(script: Script, claim: Line, taken: Sequence[tuple[Term, str, bool]]) -> None:
    """Prove l op r, whose gap is the sum of the given lines and of slack."""
    at, op = script.at, claim.op
    terms = [t for t, _, _ in taken]
    own = gap(claim)
    with noted():
        rest = normal(make("+", own, *(make("*", MINUS, t) for t in terms)))
        slack = None if op == "==" or vanishes(rest) else term_of(rest)
    signs = [(s, strict) for _, s, strict in taken]
    if slack is not None:
        strictly = at.sign(slack, True) if op == "<" and not any(s for _, s in signs) else None
        seen = strictly or require_tactic(at.sign(slack, False), f"the sign of the slack: {str(slack)[:90]}")
        terms.append(slack)
        signs.append((seen, strictly is not None))
    whole_sum = make("+", *terms) if len(terms) > 1 else terms[0] if terms else ZERO
    said = script.names.number(whole_sum)
    lemma = {"<=": "by_le", "<": "by_lt", "==": "by_eq"}[op]
    equation = at.equal(own, whole_sum)
    if op == "==":
        last = _chain([s for s, _ in signs], "apply plus00") if signs else "reflexivity"
    elif op == "<=":
        last = _chain([s for s, _ in signs])
    else:
        last = _strict(signs)
    script.emit(f"apply ({lemma} _ _ {said}).\n- {equation}.\n- {last}.")


def _strict(signs: Sequence[tuple[str, bool]]) -> str:
    place = next((k for k, (_, s) in enumerate(signs) if s), None)
    if place is None:
        raise Unsupported("nothing strict")
    tactic = ""
    for k in reversed(range(len(signs))):
        s, _ = signs[k]
        if k == len(signs) - 1:
            tactic = s
        elif k > place:
            tactic = f"apply Rplus_le_le_0_compat; [ {s} | {tactic} ]"
        elif k == place:
            tactic = f"apply Rplus_lt_le_0_compat; [ {s} | {tactic} ]"
        else:
            tactic = f"apply Rplus_le_lt_0_compat; [ {s} | {tactic} ]"
    weak = [k for k, (_, s) in enumerate(signs) if s and k > place]
    for k in weak:  # later strict ones are used as weak ones
        tactic = tactic.replace(signs[k][0], f"left; {signs[k][0]}")
    return tactic


def polynomial(script: Script, step: Step, claim: Line) -> None:
    """Prove the certificate's identity."""
    cert = step.rule["certificate"]
    multiplier = read(cert["multiplier"])
    summands, signs = _certificate_terms(script, cert)
    whole_sum = make("+", *summands) if len(summands) > 1 else summands[0] if summands else ZERO
    positive = require_tactic(script.at.sign(multiplier, True), "the sign of a multiplier")
    product = make("*", multiplier, gap(claim))
    script.emit(
        f"apply (by_mul _ _ {script.names.number(multiplier)} {script.names.number(whole_sum)}).\n- {positive}.\n- {script.at.equal(product, whole_sum)}.\n- {_chain(signs)}."
    )


def _only(script: Script, step: Step) -> str:
    names = [n for n in step.uses if n in script.known]
    if len(names) != 1:
        raise Unsupported("one line is wanted")
    return names[0]


def expected(script: Script, step: Step, claim: Line) -> None:
    """Prove the expectation of both sides."""
    own = script.known[_only(script, step)]
    k = script.expanded(own.line)
    op = "==" if k.op == "==" else "<="
    o = script.at.enter()
    proof = proof_at_outcome(script, script.apply_known(own, {}))
    left, right = script.names.number(k.left), script.names.number(k.right)
    script.at.leave()
    if script.equations:
        raise Unsupported("an expectation with an equation inserted")
    q = script.at.new("X")
    weak = "left; " if k.op == "<" else ""
    lemma = "mean_ext" if op == "==" else "mean_le"
    script.emit(
        f"assert ({q} : mean M (fun {o} => {left}) {'=' if op == '==' else op} mean M (fun {o} => {right})) by (apply {lemma}; intro {o}; {weak}exact {proof})."
    )
    script.emit(script.from_line(claim, Line(make("mean", k.left), op, make("mean", k.right)), q) + ".")


def summed(script: Script, step: Step, claim: Line) -> None:
    """Prove the weighted sum of both sides."""
    own = script.known[_only(script, step)]
    k = script.expanded(own.line)
    weight = script.expand(read(step.rule["weight"]))
    indices = [read(i) for i in step.rule["indices"]]
    ranges = {i: (lo, hi) for i, lo, hi in k.over}
    vector = k.left.vector or k.right.vector
    sides = [
        s if s.vector or not vector else make("*", ZERO, k.left if k.left.vector else k.right)
        for s in (k.left, k.right)
    ]
    bare = weight is ONE and not vector
    left, right = sides if bare else (make("*", weight, s) for s in sides)
    for i in indices:
        left, right = (make("sum", s, i, *ranges[i]) for s in (left, right))
    op = "==" if k.op == "==" else "<="
    if script.equations:
        raise Unsupported("a sum with an equation inserted")
    q = script.at.new("X")
    script.set_aside([script.names.of(i) for i in indices])
    intros, kept, claim_before = "", list(script.at.facts), script.claim
    extra = []
    for i in reversed(indices):
        v = script.names.of(i)
        lemma = "vtotal_ext" if vector else "total_ext" if op == "==" else "total_le"
        intros += f"apply {lemma}; intros {v} I_{v} A_{v} B_{v}; cbv beta; "
        lo, hi = ranges[i]
        first = {"from 0": "0", "from 1": "1"}.get(i.args[1])
        intros += f"pose proof I_{v} as Z_{v}; " if i in script.free else ""
        if first:
            intros += f"assert (G_{v} : {first} <= {v}) by lra; "
        script.fact(f"A_{v}", Line(lo, "<=", i))
        script.fact(f"B_{v}", Line(i, "<=", hi))
        extra.append((i, lo, hi))
    script.claim = Line(claim.left, claim.op, claim.right, (*claim.over, *extra))
    script._as_fact("", own, False)
    proof = proof_at_outcome(script, script.apply_known(own, {}))
    weak = "left; " if k.op == "<" else ""
    if bare:
        last = f"{weak}exact {proof}"
    elif op == "==":
        nothing = "rewrite ?vscal_0; " if vector and not (k.left.vector and k.right.vector) else ""
        last = f"f_equal; {nothing}exact {proof}"
    else:
        last = f"apply Rmult_le_compat_l; [ {require_tactic(script.at.sign(weight, False), 'the sign of a weight')} | {weak}exact {proof} ]"
    script.at.facts, script.claim = kept, claim_before
    script.emit(
        f"assert ({q} : {script.names.number(left)} {'=' if op == '==' else op} {script.names.number(right)}) by ({intros}{last})."
    )
    script.emit(script.from_line(claim, Line(left, op, right), q) + ".")


def instance(script: Script, step: Step, claim: Line) -> None:
    """Prove the first line at integers."""
    name = next(n for n in [*(n for n in step.uses if n in script.known), *script.supposed])
    own = script.supposed.get(name) or script.known[name]
    at = {read(i): script.expand(read(v)) for i, v in step.rule["at"]}
    k = script.expanded(own.line)
    left_over = [i for i in k.indices if i not in at and i not in script.claim.indices]
    names = dict(zip([i for i in k.names if i not in at], claim.names, strict=False)) if left_over else {}
    proof = proof_at_outcome(script, script.apply_known(own, {**at, **names}))
    found = Line(put(k.left, {**at, **names}), k.op, put(k.right, {**at, **names}))
    script.emit(_finish(script, claim, found, proof))


def _finish(script: Script, claim: Line, found: Line, proof: str) -> str:
    text = ""
    if script.equations:
        q = script.at.new("U")
        text = f"pose proof {proof} as {q}; cbv beta in {q}.\n" + "".join(
            f"rewrite ?{e} in {q}.\n" for e in script.equations
        )
        proof = q
        found = script.expanded(found)
    return text + script.from_line(claim, found, proof) + "."


def squeezed(script: Script, step: Step, claim: Line) -> None:
    """Prove an equation by both inequalities."""
    one, two = list(lines(script, step).values())[:2]
    for own, back in (((one, two)), ((two, one))):
        with noted():
            if vanishes(normal(make("+", gap(Line(claim.left, "<=", claim.right)), make("*", MINUS, gap(own[1]))))):
                a = script.from_line(Line(claim.left, "<=", claim.right), own[1], own[0])
                b = script.from_line(Line(claim.right, "<=", claim.left), back[1], back[0])
                script.emit(f"apply Rle_antisym.\n- {a}.\n- {b}.")
                return
    raise Unsupported("two lines that are not opposite")


def power(script: Script, step: Step, claim: Line) -> None:
    """Prove a^p <= b^p."""
    (zero, z), (order, k) = list(lines(script, step).values())[:2]
    exponent = script.expand(read(step.rule["exponent"]))
    left, right = (make("^", s, exponent) for s in (k.left, k.right))
    q = script.at.new("X")
    weak = "left; " if k.op == "<" else ""
    first = script.from_line(Line(ZERO, "<=", k.left), z, zero)
    n = int(exponent.args[0].p) if exponent.word == "number" and exponent.args[0].q == 1 else None
    if n == 0 or n == 1:
        raise Unsupported("a trivial power")
    if n is not None:
        tactic = f"apply pow_incr; split; [ {first} | {weak}exact {order} ]"
    else:
        seen = require_tactic(script.at.sign(exponent, False), "the sign of an exponent")
        tactic = f"apply power_incr; [ {first} | {weak}exact {order} | {seen} ]"
    script.emit(f"assert ({q} : {script.names.number(left)} <= {script.names.number(right)}) by ({tactic}).")
    script.emit(script.from_line(claim, Line(left, "<=", right), q) + ".")


def known(script: Script, step: Step, claim: Line) -> None:
    """Prove an elementary fact of the library."""
    at, name, say = script.expand(read(step.rule["at"])), step.rule["name"], script.names.number
    lines(script, step)
    if name == "exp":
        found = Line(make("+", ONE, at), "<=", make("exp", at))
        return script.emit(script.from_line(claim, found, f"(exp_ineq1_le {say(at)})") + ".")
    if name == "log":
        seen = require_tactic(script.at.sign(at, True), "the sign of a logarithm's argument")
        found = Line(make("log", at), "<=", make("+", at, make("*", MINUS, ONE)))
        return script.emit(script.from_line(claim, found, f"(ln_le1' {say(at)} ltac:({seen}))") + ".")
    if name in ("max", "min"):
        return _extreme(script, claim, at, name)
    candidates: list[tuple[Line, str]] = []
    if name == "floor":
        down = make("floor", at)
        candidates = [
            (Line(down, "<=", at), f"(floor_le {say(at)})"),
            (Line(at, "<", make("+", down, ONE)), f"(floor_gt {say(at)})"),
        ]
        if claim.op == "<=" and say(claim.right) == say(down):
            candidates.append((claim, f"ltac:(apply floor_max; [ int | {script.at.at_most(claim.left, at)} ])"))
    if name == "abs":
        candidates = [(Line(at, "<=", make("abs", at)), f"(Rle_abs {say(at)})")]
    if name == "indicator":
        one, size = make("indicator", at), make("abs", at)
        candidates = [
            (Line(one, "<=", ONE), f"(indicator_le1 {say(at)})"),
            (Line(make("*", at, one), "==", make("*", HALF, make("+", at, size))), f"(indicator_half {say(at)})"),
            (Line(make("*", size, one), "==", make("*", at, one)), f"(indicator_abs {say(at)})"),
            (Line(ONE, "<=", make("+", one, make("indicator", make("*", MINUS, at)))), f"(indicator_both {say(at)})"),
        ]
        inside = script.at.sign(at, False)
        if inside:
            candidates.append((Line(one, "==", ONE), f"(indicator_one {say(at)} ltac:({inside}))"))
    _first(script, claim, candidates)


def _first(script: Script, claim: Line, candidates: Sequence[tuple[Line, str]]) -> None:
    for found, proof in candidates:
        with noted():
            one = normal(make("+", gap(claim), make("*", MINUS, gap(found))))
            two = normal(make("+", gap(claim), gap(found))) if claim.op == "==" else UNIT
            if found.op == claim.op and (vanishes(one) or (claim.op == "==" and vanishes(two))):
                return script.emit(script.from_line(claim, found, proof) + ".")
    raise Unsupported("none of the facts that are known")


def _extreme(script: Script, claim: Line, at: Term, name: str) -> None:
    for a in at.args:
        tactics = []
        for b in at.args:
            if b is a:
                continue
            low, high = (b, a) if name == "max" else (a, b)
            seen = script.at.sign(minus(high, low), False)
            if seen is None:
                break
            tactics.append(
                f"assert ({script.names.number(low)} <= {script.names.number(high)}) by ({seen if low is ZERO else 'apply Rminus_le_0; ' + seen}); "
            )
        else:
            found = Line(at, "==", a)
            with noted():
                if not (
                    vanishes(normal(make("+", gap(claim), make("*", MINUS, gap(found)))))
                    or vanishes(normal(make("+", gap(claim), gap(found))))
                ):
                    continue
            f"ltac:({''.join(tactics)}lattice_goal)"
            q = script.at.new("X")
            way: str = "lattice_goal"
            if len(at.args) == 2:
                way = f"apply R{name}_{'left' if a is at.args[0] else 'right'}; assumption"
            script.emit(f"assert ({q} : {script.names.relation(found)}) by ({''.join(tactics)}{way}).")
            script.emit(script.from_line(claim, found, q) + ".")
            return
    raise Unsupported("which is the extreme")


def absolute(script: Script, step: Step, claim: Line) -> None:
    """Prove |a| <= b."""
    a, b = claim.left.args[0], claim.right
    sides = [Line(a, "<=", b), Line(make("*", MINUS, a), "<=", b)]
    own = list(lines(script, step).values())
    tactics = [_side_bound(script, side, own) for side in sides]
    script.emit(f"apply abs_le.\n- {tactics[0]}.\n- {tactics[1]}.")


def _side_bound(script: Script, side: Line, own: Sequence[tuple[str, Line]]) -> str:
    for proof, k in own:
        if k.op != "==":
            with noted():
                if vanishes(normal(make("+", gap(side), make("*", MINUS, gap(k))))):
                    return script.from_line(side, k, proof)
    raise Unsupported("a bound that is not there")


def monotone(script: Script, step: Step, claim: Line) -> None:
    """Prove monotonicity of indicators."""
    side = Line(claim.left.args[0], "<=", claim.right.args[0])
    script.emit(f"apply indicator_incr. {_side_bound(script, side, list(lines(script, step).values()))}.")


def cases(script: Script, step: Step, claim: Line) -> None:
    """Prove by a tree of case distinctions, with one of the lines at each leaf."""
    branches = []
    for n in step.uses:
        if n in script.known:
            k = script.known[n]
            asked = [
                script.expanded(h)
                for h in k.assuming
                if not any(
                    script.names.relation(h) == script.names.relation(o.line) and not h.over
                    for o in script.supposed.values()
                )
            ]
            branches.append((n, asked))
    script.emit(_tree(script, claim, branches, ()) + ".")


def _tree(script: Script, claim: Line, branches: Sequence[tuple[str, list[Line]]], split: tuple[Line, ...]) -> str:
    for n, asked in branches:
        if not asked:
            own = script.known[n]
            proof = proof_at_outcome(script, script.apply_known(own, {}))
            k = script.expanded(own.line)
            return script.from_line(claim, Line(k.left, k.op, k.right), proof)
    if _impossible(split):
        return "exfalso; lra"
    one = next((h for _, b in branches for h in b if h.op != "==" and not h.over and not h.left.vector), None)
    if one is None:
        raise Unsupported("cases that leave something out")
    other = Line(one.right, "<" if one.op == "<=" else "<=", one.left)
    kept = list(script.at.facts)
    tactics = []
    h = script.at.new("Cs")
    for fact, rest in ((one, branches), (other, [(n, b) for n, b in branches if one not in b])):
        script.fact(h, fact)
        more = ""
        with noted():
            from fltheory.kernel.context import integer

            if fact.op == "<" and integer(fact.gap):
                j = script.at.new("Cs")
                more = f"pose proof (int_gap {script.names.number(fact.left)} {script.names.number(fact.right)} ltac:(int) {h}) as {j}; "
                script.fact(j, Line(make("+", fact.left, ONE), "<=", fact.right))
            left = [(n, [g for g in b if not _follows(g, fact)]) for n, b in rest]
        tactics.append(more + _tree(script, claim, left, (*split, fact)))
        script.at.facts = list(kept)
    a, b = script.names.number(one.left), script.names.number(one.right)
    how = f"Rle_or_lt {a} {b}" if one.op == "<=" else f"Rlt_or_le {a} {b}"
    return f"destruct ({how}) as [{h}|{h}]; [ {tactics[0]} | {tactics[1]} ]"


def ball(script: Script, step: Step, claim: Line) -> None:
    """Prove by interval arithmetic, symbol by symbol."""
    box = {read(s): (read(lo), read(hi)) for s, lo, hi in step.rule["box"]}
    say = script.names.number
    for s, (lo, hi) in box.items():
        for a, b in ((lo, s), (s, hi)):
            script.emit(f"assert ({say(a)} <= {say(b)}) by ({script.at.at_most(a, b)}).")
    sides = ", ".join("i_bisect " + say(s) for s in box)
    bisect = f"interval with ({sides}, i_depth 30)" if box else "interval"
    whole_gap = term_of(normal(gap(claim)))
    direct = f"{exponentials(script.at, gap(claim))}; {bisect}"
    simple = (
        f"apply (by_le _ _ {say(whole_gap)}); [ {script.at.equal(gap(claim), whole_gap)} | rewrite ?power_e; {bisect} ]"
    )
    script.emit(f"first [ {direct} | {simple} ].")


RULES: dict[str, RuleScript] = {
    "Absolute": absolute,
    "Apply": apply_theorem,
    "Ball": ball,
    "Cases": cases,
    "Combine": combine,
    "Expected": expected,
    "Induction": prove_induction,
    "Instance": instance,
    "Known": known,
    "Monotone": monotone,
    "Polynomial": polynomial,
    "Power": power,
    "Rising": prove_rising,
    "Squeezed": squeezed,
    "Summed": summed,
}
