"""A browser without a window, where one is installed: pages as it leaves them, and how many sheets it prints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser is installed (apt-get install chromium)")
VOID = frozenset(("meta", "link", "input", "br", "img", "hr", "wbr", "source", "area", "col", "base"))
WHOLE = ("img", "button", "link", "checkbox")  # roles whose content is read as one: nothing inside may take the focus


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--allow-file-access-from-files",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def told(url: str, budget: int = 5000, width: int = 1280) -> Any:
    """What the script of a page leaves as JSON in its title, after so many milliseconds of the page's own time."""
    done = _run("--dump-dom", f"--virtual-time-budget={budget}", f"--window-size={width},900", url)
    title = re.search(r"<title>(\{.*?\})</title>", done.stdout)
    assert title is not None, done.stderr[-2000:]
    return json.loads(title[1])


def sheets(page: Path) -> int:
    """How many pages of paper a page takes."""
    goal = page.with_suffix(".pdf")
    done = _run("--no-pdf-header-footer", f"--print-to-pdf={goal}", page.as_uri())
    assert goal.is_file(), done.stderr[-2000:]
    return len(re.findall(rb"/Type\s*/Page\b", goal.read_bytes()))


class _Nested(HTMLParser):
    """Finds what can take the focus inside something that is read as one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []  # tag, and what is read as one there, or ""
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        focus = (tag == "a" and "href" in given) or tag in ("button", "input", "select", "textarea")
        focus |= str(given.get("tabindex", "-1")) != "-1"
        around = [role for _, role in self.open if role]
        if focus and around:
            self.faults.append(f"{tag} inside {around[-1]}")
        role = str(given.get("role", ""))
        own = role if role in WHOLE else tag if tag in ("button", "summary") or (tag == "a" and "href" in given) else ""
        if tag not in VOID:
            self.open.append((tag, own))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag in [one for one, _ in self.open]:
            if self.open.pop()[0] == tag:
                break


def nested(html: str) -> list[str]:
    """Links and fields inside a picture, a button or a fold: a screen reader hides what the keyboard stops at."""
    parser = _Nested()
    parser.feed(html)
    return parser.faults
