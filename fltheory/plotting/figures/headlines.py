"""Headlines: a figure has a short title; its finding with the numbers begins the caption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from fltheory.plotting.figures.wrapping import CAPTION, fill
from fltheory.plotting.picture import PAGE, Picture


def headline(title: str) -> Callable[[Callable[[], Picture]], Callable[[], Picture]]:
    """Return a decorator that gives a figure this title and moves its finding into the caption."""

    def decorate(make: Callable[[], Picture]) -> Callable[[], Picture]:
        @wraps(make)
        def made() -> Picture:
            return with_headline(make(), title)

        return made

    return decorate


def with_headline(picture: Picture, title: str) -> Picture:
    """Return the picture with this title; what its title said becomes the first sentence of the caption."""
    letters = int(CAPTION * picture.width / PAGE)
    finding = fill(f"{picture.title}.", letters) if picture.title else ""
    return replace(picture, title=title, caption="\n".join(part for part in (finding, picture.caption) if part))
