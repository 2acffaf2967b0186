"""Inputs as their users wrote them, loaded by their place beside this file: names of files that are no names of modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.when_asked import WhenAsked

HERE = Path(__file__).parent


def loaded(path: str) -> Any:
    """The module of a file below this folder, which is run when something of it is asked for."""
    return WhenAsked(lambda: _executed(path))


def _executed(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, HERE / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FALSE = (  # file and name of famous statements that are false
    ("classics/01_adam.py", "CLAIM"),
    ("classics/02_exp3_sure.py", "CLAIM"),
    ("classics/03_admm3.py", "CLAIM"),
    ("classics/04_follow_the_leader.py", "CLAIM"),
    ("classics/05_hedge_short.py", "CLAIM"),
    ("classics/06_fedavg_constant.py", "CLAIM"),
    ("classics/07_ogd_log.py", "CLAIM"),
    ("classics/08_sign_online.py", "CLAIM"),
    ("classics/09_ogd_no_range.py", "CLAIM"),
    ("classics/10_greedy_bandit.py", "CLAIM"),
    ("classics/10_greedy_bandit.py", "SWAPPED"),
    ("classics/11_sgd_constant.py", "CLAIM"),
    ("classics/12_sign_vote.py", "CLAIM"),
    ("classics/13_top_one.py", "CLAIM"),
    ("classics/14_step_beyond_two.py", "CLAIM"),
    ("classics/15_gda_bilinear.py", "CLAIM"),
    ("classics/16_heavy_ball.py", "CLAIM"),
    ("classics/17_nesterov_monotone.py", "CLAIM"),
    ("classics/19_scaffold_sign.py", "CLAIM"),
    ("classics/20_stale.py", "CLAIM"),
    ("classics/21_clipped.py", "CLAIM"),
    ("classics/22_median.py", "CLAIM"),
    ("classics/22_median.py", "KRUM"),
    ("classics/24_rounded.py", "CLAIM"),
    ("classics/25_local_speed_up.py", "CLAIM"),
    ("classics/27_decentralised.py", "CLAIM"),
    ("classics/28_fedprox.py", "CLAIM"),
    ("public/10_fedem_unsampled_kept.py", "claim"),
)
TRUE = (  # and of true ones, among them the true twins of these
    ("classics/05_hedge_short.py", "TRUE"),
    ("classics/09_ogd_no_range.py", "TRUE"),
    ("classics/10_greedy_bandit.py", "TRUE"),
    ("classics/11_sgd_constant.py", "TRUE"),
    ("classics/13_top_one.py", "TRUE"),
    ("classics/14_step_beyond_two.py", "TRUE"),
    ("classics/15_gda_bilinear.py", "TRUE"),
    ("classics/17_nesterov_monotone.py", "TRUE"),
    ("classics/18_frank_wolfe.py", "TRUE"),
    ("classics/20_stale.py", "TRUE"),
    ("classics/23_gd_4n2.py", "TRUE"),
    ("classics/26_ogd.py", "TRUE"),
    ("classics/34_polyak.py", "TRUE"),
    ("classics/36_douglas_rachford.py", "TRUE"),
)
