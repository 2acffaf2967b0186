"""Links of built pages: each leads to a file that is there, and to an element of it that has the name; none asks the network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    *((tag, "src") for tag in ("script", "img", "source", "iframe", "audio", "video", "embed")),
    *(("link", "href"), ("image", "href"), ("image", "xlink:href"), ("use", "href"), ("object", "data")),
}
OF_STYLES = re.compile(r"""(?:@import\s+|url\(\s*)["']?((?:https?:)?//[^"')\s]+)""")


class _Page(HTMLParser):
    """The names and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names |= {value for key in ("id", "name") if (value := found.get(key)) and (key == "id" or tag == "a")}
        if found.get("srcset"):
            self.links += [(one.split()[0], True) for one in (found["srcset"] or "").split(",") if one.strip()]
        for key in ("href", "src", "xlink:href", "data"):
            value = found.get(key)
            if value:
                self.links.append((value, (tag, key) in LOADED and found.get("rel") not in ("canonical", "search")))


def read(path: Path) -> _Page:
    """A page."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(folder: Path) -> Iterator[str]:
    """What is wrong with the links of the pages in the folder, a line each."""
    for path in sorted(folder.rglob("*.css")):
        for link in OF_STYLES.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)}: asks the network for {link}"
    pages = {path.resolve(): read(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        here = path.relative_to(folder.resolve())
        for link, loaded in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if loaded:
                    yield f"{here}: asks the network for {link}"
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            goal = goal / "index.html" if goal.is_dir() else goal
            if not goal.is_file():
                yield f"{here}: {link} leads nowhere"
            elif parts.fragment and goal in pages and unquote(parts.fragment) not in pages[goal].names:
                yield f"{here}: {link}: nothing there has that name"
