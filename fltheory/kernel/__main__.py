"""``python -m fltheory.kernel FILE...``: check exported proofs again, independently of the program that made them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from fltheory.kernel.deep import deeply
from fltheory.kernel.language.fields import parsed
from fltheory.kernel.theorem import recheck


def main(files: list[str]) -> int:
    """Return 0 if every theorem was checked and none refused, 1 if not, and 2 if a file cannot be read."""
    return deeply(lambda: _checked(files))


def _checked(files: list[str]) -> int:
    asked = "--help" in files or "-h" in files
    domains, files = "--domains" in files, [f for f in files if f != "--domains"]
    if asked or not files:
        usage = "usage: python -m fltheory.kernel [--domains] FILE... (made by fltheory proofs --export FILE)"
        print(usage, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    found = Counter[str]()
    for name in files:
        try:
            for verdict in recheck(parsed(Path(name).read_text(encoding="utf-8")), domains):
                found[verdict.outcome] += 1
                if verdict.read:
                    print(_plain(f"{verdict.name}: read with x/0 = 0: {verdict.read}"))
                if verdict.outcome != "confirmed":
                    print(_plain(f"{verdict.name}: {verdict.outcome}: {verdict.reason}"))
        except RecursionError:
            print(_plain(f"{name}: its lists are nested too deeply"), file=sys.stderr)
            return 2
        except (OSError, ValueError) as error:  # not text, not JSON, or not a file of proofs
            print(_plain(f"{name}: {error}"), file=sys.stderr)
            return 2
    print(", ".join(f"{n} {outcome}" for outcome, n in found.most_common()) or "there is no theorem")
    return 1 if found["refused"] or found["not checked"] else 0


def _plain(text: str) -> str:
    """Return the text on one line, with escapes for characters that cannot be encoded."""
    return " ".join(text.split()).encode(errors="backslashreplace").decode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
