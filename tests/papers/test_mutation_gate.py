"""Mutation gate: stronger versions of every upper bound must be refuted, or be listed as out of reach.

For a third of the claims, with ``-m deep`` for the others: the bound divided by 1.5 times the tightest ratio on wide cases, and
every term with one more power of R or M in its denominator. The table of kills is printed at the end of the test run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.nonconvex import claims
from fltheory.papers.sfl.upper.claims import theorem3
from fltheory.problems.separable import QuadraticClients
from fltheory.search.falsifier import falsify
from fltheory.symbols import n_clients, n_rounds
from tests.papers.sample import sampled
from tests.typed import Recorded

TRUE = [c for c in theorem3.CLAIMS + claims.CLAIMS if c.entry.recorded == "holds"]
CASES = 120  # looked at for one mutant


def exponent_mutants(claim: Claim) -> list[tuple[str, Claim]]:
    """Every term of the bound, in turn, with one more power of R or M in its denominator."""
    found = []
    for symbol, letter in ((n_rounds, "R"), (n_clients, "M")):
        for term in claim.bound.terms():
            if not _has_power_of(term, symbol):
                continue
            expr = claim.bound.expr - term + term / symbol
            bound = replace(claim.bound, expr=expr)
            found.append((f"{_short(term, claim)} / {letter}", replace(claim, bounds=(bound,))))
    return found


def _has_power_of(term: sympy.Expr, symbol: sympy.Symbol) -> bool:
    """Whether the term has the symbol as a factor to some power, outside of exponentials."""
    bare = term.replace(lambda e: isinstance(e, sympy.exp), lambda e: sympy.Integer(1))
    return bool(bare.has(symbol))


def _short(term: sympy.Expr, claim: Claim) -> str:
    names = {s: sympy.Symbol(n.replace("\\", "")) for s, n in claim.bound.letters}
    return str(term.xreplace(names)).replace("**", "^").replace(" ", "")[:44]


def wide_cases(claim: Claim) -> tuple[Case, ...]:
    """Many equal clients with noise, and long slow runs: where powers of M and R show."""
    steps = "K" if "PFL" in claim.id or "T7" in claim.id or "T16" in claim.id else "SK" if "PP" in claim.id else "MK"
    cases = []
    many = 40 if claim.tuning else 600
    for m, noise, start in ((many, 1, 0), (many, 0, 100), (1, 0, 1), (2, 1, 1)):
        for low in ("1/3", "1/1000"):
            instance = QuadraticClients(((low, 1),) * m, ((0, 0),) * m, (start, 0), noise_std=(noise, 0))
            for rounds in (2000, 10**8):
                settings: dict[str, Any] = {"n_rounds": rounds, "n_local_steps": 1}
                if "PP" in claim.id:
                    settings["n_participating"] = m
                if claim.tuning:
                    cases.append(Case(instance, **settings))
                else:
                    cases += [at_effective_step(instance, r, steps, **settings) for r in ("1/6", "1/20000")]
    return tuple(cases)


def killed_at(mutant: Claim, verdicts: list[Verdict]) -> bool:
    """Whether the mutant is violated on one of the cases whose measured values are known."""
    for verdict in sorted(verdicts, key=lambda v: -(v.ratio or 0.0)):
        assert verdict.measured is not None
        constants = mutant.prepared(verdict.case).constants
        if (
            mutant.bound.enclosure(constants)[0] < verdict.measured
            and check_claim(mutant, verdict.case).status == "violated"
        ):
            return True
    return False


def exact_verdicts(claim: Claim, more: tuple[Case, ...] = ()) -> list[Verdict]:
    """On the cases that are stored with the claim, and on more of them."""
    known = claim.cases if claim.tightest is None else (*claim.cases, claim.tightest)
    return [v for v in (check_claim(claim, case) for case in (*known, *more)) if v.evidence == "exact"]


def smaller(claim: Claim, tightest: Verdict) -> Claim:
    """The bound divided by 1.5 times the tightest ratio."""
    assert tightest.ratio is not None
    factor = sympy.Rational(str(round(tightest.ratio, 12))) * sympy.Rational(2, 3)
    return replace(claim, bounds=(claim.bound.scaled(factor),))


# Where the step is tuned a mutant is searched for longest: with ``-m deep``, but for one.
SEARCHED = [
    pytest.param(*p.values, id=p.id, marks=p.marks or [pytest.mark.deep] * (p.id not in ("sfl/T7-tuned@explicit",)))
    if p.values[0].tuning
    else p
    for p in sampled(TRUE)
]


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", SEARCHED)
def test_stronger_bounds_are_refuted(claim: Claim, record_property: Recorded) -> None:
    """The scaled mutant and every mutant in R must die; mutants in M that survive are listed as too loose.

    Every third claim, the others with ``-m deep``.
    """
    verdicts = exact_verdicts(claim, wide_cases(claim))
    tightest = max(verdicts, key=lambda v: v.ratio or 0.0)
    assert tightest.ratio is not None
    assert killed_at(smaller(claim, tightest), verdicts), f"{claim.id} / (1.5 * {1 / tightest.ratio:.3g}) survives"
    rows = [f"{claim.id:28} {'bound / (1.5 * ' + format(1 / tightest.ratio, '.3g') + ')':52} killed"]
    for name, mutant in exponent_mutants(claim):
        killed = killed_at(mutant, verdicts)
        if not killed and name.endswith("/ R"):
            killed = falsify(mutant, seed=1, start=(tightest.case,), max_cases=CASES).found
        rows.append(f"{claim.id:28} {name:52} {'killed' if killed else 'survives: too loose'}")
    record_property("table", "\n".join(rows))
