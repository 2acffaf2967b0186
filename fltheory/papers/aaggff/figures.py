"""Figures of the paper, part by part."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.aaggff.entropic.figures import PICTURES as ENTROPIC
from fltheory.papers.aaggff.estimators.figures import PICTURES as ESTIMATORS
from fltheory.papers.aaggff.experiments.figures import PICTURES as RESULTS
from fltheory.papers.aaggff.newton.figures.failure import PICTURES as FAILURE
from fltheory.papers.aaggff.newton.figures.limits import PICTURES as LIMITS
from fltheory.papers.aaggff.newton.figures.regrets import PICTURES as REGRETS
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {**FAILURE, **ESTIMATORS, **REGRETS, **LIMITS, **ENTROPIC, **RESULTS}
