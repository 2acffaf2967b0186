"""The titles of the twelve figures, computed again from the numbers stored beside them."""

from __future__ import annotations

import html
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable

import pytest

from figures.__main__ import FOLDER
from fltheory.claims.catalogue import KEYS
from fltheory.claims.index import builtin_lines
from fltheory.papers.osmd.experiments.figures import LABELS
from fltheory.papers.sfl.upper.figures import ERROR, OWN, READ_AS
from tests.plotting import drawn
from tests.plotting.test_figures_shown import TWELVE, title_of

COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
FAR = 10  # "far nearer", "nearly everything": a factor of ten


def so(true: bool, words: str) -> str:
    """Words of a title, if the numbers say so."""
    return words if true else f"(not so: {words})"


def curve(name: str, panel: int, label: str) -> dict[float, float]:
    found = {float(r.x): r.y for r in drawn.rows(name) if r.panel == panel and r.curve == label}
    assert found, label
    return found


def slope(values: dict[float, float], start: float) -> float:
    end = max(values)
    return math.log(values[end] / values[start]) / math.log(end / start)


def failure() -> str:
    bound = curve("aaggff_failure", 1, "Theorem 5.1 as printed")
    regret = curve("aaggff_failure", 1, "regret of AAggFF-S on this game")
    above = [t for t in bound if regret[t] > bound[t]]
    first = min(above, default=math.inf)
    fails = bool(above) and set(above) == {t for t in bound if t >= first}
    return f"Fair aggregation (AAggFF): Theorem 5.1 as printed {so(fails, f'fails from {first:g} rounds on')}"


def printed() -> str:
    lines = [line for key in KEYS for line in builtin_lines(key) if line.reading == "printed"]
    every = Counter(line.recorded for line in lines if line.recorded in ("holds", "violated"))
    drawn_ones = drawn.rows("papers_printed")
    far = sum(r.y > 100 for r in drawn_ones if r.curve == "violated")
    below = all(r.y <= 1.005 for r in drawn_ones if r.curve == "holds")
    most = so(2 * every["holds"] > every.total() and below, "Most printed statements hold")
    return f"{most}; {COUNTED[min(far, 10)]} exceed their bounds more than a hundredfold"


def tasks() -> str:
    ahead = 0
    for task in range(1, 11):
        late = {}
        for method in ("SFL", "PFL"):
            y = [r.y for r in drawn.rows("sfl_tasks") if r.panel == task and r.curve.startswith(method)]
            late[method] = sum(y[-50:]) / 50
        ahead += late["SFL"] < late["PFL"]
    return f"Small steps: sequential FL ends below parallel FL in {COUNTED[ahead]} of the ten tasks"


def between() -> str:
    labels = list(dict.fromkeys(r.curve for r in drawn.rows("worst_between")))
    upper, exact, _, lower = (curve("worst_between", 1, label) for label in labels)
    nearer = all(1 < FAR * upper[x] / exact[x] < exact[x] / lower[x] for x in exact)
    return f"One round of sequential FL: {so(nearer, 'the upper bound is far nearer than the lower')}"


def loss() -> str:
    shares = []
    for panel in (1, 2):
        ends = [r.y for r in drawn.rows("worst_loss") if r.panel == panel]
        logs = [math.log(a / b) for a, b in itertools.pairwise(ends)]
        shares.append([v / math.log(ends[0] / ends[-1]) for v in logs] if ends[-1] < ends[0] else [1.0, 0.0])
    many = max(shares[0]) < 0.25 and sum(v > 0.05 for v in shares[0]) > 5
    one = max(shares[1]) > 0.5
    return (
        f"Theorem 3 loses {so(many, 'one constant in many proof steps')}, {so(one and many, 'the other mostly in one')}"
    )


def tuned_step() -> str:
    rate, error = (curve("sfl_tuned_step", 1, label) for label in (READ_AS, ERROR))
    kept, own = (curve("sfl_tuned_step", 2, label) for label in (ERROR, OWN))
    breaks = slope(error, 1e16) > slope(rate, 1e16) + 0.1 and error[1e24] > rate[1e24]
    keeps = abs(slope(kept, 1e16) - slope(own, 1e16)) < 0.01 and all(kept[x] < own[x] for x in own)
    return f"Sequential FL, Corollary 4: {so(breaks, 'the printed step breaks the rate')}, {so(keeps, 'the corrected keeps it')}"


def samplers() -> str:
    tally = {}
    for reading in ("text", "script"):
        found = [r for r in drawn.rows("osmd_samplers") if r.title.startswith("regret") and r.curve == LABELS[reading]]
        tally[reading] = sum(r.high < 1 for r in found) / len(found), sum(r.low > 1 for r in found) / len(found)
    lower = tally["script"][0] > 0.4 and tally["script"][1] == 0
    rarely = tally["text"][0] < 0.2 and tally["text"][0] < tally["text"][1]
    script, text = so(lower, "lowers the regret in the authors' script"), so(rarely, "rarely in the paper's text")
    return f"Adaptive sampling {script}, {text}"


def vacuity() -> str:
    """The setting, 100 clients and a floor of 0.4, lies between points of the map, at all of which more rounds are needed."""
    vacuous = True
    for panel in (1, 2, 3, 4):
        cells = {(float(r.curve), float(r.x)): r.y for r in drawn.rows("osmd_vacuity") if r.panel == panel}
        floors, clients = (sorted({at[i] for at in cells}) for i in (0, 1))
        near = [
            (of(f for f in floors if side(f, 0.4)), of2(c for c in clients if side2(c, 100)))
            for of, side in ((max, float.__le__), (min, float.__ge__))
            for of2, side2 in ((max, float.__le__), (min, float.__ge__))
        ]
        vacuous &= all(cells[at] > 0 for at in near)
    return f"At the paper's setting {so(vacuous, 'all regret bounds of client sampling are vacuous')}"


def directions() -> str:
    shared = curve("fedcg_directions", 1, "directions shared (FedCG)")
    granted = curve("fedcg_directions", 3, "loss granted by Theorem 3.2")
    lost = curve("fedcg_directions", 3, "loss of the run (where positive)")
    above = [eta for eta in granted if lost[eta] > granted[eta]]
    large = bool(above) and min(above) > 1 and set(above) == {eta for eta in granted if eta >= min(above)}
    loses = so(min(shared.values()) < 1 / FAR, "sharing directions can lose nearly everything")
    return f"FedCG: {loses}; Theorem 3.2 {so(large, 'fails at large steps')}"


def sampling_term() -> str:
    grows = falls = True
    for panel in (1, 2):
        term, spread = (
            list(curve("fedcg_sampling_term", panel, label).values())
            for label in ("Theorem 3.5, sampling term", "standard deviation of $F(x_T)$")
        )
        grows &= term == sorted(term) and term[-1] > term[0]
        falls &= spread == sorted(spread, reverse=True) and spread[-1] < spread[0]
    term_words = so(grows, "the sampling term of Theorem 3.5 grows with the rounds")
    return f"FedCG: {term_words}; {so(falls, 'the spread falls')}"


def participation() -> str:
    regret = curve("aaggff_participation", 1, "Algorithm 3, $m=1$")
    linear = all(value / t == pytest.approx(regret[10] / 10, rel=1e-3) for t, value in regret.items())
    return f"Fair aggregation: {so(linear, 'with one client a round the regret of AAggFF-D is linear')}"


def promise() -> str:
    bound, value = (
        curve("delta_sgd_promise", 1, label) for label in ("bound of Theorem 5", "clients of the counterexample")
    )
    lag = [r.y for r in drawn.rows("delta_sgd_promise") if r.panel == 2]
    fails = so(value[100] > bound[100], "Theorem 5 fails with several clients")
    return f"Delta-SGD: {fails}; {so(all(v >= 0 for v in lag), 'in training it is never alone ahead')}"


TITLES: dict[str, Callable[[], str]] = {
    "aaggff_failure": failure,
    "papers_printed": printed,
    "sfl_tasks": tasks,
    "worst_between": between,
    "worst_loss": loss,
    "sfl_tuned_step": tuned_step,
    "osmd_samplers": samplers,
    "osmd_vacuity": vacuity,
    "fedcg_directions": directions,
    "fedcg_sampling_term": sampling_term,
    "aaggff_participation": participation,
    "delta_sgd_promise": promise,
}


def test_each_of_the_twelve_has_its_title_computed() -> None:
    assert tuple(TITLES) == TWELVE


@pytest.mark.parametrize("name", TITLES)
def test_the_title_is_what_the_numbers_say(name: str) -> None:
    """The title for readers who can't see it, and the one that is drawn, in the size of titles."""
    text = (FOLDER / f"{name}.svg").read_text()
    (shown,) = re.findall(r"<text style=\"font-size: 8\.5px;[^>]*>([^<]*)</text>", text)
    assert title_of(text) == html.unescape(shown) == TITLES[name]()


@pytest.mark.parametrize("name", TITLES)
def test_other_numbers_give_another_title(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: all values are turned over, and those of a map change their sign."""
    real = drawn.rows

    def turned(of: str) -> list[drawn.Row]:
        if of == "osmd_vacuity":
            return [row._replace(y=-row.y) for row in real(of)]
        return [row._replace(y=_over(row.y), low=_over(row.high), high=_over(row.low)) for row in real(of)]

    assert TITLES[name]() == title_of((FOLDER / f"{name}.svg").read_text())
    monkeypatch.setattr(drawn, "rows", turned)
    assert TITLES[name]() != title_of((FOLDER / f"{name}.svg").read_text())


def _over(value: float) -> float:
    return 1 / value if value else 0.0


def test_the_page_of_the_twelve_says_what_the_numbers_say() -> None:
    page = " ".join((FOLDER.parent / "docs" / "findings" / "figures.md").read_text(encoding="utf-8").split())
    lag = sorted(r.y for r in drawn.rows("delta_sgd_promise") if r.panel == 2)
    close = COUNTED[sum(v <= 0.5 for v in lag)]
    regret = {
        reading: [r for r in drawn.rows("osmd_samplers") if r.title.startswith("regret") and r.curve == LABELS[reading]]
        for reading in ("text", "script")
    }
    lower, higher = (
        {k: COUNTED[sum(of)] for k, of in found.items()}
        for found in (
            {k: [r.high < 1 for r in v] for k, v in regret.items()},
            {k: [r.low > 1 for r in v] for k, v in regret.items()},
        )
    )
    exact, upper, below = (
        curve("worst_between", 1, label)
        for label in (
            "exact worst case over all smooth convex clients",
            "upper bound: recursion in the proof of Theorem 3",
            "lower bound (regime h3 in the proof of Theorem 5)",
        )
    )
    assert all(upper[x] < 100 * exact[x] < exact[x] * exact[x] / below[x] for x in exact)
    for sentence in (
        f"within half a point of the best rival in {close} of {len(lag)} settings, {lag[-2]:.0f} and {lag[-1]:.0f} points behind",
        f"lowers the regret in {lower['script']} of {len(regret['script'])} settings and raises it in "
        f"{higher['script'].replace('no', 'none')}; as the text describes the experiments it lowers it in {lower['text']} "
        f"and raises it in {higher['text']}",
        "within two orders of magnitude of it at every step",
    ):
        assert sentence in page
