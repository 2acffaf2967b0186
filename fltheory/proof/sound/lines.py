"""What must hold of the lines of a step whatever its rule: they have a value, and no index is taken for another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import sympy

from fltheory.proof.language import (
    Defines,
    Expected,
    Given,
    Hypothesis,
    Induction,
    Instance,
    Power,
    ProofError,
    Relation,
    Rule,
    Squeezed,
    Step,
    Summed,
    Theorem,
)
from fltheory.proof.sound import defined, guards
from fltheory.proof.sound.context import Context, Equation
from fltheory.proof.terms import free, is_random


def unseen(theorem: Theorem, proved: Collection[str]) -> Iterator[str]:
    """Hypotheses that aren't seen to have a value.

    What is known grows from nothing: by a hypothesis that has a value by what is known, and by a step of those ``proved``
    that rests on what is known and whose lines have a value by it.
    """
    definitions = tuple(h for h in theorem.hypotheses if isinstance(h, Defines))
    left = {h.id: h.relation for h in theorem.hypotheses if isinstance(h, Given)}
    steps = [s for s in theorem.steps if s.id in proved and not s.assuming]
    free_of_doubt = {h.id for h in theorem.hypotheses if not isinstance(h, Given)}
    known: dict[str, Relation] = {}
    while True:
        reasons = {n: defined.undefined(Context(_apart(known, r), definitions, (), r)) for n, r in left.items()}
        new = {n: left.pop(n) for n, reason in reasons.items() if reason is None}
        known |= new
        for step in steps if left else ():
            rests = {*step.uses, *step.by} <= free_of_doubt | set(known)
            if step.id not in known and rests and _has_value(step, known, definitions):
                new[step.id] = known[step.id] = step.claim
        if not new:
            break
    yield from (f"{name}: {reasons[name]}" for name in left)


def _has_value(step: Step, known: Mapping[str, Relation], definitions: tuple[Defines, ...]) -> bool:
    context = Context(_apart(known, step.claim), definitions, (), step.claim)
    return defined.undefined(context, *defined.brought(step.rule)) is None


def _apart(known: Mapping[str, Relation], line: Relation) -> dict[str, Relation]:
    """What is known but for what speaks of one number by the name that a line has for an index."""
    indices = {i for i, _, _ in line.over}
    return {n: r for n, r in known.items() if not guards.loose(r) & indices}


def valued(step: Step, granted: Mapping[str, Relation], context: Context) -> None:
    """ProofError where the claim, an assumption or what the rule brings in isn't seen to have a value.

    What is ``granted`` holds in this theorem, and so does what the step uses.
    """
    ranges = step.claim.over
    known: Mapping[str, Relation] = {**_apart(granted, step.claim), **context.used}
    for number, condition in enumerate(step.assuming, 1):
        around = (r for r in ranges if r[0] not in {i for i, _, _ in condition.over})
        wide = Relation(condition.left, condition.op, condition.right, (*around, *condition.over))
        reason = defined.undefined(Context(_apart(known, condition), context.definitions, context.members, wide))
        if reason is not None:
            raise ProofError(reason)
        known = {**known, f"assumed {number}": condition}
    claimed = Context(known, context.definitions, context.members, step.claim)
    reason = defined.undefined(claimed, *defined.brought(step.rule))
    if reason is not None:
        raise ProofError(reason)


def conditional(used: Mapping[str, Relation], assuming: Mapping[str, tuple[Relation, ...]]) -> frozenset[str]:
    """What stands under an assumption on one of its own indices: "if P(i) then R(i)" is not "R(i) for all i"."""
    return frozenset(
        name
        for name, relation in used.items()
        if any(i in guards.loose(h) for i, _, _ in relation.over for h in assuming.get(name, ()))
    )


def unmoved(step: Step, used: Mapping[str, Relation], assuming: Mapping[str, tuple[Relation, ...]]) -> None:
    """ProofError where "if P(i) then R(i)" is used for R(j), for a sum over i, or for a claim without that i."""
    rule = step.rule
    at = tuple(i for i, _ in rule.at) if isinstance(rule, Instance) else ()
    for bound in (*at, *(rule.indices if isinstance(rule, Summed) else ())):
        if any(bound in guards.loose(h) for name in used for h in assuming.get(name, ())):
            raise ProofError(f"what is used stands under an assumption on {bound}")
    for name in conditional(used, assuming):
        tied = set().union(*map(guards.loose, assuming[name])) & {i for i, _, _ in used[name].over}
        if not tied <= {i for i, _, _ in step.claim.over}:
            raise ProofError(f"{name} stands under an assumption on an index that the claim doesn't have")


def unturned(step: Step, used: Mapping[str, Relation]) -> None:
    """ProofError where a rule that compares up to the names of indices would mistake one for another.

    What stands beside a relation (values, exponents, assumptions, facts) knows its indices by their names. So an index may
    have another name in the claim only where both names are otherwise unknown. ``used`` holds the assumptions too.
    """
    rule = step.rule
    if not isinstance(rule, Instance | Summed | Expected | Power | Squeezed | Induction):
        return
    gone = {i for i, _ in rule.at} if isinstance(rule, Instance) else set()
    gone |= set(rule.indices) if isinstance(rule, Summed) else set()
    gone |= {rule.index} if isinstance(rule, Induction) else set()
    own = {rule.index} if isinstance(rule, Induction) else set()
    claimed = [i for i, _, _ in step.claim.over if i not in own]
    beside = set().union(_names(step.claim), *map(_names, step.assuming), *(free(e) for e in defined.brought(rule)))
    for relations in _compared(rule, list(used.values())):
        ranges = dict.fromkeys(entry for r in relations for entry in r.over)
        left = [i for i, _, _ in ranges if i not in gone]
        if len(set(left)) != len(left):
            raise ProofError("one index has two ranges")
        if len(left) != len(claimed):
            continue  # then names are compared, or nothing is
        others = set().union(*(guards.loose(r) for r in used.values()))
        for old, new in zip(left, claimed, strict=True):
            if old != new and (old in beside | others or any(new in _names(r) for r in relations)):
                raise ProofError(f"{old} has another name in the claim, {new}, and is spoken of elsewhere")


def _compared(rule: Rule, used: list[Relation]) -> list[list[Relation]]:
    """The relations whose indices, taken together, become the claim's."""
    if isinstance(rule, Power | Squeezed):
        return [used[:2]]
    return [[r] for r in (used if isinstance(rule, Induction) else used[:1])]


def _names(line: Relation) -> set[sympy.Symbol]:
    """Every symbol in a relation, its indices included."""
    parts = (line.left, line.right, *(sympy.sympify(part) for entry in line.over for part in entry))
    return set().union(*(sympy.sympify(part).atoms(sympy.Symbol) for part in parts))


def chancy(line: Relation) -> bool:
    """Whether a relation depends on chance, its ranges included."""
    return any(map(is_random, (line.gap, *(end for _, low, high in line.over for end in (low, high)))))


def uncaught(
    step: Step, used: Mapping[str, Relation], definitions: Iterable[Defines], hypotheses: Mapping[str, Hypothesis]
) -> None:
    """ProofError where a symbol that is fixed outside a claim would be taken for an index of it."""
    indices = {i for i, _, _ in step.claim.over}
    fixed: set[sympy.Symbol] = set()
    for entry in hypotheses.values():
        if isinstance(entry, Given):
            fixed |= guards.loose(entry.relation)
        else:
            left, *rest = (
                (entry.left, entry.right)
                if isinstance(entry, Defines)
                else (entry.function, entry.smooth, entry.convex)
            )
            read = {left} if isinstance(left, sympy.Symbol) else set()
            for expr in rest:
                read |= set() if expr is None else free(sympy.sympify(expr))
            fixed |= read - set(defined.slots_of(left))
    for name, relation in used.items():
        caught = guards.loose(relation) & indices
        if name in hypotheses or caught & fixed:
            for symbol in sorted(caught, key=str):
                raise ProofError(f"{name} speaks of one {symbol} only, the claim of each")
    bound = indices.union(*({i for i, _, _ in r.over} for r in (*used.values(), *step.assuming)))
    for definition in definitions:
        slots = set() if isinstance(definition, Equation) else set(defined.slots_of(definition.left))
        own = free(definition.right) | (free(definition.left) if isinstance(definition, Equation) else set())
        own |= {definition.left} if isinstance(definition.left, sympy.Symbol) else set()
        for symbol in sorted((own - slots) & bound, key=str):
            raise ProofError(f"{definition.id} speaks of one {symbol}, which is an index here")
