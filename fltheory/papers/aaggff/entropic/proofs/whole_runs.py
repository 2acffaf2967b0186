"""Bounds in quantities that a run measures, and the theorems on a federation's responses, which may be any."""

from __future__ import annotations

from dataclasses import replace

from sympy import log

from fltheory.papers.aaggff.entropic.proofs import corollary53, theorem52
from fltheory.papers.aaggff.losses.proofs.facts import EACH, RISES, ROUNDS, P, Q, a, b, i, j, t
from fltheory.papers.aaggff.newton.proofs import newton, theorem51
from fltheory.papers.aaggff.newton.proofs.newton import lam, rank
from fltheory.papers.aaggff.notation import K, T, alpha, beta
from fltheory.proof import Theorem, by, eq, le, proof, statement_of
from fltheory.proof.terms import Dot, Positive, Total, family
from fltheory.verification import find

limit = family(Positive, "limit")()


def again(claim: str, theorem: Theorem) -> Theorem:
    """Return a theorem as a proof of another claim with the same bound."""
    bound = find(f"aaggff/{claim}").bound
    last = replace(theorem.steps[-1])
    return replace(theorem, id=f"aaggff/{claim}", claim=f"aaggff/{claim}", bound=bound, place=bound.source.place,
        note="for any responses, so also those of a federation", steps=(*theorem.steps[:-1], last))


FEDERATED = (
    again("E-T5.1-window@corrected", theorem51.WINDOW),
    again("E-T5.1@strengthened", theorem51.SHARP),
    again("E-T5.2@printed", theorem52.PRINTED),
    again("E-P1@corrected", corollary53.P1),
)

# Theorem 5.1 with the eigenvalues of a run --------------------------------------------------------------------------------



def newton_run(claim: str, note: str) -> Theorem:
    """State the regret bound in terms of the eigenvalues of the run."""
    bound = find(f"aaggff/{claim}").bound
    statement, conditions = statement_of(bound, theorem51.REGRET / limit)
    known = theorem51.ALONG
    names = [g.id for g in known.hypotheses if g.id not in ("range", "curved")]
    setting = tuple(g for g in known.hypotheses if g.id in names)
    return (
        proof(f"aaggff/{claim}", of=f"aaggff/{claim}", bound=bound, unused=("c2",), note=note)
        .under(*setting, *conditions)
        .given("limit", eq(limit, alpha / 2 * (1 - 1 / K) + Total(log(1 + lam(j) / alpha), j, 1, rank) / (2 * beta)),
            "what the run's eigenvalues give: positive, as there are two clients or more")
        .step("known", known.statement, by.apply(known.id, *names, "c1", "c3"))
        .qed(statement, by.linear("known", "limit"))
    )


NEWTON = (
    newton_run("T5.1-run@explicit", "h are the gradients"),
    newton_run("T5.1-run@strengthened", "h are the gradients less their means over the clients"),
)

# Theorem 5.2 with the gradient sizes of a run -------------------------------------------------------------------------

_T = theorem52
_ETA, _LONGEST = _T.eta, _T.longest
_SLOPE = -_T.r(t, i) / _T.grown(t)
_SPENT_D = _ETA(T) * log(K) + Total(_LONGEST(t) ** 2 / (2 * _ETA(t)), t, 1, T)
_STATED, _CONDITIONS = statement_of(find("aaggff/T5.2-run@explicit").bound, _T.REGRET / limit)
ENTROPIC = (
    proof("aaggff/T5.2-run@explicit", of="aaggff/T5.2-run@explicit", bound=find("aaggff/T5.2-run@explicit").bound,
        unused=("c1", "c2"), note="the decision after the last round has the last rate")
    .under(_T.EXACT, *_T.LOSSES, _T.RISING, _T.LAST, *_CONDITIONS)
    .given("up", le(_SLOPE, _LONGEST(t), ROUNDS, EACH), "no entry of the gradient is beyond |g|_inf")
    .given("down", le(-_LONGEST(t), _SLOPE, ROUNDS, EACH), "on either side")
    .given("limit", eq(limit, _SPENT_D), "what the run's sizes give")
    .step("convex", le(_T.REGRET, _T.GRADIENTS), by.apply(theorem52.A3))
    .step("linear", by.apply(theorem52.RUN, {_T.g(t, i): _SLOPE}, "decision", "sum", "up", "down", "other", "rising"))
    .qed(_STATED, by.linear("convex", "linear", "last", "limit"))
)

# Decisions that move the model ----------------------------------------------------------------------------------------

_P, _H, _GROWN, used = newton.p, newton.h, theorem51.grown, family(Positive, "used")
_WAY = Dot(_H(t), _P(t + 1) - _P(t))
_NEW, _OLD = Dot(_H(t), _P(t + 1)), Dot(_H(t), _P(t))
_USED = find("aaggff/E-used@strengthened").bound
_STATED_USED, _CONDITIONS_USED = statement_of(_USED, Total(log(_GROWN(t)) - log(used(t)), t, 1, T))
MOVING = (
    proof("aaggff/E-used@strengthened", of="aaggff/E-used@strengthened", bound=_USED,
        unused=tuple(g.id for g in _CONDITIONS_USED), note="p^(t+1) on round t, round by round")
    .under(theorem51.LEAST, *_CONDITIONS_USED)
    .given("now", le(newton.leader(t, _P(t)), newton.leader(t, _P(t + 1)), ROUNDS),
        "p^(t) minimises (7) before the round")
    .given("slope", eq(_GROWN(t) * _WAY, _GROWN(t) - used(t), ROUNDS),
        "h = -r/(1 + <p, r>) at p^(t), up to multiples of (1, ..., 1); used is 1 + <p^(t+1), r>")
    .step("way", le(_WAY, -beta / 2 * _WAY**2, ROUNDS), by.linear("least", "now"))
    .step("square", le(4 * _NEW * _OLD, (_NEW + _OLD) ** 2, ROUNDS), by.apply("aaggff/square", {P: _NEW, Q: _OLD}))
    .step("down", le(_WAY, 0, ROUNDS), by.linear("way", "square"))
    .step("order", le(_GROWN(t), used(t), ROUNDS), by.linear("down", "slope"))
    .step("log", by.apply(RISES, {a: _GROWN(t), b: used(t)}))
    .step("each", le(log(_GROWN(t)) - log(used(t)), 0, ROUNDS), by.linear("log"))
    .qed(_STATED_USED, by.sum_over(t, "each"))
)

THEOREMS = (*FEDERATED, *NEWTON, ENTROPIC, MOVING)
