"""``python -m benchmarks.answers [CLAIMS [WORK]]``: the same question asked by every command, and answers that disagree.

So many claims of the catalogue, spread over all papers and verdicts, and every example's variant of a claim, are asked by
``verify``, by the rows of ``verify --json``, by ``falsify``, ``plot`` (its title), ``show --check``, ``report`` and
``sharpen --repair``. Nothing depends on a clock: the same arguments print the same lines anywhere.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from fltheory.claim import Claim
from fltheory.command.batch import row
from fltheory.evidence.verdict import STATUSES, decisive
from fltheory.known import own_verdicts, verify
from fltheory.papers import catalogue
from fltheory.pictures.finding import finding
from fltheory.pictures.sweep import sweep
from fltheory.questions import tightness
from fltheory.reports.results import of_verdict, results_of
from fltheory.search.falsifier import falsify
from fltheory.sharpening.mending.repair import repair
from fltheory.sharpening.terms import NothingToWeigh
from fltheory.work import DEFAULT_WORK

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
CLAIMS, WORK = 200, 300
Answers = Mapping[str, str]  # of each command: a status, or that there is no answer and why


def chosen(n: int) -> list[Claim]:
    """So many claims with cases, the same ones each time."""
    asked = [c for c in catalogue() if c.measure is not None and c.cases and c.family is not None]
    return sorted(asked, key=lambda c: zlib.crc32(c.id.encode()))[:n]


def variants() -> Iterator[tuple[str, Claim]]:
    """Every example's claim, with its name."""
    for path in sorted(EXAMPLES.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"answer_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        claim = getattr(module, "claim", None)
        if isinstance(claim, Claim):
            yield path.stem, claim


def answers(claim: Claim, work: int = WORK) -> Answers:
    """What every command says of the claim's own cases."""
    verdicts = list(own_verdicts(claim))
    false = decisive(verdicts).status == "violated"  # found at once, if what one's own cases say is asked
    stored = results_of([row(claim, verdict, None, 0, "quick") for verdict in verdicts])
    return {
        "verify": verify(claim).status,
        "verify --json": stored[claim.id].status,
        "report": of_verdict(verify(claim)).status,
        "show --check": _shown(claim),
        "plot": _drawn(claim),
        "falsify": _searched(claim, DEFAULT_WORK if false else work),
        "sharpen --repair": _repaired(claim, work),
    }


def disagreements(found: Answers) -> list[str]:
    """Commands whose answer is not that of ``verify``; a search may find what no own case shows, and says so otherwise."""
    own = found["verify"]
    wrong = []
    for command, said in found.items():
        search = command in ("falsify", "sharpen --repair")
        if said.startswith("no answer") or (search and own != "violated"):
            continue
        if said != own:
            wrong.append(f"{command} says {said}, verify {own}")
    return wrong


def _shown(claim: Claim) -> str:
    said = [re.match(r"(\w+) in (\d+) of them", line) for line in tightness.computed(claim)]
    counts = {found[1]: int(found[2]) for found in said if found is not None}
    counts["holds"] = len(claim.cases) - sum(counts.values())
    return next(status for status in STATUSES if counts.get(status))


def _drawn(claim: Claim) -> str:
    try:
        words = finding(sweep(claim))
    except ValueError as error:
        return f"no answer: {error}"
    first = words.split(",")[0].split(":")[0].split()[0]
    if words.startswith("holds, but is vacuous") or words.startswith("vacuous"):
        return "vacuous"
    if words.startswith(("violated", *(f"{status} on its own cases" for status in STATUSES))):
        return first
    return "holds"  # loose by a factor, equal, not refuted by a mean


def _searched(claim: Claim, work: int) -> str:
    found = falsify(claim, work=work)
    return "violated" if found.found else "nothing found"


def _repaired(claim: Claim, work: int) -> str:
    try:
        return "violated" if repair(claim, work=work).false else "nothing to repair"
    except NothingToWeigh as error:
        return f"no answer: {error}"


def main(arguments: list[str]) -> int:
    """The disagreements, a line each, and how many were asked; 1 where there are any."""
    n, work = (int(arguments[0]) if arguments else CLAIMS), (int(arguments[1]) if len(arguments) > 1 else WORK)
    asked = [(claim.id, claim) for claim in chosen(n)] + list(variants())
    wrong = 0
    for name, claim in asked:
        for line in disagreements(answers(claim, work)):
            wrong += 1
            print(f"{name}: {line}", flush=True)
    print(f"{len(asked)} asked, {wrong} disagreements")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
