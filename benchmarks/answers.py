"""``python -m benchmarks.answers [CLAIMS [WORK]]``: the same question asked by every command, and answers that disagree.

So many claims of the catalogue, spread over all papers and verdicts, every example's variant of a claim and the claims of
users' files are asked by ``verify``, by the rows of ``verify --json``, by ``falsify``, ``plot`` (its title), ``show --check``,
``report`` and ``repair``. Nothing depends on a clock: the same arguments print the same lines anywhere.
``--kept FILE`` keeps every answer, a line of JSON each, and takes them up again; ``--jobs 2`` asks two claims at a time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import chdir
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from fltheory.api import tightness
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import Claim
from fltheory.command.batch import verdict_row
from fltheory.evidence.verdict import STATUSES, decisive_verdict
from fltheory.plotting.captions import finding_text
from fltheory.plotting.sweep import sweep
from fltheory.reports.results import result_of_verdict, results_of
from fltheory.search.falsifier import falsify
from fltheory.search.repair.repair import repair
from fltheory.search.tightness.terms import NoTerms
from fltheory.verification import own_verdicts, verify
from fltheory.work import DEFAULT_WORK

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
OUTSIDE = (ROOT / "tests" / "outside" / "public", ROOT / "tests" / "outside" / "classics")
CLAIMS, WORK = 200, 300
Answers = Mapping[str, str]  # of each command: a status, or that there is no answer and why


def chosen(n: int) -> list[Claim]:
    """So many claims with cases, the same ones each time."""
    asked = [c for c in catalogue() if c.measure is not None and c.cases and c.family is not None]
    return sorted(asked, key=lambda c: zlib.crc32(c.id.encode()))[:n]


def variants() -> Iterator[tuple[str, Claim]]:
    """Every example's claim, with its name."""
    for path in sorted(EXAMPLES.glob("*.py")):
        claim = getattr(_module(path), "claim", None)
        if isinstance(claim, Claim):
            yield path.stem, claim


def from_outside() -> Iterator[tuple[str, Claim]]:
    """The claims of users' files, as ``FILE:NAME``; what needs an extra that is not installed is left out."""
    for path in sorted(path for folder in OUTSIDE for path in folder.glob("*.py")):
        try:
            found = vars(_module(path))
        except ModuleNotFoundError as error:
            print(f"{path.name}: left out, {error}", file=sys.stderr)
            continue
        yield from ((f"{path.stem}:{name}", claim) for name, claim in found.items() if isinstance(claim, Claim))


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"answer_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with chdir(path.parent):  # files name others beside them
        spec.loader.exec_module(module)
    return module


def answers(claim: Claim, work: int = WORK) -> Answers:
    """What every command says of the claim's own cases."""
    verdicts = list(own_verdicts(claim))
    false = decisive_verdict(verdicts).status == "violated"  # found at once, if what one's own cases say is asked
    stored = results_of([verdict_row(claim, verdict, None, 0, "quick") for verdict in verdicts])
    return {
        "verify": verify(claim).status,
        "verify --json": stored[claim.id].status,
        "report": result_of_verdict(verify(claim)).status,
        "show --check": _shown(claim),
        "plot": _drawn(claim, work),
        "falsify": _searched(claim, DEFAULT_WORK if false else work),
        "repair": _repaired(claim, work),
    }


def disagreements(found: Answers) -> list[str]:
    """Commands whose answer is not that of ``verify``; a search may find what no own case shows, and says so otherwise."""
    own = found["verify"]
    wrong = []
    for command, said in found.items():
        search = command in ("falsify", "repair")
        if _none(said) or (search and own != "violated"):
            continue
        if said != own:
            wrong.append(f"{command} says {said}, verify {own}")
    return wrong


def _shown(claim: Claim) -> str:
    said = [re.match(r"(\w+) in (\d+) of them", line) for line in tightness.computed_ratio_lines(claim)]
    counts = {found[1]: int(found[2]) for found in said if found is not None}
    counts["holds"] = len(claim.cases) - sum(counts.values())
    return next(status for status in STATUSES if counts.get(status))


def _drawn(claim: Claim, work: int) -> str:
    try:
        words = finding_text(sweep(claim, work=work))
    except ValueError as error:
        return f"no answer: {error}"
    first = words.split(",")[0].split(":")[0].split()[0]
    if words.startswith("holds, but is vacuous") or words.startswith("vacuous"):
        return "vacuous"
    if words.startswith(("violated", *(f"{status} on its own cases" for status in STATUSES))):
        return first
    return "holds"  # loose by a factor, equal, not refuted by a mean


def _searched(claim: Claim, work: int) -> str:
    if claim.family is None:
        return "no answer: it has no family to be searched"
    found = falsify(claim, work=work)
    return "violated" if found.found else "nothing found"


def _repaired(claim: Claim, work: int) -> str:
    try:
        return "violated" if repair(claim, work=work).false else "nothing to repair"
    except NoTerms as error:
        return f"no answer: {error}"


@cache
def _asked(n: int) -> dict[str, Claim]:
    """The claims by the names under which their answers are kept."""
    return {**{claim.id: claim for claim in chosen(n)}, **dict(variants()), **dict(from_outside())}


def _of_name(n: int, work: int, name: str) -> tuple[str, Answers]:
    return name, answers(_asked(n)[name], work)


def _kept(path: Path | None) -> dict[str, Answers]:
    if path is None or not path.exists():
        return {}
    return {line["claim"]: line["answers"] for line in map(json.loads, path.read_text().splitlines())}


def main(arguments: list[str]) -> int:
    """The disagreements, a line each, and how many were asked; 1 where there are any."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description="Answers that disagree.")
    parser.add_argument("claims", nargs="?", type=int, default=CLAIMS)
    parser.add_argument("work", nargs="?", type=int, default=WORK)
    parser.add_argument("--kept", type=Path, help="a file of answers, continued")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    found = {name: said for name, said in _kept(given.kept).items() if name in _asked(given.claims)}
    waiting = [name for name in _asked(given.claims) if name not in found]
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("fork")) as pool:
        asked = [pool.submit(_of_name, given.claims, given.work, name) for name in waiting]
        for i, done in enumerate(as_completed(asked), len(found) + 1):
            name, said = done.result()
            found[name] = said
            print(f"{i} of {len(_asked(given.claims))}: {name}: {said['verify']}", file=sys.stderr, flush=True)
            if given.kept is not None:
                with given.kept.open("a") as file:
                    file.write(json.dumps({"claim": name, "answers": said}) + "\n")
    found = {name: found[name] for name in _asked(given.claims)}
    lines = [f"{name}: {line}" for name, said in found.items() for line in disagreements(said)]
    unsaid = [
        f"{name}: {command}: {text}" for name, said in found.items() for command, text in said.items() if _none(text)
    ]
    print(
        "\n".join([*unsaid, *lines, f"{len(found)} asked, {len(lines)} disagreements, {len(unsaid)} without an answer"])
    )
    return int(bool(lines))


def _none(text: str) -> bool:
    return text.startswith("no answer")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
