"""The beginning of a step's script: its symbols, its substitutions, and its available lines."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.kernel.language.lines import Definition, Line
from fltheory.kernel.language.terms import endless, insert
from fltheory.kernel.theorem import Step, _grounds
from fltheory.rocq.equations.tactics import Tactics
from fltheory.rocq.names import Unsupported
from fltheory.rocq.scripts.lines import Lines
from fltheory.rocq.theorem import ScriptLine


class Opening(Lines):
    """The beginning of a step."""

    def _open(self, step: Step) -> None:
        self.step_now = step
        self.at = Tactics(self.names, _grounds(step, self.own, self.done))
        intro = ["w"]
        more = []
        for i, low, high in step.claim.over:
            v = self.names.of(i)
            more += [f"pose proof I_{v} as Z_{v}."] if i in self.free else []
            intro += (
                [v, f"I_{v}"] + ([] if low.word == "-oo" else [f"A_{v}"]) + ([] if high.word == "oo" else [f"B_{v}"])
            )
            first = {"from 0": "0", "from 1": "1"}.get(i.args[1])
            if first:
                more.append(f"assert (G_{v} : {first} <= {v}) by lra.")
        self.supposed = {}
        for n, h in enumerate(step.assuming, 1):
            intro.append(f"As{n}")
            self.supposed[f"assumed {n}"] = ScriptLine(f"As{n}", h)
        self.set_aside([self.names.of(i) for i, _, _ in step.claim.over])
        self.emit(f"intros {' '.join(intro)}.")
        for m in more:
            self.emit(m)
        self._insert(step)
        self.claim = self.expanded(step.claim)
        self._facts(step)
        self.emit("cbv beta; lits.")

    def set_aside(self, names: Iterable[str]) -> None:
        """Rename symbols whose name an index takes."""
        for v in names:
            if v in self.fixed:
                self.emit(
                    f"rename {v} into {v}_fixed." + "".join(f" try rename {p}_{v} into {p}_{v}_fixed." for p in "ZG")
                )

    def _insert(self, step: Step) -> None:
        """Insert definitions and equations one after the other."""
        self.inserted, equations = [], []
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
        self.equations, self.under_means = [], []
        for name, own in equations:
            q = self.at.new("Eq")
            said = self.names.relation(self.expanded_before(own.line, name))
            proof = self.apply_known(own, {}).replace("{w}", self.names.w)
            self.emit(f"assert ({q} : {said}) by exact {proof}.")
            self.equations.append(q)
            self._at_every_outcome(own, said)

    def _at_every_outcome(self, own: ScriptLine, said: str) -> None:
        """Return the line as an equation of functions of the outcome, which can be substituted under an expectation."""
        left, _, right = said.partition(" = ")
        proof = self.apply_known(own, {})
        if own.line.left.word == "family" and left.endswith(" w)") and not own.assuming and "{w}" in proof:
            q, proof = self.at.new("Eq"), proof.replace("{w}", "w1")
            self.emit(
                f"assert ({q} : {left[:-3]}) = (fun w => {right})) by (apply functional_extensionality; intro w1; exact {proof})."
            )
            self.under_means.append(q)

    def expanded_before(self, own: Line, name: str) -> Line:
        """Return a line after the substitutions before that name, and the later definitions, which apply everywhere."""
        place = [d.name for d in self.inserted].index(name)
        kept = [d for n, d in enumerate(self.inserted) if n < place or (d.anywhere and n > place)]
        before, self.inserted = self.inserted, kept
        try:
            return self.expanded(own)
        finally:
            self.inserted = before

    def _facts(self, step: Step) -> None:
        """Return lines without ranges of their own: the claim's ranges, used lines, and others in scope."""
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
            for q in self.under_means:
                self.emit(f"rewrite ?{q}.")
        for n, k in self.known.items():
            aside = any(self.names.of(i) in self.fixed for i in k.line.loose & self.claim.indices)
            if n in lines or k.line.over or k.assuming or aside:
                continue
            if not rewritten or self._said(self.expanded(k.line)) == self._said(k.line):
                self._as_fact(n, k, False)

    def _pose_hypotheses(self, step: Step) -> list[str]:
        """Pose plain hypotheses at the present outcome, for linear arithmetic."""
        found = []
        for k in self.known.values():
            own = k.line
            if (
                not (own.over or k.assuming or own.left.vector or own.right.vector)
                and len(self.names.relation(own)) < 400
            ):
                found.append(f"pose proof ({k.proof} w).")
        return found

    def _as_fact(self, name: str, own: ScriptLine, posed: bool) -> None:
        if own.line.left.vector or own.line.right.vector:
            return
        indices = self.claim.indices
        granted = {self._said(k.line) for k in self.supposed.values()}
        if any(self._said(h) not in granted for h in own.assuming):
            return  # it holds only under that assumption
        if not all(i in indices for i in own.line.indices):
            return
        try:
            proof = self.apply_known(own, {})
        except Unsupported:
            return
        line = self.expanded(own.line)
        if posed:
            q = self.at.new("U")
            self.emit(f"pose proof {proof.replace('{w}', 'w')} as {q}; cbv beta in {q}.")
            for e in self.equations:
                self.emit(f"rewrite ?{e} in {q}.")
            for e in self.under_means:
                self.emit(f"rewrite ?{e} in {q}; cbv beta in {q}.")
            proof = q
        self.fact(proof, Line(line.left, line.op, line.right))
