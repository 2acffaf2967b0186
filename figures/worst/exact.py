"""Exact worst cases of rounds over all smooth, strongly convex clients, shared by the figures."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from sympy import Expr

from fltheory.command.variant import load_variant
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.papers.sfl.bounds import C2_PFL, C2_SFL
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastDistance
from fltheory.symbols import heterogeneity_at_optimum, n_clients, n_local_steps, noise_std, smoothness
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.question import question
from fltheory.worst_case.two_sided import bracket

CURVATURE = Fraction(1, 10)
CLASS = Smooth(1, CURVATURE)
LARGEST = Fraction(1, 6)  # largest L eta_eff of the theorems
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Size(NamedTuple):
    """Clients, local steps and rounds."""

    n_clients: int
    n_local_steps: int
    n_rounds: int = 1


class Ends(NamedTuple):
    """A worst case between an attained and a proved value."""

    lower: float
    upper: float


def shuffled_once() -> Algorithm:
    """Return the example with one stored random order."""
    found, _ = load_variant(f"{EXAMPLES / 'shuffle_once.py'}:claim")
    assert isinstance(found, Algorithm)
    return found


@cache
def worst_ends(method: Algorithm, size: Size, effective: Fraction, spread: Fraction) -> Ends:
    """Return the worst E|x_R - x*|^2 / D^2 at this effective step (M K eta, or K eta), zeta* = ``spread`` D."""
    found = attained_worst(method, size, effective, spread)
    if found.lower == -inf:
        raise ArithmeticError(
            f"no clients were found that come near to {found.upper:.6g}: {method.name}, step {effective}"
        )
    return found


@cache
def attained_worst(method: Algorithm, size: Size, effective: Fraction, spread: Fraction) -> Ends:
    """Return the same, with -inf if no clients attain a value near the proved one."""
    steps = size.n_local_steps if method.name == parallel.name else size.n_clients * size.n_local_steps
    differ = {"heterogeneity_at_optimum": spread} if size.n_clients > 1 else {}
    settings = {**size._asdict(), **differ, "step_size": effective / steps, "initial_distance": 1}
    found = bracket(question(method, CLASS, LastDistance(), **settings))
    if found.upper is None:
        raise ArithmeticError(f"nothing is proved of {found.question}")
    return Ends(-inf if found.lower is None else float(found.lower), float(found.upper))


def recursion(second: Expr, size: Size, effective: Fraction, spread: Fraction) -> float:
    """Return the paper's bound after a round, for small steps: (1 - mu eta / 2) D^2 + c_2 eta^3."""
    values = {
        smoothness: 1,
        n_clients: size.n_clients,
        n_local_steps: size.n_local_steps,
        noise_std: 0,
        heterogeneity_at_optimum: spread,
    }
    return float(1 - CURVATURE * effective / 2) + float(second.subs(values)) * float(effective) ** 3


BASELINES = (("SFL", sequential, C2_SFL), ("PFL", parallel, C2_PFL))
ORDERS = (
    ("SFL, fresh random order", sequential, "measured"),
    ("SFL, clients in a fixed order", fixed_order, "reference"),
)
