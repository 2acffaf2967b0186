"""What the stored figures say in their titles, against the numbers stored beside them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from figures.__main__ import FOLDER
from fltheory.claims.catalogue import KEYS
from fltheory.claims.index import builtin_lines
from fltheory.papers.osmd.experiments.figures import LABELS
from fltheory.papers.sfl.upper.figures import ERROR, OWN, READ_AS
from tests.plotting.drawn import Row, in_title, last, rows, words

COUNTED = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
READINGS = ("text", "script")


def _span(values: Sequence[float]) -> str:
    low, high = in_title(min(values)), in_title(max(values))
    return low if low == high else f"{low} to {high}"


def _tally(found: Sequence[Row]) -> str:
    smaller, larger = sum(row.high < 1 for row in found), sum(row.low > 1 for row in found)
    return f"{smaller}/{larger}/{len(found) - smaller - larger}"


def _curve(name: str, panel: int, curve: str) -> dict[float, float]:
    return {float(r.x): r.y for r in rows(name) if r.panel == panel and r.curve == curve}


def _slack() -> list[str]:
    regret, bound = _curve("osmd_slack", 1, "regret"), _curve("osmd_slack", 1, "bound as printed")
    ratios = [bound[t] / regret[t] for t in sorted(regret)]
    assert ratios == sorted(ratios, reverse=True)
    others = [r.y for r in rows("osmd_slack") if r.panel > 1 and not math.isnan(r.y)]
    return [
        f"Corollary 7 is {in_title(ratios[0])} times the regret on one heavy client at $T=$ 100",
        f"{in_title(ratios[-1])} times at $1.0\\times 10^{{6}}$",
        f"Theorem 8 is {_span(others)} times the regret",
    ]


def _vacuity() -> list[str]:
    shares = []
    for panel in (1, 2, 3, 4):
        values = [r.y for r in rows("osmd_vacuity") if r.panel == panel]
        shares.append(f"{100 * sum(v <= 0 for v in values) / len(values):.0f}%")
    return [f"they are non-trivial on {', '.join(shares)} of the maps"]


def _trap() -> list[str]:
    regret = _curve("osmd_trap", 1, r"regret, printed $\gamma$")
    return [f"{regret[1e5] / _curve('osmd_trap', 1, 'Theorem 8, printed')[1e5]:.1f} times Theorem 8 at $T=10^5$"]


def _tightness() -> list[str]:
    parts = ("optimisation", "noise", "heterogeneity")
    found = []
    for panel, title in ((1, "T3-SC"), (2, "T3-GC")):
        least = [
            min(float(r.x) for r in rows("sfl_tightness") if r.panel == panel and r.curve == f"{p} alone")
            for p in parts
        ]
        found.append(f"{title} {', '.join(f'{v:.0f}' for v in least)}")
    return [f"{', '.join(parts)} alone: {'; '.join(found)}"]


def _bias() -> list[str]:
    small, large = ({r.x: r.y for r in rows("sfl_bias") if r.panel == p and r.curve == "SFL"} for p in (1, 2))
    (grown,) = (r.y for r in rows("sfl_bias") if r.panel == 1 and r.curve.startswith("PFL (0") and r.x == "50")
    return [
        f"from {small['1']:.3g} to {small['50']:.3g} of a step, PFL's from 0 to {grown:.3g}",
        f"goes to {large['50']:.3g}",
    ]


def _rates() -> list[str]:
    found = last(rows("delta_sgd_rates"))
    ends = {curve: row for (title, curve), row in found.items() if title.startswith("slack")}
    slack = [in_title(row.y) for row in ends.values()]
    (until,) = {int(row.x) for row in ends.values()}
    false = {curve: row for (title, curve), row in found.items() if title.startswith("as printed")}
    batches = {curve.split()[-1]: row for (title, curve), row in found.items() if title.startswith("one client")}
    broken = false["measured"].y / false["bound"].y
    return [
        f"At $T={until}$ Theorem 1 as corrected is loose by {slack[0]} (constant step), {slack[1]} (own steps), {slack[2]}",
        f"broken {in_title(broken)} times at $\\rho=9$, $T={false['measured'].x}$",
        f"At $T={batches['same'].x}$ the left side is {in_title(batches['same'].y)}",
        f"else {in_title(batches['pair'].y)}",
    ]


def _sampling() -> list[str]:
    printed, spread, assured = (
        _curve("fedcg_sampling_term", 1, name)
        for name in (
            "Theorem 3.5, sampling term",
            "standard deviation of $F(x_T)$",
            r"martingale, Hoeffding, $\gamma_t\leq(1-1/N)m_*$ proved",
        )
    )
    assert "no proved ceiling" in words("fedcg_sampling_term")
    return [
        f"grows {printed[256] / printed[4]:.1f} times, the real spread falls {spread[4] / spread[256]:.1f} times",
        f"is {in_title(printed[256] / assured[256])} times smaller than the theorem's at $T=256$ and "
        f"{in_title(assured[256] / spread[256])} times the real spread",
    ]


def _threshold() -> list[str]:
    found = []
    for k in (4, 5, 7, 11):
        values = _curve("aaggff_threshold", 2, f"$K={k}$, $C_2=1/{k}$ (I3)")
        broken = [t for t, v in values.items() if v > 1]
        found += [f"$T={min(broken):.0f}$ ($K={k}$)"] if broken else []
    own = max(r.y for r in rows("aaggff_threshold") if r.curve == "the paper's $K$ and $T$")
    return [f"exceed it by {', '.join(found)}", f"they reach {own:.2f} of it"]


def _learners() -> list[str]:
    ends = last(rows("aaggff_learners"))
    names = {"AAggFF-D, rate for $L_\\infty$": "AAggFF-D, $L_\\infty$", "follow the leader": "leader"}
    best = []
    for title in dict.fromkeys(title for title, _ in ends):
        values = {curve: row.y for (t, curve), row in ends.items() if t == title and not math.isnan(row.y)}
        found = min(values, key=lambda curve, of=values: of[curve])
        best.append(names.get(found, found))
    return [
        f"the least regret has {best[0]} (alternation), {best[1]} (horse race), {best[2]} and {best[3]} (log-normal)"
    ]


def _chain() -> list[str]:
    """The links in their order, of every game: regret, linearised, with the gradients seen, the bound."""
    games: dict[tuple[int, str], list[float]] = {}
    for row in rows("aaggff_chain"):
        games.setdefault((row.panel, row.curve), []).append(row.y)
    assert len(games) == 6
    assert all(of == sorted(of) and len(of) == 4 for of in games.values())
    lost = [_span([of[i + 1] / of[i] for of in games.values()]) for i in range(3)]
    return [f"a factor of {lost[0]},", f"that are seen {lost[1]},", f"the sum over rounds {lost[2]}"]


def _cumulative() -> list[str]:
    found = []
    for panel in (1, 2):
        ends = {r.curve: r.y for r in rows("aaggff_cumulative") if r.panel == panel}
        assert ends["Normal"] == 1
        low, high = (of(ends, key=lambda curve, e=ends: e[curve]) for of in (min, max))
        found.append(f"{ends[low]:.3f} ({low}) to {ends[high]:.3f} ({high}) for AAggFF-{'SD'[panel - 1]}")
    return found


def _digits() -> list[str]:
    found = []
    for labels in (1, 2):
        late = {}
        for name in ("SFL", "PFL"):
            values = [r.y for r in rows("sfl_digits") if r.panel == labels and r.curve == name and float(r.x) > 350]
            assert len(values) == 5
            late[name] = sum(values) / 5
        found.append(f"$C={labels}$ SFL {late['SFL']:.4f}, PFL {late['PFL']:.4f}")
    return found


def _over_rounds() -> list[str]:
    ends: dict[int, list[float]] = {}
    for (_, _), row in {(r.panel, r.curve): r for r in rows("delta_sgd_over_rounds")}.items():
        ends.setdefault(row.panel, []).append(row.y)
    lead = ", ".join(f"{min(ends[p][1:]) - ends[p][0]:+.1f}" for p in (1, 2, 3))
    spread = [max(max(ends[p]) - min(ends[p]) for p in of) for of in ((4, 5, 6), (7, 8, 9))]
    return [
        f"ends {lead} points from the best of four others",
        f"by at most {spread[0]:.1f} points, one to three local epochs by at most {spread[1]:.1f}",
    ]


def _tasks(name: str) -> list[str]:
    """In which tasks SFL's mean over the last third of the rounds is not below PFL's."""
    lost = []
    for task in range(1, 11):
        means = {}
        for method in ("SFL", "PFL"):
            y = [r.y for r in rows(name) if r.panel == task and r.curve.startswith(method)]
            late = y[-((len(y) - 1 + 2) // 3) :]
            means[method] = sum(late) / len(late)
        if means["SFL"] >= means["PFL"]:
            lost.append(str(task))
    return [f"in every task of Table 2 but {', '.join(lost)}"]


def _who_wins() -> list[str]:
    best: dict[str, float] = {}
    ours = {}
    for row in rows("delta_sgd_who_wins"):
        if row.curve.startswith("Delta"):
            ours[row.x] = row.y
        elif not row.curve.startswith(("SGD x", "SGD /")):
            best[row.x] = max(best.get(row.x, 0.0), row.y)
    behind = [best[setting] - ours[setting] for setting in ours]
    return [
        f"alone at the top of eight in {sum(b < 0 for b in behind)} of {len(behind)} settings, level with others in "
        f"{sum(b == 0 for b in behind)},",
        f"the best in {sum(b <= 0.5 for b in behind)}; at worst it is {max(behind):.1f} points behind",
    ]


def _samplers() -> list[str]:
    found = []
    for title in ("regret", "loss"):
        for reading in READINGS:
            here = [r for r in rows("osmd_samplers") if r.title.startswith(title) and r.curve == LABELS[reading]]
            found.append(f"{title} ({reading}) {_span([r.y for r in here])}, {_tally(here)}")
    return found


def _tuned_step() -> list[str]:
    rate, error = (_curve("sfl_tuned_step", 1, c) for c in (READ_AS, ERROR))
    kept, own = (_curve("sfl_tuned_step", 2, c) for c in (ERROR, OWN))
    return [
        f"the error is {in_title(error[1e15] / rate[1e15])} times the rate at $R=10^{{15}}$ and "
        f"{in_title(error[1e24] / rate[1e24])} times at $R=10^{{24}}$",
        f"at most {in_title(max(kept[x] / own[x] for x in own))} of a bound",
    ]


def _between() -> list[str]:
    ends = [row.y for row in last(rows("worst_between")).values()]
    assert ends == sorted(ends, reverse=True)
    upper, exact, error, lower = ends
    return [
        f"{upper / exact:.0f} times the exact worst case, this is {exact / error:.1f} times the error",
        f"that error is {in_title(error / lower)} times the lower bound",
    ]


def _printed() -> list[str]:
    """What is drawn has a ratio; the catalogue has the others too."""
    found = rows("papers_printed")
    holds = [r for r in found if r.curve == "holds"]
    assert all(r.y <= 1.005 for r in holds)
    lines = [line for key in KEYS for line in builtin_lines(key) if line.reading == "printed"]
    every = Counter(line.recorded for line in lines if line.recorded in ("holds", "violated"))
    far = [r.y for r in found if r.curve == "violated" and r.y > 100]
    return [
        f"Of {every.total()} printed statements {every['holds']} hold and {every['violated']} are violated",
        f"{sum(r.y < 0.1 for r in holds)} have more than ten times to spare",
        f"{COUNTED[len(far)]} of the violated exceed their bounds more than 100 times, at most {max(far):.0f} times",
        f"each of the {len(found)} statements with a positive ratio",
        f"The other {every.total() - len(found)} have none",
    ]


def _promise() -> list[str]:
    bound, value = (_curve("delta_sgd_promise", 1, c) for c in ("bound of Theorem 5", "clients of the counterexample"))
    lag = [r.y for r in rows("delta_sgd_promise") if r.panel == 2]
    assert len(lag) == 15
    return [
        f"exceeded {in_title(value[100] / bound[100])} times at the right end",
        f"ahead of all rivals in {sum(v < 0 for v in lag)}, level in {sum(v == 0 for v in lag)}, and {max(lag):.1f} points behind",
    ]


def _directions() -> list[str]:
    shared = _curve("fedcg_directions", 1, "directions shared (FedCG)")
    granted, lost = (
        _curve("fedcg_directions", 3, c) for c in ("loss granted by Theorem 3.2", "loss of the run (where positive)")
    )
    return [
        f"{shared[100]:.1%} of the optimum with 100 clients",
        f"{in_title(lost[3] / granted[3])} times what Theorem 3.2 grants",
    ]


def _accuracies() -> list[str]:
    of = {c: [r.y for r in rows("sfl_accuracies") if r.curve == c] for c in ("SFL", "PFL")}
    leads = [a - b for a, b in zip(of["SFL"], of["PFL"], strict=True)]
    return [
        f"leads in {sum(v > 0 for v in leads)} of {len(leads)} pairs, by {min(leads):.2f} to {max(leads):.2f} points"
    ]


def _printed_accuracies() -> list[str]:
    found = rows("delta_sgd_accuracies")
    ours = {(r.panel, r.x): r.y for r in found if r.curve == "Delta-SGD"}
    others = {at: [r.y for r in found if (r.panel, r.x) == at and r.curve != "Delta-SGD"] for at in ours}
    assert all(len(of) == 7 for of in others.values())
    ahead = [sum(v > ours[at] for v in of) for at, of in others.items()]
    lag = max(max(of) - ours[at] for at, of in others.items())
    assert ahead.count(0) + ahead.count(1) > len(ahead) / 2
    return [
        f"Of {len(ahead)} printed lines Delta-SGD is first in {ahead.count(0)} and second in {ahead.count(1)}",
        f"{lag:.1f} points behind",
    ]


def _results() -> list[str]:
    """AAggFF against the best other method of each data set; more is better above, less below."""
    best = []
    for panel, sign in ((1, 1), (2, 1), (3, -1), (4, -1)):
        found = [r for r in rows("aaggff_results") if r.panel == panel]
        ours = {r.x: sign * r.y for r in found if r.curve == "AAggFF"}
        best.append(sum(v >= max(sign * r.y for r in found if r.x == x) for x, v in ours.items()))
    assert best[2] == 6
    words = ("average in", "performance in", "coefficient in", "gap in")
    return [f"{w} {n}" for w, n in zip(words, best, strict=True)]


SAID: dict[str, Callable[[], list[str]]] = {
    "osmd_samplers": _samplers,
    "sfl_accuracies": _accuracies,
    "delta_sgd_accuracies": _printed_accuracies,
    "aaggff_results": _results,
    "sfl_tuned_step": _tuned_step,
    "worst_between": _between,
    "papers_printed": _printed,
    "delta_sgd_promise": _promise,
    "fedcg_directions": _directions,
    "osmd_slack": _slack,
    "osmd_vacuity": _vacuity,
    "osmd_trap": _trap,
    "sfl_tightness": _tightness,
    "sfl_bias": _bias,
    "delta_sgd_rates": _rates,
    "fedcg_sampling_term": _sampling,
    "aaggff_threshold": _threshold,
    "aaggff_learners": _learners,
    "aaggff_chain": _chain,
    "aaggff_cumulative": _cumulative,
    "sfl_digits": _digits,
    "sfl_tasks": lambda: _tasks("sfl_tasks"),
    "sfl_tasks_large_steps": lambda: _tasks("sfl_tasks_large_steps"),
    "delta_sgd_who_wins": _who_wins,
    "delta_sgd_over_rounds": _over_rounds,
}


@pytest.mark.parametrize("name", SAID)
def test_a_title_says_what_the_numbers_say(name: str) -> None:
    said = words(name)
    for sentence in SAID[name]():
        assert sentence in said


def test_but_not_what_other_numbers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the same words of numbers that are a tenth larger are not found."""
    larger = [row._replace(y=1.1 * row.y) if row.curve == "regret" else row for row in rows("osmd_slack")]
    monkeypatch.setitem(globals(), "rows", lambda name: larger)
    assert not all(sentence in words("osmd_slack") for sentence in _slack())


def test_every_row_counts_its_own_seeds() -> None:
    """No note lists the numbers of seeds of several points."""
    for path in FOLDER.glob("*.csv"):
        assert " seeds / " not in path.read_text(), path.name
    notes = {row.note for row in rows("fedcg_sampling_term") if row.curve.startswith("Theorem 3.5") and row.panel == 1}
    assert notes == {"mean of 100 runs, least to largest"}
    guarantees = {row.note for row in rows("fedcg_guarantee") if row.panel <= 3 and row.note}
    assert guarantees == {"float64"}


def test_the_page_tells_how_often_the_figure_shows_a_sharper_guarantee() -> None:
    """Pink is above orange wherever both are drawn, green at so many points of so many."""
    name, printed = "fedcg_guarantee", "Theorem 3.2 (3.5 below)"
    above = {
        curve: [
            y > _curve(name, panel, printed)[x] for panel in range(1, 7) for x, y in _curve(name, panel, curve).items()
        ]
        for curve in ("strengthened: its recursion's weights, mean heterogeneity", "by one martingale: Hoeffding")
    }
    pink, green = above.values()
    assert pink
    assert all(pink)
    text = " ".join((FOLDER.parent / "docs" / "findings" / "fedcg.md").read_text(encoding="utf-8").split())
    assert f"Pink is a sharper guarantee everywhere. Green is one at {sum(green)} of {len(green)} points" in text
