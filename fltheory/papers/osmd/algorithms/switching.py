"""Algorithms 5 and 6 with compiled games against the switching adversary, and lower limits for long games."""

from __future__ import annotations

import numpy as np

from fltheory.evidence.measured import AtLeast
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.papers.osmd.algorithms import adaptive as samplers
from fltheory.papers.osmd.algorithms.grid import Meta
from fltheory.papers.osmd.experts.cases import FollowedAdversary, SwitchingAdversary


def adaptive(gamma: Meta = "corrected") -> Sampler:
    """Return Algorithm 5, compiled against switching adversaries too."""
    return _with_games(samplers.adaptive(gamma), gamma, False)


def doubling(gamma: Meta = "corrected") -> Sampler:
    """Return Algorithm 6 with restarts at uniform, compiled against switching adversaries too."""
    return _with_games(samplers.doubling(gamma), gamma, True)


def _with_games(sampler: Sampler, gamma: Meta, doubling: bool) -> Sampler:
    others = sampler.kernel
    assert others is not None

    def kernel(case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
        if isinstance(case.instance, SwitchingAdversary):
            from fltheory.papers.osmd.experts.kernels.switching_games import switching_regrets

            return switching_regrets(case, seed, repetitions, gamma, doubling)
        return others(case, seed, repetitions)

    def least(case: Case) -> AtLeast | None:
        if not isinstance(case.instance, FollowedAdversary):
            return None
        from fltheory.papers.osmd.experts.closed_forms.lower_limits import least_regret

        return least_regret(case, gamma, doubling)

    return sampler._replace(kernel=kernel, least=least)
