"""Papers from outside: their claims join the catalogue under keys of their own.

An installed package registers a module with ``CLAIMS``::

    [project.entry-points."fltheory.papers"]
    basics = "basics.claims"

The environment variable ``FLTHEORY_PAPERS`` names files and modules, separated as in ``PATH``; commands add what they are
given. What can't be loaded is left out, and a warning says why: a broken package must not take the others along.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import ModuleType, NoneType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

ENTRY_POINT_GROUP, PAPERS_VARIABLE = "fltheory.papers", "FLTHEORY_PAPERS"
BUILTIN_KEYS = ("sfl", "osmd", "fedcg", "aaggff", "delta_sgd")  # keys that nobody else may take
KEY_CONFLICT_HINT = "give the theorems of one of them another: key= of theorem"


class PluginError(ValueError):
    """Why a paper from outside can't join the catalogue."""


@dataclass(frozen=True)
class SourceFile:
    """A file that brings claims, and a digest of what it said when they were loaded."""

    path: Path
    digest: str

    @property
    def changed(self) -> bool:
        """Whether the file says something else now, is gone, or nobody knows what it said."""
        return not self.digest or digest_of(self.path) != self.digest


def digest_of(path: Path) -> str:
    """A digest of a file's bytes; empty where it can't be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def plugin_specs() -> tuple[str, ...]:
    """Every file or module that brings claims: those of installed packages first."""
    installed = (point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP))
    named = os.environ.get(PAPERS_VARIABLE, "").split(os.pathsep)
    return tuple(dict.fromkeys(_absolute_spec(spec) for spec in (*installed, *named) if spec))


def _absolute_spec(spec: str) -> str:
    """A file by its whole path: it is one file from wherever it is named."""
    return str(Path(spec).resolve()) if spec.endswith(".py") else spec


def load_external(spec: str) -> tuple[Claim, ...]:
    """The claims of a file or module, which from now on belong to the catalogue of this process and its children.

    LeftOut also where another file or module has a key of theirs: one of the two would be hidden.
    """
    spec = _absolute_spec(spec)
    claims = load_claims(spec)
    for other in plugin_specs():
        key = _shared_key(claims, other)
        if key is not None:
            raise PluginError(f"its key {key!r} is that of {other} too; {KEY_CONFLICT_HINT}")
    if spec not in plugin_specs():
        named = [name for name in os.environ.get(PAPERS_VARIABLE, "").split(os.pathsep) if name]
        os.environ[PAPERS_VARIABLE] = os.pathsep.join([*named, spec])
    return claims


def _shared_key(claims: tuple[Claim, ...], other: str) -> str | None:
    """A key that these claims have in common with those of another file or module; None where there is none."""
    try:
        theirs = load_claims(other)
    except PluginError:  # what is broken hides nothing
        return None
    known = {id(claim) for claim in theirs}
    if all(id(claim) in known for claim in claims):  # the same module under two names
        return None
    return next((c.paper for c in claims if c.paper in {t.paper for t in theirs}), None)


def resolve_selector(selector: str) -> tuple[str, ...]:
    """The keys or the id that a selector names, once the file or module that it begins with belongs to the catalogue.

    ``mypaper.py`` and ``package.claims`` name all claims there, ``mypaper.py:T1@printed`` and ``mypaper.py:T1`` the one, by its
    id or by its name in the file. A selector that begins with neither names itself. LeftOut says what is wrong.
    """
    of_file = re.fullmatch(r"(?P<file>.+?\.py)(:(?P<name>[^:]*))?", selector)
    spec = of_file["file"] if of_file else selector.partition(":")[0]
    if not of_file and ("/" in spec or "." not in spec or set("*?[@") & set(spec) or not _importable(spec)):
        return (selector,)
    try:
        claims = load_external(spec)
    except PluginError as error:
        raise PluginError(f"{spec}: {error}") from None
    name = of_file["name"] if of_file else selector.partition(":")[2]
    if not name:
        return tuple(dict.fromkeys(claim.paper for claim in claims))
    return (_id_under(spec, name) or (name if "/" in name else f"{claims[0].paper}/{name}"),)


def source_file_of(key: str) -> SourceFile | None:
    """What brings the claims of a paper from outside; None of the library's own, or where no file is known."""
    for spec in plugin_specs() if key not in BUILTIN_KEYS else ():
        try:
            if any(claim.paper == key for claim in load_claims(spec)):
                return _import_spec(spec)[1]
        except PluginError:
            continue
    return None


def _importable(module: str) -> bool:
    """Whether the package of a dotted name is there."""
    package = module.partition(".")[0]
    return package.isidentifier() and find_spec(package) is not None


def external_claims() -> tuple[Claim, ...]:
    """The claims of all papers from outside that can be loaded; a warning for each that can't."""
    found: list[Claim] = []
    keys: dict[str, str] = {}
    for spec in plugin_specs():
        try:
            claims = load_claims(spec)
            for key in dict.fromkeys(claim.paper for claim in claims):
                if keys.setdefault(key, spec) != spec:
                    raise PluginError(f"its key {key!r} is that of {keys[key]} too; {KEY_CONFLICT_HINT}")
        except PluginError as error:
            warnings.warn(f"the claims of {spec} are left out: {error}", stacklevel=2)
            continue
        found += claims
    return tuple(found)


@cache
def load_claims(spec: str) -> tuple[Claim, ...]:
    """The claims of a file (``mypaper.py``) or a module (``package.claims``); LeftOut says what is wrong."""
    from fltheory.claims.claim import Claim

    module = _import_spec(spec)[0]
    named = vars(module).get("CLAIMS")
    if not isinstance(named, tuple | list | NoneType):
        raise PluginError(f"its CLAIMS are of type {type(named).__name__}, expected a tuple of claims")
    claims = tuple(v for v in vars(module).values() if isinstance(v, Claim)) if named is None else tuple(named)
    if not claims:
        raise PluginError("it has no claims: expected CLAIMS, a tuple of them, or claims under names of their own")
    for claim in claims:
        if not isinstance(claim, Claim):
            raise PluginError(f"its CLAIMS hold {type(claim).__name__}, expected claims")
        key, slash, name = claim.id.partition("/")
        if not (key and slash and name) or key in BUILTIN_KEYS:
            raise PluginError(
                f"the id {claim.id!r}: expected KEY/NAME@READING with a key of its own, such as {spec_key(spec)}/T1"
            )
        if claim.measure is not None and claim.dimension_error() and not claim.inconsistent_units:
            raise PluginError(str(claim.dimension_error()))
    if len({claim.id for claim in claims}) < len(claims):
        raise PluginError("two of its claims have one id")
    installed = {point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    home = "" if spec in installed else spec
    return tuple(claim if claim.listed is not None else _as_catalogue_claim(claim, home) for claim in claims)


def _id_under(spec: str, name: str) -> str | None:
    """The id of the claim that a file or module has under a name of its own; None where it has none."""
    found = vars(_import_spec(spec)[0]).get(name)
    return next((claim.id for claim in load_claims(spec) if claim is found), None)


@cache
def _import_spec(spec: str) -> tuple[ModuleType, SourceFile | None]:
    """A module and what it was loaded from; None where no file is known."""
    try:
        if spec.endswith(".py"):
            return _import_file(Path(spec))
        found = find_spec(spec)
        path = None if found is None or not found.has_location or found.origin is None else Path(found.origin)
        source = None if path is None else _source(path, spec in sys.modules)
        return import_module(spec), source
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{type(error).__name__}: {' '.join(str(error).split())}") from error


def import_spec(spec: str) -> ModuleType:
    """The module of a file or a dotted name, loaded once. PluginError says why it can't be loaded."""
    return _import_spec(_absolute_spec(spec))[0]


def _source(path: Path, imported: bool) -> SourceFile:
    """What a file says now, before Python reads it: if it changes meanwhile it is known as changed.

    Of what was imported before only the time and the size are known, where Python keeps what it compiles.
    """
    return SourceFile(path, "" if imported and _has_stale_bytecode(path) else digest_of(path))


def _has_stale_bytecode(path: Path) -> bool:
    """Whether what Python has kept of a file is of another text than it has now."""
    try:
        kept, now = Path(cache_from_source(str(path))).read_bytes()[:16], path.stat()
    except (OSError, NotImplementedError):
        return False
    words = (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF)
    timed = kept[4:8] == bytes(4)
    return timed and not sys.dont_write_bytecode and kept[8:] != b"".join(w.to_bytes(4, "little") for w in words)


def spec_key(spec: str) -> str:
    """What a key may be called: by the file or the module."""
    return Path(spec).stem if spec.endswith(".py") else spec.rpartition(".")[2]


def _as_catalogue_claim(claim: Claim, home: str) -> Claim:
    """The claim as one of the catalogue, so that variants of it are known as such, and what a counterexample names it by."""
    object.__setattr__(claim, "listed", claim)
    object.__setattr__(claim, "home", home)
    return claim


def _import_file(path: Path) -> tuple[ModuleType, SourceFile]:
    """The module of a file, importable by its name: printed counterexamples name it."""
    if not path.is_file():
        raise PluginError("there is no such file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    imported = path.stem in sys.modules
    if not imported:  # what Python keeps of it may be of another text of the same second and length
        with suppress(OSError, NotImplementedError):
            Path(cache_from_source(str(path.resolve()))).unlink(missing_ok=True)
    source = _source(path.resolve(), imported)
    module = import_module(path.stem)
    if Path(module.__file__ or "").resolve() != path.resolve():
        raise PluginError(
            f"another module is called {path.stem} already, {module.__file__ or 'built into Python'}: "
            "rename one of the files, or check them one at a time"
        )
    return module, source
