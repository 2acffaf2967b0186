"""The report tells every claim once, escaped, asks nothing of a network, and says what the stored run found."""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fltheory import __version__, find
from fltheory.claims.catalogue import catalogue
from fltheory.model.errors import UserError
from fltheory.reports import FORMATS, document, load_results, picture_of, report, results_of
from fltheory.reports.escaping import escape_latex
from fltheory.reports.formulas import formula_of
from fltheory.reports.origin import commit_of, origin_of
from fltheory.reports.results import REQUIRED_FIELDS, Result
from tests.browser import needs_browser, told
from tests.typed import Run

NAMES = ("sfl/T3-SC@printed", "sfl/T3-SC@strict", "sfl/T3-GC@printed", "osmd/C-T4@printed", "osmd/C-T4@corrected")
VOID = {"meta", "link", "input", "br", "img"}


def row(name: str, status: str, ratio: float | None = 0.5, **more: Any) -> dict[str, Any]:
    """A row as ``verify --json`` writes it."""
    found = {"id": name, "status": status, "recorded": status, "evidence": "exact", "ratio": ratio, "measured": 1.0}
    return {
        **found,
        "limit": 2.0,
        "reason": "",
        "counterexample": None,
        "instance": "Case(<a & b>)",
        "scope": "instance",
        **more,
    }


class Page(HTMLParser):
    """What stands in a page: its tags in pairs, ids, links, and the articles with their data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids = Counter[str]()
        self.links: list[str] = []
        self.articles: list[dict[str, str | None]] = []
        self.tags = Counter[str]()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        self.ids.update([given["id"]] if given.get("id") else [])
        self.links += [str(given[name]) for name in ("href", "src", "action", "xlink:href") if given.get(name)]
        if tag == "article":
            self.articles.append(given)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page() -> str:
    claims = [find(name) for name in NAMES]
    results = results_of(
        [
            row(NAMES[0], "holds", 0.2),
            row(NAMES[0], "holds", 0.4, scope="class"),
            row(NAMES[1], "violated", 1.8, counterexample="print(verify(1 < 2))"),
            row(NAMES[3], "violated", 3.3, counterexample="print(verify(2))", recorded="holds"),
        ]
    )
    return FORMATS["html"](document(claims, results, "A run."))


def test_every_claim_stands_once_with_its_verdict(page: str) -> None:
    found = Page(page)
    assert not found.open
    assert [(a["data-verdict"], a["data-paper"]) for a in found.articles] == [
        ("holds", "sfl"),
        ("violated", "sfl"),
        ("not run", "sfl"),
        ("violated", "osmd"),
        ("not run", "osmd"),
    ]
    assert max(found.ids.values()) == 1
    for link in found.links:
        assert link.startswith(("#", "data:,"))
        assert link == "data:," or link[1:] in found.ids
    text = re.sub(r"<[^>]*>", " ", page)
    assert "ratio 0.4; 2 cases, 1 for every function of a class; as recorded" in " ".join(text.split())
    assert "recorded as holds" in text
    assert "print(verify(1 &lt; 2))" in page


def test_nothing_is_asked_of_a_network(page: str) -> None:
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#", "", page)


def test_a_page_tells_everything_without_its_script(page: str) -> None:
    bare = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert Page(bare).articles
    assert "hidden" not in re.findall(r"<article[^>]*>", bare)[0]
    assert re.search(r'<form[^>]*role="search"[^>]* hidden>', bare)  # filters would do nothing


def test_what_a_claim_says_is_no_markup() -> None:
    evil = "<script>alert(1)</script> & <b>"
    claim = replace(find(NAMES[0]), statement=evil, remark=evil)
    results = {claim.id: Result("violated", None, "exact", 2.0, 2.0, 1.0, evil, evil, evil, 1, variant=evil)}
    found = document([claim], results, evil)
    text = FORMATS["html"](found)
    assert Page(text).tags["script"] == 1
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 7
    assert (
        FORMATS["markdown"](found).count("<script>") == 1
    )  # in the fenced line of Python, which is shown as it stands


def test_formulas_are_mathml_in_the_paper_s_letters() -> None:
    for claim in catalogue()[::4]:
        for bound in claim.bounds:
            formula = formula_of(bound)
            for text in (formula.mathml, *formula.where, *formula.conditions, *(m for m, _ in formula.letters)):
                assert ElementTree.fromstring(text).tag == "math"
    (shown,) = (formula_of(bound).mathml for bound in find("sfl/T3-GC@printed").bounds)
    letters = {element.text for element in ElementTree.fromstring(shown).iter("mi")}
    assert {"D", "L", "M", "K", "σ", "ζ⋆"} <= letters
    assert "n_clients" not in letters


def test_the_gravest_case_decides() -> None:
    found = results_of([row("a/1", "holds", 0.9), row("a/1", "violated", 1.1), row("a/1", "violated", 1.5)])["a/1"]
    assert (found.status, found.ratio, found.cases) == ("violated", 1.5, 3)
    assert not replace(found, recorded="holds").as_recorded
    assert results_of([row("a/1", "inapplicable", None)])["a/1"].ratio_text == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "has no rows"), ("{", "is no file of"), ("[]", "has no rows"), ('{"id": 1}', "without status")],
)
def test_a_file_of_something_else_is_a_mistake(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text)
    with pytest.raises(UserError, match=why):
        load_results(path)
    with pytest.raises(UserError, match="can't read"):
        load_results(tmp_path / "none.json")


def test_from_python(tmp_path: Path) -> None:
    text = report("osmd/L17", form="markdown")
    assert "| `osmd/L17@printed` | Lemma 17 | holds | exact |" in text
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(row("osmd/L17@printed", "violated", 2.0)))
    assert "| violated | exact | 2 |" in report("osmd/L17", of=path, form="markdown")
    assert Page(report("osmd/L17", of=path, proofs=False)).articles[0]["data-verdict"] == "violated"
    with pytest.raises(ValueError, match="form must be one of html, latex, markdown, got 'pdf'"):
        report("osmd/L17", form="pdf")


def test_latex_is_a_table_and_errata(page: str) -> None:
    results = results_of([row(NAMES[1], "violated", 1.8), row(NAMES[2], "holds")])
    text = FORMATS["latex"](document([find(name) for name in NAMES[:3]], results, "A run."))
    assert text.count(r"\item[\texttt") == 1
    assert rf"\item[\texttt{{{escape_latex(NAMES[1])}}}]" in text
    plain = re.sub(r"\\[{}\\]", "", text)
    assert plain.count("{") == plain.count("}")
    assert text.count(r"\begin{") == text.count(r"\end{")
    assert escape_latex(r"a_b\{50%}") == r"a\_b\textbackslash{}\{50\%\}"


def test_pictures_of_several_claims_share_no_name() -> None:
    claims = [find(name) for name in NAMES[:2]]
    pictures = {claim.id: picture_of(claim, 20) for claim in claims}
    assert all(text.startswith("<svg") for text in pictures.values())
    text = FORMATS["html"](document(claims, {}, "x", False, pictures))
    assert max(Page(text).ids.values()) == 1
    external = next(c for c in catalogue(("sfl",)) if c.measure is None and not c.cases)
    assert picture_of(external, 1) == ""


def test_on_the_command_line(run: Run, tmp_path: Path) -> None:
    rows, page = tmp_path / "rows.json", tmp_path / "page.html"
    assert run("verify", "osmd/L17", "--json", rows)[0] == 0
    status, out, _ = run("report", "osmd/L17", "--from", rows, "-o", page)
    assert status == 0
    assert out.startswith(f"{page}: 1 claim, " if len(rows.read_text().splitlines()) else "")
    status, _, _ = run("report", "osmd/L17", "-o", tmp_path / "again.html")
    found = [re.sub(r"<p>Verdicts of .*?</p>", "", p.read_text()) for p in (page, tmp_path / "again.html")]
    assert found[0] == found[1]
    status, _, err = run("report", "osmd/L17", "--from", rows, "-o", tmp_path / "no" / "page.html")
    assert (status, "can't write" in err) == (2, True)
    status, _, err = run("report", "osmd/L17", "--from", tmp_path / "none.json")
    assert (status, "can't read" in err) == (2, True)


ORIGIN = (("Date", "2026-02-01"), ("fltheory", "0.1.0"), ("Commit", "1a2b3c"), ("Profile", "quick"), ("Seed", "0"))


def test_every_format_says_where_it_comes_from() -> None:
    claim = find(NAMES[0])
    found = replace(document([claim], results_of([row(claim.id, "holds")]), "A run."), origin=ORIGIN)
    for form, written in FORMATS.items():
        text = " ".join(re.sub(r"<[^>]*>", " ", written(found)).split())
        assert all(value in text for _, value in ORIGIN), form
        assert "1a2b3c" not in written(replace(found, origin=()))


def test_the_origin_has_the_profiles_and_seeds_of_the_run_and_the_commit_of_a_checkout_alone(tmp_path: Path) -> None:
    results = results_of([row("a/1", "holds", profile="quick", seed=3), row("a/2", "holds", profile="full", seed=3)])
    known = dict(origin_of(results.values(), date(2026, 2, 1), tmp_path))
    assert known == {"Date": "2026-02-01", "fltheory": __version__, "Profile": "full, quick", "Seed": "3"}
    assert "Seed" not in dict(origin_of(results_of([row("a/1", "holds")]).values(), date(2026, 2, 1), tmp_path))
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    (tmp_path / "one").write_text("1")
    for arguments in (("init", "-q"), ("add", "one"), ("commit", "-q", "-m", "one")):
        subprocess.run([*git, *arguments], check=True)
    assert re.fullmatch("[0-9a-f]{12}", commit_of(tmp_path))
    (tmp_path / "one").write_text("2")
    assert commit_of(tmp_path).endswith(", changed")
    (tmp_path / "inside").mkdir()
    assert commit_of(tmp_path / "inside") == ""  # a library that is installed inside another's checkout


def test_the_search_is_the_third_stop_of_the_keyboard(page: str) -> None:
    """Two links that skip, then the box; the map with a stop for each claim comes later. Headings skip no level."""
    body = page[page.index("<body>") : page.index("<script>")]
    stops = re.findall(r"<(?:a|input|select|button)\b[^>]*>", body)
    assert [re.sub(r".*?(#\w+|id=\"\w+\").*", r"\1", stop) for stop in stops[:3]] == [
        "#search",
        "#claims",
        'id="search"',
    ]
    assert stops[0].endswith(" hidden>")  # without the script there is no search
    levels = [int(level) for level in re.findall(r"<h(\d)", body)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    fields = re.findall(r"<(?:input|select)\b", body)
    assert len(re.findall(r"<label>[^<]*<(?:input|select)\b", body)) == len(fields) == 5


def test_what_is_folded_is_not_printed(page: str) -> None:
    """Otherwise the proofs of a paper fill hundreds of pages."""
    printed = page[page.index("@media print") : page.index("</style>")]
    assert re.search(r"details:not\(\[open\]\) \{ display: none !important", printed)
    assert "beforeprint" not in page


PROBE = """<script>addEventListener("load", () => {
  const form = document.getElementById("filters"), count = document.getElementById("count");
  const said = [count.textContent];
  form.elements.text.value = "cyclic weight transfer";
  form.dispatchEvent(new Event("input"));
  const synonym = count.textContent;
  form.elements.text.value = "";
  const wide = document.querySelector("math").getBoundingClientRect().width > 5;
  for (const [name, value] of [["verdict", "violated"], ["paper", "osmd"]]) {
    form.elements[name].value = value;
    form.dispatchEvent(new Event("input"));
    said.push(count.textContent);
  }
  form.elements.text.value = "no such words";
  form.dispatchEvent(new Event("input"));
  said.push(count.textContent);
  const [, tile] = document.querySelectorAll(".tile");
  tile.click();
  const seen = () => document.querySelector(tile.getAttribute("href")).checkVisibility();
  setTimeout(() => {
    said.push(count.textContent, seen());
    form.dispatchEvent(new Event("input"));
    said.push(seen());
    tile.click();
    said.push(seen());
    document.title = JSON.stringify({said, synonym, wide, copies: document.querySelectorAll(".counterexample + button").length});
  }, 100);
});</script>"""


@needs_browser
def test_in_a_browser(page: str, tmp_path: Path) -> None:
    """Filters count, a tile of the map shows its claim under any filter, formulas are laid out, counterexamples have a button."""
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", f"{PROBE}</body>"))
    found = told(path.as_uri())
    assert found["said"] == [
        *("5 of 5 claims", "2 of 5 claims", "1 of 5 claims", "0 of 5 claims"),
        *("0 of 5 claims, and the one that you followed a link to", True, False, True),
    ]
    assert found["synonym"] == "3 of 5 claims"  # the field's name for what a paper calls otherwise
    assert found["wide"]
    assert found["copies"] == 2


def test_latex_of_the_whole_catalogue_has_no_sign_that_needs_a_package() -> None:
    """Letters with an accent are all that is left beyond ASCII; every brace that is opened is closed."""
    for claim in catalogue():
        for said in (claim.statement, claim.remark, claim.bound.source.place):
            text = escape_latex(said)
            assert all(c.isascii() or unicodedata.name(c).startswith("LATIN") for c in text), text
            assert len(re.findall(r"(?<!\\)\{", text)) == len(re.findall(r"(?<!\\)\}", text))
    assert (
        escape_latex("η̃² ≤ θ_0")
        == r"\ensuremath{\tilde{\ensuremath{\eta}}}\ensuremath{^{2}} \ensuremath{\leq} \ensuremath{\theta}\_0"
    )


def test_the_bar_is_that_of_the_case_that_uses_most() -> None:
    """Also where another case, on which the bound says nothing, decides the verdict."""
    row = dict.fromkeys(REQUIRED_FIELDS, None) | {
        "id": "x/1@printed",
        "instance": "",
        "recorded": "holds",
        "evidence": "exact",
    }
    found = results_of([{**row, "status": "vacuous", "ratio": 0.04}, {**row, "status": "holds", "ratio": 0.09}])
    assert (found["x/1@printed"].status, found["x/1@printed"].ratio) == ("vacuous", 0.09)
    worse = results_of([{**row, "status": "violated", "ratio": 1.5}, {**row, "status": "holds", "ratio": 2.0}])
    assert (worse["x/1@printed"].status, worse["x/1@printed"].ratio) == ("violated", 1.5)
