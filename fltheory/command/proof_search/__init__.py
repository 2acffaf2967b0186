"""The command ``prove``: reads a statement and lemmas from files, prints what came of the search, writes the proof."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sympy import Symbol

from fltheory.claims.plugins import PluginError, import_spec
from fltheory.command.output_files import output_file, require_output_file
from fltheory.command.proof_search import beside
from fltheory.command.tables import count
from fltheory.model.errors import UserError
from fltheory.proof import library, notation
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Given, ProofError, Relation, Theorem
from fltheory.proof.report import Report
from fltheory.proof.terms import free_symbols
from fltheory.proving import Outcome, Proved, Refuted, Stuck, prove
from fltheory.proving.rounds import chained, tuned
from fltheory.proving.source import source_of

NO_INSTANCE = "  no instance was found on which all hypotheses hold: see that they do not contradict each other"
EXIT = {Proved: 0, Refuted: 1, Stuck: 3}


def statement_of_file(spec: str) -> Theorem:
    """Return the theorem that ``FILE.py:NAME`` names, or the only one of ``FILE.py``; UserError says what is wrong."""
    path, colon, name = _file_and_name(spec)
    found = _theorems_of(path)
    if colon and name not in found:
        raise UserError(f"{path} has no theorem {name!r}; it has {', '.join(found) or 'none'}")
    if not found:
        raise UserError(f"{path} has no statement: expected a line such as lemma = proof(...).conjecture(le(x, y))")
    if not colon and len(found) > 1:
        raise UserError(f"{path} has {len(found)} theorems: expected one of {', '.join(f'{path}:{n}' for n in found)}")
    return found[name] if colon else next(iter(found.values()))


def _file_and_name(spec: str) -> tuple[str, str, str]:
    """Return the file of ``FILE.py:NAME``, the colon and the name, which are empty if there is only a file."""
    file, colon, name = spec.partition(".py:")
    return (file + ".py" if colon else file), colon, name


def require_another_file(output: Path | None, named: Sequence[str]) -> None:
    """Raise UserError if the proof would be written over a file from which the statement or a lemma is read."""
    goal = output_file(output, force=True)
    read = [Path(_file_and_name(spec)[0]).resolve() for spec in named if ".py" in spec]
    if goal is not None and goal.target in read:
        raise UserError(f"{output}: expected another file for --output than the one from which a theorem is read")


def _theorems_of(path: str) -> dict[str, Theorem]:
    if not path.endswith(".py"):
        raise UserError(f"{path}: expected FILE.py:NAME, a file with a statement and its name there")
    try:
        module = import_spec(path)
    except PluginError as error:
        raise UserError(f"{path}: {error}") from None
    return {name: value for name, value in vars(module).items() if isinstance(value, Theorem)}


def lemmas(named: Sequence[str], option: str = "--given") -> tuple[Theorem, ...]:
    """Return theorems by name: ``FILE.py``, ``FILE.py:NAME``, a recorded theorem ``KEY/ID``, or all of a paper ``KEY``."""
    found, known = list[Theorem](), (*library.keys(),)
    for name in named:
        if ".py" in name:
            file = name.partition(".py:")[0]
            found += [statement_of_file(name)] if ".py:" in name else _theorems_of(file).values()
            continue
        key = name.split("/")[0]
        if key not in known:
            raise UserError(
                f"{option} {name}: expected FILE.py:NAME, or the id of a recorded theorem of {', '.join(known)}"
            )
        proofs = library.load(key)
        own = (
            tuple(t for t in proofs.theorems if t.recorded == "PROVED")
            if name == key
            else library.match_theorems(proofs, name)
        )
        if not own:
            raise UserError(f"{option} {name}: {key} has no theorem of this id; fltheory proofs {key} lists them")
        found += own
    for theorem in found:
        if theorem.recorded == "REFUTED":
            raise UserError(
                f"{option} {theorem.id}: it is recorded as refuted, so that everything would follow from it"
            )
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Request:
    """What is to be proved, from which lemmas, with how much work, and what is to follow from it for all rounds."""

    statement: Theorem
    given: tuple[Theorem, ...]
    library: tuple[Theorem, ...]
    work: int
    rounds: str | None = None  # BEFORE:AFTER, the points of one round
    tune: str | None = None  # the step size that is chosen best
    beside: str | None = None  # the claim whose bound stands beside the proved one

    def __post_init__(self) -> None:
        if self.rounds is not None and not all(all(pair.partition(":")) for pair in self.rounds.split(",")):
            raise UserError(
                f"--rounds {self.rounds}: expected BEFORE:AFTER, the names of the points before and after a round; "
                "several pairs are separated by commas"
            )
        if self.tune is not None and self.rounds is None:
            raise UserError(f"--tune {self.tune}: a step size is tuned over many rounds; expected --rounds too")


def run(request: Request, output: Path | None, force: bool) -> tuple[Outcome, dict[str, Any]]:
    """Search for a proof, print what came of it, write the proof if a file is named; return it with its JSON row."""
    if output is not None:
        require_output_file(output, force)  # before the search, not after it
    claim = None if request.beside is None else beside.claim_of(request.beside)
    try:
        outcome = prove(request.statement, request.given, request.library, request.work)
    except ProofError as error:
        raise UserError(str(error)) from None
    print(*_lines(outcome), sep="\n", flush=True)
    further = _further(request, outcome) if isinstance(outcome, Proved) else ()
    for report in further:
        print(*_lines_of_rounds(outcome.theorem, report), sep="\n", flush=True)
    row = _row(outcome)
    if claim is not None and isinstance(outcome, Proved):
        proved = [r.theorem for r in (outcome.report, *further) if r.verdict == "PROVED"]
        comparison = beside.compared(proved[-1], claim)
        print(*comparison.lines(), sep="\n", flush=True)
        row |= {"beside": dict(comparison.rows())}
    try:
        text = _source(outcome, tuple(r.theorem for r in further if r.verdict == "PROVED"))
    except ProofError as error:
        text = ""
        print(f"no file: {error}")
    if text and output is None:
        print("", text, sep="\n", end="", flush=True)
    elif text and output is not None:
        require_output_file(output, force).write(text.encode())
        print(f"written: {output}")
    told = [{"statement": _text(r.theorem.statement), "verdict": r.verdict} for r in further]
    return outcome, row | {"rounds": told}


def _lines_of_rounds(one: Theorem, report: Report) -> list[str]:
    """Return what is said of a theorem about many rounds: its verdict, its statement, what it supposes beyond the round."""
    theorem = report.theorem
    found = [f"{theorem.id}: {report.verdict} for {report.scope}", f"  {_text(theorem.statement)}"]
    own = {h.id for h in one.hypotheses}
    found += [
        f"  supposing {_text(h.relation)}" for h in theorem.hypotheses if isinstance(h, Given) and h.id not in own
    ]
    if report.verdict != "PROVED":
        found += [f"  {told.reason}" for told in report.steps if told.outcome != "PROVED"][:1]
    return found


def _further(request: Request, outcome: Proved) -> tuple[Report, ...]:
    """Return the reports of the theorems about all rounds that follow from the one that was proved."""
    if request.rounds is None:
        return ()
    pairs = [pair.partition(":") for pair in request.rounds.split(",")]
    before, after = ",".join(p[0].strip() for p in pairs), ",".join(p[2].strip() for p in pairs)
    try:
        found = [chained(outcome.theorem, before, after)]
        if request.tune is not None:
            letters = {s.name: s for s in free_symbols(found[0].statement.right)}
            if request.tune not in letters:
                raise UserError(
                    f"--tune {request.tune}: the bound has no such parameter; it has {', '.join(sorted(letters))}"
                )
            found.append(tuned(found[0], letters[request.tune], Symbol("D", positive=True)))
    except ProofError as error:
        raise UserError(f"--rounds {request.rounds}: {error}") from None
    known, reports = {outcome.theorem.id: outcome.report}, list[Report]()
    for theorem in found:
        reports.append(check_theorem(theorem, find_certificates(theorem, known), known))
        known[theorem.id] = reports[-1]
    return tuple(reports)


def _source(outcome: Outcome, further: tuple[Theorem, ...]) -> str:
    if isinstance(outcome, Refuted) and outcome.elsewhere is not None:
        outcome = outcome.elsewhere
    if isinstance(outcome, Stuck) or not outcome.theorem.steps:
        return ""
    facts = outcome.facts if isinstance(outcome, Proved) else ()
    return source_of(*facts, outcome.theorem, *further)


def _text(relation: Relation) -> str:
    return notation.relation_text(relation, {})


def _lines(outcome: Outcome) -> list[str]:
    theorem = outcome.theorem
    if isinstance(outcome, Proved):
        supposing = f", supposing {', '.join(t.id for t in outcome.lemmas)}" if outcome.lemmas else ""
        found = [f"{theorem.id}: PROVED for {outcome.report.scope}{supposing} ({count(len(theorem.steps), 'line')})"]
        found += [] if outcome.consistent else [NO_INSTANCE]
        if outcome.report.read:
            found.append(f"  outside its natural domain a term has some fixed value: {outcome.report.read}")
        return found + [f"  on the region {_text(r)}" for r in outcome.region]
    if isinstance(outcome, Refuted):
        by = "the kernel confirms it" if outcome.counterexample.kernel else "checked in exact arithmetic"
        values = [f"  {name} = {value}" for name, value in outcome.counterexample.values.items()]
        found = [f"{theorem.id}: REFUTED ({by}), false{' at' if values else ''}", *values]
        if outcome.elsewhere is not None:
            found.append("PROVED where also " + " and ".join(_text(r) for r in outcome.elsewhere.region))
            found += [] if outcome.elsewhere.consistent else [NO_INSTANCE]
        return found
    found = [
        f"{theorem.id}: STUCK (work {outcome.work}{', all of it' if outcome.exhausted else ''})",
        f"  goal: {_text(outcome.goal)}",
    ]
    found += [f"  where {_text(r)}" for r in outcome.assuming]
    if outcome.why:
        found.append(f"  {outcome.why}")
    if outcome.counterexample is not None:
        found.append(
            "  this goal is false, so another way is needed: at "
            + ", ".join(f"{n} = {v}" for n, v in outcome.counterexample.values.items())
        )
    return found


def _row(outcome: Outcome) -> dict[str, Any]:
    verdict = {Proved: "PROVED", Refuted: "REFUTED", Stuck: "STUCK"}[type(outcome)]
    row: dict[str, Any] = {"theorem": outcome.theorem.id, "verdict": verdict, "work": outcome.work}
    if isinstance(outcome, Proved):
        row |= {
            "steps": len(outcome.theorem.steps),
            "given": [t.id for t in outcome.lemmas],
            "region": [_text(r) for r in outcome.region],
        }
    elif isinstance(outcome, Refuted):
        row |= {"counterexample": outcome.counterexample.values, "kernel": outcome.counterexample.kernel}
    else:
        row |= {"goal": _text(outcome.goal), "assuming": [_text(r) for r in outcome.assuming]}
    return row


def rocq_answer(outcome: Outcome, folder: Path) -> str:
    """Return what Rocq says of the outcome; only a proof is for Rocq."""
    return _by_rocq(outcome, folder) if isinstance(outcome, Proved) else "not for Rocq: there is no proof"


def _by_rocq(outcome: Proved, folder: Path) -> str:
    """Write the proof for Rocq into a folder, and check it there if ``coqc`` is installed; return what came of it."""
    from fltheory.proof.export import FORMAT, theorem_json
    from fltheory.rocq.check import check_files, version
    from fltheory.rocq.project import write_files

    if outcome.lemmas:
        return f"not for Rocq: the proof supposes {', '.join(t.id for t in outcome.lemmas)}"
    known, chain = dict[str, Report](), list[Any]()
    for report in outcome.known:  # what the proof applies comes before it
        chain.append(theorem_json(replace(report.theorem, place=""), find_certificates(report.theorem, known)))
        known[report.theorem.id] = report
    chain.append(theorem_json(replace(outcome.theorem, place=""), outcome.certificates))
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: expected a folder")
    value = json.loads(json.dumps({"format": FORMAT, "papers": {outcome.theorem.paper: chain}}))
    written = write_files(value, folder)
    if not any(w.text for w in written):
        return f"no script for Rocq: {folder / 'open.json'} says why"
    if not version():
        return f"scripts for Rocq in {folder}; coqc is not installed, so nothing was checked"
    print(f"Rocq {version()} checks it (its library first: a minute or two)", flush=True)
    checked = check_files(folder, written, 1, 600.0, math.inf)
    refused = [r.why for r in checked if not r.closed]
    return f"Rocq does not confirm it: {refused[0]}" if refused else f"Rocq {version()} confirms it"
