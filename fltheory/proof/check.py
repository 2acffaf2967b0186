"""The checker: is every step of a proof what its rule says, and does the last one state the theorem?

Checking needs SymPy and python-flint alone. A theorem is as strong as its weakest step.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sympy

from fltheory import notebook
from fltheory.proof import certificates, rules
from fltheory.proof import language as lang
from fltheory.proof.language import ALL, Defines, Given, Member, Outcome, ProofError, Proofs, Relation, Step, Theorem
from fltheory.proof.rules import absolute, calculus
from fltheory.proof.rules.apply import apply, speaks_of_chance
from fltheory.proof.sound import exact_values, grammar, guards, lines, tied
from fltheory.proof.sound.context import Context, Equation, same

ORDER: tuple[Outcome, ...] = ("REFUTED", "UNKNOWN", "ASSUMED", "PROVED")
CERTIFIED = (lang.Polynomial, lang.Ball)


@dataclass(frozen=True)
class StepReport:
    """What came of one step: the outcome, for which parameters, and the reason where it isn't PROVED."""

    step: Step
    outcome: Outcome
    scope: str = ALL
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """What came of a theorem: its verdict and scope, those of its steps, and faults of its form."""

    theorem: Theorem
    verdict: Outcome
    scope: str
    steps: tuple[StepReport, ...]
    faults: tuple[str, ...]
    seconds: float
    read: str = ""  # what of a proved theorem's words is not seen to lie in its natural domain
    confirmed: Any = field(default=None, repr=False, compare=False)  # the text that was decided, as the kernel has it

    def __repr__(self) -> str:
        return f"<Report on {self.theorem.id}: {self.verdict}, {self._of_steps()}>"

    def _repr_html_(self) -> str:
        words = notebook.words
        said = [(name, cell) for name, cell in lang.card_rows(self.theorem) if name not in ("steps", "verdict")]
        verdict = (words if self.verdict == "PROVED" else notebook.strong)(self.verdict)
        recorded = "" if self.as_recorded else notebook.strong("; not as it is recorded")
        found = [
            ("steps", words(self._of_steps())),
            ("verdict", f"{verdict}, {words(self.scope)}: checked in {self.seconds:.1f} s{recorded}"),
            ("faults", notebook.lines(map(words, self.faults))),
        ]
        return notebook.card(f"theorem {self.theorem.id}", [*said, *found])

    def _of_steps(self) -> str:
        kinds = ", ".join(f"{n} {kind}" for kind in reversed(ORDER) if (n := self.count(kind)))
        return f"{len(self.steps)} steps" + (f": {kinds}" if kinds else "")

    def count(self, outcome: Outcome) -> int:
        """How many steps came out like that."""
        return sum(s.outcome == outcome for s in self.steps)

    @property
    def as_recorded(self) -> bool:
        """Whether the theorem and each of its steps came out as they are recorded, without a fault of form."""
        steps = all(s.outcome == s.step.expected for s in self.steps)
        return not self.faults and steps and self.verdict == self.theorem.expected


def check_all(proofs: Proofs) -> tuple[Report, ...]:
    """Check the theorems of a paper in their order; a theorem may apply those before it."""
    return tuple(checked(proofs, proofs.theorems))


def checked(proofs: Proofs, theorems: Iterable[Theorem]) -> Iterator[Report]:
    """The reports of some of a paper's theorems one by one; each may apply those before it."""
    reports: dict[str, Report] = {}
    for theorem in theorems:
        if theorem.id in reports:
            raise ProofError(f"{theorem.id} stands twice")
        reports[theorem.id] = check_stored(proofs, theorem, reports)
        yield reports[theorem.id]


def check_stored(proofs: Proofs, theorem: Theorem, earlier: Mapping[str, Report]) -> Report:
    """Check one theorem of a paper with its stored certificates."""
    missing = f"{certificates.path_of(proofs.certificates, theorem.id).name} has no certificate of it"
    try:
        found = certificates.load(proofs.certificates, theorem.id)
    except ProofError as error:
        found, missing = {}, str(error)
    from fltheory.proof.decide import decided

    return decided(theorem, found, earlier, missing, proofs.certificates)


def scope_of(theorem: Theorem, steps: Mapping[str, StepReport]) -> str:
    """For which parameters a theorem stands: those of the steps that it rests on."""
    scopes = dict.fromkeys(steps[i].scope for i in needed(theorem) if steps[i].scope != ALL)
    return "; ".join(scopes) or ALL


def check(
    theorem: Theorem, found: Mapping[str, Any], earlier: Mapping[str, Report] | None = None, missing: str = ""
) -> Report:
    """Check one theorem with its certificates, given the reports of those that it may apply.

    ``missing`` is what to say of a step whose certificate is not among those ``found``; nothing: what it would show.
    """
    began = time.perf_counter()
    earlier = earlier or {}
    faults = list(form(theorem))
    done: dict[str, StepReport] = {}
    sound: dict[str, StepReport] = {}  # proved for all parameters, down to the hypotheses
    grounds = {h.id for h in theorem.hypotheses}
    for step in theorem.steps:
        report = _step(theorem, step, found, done, earlier, missing, sound)
        done[step.id] = report
        if report.outcome == "PROVED" and report.scope == ALL and grounds.issuperset((*step.uses, *step.by)):
            sound[step.id] = report
            grounds.add(step.id)
    faults += stale(theorem, found)
    if _verdict(theorem, done) != "REFUTED":  # a witness has numbers
        faults += [f"the hypothesis {fault}" for fault in lines.unseen(theorem, sound)]
    return report_of(theorem, list(done.values()), faults, began)


def stale(theorem: Theorem, found: Mapping[str, Any]) -> list[str]:
    """The certificates that no step needs, as a fault."""
    names = sorted(set(found) - {s.id for s in theorem.steps if needs_certificate(s)})
    return [f"certificates of no step: {', '.join(names)}"] if names else []


def _verdict(theorem: Theorem, done: Mapping[str, StepReport]) -> Outcome:
    return min([done[i].outcome for i in needed(theorem)] or ["UNKNOWN"], key=ORDER.index)


def report_of(
    theorem: Theorem, steps: Iterable[StepReport], faults: Sequence[str], began: float, read: str = ""
) -> Report:
    """The report: a theorem is as strong as its weakest step, and nothing where it has a fault."""
    done = {s.step.id: s for s in steps}
    verdict: Outcome = "UNKNOWN" if faults else _verdict(theorem, done)
    seconds = time.perf_counter() - began
    return Report(theorem, verdict, scope_of(theorem, done), tuple(done.values()), tuple(faults), seconds, read)


def needs_certificate(step: Step) -> bool:
    """Whether a step's rule rests on a certificate."""
    return isinstance(step.rule, CERTIFIED) or (isinstance(step.rule, lang.Combine) and step.rule.squares)


def needed(theorem: Theorem) -> list[str]:
    """The steps that the statement rests on, in order."""
    steps = {s.id: s for s in theorem.steps}
    last = next((s.id for s in reversed(theorem.steps) if s.expected != "REFUTED"), None)
    if theorem.expected == "REFUTED" and theorem.steps:
        last = theorem.steps[-1].id
    wanted, stack = set(), [last] if last else []
    while stack:
        name = stack.pop()
        if name in wanted or name not in steps:
            continue
        wanted.add(name)
        stack += [*steps[name].uses, *steps[name].by]
    return [s.id for s in theorem.steps if s.id in wanted]


def form(theorem: Theorem) -> Iterable[str]:
    """Faults of form: ids, order, what is used, what the last step states, what it says of the claim that it names."""
    yield from tied.faults(theorem)
    yield from (f"the hypothesis {fault}" for fault in guards.hypotheses(theorem.hypotheses))
    yield from (f"the statement: {fault}" for fault in guards.statement(theorem.statement))
    ranges = {h.id: h.relation.over for h in theorem.hypotheses if isinstance(h, Given)}
    ranges |= {s.id: s.claim.over for s in theorem.steps}
    for step in theorem.steps:
        bound = frozenset(i for name in (step.id, *step.uses) for i, _, _ in ranges.get(name, ()))
        for line in (step.claim, *step.assuming):
            yield from (f"step {step.id}: {fault}" for fault in guards.statement(line, bound))
        yield from (f"step {step.id}: {fault}" for fault in grammar.rule(step.rule, bound))
    ids: set[str] = set()
    for hypothesis in theorem.hypotheses:
        if hypothesis.id in ids:
            yield f"the id {hypothesis.id} stands twice"
        ids.add(hypothesis.id)
    refuted: set[str] = set()
    for step in theorem.steps:
        if step.id in ids:
            yield f"the id {step.id} stands twice"
        for name in (*step.uses, *step.by):
            if name not in ids:
                yield f"step {step.id} uses {name}, which does not stand before it"
            if name in refuted:
                yield f"step {step.id} uses {name}, which is recorded as refuted"
        ids.add(step.id)
        if step.expected == "REFUTED":
            refuted.add(step.id)
    path = needed(theorem)
    if not path:
        yield "there is no step that proves the statement"
        return
    last = next(s for s in theorem.steps if s.id == path[-1])
    if last.assuming:
        yield f"the last step, {last.id}, stands under an assumption"
    if not same(last.claim, theorem.statement):
        yield f"the last step, {last.id}, is not the statement"
    if isinstance(last.rule, lang.Witness) and theorem.unused:
        yield "a witness against the statement must obey every hypothesis"
    useful = set(path)
    idle = [s.id for s in theorem.steps if s.id not in useful and s.expected != "REFUTED"]
    if idle:
        yield f"steps that the statement does not rest on: {', '.join(idle)}"
    steps = {s.id: s for s in theorem.steps}
    used = {n for i in path for n in (*steps[i].uses, *steps[i].by)}
    own = {h.id for h in theorem.hypotheses}
    for name in sorted(own - used - set(theorem.unused)):
        yield f"the hypothesis {name} is neither used nor listed as unused"
    for name in sorted(set(theorem.unused) & used):
        yield f"the hypothesis {name} is used, though listed as unused"
    for name in sorted(set(theorem.unused) - own):
        yield f"{name}, listed as unused, is no hypothesis"


def _step(
    theorem: Theorem,
    step: Step,
    found: Mapping[str, Any],
    done: Mapping[str, StepReport],
    earlier: Mapping[str, Report],
    missing: str,
    sound: Mapping[str, StepReport],
) -> StepReport:
    if isinstance(step.rule, lang.Assumed):
        return StepReport(step, "ASSUMED", reason=step.rule.citation)
    hypotheses = {h.id: h for h in theorem.hypotheses}
    for name in (*step.uses, *step.by):
        if name in done and done[name].outcome not in ("PROVED", "ASSUMED"):
            return StepReport(step, "UNKNOWN", reason=f"{name} is not proved")
        if name not in done and name not in hypotheses:
            return StepReport(step, "UNKNOWN", reason=f"{name} does not stand before it")
    try:
        reason = why_unusable(theorem, step, found, missing)
        if reason:
            return StepReport(step, "UNKNOWN", reason=reason)
        granted = {n: h.relation for n, h in hypotheses.items() if isinstance(h, Given) and n not in theorem.unused}
        granted |= {n: r.step.claim for n, r in sound.items() if _stands(r, step)}
        return _judge(step, found, done, hypotheses, earlier, granted)
    except (
        ProofError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        ArithmeticError,
        AttributeError,
        NotImplementedError,
        RecursionError,
        sympy.SympifyError,
    ) as error:
        return StepReport(step, "UNKNOWN", reason=f"{type(error).__name__}: {error}"[:500])


class Ground(NamedTuple):
    """What a step uses: statements with what each assumes, members of classes, definitions that are inserted."""

    used: dict[str, Relation]
    assuming: dict[str, tuple[Relation, ...]]
    members: tuple[Any, ...]
    definitions: tuple[Any, ...]


def _judge(
    step: Step,
    found: Mapping[str, Any],
    done: Mapping[str, StepReport],
    hypotheses: Mapping[str, lang.Hypothesis],
    earlier: Mapping[str, Report],
    granted: Mapping[str, Relation],
) -> StepReport:
    ground, rule = _ground(step, done, hypotheses), step.rule
    own = {f"assumed {i}": h for i, h in enumerate(step.assuming, 1)}
    _require_assumed(step, ground)
    lines.unmoved(step, ground.used, ground.assuming)
    lines.unturned(step, {**ground.used, **own})
    lines.uncaught(step, ground.used, ground.definitions, hypotheses)
    context = Context(ground.used, ground.definitions, ground.members, step.claim)
    wide = Context({**ground.used, **own}, context.definitions, context.members, step.claim)
    certificate = found[step.id]["certificate"] if needs_certificate(step) else None
    _require_no_chance(step, ground, earlier)
    if isinstance(rule, lang.Witness | lang.Violated):  # false at numbers, where it has a value
        return _refuted(step, rule, wide)
    lines.valued(step, granted, context)
    scope, reason = ALL, None
    if isinstance(rule, lang.Apply):
        if rule.theorem not in earlier:
            raise ProofError(f"{rule.theorem} is not among the theorems before this one")
        scope, outcome = earlier[rule.theorem].scope, earlier[rule.theorem].verdict
        if outcome not in ("PROVED", "ASSUMED"):
            raise ProofError(f"{rule.theorem} is not proved")
        reason = apply(rule, earlier[rule.theorem].theorem, wide, lines.conditional(ground.used, ground.assuming))
        if reason is None and outcome == "ASSUMED":
            return StepReport(step, "ASSUMED", scope, f"{rule.theorem} rests on assumed steps")
    elif isinstance(rule, lang.Enumerate):
        if rule.scope == ALL:
            raise ProofError(f"what is enumerated does not stand for {ALL}")
        reason, scope = exact_values.enumerated(rule, context), rule.scope or "finite"
    elif isinstance(rule, lang.Cases):
        reason = rules.cases(rule, context, ground.assuming, step.assuming)
    elif isinstance(rule, lang.Induction):
        reason = rules.induction(rule, context, ground.assuming, step.assuming)
    elif isinstance(rule, lang.Rising):
        reason = calculus.rising(rule, wide, hypotheses.values())
    else:
        reason = _by_rule(rule, context, wide, certificate)
    if reason:
        return StepReport(step, "UNKNOWN", reason=reason)
    return StepReport(step, "PROVED", scope)


def _ground(step: Step, done: Mapping[str, StepReport], hypotheses: Mapping[str, lang.Hypothesis]) -> Ground:
    """What the step names, in ``uses`` and in ``by``; ProofError for what can't stand there."""
    used: dict[str, Relation] = {}
    assuming: dict[str, tuple[Relation, ...]] = {}
    members = []
    for name in step.uses:
        if name in done:
            used[name], assuming[name] = done[name].step.claim, done[name].step.assuming
            continue
        hypothesis = hypotheses[name]
        if isinstance(hypothesis, Given):
            used[name], assuming[name] = hypothesis.relation, ()
        elif isinstance(hypothesis, Member):
            members.append(hypothesis)
        else:
            raise ProofError(f"{name} is a definition: name it in ``by``")
    definitions: list[Any] = []
    for name in step.by:
        entry = hypotheses.get(name)
        if isinstance(entry, Defines):
            definitions.append(entry)
        elif name in done and done[name].step.claim.op == "==" and not done[name].step.claim.over:
            definitions.append(Equation(name, done[name].step.claim.left, done[name].step.claim.right))
            assuming[name] = done[name].step.assuming
        elif isinstance(entry, Given) and entry.relation.op == "==" and not entry.relation.over:
            definitions.append(Equation(name, entry.relation.left, entry.relation.right))
        else:
            raise ProofError(f"{name} in ``by`` is neither a definition nor a plain equation")
    return Ground(used, assuming, tuple(members), tuple(definitions))


def _require_assumed(step: Step, ground: Ground) -> None:
    """ProofError for what stands under an assumption that the step does not make; two rules discharge assumptions."""
    if isinstance(step.rule, lang.Cases | lang.Induction):
        return
    for name, conditions in ground.assuming.items():
        for condition in conditions:
            if not any(same(condition, h) for h in step.assuming):
                raise ProofError(f"{name} stands under an assumption that this step does not make")


def _require_no_chance(step: Step, ground: Ground, earlier: Mapping[str, Report]) -> None:
    """ProofError for an expectation of what stands under a condition on chance."""
    rule, assuming = step.rule, ground.assuming
    if isinstance(rule, lang.Expected) and any(lines.chancy(h) for n in ground.used for h in assuming.get(n, ())):
        raise ProofError("no expectation of what stands under a condition on chance")
    if isinstance(rule, lang.Apply) and any(lines.chancy(h) for h in step.assuming):
        applied = earlier.get(rule.theorem)
        if applied is not None and speaks_of_chance(applied.theorem):
            raise ProofError("no expectation under a condition on chance")
    inserted = [d.id for d in ground.definitions if isinstance(d, Equation)]
    if any(lines.chancy(h) for name in inserted for h in assuming.get(name, ())):
        raise ProofError("no equation under a condition on chance is inserted: an expectation may stand around it")


def _refuted(step: Step, rule: lang.Witness | lang.Violated, wide: Context) -> StepReport:
    """What numbers, or the catalogue, say of a statement that is to be false."""
    if isinstance(rule, lang.Witness):
        if any(isinstance(d, Equation) for d in wide.definitions):
            raise ProofError("a witness inserts definitions alone: an equation is among what it uses, and holds there")
        reason = exact_values.witness(rule, wide)
        return StepReport(step, "UNKNOWN" if reason else "REFUTED", reason=reason or "false at " + values(rule))
    from fltheory.proof.catalogued import violated

    reason = violated(rule)
    return StepReport(step, "UNKNOWN" if reason else "REFUTED", reason=reason or f"violated: {rule.claim}")


def _by_rule(rule: lang.Rule, context: Context, wide: Context, certificate: Any) -> str | None:
    """Why the step does not follow by a rule that needs nothing but what it names; None where it does."""
    if isinstance(rule, lang.Combine):
        return rules.combine(rule, wide, certificate)
    if isinstance(rule, lang.Summed):
        return rules.summed(rule, context)
    if isinstance(rule, lang.Expected):
        return rules.expected(rule, context)
    if isinstance(rule, lang.Instance):
        return rules.instance(rule, wide)
    if isinstance(rule, lang.Squeezed):
        return rules.squeezed(rule, wide)
    if isinstance(rule, lang.Power):
        return rules.power(rule, wide)
    if isinstance(rule, lang.Polynomial):
        return rules.polynomial_rule(rule, wide, certificate)
    if isinstance(rule, lang.Ball):
        return rules.ball_rule(rule, wide, certificate)
    if isinstance(rule, lang.Known) and rule.name in absolute.NAMES:
        return absolute.known(rule, wide)
    if isinstance(rule, lang.Absolute):
        return absolute.absolute(wide)
    if isinstance(rule, lang.Monotone):
        return absolute.monotone(wide)
    if isinstance(rule, lang.Known):
        return rules.known(rule, wide)
    raise ProofError(f"{type(rule).__name__} is no rule of the checker")


def _stands(report: StepReport, step: Step) -> bool:
    """Whether an earlier step stands under no assumption but those of this one."""
    earlier = report.step
    if any(i in guards.loose(h) for i, _, _ in earlier.claim.over for h in earlier.assuming):
        return False  # "if P(i) then R(i)"
    return all(any(same(h, own) for own in step.assuming) for h in earlier.assuming)


def values(rule: lang.Witness) -> str:
    return ", ".join(f"{k} = {v}" for k, v in rule.at)


def _sought(step: Step) -> str:
    """What a certificate would show that was not found, so that one sees which line may lack."""
    rule, given = step.rule, ", ".join((*step.uses, *step.by)) or "no line"
    claim = f"{sympy.sstr(step.claim.left)} {step.claim.op} {sympy.sstr(step.claim.right)}"[:300]
    if isinstance(rule, lang.Ball):
        return f"not shown: no boxes are known on which balls tell the sign of {claim} (find looks for them)"
    if isinstance(rule, lang.Combine):
        weighted = f" and {len(rule.axioms)} axioms" if rule.axioms else ""
        return (
            f"not shown: what is left of {claim} beside {given}{weighted} is not known to be a sum of squares (find looks "
            "for one): a line, an axiom of the class or another weight lacks"
        )
    return (
        f"not shown: {claim} is not known to be a combination of products of {given} and squares (find looks for one): a "
        "line that it needs lacks, or a sign that is not among them"
    )


def why_unusable(theorem: Theorem, step: Step, found: Mapping[str, Any], missing: str) -> str | None:
    """Why a step has no certificate that speaks of it; None if it has one, or needs none."""
    if not needs_certificate(step):
        return None
    entry = found.get(step.id)
    if entry is None:
        return missing or _sought(step)
    if not isinstance(entry, dict) or set(entry) != {"hash", "certificate"}:
        return "its certificate must be an object with hash and certificate"
    if entry["hash"] != certificates.fingerprint(theorem, step):
        return "its certificate was found for another statement"
    return None
