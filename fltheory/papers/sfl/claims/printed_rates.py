"""Tuned rates as the paper prints them with O(.), where they are true: at the explicit step, on cases that say something.

With the constant 1000 a bound is below the trivial one only after very many rounds: the cases are chosen so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fltheory.bound import Bound
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.sfl.bounds import printed_rates
from fltheory.papers.sfl.claims import nonconvex, upper
from fltheory.papers.sfl.data.instances import NOISELESS, STRONGLY_CONVEX

_FAR = 10**9


def _printed(explicit: Claim, bound: Bound, cases: tuple[Case, ...], loose: str, **more: Any) -> Claim:
    """The claim at the same step, with the printed rate."""
    return replace(
        explicit,
        **{"id": explicit.id.replace("@explicit", "@printed"), **more},
        bounds=(bound,),
        cases=cases,
        tightest=None,
        more=None,
        remark=f"At least {loose} times the value on every case; the constant 1000 makes it vacuous for few rounds.",
    )


def _server_cases() -> tuple[Case, ...]:
    return tuple(
        Case(i, n_rounds=r, n_local_steps=2, server_step_size=g)
        for i in nonconvex.QUADRATIC[:3]
        for r in (_FAR, 10**12)
        for g in ("3/2", 4)
    )


def _partial_cases() -> tuple[Case, ...]:
    return tuple(
        Case(i, n_rounds=r, n_local_steps=2, n_participating=s)
        for i in STRONGLY_CONVEX[:3]
        for s in range(1, i.n_clients + 1)
        for r in (_FAR, 10**12)
    )


def _by_id(claims: Any, name: str) -> Claim:
    (found,) = (c for c in claims if c.id == f"sfl/{name}@explicit")
    return found


_QUIET = tuple(Case(i, n_rounds=r, n_local_steps=2) for i in (STRONGLY_CONVEX[0], *NOISELESS) for r in (10**6, _FAR))
_LONG = tuple(Case(i, n_rounds=r, n_local_steps=2) for i in STRONGLY_CONVEX for r in (10**6, _FAR))
CLAIMS: tuple[Claim, ...] = (
    _printed(upper.tuned_strongly_convex, printed_rates.C4_SC_PRINTED, _LONG, "100 000"),
    _printed(upper.parallel_strongly_convex_tuned, printed_rates.T7_PRINTED, _LONG, "100 000", id="sfl/T7@printed"),
    _printed(nonconvex.sequential_server_tuned, printed_rates.T15_PRINTED, _server_cases(), "3000"),
    _printed(nonconvex.parallel_server_tuned, printed_rates.T16_PRINTED, _server_cases(), "3000"),
    _printed(_by_id(upper.CLAIMS, "PP-SFL-tuned"), printed_rates.PP_SFL_PRINTED, _partial_cases(), "100 000"),
    _printed(_by_id(upper.CLAIMS, "PP-PFL-tuned"), printed_rates.PP_PFL_PRINTED, _partial_cases(), "100 000"),
    _printed(upper.last_distance_tuned, printed_rates.C20_PRINTED, _QUIET, "1 000 000"),
)
