"""Families of federations and of server rounds for ``falsify``."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.aaggff.complexity.closed_forms import ServerRound
from fltheory.papers.aaggff.instances.federation import (
    BERKA,
    DEVICES,
    ISIC,
    MQP,
    LogisticFederation,
    QuadraticFederation,
)
from fltheory.papers.aaggff.instances.games import case_at

NAMES = ("weibull", "frechet", "gumbel", "exponential", "logistic", "normal")


@st.composite
def server_rounds(draw: st.DrawFn, silo: bool = False) -> Case:
    """Draw rounds of a server; ``silo``: all clients take part, few enough for elimination on lists."""
    n = draw(st.integers(2, 16 if silo else 300))
    return Case(ServerRound(n, n if silo else draw(st.integers(1, n))))


def short_federations() -> st.SearchStrategy:
    """Draw federations with a few rounds, in which some or all clients take part."""
    return _any(sampled=True).map(lambda f: Case(replace(f, n_rounds=min(f.n_rounds, 4))))


def experiments(silo: bool) -> st.SearchStrategy:
    """Draw from the federations of the experiments."""
    return st.sampled_from([Case(f) for f in ((BERKA, ISIC, MQP) if silo else (DEVICES,))])


@st.composite
def quadratic(draw: st.DrawFn, sampled: bool = False) -> QuadraticFederation:
    """Draw two to four quadratic clients with short training."""
    n, dim = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    quarter = st.integers(-8, 8).map(lambda v: Fraction(v, 4))
    positive = st.integers(1, 8).map(lambda v: Fraction(v, 4))
    centres = tuple(tuple(draw(quarter) for _ in range(dim)) for _ in range(n))
    slopes, floors = tuple(draw(positive) for _ in range(n)), tuple(draw(positive) for _ in range(n))
    m = draw(st.integers(1, n)) if sampled else None
    return QuadraticFederation(
        slopes,
        centres,
        floors,
        draw(st.integers(1, 40)),
        draw(st.sampled_from(["1/10", "1/4"])),
        draw(st.integers(1, 2)),
        m,
        cdf=draw(st.sampled_from(NAMES)),
    )


@st.composite
def logistic(draw: st.DrawFn, sampled: bool = False) -> LogisticFederation:
    """Draw a few logistic clients."""
    n = draw(st.integers(2, 8))
    m = draw(st.integers(1, n)) if sampled else None
    return LogisticFederation(
        n,
        draw(st.integers(1, 60)),
        m,
        draw(st.sampled_from([1, 4])),
        draw(st.sampled_from([2, 10])),
        draw(st.integers(0, 1000)),
        cdf=draw(st.sampled_from(NAMES)),
    )


def _any(sampled: bool = False) -> st.SearchStrategy:
    return st.one_of(quadratic(sampled), logistic(sampled))


def federations() -> st.SearchStrategy:
    """Draw federations in which all clients take part, in the paper's range."""
    return _any().map(Case)


@st.composite
def wide_federations(draw: st.DrawFn) -> Case:
    """Draw federations in which all clients take part, with V at least .2987."""
    return Case(replace(draw(_any()), high=draw(st.sampled_from(["3/10", 1, 3]))))


@st.composite
def tuned_federations(draw: st.DrawFn) -> Case:
    """Draw federations in which all clients take part, with any alpha and a beta in the window of the curvature."""
    federation = draw(_any())
    if draw(st.booleans()):
        federation = replace(federation, high=draw(st.sampled_from(["1/10", 1])))
    return case_at(federation, draw(st.sampled_from(["1/10", "1/2", 1, 4])))


def sampled_federations() -> st.SearchStrategy:
    """Draw federations in which some clients take part."""
    return _any(sampled=True).map(Case)
