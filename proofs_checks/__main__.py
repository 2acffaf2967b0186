"""``python -m proofs_checks find KEY [THEOREM...]``: find the certificates of a paper's proofs and store them."""

from __future__ import annotations

import importlib
import sys


def main(arguments: list[str]) -> int:
    """Find certificates and say what did not come out as recorded; 0 if all did."""
    if len(arguments) < 2 or arguments[0] != "find":
        print(__doc__)
        return 2
    from fltheory.proof.find import find_all

    try:
        proofs = importlib.import_module(f"proofs_checks.{arguments[1]}").PROOFS
    except ModuleNotFoundError:
        print(f"no proofs for {arguments[1]!r}: there is no proofs_checks/{arguments[1]}.py")
        return 2
    reports = find_all(proofs, print, tuple(arguments[2:]))
    return 0 if all(r.as_recorded for r in reports) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
