"""Induction: the claim from its first integer on, by base and step."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, ONE, Term, endless, make, put, read
from fltheory.kernel.theorem import Step
from fltheory.rocq.scripts.script import Script
from fltheory.rocq.theorem import ScriptLine

Range = tuple[Term, Term, Term]
FIRST = {"from 0": "0", "from 1": "1"}


@dataclass(frozen=True)
class Inner:
    """The indices over which the predicate is universal: the tactic that introduces them, and their names."""

    over: tuple[Range, ...]
    intro: str
    names: tuple[str, ...]
    sorts: str


def _inner(script: Script, over: tuple[Range, ...]) -> Inner:
    names: list[str] = []
    for j, lo, hi in over:
        u = script.names.of(j)
        names += [u, f"I_{u}"] + ([] if endless(lo) else [f"A_{u}"]) + ([] if endless(hi) else [f"B_{u}"])
    own = [(f"G_{script.names.of(j)}", FIRST[j.args[1]], script.names.of(j)) for j, _, _ in over if j.args[1] in FIRST]
    sorts = "".join(f"assert ({g} : {first} <= {u}) by lra. " for g, first, u in own)
    return Inner(over, "".join(f" {n}" for n in names), tuple(names), sorts)


def prove_induction(script: Script, step: Step, claim: Line) -> None:
    """Prove the claim at one integer, for all of the other indices that its range and assumptions do not contain."""
    i = read(step.rule["index"])
    low, high = {j: (lo, hi) for j, lo, hi in claim.over}[i]
    say, v = script.names, script.names.of(i)
    held = low.free.union(high.free, *(h.loose for h in step.assuming))
    inner = _inner(script, tuple(r for r in claim.over if r[0] is not i and r[0] not in held))
    plain = Line(claim.left, claim.op, claim.right, inner.over)
    predicate = f"(fun {v} : R => {say.ranges(inner.over)}{say.relation(plain)})"
    ends = [] if endless(high) else [f"B_{v}"]
    lemma = (
        f"induct {predicate} {say.number(low)}"
        if endless(high)
        else f"induct_to {predicate} {say.number(low)} {say.number(high)}"
    )
    args = " ".join([v, f"I_{v}", f"A_{v}", *ends, *inner.names])
    gone = [*(say.of(j) for j, _, _ in reversed(inner.over)), v]
    script.emit(f"refine ({lemma} _ _ _ {args}); {'; '.join(f'clear dependent {u}' for u in gone)}.\n{{ int. }}")
    base, up = (script.known[n] for n in step.uses if n in script.known)
    whole_claim, kept = script.claim, list(script.at.facts)
    script.at.facts = [f for f in kept if i not in f.line.loose]
    _base(script, claim, base, i, low, inner)
    script.at.facts = kept
    _inductive_step(script, claim, up, i, (low, high), inner)
    script.claim = whole_claim


def _base(script: Script, claim: Line, base: ScriptLine, i: Term, low: Term, inner: Inner) -> None:
    at = {i: low}
    over = tuple((j, put(lo, at), put(hi, at)) for j, lo, hi in claim.over if j is not i)
    script.claim = Line(claim.left, claim.op, claim.right, over)
    k = script.expanded(base.line)
    wanted = Line(put(claim.left, at), claim.op, put(claim.right, at))
    proof = script.apply_known(base, {}).replace("{w}", script.names.w)
    intro = f"intros{inner.intro}. " if inner.intro else ""
    if i in script.free:  # the base says nothing about these, even if its lines hold for all
        v, first = script.names.of(i), script.names.number(low)
        intro = f"pose ({v} := {first}). assert (Z_{v} : integer {v}) by (unfold {v}; int). {intro}"
        if i.args[1] in FIRST:
            intro = intro.replace(
                "int). ", f"int). assert (G_{v} : {FIRST[i.args[1]]} <= {v}) by (unfold {v}; lra). ", 1
            )
    script.emit(
        f"{{ cbv beta; lits. {intro}{inner.sorts}{script.from_line(wanted, Line(k.left, k.op, k.right), proof)}. }}"
    )


def _inductive_step(
    script: Script, claim: Line, up: ScriptLine, i: Term, ends: tuple[Term, Term], inner: Inner
) -> None:
    (low, high), v, at = ends, script.names.of(i), {i: make("+", i, ONE)}
    reach = high if endless(high) else make("+", high, MINUS)
    over = tuple((j, put(lo, at), put(hi, at)) if j is not i else (i, low, reach) for j, lo, hi in claim.over)
    script.claim = Line(claim.left, claim.op, claim.right, over)
    for h in up.assuming:
        plainly = inner.names and not script.expanded(h).over
        proof = "ltac:(apply IH; first [ assumption | lra ])" if plainly else "IH"
        script.supposed[f"induction {len(script.supposed)}"] = ScriptLine(proof, h)
    k = script.expanded(up.line)
    wanted = Line(put(claim.left, at), claim.op, put(claim.right, at))
    proof = script.apply_known(up, {}).replace("{w}", script.names.w)
    intro = f"intros {v} I_{v} A_{v} {'' if endless(high) else f'B_{v} '}IH{inner.intro}. "
    sort = f"pose proof I_{v} as Z_{v}. " if i in script.free else ""
    sort += f"assert (G_{v} : {FIRST[i.args[1]]} <= {v}) by lra. " if i.args[1] in FIRST else ""
    end = script.from_line(wanted, Line(k.left, k.op, k.right), proof)
    script.emit(f"{{ {intro}{sort}{inner.sorts}cbv beta; lits. {end}. }}")
