"""The last touches to a page: every picture is a link to itself in full, and a head of a table without words goes."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

EMPTY_HEAD = re.compile(r"<thead>\s*<tr[^>]*>\s*(?:<th[^>]*>\s*(?:<p></p>)?\s*</th>\s*)+</tr>\s*</thead>")
IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^"]+\.(?:svg|png))"[^>]*>')


def finished(html: str) -> str:
    """A page in which each picture outside a link is one, without heads of tables that say nothing."""
    html = EMPTY_HEAD.sub("", html)
    parts = re.split(r"(<a\b.*?</a>)", html, flags=re.DOTALL)
    parts[::2] = [IMAGE.sub(r'<a class="picture" href="\1">\g<0></a>', part) for part in parts[::2]]
    return "".join(parts)


def _finish(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if "body" in context and doctree is not None:
        context["body"] = finished(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the pages as they are written."""
    app.connect("html-page-context", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
