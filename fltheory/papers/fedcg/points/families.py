"""Hypothesis strategies for statements about one point, round or estimate, from which ``falsify`` draws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from fltheory.model.case import Case
from fltheory.papers.fedcg.estimates.closed_forms import Pairs, Sampled
from fltheory.papers.fedcg.instances import families as of
from fltheory.papers.fedcg.local.cases import LocalRound
from fltheory.papers.fedcg.points.cases.points import AtPoint, Moved, Stepped
from fltheory.papers.fedcg.points.cases.polytopes import OnPolytope
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Capped, Coverage, Modular
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive

tenths = st.builds(Fraction, st.integers(0, 10), st.just(10))


@st.composite
def at_points(draw: st.DrawFn, drawn: bool = False, steps: bool = False, inside: bool = False) -> Case:
    """Draw clients at a point; ``drawn``: with drawn clients; ``steps``: with local steps, ``inside`` the cube."""
    clients = draw(of.clients())
    settings: dict[str, Any] = {"n_sampled": draw(st.integers(1, 3))} if drawn else {}
    tau = draw(st.integers(2 if inside else 1, 4))
    if steps:
        settings["n_local_steps"] = tau
    x = draw(of.points(clients.dim))
    if inside:
        x = tuple(v * (1 - Fraction(1, tau)) for v in x)
    return Case(AtPoint(clients, x), **settings)


@st.composite
def unit_points(draw: st.DrawFn) -> Case:
    """Draw clients that are one point each, covered or not, at a point of the cube."""
    n, many = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.sets(st.integers(0, n - 1)), min_size=many, max_size=many))
    if not any(rows):
        rows[0] = {0}
    masses = draw(st.lists(log_uniform_positive(1e-1, 10), min_size=many, max_size=many))
    functions = tuple(Coverage((sorted(row),), n) for row in rows)
    return Case(AtPoint(SubmodularClients(functions, Uniform(n, draw(st.integers(1, n))), masses), draw(of.points(n))))


@st.composite
def on_polytopes(draw: st.DrawFn) -> Case:
    """Draw clients, one to four vertices in the cube, a point between them, and one to three points of the cube."""
    clients = draw(of.clients())
    vertices = draw(st.lists(of.points(clients.dim), min_size=1, max_size=4))
    shares = draw(st.lists(st.integers(0, 5), min_size=len(vertices), max_size=len(vertices)))
    path = draw(st.lists(of.points(clients.dim), min_size=1, max_size=3))
    return Case(
        OnPolytope(clients, tuple(vertices), tuple(shares) if any(shares) else (1,) * len(vertices), tuple(path))
    )


@st.composite
def moves(draw: st.DrawFn) -> Case:
    """Draw a function, a point, and an increasing step in the cube."""
    function = draw(of.of_any_size())
    n = function.n_items
    x = draw(of.points(n))
    step = tuple((1 - v) * draw(tenths) for v in x)
    if not any(step):
        x, step = (Fraction(0), *x[1:]), (Fraction(1), *step[1:])
    return Case(Moved(function, x, step))


@st.composite
def stepped(draw: st.DrawFn) -> Case:
    """Draw a step along a direction of the polytope that stays in the cube."""
    clients = draw(of.clients())
    direction = draw(of.in_polytope(clients.matroid))
    eta = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 10), Fraction(4)]))
    direction = tuple(d / max(eta, Fraction(1)) for d in direction)
    x = tuple((1 - eta * d) * draw(tenths) for d in direction)
    return Case(Stepped(clients, x, direction, eta))


@st.composite
def local_rounds(draw: st.DrawFn, drawn: bool = False, euclidean: int = 0) -> Case:
    """Draw a round of local steps with errors of any size; ``drawn``: some clients are drawn."""
    clients = draw(of.clients(most_items=3))
    tau = draw(st.integers(1, 3))
    errors: Any = ()
    if draw(st.booleans()):
        size = draw(log_uniform_positive(1e-2, 1))
        entries = st.integers(-2, 2).map(lambda k: k * size / 2)
        row = st.lists(entries, min_size=clients.dim, max_size=clients.dim)
        count = clients.n_clients * tau
        errors = draw(st.lists(row, min_size=count, max_size=count))
    length = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 5)]))
    settings = {"n_sampled": draw(st.integers(1, 3))} if drawn else {}
    return Case(LocalRound(clients, draw(of.points(clients.dim)), tau, errors, length, euclidean), **settings)


@st.composite
def indifferent(draw: st.DrawFn) -> Case:
    """Draw clients that slightly prefer the same items, with errors that reverse their order."""
    n, many = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    base, gap = draw(log_uniform_positive(1e-1, 10)), draw(log_uniform_positive(1e-2, 1))
    f = Modular([base + gap * k for k in range(n)])
    size = gap * draw(st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)]))
    entries = st.sampled_from([-size, Fraction(0), size])
    errors = draw(st.lists(st.lists(entries, min_size=n, max_size=n), min_size=many, max_size=many))
    masses = draw(st.lists(st.integers(1, 9), min_size=many, max_size=many))
    return Case(
        LocalRound(SubmodularClients((f,) * many, Uniform(n, 1), masses), (0,) * n, 1, tuple(map(tuple, errors)))
    )


@st.composite
def grouped(draw: st.DrawFn) -> Case:
    """Draw groups of items with a common point, where gradients change fast along local steps."""
    size, groups = draw(st.integers(2, 4)), draw(st.integers(2, 6))
    n = size * groups
    points = [range(n), *(range(size * g, size * (g + 1)) for g in range(groups))]
    clients = SubmodularClients((Coverage(points, n),), Uniform(n, draw(st.sampled_from([1, size]))))
    return Case(LocalRound(clients, (0,) * n, draw(st.integers(2, groups))))


@st.composite
def many_groups(draw: st.DrawFn) -> Case:
    """Draw groups of 3 items with a common point, so many that each local step visits a new one."""
    groups = draw(st.integers(20, 41))
    n = 3 * groups
    points = [range(n), *(range(3 * g, 3 * g + 3) for g in range(groups))]
    return Case(LocalRound(SubmodularClients((Coverage(points, n),), Uniform(n, 3)), (0,) * n, groups))


@st.composite
def leaving(draw: st.DrawFn) -> Case:
    """Draw a capped count at a point from which a local step leaves the cube."""
    n = draw(st.integers(3, 4))
    clients = SubmodularClients(
        (Capped((1,) * n, draw(st.integers(1, n - 1))),), Uniform(n, draw(st.integers(1, n - 1)))
    )
    x = draw(st.lists(st.sampled_from([Fraction(1), Fraction(0), Fraction(1, 2)]), min_size=n, max_size=n))
    return Case(AtPoint(clients, tuple(x)), n_local_steps=draw(st.integers(1, 2)))


@st.composite
def grouped_points(draw: st.DrawFn) -> Case:
    """Draw the same for a single local step."""
    round_ = draw(grouped()).instance
    assert isinstance(round_, LocalRound)
    return Case(AtPoint(round_.clients, round_.x), n_local_steps=round_.n_local_steps)


@st.composite
def sampled_values(draw: st.DrawFn, enough: bool = False) -> Case:
    """Draw sampled values of a function; ``enough``: so many that m sigma^2 is at least 0.4."""
    function = draw(of.of_any_size(3))
    n = function.n_items
    if not function.value(frozenset(range(n))):
        function = Coverage((range(n),), n)
    sigma = draw(st.builds(Fraction, st.integers(1, 99), st.just(100)))
    m = draw(st.integers(1, 12))
    if enough:
        sigma = max(sigma, Fraction(1, 3))
        m = max(m, -(-2 // (5 * sigma**2)))
    return Case(Sampled(function, draw(of.points(n))), n_samples=int(m), accuracy=sigma)


@st.composite
def sampled_gradients(draw: st.DrawFn, euclidean: bool = False) -> Case:
    """Draw sampled gradients with the number of samples that an error and a failure probability require."""
    n = draw(st.integers(1, 3 if euclidean else 4))
    function = draw(of.functions(n))
    if not function.value(frozenset(range(n))):
        function = Coverage((range(n),), n)
    m_f = max(function.value(frozenset({e})) for e in range(n))
    sigma = m_f * draw(st.sampled_from([Fraction(1, 2), Fraction(3, 5), Fraction(4, 5)]))
    delta = draw(st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]))
    many = draw(st.integers(1, 2))
    least = float(m_f**2 / sigma**2) / 2 * math.log(2 * n * many / delta) * (n if euclidean else 1)
    return Case(
        Sampled(function, draw(of.points(n))),
        n_samples=math.ceil(least * (1 + 1e-9)),
        estimate_error=sigma,
        failure_probability=delta,
        n_estimates=many,
    )


@st.composite
def sampled_pairs(draw: st.DrawFn) -> Case:
    """Draw sampled gradients of pairs with 4 ln(1/delta)/sigma^2 samples."""
    sigma = draw(st.sampled_from([Fraction(1, 10), Fraction(3, 10), Fraction(49, 100)]))
    delta = draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]))
    m = math.ceil(4 * math.log(1 / delta) / sigma**2 * (1 + 1e-9))
    scale = draw(log_uniform_positive(1e-1, 100))
    return Case(
        Pairs(2 * draw(log_uniform_counts(1000)), scale), n_samples=m, estimate_error=sigma, failure_probability=delta
    )


@st.composite
def small_slopes(draw: st.DrawFn) -> Case:
    """Draw one pair that covers a point, with a partner that is drawn with probability near 1."""
    sigma = draw(st.sampled_from([Fraction(1, 2), Fraction(9, 10)]))
    delta = draw(st.sampled_from([Fraction(1, 10), Fraction(1, 2)]))
    m = math.ceil(4 * math.log(1 / delta) / sigma**2 * (1 + 1e-9))
    q = draw(log_uniform_positive(1e-3, 1e-1))
    return Case(Sampled(Coverage(((0, 1),), 2), (0, 1 - q)), n_samples=m, accuracy=sigma, failure_probability=delta)
