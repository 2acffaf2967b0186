"""How Sphinx reads the pages that ``python -m docs`` puts together."""

from __future__ import annotations

from pathlib import Path

from fltheory import __version__

project = "fltheory"
author = copyright = "The fltheory developers"
release = version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "docs.building.docstrings",
    "docs.building.claim_links",
    "docs.building.finish",
]
root_doc = "index"
exclude_patterns = ["_source"]
source_suffix = {".md": "markdown"}

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]  # shell lines with a few dots
highlight_language = "text"
smartquotes = False

autosummary_generate = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "fltheory"
html_static_path = ["_static"]
html_css_files = ["report.css"]
html_js_files = ["access.js"]
html_search_scorer = str(Path(__file__).parent / "_static" / "search.js")
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
