"""Pages that are written from the code: commands, functions and classes, constants, measures, instances, rules of proofs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from docs.building import screens
from fltheory import symbols
from fltheory.command.cli import app
from fltheory.model.case import Assumption
from fltheory.proof import by
from fltheory.proof import classes as hypotheses
from fltheory.proof.algebra.axioms import Axiom
from fltheory.runs import assumptions

# The public names by what they are for, then what else a user writes, by module.
PUBLIC = {
    "Asking the catalogue": ("catalogue", "find", "show"),
    "Verdicts": ("verify", "falsify", "worst", "sweep", "Verdict"),
    "Finding proofs": ("prove",),
    "Stating theorems": ("theorem", "quantity", "declare", "Claim", "Bound", "Case", "Assumption"),
    "Algorithms": ("Algorithm", "Sampler", "Learner", "StepRule"),
    "Pictures": ("plot",),
}
BESIDE = {
    "fltheory.api.lookup": ("select",),
    "fltheory.api.bounds": ("bounds_at",),
    "fltheory.api.compare": ("compare",),
    "fltheory.api.proofs": ("proofs",),
    "fltheory.claims.check": ("check_claim",),
    "fltheory.evidence.measured": ("Measured",),
    "fltheory.model.bound": ("Source",),
    "fltheory.reports": ("report",),
    "fltheory.runs.algorithm": ("rollout",),
    "fltheory.search.tightness.tightness": ("tightness",),
    "fltheory.search.repair.repair": ("repair",),
    "fltheory.worst_case.set_functions": ("worst_ratio",),
    "fltheory.testing": ("assert_holds", "assert_refuted", "assert_matches", "cases"),
    "fltheory.problems": ("from_data", "quadratic_game"),
    "fltheory.runs.oracle": ("Oracle",),
    "fltheory.worst_case.two_sided": ("worst_case", "why_not_proved"),
    "fltheory.worst_case.one_round": ("descent", "recursion"),
}
SAID = {
    "quantity": "The symbol for the measured quantity in a statement: ``quantity <= L * D**2 / (2 * R)``."
}  # of what has no docstring
MEASURES = ("fltheory.runs.measures", "fltheory.worst_case.measures")
PROBLEMS = "fltheory.problems"
CLASSES = "fltheory.worst_case.functions"


def first(obj: object) -> str:
    """The first sentence of a docstring, for a row of a table."""
    return (inspect.getdoc(obj) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|").replace("*", "\\*")


# Commands -------------------------------------------------------------------------------------------------------------


def commands() -> dict[str, TyperCommand]:
    """The commands by name."""
    return dict(sorted(typer.main.get_group(app).commands.items()))


def names_of(parameter: TyperOption | TyperArgument) -> tuple[str, ...]:
    """How an option is written; of an argument nothing."""
    return (*parameter.opts, *parameter.secondary_opts) if isinstance(parameter, TyperOption) else ()


def _told(parameter: TyperOption | TyperArgument, command: TyperCommand) -> str:
    value = parameter.make_metavar(typer.Context(command))
    if not isinstance(parameter, TyperOption):
        return f"`{value}`"
    return f"`{', '.join(names_of(parameter))}{'' if parameter.is_flag else f' {value}'}`"


def _default(parameter: TyperOption | TyperArgument) -> str:
    given = parameter.default
    if given is None or given is False or callable(given) or not isinstance(parameter, TyperOption):
        return ""
    return f" Default: {getattr(given, 'value', given)}."


def section_of(name: str, command: TyperCommand) -> Iterator[str]:
    """What the page says of one command."""
    yield f"## `fltheory {name}`\n"
    yield f"{inspect.cleandoc(command.help or '')}\n".replace("*", "\\*")
    yield f"```text\n{screens.stored(name).rstrip()}\n```\n"
    yield "| option or argument | what it does |\n|---|---|"
    for parameter in command.params:
        words = (parameter.help or "").replace("|", "\\|").replace("*", "\\*")
        yield f"| {_told(parameter, command)} | {words}{_default(parameter)} |".replace("\n", " ")
    yield ""


def cli() -> Iterator[str]:
    """The page of the commands: what ``--help`` says, all of it."""
    yield "# Commands\n"
    yield "This page is generated from the program; `fltheory COMMAND --help` prints the same text. The pictures have 80 columns.\n"
    for name, command in commands().items():
        yield from section_of(name, command)


# Names ----------------------------------------------------------------------------------------------------------------


def _documented(module: str, name: str) -> str:
    obj = getattr(importlib.import_module(module), name)
    if inspect.isclass(obj):
        return f".. autoclass:: {module}.{name}\n   :members:\n"
    if inspect.isfunction(obj):
        return f".. autofunction:: {module}.{name}\n"
    return f".. data:: {module}.{name}\n\n   {SAID[name]}\n"


def api() -> Iterator[str]:
    """The page of the public names."""
    yield "# Functions and classes\n"
    yield "The exports of `fltheory` and of the modules that users import. The docstrings give shapes, units and errors.\n"
    groups = [(title, [("fltheory", name) for name in names]) for title, names in PUBLIC.items()]
    groups += [(f"`{module}`", [(module, name) for name in names]) for module, names in BESIDE.items()]
    for title, names in groups:
        yield f"## {title}\n\n```{{eval-rst}}"
        yield from (_documented(module, name) for module, name in names)
        yield "```\n"


# Words ----------------------------------------------------------------------------------------------------------------


def modules(package: str) -> Iterable[str]:
    """A package and its modules."""
    found = importlib.import_module(package)
    inner = (m.name for m in pkgutil.walk_packages(found.__path__, f"{package}.")) if hasattr(found, "__path__") else ()
    return (package, *inner)


def classes(*packages: str) -> Iterator[tuple[str, type]]:
    """The public classes that the modules of packages define, with the modules."""
    for package in packages:
        for name in modules(package):
            for _, obj in sorted(vars(importlib.import_module(name)).items()):
                if inspect.isclass(obj) and obj.__module__ == name and not obj.__name__.startswith("_") and first(obj):
                    yield name, obj


def _table(rows: Iterable[tuple[str, str, str]], head: str) -> Iterator[str]:
    yield f"| {head} |\n|---|---|---|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def words() -> Iterator[str]:
    """The page of the vocabulary."""
    yield "# Constants, assumptions, measures, instances\n\n## Constants\n"
    yield "Cases, bounds and `c` use these names. A dimension has a power of the objective's unit E and one of the length l.\n"
    known = list(symbols.VOCABULARY.values())
    units = [" ".join(f"{u}^{p}" for u, p in zip("El", m.dimension, strict=True) if p) for m in known]
    yield from _table(
        (
            (f"`{m.symbol.name}`", m.text, f"{m.domain}{', ' if u else ''}{u}")
            for m, u in zip(known, units, strict=True)
        ),
        "name | what it is | domain, dimension",
    )
    yield "## Assumptions\n\nAssumptions of theorems on clients (`fltheory.runs.assumptions`). Each is checked on every case.\n"
    yield "| name | supposes |\n|---|---|"
    yield from (f"| `{n}` | {a.name} |" for n, a in vars(assumptions).items() if isinstance(a, Assumption))
    yield ""
    for title, packages in (("Measures", MEASURES), ("Instances", (PROBLEMS,)), ("Classes of functions", (CLASSES,))):
        yield f"## {title}\n"
        rows = ((f"`{obj.__name__}`", first(obj), f"`{module}`") for module, obj in classes(*packages))
        yield from _table(rows, "name | what it is | module")


def rules() -> Iterator[str]:
    """The page of the rules and axioms of proofs."""
    yield "# Rules of proofs\n\nEach line of a proof follows by one of these rules. [Proofs](proofs.md) names the trusted code.\n"
    public = [
        f for n, f in sorted(vars(by).items()) if inspect.isfunction(f) and f.__module__ == by.__name__ and n[0] != "_"
    ]
    yield "| rule | what follows |\n|---|---|"
    yield from (f"| `by.{f.__name__}` | {first(f)} |" for f in public)
    yield "\n## Axioms\n\nThe inequalities of a class of functions, `Axiom(kind, F, u, v)`:\n"
    yield f"```text\n{inspect.getdoc(Axiom)}\n```\n"
    yield "## Operators and proximal maps\n\nHypotheses by name, see [the guide](../how-to/operator_proofs.md):\n"
    yield "| name | hypothesis |\n|---|---|"
    yield from (f"| `{name}` | {first(vars(hypotheses)[name])} |" for name in hypotheses.__all__)
    yield ""


def write(folder: Path) -> None:
    """The pages, beside those of the reference that are written by hand."""
    (folder / "reference").mkdir(exist_ok=True)
    for name, page in (("cli", cli), ("api", api), ("words", words), ("rules", rules)):
        (folder / "reference" / f"{name}.md").write_text("\n".join(page()), encoding="utf-8")
