"""The remarks "choose T = ..." after Theorems 3.2 and 3.5: the shortfall of a run of that length from (1 - 1/e) OPT.

The rules contain D, a sum over the T rounds that they choose. To make them meaningful, D is taken from a first run
of ``n_rounds`` rounds; the run that counts then has the length given by the rule.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Expr, Max

from fltheory.model.case import Case
from fltheory.number import RATIONAL, Number, as_number, evaluate_exact, to_ball
from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.algorithms import full
from fltheory.papers.fedcg.guarantees.closed_forms.measures import dissimilarities
from fltheory.papers.fedcg.notation import D, K, delta, error, m_F, r
from fltheory.papers.fedcg.points.cases.points import rationals
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.constants import run_constants
from fltheory.runs.method import NotEnumerable

RULE_32 = Max(2 * r * D / error, m_F * r**2 / error)  # the printed T; D itself is a sum of T terms
RULE_35 = Max(3 * r * D / error, 3 * m_F * r**2 / (2 * error), 324 * r**2 * D**2 / (K * delta * error))  # in units of f
RULE_35_SQUARED = Max(3 * r * D / error, 3 * m_F * r**2 / (2 * error), 324 * r**2 * D**2 / (K * delta * error**2))
LONGEST = 400  # largest number of rounds of exact runs


def run_fully(case: Case[SubmodularClients], rounds: int) -> tuple[Any, Fraction]:
    """Run FedCG with all clients and steps 1/T in rationals; return the last point and the summed heterogeneity."""
    instance = case.instance
    c = run_constants(case.with_settings(server_step_size=Fraction(1, rounds)), RATIONAL)
    x = rationals(instance.start)[None]
    total = Fraction(0)
    for _ in range(rounds):
        total += Fraction(as_number(dissimilarities(instance, x)[0][0]))
        x = full.step(x, SetOracle(instance, None), c)  # type: ignore[arg-type]
    return x, total


def rounds_by(rule: Expr, case: Case, total: Fraction) -> int:
    """Return the number of rounds that a rule gives for this D, rounded up, at least 1."""
    constants = {**case.constants, notation.D: total}
    value = evaluate_exact(rule, constants)
    return max(1, -(-value.numerator // value.denominator))


def _shortfall_at(instance: SubmodularClients, reached: Number) -> arb:
    return (1 - arb(-1).exp()) * to_ball(instance.optimum) - to_ball(reached)


def shortfall_by_rule(case: Case) -> arb:
    """Return the shortfall of full participation after the T of the rule for Theorem 3.2."""
    instance: SubmodularClients = case.instance
    _, total = run_fully(case, int(case.constants[notation.T]))
    rounds = rounds_by(RULE_32, case, total)
    if rounds > LONGEST:
        raise NotEnumerable(f"the rule needs {rounds} rounds, more than {LONGEST}")
    x, _ = run_fully(case, rounds)
    return _shortfall_at(instance, as_number(instance.extension(x)[0]))


def least_shortfall(case: Case) -> arb:
    """Return a lower limit of the shortfall for modular clients, for any T of steps 1/T and any drawn clients.

    Their gradients are constant, so no draw reaches more than the best client's base.
    """
    instance: SubmodularClients = case.instance
    start = rationals(instance.start)[None]
    bases = (instance.base(instance.gradient(start, i), i) for i in range(instance.n_clients))
    return _shortfall_at(instance, max(as_number(instance.extension(base)[0]) for base in bases))


def modular_clients(case: Case[SubmodularClients]) -> str | None:
    """Return the reason why the clients are not modular, or None."""
    instance = case.instance
    good = isinstance(instance, SubmodularClients) and all(isinstance(f, Modular) for f in instance.functions)
    return None if good else "some client is not modular"


def not_alike(case: Case) -> str | None:
    """Return why a run breaks the repaired rule: r D/T <= error/2 for its T = ``n_rounds``, T >= r^2 m_F/error."""
    c = case.constants
    rounds, error = int(c[notation.T]), Fraction(c[notation.error])
    _, total = run_fully(case, rounds)
    if 2 * c[notation.r] * total > error * rounds:
        return "the clients differ by more than error / (2 rank) on average over the run"
    if rounds * error < c[notation.r] ** 2 * Fraction(c[notation.m_F]):
        return "the run has fewer than rank^2 max_singleton / error rounds"
    return None


def shortfall(case: Case) -> arb:
    """Return the shortfall of full participation after ``n_rounds`` rounds of step 1/T."""
    instance: SubmodularClients = case.instance
    x, _ = run_fully(case, int(case.constants[notation.T]))
    return _shortfall_at(instance, as_number(instance.extension(x)[0]))


def in_other_units(rule: Expr, case: Case) -> Fraction:
    """Return the value of a rule after the functions are rescaled by a factor of seven."""
    constants = {s: v * 7 ** notation.units(s) if s in rule.free_symbols else v for s, v in case.constants.items()}
    return evaluate_exact(rule, constants)
