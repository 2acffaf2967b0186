"""The graph of a proof as a row of points and arcs: hypotheses, then lines, an arc from each used line to its use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

POINT_DISTANCE, POINT_RADIUS, MAX_ARC_HEIGHT = 16, 4, 72  # between two points; of a point; of an arc


def arc_diagram(
    hypotheses: Sequence[str], lines: Sequence[tuple[str, Sequence[str], str]], link: Mapping[str, str]
) -> str:
    """Return SVG of a proof: ``lines`` are name, used names, recorded verdict; ``link`` maps a name to its target.

    It is a group and no image: an image may hold no links.
    """
    names = [*hypotheses, *(name for name, _, _ in lines)]
    place = {name: POINT_DISTANCE * (n + 1) for n, name in enumerate(names)}
    edges = [(place[used], place[name]) for name, uses, _ in lines for used in uses if used in place]
    top = max((_height(a, b) for a, b in edges), default=0) + POINT_RADIUS + 2
    wide, high = POINT_DISTANCE * (len(names) + 1), top + 2 * POINT_RADIUS + 2
    said = f"{len(lines)} lines, {len(hypotheses)} hypotheses; an arc leads from what is used to the line that uses it"
    drawn = "".join((*_edges(edges, top), *_points(hypotheses, lines, place, top, link)))
    return f'<svg class="arcs" role="group" aria-label="{said}" width="{wide}" height="{high}">{drawn}</svg>'


def _height(a: int, b: int) -> int:
    return min((b - a) // 2, MAX_ARC_HEIGHT)


def _edges(edges: Sequence[tuple[int, int]], y: int) -> Iterator[str]:
    for a, b in edges:
        yield f'<path d="M{a} {y}A{(b - a) // 2} {_height(a, b)} 0 0 1 {b} {y}"/>'


def _points(
    hypotheses: Sequence[str],
    lines: Sequence[tuple[str, Sequence[str], str]],
    place: Mapping[str, int],
    y: int,
    link: Mapping[str, str],
) -> Iterator[str]:
    for name in hypotheses:
        x, side = place[name] - POINT_RADIUS, 2 * POINT_RADIUS
        yield f'<rect x="{x}" y="{y - POINT_RADIUS}" width="{side}" height="{side}"><title>{escape(name)}</title></rect>'
    for name, _, recorded in lines:
        circle = f'<circle class="{recorded}" cx="{place[name]}" cy="{y}" r="{POINT_RADIUS}"><title>{escape(name)}</title></circle>'
        yield (
            f'<a href="#{escape(link[name])}" aria-label="line {escape(name)}">{circle}</a>' if name in link else circle
        )
