"""The library of proofs by key: installed packages register proofs as entry points, which are imported on demand.

A package with its own proofs has in its ``pyproject.toml``::

    [project.entry-points."fltheory.proofs"]
    mine = "my_package.my_proofs:PROOFS"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint

from fltheory.claims.plugins import registered
from fltheory.proof import language as lang
from fltheory.proof.certificates import recorded_files
from fltheory.proof.check import check_each
from fltheory.proof.language import ALL_PARAMETERS, Outcome, ProofError, Proofs, Theorem
from fltheory.proof.report import Report, supporting_steps
from fltheory.proof.tactics.stored import with_weights_of_package

ENTRY_POINT_GROUP = "fltheory.proofs"
OWN_PACKAGE = "fltheory.papers"  # the package of the papers


def entry_points_by_key() -> Mapping[str, EntryPoint]:
    """Return the registered entry points by key. ProofError if two packages have the same key."""
    found: dict[str, EntryPoint] = {}
    for point in registered(ENTRY_POINT_GROUP):
        if point.name in found and found[point.name].value != point.value:
            raise ProofError(
                f"the proofs {point.name!r} are registered twice: {found[point.name].value}, {point.value}"
            )
        found[point.name] = point
    return found


def keys() -> tuple[str, ...]:
    """Return the keys of the registered proofs, sorted."""
    return tuple(sorted(entry_points_by_key()))


def load(key: str) -> Proofs:
    """Return the proofs registered under a key. ProofError names a registration that leads to none."""
    point = entry_points_by_key().get(key)
    if point is None:
        raise ProofError(f"no proofs are registered as {key!r}; there are {', '.join(keys()) or 'none'}")
    try:
        proofs = point.load()
    except Exception as error:  # code of a plugin: the message names its entry point, whatever the error
        raise ProofError(
            f"the proofs {key!r} ({point.value}) can't be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(proofs, Proofs):
        raise ProofError(f"the proofs {key!r}: {point.value} is of type {type(proofs).__name__}, expected Proofs")
    if proofs.key != key:
        raise ProofError(f"the proofs {key!r}: {point.value} has the key {proofs.key!r}")
    return with_weights_of_package(proofs)


def match_theorems(proofs: Proofs, name: str) -> tuple[Theorem, ...]:
    """Return the theorems that a name means: by id, or by the id of their claim, with or without its reading."""
    theorems = proofs.theorems
    for spelled in (
        [t.id for t in theorems],
        [t.claim for t in theorems],
        [t.claim.split("@")[0] for t in theorems],
        [t.id.split("@")[0] for t in theorems],
    ):
        found = tuple(t for t, own in zip(theorems, spelled, strict=True) if own and own == name)
        if found:
            return found
    return ()


def theorem_names(proofs: Proofs) -> tuple[str, ...]:
    """Return all names that ``match_theorems`` accepts: ids of theorems and of the claims that they prove."""
    return tuple(dict.fromkeys(n for t in proofs.theorems for n in (t.id, t.claim) if n))


def lemma_ids(theorem: Theorem) -> tuple[str, ...]:
    """Return the ids of the theorems that a theorem's steps apply."""
    return tuple(dict.fromkeys(s.rule.theorem for s in theorem.steps if isinstance(s.rule, lang.Apply)))


def with_dependencies(proofs: Proofs, *theorems: Theorem) -> tuple[Theorem, ...]:
    """Return the theorems and all that they depend on, in the paper's order. ProofError for a foreign theorem."""
    wanted, stack = {t.id for t in theorems}, list(theorems)
    by_id = {t.id: t for t in proofs.theorems}
    for theorem in theorems:
        if by_id.get(theorem.id) is not theorem:  # the check would be of another theorem with the same name
            raise ProofError(f"{theorem.id} is not the theorem of this name of the proofs {proofs.key!r}")
    while stack:
        for other in lemma_ids(stack.pop()):
            if other not in wanted and other in by_id:
                wanted.add(other)
                stack.append(by_id[other])
    return tuple(t for t in proofs.theorems if t.id in wanted)


def check_with_dependencies(proofs: Proofs, theorem: Theorem) -> Report:
    """Check one theorem and those on which it depends."""
    return next(r for r in check_each(proofs, with_dependencies(proofs, theorem)) if r.theorem.id == theorem.id)


def recorded_outcome(proofs: Proofs, theorem: Theorem) -> tuple[Outcome, str]:
    """Return the recorded verdict and scope of a theorem, without a check."""
    by_id = {t.id: t for t in proofs.theorems}
    scopes: dict[str, None] = {}
    for step in (s for s in theorem.steps if s.id in supporting_steps(theorem)):
        if isinstance(step.rule, lang.Enumerate):
            scopes[step.rule.scope or "finite"] = None
        elif isinstance(step.rule, lang.Apply) and step.rule.theorem in by_id:
            scopes[recorded_outcome(proofs, by_id[step.rule.theorem])[1]] = None
    return theorem.recorded, "; ".join(s for s in scopes if s != ALL_PARAMETERS) or ALL_PARAMETERS


@cache
def _rocq_record() -> tuple[str, frozenset[str]]:
    """Return the version of Rocq and the ids that it confirmed; a test compares its hashes with the theorems."""
    path = recorded_files() / "rocq.json"
    if not path.is_file():
        return "", frozenset()
    record = json.loads(path.read_text(encoding="utf-8"))
    closed = frozenset(name for name, row in record["theorems"].items() if row["closed"])
    return ".".join(record["rocq"].split(".")[:2]), closed


def external_checker(theorem: Theorem) -> str:
    """Return ``Rocq 8.16`` if it confirmed this theorem of the packaged proofs; else "", also for a namesake."""
    version, closed = _rocq_record()
    if theorem.id not in closed:
        return ""
    point = entry_points_by_key().get(theorem.paper)
    if point is None or not point.value.startswith(f"{OWN_PACKAGE}."):
        return ""
    mine = any(own is theorem for own in load(theorem.paper).theorems)
    return f"Rocq {version}" if mine else ""
