"""The questions of the command line as functions: their answers are values, their errors say what would be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from fltheory import find, plot, show
from fltheory.api.bounds import bounds_at
from fltheory.api.lookup import select
from fltheory.api.proofs import proofs, theorems_on
from fltheory.api.show import claim_lines, proof_lines
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Entry, python_name_of, recorded_verdict
from tests.typed import Run

CLAIM, SHORT = "sfl/T3-GC@printed", "sfl/D3-first@printed"
AT: dict[str, object] = {"L": 1, "D": 1, "sigma": 0, "zeta_star": 1, "M": 4, "K": 5, "R": 1000, "eta": "1/120"}


def test_claims_are_selected_as_by_the_command_line() -> None:
    assert select() == catalogue()
    assert {c.paper for c in select("osmd")} == {"osmd"}
    found = select("sfl/T*", words="strongly convex")
    assert found
    assert set(found) < set(select("sfl/T*"))


def test_bounds_at_constants(run: Run) -> None:
    """Exact, rounded to the safe side, the same by name and by letter, and what the command prints."""
    (at,) = bounds_at(CLAIM, **AT)
    assert at.exact == Fraction(143, 1000)
    assert at.low <= at.exact <= at.high == float(at)
    others = {name: value for name, value in AT.items() if name != "eta"}
    assert bounds_at(find(CLAIM), {"η": Fraction(1, 120)}, **others) == (at,)
    assert bounds_at(CLAIM, step_size="1/120", **others) == (at,)
    assert run("bound", CLAIM, *(f"{name}={value}" for name, value in AT.items()))[1] == f"{at}\n"
    ElementTree.fromstring(at._repr_html_())


def test_a_lower_bound_is_rounded_down() -> None:
    (at,) = bounds_at(SHORT, n_clients=1212)
    assert float(at) == at.low


def test_a_page_is_what_the_command_prints(run: Run) -> None:
    page = show(SHORT)
    assert page.claim is find(SHORT)
    assert f"{page}\n" == run("show", SHORT)[1]
    assert r"\frac" in str(show(SHORT, latex=True))
    assert page.tightness[-1].startswith("nothing was run now")
    html = page._repr_html_()
    ElementTree.fromstring(f"<div>{html}</div>")
    assert "recorded, not checked now" in html


@pytest.mark.turns(3)
def test_a_page_may_be_checked_now(run: Run) -> None:
    page = show(CLAIM, check=True)
    assert "checked now" in page.proof[0]
    assert any(line.startswith("computed now") for line in page.tightness)


def test_of_a_variant_nothing_is_recorded() -> None:
    variant = replace(find(CLAIM), algorithm=find("sfl/T7@printed").algorithm)
    assert any(line.startswith("recorded: worst") for line in show(CLAIM).tightness)
    assert not any("recorded" in line for line in show(variant).tightness)
    assert show(variant).tightness[-1] == "nothing was run now; show(claim, check=True) runs it"


PROVED = find("sfl/T3-SC@corrected")
CHANGED = {
    "algorithm": replace(PROVED, algorithm=find("sfl/T7@printed").algorithm),
    "assumptions": replace(PROVED, assumptions=()),
    "bounds": replace(PROVED, bounds=tuple(bound.scaled("1/100") for bound in PROVED.bounds)),
    "mode": replace(PROVED, mode="surely"),
}


@pytest.mark.parametrize("field", CHANGED)
@pytest.mark.parametrize("check", [False, True])
def test_of_a_changed_claim_no_proof_and_no_verdict_is_recorded(field: str, check: bool) -> None:
    changed = CHANGED[field]
    assert theorems_on(changed) == []
    assert proof_lines(changed, check) == [f"no proof recorded: the claim is changed ({field})"]
    first, *rest = claim_lines(changed, proof_lines(changed, check))
    assert first.endswith(f"recorded verdict: none: changed in {field}")
    assert not any("PROVED" in line for line in rest)
    assert check_claim(changed, changed.cases[0]).recorded is None
    assert python_name_of(changed) == "claim"


def test_the_listed_claim_has_its_record() -> None:
    again = replace(PROVED, remark="said otherwise", cases=PROVED.cases[:1])  # the statement is the same
    for claim in (PROVED, again):
        assert theorems_on(claim) != []
        assert check_claim(claim, claim.cases[0]).recorded == "holds"
        assert python_name_of(claim) == f'"{PROVED.id}"'


def test_a_claim_that_takes_the_id_of_another_has_none_of_its_record() -> None:
    """It is made anew, or it is another claim under a name of its own."""
    taken = replace(PROVED, entry=Entry())
    assert (theorems_on(taken), python_name_of(taken)) == ([], "claim")
    named = replace(PROVED, id="mine/T@printed")
    assert (theorems_on(named), recorded_verdict(named), python_name_of(named)) == ([], None, "claim")


def test_proofs_are_checked_by_name() -> None:
    (report,) = proofs("sfl/U6")
    assert report.verdict == "PROVED"
    (again,) = proofs(report.theorem.claim or "sfl/U6", "sfl/U6")
    assert again.theorem is report.theorem


def test_a_plot_shows_itself() -> None:
    figure = plot(SHORT, along="n_clients")
    assert figure._repr_svg_().rstrip().endswith("</svg>")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: select("sfl/nothing"), "no claim 'sfl/nothing'"),
        (lambda: select(words=" "), "expected words"),
        (lambda: bounds_at(CLAIM, L=-1), "out of its domain"),
        (lambda: bounds_at(CLAIM, L=1), "missing"),
        (lambda: bounds_at(CLAIM, nothing=1), "no constant 'nothing'"),
        (lambda: bounds_at(CLAIM, **{**AT, "eta": 1}), "condition"),
        (lambda: bounds_at(CLAIM, M=4, n_clients=4), "set twice"),
        (lambda: proofs("nothing"), "no paper 'nothing'"),
        (lambda: plot(CLAIM, along="speed"), "can't be plotted along"),
    ],
)
def test_a_mistake_is_a_value_error_of_one_line(ask: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=says) as error:
        ask()
    assert "\n" not in str(error.value)
