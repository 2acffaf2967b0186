"""Regime s2 over many rounds: the model is above that of steep clients, so nonnegative half of the time, and its mean grows.

w(n) is the model after n steps, sign(n + 1) the sign of the next step. It is above h, that of the steep clients from 0, which
is as likely on either side of 0. J serves where a round starts right of 0, its companion where it starts left of it.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol, oo

from fltheory.known import find
from fltheory.papers.sfl.letters import K, M, R, eta, lam, lam0, n, sigma, zeta
from fltheory.proof import Defines, Given, Relation, by, eq, le, proof, stated
from fltheory.proof.rules.apply import term
from fltheory.proof.terms import E, Indicator, RandomNonnegative, RandomScalar, family, free
from proofs_checks.sfl import many_rounds, noisy, signs, walk
from proofs_checks.sfl.noisy import GAIN, SHRINK, N
from proofs_checks.sfl.walk import c, k

HALF, Z = Rational(1, 2), Integer(0)
r = Symbol("r", integer=True, nonnegative=True)
w, h, sign, Q, S, sgn, V = (family(RandomScalar, name) for name in ("w", "h", "sign", "Q", "S", "sgn", "V"))
hit = family(RandomNonnegative, "hit")
EVER, ROUNDS = (n, 0, oo), (r, 0, oo)
AHEAD, _AWAY = Indicator(w(N * r)), 1 - Indicator(w(N * r))
PULL = Defines("pull", Q(n), (lam + lam0) / 2 * w(n) - (lam0 - lam) / 2 * Abs(w(n)), "c(x) x")
STEP = Given("step", eq(w(n + 1), w(n) - eta * (Q(n) + sigma * sign(n + 1)), EVER), "a local step with noise sigma sign")
BESIDE = (
    Given(
        "beside",
        eq(h(n + 1), (1 - lam0 * eta) * h(n) - eta * sigma * sign(n + 1), EVER),
        "the same steps on lam0 x^2/2 with the same noise",
    ),
    Given("at 0", eq(h(0), 0), "from 0: what h is"),
    Given(
        "mirror",
        eq(E(Indicator(h(n))), E(Indicator(-h(n))), EVER),
        "h is a sum of the signs with weights: all of them turned over are as likely",
    ),
)
CURVES = many_rounds.CURVES
CAP = Given("cap", le(eta, 1 / (101 * lam0 * N)), "the step is small against lam0")
START = Given("right", le(0, w(0)), "the start is right of 0")
RUN = (CURVES, PULL, STEP, *BESIDE, START)
RUN_IDS = tuple(e.id for e in RUN if isinstance(e, Given))

# On which side ------------------------------------------------------------------------------------------------------

_v = many_rounds.v
_FLAT = {
    M: N,
    K: Integer(1),
    zeta: sigma,
    many_rounds.y(_v, k): w(_v + k),
    many_rounds.h(_v, k): h(_v + k),
    many_rounds.P(_v, k): Q(_v + k),
    many_rounds.t(_v): sign(_v),
}
_PLACES = ((_v, 0, oo), (k, 0, 0))
_CHANCE = le(HALF, E(Indicator(w(n))), EVER)
SIDE = (
    proof("sfl/noise-side", "App. C.2", note="the model is nonnegative half of the time")
    .under(CAP, *RUN)
    .step(
        "local",
        eq(w(_v + k + 1), w(_v + k) - eta * (Q(_v + k) + sigma * sign(_v + k + 1)), *_PLACES),
        by.instance({n: _v + k}, "step"),
    )
    .step(
        "local beside",
        eq(h(_v + k + 1), (1 - lam0 * eta) * h(_v + k) - eta * sigma * sign(_v + k + 1), *_PLACES),
        by.instance({n: _v + k}, "beside"),
    )
    .step("mirror there", eq(E(Indicator(h(_v))), E(Indicator(-h(_v))), _PLACES[0]), by.instance({n: _v}, "mirror"))
    .step(
        "there",
        le(HALF, E(Indicator(w(_v))), _PLACES[0]),
        by.apply(
            "sfl/kink-side", _FLAT, "cap", "curvatures", "local", "local beside", "at 0", "mirror there", "right"
        ),
        inserting="pull",
    )
    .qed(_CHANCE, by.instance({_v: n}, "there"), name="last")
)
_SYM = find("sfl/J-sym@printed").bound
_STATED, _IF = stated(_SYM, E(Indicator(w(N * r))))
SYM = (
    proof("sfl/J-sym", "App. C.2", of="sfl/J-sym@printed", bound=_SYM, unused=("c2",))
    .under(*_IF, *RUN)
    .step("all", _CHANCE, by.apply("sfl/noise-side", "c1", *RUN_IDS), inserting="pull")
    .qed(Relation(_STATED.left, "<=", _STATED.right, ((r, 0, R),)), by.instance({n: N * r}, "all"), name="last")
)

# One round after the other --------------------------------------------------------------------------------------------

IN_ROUND = {
    noisy.y(n): w(N * r + n),
    noisy.P(n): Q(N * r + n),
    signs.tau(n): sign(N * r + n),
    noisy.S(n): S(r, n),
    signs.sgn(n): sgn(r, n),
    signs.hit(n, signs.x): hit(r, n, signs.x),
    noisy.V(c, k): V(r, c, k),
    walk.H: AHEAD,
    walk.x0: w(N * r),
}


def of_rounds(*hypotheses: Given | Defines) -> tuple[Given | Defines, ...]:
    """What a round supposes, of every round."""
    pairs, found = list(IN_ROUND.items()), list[Given | Defines]()
    for e in hypotheses:
        if isinstance(e, Defines):
            found.append(Defines(e.id, term(e.left, pairs), term(e.right, pairs), e.why))
            continue
        left, right = term(e.relation.left, pairs), term(e.relation.right, pairs)
        over = (ROUNDS, *e.relation.over) if r in free(left) | free(right) else e.relation.over
        found.append(Given(e.id, Relation(left, e.relation.op, right, over), e.why))
    return tuple(found)


SIGNED = of_rounds(noisy.SUMS, noisy.NOISE, noisy.SHORT, noisy.APART, noisy.EVEN, noisy.FAIR, *noisy.LAW)
FAIR = Given("mean sign", eq(E(sign(n + 1)), 0, EVER), "each sign is 1 or -1 with the same chance")
MODEL = (*RUN, FAIR, *SIGNED)
GIVEN = tuple(e for e in MODEL if isinstance(e, Given))
IDS = tuple(e.id for e in GIVEN)
DEFINED = tuple(e.id for e in MODEL if isinstance(e, Defines))
FOUR = noisy.FOUR
_LATER = N * r + n
GROWS = (
    proof("sfl/noise-grows", "App. C.2", note="the mean from round to round")
    .under(CAP, FOUR, *MODEL)
    .step(
        "local",
        eq(w(_LATER + 1), w(_LATER) - eta * (Q(_LATER) + sigma * sign(_LATER + 1)), ROUNDS, EVER),
        by.instance({n: _LATER}, "step"),
    )
    .step("side", le(AHEAD, 1, ROUNDS), by.known("indicator", w(N * r)))
    .step("positive part", eq(w(N * r) * AHEAD, (w(N * r) + Abs(w(N * r))) / 2, ROUNDS), by.known("indicator", w(N * r)))
    .step("known", eq(Abs(w(N * r)) * AHEAD, w(N * r) * AHEAD, ROUNDS), by.known("indicator", w(N * r)))
    .step("size", le(w(N * r), Abs(w(N * r)), ROUNDS), by.known("abs", w(N * r)))
    .step("behind", le(_AWAY * w(N * r), 0, ROUNDS), by.combine({"positive part": -1, "size": HALF}))
    .step(
        "ahead",
        le((1 - SHRINK) * E(AHEAD * w(N * r)) + GAIN * E(AHEAD) / 60, E(AHEAD * w(N * r + N)), ROUNDS),
        by.apply(
            "sfl/noise-ahead",
            IN_ROUND,
            "cap",
            "curvatures",
            "four",
            "local",
            "known",
            *(e.id for e in SIGNED if isinstance(e, Given)),
        ),
        inserting=("noise", "pull", "sums"),
        note="J, where the round starts right of 0",
    )
    .step("later sign", eq(E(sign(_LATER + 1)), 0, ROUNDS, EVER), by.instance({n: _LATER}, "mean sign"))
    .step(
        "away sign",
        eq(E(_AWAY * sign(_LATER + 1)), 0, ROUNDS, EVER),
        by.combine({"later sign": 1, "fair": -1}),
    )
    .step(
        "back",
        le((1 - SHRINK) * E(_AWAY * w(N * r)), E(_AWAY * w(N * r + N)), ROUNDS),
        by.apply(
            "sfl/noise-behind",
            {**IN_ROUND, walk.H: _AWAY},
            "local",
            "curvatures",
            "cap",
            "behind",
            "away sign",
            "side",
        ),
        inserting="pull",
        note="where it starts left of it",
    )
    .step("chance", _CHANCE, by.apply("sfl/noise-side", "cap", *RUN_IDS), inserting="pull")
    .step("here", le(HALF, E(AHEAD), ROUNDS), by.instance({n: N * r}, "chance"))
    .qed(
        le((1 - SHRINK) * E(w(N * r)) + GAIN / 120, E(w(N * (r + 1))), ROUNDS),
        by.combine({"ahead": 1, "back": 1, "here": GAIN / 60}),
        name="last",
    )
)
_INV = find("sfl/J-inv@corrected").bound
_GAINS, _GIVEN = stated(_INV, E(w(N * R)) - (1 - SHRINK) * E(w(N * (R - 1))))
INV = (
    proof("sfl/J-inv", "App. C.2", of="sfl/J-inv@corrected", bound=_INV, unused=("c2",))
    .under(*_GIVEN, *MODEL)
    .step("grows", GROWS.statement, by.apply("sfl/noise-grows", "c1", "c3", *IDS), inserting=DEFINED)
    .step("last round", le(0, R - 1), by.combine())
    .qed(_GAINS, by.instance({r: R - 1}, "grows", "last round"), name="last")
)
THEOREMS = (SIDE, SYM, GROWS, INV)
