"""A proof as a graph: all its lines, the lines that they use, and their outcomes."""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fltheory.plotting.picture import COLUMN, PAGE, AnyPanel, GraphPanel, Node, Picture
from fltheory.proof import language as lang
from fltheory.proof import library
from fltheory.proof.language import Proofs, Theorem
from fltheory.proof.report import Report, StepReport

MAX_NODE_NAME = 16  # characters of a line of a name in a box
BOX_COLUMN, BOX_ROW, BOX_LINE = 1.3, 0.68, 0.14  # inches: a column, a row with three lines of text, and a further line
HIGHEST = 8.2  # inches of a graph on a page, which also has a title, a caption and a legend
RULES = {
    "Combine": "sum",
    "Summed": "summed up",
    "Expected": "expectation",
    "Instance": "special case",
    "Apply": "lemma",
    "Cases": "cases",
    "Induction": "induction",
    "Power": "power",
    "Polynomial": "polynomial",
    "Ball": "ball arithmetic",
    "Enumerate": "all cases",
    "Known": "known inequality",
    "Assumed": "assumed",
    "Witness": "counterexample",
    "Violated": "stored case",
}


def theorem_of(name: str) -> tuple[Proofs, Theorem]:
    """Return the theorem of an id, or the first one on a claim; ValueError if no proof is recorded."""
    for key in sorted(library.keys(), key=lambda key: key != name.partition("/")[0]):
        proofs = library.load(key)
        found = library.match_theorems(proofs, name)
        if found:
            return proofs, found[0]
    raise ValueError(f"no proof is recorded of {name}; fltheory proofs names those there are")


def proof_picture(name: str) -> Picture:
    """Return the graph of a proof, which is checked now with all theorems that it uses."""
    proofs, theorem = theorem_of(name)
    return report_picture(library.check_with_dependencies(proofs, theorem), proofs)


def report_picture(report: Report, proofs: Proofs | None = None) -> Picture:
    """Return the graph of a checked proof: theorems that it uses on top, the statement at the bottom."""
    nodes = place_nodes(_nodes(report, proofs))
    columns = 1 + max(node.column for node in nodes)
    steps = len(report.steps)
    theorem = report.theorem
    scope = f", {report.scope}" if report.scope else ""
    title = f"{theorem.id}: {report.verdict}{scope}, {steps} {'step' if steps == 1 else 'steps'}"
    caption = (
        f"{theorem.place or theorem.id}. Boxes: theorems it rests on, then its own lines; arrows from what is used."
    )
    told = "; ".join(
        f"{n.name} ({' '.join(n.rule.split())}; {n.verdict}) from {' '.join(n.uses) or '-'}" for n in nodes
    )
    return Picture(
        title,
        (GraphPanel("", nodes),),
        width=min(max(COLUMN, BOX_COLUMN * columns), 2 * PAGE),
        row_height=_height(nodes),
        caption=caption,
        legend_columns=3,
        description=f"{title}. {told}.",
    )


def _height(nodes: Sequence[Node]) -> float:
    """Return the height of a graph in inches, with room for the longest text of a box in every row."""
    lines = max(len(f"{n.short or n.name}\n{n.rule}".splitlines()) for n in nodes)
    return (BOX_ROW + BOX_LINE * max(lines - 3, 0)) * (1 + max(n.row for n in nodes))


def fitted_graph(picture: Picture, width: float, scale: float, whole: bool = False) -> Picture:
    """Return the graph with rows folded so that every box has room for its text at this width, in inches, and scale.

    Unless ``whole``, boxes that are too many for a page are left out, the farthest from the statement first; the caption
    says so.
    """
    most = max(int(width / (BOX_COLUMN * scale)), 1)
    panels, left = list[AnyPanel](), 0
    for panel in picture.panels:
        if isinstance(panel, GraphPanel):
            nodes = place_nodes(panel.nodes, most) if whole else _on_a_page(panel.nodes, most, HIGHEST / scale)
            left += len(panel.nodes) - len(nodes)
            panels.append(replace(panel, nodes=nodes))
        else:
            panels.append(panel)
    height = max((_height(p.nodes) for p in panels if isinstance(p, GraphPanel)), default=picture.row_height)
    said = f"{picture.caption} {_left_out(left)}" if left else picture.caption
    return replace(picture, panels=tuple(panels), row_height=height * scale, caption=said.strip())


def _left_out(number: int) -> str:
    boxes = f"{number} box that is" if number == 1 else f"{number} boxes that are"
    return f"Not drawn, for want of room: the {boxes} farthest from the statement. On paper without a given width all are drawn."


def _on_a_page(nodes: Sequence[Node], most: int, highest: float) -> tuple[Node, ...]:
    """Return as many nodes, from the last one upwards, as rows of ``most`` have room for within a height in inches."""
    by_name = {node.name: node for node in nodes}
    order = [nodes[-1].name]
    for name in order:  # it grows: the nearest nodes first
        order += [used for used in by_name[name].uses if used not in order]
    order += [node.name for node in reversed(nodes) if node.name not in order]
    for number in range(len(order), 0, -1):
        kept = set(order[:number])
        placed = place_nodes([_without(n, kept) for n in nodes if n.name in kept], most)
        if _height(placed) <= highest:
            break
    return placed


def _without(node: Node, kept: set[str]) -> Node:
    """Return a node without the arrows from nodes that are not drawn, whose number its text says."""
    uses = tuple(name for name in node.uses if name in kept)
    lost = len(node.uses) - len(uses)
    return replace(node, uses=uses, rule=f"{node.rule}\n{lost} not drawn") if lost else node


def _nodes(report: Report, proofs: Proofs | None) -> tuple[Node, ...]:
    """Return the theorems that the proof uses, each after those that it applies, then its own lines."""
    below = () if proofs is None else library.with_dependencies(proofs, report.theorem)
    lemmas = [t for t in below if t.id != report.theorem.id]
    names = {t.id for t in lemmas} | {r.step.id for r in report.steps}
    nodes = [Node(t.id, "theorem", t.recorded, tuple(n for n in library.lemma_ids(t) if n in names)) for t in lemmas]
    hypotheses = {entry.id for entry in report.theorem.hypotheses}
    return (*_topological_order(nodes), *(_step_node(r, names, hypotheses) for r in report.steps))


def _topological_order(nodes: Sequence[Node]) -> Iterator[Node]:
    """Return the nodes, each after those that it uses."""
    by_name = {node.name: node for node in nodes}
    graph = {node.name: set(node.uses) & set(by_name) for node in nodes}
    for name in graphlib.TopologicalSorter(graph).static_order():
        yield by_name[name]


def _step_node(found: StepReport, known: set[str], hypotheses: set[str]) -> Node:
    step = found.step
    lemma = (step.rule.theorem,) if isinstance(step.rule, lang.Apply) else ()
    rests_on = tuple(dict.fromkeys((*lemma, *step.uses, *step.by)))
    kind = type(step.rule).__name__
    given = len([name for name in rests_on if name in hypotheses])
    words = RULES.get(kind, kind.lower())
    words += f"\n{given} {'hypothesis' if given == 1 else 'hypotheses'}" if given else ""
    return Node(step.id, words, found.outcome, tuple(name for name in rests_on if name in known))


def place_nodes(nodes: Sequence[Node], most: int | None = None) -> tuple[Node, ...]:
    """Return the nodes in rows of at most ``most``: each below all that it uses, in the order of the ones above."""
    row: dict[str, int] = {}
    for node in nodes:  # a line uses only earlier ones
        row[node.name] = 1 + max((row[name] for name in node.uses), default=-1)
    users: dict[str, list[str]] = {}
    for node in nodes:
        for name in node.uses:
            users.setdefault(name, []).append(node.name)
    for node in nodes:  # a node that uses nothing is placed just above its first use
        if not node.uses and node.name in users:
            row[node.name] = min(row[user] for user in users[node.name]) - 1
    if most is not None:
        row = _folded(nodes, row, most)
    place = _columns(nodes, row)
    return tuple(Node(n.name, n.rule, n.verdict, n.uses, row[n.name], place[n.name], _short(n.name)) for n in nodes)


def _folded(nodes: Sequence[Node], row: Mapping[str, int], most: int) -> dict[str, int]:
    """Return the rows with those of more nodes cut into several."""
    place, found, last = _columns(nodes, row), dict[str, int](), 0
    for r in range(1 + max(row.values())):
        own = sorted((n.name for n in nodes if row[n.name] == r), key=lambda name: place[name])
        found |= {name: last + i // most for i, name in enumerate(own)}
        last += -(-len(own) // most)
    return found


def _short(name: str) -> str:
    """Return a whole name in lines, broken after a hyphen, a slash or a blank if it is long."""
    if name.isdigit():
        return f"line {name}"
    lines = [""]
    for part in re.findall(r"[^-/. ]+[-/. ]?|[-/. ]", name):
        if lines[-1] and len((lines[-1] + part).rstrip()) > MAX_NODE_NAME:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def _columns(nodes: Sequence[Node], row: Mapping[str, int]) -> dict[str, float]:
    """Return the positions of nodes in their rows, by the mean of their neighbours; rows are centred."""
    rows = [[n for n in nodes if row[n.name] == r] for r in range(1 + max(row.values()))]
    widest = max(map(len, rows))
    place = {n.name: i + (widest - len(own)) / 2 for own in rows for i, n in enumerate(own)}
    above = {n.name: n.uses for n in nodes}
    below = {n.name: tuple(m.name for m in nodes if n.name in m.uses) for n in nodes}
    for near, order in ((above, rows), (below, rows[::-1]), (above, rows)):
        for own in order:
            wish = {n.name: _mean([place[m] for m in near[n.name]], place[n.name]) for n in own}
            for i, n in enumerate(sorted(own, key=lambda n: wish[n.name])):
                place[n.name] = i + (widest - len(own)) / 2
    return place


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
