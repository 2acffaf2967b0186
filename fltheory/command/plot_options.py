"""The options of ``fltheory plot``: files, styles, constants, and progress output."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fltheory.api.lookup import claim_of, parse_assignments, resolve
from fltheory.command import tables
from fltheory.command.output_files import OutputFile, output_file, require_distinct, require_output_file
from fltheory.command.subprocess_runs import PlotTask, run_plot
from fltheory.model.errors import UserError
from fltheory.plotting.picture import Picture
from fltheory.plotting.style import Theme
from fltheory.work import DEFAULT_WORK

CAPTION_HEADER = "% Made by fltheory plot: title and caption"
SUFFIXES = (".svg", ".png", ".pdf")


def selected_kind(kinds: Mapping[str, bool]) -> str | None:
    """Return the requested kind of plot, None for the usual one; UserError if there are several."""
    asked = [name for name, given in kinds.items() if given]
    if len(asked) > 1:
        raise UserError(f"{' and '.join(asked)}: expected one kind of picture")
    return asked[0] if asked else None


def output_files(
    output: Path | None, table: Path | None, name: str, force: bool = False, bare: bool = False
) -> tuple[OutputFile, OutputFile | None, OutputFile | None]:
    """Return the files of the plot, its table and (``bare``) its caption; UserError for an invalid one."""
    path = output or Path("".join(c if c.isalnum() or c in "-_." else "_" for c in name) + ".svg")
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"-o {path}: expected a file that ends in .svg, .png or .pdf")
    for option, file in (("-o", path), ("--csv", table)):
        if file is not None and not file.parent.is_dir():
            raise UserError(f"{option} {file}: there is no folder {file.parent}")
    words = path.with_suffix(".txt") if bare else None
    require_distinct(o=path, csv=table, bare=words)
    return require_output_file(path, force), output_file(table, force), output_file(words, force)


def load_style(style: str, width: str | None) -> Theme:
    """Return the style of that name and width."""
    from fltheory.plotting.plot import theme_of

    try:
        return theme_of(style, width)
    except ValueError as error:
        raise UserError(f"--{error}") from None


def picture_for(what: str | None, asked: PlotTask, proof: str | None, assignments: Sequence[str]) -> Picture:
    """Return the requested plot; UserError for contradictory or missing options."""
    alone = what in ("--proof", "--overview")
    if alone and (asked.along or assignments or asked.variant or asked.seconds or asked.work != DEFAULT_WORK):
        raise UserError(
            f"{what} takes no --along, --set, --variant, --work or --seconds: nothing is followed along a constant"
        )
    if not asked.claim_id and not alone:
        raise UserError("missing ID, or an empty one: expected the id of a claim, or --proof ID, or --overview")
    if what == "--proof" and asked.claim_id:
        raise UserError(f"--proof {proof} and {asked.claim_id}: expected one id")
    if what == "--proof":
        return plot_proof(proof or "")
    if what == "--overview":
        return plot_catalogue(asked.claim_id or None)
    return plot_claim(replace(asked, kind=(what or "--bound").removeprefix("--")), assignments)


def plot_claim(asked: PlotTask, assignments: Sequence[str]) -> Picture:
    """Return the plot of a claim, with progress lines."""
    claim = claim_of(asked.claim_id)
    values = tuple(parse_assignments(assignments, claim.bounds).items())
    along = None if asked.along is None else resolve(asked.along, claim.bounds).name
    with tables.progress_counter("plot", "values") as watch:
        picture = run_plot(replace(asked, claim_id=claim.id, along=along, values=values), watch)
    if picture.cut:
        option = f"--work {asked.work}" if picture.cut.endswith("work for more") else f"--seconds {asked.seconds:g}"
        print(f"{option}: {picture.cut}", file=sys.stderr)
    return picture


def plot_proof(name: str) -> Picture:
    """Return the graph of a proof."""
    from fltheory.api import proofs
    from fltheory.plotting.kinds.lineage import proof_picture

    try:
        if not proofs.find_theorems(name, proofs.selected_proofs(())):  # UserError names the nearest ids
            raise UserError(f"no proof is recorded of {name}")
        return proof_picture(name)
    except ValueError as error:
        raise UserError(str(error)) from None


def plot_catalogue(key: str | None) -> Picture:
    """Return the map of the claims of one paper, or of all papers without a key."""
    from fltheory.claims.catalogue import KEYS
    from fltheory.plotting.kinds.overview import overview_picture

    if key is not None and key not in KEYS:
        raise UserError(f"--overview {key}: expected a paper's key, {', '.join(KEYS)}")
    return overview_picture(() if key is None else (key,))


def write_picture(
    picture: Picture, look: Theme, goal: OutputFile, table: OutputFile | None, words: OutputFile | None = None
) -> None:
    """Write the plot, its table and its caption to files; UserError if it can't be drawn or written.

    With a file for the caption the plot itself has neither title nor caption.
    """
    from fltheory.plotting.plot import draw, encode, encode_table, latex_caption, without_words

    try:
        figure = draw(picture if words is None else without_words(picture), look)
    except ValueError as error:
        beyond = "NaN or Inf" in str(error)  # matplotlib's message about axes
        why = "its numbers are beyond all floats; constants of usual size can be drawn" if beyond else error
        raise UserError(f"it can't be drawn: {why}") from None
    goal.write(encode(figure, goal.path))
    if table is not None:
        table.write(encode_table(picture))
    if words is not None:
        words.write(f"{CAPTION_HEADER}\n{latex_caption(picture)}".encode())
