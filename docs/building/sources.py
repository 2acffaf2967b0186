"""The pages written by hand, brought together in one folder: links that leave ``docs`` lead to generated pages or copied files."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from fltheory.plotting.style import DARK_RULE

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
WRITTEN = ("tutorial", "how-to", "explanation", "reference", "findings")
# Pages of the repository that stand in the site too.
ELSEWHERE = {
    "proofs_checks/README.md": "reference/proofs.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "CHANGELOG.md": "changelog.md",
}
COPIED = "_source"  # where files that are linked stand
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def for_site(text: str) -> str:
    """An SVG without its rule for dark screens: the site's style has its own, which follows the reader's choice of a theme."""
    return text.replace(DARK_RULE, "")


def copy_file(path: Path, goal: Path) -> None:
    """Copy a file into the site, pictures without their rule for dark screens."""
    if path.suffix == ".svg":
        goal.write_text(for_site(path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        shutil.copy(path, goal)


def home_of(target: str) -> str | None:
    """The page of the site that stands for something of the repository; None where there is none."""
    if target in ELSEWHERE:
        return ELSEWHERE[target]
    if found := re.fullmatch(r"fltheory/papers/(\w+)/README\.md", target):
        return f"catalogue/{found[1]}.md"
    if target == "fltheory/papers":
        return "catalogue/index.md"
    if target == "examples" or target.startswith("examples/basics"):
        return "gallery/index.md" if target == "examples" else "tutorial/package.md"
    if found := re.fullmatch(r"examples/(\w+)\.py", target):
        return f"gallery/{found[1]}.md"
    if target == "README.md":
        return "index.md"
    return target.removeprefix("docs/") if target.startswith("docs/") else None


def rewritten(text: str, page: str, folder: Path, at: str) -> str:
    """A page of the repository as one of the site, ``at`` its place there; what it links is copied into the folder."""

    def link(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if target.startswith("#") or re.match(r"\w+:", target):
            return found[0]
        path, _, fragment = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        goal = home_of(wanted)
        if goal is None:
            if (ROOT / wanted).is_dir():
                return words
            goal = wanted if mark else f"{COPIED}/{wanted}"
            (folder / goal).parent.mkdir(parents=True, exist_ok=True)
            copy_file(ROOT / wanted, folder / goal)
        relative = posixpath.relpath(goal, posixpath.dirname(at) or ".")
        return f"{mark}[{words}]({relative}{'#' + fragment if fragment else ''})"

    parts = re.split(r"(^```.*?^```\s*?$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def gather(folder: Path) -> None:
    """Copy the pages, the settings and the style into the folder."""
    pages = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md") if "_build" not in path.parts}
    pages |= {at: ROOT / page for page, at in ELSEWHERE.items()}
    for at, path in pages.items():
        page = path.relative_to(ROOT).as_posix()
        (folder / at).parent.mkdir(parents=True, exist_ok=True)
        (folder / at).write_text(rewritten(path.read_text(encoding="utf-8"), page, folder, at), encoding="utf-8")
    (folder / "pictures").mkdir()
    for path in (DOCS / "pictures").iterdir():
        copy_file(path, folder / "pictures" / path.name)
    shutil.copy(DOCS / "conf.py", folder / "conf.py")
    shutil.copytree(DOCS / "building" / "static", folder / "_static")
