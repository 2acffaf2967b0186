"""Application of a theorem: its plain lemma with other symbols, and proofs of its hypotheses."""

from __future__ import annotations

from fltheory.kernel.applied import PERMUTATION, _multiple, _taken, line_at, term_at
from fltheory.kernel.context import Context, class_of
from fltheory.kernel.language.lines import Definition, Line, Member
from fltheory.kernel.language.terms import ONE, ZERO, Term, endless, fresh, make, minus, put, read, slots, symbol
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import is_zero, normal, vanishes
from fltheory.kernel.theorem import Step, Theorem
from fltheory.rocq.names import INTEGERS, Unsupported
from fltheory.rocq.scripts.script import Script, proof_at_outcome, with_equations
from fltheory.rocq.theorem import ScriptLine, module_name, symbols_of

At = list[tuple[Term, Term]]


def apply_theorem(script: Script, step: Step, claim: Line) -> None:
    """Prove the theorem's statement after substitution, then the claim."""
    theorem = script.earlier.get(step.rule["theorem"])
    if theorem is None:
        raise Unsupported("a theorem that is not there")
    at: At = [(read(k), read(v)) for k, v in step.rule["at"]]
    values: At = [(k, v if k.args[0] == "Fun" else script.expand(v)) for k, v in at]
    args, goals = ["M"], []
    mine = {_key(t) for t in symbols_of(script.own)}
    for t in symbols_of(theorem):
        a, g = _argument(script, theorem, t, values, mine)
        args += a
        goals += g
    wide = Context({}, tuple(script.inserted), (), script.claim)
    statement = script.expanded(line_at(theorem.statement, at, _taken(wide)))
    chance = theorem.of_chance
    for h in theorem.hypotheses.values():
        goals.append(_discharge(script, step, theorem, h, at, claim, wide))
    name = script.at.new("Th")
    holes = " ".join(["_"] * len(goals))
    said = f"forall w : Omega M, {script.names.ranges(statement.over)}{script.names.relation(statement)}"
    if not chance:
        said = f"Omega M -> {script.names.ranges(statement.over)}{script.names.relation(statement)}"
    tactics = " | ".join(goals)
    script.emit(
        f"assert ({name} : {said}).\n{{ refine ({module_name(theorem.name)}.plain {' '.join(args)} {holes}); [ {tactics} ]. }}"
        if goals
        else f"assert ({name} : {said}) by exact ({module_name(theorem.name)}.plain {' '.join(args)})."
    )
    free = not statement.over and claim.over
    names = {} if free else {j: i for (i, _, _), (j, _, _) in zip(claim.over, statement.over, strict=False)}
    found = Line(put(statement.left, names), statement.op, put(statement.right, names))
    proof = with_equations(script, proof_at_outcome(script, script.apply_known(ScriptLine(name, statement), names)))
    script.emit(script.from_line(claim, found, proof) + ".")


def _key(t: Term) -> tuple[object, ...]:
    if t.word == "symbol":
        return ("symbol", *t.args)
    return ("draw",) if t.word == "draw" else (t.args[0], t.args[1], len(t.args))


def _argument(
    script: Script, theorem: Theorem, t: Term, at: At, mine: set[tuple[object, ...]]
) -> tuple[list[str], list[str]]:
    """Return the argument for a symbol of the theorem, and tactics for its sort."""
    say, chance = script.names, theorem.of_chance
    if t.word == "draw":
        return _draws(script, chance, at, mine)
    if t.word == "symbol":
        found = next((v for k, v in at if k is t), None)
        own = script.expand(t) if found is None else found
        if found is None and _key(t) not in mine and t not in script.claim.indices:
            own = ONE
        return [say.number(own)], _sorts(script, t.args[1], own)
    return _family(script, chance, t, at, mine)


def _draws(script: Script, chance: bool, at: At, mine: set[tuple[object, ...]]) -> tuple[list[str], list[str]]:
    """Return the random draws for the theorem: the same ones, or those of one round."""
    say = script.names
    if ("draw",) not in mine:
        return ["(fun _ _ _ _ => 1)"], ["apply one_draws", "fail"]
    which = next((v for k, v in at if k.word == "symbol" and k.args[0] == PERMUTATION), None)
    if which is not None:
        of = f"(match r with None => Some {say.number(which)} | _ => r end)"
        outcome = "o" if chance else "_"
        return [f"(fun r m i {outcome} => dr {of} m i {'o' if chance else say.w})"], [
            "intros; apply dr_integer",
            "intros; apply dr_permutes; assumption",
        ]
    if chance:
        return ["dr"], ["exact dr_integer", "exact dr_permutes"]
    return [f"(fun r m i _ => dr r m i {say.w})"], ["intros; apply dr_integer", "intros; apply dr_permutes; assumption"]


def _family(
    script: Script, chance: bool, t: Term, at: At, mine: set[tuple[object, ...]]
) -> tuple[list[str], list[str]]:
    """Return the argument for a family, as a function of its indices."""
    say = script.names
    placed, value = _find_replacement(at, t)
    key = t if placed is None else placed
    if placed is None:
        key = make("family", *t.args[:2], *(symbol(f"x{n}", "real") for n in range(len(t.args) - 2)))
        value = script.expand(key) if t.args[0] != "Fun" else key
        if _key(t) not in mine:
            value = ONE if not t.vector and t.args[0] != "Fun" else None
    own_slots = {s: fresh(s) for s in slots(key)}
    value = None if value is None else put(value, own_slots)
    xs = [say.of(s) for s in own_slots.values()]
    head = "".join(f"fun {x} : R => " for x in xs)
    if t.args[0] == "Fun":
        if value is None:
            return [f"({head}fun _ : V M => 0)", f"({head}fun _ : V M => vzero M)"], []
        function, idx = say.of(value), [say.number(a) for a in value.args[2:]]
        return [f"({head}{' '.join([function + e, *idx])})" for e in ("_v", "_g")], []
    random = t.args[0].startswith("Random")
    before = say.w
    if random and chance:
        say.means += 1
        say.w = f"o{say.means}"
        head += f"fun {say.w} : Omega M => "
    elif random:
        head += "fun _ : Omega M => "
    body = ("(vzero M)" if value is None else say.vector(value)) if t.vector else say.number(value or ONE)
    tactics = []
    kind = t.args[0]
    sort = (
        "positive"
        if kind.endswith("Positive")
        else "nonnegative"
        if kind.endswith("Nonnegative")
        else "integer"
        if kind == "RandomInteger"
        else ""
    )
    if sort and value is not None:
        intro = [*xs, *(([say.w] if chance else ["_"]) if random else [])]
        list(script.at.facts)
        tactics = [
            f"{f'intros {chr(32).join(x if x != chr(95) else chr(63) for x in intro)}; ' if intro else ''}cbv beta; {s}"
            for s in _sorts(script, sort, value)
        ]
    if random and chance:
        say.means -= 1
        say.w = before
    return [f"({head}{body})" if head else body], tactics


def _find_replacement(at: At, t: Term) -> tuple[Term | None, Term | None]:
    """Return the term for a family of the theorem, at its indices."""
    return next(((k, v) for k, v in at if k.word == "family" and _key(k) == _key(t)), (None, None))


def _sorts(script: Script, sort: str, value: Term) -> list[str]:
    at, found = script.at, list[str | None]()
    if sort in INTEGERS:
        found.append("int")
    if sort in ("nonnegative", "from 0"):
        found.append(at.sign(value, False))
    if sort == "positive":
        found.append(at.sign(value, True))
    if sort == "from 1":
        less = at.sign(minus(value, ONE), False)
        above = None if less else at.sign(value, True)
        found.append(f"apply Rminus_le_0; {less}" if less else f"apply int_ge1; [ int | {above} ]" if above else None)
    if any(f is None for f in found):
        raise Unsupported("the sign of what is put into a theorem")
    return [f for f in found if f is not None]


def _discharge(
    script: Script, step: Step, theorem: Theorem, h: Line | Definition | Member, at: At, claim: Line, wide: Context
) -> str:
    """Return a tactic for one hypothesis of the theorem."""
    say, chance = script.names, theorem.of_chance
    before, count = say.w, say.means
    intro = "intros w_; " if not chance else ""
    try:
        if chance:
            say.means += 1
            say.w = f"v{say.means}"
            intro = f"intros {say.w}; "
        if isinstance(h, Member):
            return _member(script, step, h, at, intro)
        if isinstance(h, Definition):
            return _definition(script, step, h, at, intro, claim)
        return _line(script, step, line_at(h, at, _taken(wide)), claim, intro)
    finally:
        say.w, say.means = before, count


def _member(script: Script, step: Step, h: Member, at: At, intro: str) -> str:
    names = {s: fresh(s, "integer") for s in slots(h.function)}
    own = class_of(
        term_at(put(h.function, names), at), tuple(m for n, (_, m) in script.members.items() if n in step.uses)
    )
    proof = next(p for p, m in script.members.values() if m.name == own.name)
    xs = [script.names.of(x) for x in names.values()]
    idx = " ".join(script.names.number(a) for a in own.function.args[2:])
    have = f"({proof} {script.names.w} {idx})"
    pairs = []
    for wanted, given in ((h.smooth, own.smooth), (h.convex, own.convex)):
        w = None if wanted is None else script.expand(term_at(put(wanted, names), at))
        g = None if given is None else script.expand(given)
        pairs.append((w, g))
    tactics = []
    for place, (w, g) in enumerate(pairs):
        if w is not None and g is not None and script.names.number(w) != script.names.number(g):
            with noted():
                alike = vanishes(normal(minus(w, g)))
            if not alike:
                if place == 0:
                    raise Unsupported("a class with another smoothness")
                weaker = script.at.at_most(w, g)
                tactics.append(f"apply (class_weaker _ _ _ _ {script.names.number(g)}); [ | {weaker} ]; ")
                continue
            q = script.at.new("Q")
            tactics.append(
                f"assert ({q} : {script.names.number(w)} = {script.names.number(g)}) by ({script.at.equal(w, g)}); rewrite ?{q}; "
            )
    less = [w is None and g is not None for w, g in pairs]
    how = {
        (False, False): "exact",
        (True, False): "apply (class_less_smooth _ _ _ _ _",
        (False, True): "apply (class_less_convex _ _ _ _ _",
        (True, True): "apply (class_less _ _ _ _ _",
    }[tuple(less)]  # type: ignore[index]
    end = f"exact {have}" if how == "exact" else f"{how} {have})"
    more = f"intros {' '.join(xs)}; " if xs else ""
    return f"{intro}{more}cbv beta; lits; {''.join(tactics)}{end}"


def _definition(script: Script, step: Step, h: Definition, at: At, intro: str, claim: Line) -> str:
    own = {s: fresh(s, "integer") for s in slots(h.left)} if h.left.word == "family" else {}
    left, right = (script.expand(term_at(put(e, own), at)) for e in (h.left, h.right))
    xs = [script.names.of(x) for x in own.values()]
    more = f"intros {' '.join(xs)}; " if xs else ""
    with noted():
        plainly = left.vector == right.vector and is_zero(minus(left, right))
    if plainly or own:
        return f"{intro}{more}cbv beta; lits; {script.at.equal(left, right)}"
    return _line(script, step, Line(term_at(h.left, at), "==", term_at(h.right, at)), claim, intro)


def _line(script: Script, step: Step, wanted: Line, claim: Line, intro: str) -> str:
    """Prove a line by its sign, or by one of the lines used."""

    say = script.names
    goal = script.expanded(wanted)
    intros, kept, kept_claim = [], list(script.at.facts), script.claim
    outer = tuple(r for r in claim.over if r[0] not in goal.indices)
    own_names = {}
    for i in goal.names:
        if i in claim.indices or say.of(i) in script.fixed:
            own_names[i] = fresh(i)
    if own_names:
        goal = goal.renamed(own_names)
        wanted = wanted.renamed(own_names)
    script.claim = Line(goal.left, goal.op, goal.right, (*goal.over, *outer))
    more = ""
    for i, lo, hi in goal.over:
        v = say.of(i)
        intros += [v, f"I_{v}"] + ([] if endless(lo) else [f"A_{v}"]) + ([] if endless(hi) else [f"B_{v}"])
        for end, proof, a, b in ((lo, f"A_{v}", lo, i), (hi, f"B_{v}", i, hi)):
            if not endless(end):
                script.fact(proof, Line(a, "<=", b))
        first = {"from 0": "0", "from 1": "1"}.get(i.args[1])
        more += f"assert (G_{v} : {first} <= {v}) by lra; " if first else ""
    head = f"{intro}{f'intros {chr(32).join(intros)}; ' if intros else ''}{more}cbv beta; lits; "
    try:
        return head + _by(script, step, Line(goal.left, goal.op, goal.right), goal, own_names)
    finally:
        script.at.facts, script.claim = kept, kept_claim


def _by(script: Script, step: Step, plain: Line, goal: Line, own_names: dict[Term, Term]) -> str:
    say = script.names
    back = {v: k for k, v in own_names.items()}
    trivial = not plain.left.vector and not plain.right.vector
    with noted():
        if trivial and plain.op == "==" and vanishes(normal(plain.gap)):
            return script.at.equal(plain.left, plain.right)
        if not trivial and plain.op == "==":
            if say.vector(plain.left) == say.vector(plain.right):
                return "reflexivity"
            if is_zero(minus(plain.left, plain.right)):
                return script.at.equal(plain.left, plain.right)
    lines = {**{n: script.known[n] for n in step.uses if n in script.known}, **script.supposed}
    for k in lines.values():
        own = script.expanded(k.line)
        for names in _index_matches(goal, own, script, back):
            found = Line(put(own.left, names), own.op, put(own.right, names))
            if (found.left.vector or found.right.vector) != (plain.left.vector or plain.right.vector):
                continue
            if _implies(plain, found):
                return script.from_line(plain, found, _line_proof(script, k, names))
    if plain.op != "==":
        for f in script.at.facts:
            with noted():
                if plain.op == "<=" and f.line.op != "==" and not f.line.over and _multiple(f.line, plain):
                    break
        seen = script.at.sign(minus(plain.right, plain.left), plain.op == "<")
        if seen is not None:
            zero = plain.left is ZERO
            return seen if zero else f"apply {'Rminus_le_0' if plain.op == '<=' else 'Rminus_lt_0'}; {seen}"
    raise Unsupported("what discharges a hypothesis of a theorem")


def _line_proof(script: Script, k: object, names: dict[Term, Term]) -> str:
    return script.apply_known(k, names).replace("{w}", script.names.w)  # type: ignore[arg-type]


def _index_matches(goal: Line, own: Line, script: Script, back: dict[Term, Term]) -> list[dict[Term, Term]]:
    """Return the possible indices for a known line: by name, or by position."""
    inner = {i for i, _, _ in goal.over}
    names: dict[Term, Term] = {}
    for i, _, _ in own.over:
        renamed = next((n for n, o in back.items() if o is i), None)
        if i in inner:
            names[i] = i
        elif renamed is not None:
            names[i] = renamed
        elif i in script.claim.indices:
            names[i] = i
    found = [names] if len(names) == len(own.over) else []
    if len(own.over) == len(goal.over):
        found.append({i: j for (i, _, _), (j, _, _) in zip(own.over, goal.over, strict=True)})
    return found


def _implies(wanted: Line, found: Line) -> bool:
    if wanted.op != found.op and not (wanted.op == "<=" and found.op in ("<", "==")):
        return False
    try:
        with noted():
            one, two = wanted.gap, found.gap
            if one.vector or two.vector:
                z = make("family", "Vector", "z")
                one, two = make("dot", one, z), make("dot", two, z)
            if vanishes(normal(minus(one, two))):
                return True
            return found.op == "==" and vanishes(normal(make("+", one, two)))
    except ValueError:
        return False
