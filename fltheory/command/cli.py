"""The command line: a thin wrapper. Heavy imports are inside the commands, so that help is fast."""

from __future__ import annotations

import gc
import json
import math
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from fltheory.command.exit_codes import EXIT_ERROR, Interrupted, ignore_signals, print_error, restore, run_for_status
from fltheory.command.options import (
    DEFAULT_PROOF_WORK,
    Along,
    AsJson,
    Assignments,
    Bare,
    Beside,
    Check,
    ClaimId,
    Counterexample,
    Coverage,
    CsvFile,
    Engine,
    Every,
    EveryCase,
    EveryFound,
    Export,
    FalsifyJobs,
    First,
    Force,
    Form,
    Format,
    Fresh,
    Functions,
    GivenLemmas,
    Id,
    Into,
    Jobs,
    JsonFile,
    Keys,
    Latex,
    Library,
    Markdown,
    More,
    Name,
    NewName,
    Nontrivial,
    Output,
    Over,
    Overview,
    Parquet,
    PlotAssignments,
    PlotCsvFile,
    Plots,
    PlotSeconds,
    Profile,
    Proof,
    ProofFile,
    ProofWork,
    Random,
    Recheck,
    Report,
    Rocq,
    RocqFolder,
    Rounds,
    Scheduler,
    Second,
    Seconds,
    Seed,
    Selectors,
    Statement,
    Stored,
    Style,
    SweepAssignments,
    SweepEngine,
    SweepJobs,
    SweepSelectors,
    Terms,
    TightnessSelectors,
    Tune,
    Variant,
    Variants,
    VerifyAssignments,
    VerifyProfile,
    VerifySeconds,
    VerifySelectors,
    Width,
    WithProofs,
    Words,
    Work,
    WorstClaimId,
    WriteReportOutput,
)
from fltheory.model.errors import UserError
from fltheory.search.deadline import deliver_interrupts, items_before
from fltheory.work import DEFAULT_WORK

if TYPE_CHECKING:
    from fltheory.api.worst import RecheckResult
    from fltheory.claims.claim import Claim
    from fltheory.search.tightness.request import CommandAnswer, TightnessTask

app = typer.Typer(
    name="fltheory",
    help="Verify the theorems of federated and online learning: is a bound true, how tight is it, where is it vacuous?",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False
) -> None:
    if version:
        from fltheory import __version__

        print(f"fltheory {__version__}")
        raise typer.Exit()
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command("list")
def list_claims(
    selectors: Selectors = None, as_json: AsJson = False, words: Words = None, every: EveryFound = False
) -> None:
    """List the claims.

    A paper chosen by its key is printed as its table of contents; other claims one per row, with the statement below. Words that
    are no id are searched for. A search lists the closest claims first.

    \b
    Examples:
      fltheory list sfl
      fltheory list FedAvg
      fltheory list --search 'strongly convex'
    """
    from fltheory.api.lookup import lines_or_words, whole_papers
    from fltheory.api.word_search import SHOWN
    from fltheory.claims import index
    from fltheory.claims.catalogue import title
    from fltheory.command import tables

    found, instead = lines_or_words(selectors or (), words)
    if instead is not None:
        print(f"no claim is called {instead!r}; those that have the words:", file=sys.stderr)
    searched = words is not None or instead is not None
    cut = len(found) > SHOWN and searched and not every and not as_json
    whole, found = len(found), found[:SHOWN] if cut else found
    if as_json:
        print(json.dumps([index.line_as_json(line) for line in found], indent=1, ensure_ascii=False))
    elif not searched and (papers := whole_papers(selectors or (), found)):
        for key in papers:
            own = [line for line in found if line.paper == key]
            tables.print_lines(tables.table_of_contents(f"{key}: {title(key)}", index.lines_by_item(key, own)))
    else:
        tables.claims_table(found).print()
    if not as_json and (explained := tables.legend(found)):
        print("", *explained, sep="\n")
    if cut:
        tables.print_page(f"the closest {SHOWN} of {whole} claims: more words find fewer, --all prints every one")


@app.command()
def show(claim_id: Id, latex: Latex = False, check: Check = False) -> None:
    """Show one claim.

    Prints its statement, conditions, assumptions and source, and what is recorded of its proof and its tightness. An id without
    a reading shows the printed one and names the others.

    \b
    Examples:
      fltheory show sfl/T3-SC@corrected
      fltheory show osmd/C-5@corrected --check
    """
    from fltheory.api.lookup import claim_of, shown_id

    name, others = shown_id(claim_id)  # before any claim is loaded: pages are cached
    from fltheory.api import tightness
    from fltheory.api.show import claim_lines, page_text, proof_lines
    from fltheory.command.tables import print_page

    if not latex and not check:
        print_page(page_text(name))
    else:
        claim = claim_of(name)
        said = claim_lines(claim, proof_lines(claim, check), latex)
        print_page("\n".join([*said, "", "tightness"]))  # printed first: checking the cases takes seconds
        print_page("\n".join(f"  {line}" for line in tightness.tightness_lines(claim, check)))
    if others:
        print_page(f"\nother readings: {', '.join(f'{line.id} ({line.recorded})' for line in others)}")


@app.command()
def bound(claim_id: Id, more: More = None, assignments: Assignments = None, nontrivial: Nontrivial = None) -> None:
    """Evaluate a bound.

    Prints the number, exact or rounded to the safe side (up for an upper bound), then the exact value if it is short, else an
    enclosure of it, and whether the bound is vacuous: whether it is above a trivial bound.

    \b
    Examples:
      fltheory bound sfl/T3-GC@printed L=1 D=1 sigma=0 zeta_star=1 M=4 K=5 \\
        R=1000 eta=1/120
    """
    from fltheory.api.lookup import label, letters_of, parse_assignments

    name = _reading_of(claim_id)  # before any claim is loaded: bounds are cached
    from fltheory.api.bounds import claim_bounds_by_id
    from fltheory.command.tables import print_page

    asked = claim_bounds_by_id(name)
    values = parse_assignments([*(assignments or ()), *(more or ())], asked.bounds)
    found = asked.at(values) if nontrivial is None else asked.nontrivial_ranges(nontrivial, values)
    print_page("\n".join(map(str, found)))
    used = {s for b in asked.bounds for s in (*b.symbols, *(w for w, _ in b.where))}
    unused = [label(s, letters_of(asked.bounds)) for s in values if s not in used]
    if unused:
        print(f"not used by this bound: {', '.join(unused)}", file=sys.stderr)


@app.command()
def verify(
    selectors: VerifySelectors = None,
    profile: VerifyProfile = Profile.quick,
    seed: Seed = 0,
    jobs: Jobs = None,
    json_file: JsonFile = None,
    force: Force = False,
    variant: Variant = None,
    assignments: VerifyAssignments = None,
    every: Every = False,
    seconds: VerifySeconds = None,
    fresh: Fresh = False,
) -> None:
    """Check the claims on their cases.

    Prints a table with a row for each paper as it ends, the names of the claims that do not hold, and the verdicts that
    differ from the recorded ones; for few claims, or with --all, every verdict. A verdict of an earlier run is used again while
    the library and all that computes it are unchanged.
    Exit status 0: every verdict is the recorded one, or with --variant or --set nothing is violated; 1: a verdict differs or is
    violated; 2: usage error, or FILE was not written; 3: nothing was decided, or the step is broken. Ctrl-C keeps results.

    \b
    Examples:
      fltheory verify
      fltheory verify sfl --profile full
      fltheory verify sfl/T3-GC@printed --set R=10
      fltheory verify 'sfl/T3-*' --variant mine.py:step
    """
    selectors, assignments = _without_constants(selectors, assignments)
    from fltheory.claims import kept_rows

    known = kept_rows.opened(unless=fresh or variant is not None or assignments is not None)
    from fltheory.command import tables, verdict_table
    from fltheory.command.batch import check_new_tasks, keep_rows, plan
    from fltheory.command.jsonl_writer import Journal

    deadline = time.perf_counter() + _budget(seconds)
    claims, known = _selected_claims(selectors, variant, jobs, soon=not known.rows), known.if_alone()
    tasks = plan(claims, profile.value, seed, variant, tuple(assignments or ()))
    if not tasks:
        raise UserError("nothing to verify: the selected claims are external results or have no cases")
    names, began, interrupted = [task.claim_id for task in tasks], time.monotonic(), False
    papers = verdict_table.PaperTable(names)
    with Journal(json_file, force) as journal:
        stream = check_new_tasks(tasks, known.rows, jobs)
        try:
            with tables.progress(names, "verify") as advance:
                for i, row in items_before(deadline, stream):
                    journal.add(i, row)
                    advance(i)
                    for line in papers.add(row):
                        print(line, flush=True)
        except KeyboardInterrupt:
            interrupted = True
        handlers = ignore_signals()  # finished results are written without interruption
        stream.close()
        if interrupted and not journal.rows:  # an older file stays unchanged
            restore(handlers)
            raise Interrupted(f"interrupted: none of {len(tasks)} cases is finished")
    rows = journal.rows
    keep_rows(known, tasks, journal.rows_by_position)
    if rows:
        print(*papers.end(), sep="\n", end="\n" if papers.begun else "")
        if shown := verdict_table.rows_to_show(rows, every):
            verdict_table.verdict_table(shown).print()
        said = verdict_table.run_summary(rows, len(tasks), time.monotonic() - began)
        print(*verdict_table.notable_claims(rows, shown), *said, sep="\n", flush=True)
    restore(handlers)
    if interrupted:
        raise Interrupted(f"interrupted: {len(rows)} of {len(tasks)} cases are finished{journal.location_hint}")
    journal.raise_if_failed()
    if len(rows) < len(tasks):
        print(f"--seconds {seconds:g}: {verdict_table.unfinished_message(names, rows)}", file=sys.stderr)
    raise typer.Exit(verdict_table.exit_status(rows))


def _without_constants(
    selectors: list[str] | None, assignments: list[str] | None
) -> tuple[list[str] | None, list[str] | None]:
    """Return selectors and assignments, with further constants after --set among the latter, as in the other commands."""
    more = [s for s in selectors or () if "=" in s]
    if not more:
        return selectors, assignments
    return [s for s in selectors or () if "=" not in s], [*(assignments or ()), *more]


def _reading_of(claim_id: str) -> str:
    """Return the id with its reading; without one that ``show`` would print is taken, and said on the error output."""
    from fltheory.api.lookup import shown_id

    name, others = shown_id(claim_id)
    if others:
        print(f"{name}; other readings: {', '.join(line.id for line in others)}", file=sys.stderr)
    return name


def _selected_claims(
    selectors: list[str] | None, variant: str | None, jobs: int | None, soon: bool = True
) -> tuple[Claim, ...]:
    """Return the selected claims, with a user's algorithm if there is one.

    All papers are loaded here and, if they are to be checked ``soon``, at the same time in the server that forks the
    processes, which have enough to do.
    """
    from fltheory.api.lookup import select
    from fltheory.claims.catalogue import KEYS
    from fltheory.command.batch import modules_to_preload
    from fltheory.runs import workers

    if variant is not None:
        return _with_algorithm(select(*selectors or ()), variant)
    if not selectors and soon:
        workers.start_server(modules_to_preload(KEYS), jobs)
    return select(*selectors or ())


def _budget(seconds: float | None) -> float:
    """Return the seconds of an option, None for no limit; UserError unless they are a positive number."""
    if seconds is None:
        return math.inf
    if not (seconds > 0 and math.isfinite(seconds)):
        raise UserError(f"--seconds {seconds:g}: expected a positive number")
    return seconds


def _with_algorithm(claims: tuple[Claim, ...], variant: str) -> tuple[Claim, ...]:
    from fltheory.command.subprocess_runs import replaceable_claims
    from fltheory.command.variant import unusable_message

    chosen = replaceable_claims(claims, variant)
    if len(chosen) < len(claims):
        print(unusable_message(claims, chosen), file=sys.stderr)
    return chosen


@app.command()
def falsify(
    claim_id: Id,
    work: Work = DEFAULT_WORK,
    seconds: Seconds = None,
    seed: Seed = 0,
    json_file: JsonFile = None,
    force: Force = False,
    variant: Variant = None,
    jobs: FalsifyJobs = 1,
) -> None:
    """Search for a counterexample.

    The claim's own cases come first. A counterexample is checked again and simplified, with at most 85 % of the given work in
    addition (or 200 units for each of both steps). Exit status 0: none found; 1: found, printed as a line of Python that
    reproduces it; 2: usage error, or the variant's step is broken; 3: no case was tested, or all were inconclusive.
    Ctrl-C ends the search and keeps its results.

    \b
    Examples:
      fltheory falsify sfl/C4-GC@printed
      fltheory falsify sfl/T3-SC@corrected --variant mine.py:step --seconds 60
    """
    from fltheory.api.lookup import claim_of
    from fltheory.command.jsonl_writer import Journal

    _budget(seconds)
    if variant is not None and jobs > 1:
        print(f"--jobs {jobs}: a variant is searched in one process, which finds the same", file=sys.stderr)
    claim = claim_of(_reading_of(claim_id))
    if claim.measure is None:
        raise UserError(f"{claim.id} is an external result: it is compared, not asserted")
    if claim.family is None:
        raise UserError(f"{claim.id} has no family of instances to search")
    from fltheory.command.subprocess_runs import SearchTask, run_search
    from fltheory.command.tables import print_page

    with Journal(json_file, force) as journal:
        result = run_search(SearchTask(claim.id, work, seconds, seed, variant, 1 if variant else jobs))
        if result.row is not None:
            journal.add(0, result.row)
        elif result.interrupted:
            raise Interrupted("interrupted")
    print_page(result.text)
    if result.interrupted and not result.found:
        raise Interrupted(f"interrupted after {result.seconds:.1f} s: no counterexample until then")
    journal.raise_if_failed()
    raise typer.Exit(1 if result.found else 0 if result.decided else 3)


@app.command()
def tightness(
    selectors: TightnessSelectors = None,
    work: Work = DEFAULT_WORK,
    seconds: Seconds = None,
    seed: Seed = 0,
    assignments: VerifyAssignments = None,
    json_file: JsonFile = None,
    force: Force = False,
    markdown: Markdown = None,
) -> None:
    """Search for lower limits on a bound's constants.

    No proof can go below them. Prints a limit for all terms together and for each term, with the case that forces it as a line
    of Python.
    Exit status 0: limits were found; 2: usage error; 3: no case gave a limit. Ctrl-C ends the search and keeps its results.

    \b
    Examples:
      fltheory tightness osmd/C-5@corrected
      fltheory tightness osmd --markdown constants.md
    """
    from fltheory.search.tightness.request import TightnessTask, tightness_answer

    _budget(seconds)
    names = tuple(s for s in selectors or () if "=" not in s)
    more = tuple(s for s in selectors or () if "=" in s)  # further constants after --set
    if not names:
        raise UserError("tightness of what? Give the id of a claim, such as osmd/C-5@corrected")
    if markdown is None:
        names = tuple(map(_reading_of, names))
    task = TightnessTask(names, work, seconds, seed, (*(assignments or ()), *more))
    if markdown is not None:
        if json_file is not None:
            raise UserError("--json is for one claim, --markdown for a table of many: leave out one of them")
        _write_constants(task, markdown, force)
        return
    _print_answer(lambda: tightness_answer(task), names[0], json_file, force)


@app.command()
def repair(
    claim_id: Id,
    work: Work = DEFAULT_WORK,
    seconds: Seconds = None,
    seed: Seed = 0,
    json_file: JsonFile = None,
    force: Force = False,
) -> None:
    """Search for the smallest corrections of a false bound.

    A correction must survive a search for counterexamples.
    Exit status 0: corrections were found; 2: usage error; 3: none survived. Ctrl-C ends the search and keeps its results.

    \b
    Examples:
      fltheory repair sfl/C4-GC@printed
    """
    from fltheory.search.tightness.request import TightnessTask, repair_answer

    _budget(seconds)
    name = _reading_of(claim_id)
    task = TightnessTask((name,), work, seconds, seed)
    _print_answer(lambda: repair_answer(task), name, json_file, force)


def _print_answer(answer: Callable[[], CommandAnswer], claim_id: str, json_file: Path | None, force: bool) -> NoReturn:
    """Print the result of a search for constants or corrections in the claim's letters; exit status 3 if it found nothing."""
    from fltheory.api.bounds import claim_bounds_by_id
    from fltheory.api.lookup import in_letters
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.tables import print_page

    with Journal(json_file, force) as journal:
        found = answer()
        ended = Interrupted(f"interrupted after {found.seconds:.1f} s")
        if found.interrupted and not found.told:  # an older file stays unchanged
            print_page(found.text)
            raise ended
        journal.add(0, found.row)
    print_page(in_letters(found.text, claim_bounds_by_id(claim_id).bounds))
    if found.interrupted:
        raise ended
    journal.raise_if_failed()
    raise typer.Exit(0 if found.told else 3)


def _write_constants(task: TightnessTask, path: Path, force: bool) -> None:
    """Write a table of the constants of many claims; after Ctrl-C only of the finished ones."""
    from fltheory.command.output_files import require_output_file
    from fltheory.search.tightness.request import constants_table

    goal = require_output_file(path, force)
    page = constants_table(task, lambda line: print(line, file=sys.stderr, flush=True))
    if not page.done:  # an older file stays unchanged
        raise Interrupted(f"interrupted: none of {page.of} claims is finished")
    handlers = ignore_signals()  # finished results are written without interruption
    goal.write(page.text.encode())
    restore(handlers)
    if page.done < page.of:
        raise Interrupted(f"interrupted: {page.done} of {page.of} claims are finished; they are in {path}")
    print(path)


@app.command("sweep")
def sweep_over(
    selectors: SweepSelectors = None,
    over: Over = None,
    assignments: SweepAssignments = None,
    variants: Variants = None,
    random: Random = None,
    seed: Seed = 0,
    every_case: EveryCase = False,
    into: Into = Path("sweep.db"),
    csv_file: CsvFile = None,
    parquet: Parquet = None,
    force: Force = False,
    jobs: SweepJobs = 1,
    engine: SweepEngine = Engine.processes,
    scheduler: Scheduler = None,
) -> None:
    """Check claims on a grid of constants.

    The grid, or a random design, is over constants, variants and seeds. Each row is stored as soon as it is finished, and an
    interrupted sweep continues where it stopped. Exit status 0: all rows are stored, whatever they say; 2: usage error; 3: some
    rows were lost; they are named.

    \b
    Examples:
      fltheory sweep sfl/T3-GC@printed --over n_rounds=10,100 --into rounds.db \\
        --csv rounds.csv
    """
    from fltheory.command.sweeps import request as asked

    told = asked.SweepRequest(
        tuple(selectors or ()),
        tuple(over or ()),
        tuple(assignments or ()),
        tuple(variants or ()),
        random,
        seed,
        every_case,
    )
    outputs = asked.Outputs(into, csv_file, parquet, force)
    raise typer.Exit(asked.run_sweep(told, outputs, jobs, engine.value, scheduler))


@app.command("proofs")
def check_proofs(
    keys: Keys = None,
    json_file: JsonFile = None,
    force: Force = False,
    name: Name = None,
    coverage: Coverage = False,
    export: Export = None,
    rocq: Rocq = None,
) -> None:
    """Check proofs of papers or of a file.

    Exit status 0: every verdict is the recorded one; 1: some verdict is not; 2: usage error.

    \b
    Examples:
      fltheory proofs sfl
      fltheory proofs mine.py
      fltheory proofs --show sfl/U6
    """
    from fltheory.api import proofs
    from fltheory.command import proof_table, tables
    from fltheory.command.jsonl_writer import Journal

    if sum((coverage, name is not None, export is not None, rocq is not None)) > 1:
        raise typer.BadParameter(
            "--coverage, --export and --rocq are of whole papers, --show of one proof: expected one of them"
        )
    if export is not None:
        proof_table.export_json(proofs.selected_proofs(keys or ()), export, force)
        return
    if rocq is not None:
        proof_table.export_rocq(proofs.selected_proofs(keys or ()), rocq, force)
        return
    if coverage:
        own = proofs.selected_proofs(keys or ())
        proof_table.show_coverage([source.key for source in own], json_file, force)
        return
    with Journal(json_file, force) as journal:
        sources = proofs.selected_proofs(keys or ())
        targets = proofs.all_theorems(sources) if name is None else proofs.find_theorems(name, sources)
        began, done = time.monotonic(), []
        with tables.progress([t.id for _, t in targets], "proofs") as advance:
            for i, result in enumerate(proofs.check_theorems(targets)):
                done.append(result)
                journal.add(i, proof_table.report_row(result))
                advance(i)
    if name is not None:
        print(*proofs.proof_pages(name, targets, done, tables.console().width), sep="\n")
    else:
        proof_table.report_table(done).print()
        said = (*proof_table.report_summary(done, time.monotonic() - began), proofs.model_summary(targets))
        tables.print_page("\n".join(said))
    journal.raise_if_failed()
    raise typer.Exit(0 if all(r.as_recorded for r in done) else 1)


@app.command("prove")
def prove_statement(
    spec: Statement,
    given: GivenLemmas = None,
    library: Library = None,
    work: ProofWork = DEFAULT_PROOF_WORK,
    rounds: Rounds = None,
    tune: Tune = None,
    beside: Beside = None,
    output: ProofFile = None,
    rocq: RocqFolder = None,
    json_file: JsonFile = None,
    force: Force = False,
) -> None:
    """Search for a proof of a statement.

    Reads hypotheses and a statement from a file, and prints a proof that the kernel confirms, for all parameters; or exact
    values at which the statement is false; or the goal at which the search is stuck. The same work gives the same answer
    on every machine. Exit status 0: proved; 1: refuted; 2: usage error; 3: neither.

    \b
    Examples:
      fltheory prove mine.py:lemma
      fltheory prove mine.py:lemma --given mine.py:other -o proof.py
      fltheory prove mine.py:one_round --rounds x:x_plus --tune eta
    """
    from fltheory.command import proof_search
    from fltheory.command.jsonl_writer import Journal

    statement, lemmas = proof_search.statement_of_file(spec), proof_search.lemmas(given or ())
    others = proof_search.lemmas(library or (), "--library")
    proof_search.require_another_file(output, (spec, *(given or ()), *(library or ())))
    request = proof_search.Request(statement, lemmas, others, work, rounds, tune, beside)
    with Journal(json_file, force) as journal:
        outcome, row = proof_search.run(request, output, force)
        journal.add(0, row)
    if rocq is not None:
        print(proof_search.rocq_answer(outcome, rocq))
    journal.raise_if_failed()
    proved = all(one["verdict"] == "PROVED" for one in row["rounds"])
    raise typer.Exit(proof_search.EXIT[type(outcome)] if proved else 3)


@app.command()
def plot(
    claim_id: ClaimId = None,
    more: More = None,
    output: Output = None,
    along: Along = None,
    assignments: PlotAssignments = None,
    terms: Terms = False,
    counterexample: Counterexample = False,
    proof: Proof = None,
    overview: Overview = False,
    variant: Variant = None,
    csv_file: PlotCsvFile = None,
    force: Force = False,
    style: Style = "paper",
    width: Width = None,
    bare: Bare = False,
    work: Work = DEFAULT_WORK,
    seconds: PlotSeconds = None,
) -> None:
    """Draw a bound against the measured value.

    Both are drawn along one constant, by default that along which measured value over bound varies most.

    \b
    Examples:
      fltheory plot sfl/T3-GC@printed --along eta
      fltheory plot --proof sfl/U6
    """
    from fltheory.command import plot_options
    from fltheory.command.subprocess_runs import PlotTask

    kinds = {"--terms": terms, "--counterexample": counterexample, "--proof": proof is not None, "--overview": overview}
    _budget(seconds)
    claim_id = _reading_of(claim_id) if claim_id and not overview and proof is None else claim_id
    asked = PlotTask(claim_id or "", along, variant, "bound", (), work, seconds)
    files = plot_options.output_files(output, csv_file, claim_id or proof or "overview", force, bare)
    look = plot_options.load_style(style, width)
    kind, settings = plot_options.selected_kind(kinds), [*(assignments or ()), *(more or ())]
    picture = plot_options.picture_for(kind, asked, proof, settings)
    plot_options.write_picture(picture, look, *files)
    print(files[0].path)


@app.command()
def worst(
    claim_id: WorstClaimId,
    more: More = None,
    assignments: Assignments = None,
    variant: Variant = None,
    functions: Functions = None,
    json_file: JsonFile = None,
    force: Force = False,
    recheck: Recheck = None,
) -> None:
    """Compute the worst case over a class of functions.

    Brackets the worst case of a claim's algorithm over all clients of its class, in every dimension, and compares it with the
    bound: an instance bounds it from below, multipliers prove the bound from above. Exit status 0: the bound holds for the whole
    class; 1: it is violated; 2: usage error; 3: neither is shown.

    \b
    Examples:
      fltheory worst sfl/T3-GC@printed M=1 K=1 R=2 L=1 D=1 eta=1/6 sigma=0 \\
        zeta_star=0
      fltheory worst distance --variant mine.py:step smoothness=1 \\
        step_size=1/2 initial_distance=1
      fltheory worst mine.py
    """
    from fltheory.api import worst as question
    from fltheory.api.lookup import as_typed, claim_of, parse_assignments
    from fltheory.claims.claim import bounds_with_tuning
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.tables import print_page
    from fltheory.command.variant import asks_for_worst_cases, with_variant

    assigned = [*(assignments or ()), *(more or ())]
    if (claim_id.endswith(".py") or ".py:" in claim_id) and asks_for_worst_cases(claim_id):
        if assigned or variant or functions or recheck:
            raise UserError(f"{claim_id} states its own constants and class: it takes no other options than --json")
        _worst_of_file(claim_id, json_file, force)
    if claim_id in question.MEASURES:
        if variant is None:
            raise UserError(f"{claim_id} without a theorem: expected --variant FILE.py:NAME and --set")
        _worst_alone(claim_id, assigned, variant, functions, json_file, force, recheck)
    claim = claim_of(_reading_of(claim_id))
    if functions is not None:
        raise UserError(
            f"--functions {functions}: {claim.id} is about a class of its own; it is for a worst case without a theorem"
        )
    claim = claim if variant is None else with_variant(claim, variant)
    if recheck is not None:
        _tell(question.recheck(_row_of(recheck), claim))
    values = parse_assignments(assigned, bounds_with_tuning(claim))
    with Journal(json_file, force) as journal:
        found = question.worst_at(claim, values)
        journal.add(0, found.row())
    print_page(as_typed(str(found), assigned, bounds_with_tuning(claim)))
    journal.raise_if_failed()
    raise typer.Exit({"holds": 0, "violated": 1, "open": 3}[found.status])


def _tell(found: RecheckResult) -> NoReturn:
    """Print the result of checking a written worst case, then exit."""
    from fltheory.command.tables import print_page

    print_page(str(found))
    raise typer.Exit(0 if found.refused is None else 1)


def _worst_alone(
    measure: str,
    assigned: list[str],
    variant: str,
    functions: str | None,
    json_file: Path | None,
    force: bool,
    recheck: Path | None,
) -> None:
    """Print the worst case of a variant without a theorem, then exit."""
    from fltheory.api import worst as question
    from fltheory.api.lookup import as_typed, parse_assignments
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.tables import print_page
    from fltheory.command.variant import load_algorithm

    values = parse_assignments(assigned, ())
    if recheck is not None:
        _tell(question.recheck_method(_row_of(recheck), load_algorithm(variant), measure, values, functions))
    with Journal(json_file, force) as journal:
        found = question.worst_of_method(load_algorithm(variant), measure, values, functions)
        journal.add(0, question.bracket_row(found))
    print_page(as_typed(str(found), assigned, ()))
    journal.raise_if_failed()
    raise typer.Exit(0 if found.lower is not None and found.upper is not None else 3)


def _worst_of_file(spec: str, json_file: Path | None, force: bool) -> None:
    """Print the worst cases that a file asks for, then exit."""
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.variant import load_worst_values

    with Journal(json_file, force) as journal:
        found = load_worst_values(spec)
        for k, (name, one) in enumerate(found.items()):
            journal.add(k, {"name": name, **one.row()})
            print(f"{name}: {one}", flush=True)
    journal.raise_if_failed()
    told = {one.status or ("holds" if one.upper is not None else "open") for one in found.values()}
    raise typer.Exit(1 if "violated" in told else 3 if "open" in told else 0)


def _row_of(path: Path) -> dict[str, object]:
    """Return the only row of a JSON file; UserError if it has another content."""
    try:
        (found,) = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return dict(found)
    except RecursionError:
        raise UserError(f"--check {path}: its lists are nested too deeply") from None
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"--check {path}: expected a file that `fltheory worst --json` wrote ({error})") from None


@app.command("compare")
def compare_algorithms(first: First, second: Second, more: More = None, assignments: Assignments = None) -> None:
    """Compare two algorithms.

    Says whether both take the same points from the same start: on every function if the steps are affine in points and gradients,
    else on drawn instances, exactly; or in which round they part, and on what. By default with 2 clients, 2 local steps, 3 rounds
    and a step of 1/7. Exit status 0: equal; 1: they part; 2: usage error; 3: undecided.

    \b
    Examples:
      fltheory compare mine.py:step sfl/T3-SC@corrected
      fltheory compare sfl/T3-SC@corrected sfl/T5@printed n_clients=3 n_rounds=2
    """
    from fltheory.api.compare import compare
    from fltheory.api.lookup import as_typed, parse_assignments
    from fltheory.command.tables import print_page
    from fltheory.command.variant import algorithm_named

    one, other = map(algorithm_named, (first, second))
    assigned = [*(assignments or ()), *(more or ())]
    given = parse_assignments(assigned, ())
    found = compare(one, other, {symbol.name: value for symbol, value in given.items()})
    print_page(as_typed(str(found), assigned, ()))
    raise typer.Exit({"equal": 0, "different": 1, "undecided": 3}[found.status])


@app.command("frameworks")
def frameworks_of(report: Report = False) -> None:
    """List the frameworks whose algorithms can be checked.

    Prints how each framework's algorithms are named for --variant. Exit status 0; 2: usage error, or the framework is not
    installed.

    \b
    Examples:
      fltheory frameworks
      fltheory frameworks --report
    """
    from fltheory.frameworks import SPEC_FORMATS

    if not report:
        for usage in SPEC_FORMATS.values():
            typer.echo(f"--variant {usage}")
        return
    from fltheory.frameworks.conformance import ENTRIES, installed_versions, markdown_table, table_rows

    versions, found = installed_versions(), []
    for row in table_rows(tuple(entry for entry in ENTRIES if entry.framework in versions)):
        typer.echo(f"{row.entry.framework} {row.entry.text}: {row.verdict.status}", err=True)
        found.append(row)
    typer.echo(markdown_table(found, versions))


@app.command("report")
def write_report(
    selectors: Selectors = None,
    output: WriteReportOutput = Path("report.html"),
    force: Force = False,
    form: Form = Format.html,
    stored: Stored = None,
    plots: Plots = 0.0,
    with_proofs: WithProofs = True,
) -> None:
    """Write a report of claims.

    The report has statements, formulas, verdicts, counterexamples and proofs. An HTML page loads nothing from the network.
    The verdicts are those of a stored run, or of a quick run now.

    \b
    Examples:
      fltheory report sfl -o sfl.html
      fltheory report 'osmd/C*' --format latex -o osmd.tex
    """
    from fltheory import reports
    from fltheory.api.lookup import select
    from fltheory.command import tables
    from fltheory.command.batch import check_tasks, default_jobs, plan
    from fltheory.command.output_files import require_distinct, require_output_file

    require_distinct(output=output, **{"from": stored})
    goal = require_output_file(output, force)
    claims = select(*selectors or ())
    if stored is not None:
        results, source = reports.load_results(stored), f"Verdicts of the stored run {stored.name}."
    else:
        tasks = plan(claims, Profile.quick.value, 0)
        rows = {}
        with tables.progress([task.claim_id for task in tasks], "report") as advance:
            for i, row in check_tasks(tasks, default_jobs(len(tasks))):
                rows[i] = row
                advance(i)
        results, source = reports.results_of(rows[i] for i in sorted(rows)), "Verdicts of a run of the quick profile."
    pictures = {}
    if plots > 0:
        drawn = [claim for claim in claims if claim.id in results]
        with tables.progress([claim.id for claim in drawn], "plots") as advance:
            for i, claim in enumerate(drawn):
                pictures[claim.id] = reports.picture_of(claim, plots)
                advance(i)
    found = reports.document(claims, results, source, with_proofs and form is Format.html, pictures)
    page = reports.FORMATS[form.value](reports.with_origin(found, results)).encode()
    goal.write(page)
    size = f"{len(page) / 1e6:.1f} MB" if len(page) > 1e5 else f"{len(page) / 1e3:.0f} kB"
    print(f"{output}: {tables.count(len(found.entries), 'claim')}, {size}")


@app.command()
def new(name: NewName) -> None:
    """Create a package for a new paper.

    Writes a folder NAME with one theorem, its proof, and a test of both. Nothing is overwritten.

    \b
    Examples:
      fltheory new mypaper
    """
    from fltheory.command.skeleton import write_skeleton

    print(*(path.relative_to(Path.cwd()) for path in write_skeleton(name, Path.cwd())), sep="\n")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; a user error is one line on standard error and status 2."""
    if arguments is not None:
        sys.exit(run(arguments))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with deliver_interrupts(last=True):
        code = run()
    ignore_signals()  # all output is written: nothing is left to interrupt
    gc.freeze()  # skip garbage collection, which runs several times at exit
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    if any("\0" in argument for argument in arguments or ()):  # no shell can pass a null character
        return print_error("an argument contains a null character", EXIT_ERROR)
    command = typer.main.get_command(app)
    return run_for_status(lambda: command.main(arguments, prog_name="fltheory", standalone_mode=False))
