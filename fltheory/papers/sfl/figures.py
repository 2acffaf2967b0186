"""Figures of the paper, part by part."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.sfl.comparison.figures.bias import PICTURES as BIAS
from fltheory.papers.sfl.comparison.figures.rates import PICTURES as RATES
from fltheory.papers.sfl.experiments.figures import PICTURES as DIGITS
from fltheory.papers.sfl.tasks.figures import PICTURES as TASKS
from fltheory.papers.sfl.upper.figures import PICTURES as UPPER
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {**TASKS, **UPPER, **BIAS, **RATES, **DIGITS}
