"""Ways of the arrows of a graph: through the gaps between boxes, never behind one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fltheory.plotting.picture import Node

WIDE, HIGH = 0.44, 0.3  # half of a box, in columns and rows
EDGE = 0.6  # columns beyond the middle of the outermost boxes that are on the picture
TRACK = 0.05  # columns between two arrows in one gap, if it is wide enough
Way = list[tuple[float, float]]


def ways(nodes: Sequence[Node]) -> list[Way]:
    """Return the corners of every arrow, from the node that is used to the one that uses it.

    Between two rows an arrow may go anywhere; beside the boxes of a row it goes straight down, and arrows from one node
    share their track.
    """
    at = {node.name: node for node in nodes}
    edges = [(at[name], node) for node in nodes for name in node.uses]
    tracks = {row: _tracks(nodes, edges, row) for row in {node.row for node in nodes}}
    found = []
    for start, end in edges:
        way = [(start.column, start.row + HIGH)]
        for row in range(start.row + 1, end.row):
            x = tracks[row][start.name, end.name]
            way += [(x, row - HIGH), (x, row + HIGH)]
        found.append([*way, (end.column, end.row - HIGH)])
    return found


def _tracks(nodes: Sequence[Node], edges: Sequence[tuple[Node, Node]], row: int) -> dict[tuple[str, str], float]:
    """Return the place of each arrow that passes a row, by the names of its ends."""
    gaps = list(_gaps(nodes, row))
    passing: dict[tuple[float, float], dict[str, list[tuple[str, float]]]] = {}
    for start, end in edges:
        if start.row < row < end.row:
            share = (row - start.row) / (end.row - start.row)
            wanted = start.column + share * (end.column - start.column)
            gap = min(gaps, key=lambda gap: abs(wanted - np.clip(wanted, *gap)))
            passing.setdefault(gap, {}).setdefault(start.name, []).append((end.name, wanted))
    found: dict[tuple[str, str], float] = {}
    for gap, by_source in passing.items():
        means = {name: float(np.mean([wanted for _, wanted in ends])) for name, ends in by_source.items()}
        order = sorted(means, key=lambda name: means[name])
        for name, x in zip(order, _spread(gap, [means[name] for name in order]), strict=True):
            found |= {(name, end): x for end, _ in by_source[name]}
    return found


def _gaps(nodes: Sequence[Node], row: int) -> Iterator[tuple[float, float]]:
    """Yield the ranges of a row without boxes, from the left edge of the picture to the right one."""
    low, high = min(n.column for n in nodes) - EDGE, max(n.column for n in nodes) + EDGE
    own = sorted(n.column for n in nodes if n.row == row)
    ends = [low, *(end for column in own for end in (column - WIDE, column + WIDE)), high]
    yield from zip(ends[::2], ends[1::2], strict=True)


def _spread(gap: tuple[float, float], wanted: Sequence[float]) -> np.ndarray:
    """Return places in a gap, in the order of the wanted ones and near them, and apart."""
    low, high = gap
    apart = min(TRACK, (high - low) / (len(wanted) + 1))
    offsets = apart * (np.arange(len(wanted)) - (len(wanted) - 1) / 2)
    reach = apart * (len(wanted) + 1) / 2
    return np.clip(np.mean(wanted), low + reach, max(high - reach, low + reach)) + offsets
