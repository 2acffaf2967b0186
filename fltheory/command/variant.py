"""A user's variant of an algorithm, loaded from ``FILE.py:NAME`` and guarded: its errors become one line."""

from __future__ import annotations

import ast
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fltheory import frameworks
from fltheory.claims.claim import Claim
from fltheory.evidence.validation.step_kinds import KIND_TEXTS, ROUND_KINDS, format_ids, resolve_kind
from fltheory.games.player import Learner, Player, Sampler
from fltheory.model.dataclass_fields import field_values
from fltheory.model.errors import UserError
from fltheory.number.ownership import is_library
from fltheory.number.signals import BaseSignal
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.method import AssumptionFailed, VariantError, not_exact
from fltheory.runs.states import copy_state, leaves
from fltheory.runs.step_rule import StepRule
from fltheory.search.deadline import DeadlinePassed
from fltheory.verification import find

if TYPE_CHECKING:
    from fltheory.performance import WorstValue

SIGNATURES: dict[type, tuple[str, ...]] = {
    Algorithm: ("x", "oracle", "c"),
    Sampler: ("p", "counts", "feedback", "c"),
    Learner: ("p", "seen", "response", "c"),
    StepRule: ("lr", "ratio", "reach", "c"),
}
Kept = TypeVar("Kept")
Replaceable = Algorithm | Player | StepRule


def with_variant(claim: Claim | str, spec: str) -> Claim:
    """Return the claim with its algorithm replaced by ``FILE.py:NAME``: a step function, or an Algorithm."""
    if isinstance(claim, str):
        claim = find(claim)
    if claim.algorithm is None:
        raise UserError(f"{claim.id} is a statement without an algorithm: there is nothing to replace")
    found, path = load_variant(spec)
    kind: type = type(claim.algorithm)
    if isinstance(found, Replaceable):
        if not isinstance(found, kind):
            raise UserError(f"{spec} is a {type(found).__name__}, but {claim.id} is about a {kind.__name__}")
        try:
            resolve_kind(found, claim.about, claim.id, claim.measure)
        except ValueError as error:
            raise UserError(str(error)) from None
        return replace(claim, algorithm=replace(found, name=spec, **guard_functions(found, path)))
    if not can_replace(found, claim):
        raise UserError(f"{spec} can't be called as step({', '.join(SIGNATURES[kind])}), as {claim.id} needs")
    if declared_kind(found, spec) not in (None, claim.about):
        raise UserError(
            f"{claim.id} is about {KIND_TEXTS[str(claim.about)]}, but {spec} says kind = {declared_kind(found, spec)!r}"
        )
    return replace(claim, algorithm=claim.algorithm._replace(step=guard_step(found, path, _stateful(found)), name=spec))


def load_algorithm(spec: str) -> Algorithm:
    """Load ``FILE.py:NAME`` as an algorithm of rounds, without a theorem."""
    found, path = load_variant(spec)
    if isinstance(found, Algorithm):
        return replace(found, name=spec, **guard_functions(found, path))
    if isinstance(found, Replaceable):
        raise UserError(f"{spec} is a {type(found).__name__}, expected a step(x, oracle, c) or an Algorithm")
    return Algorithm(spec, guard_step(found, path, _stateful(found)))


def algorithm_named(name: str) -> Algorithm:
    """Return the algorithm of a claim by its id, or that of ``FILE.py:NAME``; UserError if it is none of rounds."""
    if ".py:" in name or frameworks.is_framework_spec(name):
        return load_algorithm(name)
    from fltheory.api.lookup import claim_of

    found = claim_of(name).algorithm
    if not isinstance(found, Algorithm):
        raise UserError(
            f"{name} is about {'no algorithm' if found is None else f'a {type(found).__name__}'}, expected an algorithm of rounds"
        )
    return found


def can_replace(found: Replaceable | Callable[..., Any], claim: Claim) -> bool:
    """Return whether the loaded object can replace the claim's algorithm."""
    kind: type = type(claim.algorithm)
    if isinstance(found, Replaceable) or kind not in SIGNATURES:
        return isinstance(found, kind) and kind in SIGNATURES
    try:
        inspect.signature(found).bind(*(None for _ in SIGNATURES[kind]))
    except TypeError:
        return False
    except ValueError:  # a callable without a readable signature: a call will show
        pass
    return True


def usable_claims(claims: tuple[Claim, ...], spec: str) -> tuple[Claim, ...]:
    """Return the claims about steps of the kind of ``FILE.py:NAME``; UserError if there are none.

    The argument names of a function give its kind; for (x, oracle, c) its attribute ``kind`` may. Otherwise it has the
    kind of the first claim whose step has the same arguments.
    """
    found = load_variant(spec)[0]
    able = tuple(c for c in claims if c.algorithm is not None)
    if not able:
        raise UserError("--variant: none of the selected claims has an algorithm to replace")
    fitting = tuple(c for c in able if can_replace(found, c))
    named = tuple(c for c in fitting if SIGNATURES[type(c.algorithm)] == _arguments(found)) or fitting
    kind = declared_kind(found, spec) or (named[0].about if named else None)
    return tuple(c for c in named if c.about == kind) or (with_variant(able[0], spec),)  # the last one has the reason


def unusable_message(claims: tuple[Claim, ...], chosen: tuple[Claim, ...]) -> str:
    """Return one line that says which claims are not about the step, and why."""
    without, kept = [c for c in claims if c.algorithm is None], {c.id for c in chosen}
    others = [c.id for c in claims if c.algorithm is not None and c.id not in kept]
    parts = [f"{len(without)} statements without an algorithm"] if without else []
    if others:
        words = KIND_TEXTS[str(chosen[0].about)]
        parts.append(f"{len(others)} claims that are not about {words} ({format_ids(others)})")
    more = "; step.kind = '...' says another kind" if others and chosen[0].about in ROUND_KINDS else ""
    return f"--variant: left out {' and '.join(parts)}{more}"


def declared_kind(found: object, spec: str) -> str | None:
    """Return the kind that an Algorithm or a function declares; UserError for an unknown one."""
    kind = (
        found.kind if isinstance(found, Replaceable) else vars(found).get("kind") if inspect.isfunction(found) else None
    )
    if kind is not None and kind not in KIND_TEXTS:
        raise UserError(f"{spec} says kind = {kind!r}, expected one of {', '.join(ROUND_KINDS)}")
    return kind


def _arguments(found: Replaceable | Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's arguments."""
    try:
        return () if isinstance(found, Replaceable) else tuple(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        return ()


def load_variant(spec: str) -> tuple[Replaceable | Callable[..., Any], Path]:
    """Load ``FILE.py:NAME`` or ``flower:MODULE:NAME``, with its file; UserError says what is wrong with it."""
    if frameworks.is_framework_spec(spec):
        return frameworks.load_named(spec)
    file, colon, name = spec.rpartition(":")
    if not colon or not file or not name.isidentifier():
        raise UserError(f"--variant {spec!r}: expected FILE.py:NAME, such as mine.py:step")
    path = Path(file)
    module = _execute(path)
    if name not in vars(module):
        there = [n for n, v in vars(module).items() if _is_variant(v, path) and not n.startswith("_")]
        raise UserError(
            f"{file} has no {name!r}; {'it has ' + ', '.join(there) if there else 'it defines no function'}"
        )
    found = vars(module)[name]
    if isinstance(found, Claim) and found.algorithm is not None:  # as in the examples: its algorithm
        found = found.algorithm
    if isinstance(found, Replaceable):
        return found, path
    if not callable(found) or isinstance(found, type):
        raise UserError(
            f"{name} in {file} is of type {type(found).__name__}, expected a function step(x, oracle, c) or an Algorithm, "
            "for samplers step(p, counts, feedback, c) or a Sampler, for learners step(p, seen, response, c) or a Learner, "
            "for step sizes step(lr, ratio, reach, c) or a StepRule"
        )
    return found, path


def asks_for_worst_cases(spec: str) -> bool:
    """Return whether ``FILE.py`` or ``FILE.py:NAME`` is a file that imports ``fltheory.performance``, as far as it can be read."""
    path = Path(spec.partition(".py:")[0] + ".py" if ".py:" in spec else spec)
    try:
        found = ast.walk(ast.parse(path.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    imported = [n for n in found if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {name for n in imported for name in [getattr(n, "module", None), *(a.name for a in n.names)]}
    return any(name == "fltheory.performance" for name in names)


def _named_values(values: Mapping[str, object], kind: type[Kept]) -> Iterator[tuple[str, Kept]]:
    """Return the values of a type by name, also those in lists and dictionaries: ``rates[0]``, ``rates['slow']``."""
    for name, value in values.items():
        if isinstance(value, kind):
            yield name, value
        elif isinstance(value, list | tuple | dict):
            inside = value.items() if isinstance(value, dict) else enumerate(value)
            yield from ((f"{name}[{key!r}]", one) for key, one in inside if isinstance(one, kind))


def load_worst_values(spec: str) -> dict[str, WorstValue]:
    """Run ``FILE.py`` or ``FILE.py:NAME`` and return its results of ``Problem.worst`` by name; UserError if it has none."""
    from fltheory.performance import WorstValue

    file, _, name = spec.partition(".py:")
    path = Path(file + ".py" if name else file)
    found = dict(_named_values(vars(_execute(path)), WorstValue))
    if name and name not in found:
        raise UserError(f"{path} has no worst case {name!r}; it has {', '.join(found) or 'none'}")
    if not found:
        raise UserError(f"{path} has no worst case: expected a line such as worst = problem.worst(f(x) - f(best))")
    return {name: found[name]} if name else found


def _is_variant(value: object, path: Path) -> bool:
    if isinstance(value, Replaceable):
        return True
    return inspect.isfunction(value) and value.__code__.co_filename == str(path)


def _execute(path: Path) -> ModuleType:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UserError(f"can't read {path}: {error.strerror}") from None
    module = ModuleType(f"variant_{path.stem}")
    module.__file__ = str(path)
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else str(path)
        raise UserError(f"{where}: {error.msg}") from None
    except ValueError as error:  # null bytes
        raise UserError(f"{path} is no Python file: {error}") from None
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as for a script: modules next to it can be imported
    try:
        exec(code, vars(module))
    except (Exception, SystemExit) as error:
        raise UserError(f"{error_location(error, path)}: {describe(error)}") from None
    return module


def error_location(error: BaseException, path: Path) -> str:
    """Return ``file:line`` of the innermost frame in the user's file."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{path}:{lines[-1]}" if lines else str(path)


def describe(error: BaseException) -> str:
    """Return an exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def guard_functions(found: Replaceable, path: Path) -> dict[str, Any]:
    """Return the user's functions of a method, guarded, by field."""
    own = {
        name: part for name, part in field_values(found).items() if inspect.isfunction(part) and not is_library(part)
    }
    return {name: guard_step(part, path) for name, part in own.items()}


def _stateful(step: Callable[..., Any]) -> str:
    """Return a hint for the error of a plain step with an ``init`` next to it: its state may not be points."""
    beside = step.__globals__.get("init") if inspect.isfunction(step) else None
    if not inspect.isfunction(beside):
        return ""
    return "; a state that init makes needs an Algorithm(NAME, step, init=init): name that one, not the step alone"


def guard_step(step: Callable[..., Any], path: Path, hint: str = "") -> Callable[..., Any]:
    """Run the step on copies of its arrays; its errors become VariantErrors with file, line and hint.

    A lack of memory is no error of the step: it is independent of the claim and may be temporary.
    On exact elements an error only means that the step can't run on them (``np.sort``, ``math.sqrt``):
    the exact engines are then skipped, and the run in floats shows whether the step is broken.
    """

    def guarded(state: object, *others: object) -> Any:
        try:
            return step(copy_state(state), *(v.copy() if isinstance(v, np.ndarray) else v for v in others))
        except AssumptionFailed:
            raise
        except VariantError as error:
            raise VariantError(f"{error_location(error, path)}: {error}") from error
        except (BaseSignal, DeadlinePassed, MemoryError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if any(isinstance(leaf, np.ndarray) and leaf.dtype == object for leaf in leaves(state)):
                raise not_exact(error, str(path)) from error
            raise VariantError(f"{error_location(error, path)}: {describe(error)}{hint}") from error

    vars(guarded)["__wrapped__"] = step  # the wrapped function, see ``ownership.unwrap_function``
    return guarded
