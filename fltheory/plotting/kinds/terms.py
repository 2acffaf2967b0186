"""The terms of a bound along a constant, each compared with the value measured for its source alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sympy import Expr, Symbol

from fltheory import symbols
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.model.dataclass_fields import replace_fields
from fltheory.number import to_float
from fltheory.plotting.captions import alt_text, caption, truncation_note
from fltheory.plotting.kinds.run_terms import run_terms
from fltheory.plotting.labels import axis_label, formula, four_digits, letter_of, measure_label
from fltheory.plotting.picture import Curve, Panel, Picture, all_zones, measured_curves, omission_note
from fltheory.plotting.point import applicability, measure
from fltheory.plotting.ranges.scales import Limits, fitted_limits
from fltheory.plotting.sweep import Sweep, Watch, sweep
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import DataDependentMeasure

MOST = 5  # number of terms drawn separately; the rest is one curve
SOURCES: dict[str, frozenset[Symbol]] = {
    "noise": frozenset({symbols.noise_std, symbols.noise_std_at_optimum}),
    "heterogeneity": frozenset(
        {
            symbols.heterogeneity_at_optimum,
            symbols.heterogeneity,
            symbols.max_heterogeneity,
            symbols.heterogeneity_slope,
            symbols.hessian_heterogeneity,
        }
    ),
    "start": frozenset({symbols.initial_distance, symbols.initial_gap}),
}
DEEPEST = 1e-8  # relative to the bound: smaller terms are not drawn
STYLES = ("second", "third", "reference 3", "reference 2", "reference")


@dataclass(frozen=True)
class TermCurve:
    """A summand of the bound, its value at every point, and the value measured with its source alone."""

    expr: Expr | None  # None: the sum of all others
    values: np.ndarray
    alone: np.ndarray | None = None
    source: str = ""


def terms_picture(
    claim: Claim,
    case: Case | None = None,
    along: str | None = None,
    deadline: float = math.inf,
    watch: Watch | None = None,
    work: float = math.inf,
) -> Picture:
    """Return the terms of the first bound along a constant; ValueError if it has one only, or no real value."""
    if len(summands(claim)) < 2:
        raise ValueError(f"the bound of {claim.id} is one term and cannot be split")
    return sweep_terms(sweep(claim, case, along, deadline=deadline, watch=watch, work=work))


def sweep_terms(found: Sweep) -> Picture:
    """Return the picture of the terms along a sweep."""
    claim, terms = found.claim, split_terms(found)
    panel = _panel(found, terms)
    more = _legend_note(claim, terms, panel) + omission_note(found, panel)
    return Picture(
        f"{claim.id}: {_finding_text(found, terms)}",
        (panel,),
        width=5.0,
        row_height=3.3,
        cut=truncation_note(found),
        caption=caption(found, more.strip()),
        legend_columns=1,
        description=alt_text(found),
    )


def _legend_note(claim: Claim, terms: tuple[TermCurve, ...], panel: Panel) -> str:
    """Return the meaning of thin lines, and the terms not drawn because they are 0 in this case, or below the axis."""
    said = (
        ["Thin lines: the value measured with that source alone."] if any(_is_drawable(t.alone) for t in terms) else []
    )
    none = [_term_name(claim, i, t) for i, t in enumerate(terms, 1) if not _is_drawable(t.values)]
    floor = -math.inf if panel.y_limits[0] is None else panel.y_limits[0]
    below = [
        f"{_term_name(claim, i, t)} is at most {four_digits(float(np.nanmax(t.values)))}"
        for i, t in enumerate(terms, 1)
        if _is_drawable(t.values) and float(np.nanmax(t.values)) < floor
    ]
    said += [f"0 in this case: {', '.join(none)}."] if none else []
    return " ".join([*said, *([f"Below the picture: {', '.join(below)}."] if below else [])])


def _term_name(claim: Claim, number: int, term: TermCurve) -> str:
    """Return the name of a term in the legend: its number and formula."""
    return "the other terms" if term.expr is None else f"term {number}: {formula(term.expr, dict(claim.bound.letters))}"


def _is_drawable(values: np.ndarray | None) -> bool:
    """Return whether there is anything to draw."""
    return values is not None and bool(np.nan_to_num(values).any())


def summands(claim: Claim) -> tuple[Expr, ...]:
    """Return the terms of the first bound; a factor times a sum is expanded."""
    terms = claim.bound.terms()
    return terms if len(terms) > 1 else tuple(claim.bound.expr.expand().as_ordered_terms())


def split_terms(found: Sweep) -> tuple[TermCurve, ...]:
    """Return the largest terms over a sweep, and the sum of the others."""
    exprs = summands(found.claim)
    each = [_values(found.claim, exprs, c, limit) for (_, c), limit in zip(found.cases, found.limit(), strict=True)]
    values = np.array(each).T
    order = sorted(range(len(exprs)), key=lambda i: -float(np.nan_to_num(np.abs(values[i])).max()))
    kept = order if len(order) <= MOST else order[: MOST - 1]
    terms = [_with_source(found, TermCurve(exprs[i], values[i])) for i in kept]
    rest = order[len(kept) :]
    return (*terms, TermCurve(None, values[rest].sum(axis=0))) if rest else tuple(terms)


def _values(claim: Claim, exprs: Sequence[Expr], case: Case, limit: float) -> list[float]:
    """Return the terms of the bound ``limit`` in a case; NaN where there is no bound."""
    reason, _, full = applicability(claim, case)
    if reason or math.isnan(limit):
        return [math.nan] * len(exprs)
    if isinstance(claim.measure, DataDependentMeasure):
        return run_terms(claim, exprs, full, limit)
    return [to_float(replace(claim.bound, expr=expr).ball(full.constants)) for expr in exprs]


def _with_source(found: Sweep, term: TermCurve) -> TermCurve:
    """Return the term with the value measured for its source alone, if there is such an instance."""
    assert term.expr is not None
    free = _unfold(found.claim, term.expr).free_symbols
    sources = [name for name, of_it in SOURCES.items() if of_it & free]
    if len(sources) != 1 or found.claim.measure is None:
        return term
    alone = np.array([_measure_alone(found.claim, case, sources[0]) for _, case in found.cases])
    return (
        replace(term, alone=alone, source=sources[0]) if np.isfinite(alone).any() else replace(term, source=sources[0])
    )


def _unfold(claim: Claim, expr: Expr) -> Expr:
    return replace(claim.bound, expr=expr).expand_definitions()


def _measure_alone(claim: Claim, case: Case, source: str) -> float:
    """Return the value measured with this source alone; NaN without such an instance or without an exact value."""
    instance = case.instance
    if type(instance) is not QuadraticClients:
        return math.nan
    changes: dict[str, object] = {}
    if source != "noise":
        changes["noise_std"] = 0
    if source != "heterogeneity":  # every client is the mean one
        changes["curvatures"] = (instance.mean_left,) * instance.n_clients
        changes["slopes"] = (instance.mean_slope,) * instance.n_clients
    if source != "start":
        changes["start"] = instance.minimiser
    try:
        reason, _, full = applicability(claim, case)
        bare = Case(replace_fields(instance, **changes), **dict(full.settings))
        value, _, _, evidence = measure(claim, bare)
    except (ValueError, ZeroDivisionError):
        return math.nan
    return value if not reason and evidence == "exact" else math.nan


def _panel(found: Sweep, terms: tuple[TermCurve, ...]) -> Panel:
    claim, x = found.claim, found.column("value")
    positive = all((np.nan_to_num(t.values) >= 0).all() for t in terms)
    curves = tuple(_curves(found, terms))
    return Panel(
        "",
        axis_label(claim.bound, found.symbol),
        measure_label(claim),
        curves,
        tuple(
            zone for zone in all_zones(found, brief=False) if zone.kind != "vacuous"
        ),  # the trivial bound is not drawn
        x_scale="log" if (x > 0).all() else "linear",
        y_scale="log" if positive else "linear",
        y_limits=_limits(found, curves) if positive else (None, None),
        at=(found.own, "the case itself") if math.isfinite(found.own) else None,
        counts=bool(found.symbol.is_integer),
    )


def _limits(found: Sweep, curves: tuple[Curve, ...]) -> Limits:
    """Return the ends of a logarithmic axis that fits what is drawn, down to a small part of the bound."""
    limit = found.limit()
    floor = DEEPEST * float(np.nanmin(limit)) if np.isfinite(limit).any() else 0.0
    return fitted_limits(np.concatenate([np.asarray(c.y, float) for c in curves]), floor)


def _curves(found: Sweep, terms: tuple[TermCurve, ...]) -> Iterator[Curve]:
    claim, x = found.claim, found.column("value")
    letter, alone = letter_of(claim.bound, found.symbol), set[str]()
    yield Curve(f"bound ({claim.bound.source.place})", x, found.limit(), "bound", letter=letter)
    for number, (term, style) in enumerate(zip(terms, STYLES, strict=False), 1):
        if not _is_drawable(term.values):
            continue
        name = _term_name(claim, number, term)
        about = f", of {term.source}" if term.source else ""
        yield Curve(name + about, x, term.values, style, letter=letter)
        if term.alone is not None and _is_drawable(term.alone) and term.source not in alone:
            alone.add(term.source)  # that of a further term with this source is the same line
            yield Curve(f"measured with {term.source} alone", x, term.alone, f"{style} alone", note="exact")
    yield from (curve for curve in measured_curves(found, brief=False, signed=False) if curve.style != "trivial")


def _finding_text(found: Sweep, terms: tuple[TermCurve, ...]) -> str:
    """Return the largest term at the case itself, and its share of the bound."""
    own = int(np.nanargmin(np.abs(found.column("value") - found.own))) if math.isfinite(found.own) else 0
    sizes = [(abs(float(t.values[own])), i, t) for i, t in enumerate(terms, 1) if math.isfinite(float(t.values[own]))]
    total = sum(size for size, _, _ in sizes)
    if not sizes or total == 0:
        return "the terms of its bound"
    size, number, term = max(sizes, key=lambda entry: entry[0])
    name = (
        "the sum of the other terms"
        if term.expr is None
        else f"term {number}{f' (of {term.source})' if term.source else ''}"
    )
    share = "nearly all" if size > 0.995 * total else f"{size / total:.0%}"
    return f"{name} is {share} of the bound at the case itself"
