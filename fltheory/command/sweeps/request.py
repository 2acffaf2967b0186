"""A sweep from the command line or a TOML file: its design, its files, its output."""

from __future__ import annotations

import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

from fltheory.api.lookup import as_typed
from fltheory.claims.ids import paper_of
from fltheory.claims.plugins import plugin_specs, source_file_of
from fltheory.command.exit_codes import Interrupted
from fltheory.command.output_files import output_file
from fltheory.command.sweeps import SweepResult, run_design
from fltheory.command.sweeps.design import Design, make_design
from fltheory.command.sweeps.engines import require_engine
from fltheory.command.sweeps.store import Store, as_csv, as_parquet, require_parquet
from fltheory.command.tables import print_page
from fltheory.model.errors import UserError

SPEC_KEYS = ("claims", "over", "set", "variants", "random", "seed", "every_case")
PROGRESS_INTERVAL = 1.0  # seconds between two progress lines


@dataclass(frozen=True)
class SweepRequest:
    """The arguments of a sweep, as texts."""

    selectors: tuple[str, ...]
    over: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    random: int | None = None
    seed: int = 0
    every_case: bool = False


@dataclass(frozen=True)
class Outputs:
    """The files of the rows."""

    into: Path
    csv: Path | None = None
    parquet: Path | None = None
    force: bool = False  # overwrite a foreign file


def run_sweep(told: SweepRequest, outputs: Outputs, jobs: int, engine: str, scheduler: str | None) -> int:
    """Run the sweep, print its summary and return the exit status."""
    require_engine(jobs, engine, scheduler)
    if outputs.parquet is not None:
        require_parquet()
    design = design_of(told)
    require_distinct_files(told, design, outputs)
    table, columns = (output_file(path, outputs.force) for path in (outputs.csv, outputs.parquet))
    with Store(outputs.into) as store:
        try:
            found = run_design(design, store, jobs, engine, scheduler, _ProgressPrinter())
        except KeyboardInterrupt:
            there = len(store.existing_keys([point.key for point in design.points]))
            raise Interrupted(
                f"interrupted: {there} of {len(design.points)} rows are in {outputs.into}; the same goes on"
            ) from None
    if table is not None:
        table.write(as_csv(found.rows, design.constants))
    if columns is not None:
        columns.write(as_parquet(found.rows, design.constants))
    print_page(_in_typed_names(sweep_summary(found), told))
    return 3 if found.lost else 0


def _in_typed_names(summary: str, told: SweepRequest) -> str:
    """Return the summary with the names of constants that the command line has; unchanged if a paper alone knows one."""
    assigned = [text for text in (*told.over, *told.fixed) if text.partition("=")[0].strip() != "seeds"]
    try:
        return as_typed(summary, assigned, ())
    except UserError:
        return summary


def require_distinct_files(told: SweepRequest, design: Design, outputs: Outputs) -> None:
    """Raise UserError if an output would overwrite an input of the sweep or another output."""
    kept = outputs.into.resolve()
    taken = {kept.with_name(kept.name + end): "--into" for end in ("", "-wal", "-shm", "-journal")}
    taken |= {path.resolve(): "the file of a claim" for path in _files_of_claims(design)}
    taken |= {Path(s).resolve(): "the file that says the sweep" for s in told.selectors if s.endswith(".toml")}
    variants = {point.variant for point in design.points}
    taken |= {Path(v.rpartition(":")[0]).resolve(): "the file of a variant" for v in variants if v is not None}
    for name, path in (("--csv", outputs.csv), ("--parquet", outputs.parquet)):
        if path is None:
            continue
        if (what := taken.get(path.resolve())) is not None:
            raise UserError(f"{name} {path}: that is {what}; expected another file, it would be overwritten")
        if path.is_file() or not path.exists():  # a device takes both
            taken[path.resolve()] = name


def _files_of_claims(design: Design) -> Iterator[Path]:
    yield from (Path(spec) for spec in plugin_specs() if spec.endswith(".py"))
    for key in {paper_of(point.claim_id) for point in design.points}:
        source = source_file_of(key)
        if source is not None:
            yield source.path


def sweep_summary(found: SweepResult) -> str:
    """Return the summary of a sweep, in lines."""
    counts = Counter(row["status"] for row in found.rows)
    rows = f"{len(found.rows)} row{'' if len(found.rows) == 1 else 's'}"
    lines = [f"{rows} ({found.reused} were there): " + ", ".join(f"{n} {s}" for s, n in counts.most_common())]
    reasons = Counter(row["reason"] for row in found.rows if row["status"] == "inapplicable")
    lines += found.design.remarks
    lines += [f"{found.others} more in the file are of other points or sources"] if found.others else []
    lines += [f"inapplicable, {n} rows: {reason}" for reason, n in reasons.most_common(3)]
    worst = [row for row in found.rows if row["ratio"] is not None]
    if worst:
        row = max(worst, key=lambda r: r["ratio"])
        at = ", ".join(f"{n} = {v}" for n, v in row["at"].items())
        told = f"{row['id']} ({row['status']}, {row['evidence']})"
        lines.append(f"largest ratio {row['ratio']:.3g}: {told} at {at or 'its own constants'}, seed {row['seed']}")
    lines += [
        f"LOST {lost.point.claim_id} at {dict(lost.point.values)}, seed {lost.point.seed}: {lost.why}"
        for lost in found.lost
    ]
    return "\n".join(lines)


def design_of(told: SweepRequest) -> Design:
    """Return the design; UserError for invalid input."""
    if len(told.selectors) == 1 and told.selectors[0].endswith(".toml"):
        beside = SweepRequest(told.selectors)
        names = ("--over", "--set", "--variant", "--random", "--seed", "--every-case")
        typed = [n for n, one, none in zip(names, astuple(told)[1:], astuple(beside)[1:], strict=True) if one != none]
        if typed:
            raise UserError(f"{told.selectors[0]} says all of it: leave out {', '.join(typed)}")
        return _design_from_file(Path(told.selectors[0]))
    # a range after --over may omit its option
    ranges = [*told.over, *(s for s in told.selectors if "=" in s)]
    told = replace(told, selectors=tuple(s for s in told.selectors if "=" not in s))
    if not told.selectors:
        raise UserError("sweep what? Give claims, such as sfl/T3-GC@printed, or a SPEC.toml")
    pairs = (_pairs(ranges, "--over"), _pairs(told.fixed, "--set"))
    return make_design(told.selectors, *pairs, told.variants, told.random, told.seed, told.every_case)


def _pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in texts:
        name, sign, value = one.partition("=")
        if not sign or not name or not value:
            raise UserError(f"{option} {one}: expected NAME={'RANGE' if option == '--over' else 'VALUE'}")
        if name in found:
            raise UserError(f"{option} {name} is given twice")
        found[name] = value
    return found


def _design_from_file(path: Path) -> Design:
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"can't read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no TOML: {error}") from None
    strange = next((name for name in spec if name not in SPEC_KEYS), None)
    if strange is not None:
        raise UserError(f"{path}: {strange}: expected {', '.join(SPEC_KEYS)}")
    claims, variants = (_texts(path, spec, name) for name in ("claims", "variants"))
    if not claims:
        raise UserError(f'{path}: which claims? claims = ["sfl/T3-GC@printed"]')
    over, fixed = (_table(path, spec, name) for name in ("over", "set"))
    return make_design(
        claims, over, fixed, variants, spec.get("random"), spec.get("seed", 0), spec.get("every_case", False)
    )


def _texts(path: Path, spec: Mapping[str, Any], name: str) -> list[str]:
    found = spec.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UserError(f'{path}: {name} must be a list of texts, such as ["..."]')
    return found


def _table(path: Path, spec: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = spec.get(name, {})
    if not isinstance(found, dict):
        raise UserError(f"{path}: {name} must be a table: [{name}] and a line NAME = VALUE for each")
    return found


class _ProgressPrinter:
    """A printer of progress on standard error."""

    def __init__(self) -> None:
        self.last = 0.0

    def __call__(self, done: int, total: int, left: float) -> None:
        if done < total and time.monotonic() - self.last < PROGRESS_INTERVAL:
            return
        self.last = time.monotonic()
        print(f"{done} of {total} rows, {left:.0f} s left", file=sys.stderr, flush=True)
