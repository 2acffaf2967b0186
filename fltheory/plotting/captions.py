"""The title and caption of a claim's plot, from the numbers of a sweep alone.

A title never contradicts the catalogue: a recorded violation is named even if the plotted values don't show it, and
the title then says so. Variants and changed claims have no record.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sympy import Symbol

from fltheory.claims.claim import Claim, recorded_verdict, variant_of
from fltheory.evidence.verdict import short_name, variant_text
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.plotting.labels import MILLION, constant_text, factor_text, four_digits, instance_words, letter_of, number
from fltheory.plotting.point import CONFIDENCE
from fltheory.plotting.sweep import Sweep

_COUNT = re.compile(r"\d+")
TINY = 1e-9  # relative, attributable to rounding


def headline(found: Sweep) -> str:
    """Return the title: the claim, or the variant that replaces its algorithm, and the finding."""
    variant = variant_of(found.claim)
    name, words = found.claim.id, finding_text(found)
    if variant is None:
        return f"{name}: {words}"
    if words.startswith("violated"):
        return f"{variant_text(short_name(variant))} violates the bound of {name}{words.removeprefix('violated')}"
    return f"{variant_text(short_name(variant))}, bound of {name}: {words}"


def finding_text(found: Sweep) -> str:
    """Return the finding in a few words."""
    claim = found.claim
    if claim.measure is None:
        return "an external rate, for reference"
    recorded = None if claim.entry.claim is None else recorded_verdict(claim)
    own = None if found.verdict is None else found.verdict.status
    false = own == "violated" or (own is None and recorded == "violated")
    if own in ("inconclusive", "inapplicable"):
        return f"{own} on its own cases: {_of_points(found, recorded, False)}"
    words = _of_points(found, recorded, false)
    if words.startswith("violated") and not false and own is not None:
        return f"{own} on its own cases, {words}"
    if own == "vacuous" and not words.startswith("holds, but is vacuous"):
        return f"vacuous on its own cases: {words}"
    return words


def _of_points(found: Sweep, recorded: str | None, false: bool) -> str:
    """Return the finding at the points, for a claim refuted by its own cases (``false``) or not."""
    if not any(p.applies for p in found.points):
        return "violated, though it applies at none of these values" if false else "applies at none of these values"
    measured = found.column("measured")
    if not np.isfinite(measured[_applies_mask(found)]).any():
        return "violated, though nothing could be measured here" if false else "nothing could be measured"
    surely, all_ = found.violated(), found.violated(surely=False)
    if surely.any():
        against = f", against the record ({recorded})" if recorded not in (None, "violated") else ""
        return f"violated{_values_count_text(found, surely)}: {_how_far(found, surely)}{against}"
    if all_.any():
        said = "violated" if recorded in (None, "violated") else f"{recorded} by record, yet"
        return f"{said}{':' if said == 'violated' else ''} {_how_far(found, all_)} by sampled runs{_values_count_text(found, all_)}"
    beyond = _mean_beyond(found)
    if false:
        return (
            f"violated, {'here by a mean within its band' if beyond.any() else 'though at none of the values plotted'}"
        )
    return _unviolated_text(found, beyond, recorded)


def _unviolated_text(found: Sweep, beyond: np.ndarray, recorded: str | None) -> str:
    """Return the finding if no violation is seen."""
    if beyond.any():
        return f"not refuted: {_how_far(found, beyond)} by a mean, within its band"
    if found.claim.bound.side == "equal":
        return _equality_text(found)
    vacuous = found.vacuous()[_applies_mask(found)]
    if vacuous.all():
        return "holds, but is vacuous at every value shown"
    words = "holds" if recorded is None or recorded == "holds" else f"{recorded} by record, holds"
    ratios = found.ratio()
    ratios = ratios[np.isfinite(ratios) & (ratios > 0)]
    if not len(ratios) or not (found.limit()[_applies_mask(found)] > 0).all():
        return f"{words} at every value shown"
    least, most = factor_text(float(ratios.min())), factor_text(float(ratios.max()))
    if least == most == "1":
        return f"{words}; the bound is attained to three digits"
    if found.claim.bound.side == "lower":
        return f"{words}; the measured value is {least}{f' to {most}' if most != least else ''} times the lower bound"
    which = "bound 1 is " if len(found.claim.bounds) > 1 else ""
    return f"{words}; {which}loose by a factor of {least}{f' to {most}' if most != least else ''}"


def _equality_text(found: Sweep) -> str:
    off = _excess(found)[_applies_mask(found)]
    off = np.abs(off[np.isfinite(off)])
    exactly = all("holds" in p.told for p in found.points if p.applies)
    if exactly or not len(off):
        return "equal at every value shown"
    if off.max() >= 1:  # a formula of 0, of which no share can be told
        return "equal at every value shown, within the enclosures of the values"
    return f"equal at every value shown, to {max(float(off.max()), 1e-16):.0e} of it"


def _applies_mask(found: Sweep) -> np.ndarray:
    return np.array([p.applies for p in found.points], dtype=bool)


def _values_count_text(found: Sweep, mask: np.ndarray) -> str:
    """Return at how many of the measured values, unless at all."""
    known = int(_measured_mask(found).sum())
    return "" if mask.sum() == known else f" at {int(mask.sum())} of {known} values"


def _measured_mask(found: Sweep) -> np.ndarray:
    """Return where the claim applies and a value was measured."""
    return _applies_mask(found) & np.isfinite(found.column("measured"))


def _excess(found: Sweep, index: int = 0) -> np.ndarray:
    """Return the excess of the measure over the bound, relative to the bound (or to the measure, if that is 0)."""
    limit, measured = found.limit(index), found.column("measured")
    with np.errstate(all="ignore"):
        return (measured - limit) / np.maximum(np.abs(limit), TINY * np.abs(measured))


def _how_far(found: Sweep, mask: np.ndarray) -> str:
    """Return by what factor or share the bound is missed within the mask."""
    index = found.titled
    side = found.claim.bounds[index].side
    limit, measured = found.limit(index)[mask], found.column("measured")[mask]
    which = f"bound {index + 1} " if len(found.claim.bounds) > 1 else ""
    if side == "equal":
        off = np.abs(_excess(found, index)[mask])
        if (limit == 0).all():
            return f"{which}not equal: off by up to {number(float(np.abs(measured).max()))}, where 0 is claimed"
        return f"{which}not equal: off by up to {_share(float(off.max()))}"
    verb = "undercut" if side == "lower" else "exceeded"
    with np.errstate(all="ignore"):
        ratios = limit / measured if side == "lower" else measured / limit
    ratios = ratios[(limit > 0) & (measured > 0) & np.isfinite(ratios)]
    if not len(ratios):
        return f"{which}{verb} by up to {number(float(np.abs(measured - limit).max()))}{_zero_bound_note(limit, side)}"
    most = float(ratios.max())
    if most <= 1:
        return f"{which}{verb} by less than can be plotted"
    if most < 1.1:
        return f"{which}{verb} by up to {_share(most - 1)}"
    words = f"{which}{verb} by a factor of {'up to ' if len(ratios) > 1 and most <= MILLION else ''}{factor_text(most)}"
    return words + _own_factor_text(found, mask, most)


def _own_factor_text(found: Sweep, mask: np.ndarray, most: float) -> str:
    """Return the factor at the case itself, which the other commands print, if the largest one is that of another value."""
    at = mask & (found.column("value") == found.own)
    limit, measured = found.limit(found.titled)[at], found.column("measured")[at]
    if len(limit) != 1 or limit[0] <= 0 or measured[0] <= 0:
        return ""
    own = float(measured[0] / limit[0])
    own = 1 / own if found.claim.bounds[found.titled].side == "lower" else own
    return "" if factor_text(own) == factor_text(most) or own < 1.005 else f", {factor_text(own)} at the case itself"


def _zero_bound_note(limit: np.ndarray, side: str) -> str:
    return f", where at {'least' if side == 'lower' else 'most'} 0 is claimed" if (limit == 0).all() else ""


def _share(value: float) -> str:
    """Return a share of the bound: per cent, or a power of ten if tiny."""
    return (
        f"{100 * value:.2g} %"
        if 1e-4 <= value < 10
        else f"{number(value)} of it"
        if value < 1
        else f"{factor_text(value)} times"
    )


def _mean_beyond(found: Sweep) -> np.ndarray:
    """Return where a sampled mean, though not its band, exceeds the bound."""
    sign = {"upper": 1.0, "lower": -1.0, "equal": 0.0}[found.claim.bound.side]
    sampled = np.array([not p.evidence_is_exact and p.applies for p in found.points], dtype=bool)
    with np.errstate(invalid="ignore"):
        excess = sign * _excess(found)
        return sampled & (excess > TINY)


# Captions -------------------------------------------------------------------------------------------------------


def caption(found: Sweep, more: str = "") -> str:
    """Return the caption: the claim and its source, instance, constants, variant, evidence."""
    claim = found.claim
    source = claim.bound.source
    lines = [f"{source.place} ({source.paper}, {source.reading})."]
    if found.case is not None:
        lines[0] += f" Instance: {escape_dollars(instance_words(found.case.instance))}."
        lines.append(f"Constants: {constants_text(found)}.")
    variant = variant_of(claim)
    if variant is not None:
        lines.append(f"In place of the claim's algorithm: {variant_text(short_name(variant))}.")
    lines.append(_evidence_text(found))
    if any("seeds" in p.evidence for p in found.points):
        lines[-1] += f" Band: {CONFIDENCE:.0%} confidence (Student) at each point."
    unknown = int((_applies_mask(found) & ~_measured_mask(found)).sum())
    if unknown and claim.measure is not None:
        lines[-1] += f" Not computable at {unknown} more."
    if len(found.points) < found.planned:
        lines[-1] += f" Cut short: {truncation_note(found)}."
    return "\n".join(filter(None, [*lines, more]))


def truncation_note(found: Sweep) -> str:
    """Return how many of the planned values exist, and what ran out; or ""."""
    if len(found.points) >= found.planned:
        return ""
    return (
        f"{len(found.points)} of {found.planned} values, no {'time' if found.ended == 'seconds' else 'work'} for more"
    )


def escape_dollars(text: str) -> str:
    """Return text for a caption, escaped so that no character is read as mathematics."""
    return text.replace("$", r"\$")


def constants_text(found: Sweep) -> str:
    """Return the constants of the bound and of the run in the paper's notation; the varied one as a range."""
    claim, case = found.claim, found.case
    assert case is not None
    given = caption_constants(claim, case)
    parts: list[str] = []
    for symbol, value in given.items():
        letter = f"${letter_of(claim.bound, symbol)}$"
        if symbol == found.symbol:
            x = found.column("value")
            parts.insert(
                0, f"{letter} from {four_digits(x.min())} to {four_digits(x.max())} (the case: {constant_text(value)})"
            )
        else:
            parts.append(f"{letter}\u00a0=\u00a0{constant_text(value)}")
    if found.symbol not in given:
        x = found.column("value")
        parts.insert(
            0, f"${letter_of(claim.bound, found.symbol)}$ from {four_digits(x.min())} to {four_digits(x.max())}"
        )
    return ", ".join(parts)


def caption_constants(claim: Claim, case: Case) -> dict[Symbol, Any]:
    """Return the constants in a caption: those of the bounds and of the settings, from the case."""
    try:
        values = claim.prepared(case).constants
    except (ValueError, ZeroDivisionError):
        values = case.constants
    asked: set[Symbol] = set().union(*(_bound_symbols(bound) for bound in claim.bounds))
    set_ = {name for name, _ in case.settings}
    return {s: v for s, v in sorted(values.items(), key=lambda pair: pair[0].name) if s in asked or s.name in set_}


def _bound_symbols(bound: Bound) -> set[Symbol]:
    return {*bound.symbols, *bound.expr.free_symbols}


def _evidence_text(found: Sweep) -> str:
    total = sum(p.applies and bool(p.evidence) for p in found.points)
    return f"Evidence at {total} values: {evidence_words(found)}." if total else ""


def evidence_words(found: Sweep, counted: bool = True) -> str:
    """Return the evidence (with the number of values), and the range of the numbers of runs."""
    kinds: dict[str, list[list[int]]] = {}
    for point in found.points:
        if point.evidence and (point.applies or not counted):
            kinds.setdefault(_COUNT.sub("{}", point.evidence), []).append(
                [int(n) for n in _COUNT.findall(point.evidence)]
            )
    total = sum(map(len, kinds.values()))
    said = []
    for words, counts in kinds.items():
        spans = [f"{min(n)} to {max(n)}" if min(n) < max(n) else f"{n[0]}" for n in zip(*counts, strict=True)]
        said.append(words.format(*spans) + (f" at {len(counts)}" if counted and len(counts) < total else ""))
    return ", ".join(said)


def alt_text(found: Sweep) -> str:
    """Return a description for readers who can't see the picture, with the whole instance."""
    x, y = found.column("value"), found.column("measured")
    good = np.isfinite(y)
    words = [f"{headline(found)}.", f"{found.claim.statement}."]
    if found.case is not None:
        words.append(f"Case: {found.case.arguments()}.")
    words.append(f"Along {found.symbol.name} from {x.min():.4g} to {x.max():.4g}.")
    if found.claim.measure is not None and good.any():
        name = found.claim.measure.name
        words.append(f"Measured: {name} from {np.nanmin(y):.4g} to {np.nanmax(y):.4g}.")
    limit = found.limit()
    if np.isfinite(limit).any():
        words.append(f"Bound from {np.nanmin(limit):.4g} to {np.nanmax(limit):.4g}.")
    return " ".join(words)
