"""Figures of the paper, part by part."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.fedcg.experiments.figures import PICTURES as MOVIES
from fltheory.papers.fedcg.guarantees.figures.guarantee import PICTURES as GUARANTEE
from fltheory.papers.fedcg.guarantees.figures.instances import PICTURES as CONSTRUCTED
from fltheory.papers.fedcg.guarantees.figures.worst import PICTURES as WORST
from fltheory.papers.fedcg.local.figures import PICTURES as LOCAL
from fltheory.plotting.picture import Picture

PICTURES: dict[str, Callable[[], Picture]] = {**GUARANTEE, **CONSTRUCTED, **WORST, **LOCAL, **MOVIES}
