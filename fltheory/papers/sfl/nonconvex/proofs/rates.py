"""From one round to the rates of convergence, non-convex case: Theorems 3, 15 and 16, without tuning of the step.

The drift is inserted into the inequality of one round, and the rounds are summed; the least of the mean squared
gradients is at most their average.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, Integer, Rational, sqrt

from fltheory.model.bound import Bound
from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.notation import A, D, K, L, M, R, a, b, beta, c1, c2, eta, eta_eff, gamma
from fltheory.papers.sfl.recursion import bounds as formula
from fltheory.papers.sfl.recursion.proofs import descent as one
from fltheory.papers.sfl.recursion.proofs import descent_parallel as parallel
from fltheory.papers.sfl.recursion.proofs.averages import U8, d, f, r
from fltheory.papers.sfl.upper.proofs.rates import IN_ROUND, ROUNDS, every_round
from fltheory.proof import Defines, Given, Hypothesis, Relation, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.terms import Scalar, Total, family, substitute
from fltheory.verification import find

least = family(Scalar, "least")()
GAP, G2 = one.READING[one.A], one.G2
_FIVE_SIXTHS = Rational(5, 6)


def joined(*theorems: Theorem) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of all the theorems, without the conditions of their bounds."""
    found = {h.id: h for t in theorems for h in t.hypotheses if h.id not in ("c1", "c2")}
    if any(found[h.id] != h for t in theorems for h in t.hypotheses if h.id in found):
        raise ValueError("two hypotheses of one name say different things")
    return tuple(found.values())


# One round with its drift ---------------------------------------------------------------------------------------


def one_round(
    name: str,
    bound: Bound,
    theorems: tuple[Theorem, Theorem],
    cost: Expr,
    local: Expr,
    slope: Expr,
    slack: tuple[Expr, Expr],
    tail: Expr,
    place: str,
    note: str,
) -> Theorem:
    """Insert the drift into the inequality of one round, where it has the coefficient ``cost``.

    ``local`` is the effective step without the server's, ``slope`` is beta^2/M or beta^2, ``tail`` the last coefficient of
    the recursion. ``slack``: the gradient's coefficient in the drift, the second, is at most the first times 1 + ``slope``.
    """
    descent, drift = theorems
    step, number, polynomial = gamma * local, *slack
    _, conditions = statement_of(bound, least)
    hypotheses = joined(descent, drift)
    ids = {t.id: tuple(h.id for h in t.hypotheses if not isinstance(h, Defines) and h.id not in ("c1", "c2")) for t in theorems}
    inserted = {t.id: tuple(h.id for h in reversed(t.hypotheses) if isinstance(h, Defines)) for t in theorems}
    cap = L * local * (1 + slope)
    rest = step * (Rational(1, 6) - _FIVE_SIXTHS * number / 36 - Rational(1, 10))
    return (
        proof(name, place, note="the recursion of one round").under(*hypotheses, *conditions)
        .step("cap 1", le(gamma * cap, Rational(1, 6)), by.linear("c1"))
        .step("small", le(step, 1 / (6 * L)), by.linear("cap 1"))
        .step("small local", le(local, 1 / (6 * L)), by.linear("small", "c2"),
            note="the server's step is no smaller than 1")
        .step("1", descent.statement, by.apply(descent.id, *ids[descent.id], "small", "c2"),
            inserting=inserted[descent.id], note="one round")
        .step("2", drift.statement, by.apply(drift.id, *ids[drift.id], "small local"), inserting=inserted[drift.id],
            note="its drift")
        .step("cap 2", le(cap, Rational(1, 6)), by.linear("cap 1", "c2"))
        .step("cap 0", le(0, cap), by.linear())
        .step("cap 3", by.power(2, "cap 0", "cap 2"))
        .steps(*(s for s in one.SIGNS if s.id.startswith("steep")))
        .step("cap 4", le(cap**2 * step * G2, step * G2 / 36), by.linear("cap 3", "steep"))
        .qed(
            le(one.NEW_GAP, GAP - step * G2 / 10 + bounds.C1_NC * step**2 + tail * step**3),
            by.linear(
                {
                    "1": 1,
                    "2": cost,
                    "cap 4": _FIVE_SIXTHS * number,
                    "steep": rest + _FIVE_SIXTHS * step * (L * local) ** 2 * (number * (1 + slope) ** 2 - polynomial),
                }
            ),
            note=note,
        )
    )


# From rounds to the least gradient ------------------------------------------------------------------------------


def at_round(expr: Expr) -> Expr:
    """Return a term of one round as that of round r."""
    return substitute_term(expr, list(IN_ROUND.items()))


def least_gradient(name: str, bound: Bound, round_theorem: Theorem, step: Expr, tail: Expr, claim: str) -> Theorem:
    """Prove the rate from the inequality of one round: ``step`` is the effective one, ``tail`` its last coefficient."""
    statement, conditions = statement_of(bound, least)
    slopes, gaps = at_round(G2), at_round(GAP)
    relation = round_theorem.statement
    each = Relation(at_round(relation.left), relation.op, at_round(relation.right), (ROUNDS,))
    averages: Mapping[Any, Any] = {
        a: Integer(0),
        b: Rational(1, 10),
        c1: bounds.C1_NC,
        c2: tail,
        eta_eff: step,
        D: sqrt(A),
        d(r): gaps,
        f(r): slopes,
    }
    mean = Total(slopes, r, 0, R) / (R + 1)
    rounds = every_round(round_theorem, {})
    return (
        proof(name, of=claim, bound=bound).under(*rounds)
        .given("gap", eq(substitute(gaps, {r: Integer(0)}), A), "the start")
        .given("bounded", le(0, gaps, (r, 0, R + 1)), "no value is below the infimum F*")
        .given("least", le(least, slopes, ROUNDS), "what is measured: the least of the mean squared gradients")
        .under(one.CLASS, *conditions)
        .step("round", each,
            by.apply(round_theorem.id, IN_ROUND, "class", *(c.id for c in conditions),
                *(g.id for g in rounds if isinstance(g, Given))),
            inserting=tuple(g.id for g in reversed(rounds) if isinstance(g, Defines)), note="one round from x_r")
        .step("1", by.instance({r: R + 1}, "bounded"))
        .step("2", by.apply(U8, averages, "round", "gap", "1", *(c.id for c in conditions)), note="the rounds summed")
        .step("4", le(least, mean), by.linear(by.sum_over(r, "least")), note="the least is at most the average")
        .qed(statement, by.linear("2", "4"), note="10, 20 and 75/4 (parallel clients: 25/2 too)")
    )


_SFL, _TAIL = eta * gamma * M * K, bounds.C2_NC / gamma**2
NEXT = one_round("sfl/next-nc", bounds.T15, (one.U9, one.U10), formula.U9_DRIFT, eta * M * K, beta**2 / M,
    (Rational(9, 4), Rational(9, 4) * beta**2 / M + Rational(3, 2)), _TAIL, "Appendix E.2",
    "-1/6 + (5/6)(9/4)/36 = -11/96 <= -1/10 and (5/6)(9/4) = 15/8")
T15 = least_gradient("sfl/T15", bounds.T15, NEXT, _SFL, _TAIL, "sfl/T15@explicit")

_STATEMENT, _CONDITIONS = statement_of(bounds.T3_NC, least)


def plain(entry: Hypothesis) -> Hypothesis:
    """Return a hypothesis with the server step 1."""
    if isinstance(entry, Given):
        return Given(entry.id, entry.relation.at({gamma: Integer(1)}), entry.why)
    return (
        Defines(entry.id, entry.left, substitute(entry.right, {gamma: Integer(1)}), entry.why)
        if isinstance(entry, Defines)
        else entry
    )


_SETTING = tuple(plain(h) for h in T15.hypotheses if h.id not in ("c1", "c2"))
T3_NC = (
    proof("sfl/T3-NC", of="sfl/T3-NC@printed", bound=bounds.T3_NC).under(*_SETTING, *_CONDITIONS)
    .step("1", by.apply(T15, {gamma: Integer(1)}),
        inserting=tuple(h.id for h in reversed(_SETTING) if isinstance(h, Defines)), note="the server's step is 1")
    .qed(_STATEMENT, by.linear("1"), note="in the letters of the bound")
)

_PFL, _TAIL_PFL = eta * gamma * K, bounds.C2_NC_PFL / gamma**2
NEXT_PARALLEL = one_round("sfl/parallel-next-nc", bounds.T16, (parallel.U11_ROUND, parallel.U11_DRIFT),
    formula.U11_NC_ROUND_DRIFT, eta * K, beta**2, (Rational(3, 2), Rational(3, 2) * (1 + beta**2)), _TAIL_PFL,
    "Theorem 16, proof", "-1/6 + (5/6)(3/2)/36 = -19/144 <= -1/10, (5/6)(9/4) = 15/8 and (5/6)(3/2) = 5/4")
T16 = least_gradient("sfl/T16", bounds.T16, NEXT_PARALLEL, _PFL, _TAIL_PFL, "sfl/T16@explicit")


def printed(explicit: Theorem) -> Theorem:
    """Prove the printed rate before tuning, with 1000 for the hidden constant: each explicit one is smaller."""
    claim = find(f"{explicit.id}@printed")
    statement, conditions = statement_of(claim.bound, least)
    setting = tuple(h for h in explicit.hypotheses if h.id not in ("c1", "c2"))
    uses = (h.id for h in (*setting, *conditions) if not isinstance(h, Defines))
    return (
        proof(f"{explicit.id}-printed", explicit.place, of=claim.id, bound=claim.bound).under(*setting, *conditions)
        .step("explicit", explicit.statement, by.apply(explicit.id, *uses),
            inserting=tuple(h.id for h in reversed(setting) if isinstance(h, Defines)))
        .qed(statement, by.linear("explicit"), note="10, 20, 75/4 and 25/2 are at most 1000")
    )


THEOREMS = (NEXT, T15, T3_NC, NEXT_PARALLEL, T16, printed(T15), printed(T16))
