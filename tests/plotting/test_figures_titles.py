"""What the stored figures say in their titles, against the numbers stored beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest

from figures.__main__ import FOLDER
from tests.plotting.drawn import Row, in_title, last, rows, words

READINGS = ("text", "script")


def _span(values: Sequence[float]) -> str:
    low, high = in_title(min(values)), in_title(max(values))
    return low if low == high else f"{low} to {high}"


def _tally(found: Sequence[Row]) -> str:
    smaller, larger = sum(row.high < 1 for row in found), sum(row.low > 1 for row in found)
    return f"{smaller}/{larger}/{len(found) - smaller - larger}"


def _chosen(name: str, what: str, reading: str = "", curve: str = "") -> list[Row]:
    """The last points of the ratios in the panels of a measure and a reading."""
    found = last(rows(name)).items()
    return [
        row for (title, c), row in found if title.startswith(what) and reading in title and c != "equal" and curve in c
    ]


PAIRED = {
    "osmd_against_uniform": ("Adaptive-OSMD over uniform", ("regret", "loss")),
    "osmd_against_smoothness": ("Adaptive-OSMD over sampling by smoothness", ("regret", "loss")),
    "osmd_replacement": ("With replacement over without", ("regret", "loss")),
    "osmd_scaffold": ("SCAFFOLD, OSMD over uniform,", ("loss",)),
}


@pytest.mark.parametrize("name", PAIRED)
def test_paired_runs_are_told_as_they_are(name: str) -> None:
    who, whats = PAIRED[name]
    found = {(what, reading): _chosen(name, what, reading) for what in whats for reading in READINGS}
    assert all(len(of) == 3 for of in found.values())
    spans = ", ".join(f"{w} {'; '.join(_span([row.y for row in found[w, r]]) for r in READINGS)}" for w in whats)
    tallies = ", ".join(f"{w} {'; '.join(_tally(found[w, r]) for r in READINGS)}" for w in whats)
    said = words(name)
    assert f"{who} at the end (text; script): {spans};" in said
    assert f"smaller/larger/undecided at 95% for 3 $\\{'nu' if 'smoothness' in name else 'sigma'}$: {tallies}" in said


def test_rivals_are_told_as_they_are() -> None:
    said = words("osmd_against_bandits")
    for rival in ("MABS", "VRB", "Avare"):
        found = _chosen("osmd_against_bandits", "regret", curve=f"over {rival}")
        assert len(found) == 6
        assert f"{rival} {_span([row.y for row in found])}" in said
        assert f"{rival} {_tally(found)}" in said


def test_floors_and_digits_are_told_as_they_are() -> None:
    said = words("osmd_floors")
    for reading in READINGS:
        assert f"{_span([row.y for row in _chosen('osmd_floors', 'regret', reading)])} ({reading})" in said
    said = words("osmd_digits")
    for reading in READINGS:
        (row,) = _chosen("osmd_digits", "loss", reading, "Adaptive-OSMD")
        assert f"{row.y:.3g} (95%: {row.low:.3g} to {row.high:.3g}; {reading})" in said


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


def _winners() -> list[str]:
    shares = []
    for panel in (1, 2, 3):
        values = [r.y for r in rows("sfl_winners") if r.panel == panel]
        shares.append(f"{100 * sum(v > 0 for v in values) / len(values):.0f}%")
    return [
        f"SFL is ahead on {shares[0]} of the map in the bounds, in fact on {shares[1]}",
        f"and {shares[2]} (best steps)",
        "Black line: equal",  # the caption of maps
    ]


def _sandwich() -> list[str]:
    of: dict[int, list[float]] = {}
    for row in rows("sfl_sandwich"):
        if not row.curve.startswith("rate") and not math.isnan(row.y):
            of.setdefault(row.panel, []).append(row.y)
    upper, lower = ([_span(of[p]) for p in panels] for panels in ((1, 2, 3), (4, 5, 6)))
    return [
        f"{upper[0]} (heterogeneity), {upper[1]} (noise), {upper[2]} (fixed step) times the error",
        f"the error is {', '.join(lower)} times the lower bounds",
    ]


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
            r"martingale, Hoeffding, at $\gamma\leq(1-1/N)m_*$",
        )
    )
    assert "no proved ceiling" in words("fedcg_sampling_term")
    return [
        f"grows {printed[256] / printed[4]:.1f} times, the real spread falls {spread[4] / spread[256]:.1f} times",
        f"is at $T=256$ {in_title(printed[256] / assured[256])} times smaller than the theorem's, "
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


def _worst() -> list[str]:
    exact, chosen, right = ([r.y for r in rows("worst_winners") if r.panel == p] for p in (1, 2, 3))
    return [
        f"at {sum(v > 0 for v in exact)} of {len(exact)} points, PFL at {sum(v < 0 for v in exact)}",
        f"wrong at {sum(v < 0 for v in right)} of them",
        f"choose SFL at {sum(v > 0 for v in chosen)}",
    ]


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


def _local_steps() -> list[str]:
    modes = ("literal", "clip", "scaled")
    work = [[r.y for r in rows("fedcg_local_steps") if r.panel == 2 and r.curve.startswith(f"{m}:")] for m in modes]
    gained = [[r.y for r in rows("fedcg_local_steps") if r.panel == 1 and r.curve.startswith(f"{m}:")] for m in modes]
    assert all(of[0] == 0 for of in gained)
    found = words("fedcg_local_steps").split("Of ")[1].split(" (literal")[0]
    start, rest = found.split(" of the optimum 16 local steps make ")
    ends = [float(v) - float(start) for v in rest.split(", ")]
    assert ends == pytest.approx([of[-1] for of in gained], abs=1.1e-3)
    return [f"at equal work they change it by {', '.join(f'{of[-1] - of[0]:+.3f}' for of in work)}"]


def _regrets() -> list[str]:
    broken, bound = _curve("aaggff_regrets", 3, "two phases (I2)"), _curve("aaggff_regrets", 3, "Theorem 5.1")
    race, wide = _curve("aaggff_regrets", 1, "horse race (I7)"), _curve("aaggff_regrets", 1, "Theorem 5.1")
    return [
        f"within a factor of {wide[max(race)] / race[max(race)]:.1f} on the horse race",
        f"{in_title(broken[1e6] / bound[1e6])} times the bound at $T=10^6$",
    ]


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


SAID: dict[str, Callable[[], list[str]]] = {
    "osmd_slack": _slack,
    "osmd_vacuity": _vacuity,
    "osmd_trap": _trap,
    "sfl_winners": _winners,
    "sfl_sandwich": _sandwich,
    "sfl_tightness": _tightness,
    "sfl_bias": _bias,
    "delta_sgd_rates": _rates,
    "fedcg_sampling_term": _sampling,
    "aaggff_threshold": _threshold,
    "worst_winners": _worst,
    "aaggff_learners": _learners,
    "aaggff_chain": _chain,
    "aaggff_cumulative": _cumulative,
    "sfl_digits": _digits,
    "sfl_tasks": lambda: _tasks("sfl_tasks"),
    "sfl_tasks_large_steps": lambda: _tasks("sfl_tasks_large_steps"),
    "fedcg_local_steps": _local_steps,
    "aaggff_regrets": _regrets,
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
