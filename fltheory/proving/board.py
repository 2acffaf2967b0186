"""The board: what is known while a proof is sought, and the one way to add to it: a line that the kernel confirms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import sympy

from fltheory.proof import language as lang
from fltheory.proof.by import By
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Defines, Given, Hypothesis, Member, Relation, Step, Theorem
from fltheory.proof.report import Report, needs_certificate
from fltheory.proving.budget import GOAL, LINE, LINE_OPERATIONS, PRODUCTS, Budget
from fltheory.proving.refuting import Worlds

UNSEEN = "is not seen to be"  # in the kernel's reason, where a sign is missing


@lru_cache(maxsize=50_000)
def operations(relation: Relation) -> int:
    """Return the number of operations in a relation."""
    return int(sympy.count_ops(relation.left) + sympy.count_ops(relation.right))


def covers(known: Relation, claim: Relation) -> bool:
    """Return whether a relation holds wherever a claim is made: each of its ranges has that of the claim in it."""
    own = {i: (low, high) for i, low, high in claim.over}
    return all(
        i in own
        and (own[i] == (low, high) or bool((own[i][0] - low).is_nonnegative and (high - own[i][1]).is_nonnegative))
        for i, low, high in known.over
    )


@dataclass(frozen=True)
class Board:
    """The hypotheses, the lines confirmed so far with their certificates, and the assumptions under which one works now."""

    hypotheses: tuple[Hypothesis, ...]
    budget: Budget
    lemmas: Mapping[str, Report] = field(default_factory=dict)
    lines: tuple[Step, ...] = ()
    certificates: Mapping[str, Any] = field(default_factory=dict)
    assuming: tuple[Relation, ...] = ()
    worlds: Worlds = field(default_factory=Worlds, compare=False)
    name: str = "proof/line"  # of the theorem, from which its lemmas have theirs
    proved: tuple[Report, ...] = ()  # lemmas that the search itself proved

    @property
    def relations(self) -> dict[str, Relation]:
        """The relations that a line may use, by name: hypotheses, then lines that rest on no other assumption."""
        found = {h.id: h.relation for h in self.hypotheses if isinstance(h, Given)}
        return found | {s.id: s.claim for s in self.usable_lines}

    @property
    def usable_lines(self) -> tuple[Step, ...]:
        """The lines whose assumptions hold here."""
        return tuple(s for s in self.lines if set(s.assuming) <= set(self.assuming))

    @property
    def assumptions(self) -> dict[str, Relation]:
        """The assumptions by the names that a combination gives them."""
        return {f"assumed {place}": relation for place, relation in enumerate(self.assuming, 1)}

    @property
    def definitions(self) -> tuple[Defines, ...]:
        """The definitions of the theorem."""
        return tuple(h for h in self.hypotheses if isinstance(h, Defines))

    @property
    def members(self) -> tuple[Member, ...]:
        """The classes of functions."""
        return tuple(h for h in self.hypotheses if isinstance(h, Member))

    def suppose(self, *relations: Relation) -> Board:
        """Return the board under further assumptions."""
        return replace(self, assuming=(*self.assuming, *relations))

    def back(self, outer: Board) -> Board:
        """Return this board under the assumptions of another one."""
        return replace(self, assuming=outer.assuming)

    def refutes(self, claim: Relation) -> bool:
        """Return whether a claim is seen to be false somewhere, so that no line can state it."""
        if self.worlds.worlds:
            self.budget.spend(GOAL)
        return self.worlds.refute(claim, self.assuming)

    def stating(self, claim: Relation) -> str | None:
        """Return the name of a hypothesis or line that states the claim word for word."""
        return next((name for name, relation in self.relations.items() if relation == claim), None)

    def lemma_name(self, word: str) -> str:
        """Return the name of the next lemma that the search proves."""
        return f"{self.name}-{word}" + (f"-{len(self.proved) + 1}" if self.proved else "")

    def with_lemmas(self, *reports: Report) -> Board:
        """Return the board with further lemmas that the search itself proved."""
        lemmas = {**self.lemmas, **{r.theorem.id: r for r in reports}}
        return replace(self, lemmas=lemmas, proved=(*self.proved, *reports))

    @property
    def last(self) -> str:
        """The name of the last line."""
        return self.lines[-1].id

    def _size(self, claim: Relation, names: Collection[str]) -> int:
        """Return the number of operations in a claim and in what it uses."""
        relations = self.relations
        return operations(claim) + sum(operations(relations[n]) for n in names if n in relations)

    def accept(self, claim: Relation, reason: By, inserting: Iterable[str] = ()) -> Board | None:
        """Return the board with one more line, if the kernel confirms it, else None.

        If it is refused, it is tried with the strict inequalities too, which may show that a denominator is not 0.
        """
        uses, by = tuple(use for use in reason.uses if isinstance(use, str)), tuple(inserting)
        done = self.confirm(claim, reason.rule, uses, by)
        if done is None and self.assuming and reason.rule == lang.Combine() and not uses:  # without the assumptions
            done = self.confirm(claim, lang.Combine(tuple(dict.fromkeys(self.assumptions, 0).items())), uses, by)
        strict = tuple(n for n, r in self.relations.items() if r.op == "<" and n not in (*uses, *by))
        if done is None and strict and isinstance(reason.rule, lang.Combine | lang.Apply | lang.Known):
            done = self.confirm(claim, reason.rule, (*uses, *strict), by)
        return done

    def confirm(self, claim: Relation, rule: lang.Rule, uses: tuple[str, ...], by: tuple[str, ...]) -> Board | None:
        """Return the board with one more line that uses just these names, if the kernel confirms it, else None."""
        number = str(len(self.lines) + 1)
        name = f"line {number}" if any(h.id == number for h in self.hypotheses) else number
        step = Step(name, claim, rule, uses, by, self.assuming)
        needed = {*uses, *by}
        self.budget.spend(LINE + self._size(claim, needed) // LINE_OPERATIONS)
        # An earlier line is a step that nothing checks, or a hypothesis where it is inserted or must show a sign.
        plain = {s.id for s in self.lines if s.id in needed and not s.assuming}
        done, reason = self._told(step, needed, plain & set(by))
        if done is None and UNSEEN in reason and not plain <= set(by):
            done, _ = self._told(step, needed, plain)
        return done

    def _told(self, step: Step, needed: set[str], given_lines: set[str]) -> tuple[Board | None, str]:
        """Return the board with a line, else why the kernel does not confirm it."""
        inserted = tuple(Given(s.id, s.claim) for s in self.lines if s.id in given_lines)
        kept = tuple(
            replace(s, rule=lang.Assumed("an earlier line"), uses=(), by=())
            for s in self.lines
            if s.id in needed and s.id not in given_lines
        )
        # Under an assumption a line is no statement: a last step that nothing checks states it.
        end = (Step("end", step.claim, lang.Assumed("the statement")),) if self.assuming else ()
        # A hypothesis that is not used grants nothing, as in the finished theorem.
        given = tuple(h for h in self.hypotheses if not isinstance(h, Given) or h.id in needed)
        theorem = Theorem("proof/line", step.claim, (*given, *inserted), (*kept, step, *end))
        found = dict[str, Any]()
        if needs_certificate(step):
            try:
                found = find_certificates(theorem, {}, most_products=PRODUCTS)
            except Exception:  # the line is not of the form that a certificate needs
                return None, ""
            if step.id not in found:
                return None, ""
        (told,) = (s for s in check_theorem(theorem, found, self.lemmas).steps if s.step.id == step.id)
        if told.outcome != "PROVED":
            return None, told.reason
        return replace(self, lines=(*self.lines, step), certificates={**self.certificates, **found}), ""
