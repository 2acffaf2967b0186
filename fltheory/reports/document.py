"""The content of a report: claims by paper and item, each with its formula, verdict, counterexample and proof."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fltheory.api import coverage, proofs, tightness
from fltheory.claims import index
from fltheory.claims.catalogue import KEYS, title
from fltheory.claims.claim import Claim
from fltheory.claims.ids import without_reading
from fltheory.proof import notation
from fltheory.proof.language import ProofError, Theorem
from fltheory.proof.text import hypothesis_text, notation_of, rule_in_words
from fltheory.reports.arcs import arc_diagram
from fltheory.reports.formulas import Formula, formula_of
from fltheory.reports.results import Result

NOT_RUN = "not run"


@dataclass(frozen=True)
class ProofLine:
    """A line of a recorded proof: its name, statement, rule, and the lines that it uses."""

    name: str
    says: str
    why: str
    uses: tuple[str, ...]
    recorded: str


@dataclass(frozen=True)
class ProofText:
    """A recorded theorem of a claim, with its hypotheses and lines."""

    id: str
    recorded: str
    statement: str
    hypotheses: tuple[tuple[str, str], ...]
    lines: tuple[ProofLine, ...]

    def anchor_of(self, line: ProofLine, within: str) -> str:
        """Return a link name for a line of a claim's article ``within``."""
        return f"{within}-{anchor_of(self.id)}-{self.lines.index(line) + 1}"

    def arcs(self, within: str) -> str:
        """Return its graph as SVG with links to the lines."""
        link = {line.name: self.anchor_of(line, within) for line in self.lines}
        lines = [(line.name, line.uses, line.recorded) for line in self.lines]
        return arc_diagram([name for name, _ in self.hypotheses], lines, link)


@dataclass(frozen=True)
class ClaimEntry:
    """A claim in one reading."""

    claim: Claim
    formulas: tuple[Formula, ...]
    result: Result | None
    proof: tuple[str, ...]
    theorems: tuple[ProofText, ...]
    picture: str = ""  # SVG
    standing: str = ""  # its proof status, if requested

    @property
    def verdict(self) -> str:
        """Return the verdict; external for a claim that is not asserted, or that it was not run."""
        if self.result is not None:
            return self.result.status
        return index.EXTERNAL if self.claim.measure is None else NOT_RUN

    @property
    def known(self) -> str:
        """Return the source of the expected verdict: the catalogue, or a user's file."""
        return "recorded" if self.claim.paper in KEYS else "stated"

    @property
    def anchor(self) -> str:
        """Return a link name."""
        return anchor_of(self.claim.id)

    @property
    def common_names(self) -> str:
        """Return the field's names of its algorithm and topics, which the search of the page finds, too."""
        return ", ".join(index.names_of_claim(self.claim))

    @property
    def bar(self) -> float | None:
        """Return the used share of the bound in per cent; None without a ratio."""
        if self.result is None or self.result.ratio is None:
            return None
        return max(0.5, min(100.0, 100.0 * self.result.ratio))


@dataclass(frozen=True)
class Section:
    """An item of a paper with its claims; readings of one claim are neighbours."""

    name: str
    title: str
    claims: tuple[tuple[ClaimEntry, ...], ...]


@dataclass(frozen=True)
class PaperSection:
    """A paper's items in order."""

    key: str
    title: str
    sections: tuple[Section, ...]

    @property
    def entries(self) -> tuple[ClaimEntry, ...]:
        """Return all claims in all readings."""
        return tuple(entry for section in self.sections for readings in section.claims for entry in readings)


@dataclass(frozen=True)
class Document:
    """A report: papers, counts, its sources, and the names and values of ``origin_of`` for its head."""

    papers: tuple[PaperSection, ...]
    source: str
    origin: tuple[tuple[str, str], ...] = ()

    @property
    def entries(self) -> tuple[ClaimEntry, ...]:
        """Return all claims."""
        return tuple(entry for paper in self.papers for entry in paper.entries)

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of claims by verdict, the most frequent first."""
        return dict(Counter(entry.verdict for entry in self.entries).most_common())


def anchor_of(claim_id: str) -> str:
    """Return a link name from an id."""
    return re.sub(r"[^A-Za-z0-9-]", "_", claim_id)


def document(
    claims: Sequence[Claim],
    results: Mapping[str, Result],
    source: str,
    with_proofs: bool = True,
    pictures: Mapping[str, str] | None = None,
) -> Document:
    """Return a report of these claims; ``pictures``: SVG by the claim's id; ``source``: the run of its verdicts."""
    drawn = pictures or {}
    stand = _standings(claims) if with_proofs else {}
    entries = {
        c.id: replace(_entry(c, results.get(c.id), with_proofs, drawn.get(c.id, "")), standing=stand.get(c.id, ""))
        for c in claims
    }
    keys = dict.fromkeys(claim.paper for claim in claims)
    return Document(tuple(_paper(key, entries) for key in keys), source)


def _standings(claims: Sequence[Claim]) -> dict[str, str]:
    """Return the proof status of the papers' claims, in words."""
    try:
        found = coverage.coverage(claim for claim in claims if claim.paper in KEYS)
    except ProofError:
        return {}
    return {
        one.claim.id: coverage.STANDING_MEANINGS[one.standing]
        + (f" ({one.why})" if one.why and one.why not in one.claim.kind else "")
        for one in found
    }


def _paper(key: str, entries: Mapping[str, ClaimEntry]) -> PaperSection:
    own = [index.line_of(entry.claim) for entry in entries.values() if entry.claim.paper == key]
    sections = []
    for item, lines in index.lines_by_item(key, own):
        if not lines:
            continue
        readings: dict[str, list[ClaimEntry]] = {}
        for line in lines:
            readings.setdefault(without_reading(line.id), []).append(entries[line.id])
        sections.append(Section(item.name, item.title, tuple(map(tuple, readings.values()))))
    return PaperSection(key, title(key).strip().split("\n")[0], tuple(sections))


def _entry(claim: Claim, result: Result | None, with_proofs: bool, picture: str) -> ClaimEntry:
    known = tightness.recorded_result(claim)
    words = known.proof if known is not None else ()
    theorems = tuple(_theorems(claim)) if with_proofs else ()
    return ClaimEntry(claim, tuple(map(formula_of, claim.bounds)), result, tuple(words), theorems, picture)


def _theorems(claim: Claim) -> Iterable[ProofText]:
    if claim.paper not in KEYS:
        return
    try:
        targets = proofs.theorems_on(claim)
    except ProofError:
        return
    for source, theorem in targets:
        yield _proof_text(theorem, notation_of(source, theorem))


def _proof_text(theorem: Theorem, letters: notation.Notation) -> ProofText:
    lines = tuple(
        ProofLine(s.id, notation.relation_text(s.claim, letters), rule_in_words(s, letters), tuple(s.uses), s.recorded)
        for s in theorem.steps
    )
    suppose = tuple((h.id, hypothesis_text(h, letters)) for h in theorem.hypotheses)
    return ProofText(theorem.id, theorem.recorded, notation.relation_text(theorem.statement, letters), suppose, lines)
