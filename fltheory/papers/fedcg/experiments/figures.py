"""Figure of facility location on generated ratings, as in the paper's example: which items to keep for all clients.

A rating is 1 to 5, or 0 without a rating. Items are numbered by popularity, which decreases like rank^-s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.number import streams, to_float
from fltheory.papers.fedcg.algorithms.rounding import pipage_step
from fltheory.papers.fedcg.guarantees.figures.runs import band
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, Modular
from fltheory.problems.sets.set_optimum import optimum_by_milp
from fltheory.runs.distributions.randomness import StreamChance

CLIENTS, ITEMS = 1000, 100
SIZES = tuple(range(1, 11))
ROUNDS, SETS = 50, 50
STYLES = {
    "optimum (HiGHS)": "trivial",
    "greedy": "reference 3",
    "gradients shared": "first",
    "FedCG": "second",
    "most rated in sum": "third",
    "random": "reference",
}


def normal(seed: int, *shape: int) -> np.ndarray:
    """Return independent standard normal numbers from the counter-based streams."""
    from scipy.special import ndtri

    return np.asarray(ndtri(streams.uniform(seed, np.arange(int(np.prod(shape))), 0, 0, 0))).reshape(shape)


@dataclass(frozen=True)
class Ratings:
    """Generated ratings from latent tastes with two factors, which also determine which items a client rates."""

    exponent: float
    share: float  # share of clients with neutral taste who rate the most popular item

    @cached_property
    def scores(self) -> np.ndarray:
        """The ratings, (clients, items)."""
        taste = normal(1, CLIENTS, 2) @ normal(2, ITEMS, 2).T / np.sqrt(2)
        score = 3.2 + 0.3 * normal(3, ITEMS) + taste + 0.5 * normal(4, CLIENTS, ITEMS)
        popularity = np.arange(1, ITEMS + 1) ** -self.exponent
        rated = streams.uniform(5, np.arange(CLIENTS * ITEMS), 0, 0, 0).reshape(CLIENTS, ITEMS)
        seen = rated < self.share * popularity * 2 / (1 + np.exp(-2 * taste))
        return np.where(seen, np.clip(np.rint(score), 1, 5), 0.0)

    @cached_property
    def order(self) -> np.ndarray:
        """The items of each client by decreasing rating."""
        from fltheory.papers.fedcg.instances.facility_kernels import items_by_score

        return items_by_score(self.scores)

    def value(self, items: np.ndarray) -> float:
        """Return the mean over clients of their best rating in the set."""
        return float(self.scores[:, items].max(axis=1).mean())

    def optimum(self, size: int) -> tuple[float, np.ndarray]:
        """Return the best set, by HiGHS; a best rating is the number of levels 1 to 5 that the set reaches."""
        levels: Counter[tuple[int, ...]] = Counter(
            tuple(np.flatnonzero(row >= level).tolist()) for row in self.scores for level in range(1, 6)
        )
        levels.pop((), None)
        function = Coverage(list(levels), ITEMS, list(levels.values()))
        value, items = optimum_by_milp((function,), (Fraction(1, CLIENTS),), Uniform(ITEMS, size))
        return to_float(value), np.array(sorted(items))


def fedcg(ratings: Ratings, size: int) -> np.ndarray:
    """Return the last point of FedCG with all clients."""
    from fltheory.papers.fedcg.instances.facility_kernels import facility_top_items

    x = np.zeros(ITEMS)
    for _ in range(ROUNDS):
        sent = facility_top_items(ratings.scores, ratings.order, x, size)
        x = x + np.bincount(sent.ravel(), minlength=ITEMS) / (CLIENTS * ROUNDS)
    return x


def gradient_sharing(ratings: Ratings, size: int) -> np.ndarray:
    """Return the last point of continuous greedy on F."""
    from fltheory.papers.fedcg.instances.facility_kernels import facility_extension

    x, weights = np.zeros(ITEMS), np.full(CLIENTS, 1 / CLIENTS)
    for _ in range(ROUNDS):
        gradient = facility_extension(ratings.scores, ratings.order, weights, x)[1]
        x[np.argsort(-gradient, kind="stable")[:size]] += 1 / ROUNDS
    return x


def round_point(x: np.ndarray, size: int) -> list[np.ndarray]:
    """Return some sets by randomised pipage."""
    clients = SubmodularClients((Modular((0,) * ITEMS),), Uniform(ITEMS, size))
    found = pipage_step(np.tile(x, (SETS, 1)), SetOracle(clients, StreamChance(6, np.arange(SETS), size)), None)
    return [np.flatnonzero(row) for row in found]


def sets_by_method(ratings: Ratings, size: int) -> Mapping[str, list[np.ndarray]]:
    """Return the sets of each method, several for random ones."""
    from fltheory.papers.fedcg.instances.facility_greedy import facility_greedy

    weights = np.full(CLIENTS, 1 / CLIENTS)
    draws = [streams.ordered_samples(7, np.array([k]), 0, ITEMS, size)[0] for k in range(SETS)]
    return {
        "optimum (HiGHS)": [ratings.optimum(size)[1]],
        "greedy": [facility_greedy(ratings.scores, weights, size)[0]],
        "gradients shared": round_point(gradient_sharing(ratings, size), size),
        "FedCG": round_point(fedcg(ratings, size), size),
        "most rated in sum": [np.argsort(-ratings.scores.sum(axis=0), kind="stable")[:size]],
        "random": draws,
    }


def _panels(ratings: Ratings, y_label: str) -> tuple[Panel, Panel]:
    sets = [sets_by_method(ratings, size) for size in track(SIZES)]
    curves = []
    for name, style in STYLES.items():
        values = [np.array([ratings.value(items) for items in found[name]]) for found in sets]
        note = f"mean of {SETS} sets, band from the least to the largest" if len(values[0]) > 1 else "float64"
        curves.append(band(name, SIZES, values, style, note))
    title = f"popularity like $\\mathrm{{rank}}^{{-{ratings.exponent:g}}}$"
    objective = Panel(title, "items kept", y_label, tuple(curves), x_scale="linear", y_scale="linear")
    names = [n for n in STYLES if n != "random"]
    rows = tuple(
        Curve(
            "one of the ten items kept",
            np.sort(sets[-1][name][0]) + 1,
            [len(names) - i] * SIZES[-1],
            "outside",
            note=f"{name}: kept items",
            tag=name,
        )
        for i, name in enumerate(names)
    )
    which = Panel(
        f"which {SIZES[-1]} items are kept (circles; one set of each method)",
        "rank of popularity",
        "",
        rows,
        y_scale="linear",
        y_limits=(0.5, len(names) + 0.5),
        y_ticks=(),
    )
    return objective, which


@headline("FedCG loses a tenth of the optimum where tastes count")
def movies() -> Picture:
    """Plot the mean best rating over the number of items, and the items that are kept."""
    pairs = [_panels(Ratings(1.0, 0.5), "mean of the best rating"), _panels(Ratings(0.5, 0.2), "")]
    panels = tuple(pair[i] for i in (0, 1) for pair in pairs)
    ends = []
    for objective, _ in pairs:
        last = {c.label: float(c.y[-1]) for c in objective.curves}
        ends.append([last[n] / last["optimum (HiGHS)"] for n in ("greedy", "gradients shared", "FedCG")])
    words = [" / ".join(f"{v:.1%}" for v in end) for end in ends]
    return Picture(
        fill(
            f"Ten items by greedy / gradients shared / FedCG: {words[0]} of the optimum where few items are popular (left), "
            f"{words[1]} where tastes count (right)",
            TITLE,
        ),
        panels,
        columns=2,
        width=PAGE,
        row_height=2.6,
        legend_columns=3,
        caption=f"{CLIENTS} clients, {ITEMS} items, generated ratings 1 to 5, 0 where unrated. Both federated methods: all "
        f"clients, {ROUNDS} rounds,\nthen randomised pipage, means of {SETS} sets, bands from the least to the largest. "
        "Among items that add nothing for a client\nFedCG sends the more popular ones.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"movies": movies}
