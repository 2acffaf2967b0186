"""The bounds of FedCG at numbers, against the paper's formulas in plain arithmetic, and the sums that they are about."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb, exp, isclose, log, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sympy import Expr

from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.discrete import bounds as discrete
from fltheory.papers.fedcg.guarantees.closed_forms import measures, rules
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage, Modular
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable

AT: dict[str, float] = {
    "N": 7,
    "n": 11,
    "r": 3,
    "T": 5,
    "K": 4,
    "present": 6,
    "tau": 2,
    "independent": 29,
    "eta": 0.15,
    "OPT": 13.0,
    "m_F": 1.7,
    "m_max": 2.3,
    "p_min": 0.06,
    "gamma": 0.8,
    "gbar": 0.5,
    "D": 1.9,
    "weighted": 1.1,
    "ceilings": 2.7,
    "curvature": 3.1,
    "sigma": 0.35,
    "L": 0.45,
    "Q": 0.95,
    "B": 0.55,
    "drift": 0.65,
    "deviations": 4.3,
    "delta": 0.21,
    "eps": 0.17,
    "kappa": 19.0,
}
c = SimpleNamespace(**AT)
HESSIAN = c.T * c.eta**2 * c.r**2 * c.m_F / 2
WEIGHTED = sum((1 - c.eta) ** t for t in range(int(c.T))) * c.eta**2 * c.r**2 * c.m_F / 2
TERM = 2 * c.sigma * c.r + 2 * c.eta * c.r**1.5 * c.Q
EACH = c.r * c.sigma + c.r**1.5 * c.L
UNROLLED = 2 * c.sigma * c.r * c.T + 2 * c.r**1.5 * c.Q
ERRORS = c.eta * (c.r * c.D + UNROLLED + sqrt(c.T / (c.K * c.delta)) * (6 * c.r * c.D + UNROLLED))
FIRST = HESSIAN + c.eta * c.r * c.D + TERM + sqrt(c.T / (c.K * c.delta)) * (6 * c.eta * c.r * c.D + TERM)
SAMPLED = c.eta * (c.r * c.D + 6 * c.r * c.D * sqrt(c.T / (c.K * c.delta))) + HESSIAN
LOG = log(2 * c.r * c.n**2)
PAPER: dict[str, float] = {
    "P6_LITERAL": c.eta**2 * c.r**2 * c.m_F / 2,
    "P6": HESSIAN,
    "P6_LIMIT": 0,
    "HETEROGENEITY": 2 * c.m_max,
    "S0": c.m_max - c.p_min * c.m_max,
    "A3": c.r * c.gamma,
    "A3_MEAN": c.r * c.gbar,
    "A4": c.r * c.gamma,
    "A4_MEAN": c.r * c.gbar,
    "ONE_STEP": c.eta**2 * c.r**2 * c.m_F / 2,
    "VARIANCE": (6 * c.r * c.gamma) ** 2 / c.K,
    "S2": c.r**2 * (2 * c.gamma * c.gbar - c.gbar**2) / c.K,
    "S2_PLAIN": (c.r * c.gamma) ** 2 / c.K,
    "CASE_1": c.r * c.gamma,
    "CASE_2": 5 * c.r * c.gamma,
    "T32_PRINTED": c.eta * c.r * c.D + HESSIAN,
    "T32": c.eta * c.r * c.D + HESSIAN,
    "T32_TUNED": (c.r * c.D + c.r**2 * c.m_F / 2) / c.T,
    "S1": c.eta * c.r * c.weighted + WEIGHTED,
    "S1_CURVATURE": c.eta * c.r * c.weighted + c.eta**2 * c.m_F * c.curvature / 2,
    "T35_PRINTED": SAMPLED,
    "T35": SAMPLED,
    "T35_TUNED": (c.r * c.D + c.r**2 * c.m_F / 2) / c.T + 6 * c.r * c.D / sqrt(c.T * c.K * c.delta),
    "S3": c.eta * c.r * c.weighted + WEIGHTED,
    "S4_CHEBYSHEV": c.eta * c.r * c.weighted + WEIGHTED + c.eta * c.r * sqrt(c.ceilings / (c.K * c.delta)),
    "S4_HOEFFDING": c.eta * c.r * c.weighted + WEIGHTED + c.eta * c.r * sqrt(-2 * log(c.delta) * c.ceilings / c.K),
    "L42": (6 * c.r * c.gamma + 2 * EACH) ** 2 / c.K,
    "L42_SHARP": (c.r * (c.gamma + c.sigma + c.B / 2)) ** 2 / c.K,
    "L42_69": EACH,
    "L42_69_CORRECTED": c.r * (2 * c.sigma + c.B),
    "C1": c.r * c.gamma,
    "C2": 2 * EACH,
    "C2_SHARP": c.r * (2 * c.sigma + c.B),
    "T43_PRINTED": FIRST,
    "T43": FIRST,
    "UNROLLED_PRINTED": (1 - c.eta) ** (c.tau * (c.T - 1) + 1) * c.OPT + ERRORS + c.tau * HESSIAN,
    "UNROLLED": (1 - c.eta) ** c.T * c.OPT + ERRORS + HESSIAN,
    "T43_TUNED": c.r**2 * c.m_F / (2 * c.T)
    + c.r * c.D / c.T
    + 2 * c.sigma * c.r
    + 2 * c.r**1.5 * c.Q / c.T
    + (2 * c.sigma * c.r + 6 * c.r * c.D + 2 * c.r**1.5 * c.Q) / sqrt(c.T * c.K * c.delta),
    "NO_DEARER": 0,
    "LOCAL_STEPS": TERM + TERM * sqrt(c.T / (c.K * c.delta)),
    "LOCAL_STEPS_TUNED": 2 * c.sigma * c.r
    + 2 * c.r**1.5 * c.Q / c.T
    + (2 * c.sigma * c.r + 2 * c.r**1.5 * c.Q) / sqrt(c.T * c.K * c.delta),
    "LIPSCHITZ_TERM": c.r * c.m_max,
    "S5": c.eta * c.r * (c.weighted + c.drift)
    + 2 * c.r * c.sigma * (1 - (1 - c.eta) ** c.T)
    + WEIGHTED
    + c.eta * sqrt(c.deviations / (c.K * c.delta)),
    "KAPPA_UNIFORM": 40 / 3 * (1 - exp(-1)) * c.r * LOG / c.eps**2,
    "KAPPA_MATROID": 20 / 3 * c.r * LOG / c.eps**2,
    "MATROID": (0.5 - c.eps) * c.OPT,
    "UNIFORM": (1 - exp(-1) - c.eps) * c.OPT,
}
GREEDY = 1 - (1 - 1 / c.r) ** c.r
OF_SETS: dict[str, float] = {
    "KAPPA_MATROID_PRINTED": c.n * 20 / 3 * c.r * LOG / c.eps**2,
    "KAPPA_UNIFORM_PRINTED": c.n * 40 / 3 * (1 - exp(-1)) * c.r * LOG / c.eps**2,
    "KAPPA_DEVIATION": 3 * c.r * log(2 * c.n * c.independent) / c.eps**2,
    "KAPPA_ONCE": 3 * c.r * log(2 * c.n * c.independent) / (c.eps / 2) ** 2,
    "S7_SHARE": c.r,
    "S7_DEVIATION": 1 / c.n,
    "NWF_UNIFORM": GREEDY * c.OPT,
    "NWF_MATROID": c.OPT / 2,
    "IMP_SUM": c.n,
    "SHARED": GREEDY * c.OPT,
    "SHARED_ALWAYS": GREEDY * c.OPT,
    "ABSENT": GREEDY * (c.OPT - c.m_max + c.present * c.m_max / c.N),
    "ALIKE": 1,
    "ALIKE_ANY": 1,
    "PARTICIPANTS": c.kappa * c.n,
    **dict.fromkeys(("S6_MATROID", "S7_MATROID", "BY_LARGEST_MATROID"), (0.5 - c.eps) * c.OPT),
    **{name: (1 - exp(-1) - c.eps) * c.OPT for name in ("S6_UNIFORM", "S7_UNIFORM", "BY_LARGEST_UNIFORM", "SAMPLED")},
}


def number(formula: Bound | Expr) -> float:
    expr = formula.expr if isinstance(formula, Bound) else formula
    return float(expr.subs({getattr(notation, name): value for name, value in AT.items()}))


@pytest.mark.parametrize(("module", "paper"), [(bounds, PAPER), (discrete, OF_SETS)], ids=["runs", "sets"])
def test_bounds_are_the_papers_formulas(module: Any, paper: dict[str, float]) -> None:
    wrong = {name for name, value in paper.items() if not isclose(number(getattr(module, name)), value, rel_tol=1e-12)}
    assert not wrong
    assert {name for name, one in vars(module).items() if isinstance(one, Bound)} <= set(paper) | set(PAPER)


def test_which_scale_is_sure_to_be_enough() -> None:
    """The next whole number above the formula, at the constants of the clients."""
    clients = SubmodularClients((Modular((1, 2, 3, 1)),), Uniform(4, 2))
    matroid = 20 / 3 * 2 * log(2 * 2 * 4**2) / 0.25
    assert discrete.least_scale(bounds.KAPPA_MATROID, clients, Fraction(1, 2)) == int(matroid) + 1
    once = 4 * 3 * 2 * log(2 * 4 * (1 + 4 + comb(4, 2))) / 0.25
    assert discrete.least_scale(discrete.KAPPA_ONCE, clients, Fraction(1, 2)) == int(once) + 1


# The sums of the theorems along a run --------------------------------------------------------------------------------------

CLIENTS = SubmodularClients(
    (Coverage(((0,), (1,), (0, 1)), 3, (1, 2, 1)), Coverage(((0, 1), (2,)), 3, (2, 1))), Uniform(3, 2), (1, 3)
)
EVERY = (notation.D, notation.weighted, notation.ceilings, notation.curvature, notation.drift, notation.deviations)


def settled(**more: Any) -> Case[SubmodularClients]:
    given: dict[str, Any] = {"n_rounds": 3, "server_step_size": "1/4", "n_local_steps": 2, "estimate_error": "1/5"}
    return Case(CLIENTS, **{**given, **more})


def paths(case: Case[SubmodularClients]) -> np.ndarray:
    """Two runs whose directions differ from each other and between rounds."""
    quarter, states = RATIONAL.scalar(Fraction(1, 4)), []
    for moves in (((1, 1, 0), (0, 1, 1), (1, 0, 1)), ((0, 1, 1), (0, 1, 0), (1, 0, 0))):
        points = [[RATIONAL.scalar(0)] * 3]
        for move in moves:
            points.append([a + quarter * m for a, m in zip(points[-1], move, strict=True)])
        states.append(points)
    return np.array(states, dtype=object)


def fraction(value: Any) -> Fraction:
    return Fraction(as_number(value))


@pytest.mark.parametrize("error", ["none", "worst"])
@pytest.mark.parametrize("first", [0, 1])
def test_sums_along_a_run(first: int, error: Any) -> None:
    """With weights (1 - eta)^(R - 1 - t); ceilings are the largest over the paths of each round."""
    case = settled()
    states, eta, rank = paths(case), Fraction(1, 4), 2
    if first:  # as the paper prints it: one more round at the end
        states = np.concatenate([states, states[:, -1:]], axis=1)
    rounds = states.shape[1] - 1
    measure = measures.Shortfall((*EVERY, notation.Q), mode="scaled", error=error, first=first)
    found = measure.read(states, case)
    weights = [(1 - eta) ** (rounds - 1 - t) for t in range(rounds)]
    k = run_constants(case, RATIONAL)
    tops: list[list[tuple[Fraction, Fraction]]] = []
    for path in range(2):
        used = states[path, first : first + rounds]
        gamma, mean = (list(map(fraction, v)) for v in measures.dissimilarities(CLIENTS, used))
        drift, squares = (
            list(map(fraction, v))
            for v in measures.drifts(CLIENTS, used, k, "scaled", error)  # type: ignore[attr-defined]
        )
        assert fraction(found[notation.D][path]) == sum(gamma)
        assert fraction(found[notation.weighted][path]) == sum(w * v for w, v in zip(weights, mean, strict=True))
        assert fraction(found[notation.drift][path]) == sum(w * v for w, v in zip(weights, drift, strict=True))
        assert isclose(float(found[notation.Q][path]), sum(sqrt(v) for v in squares), rel_tol=1e-14)
        bends = []
        for t in range(rounds):
            move = [
                (fraction(b) - fraction(a)) / eta for a, b in zip(states[path, t], states[path, t + 1], strict=True)
            ]
            bends.append(sum(a * b for i, a in enumerate(move) for j, b in enumerate(move) if i != j))
        assert fraction(found[notation.curvature][path]) == sum(w * v for w, v in zip(weights, bends, strict=True))
        tops.append(list(zip(gamma, drift, strict=True)))
    largest = [(max(a, b), max(x, y)) for (a, x), (b, y) in zip(*tops, strict=True)]
    for path in range(2):
        assert fraction(found[notation.ceilings][path]) == sum(g * g for g, _ in largest)
        parts = [rank * (g + Fraction(1, 5) + b / 2) for g, b in largest]
        assert fraction(found[notation.deviations][path]) == sum(v * v for v in parts)
    only = measures.Shortfall((notation.D,), first=first).read(states, case)
    assert set(only) == {notation.D}


@pytest.mark.parametrize(
    ("mode", "share"), [("scaled", Fraction(1, 4)), ("clip", Fraction(1)), ("literal", Fraction(1))]
)
def test_ceilings_where_paths_are_simulated(mode: Any, share: Fraction) -> None:
    """(1 - p_min) m_* of the heterogeneity; of the drift m_* min{1, r eta (tau - 1)/tau}, or m_*."""
    case = settled()
    k = run_constants(case, None)
    floats = paths(case).astype(float)
    gamma = 0.75 * float(k.max_client_singleton)
    found = measures.Shortfall(
        (notation.ceilings, notation.deviations, notation.drift), mode=mode, error="sampled"
    ).read(floats, case)
    far = float(k.max_client_singleton) * float(share)
    assert found[notation.ceilings] == pytest.approx([3 * gamma**2] * 2)
    assert found[notation.deviations] == pytest.approx([3 * (2 * (gamma + 0.2 + far / 2)) ** 2] * 2)
    weights = [0.75**t for t in range(3)]
    assert found[notation.drift] == pytest.approx([far * sum(weights)] * 2)
    assert float(k.max_client_singleton) == 3


@pytest.mark.parametrize("guarantee", ["eta", "e", "all"])
def test_what_is_promised(guarantee: Any) -> None:
    case = settled()
    optimum = max(Fraction(CLIENTS.value(frozenset(s))) for s in itertools.combinations(range(3), 2))
    share = {"eta": 1 - 0.75**3, "e": 1 - exp(-1), "all": 1.0}[guarantee]
    measure = measures.Shortfall((), guarantee)
    states = paths(case)
    for kind in (states, states.astype(float)):
        values = measure.values(kind, case)
        assert values.shape == (2, 1)
        for path in range(2):
            reached = float(CLIENTS.extension(states[path, -1:])[0])
            assert float(values[path, 0]) == pytest.approx(share * float(optimum) - reached)
    assert float(measure.trivial(case)) == pytest.approx(share * float(optimum))
    assert 0 <= measure.uncertainty(case) < 1e-12
    low, high = measure.span(case)
    top = float(run_constants(case, None).max_client_singleton)
    assert (low, high) == pytest.approx((share * float(optimum) - float(optimum) - 2 * top, share * float(optimum)))
    irrational = measure.trivial(settled(server_step_size="sqrt(2)/8"))
    share = 1 - (1 - sqrt(2) / 8) ** 3 if guarantee == "eta" else share
    assert float(irrational) == pytest.approx(share * float(optimum))
    assert float(measure.values(states.astype(float), settled(server_step_size="sqrt(2)/8"))[0, 0]) == pytest.approx(
        share * float(optimum) - float(CLIENTS.extension(states[0, -1:])[0])
    )
    local = measures.Shortfall((), guarantee, mode="clip")
    names = {
        "eta": ("(1 - (1 - η)^T) OPT - F(x_T)", "(1 - (1 - η)^R) OPT - F(x_R)"),
        "e": ("(1 - 1/e) OPT - F(x_T)", "(1 - 1/e) OPT - F(x_R)"),
        "all": ("OPT - F(x_T)", "OPT - F(x_R)"),
    }
    assert (measure.name, local.name) == names[guarantee]
    assert not measure.is_random(case)
    assert measures.Shortfall((), random=True).is_random(case)


# The rules for the number of rounds -----------------------------------------------------------------------------------------


def test_rules_for_the_number_of_rounds() -> None:
    """Rounded up, at least 1; of scaled functions the terms of another unit change."""
    case = settled(additive_error="1/3", failure_probability="1/7", n_sampled=2)
    r, m_f = 2, Fraction(case.constants[notation.m_F])
    for total in (Fraction(0), Fraction(1, 2), Fraction(7)):
        by_32 = max(2 * r * total * 3, m_f * r**2 * 3)
        by_35 = max(3 * r * total * 3, 3 * m_f * r**2 * 3 / 2, 324 * r**2 * total**2 * 7 * 3 / 2)
        squared = max(3 * r * total * 3, 3 * m_f * r**2 * 3 / 2, 324 * r**2 * total**2 * 7 * 9 / 2)
        for rule, value in ((rules.RULE_32, by_32), (rules.RULE_35, by_35), (rules.RULE_35_SQUARED, squared)):
            assert rules.rounds_by(rule, case, total) == max(1, -(-value.numerator // value.denominator))
    assert rules.rounds_by(notation.D * 0, case, Fraction(1)) == 1


def test_a_run_in_rationals_and_its_shortfall() -> None:
    """Steps 1/T, the summed heterogeneity, and what is left of (1 - 1/e) OPT at the end."""
    case = settled(additive_error=9)
    x, total = rules.run_fully(case, 3)
    at, far = np.array([[RATIONAL.scalar(0)] * 3], dtype=object), Fraction(0)
    for _ in range(3):
        far += fraction(measures.dissimilarities(CLIENTS, at)[0][0])
        bases = [CLIENTS.base(CLIENTS.gradient(at, m), m) for m in range(2)]
        at = at + (bases[0] * RATIONAL.scalar(Fraction(1, 4)) + bases[1] * RATIONAL.scalar(Fraction(3, 4))) / 3
    assert (x == at).all()
    assert total == far
    optimum = max(Fraction(CLIENTS.value(frozenset(s))) for s in itertools.combinations(range(3), 2))
    left = (1 - exp(-1)) * float(optimum) - float(CLIENTS.extension(at)[0])
    assert float(rules.shortfall(case)) == pytest.approx(left)
    rounds = rules.rounds_by(rules.RULE_32, case, total)
    other, _ = rules.run_fully(case, rounds)
    left = (1 - exp(-1)) * float(optimum) - float(CLIENTS.extension(other)[0])
    assert float(rules.shortfall_by_rule(case)) == pytest.approx(left)
    with pytest.raises(NotEnumerable, match=r"the rule needs \d+ rounds, more than 400"):
        rules.shortfall_by_rule(settled(additive_error="1/100"))


def test_when_clients_are_alike_enough() -> None:
    """2 r D <= error T and T error >= r^2 m_F, both at the boundary too."""
    _, total = rules.run_fully(settled(), 3)
    least = Fraction(settled().constants[notation.m_F]) * 4 / 3
    alike = 4 * total / 3
    assert rules.not_alike(settled(additive_error=max(least, alike))) is None
    far = rules.not_alike(settled(additive_error=alike - Fraction(1, 1000)))
    assert far == "the clients differ by more than error / (2 rank) on average over the run"
    same = SubmodularClients((Modular((1, 2, 1)),) * 2, Uniform(3, 2), (1, 3))
    fits = Fraction(8, 3)  # rank^2 max F({e}) / T
    given: dict[str, Any] = {"n_rounds": 3, "server_step_size": "1/3"}
    assert rules.not_alike(Case(same, **given, additive_error=fits)) is None
    short = rules.not_alike(Case(same, **given, additive_error=fits - Fraction(1, 1000)))
    assert short == "the run has fewer than rank^2 max_singleton / error rounds"
    assert rules.modular_clients(Case(same, **given)) is None
    assert rules.modular_clients(settled()) == "some client is not modular"


def test_the_least_shortfall_of_modular_clients() -> None:
    """No base that a client sends is worth more than the best of them."""
    one = SubmodularClients((Modular((4, 0, 1)), Modular((0, 3, 2))), Uniform(3, 1), (1, 1))
    worth = [Fraction(one.value(frozenset({e}))) for e in (0, 1)]
    wanted = (1 - exp(-1)) * float(one.optimum) - float(max(worth))
    case = Case(one, n_rounds=2, server_step_size="1/2")
    assert float(rules.least_shortfall(case)) == pytest.approx(wanted)
