"""The proof for M clients, written from that for one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol, preorder_traversal

from fltheory.proof import by, certificates
from fltheory.proof.algebra.context import Context
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.algebra.residual import step_context
from fltheory.proof.chain import line
from fltheory.proof.check import check_theorem
from fltheory.proof.find.products import product_of_facts
from fltheory.proof.language import (
    Combine,
    Defines,
    Expected,
    Given,
    Hypothesis,
    Range,
    Relation,
    Step,
    Theorem,
    eq,
    le,
)
from fltheory.proof.report import Report
from fltheory.proof.terms import Dot, E, Vector, free_symbols, is_random
from fltheory.proving.multipliers.agents.ranges import count_of, total
from fltheory.proving.multipliers.agents.reading import Alike, fresh, sides_of
from fltheory.proving.multipliers.lines import only_needed

CLIENT, TOGETHER, LAST = "each client", "all clients", "mean of the clients"  # the names of the lines
OUTCOME, IN_MEAN = "all clients, whatever is drawn", "all clients, in expectation"


@dataclass(frozen=True)
class ForAll:
    """A theorem about M clients with its certificates and report, and the report of the lemma about one client."""

    theorem: Theorem
    certificates: Mapping[str, Any]
    report: Report
    lemma: Report


def for_all(alike: Alike, found: Theorem, given: Mapping[str, Any], word: str) -> ForAll:
    """Return the proof for M clients from that for one of them, which becomes a lemma whose id ends with a ``word``."""
    in_mean = isinstance(found.steps[-2].rule, Expected) if len(found.steps) > 1 else False
    last = found.steps[-3] if in_mean else found.steps[-1]  # what holds for every outcome
    rule = last.rule
    assert isinstance(rule, Combine)
    named = {h.id: h.relation for h in found.hypotheses if isinstance(h, Given)}
    moved = {name: weight for name, weight in rule.weights if name in alike.averages}
    gap = last.claim.gap - sympy.Add(*(weight * named[name].gap for name, weight in moved.items()))
    kept = tuple((name, weight) for name, weight in rule.weights if name not in moved)
    uses = tuple(n for n in last.uses if n not in alike.averages)
    own = replace(last, claim=le(0, gap), rule=replace(rule, weights=kept), uses=uses)
    hypotheses = tuple(h for h in found.hypotheses if h.id not in alike.averages)
    signs = found.steps[: found.steps.index(last)]
    lemma = replace(found, id=f"{found.id}-{word}", statement=own.claim, hypotheses=hypotheses, steps=(*signs, own))
    lemma = only_needed(replace(lemma, unused=()))
    lemma = replace(lemma, hypotheses=tuple(h for h in lemma.hypotheses if h.id not in lemma.unused), unused=())
    certificates_of_lemma = _marked(lemma, given, last.id)
    known = check_theorem(lemma, certificates_of_lemma)
    for with_signs in (False, True):  # the last line may need the signs of denominators
        theorem = _summed(alike, found, lemma, moved, with_signs, in_mean)
        marked = _marked(theorem, given, last.id)
        report = check_theorem(theorem, marked, {lemma.id: known})
        if report.verdict == "PROVED":
            break
    return ForAll(theorem, marked, report, known)


def _summed(
    alike: Alike, found: Theorem, lemma: Theorem, moved: Mapping[str, Expr], signs: bool, in_mean: bool
) -> Theorem:
    """Return the theorem about M clients, with a line for each of them, their sum, and the statement."""
    over, count = alike.over, count_of(alike.over)
    taken = {h.id for h in alike.theorem.hypotheses} | {s.id for s in found.steps}
    own, whole, end = (fresh(name, taken) for name in (CLIENT, TOGETHER, LAST))
    claim = le(0, _back(alike, lemma.statement.right), *over)
    parts = {
        part for h in (lemma.statement, *lemma.hypotheses) for side in sides_of(h) for part in preorder_traversal(side)
    }
    at = {one: there for one, there in alike.back if one in parts}
    stated = _stated(alike, lemma, over, taken)
    names = [stated[h.id][-1].id if stated.get(h.id) else alike.names.get(h.id, h.id) for h in _plain(lemma)]
    inserting = tuple(h.id for h in lemma.hypotheses if isinstance(h, Defines))
    client = line(own, claim, by.apply(lemma.id, at, *dict.fromkeys(names)), inserting=inserting)
    together = line(whole, le(0, total(claim.right, over) / count), by.sum_over(places(over), own, weight=1 / count))
    given = {h.id: h.relation for h in alike.theorem.hypotheses if isinstance(h, Given)}
    weights = {name: weight for name, weight in moved.items() if name in given}
    last, means = together, list[Step]()
    if in_mean:
        sure = {name: weight for name, weight in weights.items() if is_random(given[name].gap)}
        weights = {name: weight for name, weight in weights.items() if name not in sure}
        if sure:
            gap = together.claim.gap + sympy.Add(*(weight * given[name].gap for name, weight in sure.items()))
            means.append(line(fresh(OUTCOME, taken), le(0, gap), by.linear({whole: Integer(1), **sure})))
        last = means[-1] if means else together
        means.append(line(fresh(IN_MEAN, taken), le(0, E(last.claim.right)), by.expectation(last.id)))
        last = means[-1]
        of_means, lines = _of_means(alike, found, taken)
        weights, means = {**weights, **of_means}, [*means, *lines]
    conditions = [h.id for h in lemma.hypotheses if isinstance(h, Given) and not h.relation.gap.has(Dot, Vector)]
    steps_before = found.steps[: -3 if in_mean else -1]
    helpers = [n for n in (*conditions, *(s.id for s in steps_before)) if signs and n not in weights]
    final = line(end, alike.theorem.statement, by.linear({last.id: Integer(1), **weights}, *helpers))
    region = tuple(h for h in found.hypotheses if h.id not in {g.id for g in alike.single.hypotheses})
    before = (step for lines in stated.values() for step in lines)
    steps = (*steps_before, *before, client, together, *means, final)
    return only_needed(replace(alike.theorem, hypotheses=(*alike.theorem.hypotheses, *region), steps=steps))


def places(over: Sequence[Range]) -> tuple[Symbol, ...]:
    """Return the indices of ranges, the last one first, as a sum over all of them names them."""
    return tuple(index for index, _, _ in reversed(over))


def _plain(lemma: Theorem) -> list[Hypothesis]:
    return [h for h in lemma.hypotheses if not isinstance(h, Defines)]


def _stated(alike: Alike, lemma: Theorem, over: Sequence[Range], taken: set[str]) -> dict[str, list[Step]]:
    """Return the lines that state what the lemma uses, for all agents, by the name that it has in the lemma."""
    found = dict[str, list[Step]]()
    for h in lemma.hypotheses:
        if h.id in alike.solved and (step := _solved(alike, h.id)):
            found[h.id] = [step]
        elif h.id in alike.each:
            here = alike.each[h.id]
            found[h.id] = _here(alike, h.id, Relation(here.left, here.op, here.right, tuple(over)), taken)
    return found | _joined(alike, lemma, taken)


def _here(alike: Alike, name: str, wanted: Relation, taken: set[str]) -> list[Step]:
    """Return the line that states a hypothesis or a definition for all agents, none if it says that word for word."""
    (own,) = (h for h in alike.theorem.hypotheses if h.id == name)
    if isinstance(own, Defines):
        return [line(fresh(f"{name}, stated", taken), wanted, by.linear(), inserting=name)]
    assert isinstance(own, Given)
    if own.relation == wanted:
        return []
    conditions = [
        h.id for h in alike.theorem.hypotheses if isinstance(h, Given) and _is_of_ends(h.relation, alike.over)
    ]
    indices = dict(zip((i for i, _, _ in own.relation.over), (i for i, _, _ in alike.each[name].over), strict=True))
    moved = {old: new for old, new in indices.items() if old != new}
    reason = by.instance(moved, name, *conditions) if moved else by.linear({name: Integer(1)}, *conditions)
    return [line(fresh(f"{name}, here", taken), wanted, reason)]


def _is_of_ends(relation: Relation, over: Sequence[Range]) -> bool:
    """Return whether a condition compares numbers of agents, such as S <= M."""
    symbols = free_symbols(relation.gap)
    ends = {s for _, _, high in over for s in free_symbols(high)}
    return not relation.over and relation.op != "==" and bool(symbols) and symbols <= ends


def _joined(alike: Alike, lemma: Theorem, taken: set[str]) -> dict[str, list[Step]]:
    """Return the lines that say which averages are combinations of others, after the sums of the clients' equations."""
    found = dict[str, list[Step]]()
    for name in (h.id for h in lemma.hypotheses if h.id in alike.joined):
        own, weights, lines = alike.joined[name], dict[str, Expr](), list[Step]()
        for each, weight in own.weights.items():
            relation = alike.each[each]
            before = _here(alike, each, relation, taken)
            key = fresh(f"{each}, all", taken | {s.id for s in lines})
            sides = (total(side, relation.over) for side in (relation.left, relation.right))
            summed = line(key, eq(*sides), by.sum_over(places(relation.over), before[-1].id if before else each))
            lines += [*before, summed]
            weights[key] = weight / count_of(relation.over)
        claim = eq(_back(alike, own.relation.left), _back(alike, own.relation.right))
        found[name] = [*lines, line(name, claim, by.linear(weights))]
    return found


def _of_means(alike: Alike, found: Theorem, taken: set[str]) -> tuple[dict[str, Expr], list[Step]]:
    """Return the weights of what is known of means, and the sums over the clients of what is known of each of them."""
    rule = found.steps[-1].rule
    assert isinstance(rule, Combine)
    weights, lines = dict[str, Expr](), list[Step]()
    for name, weight in rule.weights:
        own = next((h for h in alike.theorem.hypotheses if h.id == name and isinstance(h, Given)), None)
        if own is None:
            continue
        if own.relation.over:
            relation = alike.each.get(name, own.relation)
            before = _here(alike, name, relation, taken) if name in alike.each else []
            count = count_of(relation.over)
            left, right = (total(side, relation.over) / count for side in (relation.left, relation.right))
            reason = by.sum_over(places(relation.over), before[-1].id if before else name, weight=1 / count)
            summed = line(fresh(f"{name}, all", taken), Relation(left, relation.op, right), reason)
            lines += [*before, summed]
            weights[summed.id] = weight
        else:
            weights[name] = weight
    return weights, lines


def _solved(alike: Alike, name: str) -> Step | None:
    """Return the line that solves one of the theorem's equations between vectors, None if it is solved as it stands."""
    own = alike.solved[name]
    claim = eq(_back(alike, own.relation.left), _back(alike, own.relation.right))
    if any(isinstance(h, Given) and h.id == name and h.relation == claim for h in alike.theorem.hypotheses):
        return None
    defined = any(isinstance(h, Defines) for h in alike.theorem.hypotheses if h.id == name)
    reason = by.linear() if defined else by.linear({name: own.weight})
    return line(f"{name}, solved", claim, reason, inserting=name if defined else ())


def _marked(theorem: Theorem, given: Mapping[str, Any], last: str) -> dict[str, Any]:
    """Return the certificates of a theorem's steps with their hashes; the weights of squares have signs by its own facts."""
    found = dict[str, Any]()
    for step in theorem.steps:
        if step.id in given:
            certificate = given[step.id]["certificate"]
            if step.id == last:
                certificate = _with_signs(certificate, step_context(theorem, step))
            found[step.id] = {"hash": certificates.fingerprint(theorem, step), "certificate": certificate}
    return found


def _with_signs(certificate: Mapping[str, Any], context: Context) -> dict[str, Any]:
    facts = (*context.facts(), *context.positive())
    squares = list[dict[str, Any]]()
    for entry in certificate["squares"]:
        sign = product_of_facts(certificates.parse(entry["weight"]), facts) if "sign" in entry else None
        squares.append({k: v for k, v in entry.items() if k != "sign"} | ({} if sign is None else {"sign": sign}))
    return {**certificate, "squares": squares}


def _back(alike: Alike, term: Any) -> Any:
    return substitute_term(term, list(alike.back))
