"""What must hold of the lines of a step whatever its rule: they have a value, and no index is taken for another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import sympy

from fltheory.proof import defined, guards
from fltheory.proof.context import Context, Equation
from fltheory.proof.language import Defines, Given, Hypothesis, ProofError, Relation, Step, Theorem
from fltheory.proof.terms import free


def unseen(theorem: Theorem, proved: Collection[str]) -> Iterator[str]:
    """Hypotheses that aren't seen to have a value, by those that are and by the ``proved`` steps that rest on these alone."""
    definitions = tuple(h for h in theorem.hypotheses if isinstance(h, Defines))
    left = {h.id: h.relation for h in theorem.hypotheses if isinstance(h, Given)}
    known: dict[str, Relation] = {}
    steps = {s.id: s for s in theorem.steps}
    roots = {name: _roots(name, steps) for name in proved} if any(map(_needy, left.values())) else {}
    more = True
    while more:
        sound = {n: steps[n].claim for n, below in roots.items() if below is not None and not below & set(left)}
        both = {**known, **sound}
        reasons = {n: defined.undefined(Context(_apart(both, r), definitions, (), r)) for n, r in left.items()}
        known |= {n: left.pop(n) for n, reason in reasons.items() if reason is None}
        more = bool(left) and any(reason is None for reason in reasons.values())
    yield from (f"{name}: {reasons[name]}" for name in left)


def _roots(name: str, steps: Mapping[str, Step]) -> set[str] | None:
    """The hypotheses under a step; None where a line of its proof has a value only by what is known, or an assumption."""
    found, stack, seen = set[str](), [name], set[str]()
    while stack:
        step = steps.get(top := stack.pop())
        if step is None:
            found.add(top)
        elif top not in seen:
            seen.add(top)
            if step.assuming or _needy(step.claim) or any(map(defined.needs, defined.brought(step.rule))):
                return None
            stack += [*step.uses, *step.by]
    return found


def _needy(line: Relation) -> bool:
    ends = (end for _, low, high in line.over for end in (low, high))
    return any(map(defined.needs, (line.left, line.right, *ends)))


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
        wide = Relation(condition.left, condition.op, condition.right, (*ranges, *condition.over))
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
        if any(i in free(h.gap) for i, _, _ in relation.over for h in assuming.get(name, ()))
    )


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
    bound = indices.union(*({i for i, _, _ in r.over} for r in used.values()))
    for definition in definitions:
        slots = set() if isinstance(definition, Equation) else set(defined.slots_of(definition.left))
        own = free(definition.right) | (free(definition.left) if isinstance(definition, Equation) else set())
        own |= {definition.left} if isinstance(definition.left, sympy.Symbol) else set()
        for symbol in sorted((own - slots) & bound, key=str):
            raise ProofError(f"{definition.id} speaks of one {symbol}, which is an index here")
