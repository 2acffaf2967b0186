"""Ids of claims on every page: a link to the claim, and an entry of the search."""

from __future__ import annotations

import re
from posixpath import relpath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from docs.building.parts import page_by_claim, parts_of
from fltheory.claims.catalogue import KEYS
from fltheory.claims.ids import without_reading

TAG = re.compile(r"(<!--.*?-->|<[^>]*>)", re.DOTALL)
CLAIM = re.compile(rf"(?<![\w/.-])(?:{'|'.join(KEYS)})/[\w.'+-]*\w(?:@\w+)?(?![\w*/]|-\*)")
AT = "&#64;"  # how Sphinx writes the sign before a reading in inline code
CLOSED = ("a", "svg", "math", "script", "style", "title", "button", "summary")  # what may hold no further link


def linked(html: str, page: str) -> str:
    """A page of HTML in which each known id outside a link is one; ``page`` is its place in the site."""

    def link(found: re.Match[str]) -> str:
        name = found[0]
        goal = page_by_claim().get(name)
        if goal is None:
            return name
        path = "" if goal == page else f"{relpath(goal, page.rpartition('/')[0] or '.')}.html"
        return f'<a class="claim-link" href="{path}#{name}">{name}</a>'

    inside, parts = 0, TAG.split(html)
    for i, part in enumerate(parts):
        if i % 2:
            tag = re.match(r"</?(\w+)", part)
            if tag and tag[1] in CLOSED and not part.endswith("/>"):
                inside += -1 if part.startswith("</") else 1
        elif not inside and "/" in part:
            parts[i] = CLAIM.sub(link, part.replace(AT, "@"))
    return "".join(parts)


def _link(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if "body" in context and doctree is not None:
        context["body"] = linked(context["body"], pagename)


def _index(app: Sphinx, doctree: nodes.document) -> None:
    """Enter the claims of a page of the catalogue: the search ranks an entry above words of a text."""
    own = {part.page: part for key in KEYS for part in parts_of(key)}.get(app.env.docname)
    if own is not None:
        names = dict.fromkeys(one for name in own.ids for one in (without_reading(name), name))
        entries = [("single", name, name, "main", None) for name in names if page_by_claim()[name] == own.page]
        doctree.insert(0, addnodes.index(entries=entries))


def _load(app: Sphinx) -> None:
    """Load the claims before Sphinx divides its work: every process has them then, and none loads them again."""
    page_by_claim()


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the pages as they are read and written."""
    app.connect("builder-inited", _load)
    app.connect("doctree-read", _index, priority=100)
    app.connect("html-page-context", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
