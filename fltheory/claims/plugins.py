"""Plugins: papers from other packages and files, whose claims join the catalogue under their own keys.

An installed package registers a module with ``CLAIMS``::

    [project.entry-points."fltheory.papers"]
    basics = "basics.claims"

The environment variable ``FLTHEORY_PAPERS`` names files and modules, separated as in ``PATH``; commands add those of
their arguments. A plugin that cannot be loaded is left out with a warning, so that it does not disable the others.
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
from importlib.metadata import EntryPoint, entry_points
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import ModuleType, NoneType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim

ENTRY_POINT_GROUP, PAPERS_VARIABLE = "fltheory.papers", "FLTHEORY_PAPERS"
BUILTIN_KEYS = ("sfl", "osmd", "fedcg", "aaggff", "delta_sgd")  # keys that plugins cannot use
KEY_CONFLICT_HINT = "give one of them another key, as theorem(..., key=...)"


class PluginError(ValueError):
    """Raised for a plugin that cannot join the catalogue; the message says why."""


@dataclass(frozen=True)
class SourceFile:
    """A file with claims, and the digest that it had when they were loaded."""

    path: Path
    digest: str

    @property
    def changed(self) -> bool:
        """Whether the file has changed or is gone; also true if the digest is unknown."""
        return not self.digest or digest_of(self.path) != self.digest


def digest_of(path: Path) -> str:
    """Return the digest of a file; an empty text if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def registered(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group that installed packages register; they are read once for each search path."""
    return _registered(group, tuple(sys.path))


@cache
def _registered(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def plugin_specs() -> tuple[str, ...]:
    """Return every file or module that adds claims, installed packages first."""
    installed = (point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP))
    named = os.environ.get(PAPERS_VARIABLE, "").split(os.pathsep)
    return tuple(dict.fromkeys(_absolute_spec(spec) for spec in (*installed, *named) if spec))


def _absolute_spec(spec: str) -> str:
    """Return a file as an absolute path, so that it is the same in every directory."""
    return str(Path(spec).resolve()) if spec.endswith(".py") else spec


def load_external(spec: str) -> tuple[Claim, ...]:
    """Load the claims of a file or module into the catalogue of this process and its children.

    PluginError also if another file or module has one of its keys, since one of the two would be hidden.
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
    """Return a key that these claims share with those of another file or module; None if there is none."""
    try:
        theirs = load_claims(other)
    except PluginError:  # a broken plugin hides nothing
        return None
    known = {id(claim) for claim in theirs}
    if all(id(claim) in known for claim in claims):  # the same module under two names
        return None
    return next((c.paper for c in claims if c.paper in {t.paper for t in theirs}), None)


def resolve_selector(selector: str) -> tuple[str, ...]:
    """Return the keys or the id that a selector names, after loading the file or module with which it begins.

    ``mypaper.py`` and ``package.claims`` name all claims there; ``mypaper.py:T1@printed`` and ``mypaper.py:T1`` name
    one, by its id or by its name in the file. Other selectors are returned unchanged. PluginError says what is wrong.
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
    """Return the file of the claims of a plugin; None for the library's own papers, or if no file is known."""
    for spec in plugin_specs() if key not in BUILTIN_KEYS else ():
        try:
            if any(claim.paper == key for claim in load_claims(spec)):
                return _import_spec(spec)[1]
        except PluginError:
            continue
    return None


def _importable(module: str) -> bool:
    """Return whether the top-level package of a dotted name can be imported."""
    package = module.partition(".")[0]
    return package.isidentifier() and find_spec(package) is not None


def external_claims() -> tuple[Claim, ...]:
    """Return the claims of all plugins that can be loaded, with a warning for each of the others."""
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
    """Return the claims of a file (``mypaper.py``) or a module (``package.claims``); PluginError says what is wrong."""
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
            raise PluginError(f"its CLAIMS contain {type(claim).__name__}, expected claims")
        key, slash, name = claim.id.partition("/")
        if not (key and slash and name) or key in BUILTIN_KEYS:
            raise PluginError(
                f"the id {claim.id!r}: expected KEY/NAME@READING with a key of its own, such as {spec_key(spec)}/T1"
            )
        if claim.measure is not None and claim.dimension_error() and not claim.inconsistent_units:
            raise PluginError(str(claim.dimension_error()))
    if len({claim.id for claim in claims}) < len(claims):
        raise PluginError("two of its claims have the same id")
    installed = {point.value.partition(":")[0] for point in entry_points(group=ENTRY_POINT_GROUP)}
    home = "" if spec in installed else spec
    return tuple(claim.as_listed(home) if _is_new(claim) else claim for claim in claims)


def _is_new(claim: Claim) -> bool:
    """Return whether no catalogue has listed it: a changed claim under an id of its own is another claim."""
    return claim.entry.claim is None or claim.entry.claim.id != claim.id


def _id_under(spec: str, name: str) -> str | None:
    """Return the id of the claim with this name in a file or module; None if there is none."""
    found = vars(_import_spec(spec)[0]).get(name)
    return next((claim.id for claim in load_claims(spec) if claim is found), None)


@cache
def _import_spec(spec: str) -> tuple[ModuleType, SourceFile | None]:
    """Return a module and the file from which it was loaded, or None for the file if it is unknown."""
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


def any_loaded() -> bool:
    """Return whether this process has run a file or module of a plugin, also one that could not be loaded."""
    return _import_spec.cache_info().misses > 0


def import_spec(spec: str) -> ModuleType:
    """Load the module of a file or a dotted name once and return it. PluginError says why that fails."""
    return _import_spec(_absolute_spec(spec))[0]


def _source(path: Path, imported: bool) -> SourceFile:
    """Return the file with its digest, read before Python imports it: so a change during the import is noticed.

    Of a module imported before only time and size are known, if Python caches its bytecode.
    """
    return SourceFile(path, "" if imported and _has_stale_bytecode(path) else digest_of(path))


def _has_stale_bytecode(path: Path) -> bool:
    """Return whether the cached bytecode of a file belongs to an older text."""
    try:
        kept, now = Path(cache_from_source(str(path))).read_bytes()[:16], path.stat()
    except (OSError, NotImplementedError):
        return False
    words = (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF)
    timed = kept[4:8] == bytes(4)
    return timed and not sys.dont_write_bytecode and kept[8:] != b"".join(w.to_bytes(4, "little") for w in words)


def spec_key(spec: str) -> str:
    """Return the key that stands for a file or module."""
    return Path(spec).stem if spec.endswith(".py") else spec.rpartition(".")[2]


def _module_name(path: Path) -> str:
    """Return the name by which a file is imported: dotted if its folder is a package, whose other files it may import."""
    parts = [path.stem]
    for folder in path.parents:
        if not (folder / "__init__.py").is_file() or not folder.name.isidentifier():
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def _import_file(path: Path) -> tuple[ModuleType, SourceFile]:
    """Return the module of a file, importable by its name, which printed counterexamples use."""
    if not path.is_file():
        raise PluginError("there is no such file")
    path = path.resolve()
    name = _module_name(path)
    folder = str(path.parents[name.count(".")])
    if folder not in sys.path:
        sys.path.insert(0, folder)
    imported = name in sys.modules
    if not imported:  # its cached bytecode may be of another text with the same length and time in seconds
        with suppress(OSError, NotImplementedError):
            Path(cache_from_source(str(path))).unlink(missing_ok=True)
    source = _source(path, imported)
    module = import_module(name)
    if Path(module.__file__ or "").resolve() != path:
        raise PluginError(
            f"another module is called {name} already, {module.__file__ or 'built into Python'}: "
            "rename one of the files, or check them one at a time"
        )
    return module, source
