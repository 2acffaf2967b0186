"""The proofs of a user's file: its theorems in order, with certificates that are found if none is stored."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fltheory.claims.plugins import PluginError, import_spec
from fltheory.proof import certificates, models
from fltheory.proof.find import find_certificates
from fltheory.proof.find.unwritten import with_found_weights
from fltheory.proof.language import ProofError, Proofs, Theorem
from fltheory.proof.report import needs_certificate
from fltheory.proof.tactics.stored import with_weights_of_package


def proofs_of_file(file: str) -> Proofs:
    """Return the proofs of a file: its ``PROOFS``, or the theorems that it defines, in the order of the file.

    Certificates are read from the folder ``certificates`` beside the file, and models of hypotheses from ``models``; missing
    certificates are sought, and no files are written there. ProofError says what is wrong with the file.
    """
    try:
        module = import_spec(file)
    except PluginError as error:
        raise ProofError(f"{file}: {error}") from None
    own = vars(module).get("PROOFS")
    if isinstance(own, Proofs):
        return replace(
            proofs_with_found(own.key, with_weights_of_package(own).theorems, own.certificates), unproved=own.unproved
        )
    theorems = tuple(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Theorem)))
    if not theorems:
        raise ProofError(
            f"{file}: it has no theorem; expected one under a name of its own, made by proof(...)...qed(...)"
        )
    keys = dict.fromkeys(theorem.paper for theorem in theorems)
    if len(keys) > 1:
        raise ProofError(
            f"{file}: its theorems have the keys {', '.join(keys)}; expected one, before the slash of their ids"
        )
    return proofs_with_found(next(iter(keys)), theorems, Path(file).resolve().parent / "certificates")


def proofs_with_found(key: str, theorems: tuple[Theorem, ...], stored: Path) -> Proofs:
    """Return the theorems with the missing weights of their combinations, and a folder with all certificates."""
    theorems = tuple(with_found_weights(theorem)[0] for theorem in theorems)
    proofs = Proofs(key, theorems, _completed(theorems, stored))
    models.load(proofs)  # a broken file is named before anything is checked
    return proofs


def _completed(theorems: tuple[Theorem, ...], stored: Path) -> Path:
    """Return a folder with the stored certificates and those that are found, beside the stored models."""
    made = Path(tempfile.mkdtemp(prefix="fltheory-certificates-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    folder = made / stored.name
    if (stored.parent / models.FOLDER).is_dir():
        shutil.copytree(stored.parent / models.FOLDER, made / models.FOLDER)
    for theorem in theorems:
        if not any(needs_certificate(step) for step in theorem.steps):
            continue
        found: dict[str, object] = {}
        with suppress(ProofError):  # the file of certificates is broken: find them anew
            found = certificates.load(stored, theorem.id)
        with suppress(ImportError):  # without a solver some are missing, as the report says
            found = find_certificates(theorem, {}, found)
        certificates.save(folder, theorem.id, found)
    return folder
