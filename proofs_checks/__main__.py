"""Find what the proofs of a paper rest on and store it.

``python -m proofs_checks find KEY [THEOREM...]``: the certificates. ``python -m proofs_checks models KEY [THEOREM...]``:
points at which all hypotheses hold, for the theorems named, or for those that have none yet.
``python -m proofs_checks classes KEY``: certificates by which bounds hold for whole classes of clients.
"""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Find certificates and say what did not come out as recorded; 0 if all did."""
    if len(arguments) < 2 or arguments[0] not in ("find", "models", "classes"):
        print(__doc__)
        return 2
    if arguments[0] == "classes":
        from fltheory.claims.catalogue import claims_of_paper
        from proofs_checks.search.classes import find_class_certificates as find_classes

        find_classes(claims_of_paper(arguments[1]), print)
        return 0
    from fltheory.proof import library

    keys = sorted(library.entry_points_by_key())
    if arguments[1] not in keys:
        print(f"no paper {arguments[1]!r} has proofs; those that have: {', '.join(keys)}")
        return 2
    proofs = library.load(arguments[1])
    if arguments[0] == "models":
        from proofs_checks.search.find import find_models

        return 0 if find_models(proofs, print, tuple(arguments[2:])) else 1
    from fltheory.proof.find import find_all_certificates

    reports = find_all_certificates(proofs, print, tuple(arguments[2:]))
    return 0 if all(r.as_recorded for r in reports) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
