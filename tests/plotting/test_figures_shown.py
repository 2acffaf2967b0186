"""How the stored figures are shown: short titles, words that are text, the page's own ground, and the page of the twelve."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from docs.building.sources import for_site
from figures.__main__ import FOLDER
from figures.drawing import all_figures
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import Curve, Panel, Picture
from fltheory.plotting.plot import save_picture
from fltheory.plotting.style import DARK_RULE

WORDS, NUMBERS = 14, 2
MARKUP = re.compile(r"\\|sqrt|frac(?=[\d\W_]|[A-Za-z]{1,3}\b)|tilde|overline|math(?:rm|bb|cal)|\$")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "findings" / "figures.md"
TWELVE = (
    "aaggff_failure",
    "papers_printed",
    "sfl_tasks",
    "worst_between",
    "worst_loss",
    "sfl_tuned_step",
    "osmd_samplers",
    "osmd_vacuity",
    "fedcg_directions",
    "fedcg_sampling_term",
    "aaggff_participation",
    "delta_sgd_promise",
)


def title_of(text: str) -> str:
    found = re.search(r'<title id="title">([^<]*)</title>', text)
    return html.unescape(found[1]) if found else ""


def spoken_of(text: str) -> str:
    return html.unescape(" ".join(re.findall(r"<(?:title|desc) id=[^>]*>([^<]*)<", text)))


def faults(text: str) -> list[str]:
    """What is wrong with an SVG: its title, its description, its words, its ground."""
    title, wrong = title_of(text), []
    if not title or len(title.split()) > WORDS:
        wrong.append(f"title of {len(title.split())} words")
    if len(re.findall(r"\d+(?:[.,/]\d+)*", title)) > NUMBERS:
        wrong.append("too many numbers in the title")
    if not re.search(r'<desc id="desc">[^<]{40,}</desc>', text):
        wrong.append("no description")
    if MARKUP.search(spoken_of(text)):
        wrong.append("markup in the words for screen readers")
    if re.search(r"font-family: '(?!DejaVu Sans')[^',]*'[;\"]", text):
        wrong.append("signs of a font that no browser has")
    if "<text" not in text or re.search(r'<use xlink:href="#DejaVu', text):
        wrong.append("words that are drawn as shapes")
    ground = re.search(r'<g id="patch_1">\s*<path [^>]*style="([^"]*)"', text)
    if ground is None or "fill: none" not in ground[1] or DARK_RULE not in text:
        wrong.append("a ground of its own")
    return wrong


@pytest.mark.parametrize("key", all_figures())
def test_a_figure_is_short_of_title_and_its_words_are_text(key: str) -> None:
    assert faults((FOLDER / f"{key.replace('/', '_')}.svg").read_text()) == []


def _drawn(title: str, folder: Path) -> str:
    @headline(title)
    def make() -> Picture:
        panel = Panel("", "x", "y", (Curve("a curve", [1, 2], [1, 2], "first"),))
        return Picture("The finding has 1, 2 and 3 numbers, more than a title may have", (panel,))

    save_picture(make(), folder / "a.svg")
    return (folder / "a.svg").read_text()


def test_what_is_wrong_is_seen(tmp_path: Path) -> None:
    good = _drawn("A short title", tmp_path)
    assert faults(good) == []
    assert "The finding has 1, 2 and 3 numbers" in good
    assert faults(_drawn("word " * 15, tmp_path)) == ["title of 15 words"]
    assert faults(_drawn("1, 2 and 3", tmp_path)) == ["too many numbers in the title"]
    assert faults(re.sub("<desc.*?</desc>", "", good, flags=re.DOTALL)) == ["no description"]
    assert faults(good.replace(DARK_RULE, "")) == ["a ground of its own"]
    assert faults(good.replace("fill: none", "fill: #ffffff", 1)) == ["a ground of its own"]
    for spoiled in ("a \\sqrt of", "2LsqrtT,log,K", "η=frac160L", "frac{1}{2}", "6tildeeta^3"):
        assert faults(good.replace('<desc id="desc">', f'<desc id="desc">{spoiled} ')) == [
            "markup in the words for screen readers"
        ]
    assert faults(good.replace("<text", "<tspan style=\"font-family: 'STIXSizeOneSym'\"/><text", 1)) == [
        "signs of a font that no browser has"
    ]
    assert faults(good.replace("<text", "<path")) == ["words that are drawn as shapes"]


def test_the_site_decides_by_its_own_theme() -> None:
    text = (FOLDER / f"{TWELVE[0]}.svg").read_text()
    assert "prefers-color-scheme" in text
    assert "prefers-color-scheme" not in for_site(text)
    assert len(for_site(text)) == len(text) - len(DARK_RULE)


def test_the_page_shows_the_twelve_and_links_the_others() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(\.\./\.\./figures/(\w+)\.svg\)", page)
    assert shown == list(TWELVE)
    linked = re.findall(r"(?<!!)\[[^\]]+\]\(\.\./\.\./figures/(\w+)\.svg\)", page)
    assert sorted({*linked, *shown}) == sorted(key.replace("/", "_") for key in all_figures())
    assert not {*linked} & {*shown}


def test_two_sentences_stand_with_each_of_the_twelve() -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")[1 : len(TWELVE) + 1]
    for section in sections:
        words = re.sub(r"!\[.*?\]\(.*?\)", "", section.partition("\n")[2])
        assert len(re.findall(r"[.!?](?=\s|$)", words)) == 2, section
