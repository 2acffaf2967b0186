"""The site: built clean where Sphinx is; what is written from the code leaves nothing out; its check of links sees broken ones."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from rich.cells import cell_len

from docs.building import catalogue, gallery, links, notebook, parts, pictures, reference, screens, sources
from figures import MATPLOTLIB_VERSION
from fltheory import __version__, symbols
from fltheory.claims.catalogue import KEYS, claims_of_paper
from fltheory.claims.ids import without_reading
from fltheory.claims.index import builtin_lines, line_of, lines_by_item
from fltheory.model.case import Assumption
from fltheory.model.place import Item
from fltheory.plotting.plot import draw, save
from fltheory.reports.document import PaperSection
from fltheory.runs import assumptions
from tests.browser import nested
from tests.typed import Run

ROOT = Path(__file__).resolve().parent.parent
BUSY = 120  # seconds of two processors in a minute: the whole site takes no more, however busy the machine is


def lacking(name: str, section: str) -> list[str]:
    """Options and arguments of a command that a section does not tell, each in a row of its own."""
    command = reference.commands()[name]
    rows = [line.partition(" | ")[0] for line in section.splitlines() if line.startswith("| ")]
    names = [reference.names_of(parameter) or (str(parameter.metavar),) for parameter in command.params]
    return [each[0] for each in names if not any(all(one in row for one in each) for row in rows)]


@pytest.mark.parametrize("name", reference.commands())
def test_every_option_and_argument_stands_with_its_command(name: str) -> None:
    section = "\n".join(reference.section_of(name, reference.commands()[name]))
    assert section in "\n".join(reference.cli())
    assert lacking(name, section) == []
    rows = section.splitlines()
    assert lacking(name, "\n".join(row for row in rows if not row.startswith("| `"))) != []


def test_every_assumption_and_constant_stands_in_the_reference() -> None:
    page = "\n".join(reference.words())
    assert all(f"| `{name}` |" in page for name in symbols.VOCABULARY)
    known = {name for name, value in vars(assumptions).items() if isinstance(value, Assumption)}
    assert {name for name in known if f"| `{name}` |" in page} == known != set()


@pytest.mark.parametrize("key", KEYS)
def test_every_figure_of_a_paper_is_on_its_page(key: str) -> None:
    names = {name for drawn in parts.figures_of(key).values() for name in drawn}
    pages = dict(catalogue.pages_of(PaperSection(key, "without its claims", ())))
    text = "\n".join(pages.values())
    assert {
        name for name in names if text.count(f"{key}_{name}.svg") == 1
    } == names  # once, on the first page that it is for


@pytest.mark.parametrize("key", KEYS)
def test_every_claim_is_on_one_page_of_its_paper(key: str) -> None:
    ids = [name for part in parts.parts_of(key) for name in part.ids]
    assert sorted(ids) == sorted(line.id for line in builtin_lines(key))
    assert len({part.page for part in parts.parts_of(key)}) == len(parts.parts_of(key))
    assert {parts.page_by_claim()[name] for name in ids} == {part.page for part in parts.parts_of(key) if part.ids}
    assert max(len(part.ids) for part in parts.parts_of(key)) <= 70


def test_a_long_section_is_cut_at_its_subsections() -> None:
    items = tuple(map(Item, ("Section 1", "Section 2", "Section 2.1", "Lemma 1", "Section 2.2", "Appendix A")))

    def names(counts: dict[str, int]) -> list[list[str]]:
        return [[item.name for item in piece] for piece in parts.split(items, counts)]

    assert names({"Lemma 1": parts.MOST}) == [["Section 1"], [item.name for item in items[1:5]], ["Appendix A"]]
    cut = [["Section 1"], ["Section 2"], ["Section 2.1", "Lemma 1"], ["Section 2.2"], ["Appendix A"]]
    assert names({"Lemma 1": parts.MOST, "Section 2.2": 1}) == cut
    assert names({"Section 1": parts.MOST + 1}) == [["Section 1"], [item.name for item in items[1:5]], ["Appendix A"]]


def test_a_page_of_the_catalogue_begins_with_its_verdicts() -> None:
    paper = catalogue.paper_of("delta_sgd", with_proofs=False)
    pages = dict(catalogue.pages_of(paper))
    recorded = {entry.claim.id: entry.verdict for entry in paper.entries}
    for part in parts.parts_of("delta_sgd"):
        table, _, _ = pages[part.page].partition("\n## ")
        rows = [row for row in table.splitlines() if row.startswith("| `")]
        assert sorted(row.split("`")[1] for row in rows) == sorted(part.ids)
        assert all(row.split(" | ")[1] == recorded[row.split("`")[1]] for row in rows)
        assert all(f'id="{name}"' in pages[part.page] for name in part.ids)
    front = pages["catalogue/delta_sgd"]
    false = {e.claim.id for e in paper.entries if (e.verdict, e.claim.reading) == ("violated", "printed")}
    assert {row.split("`")[1] for row in front.splitlines() if row.startswith("| `")} == false != set()
    assert catalogue.cell("a_b | *c* <d>\n[e]") == r"a\_b \| \*c\* \<d\> \[e\]"


def test_ids_of_claims_are_links() -> None:
    pytest.importorskip("sphinx")
    from docs.building.claim_links import linked

    here = parts.page_by_claim()["sfl/T3-GC@printed"]
    one = '<a class="claim-link" href="{}#{}">{}</a>'
    for name in ("sfl/T3-GC@printed", "sfl/T3-GC"):
        assert linked(f"<code>{name}</code>.", here) == f"<code>{one.format('', name, name)}</code>."
    found = linked("see sfl/T3-GC@printed, or", "how-to/plots")
    assert found == f"see {one.format(f'../{here}.html', *['sfl/T3-GC@printed'] * 2)}, or"
    for text in (
        "sfl/T3-*",  # a pattern
        "sfl/T3-GC@mine",  # no claim
        "fltheory/papers/sfl/upper",  # a folder
        '<a href="#x">sfl/T3-GC</a>',  # a link
        '<p title="sfl/T3-GC">x</p>',  # no text
        "<summary><b>sfl/T3-GC</b></summary>",  # folds
    ):
        assert linked(text, here) == text


def test_ids_are_links_as_the_writer_of_the_site_writes_them() -> None:
    """It writes the sign before a reading as an entity, where a link that ends before it would lead to another reading."""
    pytest.importorskip("sphinx")
    from docutils.core import publish_parts

    from docs.building.claim_links import linked

    here = parts.page_by_claim()["aaggff/T5.1@corrected"]
    written = publish_parts("See ``aaggff/T5.1@corrected``.", writer="html5")["body"]
    assert "&#64;" in written
    found = linked(written, here)
    assert found.count('href="#aaggff/T5.1@corrected">aaggff/T5.1@corrected</a>') == 1
    assert "</a>@" not in found
    assert "&#64;" not in found


def test_every_public_name_stands_in_the_reference() -> None:
    import fltheory

    told = {name for names in reference.PUBLIC.values() for name in names}
    assert told == set(fltheory.__all__)


def test_a_page_of_the_catalogue_has_every_claim_in_the_papers_order() -> None:
    claims = claims_of_paper("delta_sgd")
    paper = catalogue.paper_of("delta_sgd", with_proofs=False)
    items = [
        (item.name, lines) for item, lines in lines_by_item("delta_sgd", [line_of(claim) for claim in claims]) if lines
    ]
    assert [section.name for section in paper.sections] == [name for name, _ in items]
    for section, (_, lines) in zip(paper.sections, items, strict=True):
        shown = [without_reading(readings[0].claim.id) for readings in section.claims]
        assert shown == list(dict.fromkeys(without_reading(line.id) for line in lines))
    assert {entry.claim.id for entry in paper.entries} == {claim.id for claim in claims}
    for entry in paper.entries:
        assert entry.verdict == (entry.claim.entry.recorded if entry.claim.measure is not None else "external")


def test_every_example_has_its_output_stored() -> None:
    stored = {path.stem for path in gallery.OUTPUTS.glob("*.txt")}
    assert stored == {path.stem for path in gallery.examples()}
    for path in gallery.examples():
        assert (gallery.OUTPUTS / f"{path.stem}.txt").read_text().strip()
        name, code = gallery.words_of(path)
        assert name
        assert "import" in code


def test_the_verdicts_of_an_example_are_those_that_it_prints() -> None:
    printed = (
        "a/T1@printed, variant x: y: violated (ratio 1.7e+03, exact)\n  b/T1@printed, variant x: holds (ratio 1)\n"
    )
    printed += "a/T2@strict, variant z: violated (ratio none, to a bound of 0, exact)\n"
    found = gallery.answers_of(printed)
    assert [(a.claim, a.status, a.ratio) for a in found] == [
        ("a/T1@printed", "violated", "1.7e+03"),
        ("a/T2@strict", "violated", ""),
    ]
    for path in gallery.examples():
        assert "|" not in gallery.sentence_of(path).replace(r"\|", "")
        answers = gallery.answers_of(gallery.stored(path))
        page = gallery.page_of(path)
        assert answers
        assert all(f"- `{one.claim}`: {gallery.badge(one)}" in page for one in answers)


def test_the_picture_of_the_gallery_has_the_bound_and_a_cross_for_each_violation() -> None:
    named = [("good", gallery.Answer("a/1", "holds", "0.1")), ("bad", gallery.Answer("a/1", "violated", "100"))]
    drawn = ElementTree.fromstring(gallery.picture([*named, ("none", gallery.Answer("a/1", "violated", ""))]))
    marks = {p.findtext("title"): str(p.get("d")) for p in drawn.iter("path") if "mark" in str(p.get("class"))}
    assert list(marks) == ["good: holds", "bad: violated"]
    assert "l8 8" in marks["bad: violated"]
    (one,) = (p.get("d") for p in drawn.iter("path") if p.get("class") == "one")
    x = [float(re.findall(r"[\d.]+", str(d))[0]) for d in (marks["good: holds"], one, marks["bad: violated"])]
    assert x == sorted(x)
    assert x[1] - x[0] > 100  # a third of the axis


def test_every_page_of_the_gallery_has_a_picture() -> None:
    """Of its verdicts, as far as they have ratios; the index has that of all, and the verdict beside the name."""
    for path in gallery.examples():
        ratios = [one for one in gallery.answers_of(gallery.stored(path)) if float(one.ratio or 0)]
        page = gallery.page_of(path)
        assert page.count('class="mark') == len(ratios)
        assert page.count("<svg") == bool(ratios)
        assert nested(page) == []


def test_the_how_to_pages_have_their_pictures() -> None:
    shown = {
        found
        for page in (ROOT / "docs" / "how-to").glob("*.md")
        for found in re.findall(r"!\[[^\]]{20,}\]\(\.\./pictures/([\w.]+)\)", page.read_text(encoding="utf-8"))
    }
    stored = {path.name for path in pictures.PICTURES.iterdir()}
    assert shown == stored == {*(f"{name}.svg" for name in pictures.DRAWN), "report.png"}
    with_picture = [p.stem for p in (ROOT / "docs" / "how-to").glob("*.md") if "![" in p.read_text(encoding="utf-8")]
    assert {"plots", "falsify", "performance", "tightness", "sweeps", "reports"} <= {*with_picture}


@pytest.mark.parametrize("name", pictures.DRAWN)
def test_a_picture_of_a_page_is_drawn_as_it_is_stored(name: str, tmp_path: Path) -> None:
    """``python -m docs --outputs`` draws it again."""
    if name in ("descent", "multipliers"):
        pytest.importorskip("clarabel")
    if matplotlib.__version__ != MATPLOTLIB_VERSION:
        pytest.skip("another version of matplotlib may set letters a little differently")
    save(draw(pictures.DRAWN[name](), pictures.LOOK), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == (pictures.PICTURES / f"{name}.svg").read_bytes()


def test_the_guide_to_notebooks_shows_what_each_cell_printed() -> None:
    text = notebook.PAGE.read_text()
    cells, outputs = list(notebook.cells_of(notebook.code_of(text))), json.loads(notebook.STORED.read_text())
    assert [cell.splitlines()[-1].split("(")[0].split(" ")[0] for cell in cells] == [
        *("claim", "claim.bound", "show", "verdict", "falsify", "plot")
    ]
    page = notebook.rendered(text, outputs)
    places = [page.index(one) for pair in zip(cells, outputs, strict=True) for one in pair]
    assert places == sorted(places)
    assert ["<math" in one for one in outputs[:4]] == [True, True, True, False]
    assert not any("$" in one for one in outputs[:-1])  # no script reads LaTeX
    assert "holds" in outputs[3]
    assert "violated" in outputs[4]
    assert outputs[5].startswith("<svg")
    with pytest.raises(ValueError, match="no block of code"):
        notebook.code_of("# Notebooks")
    with pytest.raises(ValueError, match="shorter"):
        notebook.rendered(text, outputs[1:])


@pytest.mark.deep
def test_the_cells_show_what_is_stored() -> None:
    pytest.importorskip("latex2mathml")
    found = notebook.outputs_of(notebook.code_of(notebook.PAGE.read_text()))
    assert [SECONDS.sub("s", one) for one in found] == [
        SECONDS.sub("s", one) for one in json.loads(notebook.STORED.read_text())
    ]


SECONDS = re.compile(r"\d+(\.\d+)? s\b")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, marks=() if p.stem in ("exp3", "barzilai_borwein") else pytest.mark.deep)
        for p in gallery.examples()
    ],
    ids=lambda path: path.stem,
)
def test_an_example_prints_what_is_stored(path: Path) -> None:
    stored = (gallery.OUTPUTS / f"{path.stem}.txt").read_text()
    assert SECONDS.sub("s", gallery.output_of(path)) == SECONDS.sub("s", stored)


# Pictures of commands ---------------------------------------------------------------------------------------------------


def test_every_command_has_its_picture_on_its_page() -> None:
    """In 80 columns, except lines of Python and paths, which are copied."""
    assert set(screens.COMMANDS) == set(reference.commands()) == {path.stem for path in screens.SCREENS.glob("*.txt")}
    for name in screens.COMMANDS:
        screen = screens.stored(name)
        first, *lines = screen.splitlines()
        assert first == f"$ {screens.line_of(name)}"
        assert lines
        assert screen.rstrip() in "\n".join(reference.section_of(name, reference.commands()[name]))
        wide = [line for line in lines if cell_len(line) > screens.COLUMNS and " " in line.strip()]
        assert [line for line in wide if "from fltheory" not in line] == []


@pytest.mark.parametrize("name", screens.COMMANDS)
def test_a_command_prints_its_picture(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """If the output is meant to be another one, ``python -m docs --outputs`` draws it again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(screens.COLUMNS))
    screens.prepare(name, tmp_path)
    monkeypatch.delitem(sys.modules, "steps", raising=False)  # the file of another test in this process
    _, out, _ = run(*shlex.split(screens.line_of(name))[1:])
    assert screens.unchanging(f"$ {screens.line_of(name)}\n{out}") == screens.unchanging(screens.stored(name))


def test_times_and_sizes_are_no_part_of_a_picture() -> None:
    assert screens.unchanging("a  1.3s\n──── 26.1 s, 30 kB b") == screens.unchanging("a 12s\n─ 1 s, 0.1 MB   b")
    assert screens.unchanging("1 holds") != screens.unchanging("2 holds")


def test_links_out_of_the_pages_lead_to_the_sites_own(tmp_path: Path) -> None:
    text = (
        "[a](../../examples/scaffold.py) [b](../../fltheory/papers/sfl/README.md) [c](../../figures) "
        "![d](../../figures/worst_loss.svg) [e](../../fltheory/claims/claim.py) [f](plots.md#x)\n```\n[g](../../examples)\n```\n"
    )
    found = sources.rewritten(text, "docs/how-to/page.md", tmp_path, "how-to/page.md")
    assert found == (
        "[a](../gallery/scaffold.md) [b](../catalogue/sfl.md) c "
        "![d](../figures/worst_loss.svg) [e](../_source/fltheory/claims/claim.py) [f](plots.md#x)\n```\n[g](../../examples)\n```\n"
    )
    assert (tmp_path / "_source/fltheory/claims/claim.py").is_file()


def test_broken_links_are_seen(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_text(
        '<a href="two.html#here">fine</a><a href="two.html#there">no name</a><a href="three.html">nowhere</a>'
        '<a href="https://example.org">outside</a><img src="https://example.org/x.png"><a href="#top">no top</a>'
        '<meta name="viewport"><a href="#viewport">no place</a><img srcset="//example.org/y.png 2x">'
    )
    (tmp_path / "two.html").write_text('<p id="here">here</p><a href="one.html">back</a>')
    (tmp_path / "style.css").write_text("@import url(https://example.org/x.css); p { background: url(own.png) }")
    assert list(links.faults(tmp_path)) == [
        "style.css: asks the network for https://example.org/x.css",
        "one.html: two.html#there: nothing there has that name",
        "one.html: three.html leads nowhere",
        "one.html: asks the network for https://example.org/x.png",
        "one.html: #top: nothing there has that name",
        "one.html: #viewport: nothing there has that name",
        "one.html: asks the network for //example.org/y.png",
    ]


def test_what_to_cite_has_the_version() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert cited
    assert cited[1] == project["version"] == __version__
    assert f"version = {{{__version__}}}" in (ROOT / "docs" / "cite.md").read_text()


@pytest.mark.deep
def test_the_site_builds_clean(tmp_path: Path) -> None:
    """Warnings are errors, and so are links that lead nowhere."""
    for name in ("sphinx", "myst_parser", "numpydoc", "furo"):
        pytest.importorskip(name)
    from docs.__main__ import build

    before = sum(os.times()[:4])
    assert build(tmp_path) == 0
    assert sum(os.times()[:4]) - before < BUSY
    assert (tmp_path / "html" / "catalogue" / "sfl.html").is_file()
    html = tmp_path / "html"
    here = parts.page_by_claim()["sfl/T3-GC@printed"]
    assert '"sfl/t3-gc@printed":[[' in (html / "searchindex.js").read_text()
    assert f'href="../{here}.html#sfl/T3-GC@printed"' in (html / "findings" / "sfl.html").read_text()
