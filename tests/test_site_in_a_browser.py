"""A part of the site in a browser: the search has a claim before its words, what scrolls is reached, pictures are links."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from docs.building import catalogue, parts, sources
from tests.browser import needs_browser, nested, told
from tests.children import environment

KEY = "delta_sgd"
SOUGHT = ("delta_sgd/T1-rho@printed", "delta_sgd/T5-B", "delta_sgd/C3@printed")
FOUND = """<script>addEventListener("load", () => setTimeout(() => {
  const found = [...document.querySelectorAll("#search-results ul.search > li > a")];
  document.title = JSON.stringify({
    found: found.slice(0, 5).map((a) => [a.textContent, a.getAttribute("href")]),
    heading: document.querySelector("h1")?.textContent ?? "",
  });
}, 3000));</script>"""
REACHED = """<script>addEventListener("load", () => setTimeout(() => {
  const wide = [...document.querySelectorAll(".table-wrapper, .formula, pre")].filter((b) => b.scrollWidth > b.clientWidth);
  const named = [...document.querySelectorAll("aside")].map((a) => a.getAttribute("aria-label"));
  document.title = JSON.stringify({
    wide: wide.length,
    reached: wide.filter((b) => b.tabIndex === 0).length,
    over: document.documentElement.scrollWidth - innerWidth,
    named,
  });
}, 1500));</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue of one paper, its findings and a page with a picture and long lines, built as the whole site is."""
    for name in ("sphinx", "myst_parser", "numpydoc", "furo"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("site")
    source, pages = folder / "source", folder / "html"
    (source / "findings").mkdir(parents=True)
    (source / "figures").mkdir()
    catalogue.write_paper(source, KEY)
    for page in (f"findings/{KEY}.md", "findings/figures.md"):
        text = (sources.DOCS / page).read_text(encoding="utf-8")
        (source / page).write_text(sources.rewritten(text, f"docs/{page}", source, page), encoding="utf-8")
    long = "word " * 60
    tree = ("```{toctree}", f"catalogue/{KEY}", f"findings/{KEY}", "findings/figures", "```")
    (source / "index.md").write_text("\n".join(["# Pages", "", "```", long.replace(" ", "_"), "```", "", *tree]))
    shutil.copy(sources.DOCS / "conf.py", source / "conf.py")
    shutil.copytree(sources.DOCS / "building" / "static", source / "_static")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(pages)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]  # links to pages that are not there are warnings
    return pages


def probed(page: Path, script: str, without: str = "") -> Path:
    """A page with a script at its end, beside the page itself; ``without`` one of its own."""
    text = re.sub(rf"<script[^>]*{without}[^>]*></script>", "", page.read_text()) if without else page.read_text()
    probe = page.with_name(f"probe_{page.name}")
    probe.write_text(text.replace("</body>", f"{script}</body>"))
    return probe


@needs_browser
@pytest.mark.parametrize("name", SOUGHT)
def test_the_search_finds_a_claim_first(site: Path, name: str) -> None:
    """By its id, before the pages in whose text it stands; it leads to the claim."""
    page = probed(site / "search.html", FOUND)
    answer = told(f"{page.as_uri()}?q={quote(name)}", budget=12_000)
    first, goal = answer["found"][0]
    assert first == name
    assert goal.split("?")[0].split("#")[0].endswith(f"{parts.page_by_claim()[name].rpartition('/')[2]}.html")
    assert answer["heading"] == "Search"


@needs_browser
def test_what_scrolls_is_reached_by_keyboard(site: Path) -> None:
    """On a telephone: wide tables, formulas and code; the page itself does not scroll. The control has no script."""
    some = 0
    for name in (f"catalogue/{KEY}.html", "index.html"):
        found = told(probed(site / name, REACHED).as_uri(), width=390)
        assert found["reached"] == found["wide"] > 0
        assert found["over"] <= 0
        assert len(set(found["named"])) == len(found["named"])
        bare = told(probed(site / name, REACHED, "access").as_uri(), width=390)
        some += bare["wide"] - bare["reached"]
    assert some > 0


def test_pages_have_links_to_readings_and_whole_pictures(site: Path) -> None:
    essay = (site / "findings" / f"{KEY}.html").read_text()
    assert essay.count('class="claim-link"') > 20
    assert not re.search(r"</a>(?:@|&#64;)(?:printed|corrected|strict|explicit|strengthened)", essay)
    shown = (site / "findings" / "figures.html").read_text()
    assert shown.count('<a class="picture" href="../_images/') == 12
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert nested(re.sub(r"<header.*?</header>", "", text, flags=re.DOTALL)) == [], page.name
        assert '<thead>\n<tr class="row-odd"><th class="head"><p></p></th>' not in text
