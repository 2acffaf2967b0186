"""How the cost of a verdict grows: ``python -m benchmarks.growth`` fits exponents, for ``docs/explanation/growth.md``.

Each size is doubled, processor time is the least of two runs, and the exponent is the slope of its logarithm over the larger half
of the sizes, with the standard error of the fit. ``--show`` prints the table and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.evidence.sequential import simulate
from fltheory.model.case import Case
from fltheory.papers.osmd.instances.bounded_clients import HuberClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.verification import find

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "growth.md"
BEGIN, END = "<!-- measured: python -m benchmarks.growth -->\n", "<!-- end of what is measured -->\n"
LONGEST = 8.0  # seconds of a run after which sizes are not doubled any more


class Growth(NamedTuple):
    """The exponent of the cost in one size, its standard error, the sizes it was fitted over, and the seconds of the last."""

    evidence: str
    along: str
    exponent: float
    error: float
    first: int
    last: int
    seconds: float


def processor_seconds(run: Callable[[], object]) -> float:
    """The least of two runs."""
    found = []
    for _ in range(2):
        began = time.process_time()
        run()
        found.append(time.process_time() - began)
    return min(found)


def growth(evidence: str, along: str, run: Callable[[int], object], sizes: Sequence[int]) -> Growth:
    """Measure one of them."""
    run(sizes[0])
    spent: list[float] = []
    for size in sizes:
        spent.append(processor_seconds(partial(run, size)))
        if spent[-1] > LONGEST:
            break
    half = slice(len(spent) // 2 - 1, len(spent))
    x, y = np.log(sizes[: len(spent)])[half], np.log(spent)[half]
    slope, level = np.polyfit(x, y, 1)
    residual = y - slope * x - level
    error = float(np.sqrt((residual**2).sum() / max(len(x) - 2, 1) / ((x - x.mean()) ** 2).sum()))
    return Growth(evidence, along, float(slope), error, sizes[: len(spent)][half][0], sizes[len(spent) - 1], spent[-1])


# One kind of evidence after the other ------------------------------------------------------------------------------------


def moments(rounds: int = 100, clients: int = 4, dimension: int = 1, local_steps: int = 2) -> object:
    """A verdict by exact moments of SFL on quadratics, with noise."""
    curvatures = tuple(tuple(Fraction(1, 1 + (i + m) % 3) for i in range(dimension)) for m in range(clients))
    slopes = tuple(tuple((-1) ** m * Fraction(m // 2 + 1, clients) for _ in range(dimension)) for m in range(clients))
    instance = QuadraticClients(curvatures, slopes, (1,) * dimension, noise_std=1)
    step = Fraction(1, 12 * clients * local_steps)
    return check_claim(
        find("sfl/T3-GC@printed"), Case(instance, n_rounds=rounds, n_local_steps=local_steps, step_size=step), stages=()
    )


def streamed(rounds: int = 50, clients: int = 10, seeds: int = 1000, local_steps: int = 2) -> object:
    """Compiled runs of SFL on piecewise quadratics, as statistical evidence has them."""
    ends = tuple(Fraction(1, 1 + m % 3) for m in range(clients))
    instance = PiecewiseQuadraticClients((1,) * clients, ends, tuple((-1) ** m for m in range(clients)), 1)
    case = Case(instance, n_rounds=rounds, n_local_steps=local_steps, step_size=Fraction(1, 12 * clients * local_steps))
    claim = find("sfl/T3-GC@printed")
    return simulate(claim.measure, claim.algorithm, case, seeds, 0)


def game(rounds: int = 50, clients: int = 10, seeds: int = 100) -> object:
    """Games of a sampler, round by round in NumPy, as statistical evidence has them."""
    claim = find("osmd/C-T4@explicit")
    instance = HuberClients(copies=clients // 2, start="1/10", bend=1, curvature=1, floor="1/2", noise_std="1/10")
    case = Case(instance, batch_size=1, n_rounds=rounds, n_sampled=2, step_size="1/10", sampler_rate="1/100")
    return claim.measure.simulate(claim.algorithm, case, 0, np.arange(seeds))


def measured() -> Iterator[Growth]:
    """All of them."""
    doubled = [2**k for k in range(1, 14)]
    yield growth("exact moments", "rounds", lambda n: moments(rounds=n), doubled[3:])
    yield growth("exact moments", "clients", lambda n: moments(clients=n), [2, 4, 6, 8, 10, 12, 14, 16])
    yield growth("exact moments", "dimension", lambda n: moments(dimension=n), doubled[:5])
    yield growth("exact moments", "local steps", lambda n: moments(local_steps=n), doubled[:7])
    yield growth("compiled runs", "rounds", lambda n: streamed(rounds=n), doubled[4:])
    yield growth("compiled runs", "clients", lambda n: streamed(clients=n), doubled[3:11])
    yield growth("compiled runs", "seeds", lambda n: streamed(seeds=n), [256 * n for n in doubled[:10]])
    yield growth("games", "rounds", lambda n: game(rounds=n), doubled[3:11])
    yield growth("games", "clients", lambda n: game(clients=n), doubled[2:11])
    yield growth("games", "seeds", lambda n: game(seeds=n), doubled[4:])


# The catalogue and the runner --------------------------------------------------------------------------------------------

LOADED = """
import json, time
from pathlib import Path
def megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4 / 1024
import fltheory.verification
began, before = time.process_time(), megabytes()
from fltheory.claims.catalogue import claims_of_paper
found = []
for key in ("sfl", "fedcg", "delta_sgd", "aaggff", "osmd"):
    claims = claims_of_paper(key)
    found.append((len(claims), time.process_time() - began, megabytes() - before))
print(json.dumps(found))
"""


def per_claim() -> tuple[tuple[float, float], tuple[float, float]]:
    """Milliseconds and megabytes for a loaded claim, each with its standard error, over the papers one after the other."""
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=ROOT)
    rows = np.array([(0, 0, 0), *json.loads(told.stdout)], dtype=float)
    claims, (seconds, megabytes) = rows[1:, 0], np.diff(rows[:, 1:], axis=0).T
    claims, seconds, megabytes = claims[1:], seconds[1:], megabytes[1:]  # the first paper loads what all share
    return slope_through_zero(claims, 1000 * seconds), slope_through_zero(claims, megabytes)


def slope_through_zero(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The least-squares slope without a constant, and its standard error."""
    slope = float((x * y).sum() / (x * x).sum())
    return slope, float(np.sqrt(((y - slope * x) ** 2).sum() / (len(x) - 1) / (x * x).sum()))


def seconds_of(*words: str) -> float:
    """The time of a command in a process of its own, by the clock."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        surroundings = {**os.environ, "XDG_CACHE_HOME": folder, "FLTHEORY_FRESH": "1"}
        command = [sys.executable, "-m", "fltheory", *words]
        if words[0] == "sweep":
            command += ["--into", str(Path(folder) / "run.db")]  # else a second run would use the rows of the first
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=surroundings, cwd=ROOT
        )
    return time.perf_counter() - began


def runners() -> list[tuple[str, float, float]]:
    """The time of a command with one process, and that of two in parts of it: verify, and a sweep by processes and by dask."""
    design = ("sweep", "sfl/T3-GC@printed", "--over", "n_rounds=1e1:1e6:250", "--over", "step_size=1/4000:1/400:80")
    found = []
    for name, words in (("verify aaggff", ("verify", "aaggff")), ("sweep of 20000 points", design)):
        one, two = (min(seconds_of(*words, "--jobs", str(jobs)) for _ in range(2)) for jobs in (1, 2))
        found.append((f"{name}, processes", one, two / one))
    dask = min(seconds_of(*design, "--jobs", "2", "--engine", "dask") for _ in range(2))
    return [*found, ("the same sweep, dask", one, dask / one)]


def page() -> str:
    """What is measured, as Markdown."""
    lines = ["| evidence | along | exponent | sizes | seconds at the last |", "|---|---|---|---|---|"]
    for row in measured():
        slope, sizes = f"{row.exponent:.2f} ± {row.error:.2f}", f"{row.first} to {row.last}"
        lines.append(f"| {row.evidence} | {row.along} | {slope} | {sizes} | {row.seconds:.2g} |")
        print(lines[-1], flush=True)
    (time_, time_error), (room, room_error) = per_claim()
    lines += ["", "| a loaded claim | measured | at 10 times the claims | at 100 times |", "|---|---|---|---|"]
    claims = sum(1 for _ in catalogue())
    for what, slope, error, unit, scale in (
        ("time", time_, time_error, "ms", 1e-3),
        ("memory", room, room_error, "MB", 1.0),
    ):
        shown = "s" if unit == "ms" else "MB"
        far = [f"{n * claims * slope * scale:.0f} ± {n * claims * error * scale:.0f} {shown}" for n in (10, 100)]
        lines.append(f"| {what} | {slope:.2f} ± {error:.2f} {unit} | {far[0]} | {far[1]} |")
    lines += ["", "| command | seconds with one process | time of two, of that of one |", "|---|---|---|"]
    lines += [f"| {name} | {one:.1f} | {ratio:.2f} |" for name, one, ratio in runners()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--show", action="store_true", help="write nothing")
    found = page()
    print(found)
    if not parser.parse_args().show:
        whole = PAGE.read_text(encoding="utf-8")
        before, _, rest = whole.partition(BEGIN)
        PAGE.write_text(before + BEGIN + found + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
