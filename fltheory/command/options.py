"""The arguments and options of the commands, with their help texts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fltheory.seeds import MAX_SEED

Selectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SELECTOR]...",
        help="Choose claims: by id, by id without its reading, by family (sfl/TAB1), by paper, by a file "
        "of claims such as mine.py, or by a pattern such as '*/T3*'.",
        show_default=False,
    ),
]

Id = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Name one claim by its id, such as sfl/T3-SC@corrected; without a reading the printed one is taken.",
    ),
]

JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the results to FILE, one JSON object per line.")
]

Force = Annotated[bool, typer.Option("--force", help="Overwrite a file even if fltheory did not write it.")]

Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed all random numbers.")]

Work = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Limit the search to N units of work, which do not depend on the machine; the default "
        "takes about a minute.",
    ),
]

Seconds = Annotated[
    float | None, typer.Option(help="Stop after this many seconds, even if work is left.", show_default="no limit")
]

_STEP = (
    "Check this object in place of the claim's algorithm: a function step(x, oracle, c), of a sampler "
    "step(p, counts, feedback, c), of a learner step(p, seen, response, c), of a step-size rule step(lr, ratio, reach, c); "
    "or an Algorithm, a Sampler, a Learner or a StepRule."
)

Variant = Annotated[str | None, typer.Option(metavar="FILE.py:NAME", help=_STEP)]

_CLASSES = (
    "Set the class of functions where no theorem does: convex, quadratic, nonconvex, lipschitz or linear. "
    "By default the constants determine it."
)

Functions = Annotated[str | None, typer.Option(metavar="CLASS", help=_CLASSES)]


class Profile(StrEnum):
    """The set of cases to check."""

    quick = "quick"
    full = "full"


class Engine(StrEnum):
    """The engine of a sweep."""

    processes = "processes"
    dask = "dask"


class Format(StrEnum):
    """The format of a report."""

    html = "html"
    latex = "latex"
    markdown = "markdown"


AsJson = Annotated[bool, typer.Option("--json", help="Print the list as an array of JSON objects.")]
Words = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="WORDS",
        help="List only claims whose statement, title or common names, such as 'local SGD', contain all these words.",
    ),
]
Latex = Annotated[bool, typer.Option("--latex", help="Print the formulas as LaTeX.")]
Check = Annotated[
    bool,
    typer.Option("--check", help="Check the proof and the claim's cases now, instead of printing recorded results."),
]
More = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME=VALUE]...", help="Set further constants, as --set does.", show_default=False),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Set a constant by its name or by the paper's letter: M=4, eta=1/60."
    ),
]
Nontrivial = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Print instead from which value of this constant on the bound is not vacuous."),
]
VerifyProfile = Annotated[Profile, typer.Option(help="Check each claim on its quick or on its full set of cases.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Use this many processes; the results do not depend on it.", show_default="cores"),
]
VerifySelectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SELECTOR]... [NAME=VALUE]...",
        help="Choose claims: by id, by id without its reading, by family (sfl/TAB1), by paper, by a file "
        "of claims such as mine.py, or by a pattern such as '*/T3*'. NAME=VALUE sets further constants, as --set does.",
        show_default=False,
    ),
]
VerifyAssignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a constant in every case: R=10, eta=1/60.")
]
Every = Annotated[bool, typer.Option("--all", help="Print every verdict, however many there are.")]
EveryFound = Annotated[
    bool, typer.Option("--all", help="Print every claim that a search finds, however many there are.")
]
VerifySeconds = Annotated[
    float | None, typer.Option(help="Stop after this many seconds and leave out unfinished cases.")
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Check every case, also those whose verdict is kept from an earlier run and unchanged."
    ),
]
FalsifyJobs = Annotated[
    int,
    typer.Option(
        min=1, help="Use this many processes; the result does not depend on it. A variant is searched in one process."
    ),
]
TightnessSelectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID [NAME=VALUE]...",
        help="Name one claim, or with --markdown several; NAME=VALUE sets further constants, as --set does.",
        show_default=False,
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        "--markdown", metavar="FILE", help="Write a Markdown table of the constants of several claims to FILE."
    ),
]
SweepSelectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SPEC.toml|SELECTOR]...",
        help="Name a file that describes the sweep, or choose claims; NAME=RANGE adds a range, as --over does.",
    ),
]
Over = Annotated[
    list[str] | None,
    typer.Option(
        "--over",
        metavar="NAME=RANGE",
        help="Vary a constant over a range: n_rounds=1e2:1e6:13 (13 values in equal ratios), 0:9, or "
        "1/60,1/30; seeds=3 repeats each case.",
    ),
]
SweepAssignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Hold a constant fixed.")
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant", metavar="FILE.py:NAME", help="Check this object in place of the algorithm; may be repeated."
    ),
]
Random = Annotated[
    int | None,
    typer.Option("--random", metavar="N", help="Draw N points at random from the ranges instead of using their grid."),
]
EveryCase = Annotated[bool, typer.Option("--every-case", help="Use all cases of a claim, not only the first.")]
Into = Annotated[
    Path,
    typer.Option("--into", metavar="FILE", help="Store the rows in FILE; rows already in it are not computed again."),
]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows to FILE as CSV.")]
Parquet = Annotated[
    Path | None,
    typer.Option("--parquet", metavar="FILE", help="Write the rows to FILE as Parquet; this needs pyarrow."),
]
SweepJobs = Annotated[int, typer.Option(min=1, help="Use this many processes.")]
SweepEngine = Annotated[Engine, typer.Option(help="Run in processes of this machine or on a dask cluster.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use the dask scheduler at this address, such as tcp://host:8786; by default a cluster is started on this machine.",
    ),
]
Keys = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY]...", help="Choose papers by key, or name a file with proofs: mine.py.", show_default=False
    ),
]
Name = Annotated[str | None, typer.Option("--show", metavar="ID", help="Check one proof and print it, step by step.")]
Coverage = Annotated[
    bool, typer.Option("--coverage", help="Print what is proved of each claim and what is open, without checking.")
]
Export = Annotated[
    Path | None,
    typer.Option("--export", metavar="FILE", help="Write the theorems and proofs to FILE as JSON, for other checkers."),
]
Rocq = Annotated[
    Path | None,
    typer.Option("--rocq", metavar="DIR", help="Write the theorems and proofs to DIR as files that Rocq checks."),
]
ClaimId = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", help="Name one claim by its id, such as sfl/T3-SC@corrected.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE.svg|png|pdf",
        help="Write the plot to this file; by default the claim's id names an SVG file.",
    ),
]
Along = Annotated[str | None, typer.Option(metavar="NAME", help="Put this constant on the horizontal axis.")]
PlotAssignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a constant of the case: M=4, eta=1/60. An external rate needs all its constants.",
    ),
]
Terms = Annotated[bool, typer.Option("--terms", help="Draw the bound's terms separately.")]
Counterexample = Annotated[
    bool,
    typer.Option("--counterexample", help="Draw the case as well: its functions, and a run of the algorithm on them."),
]
Proof = Annotated[
    str | None, typer.Option("--proof", metavar="ID", help="Draw instead the graph of a proof, which is checked now.")
]
Overview = Annotated[
    bool,
    typer.Option(
        "--overview",
        help="Draw instead a map of the recorded verdicts of all claims, or of one paper named by its key.",
    ),
]
Bare = Annotated[
    bool,
    typer.Option("--bare", help="Write title and caption to a text file beside the plot, for LaTeX, and draw neither."),
]
PlotCsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the plotted numbers to FILE.")]
Style = Annotated[str, typer.Option(metavar="paper|slide|dark", help="Choose sizes and colours.")]
Width = Annotated[
    str | None,
    typer.Option(metavar="column|page|INCHES", help="Set the width: column is 3.5 inches, page is 7.16 inches."),
]
PlotSeconds = Annotated[
    float | None,
    typer.Option(
        help="Stop after this many seconds; the case's own point is computed first, unfinished points are left out."
    ),
]
_ALGORITHM = "a step or an Algorithm as FILE.py:NAME, or a claim's algorithm by the claim's id."
First = Annotated[str, typer.Argument(metavar="A", help=f"Name the first: {_ALGORITHM}")]
Second = Annotated[str, typer.Argument(metavar="B", help=f"Name the second: {_ALGORITHM}")]

WorstClaimId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Name one claim by its id; or, for a variant without a theorem, a measure: distance, gap, "
        "gradient, last_gradient, least_gap or regret; or a file FILE.py that asks for worst cases by Problem.worst.",
    ),
]
Recheck = Annotated[
    Path | None,
    typer.Option(
        "--check", metavar="FILE", help="Check the certificate in FILE, which --json wrote, without a solver."
    ),
]
Report = Annotated[bool, typer.Option("--report", help="Check the released algorithms now and print a Markdown table.")]
WriteReportOutput = Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Write the report to FILE.")]
Form = Annotated[Format, typer.Option("--format", help="Write an HTML page, LaTeX for \\input, or Markdown.")]
Stored = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help="Read the verdicts from FILE, which verify --json wrote, and run nothing."
    ),
]
Plots = Annotated[
    float,
    typer.Option(metavar="SECONDS", help="Spend at most this many seconds on the plot of each claim; 0 draws none."),
]
WithProofs = Annotated[bool, typer.Option("--proofs/--no-proofs", help="Include the steps of the proofs.")]
NewName = Annotated[
    str, typer.Argument(metavar="NAME", help="Name the package, which is also the paper's key, such as mypaper.")
]

DEFAULT_PROOF_WORK = 1_000  # as ``fltheory.proving.budget``, which is not imported for the help

Statement = Annotated[
    str,
    typer.Argument(
        metavar="FILE.py:NAME",
        help="Name a statement in a file: a theorem made by proof(...).conjecture(...), or any theorem, whose steps are ignored.",
        show_default=False,
    ),
]
GivenLemmas = Annotated[
    list[str] | None,
    typer.Option(
        "--given",
        metavar="LEMMA",
        help="Name a theorem that the proof may apply, FILE.py:NAME or a recorded one such as sfl/U6. It is taken as proved; "
        "repeat it for several.",
    ),
]
Library = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="KEY",
        help="Use the theorems of a paper such as sfl, or of FILE.py, where they speak of the same things as the statement; repeat "
        "it for several. They are taken as proved.",
    ),
]
ProofWork = Annotated[
    int,
    typer.Option(
        "--work",
        min=1,
        metavar="N",
        help="Limit the search to N units of work, which do not depend on the machine; the default takes about a minute.",
    ),
]
ProofFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.py", help="Write the proof to a file instead of printing it."),
]
RocqFolder = Annotated[
    Path | None,
    typer.Option(
        "--rocq", metavar="DIR", help="Write the proof for Rocq into a folder, and check it there if coqc is installed."
    ),
]
Rounds = Annotated[
    str | None,
    typer.Option(
        "--rounds",
        metavar="BEFORE:AFTER",
        help="Name the points before and after a round; the theorem about R rounds that follows from the statement is proved too.",
    ),
]
Beside = Annotated[
    str | None,
    typer.Option(
        "--beside", metavar="CLAIM", help="Print the proved bound and that of a claim in a table, with their ratio."
    ),
]
Tune = Annotated[
    str | None,
    typer.Option(
        "--tune", metavar="STEP", help="Choose this step size of the bound over R rounds so that it is least."
    ),
]
