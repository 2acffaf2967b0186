"""The command line: a thin skin. Heavy imports wait inside the commands, so that help answers at once."""

from __future__ import annotations

import gc
import json
import math
import signal
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from fltheory.command.exit_codes import EXIT_ERROR, Interrupted, ignore_signals, print_error, restore, run_for_status
from fltheory.model.errors import UserError
from fltheory.search.deadline import deliver_interrupts, items_before
from fltheory.seeds import MAX_SEED
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

Selectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SELECTOR]...",
        help="Id, id without reading, family (sfl/TAB1: all sfl/TAB1-*), paper key, or glob.",
        show_default=False,
    ),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="A claim's id, such as sfl/T3-SC@corrected.")]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write one JSON object a line to FILE.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that fltheory did not make too.")]
Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of every random stream.")]
Work = Annotated[
    int, typer.Option(min=1, metavar="N", help="Work, in units that no load changes; the default takes about a minute.")
]
Seconds = Annotated[
    float | None, typer.Option(help="Time after which it ends, work done or not.", show_default="no limit")
]
_STEP = (
    "A step(x, oracle, c), for a sampler step(p, counts, feedback, c), for a learner step(p, seen, response, c), "
    "for a step size step(lr, ratio, reach, c); or an Algorithm, a Sampler, a Learner or a StepRule."
)
Variant = Annotated[str | None, typer.Option(metavar="FILE.py:NAME", help=_STEP)]

_CLASSES = "Without a theorem: convex, quadratic, nonconvex, lipschitz or linear; else the constants tell it."
Functions = Annotated[str | None, typer.Option(metavar="CLASS", help=_CLASSES)]


class Profile(StrEnum):
    """How many cases are checked."""

    quick = "quick"
    full = "full"


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False
) -> None:
    if version:
        from fltheory import __version__

        print(f"fltheory {__version__}")
        raise typer.Exit()
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command("list")
def list_claims(
    selectors: Selectors = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print an array of JSON objects.")] = False,
    words: Annotated[
        str | None,
        typer.Option("--search", metavar="WORDS", help="Those in which all these words occur: statements, titles."),
    ] = None,
) -> None:
    """List the claims, one row for each reading; a paper, by its key, as a table of contents with all readings."""
    from fltheory.api.lookup import selected_lines, whole_papers
    from fltheory.claims import index
    from fltheory.claims.catalogue import title
    from fltheory.command import tables

    found = selected_lines(selectors or (), words)
    if as_json:
        print(json.dumps([index.line_as_json(line) for line in found], indent=1, ensure_ascii=False))
    elif words is None and (papers := whole_papers(selectors or (), found)):
        for key in papers:
            own = [line for line in found if line.paper == key]
            tables.print_lines(tables.table_of_contents(f"{key}: {title(key)}", index.lines_by_item(key, own)))
    else:
        tables.claims_table(found).print()


@app.command()
def show(
    claim_id: Id,
    latex: Annotated[bool, typer.Option("--latex", help="Formulas as LaTeX.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the proof and the claim's cases now, not only what is recorded.")
    ] = False,
) -> None:
    """Show one claim.

    Its statement, conditions, assumptions, source, and what is recorded of its proof and its tightness.
    """
    from fltheory.api.lookup import claim_of, id_of

    name = id_of(claim_id)  # before anything of the claims is loaded: pages are kept
    from fltheory.api import tightness
    from fltheory.api.show import claim_lines, page_text, proof_lines

    if not latex and not check:
        print(page_text(name))
        return
    claim = claim_of(name)
    said = claim_lines(claim, proof_lines(claim, check), latex)
    print(*said, "", "tightness", sep="\n", flush=True)  # at once: to check the cases takes seconds
    print(*(f"  {line}" for line in tightness.tightness_lines(claim, check)), sep="\n")


@app.command()
def bound(
    claim_id: Id,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Further constants after --set.", show_default=False),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A constant, by its name or the paper's letter: M=4, eta=1/60."
        ),
    ] = None,
    nontrivial: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Instead: from which value of this constant on it says more than is known."),
    ] = None,
) -> None:
    """Evaluate a bound.

    Prints the number, rounded to the safe side (up for an upper bound), then an enclosure of the exact value, and whether it is
    vacuous: above what is known anyway.
    """
    from fltheory.api.lookup import id_of, label, letters_of, parse_assignments

    name = id_of(claim_id)  # before anything of the claims is loaded: bounds are kept
    from fltheory.api.bounds import claim_bounds_by_id

    asked = claim_bounds_by_id(name)
    values = parse_assignments([*(assignments or ()), *(more or ())], asked.bounds)
    print(*(asked.at(values) if nontrivial is None else asked.nontrivial_ranges(nontrivial, values)), sep="\n")
    used = {s for b in asked.bounds for s in (*b.symbols, *(w for w, _ in b.where))}
    unused = [label(s, letters_of(asked.bounds)) for s in values if s not in used]
    if unused:
        print(f"not used by this bound: {', '.join(unused)}", file=sys.stderr)


@app.command()
def verify(
    selectors: Selectors = None,
    profile: Annotated[Profile, typer.Option(help="Cases to check.")] = Profile.quick,
    seed: Seed = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; the result is the same for any number.", show_default="cores")
    ] = None,
    json_file: JsonFile = None,
    force: Force = False,
    variant: Variant = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A constant that every case is to have: R=10, eta=1/60."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every claim, however many they are.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Time to spend: cases that are not finished by then are left.")
    ] = None,
) -> None:
    """Check the claims on their cases.

    Prints a line for each paper and the verdicts that deserve reading; of few claims, or with --all, every verdict.
    Exit status 0: every verdict is the expected one, or of a variant, or with --set, nothing is violated; 1: one is not, or is
    violated; 2: usage error, or FILE could not be written; 3: nothing decided, or a broken step. Ctrl-C keeps what is done.
    """
    from fltheory.command import tables, verdict_table
    from fltheory.command.batch import check_tasks, default_jobs, plan
    from fltheory.command.jsonl_writer import Journal

    deadline = time.perf_counter() + _budget(seconds)
    tasks = plan(_selected_claims(selectors, variant, jobs), profile.value, seed, variant, tuple(assignments or ()))
    if not tasks:
        raise UserError("nothing to verify: the selected claims are external results or have no cases")
    names, began, interrupted = [task.claim_id for task in tasks], time.monotonic(), False
    with Journal(json_file, force) as journal:
        stream = check_tasks(tasks, jobs or default_jobs(len(tasks)))
        try:
            with tables.progress(names, "verify") as advance:
                for i, row in items_before(deadline, stream):
                    journal.add(i, row)
                    advance(i)
        except KeyboardInterrupt:
            interrupted = True
        handlers = ignore_signals()  # what is finished is written in peace
        stream.close()
        if interrupted and not journal.rows:  # leaves an older file as it was
            restore(handlers)
            raise Interrupted(f"interrupted: none of {len(tasks)} cases is finished")
    rows = journal.rows
    if rows:
        if shown := verdict_table.rows_to_show(rows, every):
            verdict_table.verdict_table(shown).print()
        print(*verdict_table.run_summary(rows, len(tasks), time.monotonic() - began), sep="\n", flush=True)
    restore(handlers)
    if interrupted:
        raise Interrupted(f"interrupted: {len(rows)} of {len(tasks)} cases are finished{journal.location_hint}")
    journal.raise_if_failed()
    if len(rows) < len(tasks):
        print(f"--seconds {seconds:g}: {verdict_table.unfinished_message(names, rows)}", file=sys.stderr)
    raise typer.Exit(verdict_table.exit_status(rows))


def _selected_claims(selectors: list[str] | None, variant: str | None, jobs: int | None) -> tuple[Claim, ...]:
    """The selected claims, with a user's algorithm where one is given.

    All papers are loaded here and, at the same time, in what the processes are forked from, for which there will be enough to do.
    """
    from fltheory.api.lookup import select
    from fltheory.claims.catalogue import KEYS
    from fltheory.command.batch import modules_to_preload
    from fltheory.runs import workers

    if variant is not None:
        return _with_algorithm(select(*selectors or ()), variant)
    if not selectors:
        workers.start_server(modules_to_preload(KEYS), jobs)
    return select(*selectors or ())


def _budget(seconds: float | None) -> float:
    """The seconds of an option, none for no limit; Mistake where they are no positive number."""
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
    jobs: Annotated[
        int, typer.Option(min=1, help="Processes; they find the same as one. A variant has one, which may end with it.")
    ] = 1,
) -> None:
    """Search for a counterexample.

    The claim's own cases come first. What is found is checked again and made simpler beside the work that is given, with six tenths
    of it at most (of little work 400 units). Exit status 0: none found; 1: found, printed as a line of Python that replays it;
    2: usage error, or the variant's step is broken; 3: nothing was tested, or all of it is inconclusive.
    Ctrl-C ends the search and keeps what it has.
    """
    from fltheory.api.lookup import claim_of
    from fltheory.command.jsonl_writer import Journal

    _budget(seconds)
    if variant is not None and jobs > 1:
        print(f"--jobs {jobs}: a variant is searched in one process, which finds the same", file=sys.stderr)
    claim = claim_of(claim_id)
    if claim.measure is None:
        raise UserError(f"{claim.id} is an external result: it is compared, not asserted")
    if claim.family is None:
        raise UserError(f"{claim.id} has no family of instances to search")
    from fltheory.command.subprocess_runs import SearchTask, run_search

    with Journal(json_file, force) as journal:
        result = run_search(SearchTask(claim.id, work, seconds, seed, variant, 1 if variant else jobs))
        if result.row is not None:
            journal.add(0, result.row)
        elif result.interrupted:
            raise Interrupted("interrupted")
    print(result.text, flush=True)
    if result.interrupted and not result.found:
        raise Interrupted(f"interrupted after {result.seconds:.1f} s: no counterexample until then")
    journal.raise_if_failed()
    raise typer.Exit(1 if result.found else 0 if result.decided else 3)


@app.command()
def tightness(
    selectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID [NAME=VALUE]...",
            help="A claim's id; with --markdown, selectors of many claims; further constants after --set.",
            show_default=False,
        ),
    ] = None,
    work: Work = DEFAULT_WORK,
    seconds: Seconds = None,
    seed: Seed = 0,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A constant that every case is to have: R=10, eta=1/60."),
    ] = None,
    json_file: JsonFile = None,
    force: Force = False,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write a table of the constants of many claims.")
    ] = None,
) -> None:
    """Search for lower limits on the constants of a bound: no proof can go below them.

    Prints a limit for all terms together and for each term, with the case that forces it as a line of Python.
    Exit status 0: limits were found; 2: usage error; 3: no case gave a limit. Ctrl-C ends the search and keeps its results.
    Example: fltheory tightness osmd/C-5@corrected
    """
    from fltheory.search.tightness.request import TightnessTask, tightness_answer

    _budget(seconds)
    names = tuple(s for s in selectors or () if "=" not in s)
    more = tuple(s for s in selectors or () if "=" in s)  # further constants after --set
    if not names:
        raise UserError("tightness of what? Give the id of a claim, such as osmd/C-5@corrected")
    task = TightnessTask(names, work, seconds, seed, (*(assignments or ()), *more))
    if markdown is not None:
        if json_file is not None:
            raise UserError("--json is for one claim, --markdown for a table of many: leave out one of them")
        _write_constants(task, markdown, force)
        return
    _print_answer(lambda: tightness_answer(task), json_file, force)


@app.command()
def repair(
    claim_id: Id,
    work: Work = DEFAULT_WORK,
    seconds: Seconds = None,
    seed: Seed = 0,
    json_file: JsonFile = None,
    force: Force = False,
) -> None:
    """Search for the smallest corrections of a false bound that survive a search for counterexamples.

    Exit status 0: corrections were found; 2: usage error; 3: none survived. Ctrl-C ends the search and keeps its results.
    Example: fltheory repair sfl/T3-SC@printed
    """
    from fltheory.search.tightness.request import TightnessTask, repair_answer

    _budget(seconds)
    _print_answer(lambda: repair_answer(TightnessTask((claim_id,), work, seconds, seed)), json_file, force)


def _print_answer(answer: Callable[[], CommandAnswer], json_file: Path | None, force: bool) -> NoReturn:
    """Print what a search for constants or corrections found; exit status 3 where it found nothing."""
    from fltheory.command.jsonl_writer import Journal

    with Journal(json_file, force) as journal:
        found = answer()
        ended = Interrupted(f"interrupted after {found.seconds:.1f} s")
        if found.interrupted and not found.told:  # leaves an older file as it was
            print(found.text, flush=True)
            raise ended
        journal.add(0, found.row)
    print(found.text, flush=True)
    if found.interrupted:
        raise ended
    journal.raise_if_failed()
    raise typer.Exit(0 if found.told else 3)


def _write_constants(task: TightnessTask, path: Path, force: bool) -> None:
    """A table of the constants of many claims, of those that are done where Ctrl-C ends it."""
    from fltheory.command.output_files import require_output_file
    from fltheory.search.tightness.request import constants_table

    goal = require_output_file(path, force)
    page = constants_table(task, lambda line: print(line, file=sys.stderr, flush=True))
    if not page.done:  # leaves an older file as it was
        raise Interrupted(f"interrupted: none of {page.of} claims is finished")
    handlers = ignore_signals()  # what is finished is written in peace
    goal.write(page.text.encode())
    restore(handlers)
    if page.done < page.of:
        raise Interrupted(f"interrupted: {page.done} of {page.of} claims are finished; they are in {path}")
    print(path)


class Engine(StrEnum):
    """What does the rows of a sweep."""

    processes = "processes"
    dask = "dask"


@app.command("sweep")
def sweep_over(
    selectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SPEC.toml|SELECTOR]...",
            help="A file that says it all, or claims; further NAME=RANGE after --over.",
        ),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(
            "--over", metavar="NAME=RANGE", help="n_rounds=1e2:1e6:13 (equal ratios), 0:9, 1/60,1/30; seeds=3."
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A constant that is held fixed.")
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="FILE.py:NAME", help="In the algorithm's place; may be repeated."),
    ] = None,
    random: Annotated[
        int | None, typer.Option("--random", metavar="N", help="N points drawn from the ranges, not their grid.")
    ] = None,
    seed: Seed = 0,
    every_case: Annotated[
        bool, typer.Option("--every-case", help="All cases of a claim, not the first alone.")
    ] = False,
    into: Annotated[
        Path, typer.Option("--into", metavar="FILE", help="Keeps the rows; what is there is not done again.")
    ] = Path("sweep.db"),
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows as CSV.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="FILE", help="Write the rows as Parquet (needs pyarrow).")
    ] = None,
    force: Force = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    engine: Annotated[Engine, typer.Option(help="Processes of this machine, or a dask cluster.")] = Engine.processes,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of dask: tcp://host:8786; none: a cluster on this machine.")
    ] = None,
) -> None:
    """Check claims at a grid, or a random design, of constants, variants and seeds; each row is kept as it is finished.

    Ended early it goes on where it was. Exit status 0: all rows are there, whatever they say; 2: usage error; 3: some were lost,
    which are named.
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
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY]...", help="Paper keys, or a file with proofs: mine.py.", show_default=False),
    ] = None,
    json_file: JsonFile = None,
    force: Force = False,
    name: Annotated[str | None, typer.Option("--show", metavar="ID", help="Show one proof, step by step.")] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="What is proved of each claim, and what stands open; nothing is checked.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write them as JSON, for other checkers.")
    ] = None,
    rocq: Annotated[
        Path | None, typer.Option("--rocq", metavar="DIR", help="Write them as files that Rocq checks.")
    ] = None,
) -> None:
    """Check proofs: the recorded ones of papers, or those of a file.

    Examples: fltheory proofs sfl; fltheory proofs mine.py; fltheory proofs --show sfl/U6.
    Exit status 0: every verdict is the recorded one; 1: some verdict is not; 2: usage error.
    """
    from fltheory.api import proofs
    from fltheory.command import proof_table, tables
    from fltheory.command.jsonl_writer import Journal

    if sum((coverage, name is not None, export is not None, rocq is not None)) > 1:
        raise typer.BadParameter(
            "--coverage, --export and --rocq are of whole papers, --show of one proof: expected one of them"
        )
    sources = proofs.selected_proofs(keys or ())
    if export is not None:
        proof_table.export_json(sources, export, force)
        return
    if rocq is not None:
        proof_table.export_rocq(sources, rocq, force)
        return
    if coverage:
        proof_table.show_coverage([source.key for source in sources], json_file, force)
        return
    targets = proofs.all_theorems(sources) if name is None else proofs.find_theorems(name, sources)
    began, done = time.monotonic(), []
    with Journal(json_file, force) as journal, tables.progress([t.id for _, t in targets], "proofs") as advance:
        for i, result in enumerate(proofs.check_theorems(targets)):
            done.append(result)
            journal.add(i, proof_table.report_row(result))
            advance(i)
    if name is not None:
        print(*proofs.proof_pages(name, targets, done, tables.console().width), sep="\n")
    else:
        proof_table.report_table(done).print()
        print(
            *proof_table.report_summary(done, time.monotonic() - began),
            proofs.model_summary(targets),
            sep="\n",
            flush=True,
        )
    journal.raise_if_failed()
    raise typer.Exit(0 if all(r.as_recorded for r in done) else 1)


@app.command()
def plot(
    claim_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="A claim's id, such as sfl/T3-SC@corrected.", show_default=False),
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Further constants after --set.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.svg|png|pdf", help="Default: the id, as SVG.")
    ] = None,
    along: Annotated[str | None, typer.Option(metavar="NAME", help="The constant on the horizontal axis.")] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A constant of the case: M=4, eta=1/60. External rates need all."
        ),
    ] = None,
    terms: Annotated[bool, typer.Option("--terms", help="The bound taken apart, term by term.")] = False,
    counterexample: Annotated[
        bool, typer.Option("--counterexample", help="The case itself too: its functions, and a run on them.")
    ] = False,
    proof: Annotated[
        str | None, typer.Option("--proof", metavar="ID", help="Instead: the graph of a proof, checked now.")
    ] = None,
    overview: Annotated[
        bool,
        typer.Option("--overview", help="Instead: all claims on one map, as recorded; of a paper alone by its key."),
    ] = False,
    variant: Variant = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the numbers that are drawn to FILE.")
    ] = None,
    force: Force = False,
    style: Annotated[str, typer.Option(metavar="paper|slide|dark", help="Sizes and colours.")] = "paper",
    width: Annotated[
        str | None, typer.Option(metavar="column|page|INCHES", help="3.5 or 7.16 inches, or so many.")
    ] = None,
    work: Work = DEFAULT_WORK,
    seconds: Annotated[
        float | None, typer.Option(help="A second limit. The case's own value comes first, what is late is left out.")
    ] = None,
) -> None:
    """Draw a bound against the measured value, along one constant of the bound (default: the number of rounds).

    Example: fltheory plot sfl/T3-GC@printed --along eta
    """
    from fltheory.command import plot_options
    from fltheory.command.subprocess_runs import PlotTask

    kinds = {"--terms": terms, "--counterexample": counterexample, "--proof": proof is not None, "--overview": overview}
    _budget(seconds)
    asked = PlotTask(claim_id or "", along, variant, "bound", (), work, seconds)
    files = plot_options.output_files(output, csv_file, claim_id or proof or "overview", force)
    look = plot_options.load_style(style, width)
    kind, settings = plot_options.selected_kind(kinds), [*(assignments or ()), *(more or ())]
    picture = plot_options.picture_for(kind, asked, proof, settings)
    plot_options.write_picture(picture, look, *files)
    print(files[0].path)


@app.command()
def worst(
    claim_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A claim's id; or distance, gap, gradient, last_gradient, least_gap, regret: of a variant, without a theorem.",
        ),
    ],
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Further constants after --set.", show_default=False),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A constant, by its name or the paper's letter: M=2, eta=1/60."
        ),
    ] = None,
    variant: Variant = None,
    functions: Functions = None,
    json_file: JsonFile = None,
    force: Force = False,
    recheck: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Check the certificate that --json wrote, without a solver."),
    ] = None,
) -> None:
    """The worst case of a claim's algorithm over all clients of its class, in every dimension, beside its bound.

    From both sides: an instance that attains it, and multipliers that prove it. Exit status 0: the bound holds for the whole class;
    1: violated; 2: usage error; 3: neither is shown.
    """
    from fltheory.api import worst as question
    from fltheory.api.lookup import claim_of, parse_assignments
    from fltheory.claims.claim import bounds_with_tuning
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.variant import with_variant

    assigned = [*(assignments or ()), *(more or ())]
    if claim_id in question.MEASURES:
        if variant is None:
            raise UserError(f"{claim_id} without a theorem: expected --variant FILE.py:NAME and --set")
        _worst_alone(claim_id, assigned, variant, functions, json_file, force, recheck)
    claim = claim_of(claim_id)
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
    print(found, flush=True)
    journal.raise_if_failed()
    raise typer.Exit({"holds": 0, "violated": 1, "open": 3}[found.status])


def _tell(found: RecheckResult) -> NoReturn:
    """What a check of a written worst case found, then exit."""
    print(found, flush=True)
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
    """The worst case of a variant without a theorem, then exit."""
    from fltheory.api import worst as question
    from fltheory.api.lookup import parse_assignments
    from fltheory.command.jsonl_writer import Journal
    from fltheory.command.variant import load_algorithm

    values = parse_assignments(assigned, ())
    if recheck is not None:
        _tell(question.recheck_method(_row_of(recheck), load_algorithm(variant), measure, values, functions))
    with Journal(json_file, force) as journal:
        found = question.worst_of_method(load_algorithm(variant), measure, values, functions)
        journal.add(0, question.bracket_row(found))
    print(found, flush=True)
    journal.raise_if_failed()
    raise typer.Exit(0 if found.lower is not None and found.upper is not None else 3)


def _row_of(path: Path) -> dict[str, object]:
    """The one row of a JSON file; Mistake where it is none."""
    try:
        (found,) = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return dict(found)
    except RecursionError:
        raise UserError(f"--check {path}: its lists stand too deep inside one another") from None
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"--check {path}: expected a file that `fltheory worst --json` wrote ({error})") from None


class Format(StrEnum):
    """What a report is written as."""

    html = "html"
    latex = "latex"
    markdown = "markdown"


@app.command("frameworks")
def frameworks_of(
    report: Annotated[
        bool, typer.Option("--report", help="Judge the released algorithms now; a table in Markdown.")
    ] = False,
) -> None:
    """Which frameworks' algorithms can be judged, by --variant; --report: what is said of them.

    Exit status 0; 2: usage error, or the framework isn't installed.
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
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write it.")] = Path(
        "report.html"
    ),
    force: Force = False,
    form: Annotated[Format, typer.Option("--format", help="A page, LaTeX to input, or Markdown.")] = Format.html,
    stored: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Rows that verify --json wrote; nothing is run.")
    ] = None,
    plots: Annotated[
        float, typer.Option(metavar="SECONDS", help="Draw each claim in at most so many seconds; 0: no plots.")
    ] = 0.0,
    with_proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="With the lines of the proofs.")] = True,
) -> None:
    """Write a report of claims: statements, formulas, verdicts, counterexamples, proofs.

    An HTML page asks nothing of any network. Verdicts are those of a stored run, or of a quick one now.
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
    page = reports.FORMATS[form.value](found).encode()
    goal.write(page)
    print(f"{output}: {len(found.entries)} claims, {len(page) / 1e6:.1f} MB")


@app.command()
def new(name: Annotated[str, typer.Argument(metavar="NAME", help="Its package and its key, such as mypaper.")]) -> None:
    """Begin a paper of your own.

    Writes a folder NAME with a package: one theorem, its proof, a test of both. Nothing is overwritten.
    """
    from fltheory.command.skeleton import write_skeleton

    print(*(path.relative_to(Path.cwd()) for path in write_skeleton(name, Path.cwd())), sep="\n")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; a user's mistake is one line on standard error and status 2."""
    if arguments is not None:
        sys.exit(run(arguments))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with deliver_interrupts(last=True):
        code = run()
    ignore_signals()  # all is written: nothing is left to interrupt
    gc.freeze()  # nor to be looked for: an interpreter that ends does so several times
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line: its exit status."""
    if any("\0" in argument for argument in arguments or ()):  # no shell can pass one on
        return print_error("an argument contains a null character", EXIT_ERROR)
    command = typer.main.get_command(app)
    return run_for_status(lambda: command.main(arguments, prog_name="fltheory", standalone_mode=False))
