"""The house: imports only point down, files stay small, nothing is called after what it is not."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fltheory"
FILES = sorted(PACKAGE.rglob("*.py"))
PROOFS = sorted((ROOT / "proofs_checks").rglob("*.py"))
# Floors of the kernel from the ground up; a module may import the floors below and its own.
FLOORS = (
    ("symbols", "clock", "signals"),
    ("number", "numeral", "rational"),
    ("bound", "streams", "stream_kernels", "moments", "exponential_sums", "linear_forms", "linear_program", "fairness"),
    ("simplex_qp", "simplex_qp_kernels"),
    ("instance", "answers", "mixed", "elements", "agreement"),
    ("chance",),
    ("algorithm", "neighbours", "worst_case"),
    ("courses", "plain_runs", "decision_losses", "player", "step_rule"),
    ("affine", "kinds", "measure", "sampler", "learner", "betting", "client_optimiser"),
    ("purity", "untouched", "regret", "hindsight", "learners", "replay", "consistency", "set_consistency", "reasons"),
    ("static_regret",),
    ("evidence", "problems", "assumptions", "games"),
    ("origin",),
    ("verdict",),
    ("path_bounds", "paths", "followed_run"),
    ("claim", "strategies"),
    ("direct",),
    ("proof",),
    ("papers",),
    ("falsifier", "adversary", "game_plans", "batch", "point", "sweep", "variant", "lookup", "workers", "journal"),
    ("endings",),
    ("proofs",),
    ("report",),
    ("plot", "picture", "outcome"),
    ("apart",),
    ("cli",),
)
FLOOR = {name: i for i, floor in enumerate(FLOORS) for name in floor}
LAZY = {("claim", "papers"), ("origin", "papers")}  # they look the catalogue up when they are called


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path, when_loaded: bool = False) -> set[str]:
    """Modules that a file imports (``when_loaded``: at once, not in a function), those under TYPE_CHECKING left out.

    ``from a import b`` counts as a.b if that is a module.
    """
    tree = ast.parse(path.read_text())
    found: set[str] = set()
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        or (when_loaded and isinstance(node, ast.FunctionDef))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            base = node.module or ""
            for alias in node.names:
                deeper = ROOT / Path(*base.split("."), alias.name)
                is_module = deeper.with_suffix(".py").exists() or (deeper / "__init__.py").exists()
                found.add(f"{base}.{alias.name}" if is_module else base)
    return found


def floor_of(name: str) -> str:
    """The kernel module or package right under fltheory."""
    return name.split(".")[1] if "." in name else ""


@pytest.mark.parametrize("path", FILES, ids=module)
def test_imports_point_down(path):
    own = floor_of(module(path))
    if own in ("", "__main__"):
        return
    assert own in FLOOR, f"{own} has no floor yet: give it one in this test"
    for name in imports(path):
        if not name.startswith("fltheory"):
            continue
        other = floor_of(name)
        if other == "" or (own, other) in LAZY:
            continue
        assert FLOOR[other] <= FLOOR[own], f"{module(path)} imports {name}, which stands above it"


@pytest.mark.parametrize("path", FILES, ids=module)
def test_the_package_never_imports_what_is_built_on_it(path):
    outside = {name.split(".")[0] for name in imports(path)}
    assert not outside & {"tests", "figures", "proofs_checks", "benchmarks"}


@pytest.mark.parametrize("path", [f for f in FILES if "papers" not in f.parts], ids=module)
def test_the_kernel_names_no_paper(path):
    own = floor_of(module(path))
    if own in ("cli", "plot", "picture", "lookup", "batch", "sweep", "proofs", "report"):  # they stand above the papers
        return
    assert not {n for n in imports(path) if n.startswith("fltheory.papers.")}, module(path)


@pytest.mark.parametrize("path", [f for f in FILES if "papers" in f.parts], ids=module)
def test_no_paper_imports_another(path):
    parts = module(path).split(".")
    if len(parts) < 3:
        return
    for name in imports(path):
        other = name.split(".")
        if other[:2] == ["fltheory", "papers"] and len(other) > 2:
            assert other[2] == parts[2]


@pytest.mark.parametrize("path", FILES, ids=module)
def test_only_the_plots_know_matplotlib(path):
    if floor_of(module(path)) not in ("plot", "picture"):
        assert not {n for n in imports(path) if n.split(".")[0] == "matplotlib"}


@pytest.mark.parametrize("path", [*FILES, *sorted((ROOT / "tests").rglob("*.py")), *PROOFS], ids=module)
def test_files_are_small_and_well_named(path):
    assert len(path.read_text().splitlines()) <= 400, (
        f"{path} is too long: it holds two things, or the kernel lacks one"
    )
    assert path.stem not in ("utils", "helpers", "misc", "common", "util", "helper")


def test_there_is_no_cycle_at_import_time():
    """Every module can be imported first: what modules import when they are loaded forms no circle."""
    graph = {module(f): imports(f, when_loaded=True) for f in FILES}
    order = graphlib.TopologicalSorter({m: {i for i in found if i in graph and i != m} for m, found in graph.items()})
    assert len(tuple(order.static_order())) == len(graph)


def test_importing_the_package_is_light():
    code = "import sys, fltheory; print(*sorted({m.split('.')[0] for m in sys.modules} & {'numpy', 'sympy', 'numba'}))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert out.stdout.split() == []


def test_every_public_name_can_be_imported():
    import fltheory

    for name in fltheory.__all__:
        assert getattr(fltheory, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fltheory.nothing
