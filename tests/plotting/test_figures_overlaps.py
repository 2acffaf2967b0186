"""No words of a stored figure lie on others: computed from what a browser lays out."""

from __future__ import annotations

import re
from pathlib import Path

from figures.__main__ import FOLDER
from tests.browser import needs_browser, told
from tests.plotting.test_figures_shown import TWELVE

LAID = """<script>addEventListener("load", () => {
  const found = {};
  const inked = (sign) => { // a sign's box without the air above and below it; of upright text left and right
    const box = sign.getBoundingClientRect(), [u, v] = box.width && sign.getCTM().b !== 0 ? [AIR, 0] : [0, AIR];
    return { left: box.left + u * box.width, right: box.right - u * box.width,
      top: box.top + v * box.height, bottom: box.bottom - v * box.height };
  };
  const shared = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  for (const picture of document.querySelectorAll("section")) {
    const words = [...picture.querySelectorAll('g[id^="text_"]')].map((g) => {
      const spans = [...g.querySelectorAll("tspan")];
      const signs = (spans.length ? spans : [...g.querySelectorAll("text")]).filter((s) => s.textContent.trim() !== "");
      const said = signs.map((s) => s.textContent).join("").slice(0, 40);
      return { said, whole: g.getBoundingClientRect(), signs: signs.map(inked) };
    }).filter((one) => one.signs.length);
    const pairs = [];
    words.forEach((one, i) => words.slice(i + 1).forEach((other) => {
      if (shared(one.whole, other.whole) > 0 && one.signs.some((a) => other.signs.some((b) => shared(a, b) > ROOM))) {
        pairs.push(`${one.said} / ${other.said}`);
      }
    }));
    const frame = picture.querySelector("svg").getBoundingClientRect();
    const out = (s) => shared(s, frame) < Math.min(s.right - s.left, s.bottom - s.top) - 1;
    const left = words.filter(({ signs }) => signs.some(out));
    found[picture.id] = [pairs, left.map(({ said }) => said)];
  }
  document.title = JSON.stringify(found);
});</script>"""
ROOM, AIR = 0.5, 0.22  # pixels that two signs may share; the share of a line's height above and below its signs


def laid_out(pictures: dict[str, str], folder: Path) -> dict[str, tuple[list[str], list[str]]]:
    """For each picture the pairs of words that overlap, and the words that leave it."""
    sections = "".join(f'<section id="{name}">{svg[svg.index("<svg") :]}</section>' for name, svg in pictures.items())
    page = folder / "pictures.html"
    page.write_text(
        f"<!doctype html><title>none</title>{sections}{LAID.replace('ROOM', str(ROOM)).replace('AIR', str(AIR))}"
    )
    return {name: (pairs, out) for name, (pairs, out) in told(page.as_uri()).items()}


@needs_browser
def test_no_words_of_a_stored_figure_overlap_or_leave_it(tmp_path: Path) -> None:
    pictures = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.svg"))}
    assert set(TWELVE) <= set(pictures)
    assert laid_out(pictures, tmp_path) == {name: ([], []) for name in pictures}


@needs_browser
def test_words_on_others_and_words_outside_are_seen(tmp_path: Path) -> None:
    """The control: a title moved onto another by a few points, and a picture of half its width."""
    svg = (FOLDER / "worst_loss.svg").read_text()
    moved = re.sub(
        r'(<text [^>]*x="5\.1552" y=")([\d.]+)(" transform="rotate\(-0 [\d.]+ )([\d.]+)', r"\g<1>25\g<3>25", svg
    )
    assert moved != svg
    half = re.sub(
        r'width="[\d.]+pt" height="([\d.]+)pt" viewBox="0 0 [\d.]+',
        r'width="250pt" height="\1pt" viewBox="0 0 250',
        svg,
    )
    found = laid_out({"moved": moved, "half": half}, tmp_path)
    assert found["moved"][0]
    assert found["half"][1]
