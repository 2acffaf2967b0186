"""The essays of docs/findings say what the catalogue records: ids, verdicts, ratios, proofs, counterexamples; nothing is left out.

In prose an id in backticks is followed by what is recorded of it, as in `` `sfl/T3-GC@printed` (holds, ratio 0.024, proved) ``.
``python -m tests.test_findings`` writes the tables as they should be.
"""

from __future__ import annotations

import doctest
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fltheory.claims.catalogue import KEYS, catalogue, place_of_source
from fltheory.claims.claim import Claim
from fltheory.claims.stored_results import RecordedResult, recorded_results

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "findings"
PAGES = (*KEYS, "overview")
HEAD = ("| claim | where | ratio | evidence | nearest that holds |", "|---|---|---|---|---|")
COUNTS = (
    "| paper | claims | hold | false as printed | places of these claims | false in a strict reading "
    "| false with explicit constants | only quoted |"
)
PROOFS = {
    "proved": "(recorded as )?PROVED(?!.* supposing)",
    "proved conditionally": "recorded as PROVED( \\(kernel, [^)]*\\))? supposing",
    "proved in part": "no proof recorded of all of it; .* proves? a part",
    "refuted": "recorded as REFUTED",
    "refuted in part": "no proof recorded of all of it; .* refutes a part",
    "assumed in part": "recorded as ASSUMED",
    "no proof": "no proof recorded(?! of all)",
}


def text_of(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


@cache
def known() -> dict[str, Claim]:
    return {claim.id: claim for claim in catalogue()}


def recorded(name: str) -> RecordedResult:
    return recorded_results(name.partition("/")[0])[name]


def verdict(claim: Claim) -> str:
    return "quoted" if claim.measure is None else claim.entry.recorded


def false_ones(key: str) -> list[Claim]:
    return [claim for claim in known().values() if claim.paper == key and verdict(claim) == "violated"]


def row(claim: Claim, prose: str) -> str:
    """What the table of an essay says of a false claim, told above it or not."""
    stem, found = claim.id.partition("@")[0], recorded(claim.id)
    names = [f"{stem}@{reading}" for reading in ("corrected", "explicit", "printed", "strengthened")]
    instead = next((n for n in names if n in known() and verdict(known()[n]) == "holds"), None)
    true = (
        f"`{instead}` ({recorded(instead).worst or 'exact'})" if instead else "see above" if claim.id in prose else "–"
    )
    where = claim.bound.source.place.replace("|", r"\|")
    evidence = found.evidence.partition(";")[0]
    return f"| `{claim.id}` | {where} | {found.worst or '–'} | {evidence} | {true} |"


def table(key: str) -> list[str]:
    prose = text_of(key).partition("## All that is false")[0]
    return [*HEAD, *(row(claim, prose) for claim in false_ones(key))]


def false_places(claims: Iterable[Claim]) -> set[tuple[str, str]]:
    """The places of the papers at which something printed is false: several claims may be of one."""
    printed = (c for c in claims if (verdict(c), c.reading) == ("violated", "printed"))
    return {(c.paper, c.bound.source.place) for c in printed}


def numbers(claims: Sequence[Claim]) -> tuple[int, ...]:
    """A row of the overview's table."""
    found = Counter((verdict(c), c.reading if verdict(c) == "violated" else "") for c in claims)
    false = [found["violated", reading] for reading in ("printed", "strict", "explicit")]
    row = (len(claims), found["holds", ""], *false, found["quoted", ""])
    assert sum(row[1:]) == row[0]
    return (*row[:3], len(false_places(claims)), *row[3:])


def counts() -> list[str]:
    """The table of the overview: how many claims of each paper hold and do not, and of how many of its places."""
    rows = {f"[{key}]({key}.md)": [c for c in known().values() if c.paper == key] for key in KEYS}
    rows["all"] = list(known().values())
    lines = (f"| {name} | " + " | ".join(map(str, numbers(claims))) + " |" for name, claims in rows.items())
    return [COUNTS, "|---" * (COUNTS.count("|") - 1) + "|", *lines]


def tables(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def prose(text: str) -> str:
    """A page without its tables and blocks of code, in one line."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return " ".join(" ".join(line for line in text.splitlines() if not line.startswith("|")).split())


def said(text: str) -> list[tuple[str, str]]:
    """Each id of the prose with the words in parentheses after it."""
    keys = "|".join(KEYS)
    return re.findall(rf"`((?:{keys})/[^`*]*)`(?: \(([^()]*)\))?", prose(text))


def faults(text: str) -> list[str]:
    """What the prose says of claims, and the catalogue does not."""
    found = []
    for name, words in said(text):
        if name not in known():
            found.append(f"{name} is no claim")
            continue
        first, *others = words.split(", ") if words else [""]
        if first != verdict(known()[name]):
            found.append(f"{name}: {verdict(known()[name])}, not {first or 'silence'}")
        found += [f"{name}: not {word}" for word in others if not agrees(name, word)]
    return found


def agrees(name: str, word: str) -> bool:
    """Whether the record of a claim has a ratio, a worst case over a class, or a proof as said."""
    entry = recorded(name)
    if word.startswith("ratio "):
        return entry.worst == word.removeprefix("ratio ")
    if word.startswith("class "):
        return re.search(rf"class {re.escape(word.removeprefix('class '))}( |$)", entry.evidence) is not None
    if word in ("exact", "sampled", "statistical"):
        return word in entry.evidence.partition(";")[0].split(", ")
    return word in PROOFS and any(re.match(PROOFS[word], proof) for proof in entry.proof)


@pytest.mark.parametrize("page", PAGES)
def test_the_prose_says_what_is_recorded(page: str) -> None:
    assert said(text_of(page))
    assert not faults(text_of(page))


@pytest.mark.parametrize(
    "wrong",
    [
        "`sfl/T3-GC@nowhere` (holds)",
        "`sfl/T3-GC@printed` (violated)",
        "`sfl/T3-GC@printed` is true",
        "`sfl/C4-GC@printed` (violated, ratio 29)",
        "`sfl/C4-GC@printed` (violated, proved)",
        "`sfl/T3-GC@printed` (holds, class 0.016)",
        "`sfl/T3-GC@printed` (holds, statistical)",
        "`fedcg/T4.3-tuned@printed` (holds, proved conditionally)",
        "`sfl/T3-GC@printed` (holds, surely)",
    ],
)
def test_a_false_word_is_seen(wrong: str) -> None:
    assert len(faults(f"Of {wrong} one reads.")) == 1


def test_true_words_pass() -> None:
    assert not faults(
        "`sfl/C4-GC@printed` (violated, ratio 30, exact, refuted) and `sfl/T3-GC@printed`\n(holds, class 0.17)."
    )


@pytest.mark.parametrize("key", KEYS)
def test_no_false_claim_is_left_out(key: str) -> None:
    """The table of an essay has each, with ratio, evidence and what is true instead; its prose tells of every theorem."""
    assert tables(text_of(key)) == table(key)
    told = {name for name, _ in said(text_of(key))}
    theorems = {
        c.id for c in false_ones(key) if re.match("Theorem|Corollary|Proposition", place_of_source(c.bound.source).item)
    }
    assert theorems
    assert not theorems - told


def test_the_overview_counts() -> None:
    assert tables(text_of("overview")) == counts()


def test_claims_and_places_are_told_apart() -> None:
    """A second reading of a place that is false adds a claim and no place, one of another place adds both."""
    claims = list(known().values())
    one = next(c for c in claims if (verdict(c), c.reading) == ("violated", "printed"))
    elsewhere = replace(one, bounds=(replace(one.bound, source=replace(one.bound.source, place="Section 1")),))
    assert len(false_places([*claims, one])) == len(false_places(claims))
    assert len(false_places([*claims, elsewhere])) == len(false_places(claims)) + 1


def counterexamples(page: str) -> list[str]:
    return re.findall(r"```pycon\n(.*?)```", text_of(page), flags=re.DOTALL)


def runs(block: str, page: str) -> bool:
    """Whether the lines print what stands below them."""
    test = doctest.DocTestParser().get_doctest(block, {}, page, None, 0)
    assert test.examples
    return doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == 0


@pytest.mark.parametrize("key", KEYS)
def test_every_witness_refutes_what_it_says(key: str) -> None:
    assert counterexamples(key)
    for block in counterexamples(key):
        names = re.findall(r'verify\(\s*(?:\.\.\.\s*)?"([^"]+)"', block)
        assert names
        assert all(verdict(known()[name]) == "violated" for name in names)
        assert len(re.findall(r"^violated [\d.e+]+$", block, flags=re.MULTILINE)) == len(names)
        assert runs(block, key), block


def test_a_witness_that_shows_something_else_is_seen() -> None:
    block = counterexamples("sfl")[0]
    assert not runs(block.replace("violated ", "violated 9"), "sfl")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)]+)\)", text_of(page))
    assert links
    assert all((FOLDER / link).exists() for link in links)


def put(page: str, lines: Sequence[str]) -> None:
    """A page with these lines for those of its table."""
    text = text_of(page).split("\n")
    at = [k for k, line in enumerate(text) if line.startswith("|")]
    text[at[0] : at[-1] + 1] = lines
    (FOLDER / f"{page}.md").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    for key in KEYS:
        put(key, table(key))
    put("overview", counts())
