"""The examples over whole classes: worst cases, lines where they leave what can be followed, false bounds refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy

from fltheory.api.worst import worst
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance
from fltheory.worst_case import two_sided as brackets
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import worst_case
from fltheory.worst_case.whole_run import Bracket
from tests.papers.recorded import its_turn
from tests.test_examples import example

SETTINGS: dict[str, Any] = {
    "n_clients": 2,
    "n_local_steps": 2,
    "step_size": "1/10",
    "initial_distance": 1,
    "heterogeneity_at_optimum": 1,
}
# The worst E|x_1 - x*|^2 of a round, for two 1-smooth, 1/10-strongly convex clients.
WORST = {
    "server_momentum": 0.9253610,
    "local_momentum": 0.9099334,
    "heavy_ball_decay": 0.9253610,
    "scaffold": 0.9610413,
    "scaffnew": 0.9801000,
    "fedprox": 0.9630031,
    "fednova": 0.9614783,
    "uneven_work": 1.0702935,
    "decaying_steps": 0.9253610,
    "forward_backward": 0.9303685,
    "shuffle_once": 0.9253610,
    "client_dropout": 0.9815215,
    "importance_weights": 1.0098050,
}
BEYOND = {
    "gradient_clipping": r"gradient_clipping.py:\d+ multiplies values that depend on the state",
    "top_k": r"top_k.py:\d+ takes some coordinates",
    "random_k": r"random_k.py:\d+ asks how many coordinates there are",
    "quantised": r"quantised.py:\d+ converts an exact number to a float",
    "fedadam": r"fedadam.py:\d+ multiplies values that depend on the state",
    "projected": r"projected.py:\d+ compares numbers",
}
# What one might think of a round at these constants, as limits on E|x_1 - x*|^2, and isn't so.
SFL = Fraction(92_538, 100_000)  # of the plain round: at most that is proved (test_brackets.py)
FALSE = {
    "uneven_work": Fraction(1),  # it brings the model no farther from x*
    "importance_weights": Fraction(1),
    "forward_backward": SFL,  # a round from first to last is no worse than one in a fresh order
    "client_dropout": SFL,  # nor is one that half of the clients stay away from
    "scaffnew": Fraction(99, 100) ** 4,  # it does as much as two local steps without any difference between clients
}
RULED = ("uneven_work", "forward_backward", "client_dropout", "importance_weights", "scaffnew")


def bracket_of(name: str) -> Bracket:
    return worst_case(example(name).claim.algorithm, Smooth(1, "1/10"), LastDistance(), **SETTINGS)


def by_turns(names: Sequence[str], parts: int) -> Any:
    """Some at each release, all with ``-m deep``."""
    now = its_turn(names, parts)
    return [name if name in now else pytest.param(name, marks=pytest.mark.deep) for name in names]


@pytest.mark.parametrize("name", by_turns(tuple(WORST), 2))
def test_the_worst_case_of_an_example(name: str) -> None:
    found = bracket_of(name)
    assert found.lower is not None
    assert found.upper is not None
    assert found.upper - found.lower < Fraction(1, 1_000_000)
    assert float(found.lower) - 1e-6 < WORST[name] < float(found.upper) + 1e-6
    assert brackets.why_not_proved(found) is None


@pytest.mark.parametrize("name", BEYOND)
def test_an_example_that_is_not_linear_is_told_its_line(name: str) -> None:
    with pytest.raises(OutOfReach, match=BEYOND[name]):
        bracket_of(name)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", by_turns(RULED, 2))
def test_a_false_bound_is_refuted_by_the_instance_and_a_true_one_holds_there(name: str) -> None:
    """One that is too small by a hundred-thousandth, judged like any claim; the instance is a line of Python."""
    found = bracket_of(name)
    assert found.case is not None
    assert found.upper is not None
    method = found.question.method
    rebuilt = eval(repr(found.case), {"Case": Case, "InterpolatedClients": InterpolatedClients})
    assert rebuilt == found.case
    for factor, statuses in ((Fraction(99_999, 100_000), ("violated",)), (Fraction(1), ("holds", "vacuous"))):
        assert check_claim(claim(found.upper * factor, method), rebuilt).status in statuses


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_refuted_globally(name: str) -> None:
    """By the worst case of its class, beside the statement; what refutes it is one line of Python, judged like any instance."""
    told = worst(
        claim(FALSE[name], example(name).claim.algorithm), {"smoothness": 1, "strong_convexity": "1/10", **SETTINGS}
    )
    assert told.status == "violated"
    assert told.bracket.lower is not None
    assert told.bracket.lower > FALSE[name]
    line = told.row()["instance"]
    assert "\n" not in line
    rebuilt = eval(line, {"Case": Case, "InterpolatedClients": InterpolatedClients})
    assert rebuilt == told.bracket.case
    verdict = check_claim(told.claim, rebuilt)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")


def test_a_true_statement_is_not_refuted() -> None:
    """Of the same kind: gradients are kept in check by control variates."""
    constants = {"smoothness": 1, "strong_convexity": "1/10", **SETTINGS}
    for limit, status in ((Fraction(97, 100), "holds"), (Fraction(96, 100), "violated")):
        assert worst(claim(limit, example("scaffold").claim.algorithm), constants).status == status


def claim(limit: Fraction, method: Any) -> Claim:
    """E|x_1 - x*|^2 <= limit D^2."""
    expr = sympy.Rational(limit.numerator, limit.denominator) * initial_distance**2
    source = Source("mine", "one round")
    stated = example("scaffold").claim
    return replace(
        stated,
        id="mine/one@printed",
        algorithm=method,
        measure=LastDistance(),
        bounds=(Bound(expr, source),),
        assumptions=(assume.strongly_convex,),
    )
