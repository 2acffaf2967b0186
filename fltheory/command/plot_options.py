"""What ``fltheory plot`` was asked for, read and drawn: files, looks, constants, and how far it has come."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fltheory.api.lookup import claim_of, constants, resolve
from fltheory.command import tables
from fltheory.command.output_files import Place, place, require_apart, require_place
from fltheory.command.subprocess_runs import Drawing, pictured
from fltheory.model.errors import Mistake
from fltheory.number.work import DEFAULT_WORK
from fltheory.plotting.picture import Picture
from fltheory.plotting.style import Look

ENDINGS = (".svg", ".png", ".pdf")


def the_one(kinds: Mapping[str, bool]) -> str | None:
    """The kind of picture that was asked for, none for the usual one; Mistake where there are several."""
    asked = [name for name, given in kinds.items() if given]
    if len(asked) > 1:
        raise Mistake(f"{' and '.join(asked)}: expected one kind of picture")
    return asked[0] if asked else None


def files(output: Path | None, table: Path | None, name: str, force: bool = False) -> tuple[Place, Place | None]:
    """Where the picture and its table go; Mistake for an ending or a folder that won't do, or a file that is another's."""
    path = output or Path("".join(c if c.isalnum() or c in "-_." else "_" for c in name) + ".svg")
    if path.suffix.lower() not in ENDINGS:
        raise Mistake(f"-o {path}: expected a file that ends in .svg, .png or .pdf")
    for option, file in (("-o", path), ("--csv", table)):
        if file is not None and not file.parent.is_dir():
            raise Mistake(f"{option} {file}: there is no folder {file.parent}")
    require_apart(o=path, csv=table)
    return require_place(path, force), place(table, force)


def look(style: str, width: str | None) -> Look:
    """The look of that name and width."""
    from fltheory.plotting.plot import look_of

    try:
        return look_of(style, width)
    except ValueError as error:
        raise Mistake(f"--{error}") from None


def of(what: str | None, asked: Drawing, proof: str | None, assignments: Sequence[str]) -> Picture:
    """The picture that was asked for; Mistake where the options say more than one thing, or too little."""
    alone = what in ("--proof", "--overview")
    if alone and (asked.along or assignments or asked.variant or asked.seconds or asked.work != DEFAULT_WORK):
        raise Mistake(
            f"{what} takes no --along, --set, --variant, --work or --seconds: nothing is followed along a constant"
        )
    if not asked.claim_id and not alone:
        raise Mistake("missing ID, or an empty one: expected the id of a claim, or --proof ID, or --overview")
    if what == "--proof" and asked.claim_id:
        raise Mistake(f"--proof {proof} and {asked.claim_id}: expected one id")
    if what == "--proof":
        return of_proof(proof or "")
    if what == "--overview":
        return of_catalogue(asked.claim_id or None)
    return of_claim(replace(asked, kind=(what or "--bound").removeprefix("--")), assignments)


def of_claim(asked: Drawing, assignments: Sequence[str]) -> Picture:
    """The picture of a claim, with a line now and then of how far it has come."""
    claim = claim_of(asked.claim_id)
    values = tuple(constants(assignments, claim.bounds).items())
    along = None if asked.along is None else resolve(asked.along, claim.bounds).name
    with tables.counting("plot", "values") as watch:
        picture = pictured(replace(asked, claim_id=claim.id, along=along, values=values), watch)
    if picture.cut:
        option = f"--work {asked.work}" if picture.cut.endswith("work for more") else f"--seconds {asked.seconds:g}"
        print(f"{option}: {picture.cut}", file=sys.stderr)
    return picture


def of_proof(name: str) -> Picture:
    """The graph of a proof."""
    from fltheory.api import proofs
    from fltheory.plotting.kinds.lineage import proof_picture

    try:
        if not proofs.named(name, proofs.chosen(())):  # Mistake names the nearest ids
            raise Mistake(f"no proof is recorded of {name}")
        return proof_picture(name)
    except ValueError as error:
        raise Mistake(str(error)) from None


def of_catalogue(key: str | None) -> Picture:
    """The map of the claims of a paper, of all papers for no key."""
    from fltheory.claims.catalogue import KEYS
    from fltheory.plotting.kinds.overview import overview_picture

    if key is not None and key not in KEYS:
        raise Mistake(f"--overview {key}: expected a paper's key, {', '.join(KEYS)}")
    return overview_picture(() if key is None else (key,))


def write(picture: Picture, look: Look, goal: Place, table: Place | None) -> None:
    """The picture and its table as files; Mistake where it can't be drawn or written."""
    from fltheory.plotting.plot import draw, encoded, encoded_table

    try:
        figure = draw(picture, look)
    except ValueError as error:
        beyond = "NaN or Inf" in str(error)  # said by matplotlib of axes
        why = "its numbers are beyond all floats; constants of usual size can be drawn" if beyond else error
        raise Mistake(f"it can't be drawn: {why}") from None
    goal.write(encoded(figure, goal.path))
    if table is not None:
        table.write(encoded_table(picture))
