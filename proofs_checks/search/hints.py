"""What the search begins with for some theorems. Only proposals: the check decides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fltheory.proof.language import Theorem

_UNIFORM = {
    "Scalar log p": "-log(2)",
    "RandomScalar log p": "-log(2)",
    "Nonnegative q": "1/2",
    "RandomNonnegative q": "1/2",
    "n_clients": 2,
}
_QUIET = {"logp": "-log(2)", "logq": "-log(2)", "logr": "-log(2)", "logpe": "-log(2)", "logw": 0, "c": 0, "z": 0}
_NEWTON = {"Vector p": "1/2", "n_clients": 4}
_UNTOLD = {  # nobody has a gradient, so that nobody is told anything
    **dict.fromkeys((f"RandomPositive {law}" for law in "pq"), "1/2"),
    **dict.fromkeys((f"RandomVector {name}" for name in ("w", "y", "xi")), 0),
    **dict.fromkeys((f"RandomScalar {name}" for name in ("c", "z", "logw")), 0),
    "RandomScalar logpe": "-log(2)",
    "RandomNonnegative a": 0,
    "RandomNonnegative N": 1,
    "n_clients": 2,
    "n_sampled": 2,
    "n_rounds": 1,
    "n_experts": 1,
    "batch_size": 1,
    "n_local_steps": 1,
    "probability_floor": 1,
    "variation_budget": 0,
}
_AT_CAP = {  # a start so far away that the cap is the least candidate
    **dict.fromkeys(("noise_std", "heterogeneity", "dynamic_heterogeneity"), 0),
    **dict.fromkeys(("smoothness", "server_step_size", "gradient_bound"), 1),
    **dict.fromkeys(("effective_step_size", "step_size"), "1/8"),
    "initial_gap": 10000,
}
HINTS: tuple[tuple[str, tuple[Mapping[str, Any], ...]], ...] = (
    (r"osmd/T9b(-apart)?-played", ({**_UNTOLD, **_AT_CAP},)),
    (r"osmd/T\d.*-played", (_UNTOLD,)),
    (
        r"osmd/(T4|T4-any|T5|T5-explicit|T9b|T9b-apart|T9b-premin|avg-tuned-explicit)",
        tuple(
            {
                "RandomPositive q": "1/2",
                "RandomPositive p": "1/2",
                "RandomVector xi": 0,
                "n_clients": 2,
                "n_rounds": 1,
                "batch_size": 1,
                "n_sampled": 1,
                "n_local_steps": 1,
                "probability_floor": 1,
                "variation_budget": 0,
                "total_variation": 0,
                **more,
            }
            for more in ({}, {"RandomVector w": 0, "RandomVector y": 0})
        ),
    ),
    (
        r"osmd/T8-(any-meta-rate|base|horizon)",
        tuple(
            {
                **{f"RandomScalar {name}": value for name, value in _QUIET.items()},
                "horizon": 1,
                "n_rounds": 1,
                "RandomNonnegative a": 0,
                "n_experts": 1,
                "n_clients": 2,
                "n_sampled": 2,
                "RandomNonnegative N": 1,
                "probability_floor": "1/2",
            }
            for _ in (0,)
        ),
    ),
    (
        r"osmd/C7-rest",
        (
            {
                "n_clients": 2,
                "ell": "log(2)",
                "b": 0,
                "probability_floor": "1/4",
                "v": 0,
                "n_rounds": 1,
                "x": "sqrt(2*log(2))",
            },
        ),
    ),
    (
        r"delta_sgd/T1-P",
        ({"RandomVector xi": 0, "curvature": "1/100", "n_rounds": 1, "n_local_steps": 1, "smoothness": "1/50"},),
    ),
    (
        r"delta_sgd/T1-(rate|eps)",
        tuple(
            {
                "RandomVector xi": 0,
                "n_rounds": r,
                "n_local_steps": 1,
                "n_clients": 1,
                "n_participating": 1,
                "growth": 1,
                "strong_growth": 0,
            }
            for r in (9, 16, 25)
        ),
    ),
    (
        r"sfl/T6-GC-drift-last",
        ({"n_clients": 64, "n_rounds": 27000000, "D": 1, "zeta": 1, "smoothness": 1, "n_local_steps": 1},),
    ),
    (
        r"aaggff/(entropy|T5\.2|estimated|C5\.3|unbiased|P2-any).*",
        tuple(
            {**_UNIFORM, "Scalar r": r, "RandomScalar r": r, "RandomNonnegative ref": r, "RandomScalar common": 0}
            for r in ("1/2", "0")
        ),
    ),
    (
        r"aaggff/(newton-regret|T5\.1).*",
        (
            {**_NEWTON, "n_rounds": 1, "Nonnegative lambda 2": 0, "Nonnegative lambda 3": 0, "Nonnegative lambda 4": 0},
            {**_NEWTON, "Vector h": 0},
            {**_NEWTON, "Vector h": 0, "Vector q": "1/2"},
        ),
    ),
    (
        r"sfl/(T3-SC|T7|T7-tuned|PP-SFL|PP-PFL|PP-SFL-tuned|PP-PFL-tuned|C4-SC|C4-GC|T7-GC-tuned|.*-star)",
        tuple(
            {
                "n_clients": 1,
                "n_participating": 1,
                "n_local_steps": k,
                "n_rounds": r,
                "RandomVector xi": 0,
                "strong_convexity": 1,
                "smoothness": 1,
            }
            for k, r in ((2, 6), (1, 6), (1, 12), (2, 11), (1, 24))
        ),
    ),
    (
        r"fedcg/(estimates-far|S5-estimated(@strengthened)?)",
        (
            {
                **dict.fromkeys(
                    ("n_clients", "n_items", "n_local_steps", "n_rounds", "n_samples", "n_sampled", "rank"), 1
                ),
                **dict.fromkeys(("M", "top", "err", "estimate_error", "max_client_singleton", "estimation_failure"), 1),
                **dict.fromkeys(("Scalar X", "RandomScalar near", "RandomScalar found", "RandomNonnegative far"), 0),
                **dict.fromkeys(
                    ("RandomInteger who", "RandomInteger what", "RandomInteger set", "RandomInteger pick"), 1
                ),
                "RandomInteger when": 0,
                "RandomNonnegative P": 1,
                "Nonnegative deviation": 1,
            },
        ),
    ),
    (
        r"fedcg/D\.3-privacy-clients",
        (
            {
                "n_clients": 4,
                "n_items": 1,
                "Nonnegative own": "1/2",
                "Nonnegative other": "1/2",
                "Nonnegative rest": "3/2",
                "Nonnegative size": 2,
                "Nonnegative most": 1,
                "Nonnegative least": 0,
            },
        ),
    ),
    (
        r"sfl/(kink-grows|I-inv|I-inv-start|h2|h2-average|T5|T5-printed|T6-SC-last|T6-GC-drift.*)",
        (
            {
                "n_clients": 4,
                "g": 0,
                "n_local_steps": 1,
                "heterogeneity": 0,
                **{f"RandomScalar {name}{end}": 0 for name in "yhXP" for end in ("", "2")},
            },
        ),
    ),
    (r"sfl/L13-rare", ({"n_clients": 4, "h": 2},)),
    (
        r"sfl/(T3-SC-printed|S4\.3-SC|S4\.3-SC-printed)",
        tuple(
            {
                "n_clients": 1,
                "n_local_steps": 1,
                "n_rounds": r,
                "step_size": step,
                "RandomVector xi": 0,
                "strong_convexity": 1,
                "smoothness": 1,
            }
            for r, step in ((6, "1/6"), (12, "1/12"))
        ),
    ),
    (r"aaggff/coin", ({"RandomNonnegative x": "1/2"},)),
    (
        r"osmd/(T8|C7|60|61|59|experts|first-weight|variation|P13|L17|start|4|5|paths|divergence|mirror).*",
        tuple(
            {
                **{f"{kind} {name}": value for name, value in _QUIET.items() for kind in ("Scalar", "RandomScalar")},
                **more,
                "n_experts": 1,
                "n_clients": 2,
                "n_sampled": 2,
                "RandomNonnegative N": 1,
            }
            for more in ({"RandomNonnegative a": 0, "n_rounds": 1}, {"RandomNonnegative a": 0}, {"n_rounds": 1}, {})
        ),
    ),
)


def hints(theorem: Theorem) -> tuple[Mapping[str, Any], ...]:
    """What to begin with for some theorems: values of families that make the rest easy. The check decides."""
    return next((found for pattern, found in HINTS if re.fullmatch(pattern, theorem.id)), ())
