"""The kernel: confirm or refuse exported theorems, independently of the program that made them but for the file format."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from fltheory.kernel import rules
from fltheory.kernel.applied import apply
from fltheory.kernel.context import Context, alike, beyond_domain, fits, of_kind, says, unmet
from fltheory.kernel.language.effort import DEEP, TooLong, counted
from fltheory.kernel.language.fields import STEP, THEOREM, fields, hypothesis_of, rule_of
from fltheory.kernel.language.lines import Definition, Line, Member, head, line, named, unfolding
from fltheory.kernel.language.terms import (
    VECTORS,
    ZERO,
    Term,
    Wrong,
    a_function,
    anywhere,
    endless,
    minus,
    parts,
    put,
    read,
    slots,
    symbol,
    unmarked,
    whole,
)
from fltheory.kernel.needs import Need, noted, powers_closed, ranging, remembered
from fltheory.kernel.normal import glance, normal, opened
from fltheory.kernel.rules import need

BROKEN = (Exception,)  # any exception that a file causes: the theorem is refused
FORMAT = "fltheory proofs 1"
NONE = Line(ZERO, "<=", ZERO)


@dataclass(frozen=True)
class Step:
    """A step of a proof: a claim that follows by a rule from earlier lines, under assumptions of its own."""

    name: str
    claim: Line
    rule: Mapping[str, Any]
    uses: tuple[str, ...]
    by: tuple[str, ...]
    assuming: tuple[Line, ...]
    refuted: bool

    @property
    def kind(self) -> str:
        """The name of the rule."""
        return str(self.rule["rule"])


@dataclass(frozen=True)
class Theorem:
    """A theorem: its hypotheses by name, its statement, and the steps of its proof."""

    name: str
    statement: Line
    hypotheses: Mapping[str, Line | Definition | Member]
    steps: tuple[Step, ...]
    unused: frozenset[str]
    refuted: bool
    outside: str = ""  # the citation or run on which it rests

    @cached_property
    def of_chance(self) -> bool:
        """Whether an expectation occurs in the theorem."""
        return any(p.word == "mean" for t in self._terms() for p in parts(t))

    def _terms(self) -> Iterator[Term]:
        for h in self.hypotheses.values():
            yield from _terms_of(h)
        for own in (self.statement, *(k for s in self.steps for k in (s.claim, *s.assuming))):
            yield from own.terms
        for step in self.steps:
            yield from _brought(step)


def _terms_of(h: Line | Definition | Member) -> tuple[Term, ...]:
    if isinstance(h, Line):
        return h.terms
    if isinstance(h, Definition):
        return (h.left, h.right)
    return tuple(t for t in (h.function, h.smooth, h.convex) if t is not None)


def theorem(value: Mapping[str, Any]) -> Theorem:
    """Read a theorem from JSON; raise Wrong if it is malformed."""
    own = fields(value, THEOREM, "the theorem")
    found: dict[str, Line | Definition | Member] = {}
    for h in map(hypothesis_of, own["hypotheses"]):
        need(h["id"] not in found, f"the name {h['id']} occurs twice")
        if h["kind"] == "given":
            found[h["id"]] = line(h["relation"])
        elif h["kind"] == "defines":
            found[h["id"]] = Definition(h["id"], read(h["left"]), read(h["right"]))
        else:
            smooth, convex = (None if h[k] is None else read(h[k]) for k in ("smooth", "convex"))
            found[h["id"]] = Member(h["id"], read(h["function"]), smooth, convex)
    steps = tuple(map(_step_of, own["steps"]))
    return Theorem(own["id"], line(own["statement"]), found, steps, frozenset(own["unused"]), own["refuted"])


def _step_of(value: Any) -> Step:
    own = fields(value, STEP, "a step")
    rule, names = rule_of(own["rule"], f"step {own['id']}"), (tuple(own["uses"]), tuple(own["by"]))
    return Step(own["id"], line(own["claim"]), rule, *names, tuple(map(line, own["assuming"])), own["refuted"])


@dataclass(frozen=True)
class Verdict:
    """The verdict on a theorem: ``confirmed``, ``outside``, ``refused`` or ``not checked``.

    ``outside``: the proof rests on a citation or a run. ``not checked``: the check takes more work than is allowed; no theorem may
    apply it. ``read`` (if domains were requested) names a part of a confirmed theorem that is not seen to lie in its natural
    domain, and so is read with x/0 = 0.
    """

    name: str
    outcome: str
    reason: str = ""
    read: str = ""


def recheck(exported: Mapping[str, Any], domains: bool = False) -> Iterator[Verdict]:
    """Yield the verdict on every theorem of an exported file, paper by paper.

    Each theorem may apply earlier ones of its paper. With ``domains``, check too that each lies in its natural domain.
    """
    if (
        not isinstance(exported, dict)
        or exported.get("format") != FORMAT
        or not isinstance(exported.get("papers"), dict)
    ):
        raise Wrong(f"this is not a file of the format {FORMAT!r}")
    for key, theorems in exported["papers"].items():
        if not isinstance(theorems, list):
            raise Wrong(f"the paper {key!r} has no list of theorems")
        yield from _of_a_paper(theorems, domains)


def _of_a_paper(theorems: Iterable[Any], domains: bool) -> Iterator[Verdict]:
    earlier: dict[str, Theorem] = {}
    for value in theorems:
        name = str(value.get("id")) if isinstance(value, dict) else str(value)[:40]
        try:
            own, outside = counted(partial(_checked, value, earlier))
        except TooLong as error:
            yield Verdict(name, "not checked", str(error))
            continue
        except DEEP:
            yield Verdict(name, "not checked", "too long: its terms are nested too deeply, or too large")
            continue
        except BROKEN as error:
            yield Verdict(name, "refused", f"{type(error).__name__}: {error}"[:600])
            continue
        if not own.refuted:
            earlier[own.name] = replace(own, outside=outside)
        told = _read(own, earlier) if domains and not (outside or own.refuted) else ""
        yield Verdict(name, "outside" if outside else "confirmed", outside, told)


def _checked(value: Any, earlier: Mapping[str, Theorem]) -> tuple[Theorem, str]:
    own = theorem(value)
    need(own.name not in earlier, "an earlier theorem has the same name")
    return own, check(own, earlier)


def _words(error: Exception) -> str:
    """Return the message of an error, with fresh symbols under their original names."""
    return f"{type(error).__name__}: {unmarked(str(error))}"


def _read(own: Theorem, earlier: Mapping[str, Theorem]) -> str:
    try:
        return counted(partial(artificial, own, earlier))
    except BROKEN as error:  # not seen to lie in its natural domain
        return _words(error)[:600]


def check(own: Theorem, earlier: Mapping[str, Theorem]) -> str:
    """Raise Wrong if a step does not follow; return the citation or run on which the theorem rests, or an empty string."""
    require_form(own)
    outside: dict[str, str] = {}
    for told in each(own, earlier):
        step = told.step
        if told.outcome == "not checked":
            raise TooLong(f"{told.reason}: step {step.name} ({step.kind})")
        if told.outcome == "refused":
            raise Wrong(f"step {step.name} ({step.kind}): {told.reason}")
        rests = told.reason or next((outside[n] for n in (*step.uses, *step.by) if n in outside), "")
        if rests:
            outside[step.name] = rests
    return outside.get(_last(own).name, "")


@dataclass(frozen=True)
class Told:
    """The verdict on a step: an outcome as for a theorem, and the reason."""

    step: Step
    outcome: str
    reason: str = ""


def require_form(own: Theorem) -> None:
    """Raise Wrong if a theorem's names, the order of its steps or its terms are malformed."""
    asked = dict[str, dict[Need, None]]()
    for name, h in own.hypotheses.items():
        with noted() as asked[name]:
            try:
                _hypothesis(h)
            except Wrong as error:
                raise Wrong(f"the hypothesis {name}: {error}") from error
    with noted() as needs:
        _form(own)
    given, defined = _given(own), {head(d.left) for d in _definitions(own)}
    heads = {n: {head(p) for t in h.terms for p in parts(t) if named(p)} for n, h in given.items()}
    plain = {n: h for n, h in given.items() if not heads[n] & defined}
    for name, h in own.hypotheses.items():  # lines with defined symbols may not justify the sort of a value
        where = _beside(given, own, h) if isinstance(h, Line) else Context(plain, (), (), NONE, calm=True)
        _granted(asked[name], where)
    _granted(needs, _beside(given, own, own.statement))


def each(own: Theorem, earlier: Mapping[str, Theorem]) -> Iterator[Told]:
    """Yield the verdict on each step of a well-formed theorem; no later step may use one that is refused or not checked."""
    done: dict[str, Step] = {}
    outside, lost = set[str](), set[str]()
    for step in own.steps:
        told = _told(step, own, done, earlier, outside, lost)
        if told.outcome in ("refused", "not checked"):
            lost.add(step.name)
        elif not step.refuted:
            done[step.name] = step
            if told.reason or outside & {*step.uses, *step.by}:
                outside.add(step.name)
        yield told


def _told(
    step: Step,
    own: Theorem,
    done: Mapping[str, Step],
    earlier: Mapping[str, Theorem],
    outside: Collection[str],
    lost: Collection[str],
) -> Told:
    missing = next((n for n in (*step.uses, *step.by) if n in lost), None)
    if missing is not None:
        return Told(step, "refused", f"{missing} is not proved")
    try:
        rests = _step(step, own, done, earlier, outside)
    except TooLong as error:
        return Told(step, "not checked", str(error))
    except DEEP:
        return Told(step, "not checked", "too long: its terms are nested too deeply, or too large")
    except BROKEN as error:
        return Told(step, "refused", _words(error))
    return Told(step, "outside" if rests else "confirmed", rests)


def _last(own: Theorem) -> Step:
    """Return the step that states the theorem, or refutes it."""
    wanted = [s for s in own.steps if own.refuted or not s.refuted]
    need(bool(wanted), "there is no step")
    return wanted[-1]


def check_step(own: Theorem, name: str, earlier: Mapping[str, Theorem]) -> None:
    """Raise Wrong if one step does not follow from those before it, whether or not they are proved."""
    place = [s.name for s in own.steps].index(name)
    _step(own.steps[place], own, {s.name: s for s in own.steps[:place] if not s.refuted}, earlier, {})


def _form(own: Theorem) -> None:
    """Check the names, the order of the steps, and that the last step is the statement."""
    _no_circles([h for h in own.hypotheses.values() if isinstance(h, Definition)])
    _line(own.statement)
    known, refuted = set(own.hypotheses), set[str]()
    for step in own.steps:
        need(step.name not in known | refuted, f"the name {step.name} occurs twice")
        need({*step.uses, *step.by} <= known, f"{step.name} uses a line that does not precede it")
        need(not own.unused & {*step.uses, *step.by}, f"{step.name} uses a hypothesis that is listed as unused")
        (refuted if step.refuted else known).add(step.name)
    _one_sort(own)
    last = _last(own)
    need(not last.assuming and says(own.statement, last.claim), "the last step is not the statement")
    need(last.refuted == own.refuted, "only one of the theorem and its last step is marked as refuted")
    if own.refuted and last.kind == "Witness":
        need(not own.unused, "a counterexample must satisfy every hypothesis")
        need(set(own.hypotheses) <= {*last.uses, *last.by}, "a counterexample must satisfy every hypothesis")


# Well-formed lines and terms -------------------------------------------------------------------------------------------


def _line(own: Line, bound: frozenset[Term] = frozenset()) -> None:
    """Raise Wrong if a line's sides or ranges are malformed."""
    seen: set[Term] = set()
    for i, low, high in own.over:
        need(i.word == "symbol" and i not in seen, f"the index {i} occurs twice, or is not a symbol")
        need(not (low.free | high.free) & (own.indices - seen), f"the range of {i} depends on a later index")
        need(i.args[1] in ("integer", "from 0", "from 1", "unknown"), f"the index {i} must be an integer")
        need(not low.random and not high.random, f"the range of {i} depends on chance")
        if i.args[1].startswith("from"):
            need(low.word != "-oo", f"the range of {i} has no lower end, which its sort requires")
            first = "1" if i.args[1] == "from 1" else "0"
            with noted() as supposed:  # the sort of the index may not justify itself
                never = glance(normal(minus(low, read(first))))
            need(never and not supposed, f"the range of {i} is not seen to begin at {first} or above")
        seen.add(i)
    inner = bound | own.indices
    with ranging(own.over):
        for end in own.ends:
            need(endless(end) or not (end.vector or a_function(end)), f"{end} cannot be the end of a range")
            _term(end, inner, an_end=True)
        for side in (own.left, own.right):
            need(not a_function(side), f"{side} is not a number")
            _term(side, inner)
    kinds = {side.vector for side in (own.left, own.right) if side is not ZERO}
    need(len(kinds) < 2 and (True not in kinds or own.op == "=="), "a vector is compared with a number")


@remembered
def _term(term: Term, bound: frozenset[Term], an_end: bool = False) -> None:
    """Raise Wrong if a term is malformed: an unbound symbol of unknown sort, a non-integer index, a product of vectors."""
    word, args = term.word, term.args
    if endless(term):
        need(an_end, "infinity occurs in a term")
    elif word == "symbol":
        need(args[1] != "unknown" or term in bound, f"the symbol {term} has no sort and is not bound")
    elif word == "sum":
        need(args[1].args[1] in ("integer", "from 0", "from 1", "unknown"), f"{args[1]} cannot be an index")
        need(not args[2].vector and not args[3].vector, f"a vector is an end of the sum from {args[2]} to {args[3]}")
        need(not endless(args[2], args[3]), "infinity occurs in a term")
        for part in (args[0], *args[2:]):
            need(not a_function(part), f"{part} is not a number")
        body, index, low, high = opened(term)  # the sort of its index is derived from its range
        _term(body, bound | {index})
        _term(low, bound)
        _term(high, bound)
        return
    elif word == "family":
        need(
            all(whole(a) or (a.free <= bound and whole(_counted(a, bound))) for a in args[2:]),
            f"{term} has an index that is not seen to be an integer",
        )
    elif word == "*":
        need(sum(a.vector for a in args) < 2, "vectors are multiplied")
    elif word == "+":
        need(len({a.vector for a in args if a is not ZERO}) < 2, "a number is added to a vector")
    elif word in ("dot", "grad", "val"):
        vectors = args if word == "dot" else args[1:]
        need(all(v.vector or v is ZERO for v in vectors), f"{word} is taken of a number")
        need(word == "dot" or (args[0].word == "family" and args[0].args[0] == "Fun"), f"{args[0]} is not a function")
    elif word == "draw":
        need(
            all(whole(a) or whole(_counted(a, bound)) for a in args),
            f"{term} has an index that is not seen to be an integer",
        )
    else:
        need(not any(a.vector for a in args if isinstance(a, Term)), f"{word} is taken of a vector")
    for i, a in enumerate(args):
        if isinstance(a, Term):
            need(not a_function(a) or (word in ("grad", "val") and i == 0), f"{a} is not a number")
            _term(a, bound)


def _counted(term: Term, bound: frozenset[Term]) -> Term:
    return put(term, {s: symbol(s.args[0] + "~whole", "integer") for s in bound if s.args[1] == "unknown"})


def _hypothesis(h: Line | Definition | Member) -> None:
    if isinstance(h, Line):
        return _line(h)
    left = h.function if isinstance(h, Member) else h.left
    slots(left)  # raises Wrong if they are malformed
    if isinstance(h, Member):
        need(left.word == "family" and left.args[0] == "Fun", f"{left} is not a function")
        for part in (h.smooth, h.convex):
            if part is not None:
                _term(anywhere(left, part), frozenset())
                need(not part.vector and not a_function(part), f"{part} is not a number")
        return
    need(named(left) and not a_function(left), f"{left} can't be defined")
    value = anywhere(left, h.right)  # an index stands for any integer, whatever its sort
    _term(value, frozenset())
    need(not a_function(h.right), f"{h.right} is not a number")
    need(left.vector == h.right.vector or (left.vector and h.right is ZERO), f"{h.right} is not of the sort of {left}")
    need(not h.right.random or left.random, f"{h.right} depends on chance, {left} does not")
    if left.word == "symbol":
        need(fits(left, value, ()), f"{h.right} is not seen to be of the sort of {left}")
    elif left.args[0] not in VECTORS:
        need(of_kind(left.args[0], value), f"{h.right} is not seen to have the sign of {left}, or is not an integer")


def _no_circles(definitions: Sequence[Definition]) -> None:
    reads = {head(d.left): {head(p) for p in parts(d.right) if named(p)} for d in definitions}
    need(len(reads) == len(definitions), "something is defined twice")
    for start in reads:
        reached, stack = set(), [start]
        while stack:
            for other in reads.get(stack.pop(), set()) & set(reads):
                need(other != start, "the definitions are circular")
                if other not in reached:
                    reached.add(other)
                    stack.append(other)


def _one_sort(own: Theorem) -> None:
    """Raise Wrong if one name has two sorts, in one line or among free symbols: a reader would take them for the same."""
    fixed = dict[str, str]()
    for h in (own.statement, *own.hypotheses.values()):
        bound = (
            h.indices if isinstance(h, Line) else frozenset(slots(h.left if isinstance(h, Definition) else h.function))
        )
        here = dict[str, str]()
        for p in (*bound, *(p for t in _terms_of(h) for p in parts(t) if named(p))):
            name, sort = p.args[:2] if p.word == "symbol" else (p.args[1] + "()" * (len(p.args) > 2), p.args[0])
            inner = p.word == "symbol" and (p in bound or not any(p in t.free for t in _terms_of(h)))
            for told in (here,) if inner else (here, fixed):
                need(told.setdefault(name, sort) == sort, f"{name} has two sorts: {told[name]}, {sort}")


def _given(own: Theorem) -> dict[str, Line]:
    """Return the hypotheses that are lines and may be used."""
    return {n: h for n, h in own.hypotheses.items() if isinstance(h, Line) and n not in own.unused}


def _definitions(own: Theorem) -> tuple[Definition, ...]:
    return unfolding([h for h in own.hypotheses.values() if isinstance(h, Definition)])


def artificial(own: Theorem, earlier: Mapping[str, Theorem]) -> str:
    """Return a natural-domain condition of the statement or a hypothesis that is not seen to hold, or an empty string.

    A part that fails it is read with x/0 = 0. Only hypotheses that lie in their natural domain, and lines that follow from these
    alone, may show that others do.
    """
    known, left = dict[str, Line](), {n: h for n, h in own.hypotheses.items() if isinstance(h, Line)}
    certain = {n for n, h in own.hypotheses.items() if not isinstance(h, Line)}
    for h in own.hypotheses.values():
        for term in () if isinstance(h, Line) else _terms_of(h):
            at_any = anywhere(h.function if isinstance(h, Member) else h.left, term)
            told = beyond_domain((at_any,), Context({}, _definitions(own), (), NONE, calm=True))
            if told is not None:
                return str(told)
    while True:
        told, new = None, dict[str, Line]()
        for name, h in left.items():
            missing = _outside(h, known, own)
            if missing is None:
                new[name] = h
            told = told or missing
        left = {n: h for n, h in left.items() if n not in new}
        known |= new
        certain |= set(new)
        if not left and _outside(own.statement, known, own) is None:
            return ""
        more = _natural_steps(own, known, certain, earlier)
        if not (new or more):
            told = told if left else _outside(own.statement, known, own)
            return str(told or "")


def _natural_steps(own: Theorem, known: dict[str, Line], certain: set[str], earlier: Mapping[str, Theorem]) -> bool:
    """Add to ``certain`` the steps in natural domain that follow from ``certain`` lines, and report whether any was added.

    Those without assumptions are added to ``known``.
    """
    before = len(certain)
    natural = replace(own, hypotheses={n: h for n, h in own.hypotheses.items() if n in certain})
    done = {s.name: s for s in own.steps if s.name in certain}
    for s in own.steps:
        if s.name in certain or s.refuted or not {*s.uses, *s.by} <= certain:
            continue
        supposed = {f"assumed {i}": h for i, h in enumerate(s.assuming, 1)}
        lines = [(h, known) for h in s.assuming] + [(s.claim, known | supposed)]
        if all(_outside(h, facts, own) is None for h, facts in lines) and _proved(s, natural, done, earlier):
            certain.add(s.name)
            done[s.name] = s
            if not s.assuming:
                known[s.name] = s.claim
    return len(certain) > before


def _proved(step: Step, own: Theorem, done: Mapping[str, Step], earlier: Mapping[str, Theorem]) -> bool:
    try:
        return not _step(step, own, done, earlier, ())
    except Wrong:
        return False


def _outside(h: Line, known: Mapping[str, Line], own: Theorem) -> Need | None:
    """Return a natural-domain condition of a line that does not hold; for the end of a range only earlier ranges count."""
    for n, (_, low, high) in enumerate(h.over):
        ends = tuple(e for e in (low, high) if not endless(e))
        told = beyond_domain(ends, _beside(known, own, Line(ZERO, "<=", ZERO, h.over[:n])))
        if told is not None:
            return told
    sides = (h.left, h.right)
    if beyond_domain(sides, Context({}, (), (), h)) is None:  # usually the sorts of symbols suffice
        return None
    return beyond_domain(sides, _beside(known, own, h))


def _beside(known: Mapping[str, Line], own: Theorem, line: Line) -> Context:
    """Return the context of a line of a theorem: all lines whose free symbols are not among its indices."""
    lines = {n: k for n, k in known.items() if not k.loose & line.indices}
    return Context(lines, tuple(d for d in _definitions(own) if not d.letters & line.indices), (), line, calm=True)


# One step -------------------------------------------------------------------------------------------------------------


def _brought(step: Step) -> list[Term]:
    """Return the terms that a rule contains; each must be well-formed, whatever the rule does with it."""
    rule, found = step.rule, []
    if step.kind == "Combine":
        found += [read(w) for w in rule["weights"].values()]
        found += [read(a[k]) for a in rule["axioms"] for k in ("weight", "u", "v")]
        found += [read(a["function"]) for a in rule["axioms"]]
        for square in rule["squares"] or ():
            found += [read(square["weight"]), *(read(part) for pair in square["vector"] for part in pair)]
            found += _of_identity(square["sign"]) if "sign" in square else []
    elif step.kind == "Polynomial":
        found += _of_identity(rule["certificate"])
    elif step.kind == "Ball":
        found += [read(part) for side in rule["box"] for part in side]
    elif step.kind in ("Instance", "Witness"):
        found += [read(v) for _, v in rule["at"]]
    elif step.kind == "Apply":
        found += [anywhere(read(k), read(v)) for k, v in rule["at"]]
    elif step.kind in ("Power", "Known"):
        found.append(read(rule["exponent" if step.kind == "Power" else "at"]))
    elif step.kind == "Summed":
        found.append(read(rule["weight"]))
    return found


def _of_identity(certificate: Mapping[str, Any]) -> list[Term]:
    found = [read(certificate["multiplier"])]
    for entry in certificate["terms"]:
        found += [read(entry["coefficient"]), *(read(fact) for fact, _ in entry["facts"])]
        found += [read(entry["square"])] if "square" in entry else []
    return found


def _step(
    step: Step, own: Theorem, done: Mapping[str, Step], earlier: Mapping[str, Theorem], outside: Collection[str]
) -> str:
    """Raise Wrong if a step does not follow or has an unmet need; return what it rests on outside of the rules."""
    proved = {n: s for n, s in done.items() if n not in outside}
    try:
        return _once(step, own, done, earlier, proved)
    except Wrong as error:
        with powers_closed():
            try:
                return _once(step, own, done, earlier, proved)
            except Wrong:
                raise error from None


def _once(
    step: Step, own: Theorem, done: Mapping[str, Step], earlier: Mapping[str, Theorem], proved: Mapping[str, Step]
) -> str:
    with noted() as needs:
        grounds = _grounds(step, own, proved)
        told = _follows(step, own, done, earlier, grounds)
    for averaged, context in enumerate(grounds):
        _granted((n for n in needs if n.averaged == bool(averaged)), context)
    return told


def _grounds(step: Step, own: Theorem, done: Mapping[str, Step]) -> tuple[Context, Context]:
    """Return the contexts that meet the needs of a step: the lines in force, and those that hold for every outcome.

    A need under an expectation must hold for every outcome, so lines under a random assumption do not count for it.
    """
    supposed = {f"assumed {i}": h for i, h in enumerate(step.assuming, 1)}
    inserted = definitions(step, own, done, {})
    standing = {n: s for n, s in done.items() if _stands(s, step)}
    everywhere = _given(own) | {n: s.claim for n, s in standing.items() if not _chancy(s.assuming)}
    everywhere |= {n: h for n, h in supposed.items() if not _chancy((h,))}
    here = everywhere | {n: s.claim for n, s in standing.items()} | supposed
    used = [done[n].claim if n in done else own.hypotheses.get(n) for n in step.uses]
    bound = step.claim.indices.union(*(k.indices for k in (*used, *step.assuming) if isinstance(k, Line)))
    apart = [{n: k for n, k in lines.items() if not k.loose & bound} for lines in (here, everywhere)]
    return (Context(apart[0], inserted, (), step.claim), Context(apart[1], inserted, (), step.claim, calm=True))


def _granted(needs: Iterable[Need], context: Context) -> None:
    missing = unmet(needs, context)
    need(missing is None, str(missing)[:400])


def _chancy(lines: Iterable[Line]) -> bool:
    return any(t.random for h in lines for t in h.terms)


def _follows(
    step: Step, own: Theorem, done: Mapping[str, Step], earlier: Mapping[str, Theorem], grounds: tuple[Context, Context]
) -> str:
    used: dict[str, Line] = {}
    under: dict[str, tuple[Line, ...]] = {}
    for name in step.uses:
        h = own.hypotheses.get(name)
        if name in done:
            used[name], under[name] = done[name].claim, done[name].assuming
        elif isinstance(h, Line):
            used[name], under[name] = h, ()
        else:
            need(isinstance(h, Member), f"{name} is a definition: it must be listed in ``by``")
    members = tuple(h for n in step.uses if isinstance(h := own.hypotheses.get(n), Member))
    inserted = definitions(step, own, done, under)
    bound = step.claim.indices.union(*(k.indices for k in used.values()))
    _line(step.claim)  # an index is an integer only because the claim binds it
    for h in step.assuming:
        _line(h, step.claim.indices)
    for brought in _brought(step):
        _term(brought, bound)
    if step.kind in ("Assumed", "Violated"):
        return f"step {step.name} is {step.kind}: {step.rule.get('citation') or step.rule.get('claim')}"
    need(step.kind in ("Witness",) or not step.refuted, "only a counterexample refutes")
    supposed = {f"assumed {i}": h for i, h in enumerate(step.assuming, 1)}
    for name, lines in under.items():
        if step.kind not in ("Cases", "Induction") or name in step.by:
            need(all(any(alike(h, o) for o in step.assuming) for h in lines), f"{name} assumes more than this step")
    _unmoved(step, used, under)
    _uncaught(step, used, under, inserted, own)
    _chance(step, used, under, inserted, earlier)
    plain = Context(used, inserted, members, step.claim, grounds)
    wide = Context({**used, **supposed}, inserted, members, step.claim, grounds)
    if step.kind == "Witness":
        need(
            step.refuted and all(d.anywhere for d in inserted),
            "a counterexample must refute its claim and insert definitions only",
        )
        rules.witness(step.rule, wide)
        return ""
    if step.kind == "Apply":
        need(step.rule["theorem"] in earlier, f"{step.rule['theorem']} is not proved before")
        applied = earlier[step.rule["theorem"]]
        apply(step.rule, applied, wide, _conditional(used, under))
        return f"{applied.name} rests on {applied.outside}" if applied.outside else ""
    if step.kind == "Cases":
        rules.cases(step.rule, plain, under, step.assuming)
    elif step.kind == "Induction":
        rules.induction(step.rule, plain, under, step.assuming)
    elif step.kind == "Rising":
        others = [t for h in own.hypotheses.values() for t in _terms_of(h)]
        rules.rising(step.rule, wide, [*others, *(t for h in step.assuming for t in h.terms)])
    else:
        rules.RULES[step.kind](step.rule, plain if step.kind in ("Summed", "Expected", "Enumerate") else wide)
    return ""


def definitions(
    step: Step, own: Theorem, done: Mapping[str, Step], under: dict[str, tuple[Line, ...]]
) -> tuple[Definition, ...]:
    """Return what a step inserts: definitions, and equations without ranges, whose assumptions are added to ``under``."""
    found = []
    for name in step.by:
        h = own.hypotheses.get(name)
        if not isinstance(h, Definition):
            known = done[name].claim if name in done else h
            if name in done:
                under[name] = done[name].assuming
            if not isinstance(known, Line) or known.op != "==" or known.over:
                raise Wrong(f"{name} is not an equation without ranges")
            h = Definition(name, known.left, known.right, anywhere=False)
        found.append(h)
    return tuple(found)


def _stands(before: Step, step: Step) -> bool:
    if any((before.claim.indices | step.claim.indices) & h.loose for h in before.assuming):
        return False
    return all(any(alike(h, o) for o in step.assuming) for h in before.assuming)


def _conditional(used: Mapping[str, Line], under: Mapping[str, Sequence[Line]]) -> frozenset[str]:
    """Return the names of lines under an assumption on one of their own indices."""
    return frozenset(n for n, k in used.items() if any(k.indices & h.loose for h in under.get(n, ())))


def _moved(step: Step) -> set[Term]:
    """Return the indices that a rule specialises or sums over."""
    rule = step.rule
    if step.kind == "Instance":
        return {read(i) for i, _ in rule["at"]}
    return set(map(read, rule["indices"])) if step.kind == "Summed" else set()


def _unmoved(step: Step, used: Mapping[str, Line], under: Mapping[str, Sequence[Line]]) -> None:
    for i in _moved(step):
        need(not any(i in h.loose for n in used for h in under.get(n, ())), f"a line used has an assumption on {i}")
    for name in _conditional(used, under):
        tied = frozenset().union(*(h.loose for h in under[name])) & used[name].indices
        need(tied <= step.claim.indices, f"{name} has an assumption on an index that the claim does not have")


def _uncaught(
    step: Step,
    used: Mapping[str, Line],
    under: Mapping[str, Sequence[Line]],
    definitions: Sequence[Definition],
    own: Theorem,
) -> None:
    """Raise Wrong if a free symbol of another line would be taken for an index of the claim."""
    indices, fixed = step.claim.indices, set[Term]()
    for h in own.hypotheses.values():
        fixed |= h.loose if isinstance(h, Line) else h.letters
    for name in step.uses:
        member = own.hypotheses.get(name)
        if isinstance(member, Member):
            caught = member.letters & indices
            need(not caught, f"{name} has a free symbol that is an index of the claim: {set(caught)}")
    for name, known in used.items():
        caught = known.loose & indices
        need(
            not (caught if name in own.hypotheses else caught & fixed),
            f"{name} has a free symbol that is an index of the claim: {caught}",
        )
    for name, lines in under.items():
        outside = indices - (used[name].indices if name in used else frozenset())
        caught = frozenset().union(*(h.loose for h in lines)) & outside & fixed
        need(not caught, f"{name} has an assumption on a free symbol that is an index of the claim: {set(caught)}")
    bound = indices.union(*(k.indices for k in (*used.values(), *step.assuming)))
    for d in definitions:
        need(not d.letters & bound, f"{d.name} has a free symbol that is an index here: {set(d.letters & bound)}")


def _chance(
    step: Step,
    used: Mapping[str, Line],
    under: Mapping[str, Sequence[Line]],
    definitions: Sequence[Definition],
    earlier: Mapping[str, Theorem],
) -> None:
    """Raise Wrong if an expectation is taken of a line under a random assumption."""

    if step.kind == "Expected":
        need(
            not any(_chancy(under.get(n, ())) for n in used), "an expectation cannot be taken under a random assumption"
        )
    if step.kind == "Apply" and _chancy(step.assuming):
        applied = earlier.get(step.rule["theorem"])
        need(applied is None or not applied.of_chance, "an expectation cannot be taken under a random assumption")
    inserted = [d.name for d in definitions if not d.anywhere]
    need(
        not any(_chancy(under.get(n, ())) for n in inserted), "an equation under a random assumption cannot be inserted"
    )
