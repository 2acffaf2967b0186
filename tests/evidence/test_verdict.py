"""Words and figures of verdicts: of sampled runs the mean with its interval beside it, bounds of values called bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.evidence.betting import confidence_limits, interval_excludes
from fltheory.evidence.measured import ESTIMATE_ERROR_RATE, Interval, Measured
from fltheory.evidence.sequential import simulate
from fltheory.evidence.verdict import (
    Verdict,
    card_rows,
    compare,
    decisive_verdict,
    display_value,
    import_lines,
    ratio_of,
    ratio_text,
    reproducer_line,
    short_name,
    verdict_title,
)
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.constants import Constants
from fltheory.runs.oracle import Oracle

KINKED = PiecewiseQuadraticClients((2, 2), (1, 1), (1, -1), 1, 1, "uniform")
SAMPLED = Case(KINKED, n_rounds=60, n_local_steps=2, step_size="1/48")
CLAIM = theorem3.upper_convex


def clipping(x: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * np.clip(oracle.gradient(x, client, k), -1e6, 1e6)
    return x


@pytest.mark.parametrize(
    ("claim_id", "case"), [("delta_sgd/T1-X@corrected", 3), ("fedcg/S3@strengthened", 2), ("fedcg/T3.5@corrected", 1)]
)
def test_a_figure_does_not_move_with_what_else_is_selected(claim_id: str, case: int) -> None:
    """The error rate of a check falls with the number of checks: it asks for more runs, and tells the same."""
    claim = find(claim_id)
    sampled = [c for c in claim.cases if check_claim(claim, c, 1e-7).evidence == "statistical"]
    assert sampled
    few, many = (check_claim(claim, sampled[0], rate) for rate in (ESTIMATE_ERROR_RATE, ESTIMATE_ERROR_RATE / 1e6))
    assert (few.measured, few.limit, few.ratio) == (many.measured, many.limit, many.ratio)
    assert many.n_seeds >= few.n_seeds
    for verdict in (few, many):
        assert verdict.low is not None
        assert verdict.high is not None
        assert verdict.measured is not None
        assert verdict.low <= verdict.measured <= verdict.high


def test_the_ratio_is_that_of_the_mean() -> None:
    """And not that of the end of the interval, which is near 1 wherever sampling stops as soon as it can."""
    verdict = check_claim(CLAIM, SAMPLED)
    assert (verdict.status, verdict.evidence) == ("vacuous", "statistical")
    assert CLAIM.measure is not None
    mean = simulate(CLAIM.measure, CLAIM.algorithm, CLAIM.prepared(SAMPLED), verdict.n_seeds, 0).mean()
    assert verdict.measured == pytest.approx(mean, rel=1e-12)
    assert verdict.limit is not None
    assert verdict.high is not None
    assert verdict.ratio == pytest.approx(mean / verdict.limit, rel=1e-12)
    assert mean < 0.9 * verdict.high
    tight = replace(
        CLAIM, bounds=(CLAIM.bound.scaled(Fraction(verdict.high) * Fraction(101, 100) / Fraction(verdict.limit)),)
    )
    again = check_claim(tight, SAMPLED)
    assert again.status == "holds"
    assert again.measured == verdict.measured


def test_an_inconclusive_figure_is_a_mean_in_its_interval() -> None:
    """Of a step of which no upper limit is known there is a mean all the same, not 0."""
    mine = replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping))
    verdict = check_claim(mine, SAMPLED)
    assert verdict.status == "inconclusive"
    assert verdict.measured == pytest.approx(check_claim(CLAIM, SAMPLED).measured, rel=1e-9)
    assert verdict.high == math.inf
    assert f"measured {verdict.measured:.6g} in [{verdict.low:.6g}, ∞]" in str(verdict)
    assert verdict.ratio is not None
    assert verdict.ratio > 0


def test_a_variant_has_no_recorded_verdict() -> None:
    mine = replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping, name="clipping"))
    verdict = check_claim(mine, SAMPLED)
    assert (verdict.variant, verdict.recorded, verdict.matches_recorded) == ("clipping", None, True)
    assert str(verdict).startswith("sfl/T3-GC@printed, variant clipping: inconclusive")
    nameless = check_claim(replace(CLAIM, algorithm=algorithms.sequential._replace(step=clipping)), SAMPLED)
    assert str(nameless).startswith("sfl/T3-GC@printed, variant: inconclusive")
    own = check_claim(CLAIM, SAMPLED)
    assert (own.variant, own.recorded) == (None, "holds")
    assert str(own).startswith("sfl/T3-GC@printed: vacuous")
    assert check_claim(replace(CLAIM, bounds=(CLAIM.bound.scaled(2),)), SAMPLED).variant is None


# Figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        (Measured(Fraction(1, 2), "exact"), (0.5, None, None, "")),
        (Measured(Interval(1.0, 3.0), "statistical", estimate=1.5), (1.5, 1.0, 3.0, "")),
        (Measured(Interval(1.0, 3.0), "statistical", estimate=0.5), (1.0, 1.0, 3.0, "")),
        (Measured(Interval(1.0, 3.0), "sampled"), (2.0, 1.0, 3.0, "")),
        (Measured(Interval(1.0, math.inf), "statistical"), (1.0, 1.0, math.inf, "at least")),
        (Measured(Interval(1.0, math.inf), "statistical", estimate=7.0), (7.0, 1.0, math.inf, "")),
        (Measured(arb(2, 1), "exact"), (3.0, 1.0, 3.0, "at most")),
        (Measured(arb(2, 1e-9), "exact"), (2.0, None, None, "")),
        (Measured(arb(2), "exact", at_least=True), (2.0, 2.0, math.inf, "at least")),
        (Measured(arb(2), "exact", at_most=True), (2.0, -math.inf, 2.0, "at most")),
    ],
)
def test_what_is_shown_of_a_measured_quantity(measured: Measured, shown: tuple[Any, ...]) -> None:
    found = display_value(measured, "holds", lower=False)
    assert found.known == shown[3]
    for end, expected in zip((to_float(found.value), found.low, found.high), shown, strict=False):
        assert end == (None if expected is None else pytest.approx(expected, rel=1e-6))


@pytest.mark.parametrize(
    ("side", "words"), [("upper", "(ratio at most 0.75, exact)"), ("lower", "(ratio at least 0.75, exact)")]
)
def test_a_bound_of_a_value_is_called_one(side: str, words: str) -> None:
    verdict = Verdict(
        "x/A@printed",
        "holds",
        "holds",
        SAMPLED,
        measured=3.0,
        limit=4.0,
        ratio=0.75,
        low=1.0,
        high=3.0,
        known="at most",
        evidence="exact",
        side=side,
    )
    assert str(verdict) == f"x/A@printed: holds {words}, measured at most 3 against limit 4"


# Betting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [40, 400, 4000])
@pytest.mark.parametrize("rate", [1e-6, 1e-2])
def test_a_limit_is_told_where_the_interval_leaves_it_out(n: int, rate: float) -> None:
    values = np.random.default_rng(n).beta(2.0, 3.0, n)
    least, most = confidence_limits(values, 0.0, 1.0, rate)
    for limit in (0.0, least - 1e-6, least + 1e-6, 0.4, most - 1e-6, most + 1e-6, 1.0):
        left_out = not least < limit < most
        assert interval_excludes(values, limit, 0.0, 1.0, rate) == left_out, limit
    assert interval_excludes(values, 0.2, 0.0, math.inf, 1e-2) == (
        confidence_limits(values, 0.0, math.inf, 1e-2)[0] > 0.2
    )


def test_what_no_float_holds_is_said_in_words_with_its_evidence_and_is_the_worst() -> None:
    case = find("sfl/T7@explicit").cases[0]
    beyond = Verdict("a/b", "violated", None, case, measured=math.inf, limit=1.0, evidence="exact")
    less = replace(beyond, measured=2.0, ratio=2.0)
    assert "(ratio beyond all floats, exact)" in str(beyond)
    assert "measured beyond all floats > limit 1" in str(beyond)
    assert "inf" not in str(beyond).split("counterexample")[0]
    assert decisive_verdict([less, beyond]) == beyond


# Comparing ---------------------------------------------------------------------------------------------------------------


def ends(value: Any) -> tuple[Any, Any]:
    """The lower and the upper end of what is known of a number."""
    if isinstance(value, Interval):
        return tuple(v if math.isinf(v) else Fraction(v) for v in value)
    if not isinstance(value, arb):
        return value, value
    low, high = (
        Fraction(int(v.man_exp()[0])) * Fraction(2) ** int(v.man_exp()[1]) for v in (value.lower(), value.upper())
    )
    return low, high


VALUES: list[Any] = [
    *(Fraction(k, 2) for k in range(-3, 4)),
    *(arb(k) for k in range(-1, 3)),
    *(arb(k, r) for k in (-1, 0, 1) for r in (0.25, 1)),
    *(Interval(a / 2, b / 2) for a in range(-2, 3) for b in range(a, 3)),
    *(Interval(a, math.inf) for a in (-1.0, 0.0, 1.0)),
]
LIMITS = [Fraction(-1), Fraction(0), Fraction(1), arb(0), arb(1), arb(0, 0.5), arb(1, 1)]


@pytest.mark.parametrize("side", ["upper", "lower", "equal"])
def test_a_status_is_told_where_every_value_and_every_limit_tells_it(side: str) -> None:
    """Of all numbers that both may be; an equality of balls is never confirmed."""
    for value in VALUES:
        for limit in LIMITS:
            (low, high), (least, most) = ends(value), ends(limit)
            sure = {"upper": high <= least, "lower": low >= most, "equal": low == high == least == most}[side]
            never = {"upper": low > most, "lower": high < least, "equal": low > most or high < least}[side]
            known = isinstance(value, Fraction) and isinstance(limit, Fraction)
            sure = sure and (side != "equal" or known)
            assert compare(value, limit, side) == ("holds" if sure else "violated" if never else None), (value, limit)


def test_sides_are_subtracted_at_the_precision_of_the_finer_one() -> None:
    """Their difference of 1e-100 is no matter of the ambient 53 bits."""
    from flint import ctx

    with ctx.workprec(600):
        one, more = arb(1), arb(1) + arb(10) ** -100
    assert (compare(more, one, "upper"), compare(one, more, "upper")) == ("violated", "holds")
    assert (compare(more, one, "lower"), compare(one, more, "lower")) == ("holds", "violated")
    assert compare(more, one, "equal") == "violated"


# Words -------------------------------------------------------------------------------------------------------------------

BASE = Verdict(
    "x/A@printed",
    "holds",
    "holds",
    SAMPLED,
    measured=3.0,
    limit=4.0,
    ratio=0.75,
    evidence="exact",
    subject='"x/A@printed"',
)


def test_a_verdict_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="five states"):
        bool(BASE)


@pytest.mark.parametrize(("side", "sign"), [("upper", ">"), ("lower", "<"), ("equal", "!=")])
def test_the_sign_of_a_violation(side: str, sign: str) -> None:
    broken = replace(BASE, status="violated", side=side)
    assert f"measured 3 {sign} limit 4" in str(broken)
    assert "measured 3 against limit 4" in str(replace(BASE, side=side))
    assert str(BASE) == "x/A@printed: holds (ratio 0.75, exact), measured 3 against limit 4"


def test_a_line_reproduces_a_violation_alone() -> None:
    broken = replace(BASE, status="violated")
    assert BASE.counterexample is None
    assert broken.counterexample == reproducer_line('"x/A@printed"', SAMPLED)
    assert str(broken).endswith(f"\n  counterexample: {broken.counterexample}")
    assert broken.counterexample.startswith(
        "from fltheory import verify; from fltheory.problems.separable import Piecewise"
    )
    mine = replace(broken, subject="claim")
    assert "counterexample (claim: the one you checked): " in str(mine)
    lined = replace(mine, line="my line")
    assert lined.counterexample == "my line"
    assert str(lined).endswith("\n  counterexample: my line")
    assert "counterexample" not in str(BASE)


def test_a_recorded_verdict_is_matched_by_itself() -> None:
    assert BASE.matches_recorded
    assert not replace(BASE, status="vacuous").matches_recorded
    assert replace(BASE, status="vacuous", recorded=None).matches_recorded
    assert not replace(BASE, status="violated", recorded=None).matches_recorded
    assert replace(BASE, status="violated", recorded="violated").matches_recorded


def test_what_a_verdict_says_in_words() -> None:
    sampled = replace(BASE, evidence="statistical", error_rate=2.5e-7, n_seeds=400)
    assert "(ratio 0.75, statistical, error rate 2e-07, 400 seeds)" in str(sampled)
    assert "exact, worst of 3 cases)" in str(replace(BASE, cases=3))
    scoped = replace(BASE, scope="convex functions", worst=1.2345)
    assert "exact; at most 1.23 for all convex functions in every dimension, exact)" in str(scoped)
    assert str(replace(BASE, reason="because")).endswith("against limit 4, because")
    assert str(Verdict("x", "inapplicable", None, SAMPLED, reason="why")) == "x: inapplicable, why"
    for value in ({"measured": None}, {"limit": None}):
        assert "measured" not in str(replace(BASE, **value))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"limit": 0.0}, "none, to a bound of 0"),
        ({"limit": 0.0, "side": "equal"}, "none, to a bound of 0"),
        ({"measured": 0.0, "side": "lower"}, "none, of a value of 0"),
        ({"side": "equal"}, "none, of a value of 0"),
        ({}, "beyond all floats"),
    ],
)
def test_why_there_is_no_ratio(changes: dict[str, Any], words: str) -> None:
    assert f"(ratio {words}, exact)" in str(replace(BASE, ratio=None, known="at least", **changes))


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "3"),
        ({"known": "at least"}, "at least 3"),
        ({"low": 1.0, "high": 5.0}, "3 in [1, 5]"),
        ({"low": 1.0, "high": math.inf}, "3 in [1, ∞]"),
        ({"low": -math.inf, "high": 5.0}, "3 in [-∞, 5]"),
        ({"low": 1.0, "high": None}, "3 in [1, ∞]"),
        ({"low": 3.0, "high": 3.0000001}, "3"),
        ({"low": 3.0, "high": 4.0}, "3 in [3, 4]"),
        ({"measured": 1234567.0}, "1.23457e+06"),
        ({"measured": -math.inf}, "beyond all floats"),
    ],
)
def test_how_a_measured_number_is_shown(changes: dict[str, Any], shown: str) -> None:
    assert replace(BASE, **changes).shown() == shown


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.75, "0.75"),
        (1.0, "1"),
        (0.99999, "0.99999"),
        (0.9996, "0.9996"),
        (1.0004, "1.0004"),
        (1.00001, "1.00001"),
        (1 + 2**-52, "1.0000000000000002"),
        (1 - 2**-53, "0.9999999999999999"),
        (1234.5, "1.23e+03"),
        (0.0, "0"),
    ],
)
def test_a_ratio_stays_on_its_side_of_one(ratio: float, text: str) -> None:
    assert ratio_text(ratio) == text
    assert ((float(text) > 1) - (float(text) < 1)) == ((ratio > 1) - (ratio < 1))


def rows(verdict: Verdict) -> dict[str, str]:
    return dict(card_rows(verdict))


def test_a_card_has_the_numbers_of_its_verdict() -> None:
    card = rows(BASE)
    assert card["verdict"] == "holds"
    assert (card["measured"], card["limit"], card["measured / limit"]) == ("3", "≤ 4", "0.75")
    assert (card["evidence"], card["scope"], card["counterexample"], card["reason"]) == (
        "exact: a proof for this instance",
        "",
        "",
        "",
    )
    assert "PiecewiseQuadraticClients" in card["case"]
    assert "worst" not in card["case"]
    other = rows(
        replace(
            BASE,
            status="violated",
            side="lower",
            known="at most",
            cases=4,
            evidence="statistical",
            error_rate=1e-6,
            n_seeds=50,
            reason="a < b",
            scope="functions",
            worst=2.0,
        )
    )
    assert "<strong>" in other["verdict"] or "<b>" in other["verdict"]
    assert "by statistics, recorded as holds" in other["verdict"]
    assert other["limit / measured"] == "at least 0.75"
    assert other["measured"] == "at most 3"
    assert other["limit"].endswith("4")
    assert other["evidence"].endswith("; error rate 1e-06, 50 seeds")
    assert "the worst of 4: " in other["case"]
    assert other["reason"] == "a &lt; b"
    assert other["scope"] == "class: at most 2 for all functions in every dimension, proved by rational multipliers"
    assert "from fltheory import verify" in other["counterexample"]
    nothing = rows(Verdict("x", "inapplicable", None, SAMPLED))
    assert (nothing["measured"], nothing["limit"], nothing["measured / limit"], nothing["evidence"]) == (
        "",
        "",
        "",
        "none",
    )
    assert "recorded" not in nothing["verdict"]
    assert "recorded" not in rows(replace(BASE, status="vacuous", recorded="vacuous"))["verdict"]
    assert "statistics" not in card["verdict"]
    assert rows(replace(BASE, evidence="other"))["evidence"] == "other"
    assert "x/A@printed" in BASE._repr_html_()


def test_titles_of_variants() -> None:
    assert verdict_title("a/b", None) == "a/b"
    assert verdict_title("a/b", "variant") == "a/b, variant"
    assert verdict_title("a/b", "mine") == "a/b, variant mine"
    assert short_name("folder/sub\\file.py:step") == "file.py:step"


@dataclass(frozen=True)
class Inner:
    """Data inside an instance."""

    value: int = 1


@dataclass(frozen=True)
class Outer:
    """An instance with data inside tuples."""

    parts: tuple[Any, ...] = ()


def test_the_imports_of_a_line_are_those_of_all_data_in_it() -> None:
    crowd = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1))
    assert import_lines(crowd) == (
        "from fltheory.problems.decomposable import SubmodularClients; "
        "from fltheory.problems.sets.set_functions import Modular; "
        "from fltheory.problems.sets.matroids import Uniform"
    )
    assert import_lines(QuadraticClients((1,), (0,), 1)) == "from fltheory.problems.separable import QuadraticClients"
    nested: Any = Outer(((Inner(), (Inner(2),)),))
    assert import_lines(nested) == f"from {__name__} import Inner, Outer"
    plain: Any = Outer((1, "a"))
    assert import_lines(plain) == f"from {__name__} import Outer"


def made(value: int) -> Any:
    return Made(value)


class Made:
    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"made({self.value})"


class Unmade(Made):
    def __repr__(self) -> str:
        return f"unknown({self.value})"


def test_an_instance_that_is_written_by_its_factory_imports_that() -> None:
    assert import_lines(made(1)) == f"from {__name__} import made"
    other: Any = Unmade(1)
    assert import_lines(other) == f"from {__name__} import Unmade"


def test_the_worst_verdict_decides_and_of_these_the_largest_ratio() -> None:
    order = ["violated", "inconclusive", "inapplicable", "vacuous", "holds"]
    found = [replace(BASE, status=s, ratio=r) for s in reversed(order) for r in (0.5, 2.0)]
    for i in range(0, len(found), 2):
        decided = decisive_verdict(found[: i + 2])
        assert (decided.status, decided.ratio) == (found[i].status, 2.0)
    none = replace(BASE, ratio=None)
    assert decisive_verdict([none, BASE]) is BASE
    beyond = replace(none, measured=math.inf)
    assert decisive_verdict([BASE, beyond]) is beyond
    assert decisive_verdict([replace(beyond, side="lower"), BASE]) is BASE
    assert decisive_verdict([replace(none, measured=None), BASE]) is BASE


@pytest.mark.parametrize(
    ("end", "limit", "lower", "ratio"),
    [
        (Fraction(3), Fraction(4), False, 0.75),
        (Fraction(3), Fraction(4), True, 4 / 3),
        (Fraction(3), Fraction(0), False, None),
        (Fraction(0), Fraction(3), True, None),
        (Fraction(0), Fraction(3), False, 0.0),
        (Fraction(10**300), Fraction(1, 10**300), False, None),
        (arb(3), arb(0, 1), False, None),
    ],
)
def test_a_ratio_of_an_upper_or_a_lower_bound(end: Any, limit: Any, lower: bool, ratio: float | None) -> None:
    assert ratio_of(end, limit, lower) == (None if ratio is None else pytest.approx(ratio))


@pytest.mark.parametrize(
    ("lower", "status", "known"),
    [
        (False, "holds", "at most"),
        (False, "violated", "at least"),
        (True, "holds", "at least"),
        (True, "violated", "at most"),
    ],
)
def test_the_end_of_a_coarse_ball_that_is_shown_decided(lower: bool, status: Any, known: str) -> None:
    found = display_value(Measured(arb(2, 0.5), "exact"), status, lower)
    assert (found.low, found.high, found.known) == (pytest.approx(1.5), pytest.approx(2.5), known)
    assert to_float(found.value) == pytest.approx(2.5 if known == "at most" else 1.5)
    fine = Measured(arb(2, 2.0**-22), "exact")
    assert display_value(fine, status, lower) == (fine.value, None, None, "")
    assert display_value(Measured(arb(0), "exact"), status, lower).known == ""
    assert display_value(Measured(arb(2, 2.0**-18), "exact"), status, lower).known == known


def test_an_estimate_is_shown_inside_its_interval() -> None:
    for estimate, shown in ((-1.0, 0.0), (0.5, 0.5), (9.0, 2.0)):
        found = display_value(Measured(Interval(0.0, 2.0), "statistical", estimate=estimate), "holds", False)
        assert (to_float(found.value), found.low, found.high, found.known) == (shown, 0.0, 2.0, "")
