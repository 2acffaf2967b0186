"""The default instances of the upper bounds, and the paper's Table 2."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.case import Case, FederatedInstance
from fltheory.number import Number, exact, symbolic
from fltheory.papers.sfl.notation import L
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients

# Table 2: two clients, F = c(x) x^2 with minimiser 0; zeta_* is 1 in tasks 1-5 and 10 in tasks 6-10.
_CURVATURES: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = (  # ((left, right) of client 1, of client 2)
    (("1", "1"), ("1", "1")),
    (("3/2", "3/2"), ("1/2", "1/2")),
    (("2", "2"), ("0", "0")),
    (("3/2", "1"), ("3/2", "1")),
    (("2", "1"), ("2", "1")),
)


def table_2(task: int, start: object = 10) -> QuadraticClients | PiecewiseQuadraticClients:
    """Return task 1..10 of Table 2; the start is not printed, 10 is that of the authors' earlier code."""
    first, second = _CURVATURES[(task - 1) % 5]
    slope = 1 if task <= 5 else 10
    if first[0] == first[1]:
        return QuadraticClients((first[0], second[0]), (slope, -slope), start)
    return PiecewiseQuadraticClients((first[0], second[0]), (first[1], second[1]), (slope, -slope), start)


def at_effective_step(instance: FederatedInstance, relative: object, steps: str = "MK", **settings: Number) -> Case:
    """Return a case with effective step ``relative`` / L; ``steps`` names its factors: "MK", "SK" or "K"."""
    factor = int(settings.get("n_local_steps", 1))
    if "M" in steps:
        factor *= instance.n_clients
    if "S" in steps:
        factor *= int(settings["n_participating"])
    server = symbolic(exact(settings.get("server_step_size", 1)))
    step = symbolic(exact(relative)) / (symbolic(instance.constants[L]) * factor * server)
    return Case(instance, step_size=exact(step), **settings)


# One instance for each combination: equal or different curvatures, noise or heterogeneity or both, 1 or 2 coordinates.
SMALL: Number = Fraction(1, 100)
STRONGLY_CONVEX = (
    QuadraticClients((1, 1), (1, -1), 6),
    QuadraticClients((1, "1/10"), (1, -1), 3, noise_std="1/2"),
    QuadraticClients((1, "1/2", "1/4", "1/10"), (2, -1, -2, 1), -10, noise_std=1),
    QuadraticClients(((1, "1/20"), ("1/5", "1/10")), ((1, 0), (-1, 2)), (1, -1), noise_std=("1/10", "1/5")),
    QuadraticClients((1, 1, 1), (3, -2, -1), 10, noise_std="1/10", noise_law="uniform"),
)
CONVEX = (
    QuadraticClients((2, 0), (1, -1), 10),
    QuadraticClients((1, "1/100"), (1, -1), 10, noise_std=1),
    QuadraticClients(
        ((1, 0), (0, "1/2"), ("1/3", "1/3")), ((1, 1), (0, -1), (-1, 0)), (2, -2), noise_std=("1/2", "1/2")
    ),
)
NOISELESS = (
    QuadraticClients((1, "1/10"), (1, -1), 10),
    QuadraticClients((1, "1/2", "1/4", "1/10"), (2, -1, -2, 1), -20),
)
