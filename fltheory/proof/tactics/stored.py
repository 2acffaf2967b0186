"""Weights that a proof omits: they are found once, stored, and inserted when the theorem is built.

A combination that only names the relations it uses, ``by.linear("a", "b")``, has the weights of
``proofs_checks/weights/<key>.json``; without stored weights each relation counts once. Other packages have a file
``weights.json`` beside their certificates. So loading a paper does not start a search. The kernel checks stored weights like
written ones: a stale file can make a proof fail, but cannot make a false one pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import sympy
from sympy import Expr

from fltheory.proof import certificates
from fltheory.proof import language as lang
from fltheory.proof.language import ProofError, Proofs, Step

_KEY = re.compile(r"\w[\w.-]*")
Weights = Mapping[str, Expr]  # by the names of the relations used
Written = dict[str, dict[str, dict[str, str]]]  # theorem, step, name: the weight as text


def path_of(key: str) -> Path:
    """Return the file of a paper's weights."""
    if not _KEY.fullmatch(key):
        raise ProofError(f"{key!r} is not a valid key of proofs: expected letters, digits, '_', '.' or '-'")
    return certificates.recorded_files() / "weights" / f"{key}.json"


@cache
def read_weights(path: Path) -> Written:
    """Return the stored weights of a paper, empty if there is no file. ProofError names a broken file."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ProofError(f"{path.name} is not a readable file of weights: {error}") from error
    shaped = isinstance(found, dict) and all(isinstance(steps, dict) for steps in found.values())
    if not shaped or not all(isinstance(own, dict) for steps in found.values() for own in steps.values()):
        raise ProofError(f"{path.name}: expected the weights by theorem, step and name")
    return found


def has_no_weights(step: Step) -> bool:
    """Return whether a step is a combination that only names the relations it uses."""
    rule = step.rule
    return isinstance(rule, lang.Combine) and not (rule.weights or rule.axioms or rule.squares)


def with_weights(step: Step, weights: Weights) -> Step:
    """Return the step with weights."""
    return replace(step, rule=lang.Combine(tuple(weights.items())))


def path_for(proofs: Proofs) -> Path:
    """Return the file of the weights of some proofs: the paper's, or the one beside the certificates of a package."""
    own = proofs.certificates == certificates.recorded_files() / "certificates"
    return path_of(proofs.key) if own else proofs.certificates / "weights.json"


def with_weights_of_package(proofs: Proofs) -> Proofs:
    """Return the proofs of a package with its stored weights; theorems of the papers have theirs already."""
    path = path_for(proofs)
    if path == path_of(proofs.key):
        return proofs
    theorems = (replace(t, steps=with_stored_weights(t.id, t.steps, path)) for t in proofs.theorems)
    return replace(proofs, theorems=tuple(theorems))


def stored_steps(theorem_id: str, path: Path) -> tuple[str, ...]:
    """Return the steps of a theorem whose weights are stored in a file."""
    return tuple(read_weights(path).get(theorem_id, {}))


def with_stored_weights(theorem_id: str, steps: Iterable[Step], path: Path | None = None) -> tuple[Step, ...]:
    """Return the steps of a theorem; those without weights get the stored ones, from its paper's file or from ``path``."""
    key = theorem_id.partition("/")[0]
    if path is None and not _KEY.fullmatch(key):
        return tuple(steps)
    path = path_of(key) if path is None else path
    stored = read_weights(path).get(theorem_id, {})
    return tuple(_put(step, stored.get(step.id, {}), f"{path.name}, {theorem_id}") for step in steps)


def _put(step: Step, stored: Mapping[str, str], where: str) -> Step:
    """Return a step with its stored weights; a step that has changed since gets none, and needs a new search."""
    names = (*step.uses, *(f"assumed {i}" for i in range(1, len(step.assuming) + 1)))
    if not stored or not has_no_weights(step) or not set(stored) <= set(names):
        return step
    return with_weights(step, {name: _read(text, f"{where}, step {step.id}") for name, text in stored.items()})


def save_weights(path: Path, found: Mapping[str, Mapping[str, Weights]]) -> None:
    """Write weights by theorem and step into a paper's file; those of other theorems and steps are kept."""
    written = {theorem: dict(steps) for theorem, steps in read_weights(path).items()}
    for theorem, steps in found.items():
        for step, weights in steps.items():
            written.setdefault(theorem, {})[step] = {name: _text(weight) for name, weight in weights.items()}
    certificates.write_json(path, written, indent=0)
    read_weights.cache_clear()


def _text(weight: Expr) -> str:
    weight = sympy.sympify(weight)
    return str(weight) if weight.is_Rational else certificates.serialize(weight)


def _read(text: str, where: str) -> Expr:
    try:
        return certificates.parse(text) if "(" in text else sympy.Rational(Fraction(text))
    except (ProofError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ProofError(f"{where}: {text!r} is not a weight ({error})") from None
