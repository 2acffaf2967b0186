"""The data that a script needs of a theorem: its symbols as parameters, its hypotheses in plain variables, and its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fltheory.kernel.language.lines import Definition, Line, Member
from fltheory.kernel.language.terms import Term, parts, slots
from fltheory.kernel.theorem import Step, Theorem, _brought
from fltheory.rocq import printer
from fltheory.rocq.names import INTEGERS, Names

UNSUPPORTED_RULES = ("Witness", "Violated", "Assumed", "Enumerate")


@dataclass(frozen=True)
class ScriptLine:
    """A hypothesis or a step in the script: its name there, its line, and its assumptions."""

    proof: str
    line: Line
    assuming: tuple[Line, ...] = ()


def module_name(name: str) -> str:
    """Return the name of a theorem's file."""
    return "T_" + re.sub(
        r"[^A-Za-z0-9]",
        lambda m: f"_{ord(m[0]):x}_" if m[0] not in "-_/." else {"-": "_", "_": "__", "/": "_s_", ".": "_d_"}[m[0]],
        name,
    )


# ---- letters ----


def _step_terms(step: Step) -> Iterator[tuple[Term, frozenset[Term]]]:
    bound = step.claim.indices
    for own in (step.claim, *step.assuming):
        for t in own.terms:
            yield t, own.indices | bound
    for t in _brought(step):
        yield t, bound | frozenset(s for s in t.free if s.args[1] == "unknown" or "~" in s.args[0])


def _all_terms(own: Theorem) -> Iterator[tuple[Term, frozenset[Term]]]:
    for h in own.hypotheses.values():
        if isinstance(h, Line):
            for t in h.terms:
                yield t, h.indices
        elif isinstance(h, Definition):
            for t in (h.left, h.right):
                yield t, frozenset(slots(h.left))
        else:
            for u in (h.function, h.smooth, h.convex):
                if u is not None:
                    yield u, frozenset(slots(h.function))
    for t in own.statement.terms:
        yield t, own.statement.indices


def symbols_of(own: Theorem) -> list[Term]:
    """Return the symbols and families of a theorem's statement and hypotheses, then those of its steps."""
    found: dict[tuple[object, ...], Term] = {}

    def look(t: Term, bound: frozenset[Term]) -> None:
        for s in sorted(t.free - bound, key=lambda s: str(s.args)):
            if s.args[1] != "unknown":
                found.setdefault(("symbol", *s.args), s)
        for p in parts(t):
            if p.word == "family":
                found.setdefault((p.args[0], p.args[1], len(p.args)), p)
            if p.word == "draw":
                found.setdefault(("draw",), p)

    for t, bound in _all_terms(own):
        look(t, bound)
    for step in own.steps:
        if not step.refuted:
            indices = step.claim.indices
            for t, bound in _step_terms(step):
                look(t, bound | indices)
    return list(found.values())


def parameters(own: Theorem, names: Names) -> tuple[list[str], list[tuple[str, str]]]:
    """Return (binders, sorts as (name, proposition)) of the plain lemma, in the order of ``symbols_of``."""
    binders, sorts = ["(M : model)"], []
    for t in symbols_of(own):
        if t.word == "symbol":
            v, sort = names.of(t), t.args[1]
            binders.append(f"({v} : R)")
            if sort in INTEGERS:
                sorts.append((f"Z_{v}", f"integer {v}"))
            bound = {"nonnegative": "0 <=", "positive": "0 <", "from 0": "0 <=", "from 1": "1 <="}.get(sort)
            if bound:
                sorts.append((f"G_{v}", f"{bound} {v}"))
        elif t.word == "draw":
            binders.append("(dr : option R -> R -> R -> Omega M -> R)")
            sorts.append(("dr_integer", "forall r m i w, integer (dr r m i w) /\\ 1 <= dr r m i w"))
            sorts.append(("dr_permutes", "forall r m w, integer m -> permutes m (fun i => dr r m i w)"))
        else:
            _family(t, names, binders, sorts)
    return binders, sorts


def _family(t: Term, names: Names, binders: list[str], sorts: list[tuple[str, str]]) -> None:
    kind, at = t.args[0], len(t.args) - 2
    v, domain = names.of(t), "R -> " * at
    if kind == "Fun":
        binders.append(f"({v}_v : {domain}V M -> R)")
        binders.append(f"({v}_g : {domain}V M -> V M)")
        return
    chance = kind.startswith("Random")
    binders.append(f"({v} : {domain}{'Omega M -> ' if chance else ''}{'V M' if t.vector else 'R'})")
    xs = [f"x{i}" for i in range(at)] + (["w"] if chance else [])
    said = f"({' '.join([v, *xs])})" if xs else v
    every = f"forall {' '.join(xs)}, " if xs else ""
    if kind == "RandomInteger":
        sorts.append((f"Z_{v}", f"{every}integer {said}"))
    elif kind.endswith(("Nonnegative", "Positive")):
        sorts.append((f"G_{v}", f"{every}0 {'<' if kind.endswith('Positive') else '<='} {said}"))


def lemma_hypothesis(h: Line | Definition | Member, names: Names) -> str:
    """Return a hypothesis of the plain lemma."""
    if isinstance(h, Line):
        return names.line(h)
    if isinstance(h, Definition):
        return names.definition(h)
    own = names.of(h.function)
    at = [names.of(s) for s in slots(h.function)]
    every = "".join(f"forall {s} : R, " for s in at)
    smooth, convex = ("None" if c is None else f"(Some {names.number(c)})" for c in (h.smooth, h.convex))
    values, gradients = (f"({' '.join([own + end, *at])})" if at else own + end for end in ("_v", "_g"))
    return f"forall w : Omega M, {every}in_class M {values} {gradients} {smooth} {convex}"


def environment_values(own: Theorem, names: Names) -> tuple[list[str], list[str]]:
    """Return the values of the plain lemma's variables and sorts in an environment ``e`` that satisfies ``W``."""
    args, sorts = ["M"], []
    for t in symbols_of(own):
        if t.word == "symbol":
            n = printer.quoted(t.args[0])
            args.append(f"(letter e {n} {printer.SORTS[t.args[1]]})")
            sorts += {
                "nonnegative": [f"(of_nonnegative e W {n})"],
                "positive": [f"(of_positive e W {n})"],
                "integer": [f"(of_integer e W {n})"],
                "from 0": [f"(proj1 (of_from0 e W {n}))", f"(proj2 (of_from0 e W {n}))"],
                "from 1": [f"(proj1 (of_from1 e W {n}))", f"(proj2 (of_from1 e W {n}))"],
            }.get(t.args[1], [])
        elif t.word == "draw":
            args.append("(drawn e)")
            sorts += ["(of_draws e W)", "(of_permutations e W)"]
        else:
            kind, n, at = t.args[0], printer.quoted(t.args[1]), [f"x{i}" for i in range(len(t.args) - 2)]
            place = "[" + "; ".join(at) + "]"
            fun = f"fun {' '.join(at)} => " if at else ""
            if kind == "Fun":
                args += [f"({fun}val_of e {n} {place})", f"({fun}grad_of e {n} {place})"]
                continue
            which = f"{printer.KINDS[kind]} " if not t.vector else ""
            field = {"Vector": "vector_of", "RandomVector": "random_of"}.get(
                kind, "chance_of" if kind.startswith("Random") else "number_of"
            )
            args.append(f"({fun}{field} e {which}{n} {place})")
            sort = {
                "RandomInteger": "of_integers",
                "RandomNonnegative": "of_random_nonnegatives",
                "RandomPositive": "of_random_positives",
                "Nonnegative": "of_nonnegatives",
                "Positive": "of_positives",
            }.get(kind)
            if sort:
                sorts.append(f"({fun}{sort} e W {n} {place})")
    return args, sorts
