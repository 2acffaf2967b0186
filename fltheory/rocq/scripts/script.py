"""A script: the steps of a proof in order, each by its rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fltheory.kernel.language.lines import Definition, Line
from fltheory.kernel.language.terms import Wrong, put, slots
from fltheory.kernel.theorem import Step, Theorem, _grounds
from fltheory.rocq.equations.tactics import Tactics
from fltheory.rocq.names import Names, Unsupported
from fltheory.rocq.scripts.free import free_letters, intro_names, quantifiers
from fltheory.rocq.scripts.opening import Opening
from fltheory.rocq.theorem import UNSUPPORTED_RULES, ScriptLine


class Script(Opening):
    """The proof of one theorem's plain lemma; ``rules``: how to write a step of each kind."""

    def __init__(self, own: Theorem, earlier: Mapping[str, Theorem], names: Names, rules: Mapping[str, RuleScript]):
        super().__init__(own, earlier, names)
        self.rules = rules

    def proof(self, binders: Sequence[str], sorts: Sequence[tuple[str, str]]) -> str:
        """Return the whole proof."""
        held = []
        for n, (name, h) in enumerate(self.own.hypotheses.items()):
            held.append(f"H{n}")
            if isinstance(h, Line):
                self.known[name] = ScriptLine(f"H{n}", h)
            elif isinstance(h, Definition):
                self.defined[name] = h
            else:
                self.members[name] = (f"H{n}", h)
        self.free = free_letters(self.own)
        binder_names = [b[1:].split(" :")[0] for b in binders]
        self.fixed = set(binder_names)
        self.emit("intros " + " ".join([*binder_names, *(n for n, _ in sorts), *held]) + ".")
        for n, h in enumerate(self.own.hypotheses.values()):
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
        outcome = "_" if chance else "(outcome M)"
        each = "; ".join(["idtac", *("apply functional_extensionality; intro" for _ in every)])
        self.emit(
            f"assert (D{n} : {v} = {right}) by ({each}; exact (H{n} {' '.join([outcome, *('_' for _ in at)])})). clear H{n}."
        )

    def _step(self, step: Step) -> None:
        if step.kind in UNSUPPORTED_RULES:
            raise Unsupported(f"the rule {step.kind}")
        name = f"S{len(self.done)}"
        self.emit(f"(* {step.name}: {step.kind} *)".replace("*)", "* )", 0))
        free = [intro_names(self.names, x) for x in self.free]
        self.emit(
            f"assert ({name} : {quantifiers(self.names, self.free)}{self.names.line(step.claim, step.assuming)}).\n{{"
        )
        for own in free:
            self.emit(f"clear {' '.join(reversed(own))}. intros {' '.join(own)}.")
        try:
            self._open(step)
            how = self.rules.get(step.kind)
            if how is None:
                raise Unsupported(f"the rule {step.kind}")
            place = len(self.out)
            how(self, step, self.claim)
            if any("lra" in text for text in self.out[place:]):
                self.out[place:place] = self._pose_hypotheses(step)
        except Wrong as error:
            raise Unsupported(f"{step.kind}: {str(error)[:80]}") from error
        self.emit("}")
        proof = f"({' '.join([name, *(' '.join(own) for own in free)])})" if free else name
        self.known[step.name] = ScriptLine(proof, step.claim, step.assuming)

    def _end(self) -> None:
        """Prove the statement from the last step."""
        last = next(s for s in reversed(self.own.steps) if not s.refuted)
        own = self.known[last.name]
        self.inserted, self.equations, self.under_means, self.supposed = [], [], [], {}
        claim = self.own.statement
        self.at = Tactics(self.names, _grounds(last, self.own, self.done))
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


RuleScript = Callable[[Script, Step, Line], None]  # writes the tactics of a step


def proof_at_outcome(script: Script, proof: str) -> str:
    """Return a proof at the present outcome."""
    return proof.replace("{w}", script.names.w)


def with_equations(script: Script, proof: str) -> str:
    """Return the proof after its line is rewritten by the equations that the step inserts."""
    if not script.equations:
        return proof
    q = script.at.new("U")
    script.emit(f"pose proof {proof} as {q}; cbv beta in {q}.")
    for e in script.equations:
        script.emit(f"rewrite ?{e} in {q}.")
    return q


def lines(script: Script, step: Step) -> dict[str, tuple[str, Line]]:
    """Return the proofs and expanded lines that a step uses, by name."""
    found = {}
    for n in [*(n for n in step.uses if n in script.known), *script.supposed]:
        own = script.supposed.get(n) or script.known[n]
        if all(i in script.claim.indices for i in own.line.indices):
            k = script.expanded(own.line)
            proof = with_equations(script, proof_at_outcome(script, script.apply_known(own, {})))
            found[n] = (proof, Line(k.left, k.op, k.right))
    return found
