"""A proof as a chain of calls: id and place, hypotheses, lines in order, and the final statement (``qed``).

>>> (
...     proof("mine/square", "Lemma 1")
...     .given("one", le(1, x), "a length")
...     .step("1", le(x, x**2), by.linear(one=x))
...     .qed(le(1, x**2), by.linear("1", "one"))
... )

Each call returns a new value and leaves the earlier one unchanged; ``qed`` returns the theorem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Symbol

from fltheory.model.bound import Bound
from fltheory.proof.by import By
from fltheory.proof.language import (
    Apply,
    Assumed,
    Defines,
    Given,
    Hypothesis,
    Outcome,
    Pairs,
    ProofError,
    Range,
    Relation,
    Step,
    Theorem,
)
from fltheory.proof.tactics.forward import conclude
from fltheory.proof.tactics.hypotheses import met_by
from fltheory.proof.tactics.stored import with_stored_weights


def line(
    name: str,
    claim: Relation,
    reason: By,
    *,
    inserting: str | tuple[str, ...] = (),
    assuming: Relation | tuple[Relation, ...] = (),
    note: str = "",
    recorded: Outcome = "PROVED",
) -> Step:
    """Return one line of a proof.

    Parameters
    ----------
    name : str
        Its name, by which later lines use it.
    claim : Relation
        What it states.
    reason : By
        The rule and what it uses (``fltheory.proof.by``).
    inserting : str or tuple of str
        Definitions or equations that are inserted.
    assuming : Relation or tuple of Relation
        Assumptions of this line alone.
    note : str
        A remark.
    recorded : {"PROVED", "REFUTED", "ASSUMED"}
        The outcome to expect.

    Returns
    -------
    Step
        The line.

    Raises
    ------
    ProofError
        If the reason contains reasons, which only ``Chain.step`` and ``Chain.qed`` resolve.
    """
    inserted = (inserting,) if isinstance(inserting, str) else inserting
    under = (assuming,) if isinstance(assuming, Relation) else assuming
    uses = tuple(use for use in reason.uses if isinstance(use, str))
    if len(uses) < len(reason.uses):
        raise ProofError(f"{name}: a nested reason needs a proof: use .step or .qed")
    return Step(name, claim, reason.rule, uses, inserted, under, note, recorded)


@dataclass(frozen=True)
class Chain:
    """An unfinished proof."""

    id: str
    place: str = ""
    of: str = ""
    bound: Bound | None = None
    reading: Pairs = ()
    recorded: Outcome = "PROVED"
    unused: tuple[str, ...] = ()
    note: str = ""
    hypotheses: tuple[Hypothesis, ...] = ()
    lines: tuple[Step, ...] = ()
    failure: Expr | None = None

    def under(self, *hypotheses: Hypothesis) -> Chain:
        """Add existing hypotheses."""
        return replace(self, hypotheses=(*self.hypotheses, *hypotheses))

    def given(self, name: str, relation: Relation, why: str = "", supposed: bool = False) -> Chain:
        """Add a relation as a hypothesis, with the reason why a reader should accept it."""
        return self.under(Given(name, relation, why, supposed))

    def where(self, name: str, left: Expr, right: Expr, why: str = "", supposed: bool = False) -> Chain:
        """Add a definition of ``left`` as ``right``."""
        return self.under(Defines(name, left, right, why, supposed))

    def step(
        self,
        name: str,
        claim: Relation | By,
        reason: By | None = None,
        *,
        over: Range | tuple[Range, ...] = (),
        inserting: str | tuple[str, ...] = (),
        assuming: Relation | tuple[Relation, ...] = (),
        note: str = "",
        recorded: Outcome = "PROVED",
    ) -> Chain:
        """Add one line, see ``line``. Without a claim, the line states what the rule gives, over the ranges ``over``.

        ProofError if the rule does not determine its claim.
        """
        under = (assuming,) if isinstance(assuming, Relation) else assuming
        given = claim if isinstance(claim, By) else reason
        if given is None or (over and given is reason):
            raise ProofError(
                f"{self.id}, {name}: expected a claim and a reason, or a reason with the ranges of its claim"
            )
        chain, given = self._prepared(given, under, name)
        said = chain._conclusion(name, given, under, over) if isinstance(claim, By) else claim
        return chain.steps(line(name, said, given, inserting=inserting, assuming=under, note=note, recorded=recorded))

    def _prepared(self, reason: By, under: tuple[Relation, ...] = (), name: str = "") -> tuple[Chain, By]:
        """Return the chain with a line for each nested reason, under the next free numbers, and the reason with names only.

        ``name`` is the name of the line with this reason, which no nested line may have.
        """
        chain, uses = self, list[str | By]()
        for use in reason.uses:
            if isinstance(use, By):
                chain, plain = chain._prepared(use, under, name)
                use = str(chain._next_number(name))
                chain = chain.step(use, plain, assuming=under)
            uses.append(use)
        return chain, chain._completed(reason._replace(uses=tuple(uses)), under)

    def _next_number(self, taken: str) -> int:
        """Return the number after the largest one among the names of lines and hypotheses, or the next if that is taken."""
        names = (*(s.id for s in self.lines), *(h.id for h in self.hypotheses))
        number = 1 + max((int(n) for n in names if n.isdecimal()), default=0)
        return number + (str(number) == taken)

    def _completed(self, reason: By, under: tuple[Relation, ...] = ()) -> By:
        """Return the reason with the names that it omits: those of lines that meet the hypotheses of an applied theorem."""
        if not isinstance(reason.rule, Apply) or reason.lemma is None or reason.uses:
            return reason
        lines = [s for s in self.lines if set(s.assuming) <= set(under)]
        cited = {
            s.id: s.claim for s in lines if isinstance(s.rule, Assumed)
        }  # used only if nothing else meets the hypothesis
        view = cited | {h.id: h for h in self.hypotheses} | {s.id: s.claim for s in lines if s.id not in cited}
        return reason._replace(uses=met_by(reason.lemma, reason.rule.at, view))

    def _conclusion(
        self, name: str, reason: By, under: tuple[Relation, ...], over: Range | tuple[Range, ...]
    ) -> Relation:
        """Return the claim that the rule of a line determines."""
        there = {h.id: h.relation for h in self.hypotheses if isinstance(h, Given)}
        there |= {s.id: s.claim for s in self.lines}
        there |= {f"assumed {place}": relation for place, relation in enumerate(under, 1)}
        found = conclude(reason.rule, [there[use] for use in reason.uses if use in there], reason.lemma)
        if found is None:
            kind = type(reason.rule).__name__
            more = "; give by.apply the theorem itself" if isinstance(reason.rule, Apply) else ""
            raise ProofError(f"{self.id}, {name}: {kind} does not determine its claim: write it{more}")
        return replace(found, over=_ranges(over)) if over else found

    def steps(self, *ready: Step) -> Chain:
        """Add existing lines."""
        return replace(self, lines=(*self.lines, *ready))

    def conjecture(self, statement: Relation) -> Theorem:
        """Return the theorem without a proof: the hypotheses and the statement, for ``prove`` to search for one."""
        return replace(self, lines=())._theorem(statement, ())

    def qed(
        self, statement: Relation, reason: By, name: str = "", *, inserting: str | tuple[str, ...] = (), note: str = ""
    ) -> Theorem:
        """Return the theorem, whose statement is the last line; by default its name is the number after the largest one.

        If the theorem is recorded as refuted, so is this line.
        """
        chain, plain = self._prepared(reason, (), name)
        outcome: Outcome = "REFUTED" if self.recorded == "REFUTED" else "PROVED"
        name = name or str(1 + max((int(s.id) for s in chain.lines if s.id.isdecimal()), default=0))
        last = line(name, statement, plain, inserting=inserting, note=note, recorded=outcome)
        return self._theorem(statement, with_stored_weights(self.id, (*chain.lines, last)))

    def _theorem(self, statement: Relation, steps: tuple[Step, ...]) -> Theorem:
        return Theorem(
            self.id,
            statement,
            self.hypotheses,
            steps,
            self.recorded,
            self.of,
            self.place,
            self.note,
            self.unused,
            self.bound,
            self.reading,
            self.failure,
        )


def _ranges(over: Range | tuple[Range, ...]) -> tuple[Range, ...]:
    match over:
        case (Symbol() as index, low, high):
            return ((index, low, high),)
    return tuple(over)


def proof(
    id: str,
    place: str = "",
    *,
    of: str = "",
    bound: Bound | None = None,
    reading: Mapping[Any, Any] | Pairs = (),
    recorded: Outcome = "PROVED",
    unused: tuple[str, ...] = (),
    note: str = "",
    failure: Expr | None = None,
) -> Chain:
    """Begin a proof, to which ``under``, ``step`` and ``qed`` add hypotheses, lines and the statement.

    Parameters
    ----------
    id : str
        The id of the theorem, ``key/name``.
    place : str
        Its place in the paper, by default that of the bound.
    of : str
        The id of the claim that it proves, or proves in part.
    bound : Bound, optional
        The bound of that claim that is its statement.
    reading : mapping or pairs
        Terms in place of the bound's symbols.
    recorded : {"PROVED", "REFUTED", "ASSUMED"}
        The outcome to expect.
    unused : tuple of str
        Hypotheses of the claim that the proof does not need.
    note : str
        A remark.
    failure : sympy.Expr, optional
        The statement is then ``with_probability(..., failure)`` of the bound.

    Returns
    -------
    Chain
        The proof so far.
    """
    if not place and bound is not None:
        place = bound.source.place
    pairs = tuple(reading.items()) if isinstance(reading, Mapping) else reading
    return Chain(id, place, of, bound, pairs, recorded, unused, note, failure=failure)
