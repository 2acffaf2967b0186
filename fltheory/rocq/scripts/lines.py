"""Known lines of a script: their use at given values, and a line from an equivalent one."""

from __future__ import annotations

from collections.abc import Mapping

from fltheory.kernel.language.lines import Definition, Line, Member
from fltheory.kernel.language.terms import MINUS, Term, Wrong, endless, insert, make, put
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import normal, vanishes
from fltheory.kernel.theorem import Step, Theorem
from fltheory.rocq.equations.place import Fact
from fltheory.rocq.equations.tactics import Tactics
from fltheory.rocq.names import INTEGERS, Names, Unsupported
from fltheory.rocq.theorem import ScriptLine


def gap(own: Line) -> Term:
    """Return right + -1 * left, as in the lemmas."""
    return make("+", own.right, make("*", MINUS, own.left))


class Lines:
    """The known lines of a script, and the present position."""

    def __init__(self, own: Theorem, earlier: Mapping[str, Theorem], names: Names) -> None:
        self.own, self.earlier, self.names = own, earlier, names
        self.known: dict[str, ScriptLine] = {}
        self.defined: dict[str, Definition] = {}
        self.members: dict[str, tuple[str, Member]] = {}
        self.out: list[str] = []
        self.done: dict[str, Step] = {}
        self.at: Tactics = Tactics(names)
        self.claim: Line = own.statement
        self.equations: list[str] = []
        self.under_means: list[str] = []  # the same for all outcomes at once
        self.inserted: list[Definition] = []
        self.step_now: Step | None = None
        self.supposed: dict[str, ScriptLine] = {}
        self.fixed: set[str] = set()
        self.free: tuple[Term, ...] = ()  # symbols over whose values the lines of the proof are universal

    def emit(self, text: str) -> None:
        """Append a sentence to the script."""
        self.out.append(text)

    def expand(self, term: Term) -> Term:
        """Return the term with definitions and equations substituted."""
        if endless(term):
            return term
        for d in self.inserted:
            term = insert(term, d.left, d.right, d.anywhere)
        return term

    def expanded(self, own: Line) -> Line:
        """Return a line expanded so."""
        over = tuple((i, self.expand(a), self.expand(b)) for i, a, b in own.over)
        return Line(self.expand(own.left), own.op, self.expand(own.right), over)

    def fact(self, proof: str, own: Line) -> None:
        """Return the line as a fact for sign tactics."""
        with noted():
            try:
                self.at.facts.append(Fact(proof, own, self.at.form(own.gap)))
            except Wrong:
                return

    def apply_known(self, own: ScriptLine, at: Mapping[Term, Term], w: str = "{w}") -> str:
        """Return the proof of a line at the claim's indices, or at other values."""
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

    def _said(self, own: Line) -> str:
        return self.names.ranges(own.over) + self.names.relation(own)

    def _granted(self, h: Line) -> str:
        for k in self.supposed.values():
            if self._said(k.line) == self._said(h):
                return k.proof
        own = self.expanded(h)
        if own.over:
            raise Unsupported("an assumption over a range")
        return f"ltac:({self.line_by_facts(own)})"

    def line_by_facts(self, own: Line) -> str:
        """Return a tactic for a line from known facts."""
        if own.op == "==":
            for f in self.at.facts:
                if f.line.op == "==" and vanishes(normal(make("+", gap(own), make("*", MINUS, gap(f.line))))):
                    return self.from_line(own, f.line, f.proof.replace("{w}", self.names.w))
            raise Unsupported("an equation that is supposed")
        return self.at.at_most(own.left, own.right) if own.op == "<=" else self.at.less(own.left, own.right)

    def from_line(self, wanted: Line, found: Line, proof: str) -> str:
        """Return a tactic for a line from the proof of an equivalent one."""
        say = self.names
        if found.left.vector or found.right.vector or wanted.left.vector or wanted.right.vector:
            return self._from_vectors(wanted, found, proof)
        if say.relation(wanted) == say.relation(found):
            return self._exactly(proof)
        a, b = gap(wanted), gap(found)
        lemma = {
            ("<=", "<="): "le_gap",
            ("<", "<"): "lt_gap",
            ("<=", "<"): "le_gap_lt",
            ("<=", "=="): "le_gap_eq",
            ("==", "=="): "eq_gap",
        }.get((wanted.op, found.op))
        if lemma is None:
            raise Unsupported(f"{wanted.op} from {found.op}")
        if found.op == "==":
            with noted():
                difference = normal(make("+", a, make("*", MINUS, b)))
            if not vanishes(difference):
                b = make("+", found.left, make("*", MINUS, found.right))
                lemma += "_back"
        return f"apply ({lemma} {say.number(found.left)} {say.number(found.right)}); [ {self._exactly(proof)} | {self.at.equal(a, b)} ]"

    def _exactly(self, proof: str) -> str:
        """Return a tactic for the statement of a proof, perhaps after substitution of equations."""
        if not self.equations:
            return f"by_exact {proof}"
        k = self.at.new("K")
        put_in = "; ".join(f"rewrite ?{e} in {k}" for e in self.equations)
        return (
            f"first [ by_exact {proof} | pose proof {proof} as {k}; cbv beta in {k}; lits_in {k}; {put_in}; exact {k} ]"
        )

    def _from_vectors(self, wanted: Line, found: Line, proof: str) -> str:
        say = self.names
        if say.vector(wanted.left) == say.vector(found.left) and say.vector(wanted.right) == say.vector(found.right):
            return self._exactly(proof)
        z = make("family", "Vector", self.at.new("z"))
        name = say.of(z)
        a, b = (Line(make("dot", k.left, z), "==", make("dot", k.right, z)) for k in (wanted, found))
        with noted():
            ahead = vanishes(normal(make("+", gap(a), make("*", MINUS, gap(b)))))
        other = gap(b) if ahead else make("+", b.left, make("*", MINUS, b.right))
        lemma = "eq_gap" if ahead else "eq_gap_back"
        return f"apply vext; intro {name}; apply ({lemma} {say.number(b.left)} {say.number(b.right)}); [ apply dot_of_eq; exact {proof} | {self.at.equal(gap(a), other)} ]"
