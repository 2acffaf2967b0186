"""The house: imports only point down, rooms and functions stay small, nothing is called after what it is not."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fltheory"
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = ("fltheory", "proofs_checks", "figures", "tests", "benchmarks", "docs")
ALL = [path for tree in TREES for path in sorted((ROOT / tree).rglob("*.py")) if "_build" not in path.parts]
# Floors from the ground up; a room may import the floors below and its own.
FLOORS = (
    ("symbols", "work", "seeds", "kernel"),
    ("number", "rocq"),
    ("model",),
    ("runs",),
    ("games", "problems"),
    ("evidence",),
    ("claims",),
    ("worst_case",),
    ("performance",),
    ("verification",),
    ("proof",),
    ("proving",),
    ("api",),
    ("search", "frameworks"),
    ("plotting",),
    ("reports",),
    ("papers", "testing"),
    ("command",),
)
FLOOR = {name: i for i, floor in enumerate(FLOORS) for name in floor}
LINES_OF_A_FUNCTION, LINES_OF_A_CLASS, FILES_OF_A_ROOM = 60, 150, 12
# Too large as yet, with the lines or files that each has, and why it is one thing: none grows, none joins them.
LARGER = {
    # trying and pressing share what survived, as yet
    "fltheory.search.repair.trials.RepairSearch": 193,
    # a formula's one value, asked in numbers, balls, arrays and letters
    "fltheory.model.bound.Bound": 164,
    # compiled loops over rounds: what a round changes is a dozen arrays, which a function of its own would take all
    "fltheory.papers.delta_sgd.kernels.run.rollout": 62,
    "fltheory.papers.osmd.experts.kernels.switching_games._play_game": 65,
    # families of instances: objective, gradient, noise, constants and what is offered, of the same few numbers
    "fltheory.papers.osmd.instances.bounded_gradients.BoundedClients": 170,
    "fltheory.problems.finite_sum.FiniteSumQuadraticClients": 181,
    "fltheory.problems.logistic.LogisticProblem": 211,
    "fltheory.problems.separable.SeparableClients": 182,
    # a game with all that its constants are sums of
    "fltheory.papers.osmd.instances.games.Schedule": 164,
    "fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity.GradientTable": 155,
    # one case for each word of the proof language
    "fltheory.proof.models.exact_terms.Evaluator": 170,
    # one search, whose attempts share what is known so far
    "proofs_checks.search.solve.Search": 202,
    # a proof as a chain of lines, read from the first to the last
    "fltheory.papers.sfl.upper.proofs.rates.convex_rate": 68,
}


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


class Seen(NamedTuple):
    """What the checks ask of a file: the modules that it imports, also for types alone; sizes; lines of asserts that decide."""

    imported: frozenset[str]
    imported_for_types: frozenset[str]
    sizes: Mapping[str, int]
    asserts: int
    deciding_asserts: tuple[int, ...]


@cache
def seen(path: Path) -> Seen:
    """Read a file once; its tree is not kept, which would take half a gigabyte for all of them."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    skipped = {id(inner) for node in nodes if skips(node) for inner in ast.walk(node)}
    found = [(name, id(node) in skipped) for node in nodes for name in imported_names(path, node)]
    asserts = [node for node in nodes if isinstance(node, ast.Assert)]
    return Seen(
        frozenset(name for name, of_types in found if not of_types),
        frozenset(name for name, _ in found),
        {
            f"{module(path)}.{node.name}": (node.end_lineno or 0) - node.lineno + 1 - lines_of_docstring(node)
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        },
        len(asserts),
        tuple(node.lineno for node in asserts if not _narrows(node.test)),
    )


def skips(node: ast.AST) -> bool:
    """Whether what stands in it is imported for the types alone."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imported_names(path: Path, node: ast.AST) -> Iterator[str]:
    """The modules of an import, at once or in a function; ``from a import b`` counts as a.b if that is a module."""
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{path}: relative import"
        base = node.module or ""
        for alias in node.names:
            deeper = ROOT / Path(*base.split("."), alias.name)
            is_module = deeper.with_suffix(".py").exists() or (deeper / "__init__.py").exists()
            yield f"{base}.{alias.name}" if is_module else base


def imports(path: Path, of_types: bool = False) -> frozenset[str]:
    """Modules that a file imports; those under TYPE_CHECKING only ``of_types``."""
    return seen(path).imported_for_types if of_types else seen(path).imported


def room_of(name: str) -> str:
    """The file or wing right under fltheory."""
    return name.split(".")[1] if "." in name else ""


def climbs(own: str, names: Collection[str]) -> list[str]:
    """What a room imports from above, of the modules that it names."""
    rooms = [name for name in names if name.startswith("fltheory.")]
    return [name for name in rooms if FLOOR[room_of(name)] > FLOOR[own]]


def test_imports_point_down():
    rooms = {path: room_of(module(path)) for path in FILES}
    inside = {path: own for path, own in rooms.items() if own not in ("", "__main__")}
    assert set(inside.values()) <= set(FLOOR), "a room has no floor yet: give it one in this test"
    assert {module(path): found for path, own in inside.items() if (found := climbs(own, imports(path)))} == {}


def test_the_architecture_page_agrees():
    """The table of CONTRIBUTING.md has all packages, in the order of their layers."""
    table = (ROOT / "CONTRIBUTING.md").read_text().split("## Architecture")[1].split("Beside the package")[0]
    packages = re.findall(r"^\| \[`(\w+)(?:\.py|/)`", table, flags=re.MULTILINE)
    assert sorted(packages) == sorted(FLOOR)
    assert [FLOOR[name] for name in packages] == sorted(FLOOR.values())


def test_an_import_from_above_would_be_seen():
    assert climbs("claims", {"fltheory.papers.sfl", "fltheory.model.bound"}) == ["fltheory.papers.sfl"]


def importers(paths: Iterable[Path], *modules: str) -> list[str]:
    """Which of these files import one of these modules, or what stands in one."""
    within = tuple(f"{name}." for name in modules)
    return [module(path) for path in paths if any(f"{name}.".startswith(within) for name in imports(path))]


def test_the_package_never_imports_what_is_built_on_it():
    assert importers(FILES, "tests", "figures", "proofs_checks", "benchmarks") == []


PAPERS = sorted(folder for folder in (PACKAGE / "papers").iterdir() if (folder / "paper.py").exists())


def test_the_kernel_names_no_paper():
    kernel = [path for path in FILES if room_of(module(path)) != "papers"]
    assert importers(kernel, *map(module, PAPERS)) == []


def test_no_paper_imports_another():
    for paper in PAPERS:
        others = [module(other) for other in PAPERS if other != paper]
        assert importers(paper.rglob("*.py"), *others) == []
        assert importers(paper.rglob("*.py"), module(paper)), "a paper imports itself: the check sees something"


def test_only_plotting_knows_matplotlib():
    assert {room_of(name) for name in importers(FILES, "matplotlib")} == {"plotting"}


def test_a_symbol_of_a_paper_stands_in_one_file():
    """Only ``notation.py`` of a paper names the vocabulary."""
    named = [path for paper in PAPERS for path in paper.rglob("*.py") if path != paper / "notation.py"]
    assert [module(path) for path in named if "fltheory.symbols" in imports(path)] == []


def lines_of_docstring(node: ast.FunctionDef | ast.ClassDef) -> int:
    """How many lines the docstring takes beyond its first: a documented function is not a long one."""
    first = node.body[0]
    return 0 if ast.get_docstring(node) is None else (first.end_lineno or 0) - first.lineno


def too_long(path: Path) -> list[str]:
    """The functions and classes of a file that have too many lines: each does two things, or the kernel lacks one."""
    return [f"{name}: {size} lines" for name, size in seen(path).sizes.items() if size > most_lines(name)]


def most_lines(name: str) -> int:
    """How many lines a function or a class, whose name is capital, may have."""
    usual = LINES_OF_A_CLASS if name.rpartition(".")[2].lstrip("_")[:1].isupper() else LINES_OF_A_FUNCTION
    return LARGER.get(name, usual)


def test_functions_and_classes_are_small():
    assert [found for path in ALL for found in too_long(path)] == []


def test_a_long_function_would_be_seen(tmp_path, monkeypatch):
    long = tmp_path / "long.py"
    long.write_text("def f():\n" + "    x = 1\n" * LINES_OF_A_FUNCTION)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert too_long(long) == [f"long.f: {LINES_OF_A_FUNCTION + 1} lines"]


def test_files_are_well_named():
    assert [path for path in ALL if path.stem in ("utils", "helpers", "misc", "common", "util", "helper")] == []


def test_the_formatter_is_never_switched_off():
    assert [path for path in ALL if "# fmt: " + "skip" in path.read_text()] == []


def test_a_room_has_few_files():
    rooms = Counter(path.parent for path in FILES if path.name not in ("__init__.py", "__main__.py"))
    sizes = {str(folder.relative_to(ROOT)): size for folder, size in rooms.items()}
    assert {room: size for room, size in sizes.items() if size > LARGER.get(room, FILES_OF_A_ROOM)} == {}


def test_what_may_be_larger_is():
    """The list of what is too large as yet names nothing that is gone, or that has become smaller."""
    lines = {name: size for path in ALL for name, size in seen(path).sizes.items()}
    files = {name: len(list((ROOT / name).glob("[!_]*.py"))) for name in LARGER if (ROOT / name).is_dir()}
    assert {name: {**lines, **files}.get(name) for name in LARGER} == LARGER


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return files that import each other in a circle, in functions and for types too; none if there is no circle."""
    try:
        graphlib.TopologicalSorter({m: found & graph.keys() - {m} for m, found in graph.items()}).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_files_import_each_other():
    """The package's own face is left out: it hands on names of many files, and its version to some."""
    assert circle({module(f): imports(f, of_types=True) for f in FILES if f != PACKAGE / "__init__.py"}) == []


def test_a_circle_would_be_seen():
    assert circle({"a": {"b", "elsewhere"}, "b": {"c"}, "c": {"a"}}) in (["a", "b", "c", "a"], ["a", "c", "b", "a"])


def test_importing_the_package_is_light():
    code = "import sys, fltheory; print(*sorted({m.split('.')[0] for m in sys.modules} & {'numpy', 'sympy', 'numba'}))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert out.stdout.split() == []


def test_every_public_name_can_be_imported():
    import fltheory

    assert list(fltheory._MODULE_OF) == fltheory.__all__  # one order: a name that one list lacks is seen
    for name in fltheory.__all__:
        assert getattr(fltheory, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fltheory.nothing


def test_asserts_only_narrow_types() -> None:
    """Under ``python -O`` they are gone: none decides a verdict, or what is sound."""
    assert sum(seen(path).asserts for path in FILES)
    deciding = [f"{path.relative_to(ROOT)}:{line}" for path in FILES for line in seen(path).deciding_asserts]
    assert deciding == []
    assert not _narrows(ast.parse("found == expected", mode="eval").body)
    assert not _narrows(ast.parse("not broken", mode="eval").body)


def _narrows(test: ast.expr) -> bool:
    """``x is not None`` or ``isinstance(x, Kind)``."""
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id == "isinstance"
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) and len(test.ops) == 1
