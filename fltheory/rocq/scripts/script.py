"""A script: the steps of a proof, one after the other, each by its rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fltheory.kernel.needs import noted
from fltheory.kernel.normal import normal, vanishes
from fltheory.kernel.theorem import Step, Theorem, _grounds
from fltheory.recheck.context import Definition, Line, Member
from fltheory.recheck.terms import MINUS, Term, Wrong, endless, insert, make, put, slots
from fltheory.rocq.names import INTEGERS, Names, Outside
from fltheory.rocq.scripts.equations import Equations
from fltheory.rocq.scripts.place import Fact
from fltheory.rocq.theorem import NOT_YET, Known


def gap(own: Line) -> Term:
    """right + -1 * left, as the lemmas say it."""
    return make("+", own.right, make("*", MINUS, own.left))


class Script:
    """The proof of one theorem's plain lemma."""

    def __init__(self, own: Theorem, earlier: Mapping[str, Theorem], names: Names) -> None:
        self.own, self.earlier, self.names = own, earlier, names
        self.known: dict[str, Known] = {}
        self.defined: dict[str, Definition] = {}
        self.members: dict[str, tuple[str, Member]] = {}
        self.out: list[str] = []
        self.done: dict[str, Step] = {}
        self.at: Equations = Equations(names)
        self.inserted: list[Definition] = []
        self.step_now: Step | None = None
        self.supposed: dict[str, Known] = {}
        self.fixed: set[str] = set()

    def emit(self, text: str) -> None:
        """A sentence of the script."""
        self.out.append(text)

    def proof(self, binders: Sequence[str], sorts: Sequence[tuple[str, str]]) -> str:
        """All of it."""
        held = []
        for n, (name, h) in enumerate(self.own.hypotheses.items()):
            held.append(f"H{n}")
            if isinstance(h, Line):
                self.known[name] = Known(f"H{n}", h)
            elif isinstance(h, Definition):
                self.defined[name] = h
            else:
                self.members[name] = (f"H{n}", h)
        binder_names = [b[1:].split(" :")[0] for b in binders]
        self.fixed = set(binder_names)
        self.emit("intros " + " ".join([*binder_names, *(n for n, _ in sorts), *held]) + ".")
        for n, (name, h) in enumerate(self.own.hypotheses.items()):
            if isinstance(h, Definition):
                self._definition(n, h)
        for step in self.own.steps:
            if not step.refuted:
                self._step(step)
                self.done[step.name] = step
        self._end()
        return "\n".join(self.out)

    def _definition(self, n: int, h: Definition) -> None:
        v = self.names.of(h.left)
        at = [self.names.of(s) for s in slots(h.left)] if h.left.word == "family" else []
        chance = h.left.word == "family" and h.left.args[0].startswith("Random")
        value = self.names.vector(h.right) if h.left.vector else self.names.number(h.right)
        xs = [f"({s} : R)" for s in at] + (["(w : Omega M)"] if chance else [])
        every = [*at, "w"] if chance else at
        right = f"(fun {' '.join(xs)} => {value})" if xs else value
        outcome = "w" if chance else "(outcome M)"
        each = "; ".join(["idtac", *(f"apply functional_extensionality; intro {x}" for x in every)])
        self.emit(f"assert (D{n} : {v} = {right}) by ({each}; exact (H{n} {' '.join([outcome, *at])})). clear H{n}.")

    # ---- one step ----

    def _step(self, step: Step) -> None:
        if step.kind in NOT_YET:
            raise Outside(f"the rule {step.kind}")
        name = f"S{len(self.done)}"
        self.emit(f"(* {step.name}: {step.kind} *)".replace("*)", "* )", 0))
        self.emit(f"assert ({name} : {self.names.line(step.claim, step.assuming)}).\n{{")
        try:
            self._open(step)
            from fltheory.rocq.scripts import rules

            how = getattr(rules, step.kind.lower(), None)
            if how is None:
                raise Outside(f"the rule {step.kind}")
            place = len(self.out)
            how(self, step, self.claim)
            if any("lra" in text for text in self.out[place:]):
                self.out[place:place] = self._posed(step)
        except Wrong as error:
            raise Outside(f"{step.kind}: {str(error)[:80]}") from error
        self.emit("}")
        self.known[step.name] = Known(name, step.claim, step.assuming)

    def _open(self, step: Step) -> None:
        self.step_now = step
        self.at = Equations(self.names, _grounds(step, self.own, self.done))
        intro = ["w"]
        more = []
        for i, low, high in step.claim.over:
            v = self.names.of(i)
            intro += (
                [v, f"I_{v}"] + ([] if low.word == "-oo" else [f"A_{v}"]) + ([] if high.word == "oo" else [f"B_{v}"])
            )
            first = {"from 0": "0", "from 1": "1"}.get(i.args[1])
            if first:
                more.append(f"assert (G_{v} : {first} <= {v}) by lra.")
        self.supposed = {}
        for n, h in enumerate(step.assuming, 1):
            intro.append(f"As{n}")
            self.supposed[f"assumed {n}"] = Known(f"As{n}", h)
        self.set_aside([self.names.of(i) for i, _, _ in step.claim.over])
        self.emit(f"intros {' '.join(intro)}.")
        for m in more:
            self.emit(m)
        self._insert(step)
        self.claim = self.expanded(step.claim)
        self._facts(step)
        self.emit("cbv beta; lits.")

    def set_aside(self, names: Iterable[str]) -> None:
        """Letters that are called as an index is get another name here."""
        for v in names:
            if v in self.fixed:
                self.emit(
                    f"rename {v} into {v}_fixed." + "".join(f" try rename {p}_{v} into {p}_{v}_fixed." for p in "ZG")
                )

    def _insert(self, step: Step) -> None:
        """Definitions and equations, one after the other."""
        self.inserted, equations = [], []
        {name: n for n, name in enumerate(self.own.hypotheses)}
        used = {*step.uses, *step.by}
        [k.proof for n, k in self.known.items() if n not in used and k.proof.startswith("S")]
        for name in step.by:
            h = self.own.hypotheses.get(name)
            if isinstance(h, Definition):
                right = h.right
                for d in self.inserted:
                    right = insert(right, d.left, d.right, d.anywhere)
                self.inserted.append(Definition(name, h.left, right, True))
                self.emit(f"subst {self.names.of(h.left)}. cbv beta in *.")
            else:
                own = self.known[name]
                self.inserted.append(
                    Definition(name, self.expand(own.line.left), self.expand(own.line.right), anywhere=False)
                )
                equations.append((name, own))
        self.equations = []
        for name, own in equations:
            q = self.at.new("Eq")
            said = self.names.relation(self.expanded_before(own.line, name))
            proof = self.apply_known(own, {}).replace("{w}", self.names.w)
            self.emit(f"assert ({q} : {said}) by exact {proof}.")
            self.equations.append(q)

    def expanded_before(self, own: Line, name: str) -> Line:
        """A line with what is inserted before that name."""
        kept: list[Definition] = []
        for d in self.inserted:
            if d.name == name:
                break
            kept.append(d)
        before, self.inserted = self.inserted, kept
        try:
            return self.expanded(own)
        finally:
            self.inserted = before

    def expand(self, term: Term) -> Term:
        """A term with the definitions and equations inserted."""
        if endless(term):
            return term
        for d in self.inserted:
            term = insert(term, d.left, d.right, d.anywhere)
        return term

    def expanded(self, own: Line) -> Line:
        """A line so expanded."""
        over = tuple((i, self.expand(a), self.expand(b)) for i, a, b in own.over)
        return Line(self.expand(own.left), own.op, self.expand(own.right), over)

    def _facts(self, step: Step) -> None:
        """Lines without ranges of their own: the claim's ranges, what is used, what else stands."""
        for i, low, high in self.claim.over:
            v = self.names.of(i)
            for end, proof, left, right in ((low, f"A_{v}", low, i), (high, f"B_{v}", i, high)):
                if not endless(end):
                    self.fact(proof, Line(left, "<=", right))
        lines = {**{n: self.known[n] for n in step.uses if n in self.known}, **self.supposed}
        rewritten = bool(self.equations)
        for n, k in lines.items():
            self._as_fact(n, k, rewritten)
        if rewritten:
            for q in self.equations:
                self.emit(f"rewrite ?{q}.")
        for n, k in self.known.items():
            if n not in lines and not k.line.over and not k.assuming and not rewritten:
                self._as_fact(n, k, False)

    def _posed(self, step: Step) -> list[str]:
        """Plain hypotheses at the outcome where this stands, for linear arithmetic."""
        found = []
        for k in self.known.values():
            own = k.line
            if (
                not (own.over or k.assuming or own.left.vector or own.right.vector)
                and len(self.names.relation(own)) < 400
            ):
                found.append(f"pose proof ({k.proof} w).")
        return found

    def _as_fact(self, name: str, own: Known, posed: bool) -> None:
        if own.line.left.vector or own.line.right.vector:
            return
        indices = self.claim.indices
        if not all(i in indices for i in own.line.indices):
            return
        try:
            proof = self.apply_known(own, {})
        except Outside:
            return
        line = self.expanded(own.line)
        if posed:
            q = self.at.new("U")
            self.emit(f"pose proof {proof.replace('{w}', 'w')} as {q}; cbv beta in {q}.")
            for e in self.equations:
                self.emit(f"rewrite ?{e} in {q}.")
            proof = q
        self.fact(proof, Line(line.left, line.op, line.right))

    def fact(self, proof: str, own: Line) -> None:
        """What may be used for signs."""
        with noted():
            try:
                self.at.facts.append(Fact(proof, own, normal(own.gap)))
            except Wrong:
                return

    def apply_known(self, own: Known, at: Mapping[Term, Term], w: str = "{w}") -> str:
        """The proof of a line at the claim's indices, or at other values."""
        args = [own.proof]
        if not own.proof.startswith("As"):
            args.append(w)
        for i, low, high in own.line.over:
            value = at.get(i, i)
            said = self.names.number(value)
            args += [said, self._integer(value)]
            for end, which in ((low, "A_"), (high, "B_")):
                if endless(end):
                    continue
                args.append(self._within(i, value, self.expand(put(end, dict(at))), which))
        for h in own.assuming:
            args.append(self._granted(h))
        return f"({' '.join(args)})" if len(args) > 1 else own.proof

    def _integer(self, value: Term) -> str:
        if value.word == "symbol" and value.args[1] in INTEGERS:
            mine = value in self.claim.indices
            return (
                f"{'I' if mine else 'Z'}_{self.names.of(value)}" if mine or value.args[1] != "unknown" else "ltac:(int)"
            )
        return "ltac:(int)"

    def _within(self, i: Term, value: Term, end: Term, which: str) -> str:
        ranges = {j: (a, b) for j, a, b in self.claim.over}
        if value in ranges:
            own = ranges[value][which == "B_"]
            if not endless(own) and self.names.number(own) == self.names.number(end):
                return f"{which}{self.names.of(value)}"
        left, right = (end, value) if which == "A_" else (value, end)
        return f"ltac:(first [ lra | {self.at.at_most(left, right)} ])"

    def _granted(self, h: Line) -> str:
        for k in self.supposed.values():
            if self.names.ranges(k.line.over) + self.names.relation(k.line) == self.names.ranges(
                h.over
            ) + self.names.relation(h):
                return k.proof
        own = self.expanded(h)
        if own.over:
            raise Outside("an assumption over a range")
        return f"ltac:({self.line_by_facts(own)})"

    def line_by_facts(self, own: Line) -> str:
        """A tactic for a line by what is known."""
        if own.op == "==":
            for f in self.at.facts:
                if f.line.op == "==" and vanishes(normal(make("+", gap(own), make("*", MINUS, gap(f.line))))):
                    return self.from_line(own, f.line, f.proof.replace("{w}", self.names.w))
            raise Outside("an equation that is supposed")
        return self.at.at_most(own.left, own.right) if own.op == "<=" else self.at.less(own.left, own.right)

    # ---- a line from another ----

    def from_line(self, wanted: Line, found: Line, proof: str) -> str:
        """A tactic for a line from the proof of one that says the same."""
        say = self.names
        if found.left.vector or found.right.vector or wanted.left.vector or wanted.right.vector:
            return self._from_vectors(wanted, found, proof)
        if say.relation(wanted) == say.relation(found):
            return f"by_exact {proof}"
        a, b = gap(wanted), gap(found)
        lemma = {
            ("<=", "<="): "le_gap",
            ("<", "<"): "lt_gap",
            ("<=", "<"): "le_gap_lt",
            ("<=", "=="): "le_gap_eq",
            ("==", "=="): "eq_gap",
        }.get((wanted.op, found.op))
        if lemma is None:
            raise Outside(f"{wanted.op} from {found.op}")
        if found.op == "==":
            with noted():
                difference = normal(make("+", a, make("*", MINUS, b)))
            if not vanishes(difference):
                b = make("+", found.left, make("*", MINUS, found.right))
                lemma += "_back"
        return f"apply ({lemma} {say.number(found.left)} {say.number(found.right)}); [ by_exact {proof} | {self.at.equal(a, b)} ]"

    def _from_vectors(self, wanted: Line, found: Line, proof: str) -> str:
        say = self.names
        if say.vector(wanted.left) == say.vector(found.left) and say.vector(wanted.right) == say.vector(found.right):
            return f"by_exact {proof}"
        z = make("family", "Vector", self.at.new("z"))
        name = say.of(z)
        a, b = (Line(make("dot", k.left, z), "==", make("dot", k.right, z)) for k in (wanted, found))
        with noted():
            ahead = vanishes(normal(make("+", gap(a), make("*", MINUS, gap(b)))))
        other = gap(b) if ahead else make("+", b.left, make("*", MINUS, b.right))
        lemma = "eq_gap" if ahead else "eq_gap_back"
        return f"apply vext; intro {name}; apply ({lemma} {say.number(b.left)} {say.number(b.right)}); [ exact (f_equal (fun v => dot M v {name}) {proof}) | {self.at.equal(gap(a), other)} ]"

    def _end(self) -> None:
        """The statement from the last step."""
        last = next(s for s in reversed(self.own.steps) if not s.refuted)
        own = self.known[last.name]
        self.inserted, self.equations, self.supposed = [], [], {}
        claim = self.own.statement
        self.at = Equations(self.names, _grounds(last, self.own, self.done))
        if self.names.line(claim) == self.names.line(own.line):
            self.emit(f"exact {own.proof}.")
            return
        self.claim = claim
        intro = ["w"]
        for i, low, high in claim.over:
            v = self.names.of(i)
            intro += (
                [v, f"I_{v}"] + ([] if low.word == "-oo" else [f"A_{v}"]) + ([] if high.word == "oo" else [f"B_{v}"])
            )
        self.set_aside([self.names.of(i) for i, _, _ in claim.over])
        self.emit(f"intros {' '.join(intro)}.")
        names = {j: i for (i, _, _), (j, _, _) in zip(claim.over, own.line.over, strict=True)}
        found = Line(put(own.line.left, names), own.line.op, put(own.line.right, names))
        self.emit(self.from_line(claim, found, self.apply_known(own, names).replace("{w}", "w")) + ".")
