"""Figures of the paper, part by part."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.osmd.experiments.figures import PICTURES as EXPERIMENTS
from fltheory.papers.osmd.regret.figures import PICTURES as REGRET
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {**REGRET, **EXPERIMENTS}
