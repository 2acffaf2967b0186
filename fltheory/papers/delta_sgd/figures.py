"""Figures of the paper, part by part."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.delta_sgd.convex.figures import PICTURES as CONVEX
from fltheory.papers.delta_sgd.experiments.figures.accuracies import PICTURES as ACCURACIES
from fltheory.papers.delta_sgd.experiments.figures.promise import PICTURES as PROMISE
from fltheory.papers.delta_sgd.experiments.figures.training import PICTURES as TRAINING
from fltheory.papers.delta_sgd.experiments.figures.who_wins import PICTURES as WHO_WINS
from fltheory.papers.delta_sgd.nonconvex.figures import PICTURES as RATES
from fltheory.papers.delta_sgd.rule.figures import PICTURES as RULE
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {
    **RULE,
    **RATES,
    **CONVEX,
    **TRAINING,
    **WHO_WINS,
    **PROMISE,
    **ACCURACIES,
}
