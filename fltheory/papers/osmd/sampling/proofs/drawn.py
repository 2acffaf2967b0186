"""Draws without replacement, parts of an update and absent clients, as their claims state them."""

from __future__ import annotations

from sympy import Abs, Symbol

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.notation import J2, K, L, Lbar, M, T, alpha, mu
from fltheory.papers.osmd.sampling.proofs import ordered, sampling
from fltheory.papers.osmd.sampling.proofs.sampling import CLIENTS, SUM_S, a, weighed
from fltheory.papers.osmd.sampling.proofs.sampling import q as opt_q
from fltheory.papers.osmd.sampling.proofs.sampling import s as roots
from fltheory.papers.osmd.sampling.proofs.without_replacement import _HERE, J, n, of, p, x
from fltheory.proof import Given, by, eq, le, line, lt, proof
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.papers import quotients
from fltheory.proof.terms import Dot, E, Nonnegative, Positive, Scalar, Total, Vector, family, square


def most(top, below, *uses):
    """Prove that one side is at most the other: their quotient is at most 1."""
    values = {quotients.top: top, quotients.below: below, quotients.factor: 1}
    return by.apply("osmd/quotient-most", values, *uses)


# Proposition 11 ------------------------------------------------------------------------------------

_OFF = E(square(ordered.ESTIMATE - ordered.J)) - Total(E(ordered.spread(sampling.j)), sampling.j, 0, K - 1) / K**2
_LOSS = E(weighed())
_start, _line, _c = of("osmd/P11-formula", "Proposition 11", "osmd/C-P11-formula@explicit", Abs(_OFF) / _LOSS)
FORMULA = (
    _start.under(*ordered.VARIANCE.hypotheses)
    .given("positive", lt(0, _LOSS), "what is divided by: a client has an update")
    .step("sides", by.apply(ordered.VARIANCE), inserting=("off", "others"))
    .step("up", le(_OFF, 0), by.linear("sides"))
    .step("down", le(-_OFF, 0), by.linear("sides"))
    .step("most", by.absolute("up", "down"))
    .step("least", le(0, Abs(_OFF)), by.linear())
    .step("none", by.antisymmetry("most", "least"))
    .qed(_line, by.linear({"none": 1 / _LOSS}, "positive"))
)

mean, EST_LOSS = family(Vector, "mean")(), Total(square(x(a)) / p(a), a, 1, M)
_k, _j, _pick, _left, _rest = sampling.k, sampling.j, sampling.pick, ordered.left, ordered.rest
_DRAW = x(_pick(_k)) * _rest(_k) / p(_pick(_k))
_BEFORE = Total(x(_pick(_j)), _j, 0, _k - 1)
_ESTIMATE, _AWAY = Total(_DRAW + _BEFORE, _k, 0, K - 1) / K, mean - J
_start, _line, _c = of("osmd/P11-mean-vector", "Proposition 11", "osmd/C-P11-mean@printed", square(_AWAY) / EST_LOSS)
MEAN = (
    _start.given("past", eq(_BEFORE, Total((1 - _left(_k, a)) * x(a), a, 1, M), sampling.DRAWS), ordered.PAST.why)
    .given(
        "mean",
        eq(
            E(Dot(_DRAW, _AWAY)),
            E(Total(_left(_k, a) * p(a) / _rest(_k) * Dot(x(a) * _rest(_k) / p(a), _AWAY), a, 1, M)),
            sampling.DRAWS,
        ),
        "draw k is one of the clients left, with probability p_a/rest, whatever came before",
    )
    .given(
        "expected", eq(Dot(mean, _AWAY), E(Dot(_ESTIMATE, _AWAY))), "the mean of the estimator, against a fixed vector"
    )
    .given("positive", lt(0, EST_LOSS), "what is divided by: a client has an update")
    .step("sides", by.apply(ordered.UNBIASED, {sampling.X(a): x(a), sampling.p(a): p(a), sampling.u: _AWAY}))
    .step("square", eq(square(_AWAY), 0), by.linear("expected", "sides"))
    .qed(_line, by.linear({"square": 1 / EST_LOSS}, "positive"))
)

there = family(Nonnegative, "there")
share = Symbol("share", positive=True)


def left_over(law):
    """Return the probability of the clients that are not drawn yet."""
    return Total(there(a) * law(a), a, 1, M)


def conditional(law):
    """Return the variance of the next draw, given those before it."""
    return left_over(law) * Total(there(a) * square(x(a)) / law(a), a, 1, M) - square(Total(there(a) * x(a), a, 1, M))


q = family(Positive, "q")
_THERE = Total(there(a) * roots(a), a, 1, M)
_start, _line, _c = of("osmd/P11-next", "Proposition 11", "osmd/C-P11-variance@corrected",
    conditional(q) / conditional(p))
NEXT = (
    _start.given("sizes", eq(square(x(a)), roots(a) ** 2, CLIENTS), "the root of a client's feedback")
    .given("best", eq(q(a), roots(a) / SUM_S, CLIENTS), "p* is proportional to the roots of the feedback")
    .given("some", lt(0, SUM_S), "not all of the updates are 0")
    .given("share", eq(left_over(p), share), "somebody is left: a client that is drawn already has 0, the others 1")
    .given("positive", lt(0, conditional(p)), "the variance at p, which is divided by")
    .step("each p", eq(there(a) * square(x(a)) / p(a), there(a) * roots(a) ** 2 / p(a), CLIENTS), by.linear("sizes"))
    .step("all p", by.sum_over(a, "each p"))
    .step(
        "each q",
        eq(there(a) * square(x(a)) / q(a), there(a) * roots(a) * SUM_S, CLIENTS),
        by.linear("sizes", "best", "some"),
    )
    .step("all q", eq(Total(there(a) * square(x(a)) / q(a), a, 1, M), _THERE * SUM_S), by.sum_over(a, "each q"))
    .step("mass q", eq(there(a) * q(a), there(a) * roots(a) / SUM_S, CLIENTS), by.linear("best", "some"))
    .step("left q", eq(left_over(q), _THERE / SUM_S), by.sum_over(a, "mass q"))
    .step(
        "value q",
        eq(conditional(q), _THERE**2 - square(Total(there(a) * x(a), a, 1, M))),
        by.linear("all q", "left q", "some"),
    )
    .step(
        "least", by.apply(ordered.CONDITIONAL, {ordered.s(a): roots(a), ordered.q(a): p(a), ordered.there(a): there(a)})
    )
    .step("order", le(conditional(q), 1 * conditional(p)), by.linear("value q", "least", "all p", "share"))
    .qed(_line, most(conditional(q), conditional(p), "order", "positive"), note="given any past, so the largest")
)

x1, x2 = family(Vector, "x1")(), family(Vector, "x2")()
s1, s2, p1, p2, q1, q2 = (Symbol(name, positive=True) for name in ("s1", "s2", "p1", "p2", "q1", "q2"))
total_size, goal = s1 + s2, x1 + x2


def pair(first, second):
    """Return the variance of the mean of K <= 2 parts: a draw, and the other client, who is drawn for sure."""
    one, two = ((v + (K - 1) * goal) / K for v in (x1 / first, x2 / second))
    return first * square(one - goal) + second * square(two - goal)


def _energy(first, second):
    return square(x1) / first + square(x2) / second - square(goal)


_start, _line, _c = of("osmd/P11-pair", "Proposition 11", "osmd/C-P11-pair@corrected", pair(q1, q2) / pair(p1, p2))
PAIR = (
    _start.given("law", eq(p1 + p2, 1), "p is a law on two clients; a single one has no variance")
    .given("law q", eq(q1 + q2, 1), "and so is p*")
    .given("size 1", eq(square(x1), s1**2), "the root of the first client's feedback")
    .given("size 2", eq(square(x2), s2**2), "and of the second's")
    .given("best 1", eq(q1, s1 / total_size), "p* is proportional to the roots of the feedback")
    .given("best 2", eq(q2, s2 / total_size), "the same of the second client")
    .given("positive", lt(0, pair(p1, p2)), "the variance at p, which is divided by")
    .step("value p", eq(K**2 * pair(p1, p2), _energy(p1, p2)), by.linear("law"))
    .step("value q", eq(K**2 * pair(q1, q2), _energy(q1, q2)), by.linear("law q"))
    .step("energy", eq(s1**2 / q1 + s2**2 / q2, total_size**2), by.linear("best 1", "best 2"))
    .step("square", le(0, (s1 * p2 - s2 * p1) ** 2 / (p1 * p2)), by.polynomial())
    .step("least", le(total_size**2, s1**2 / p1 + s2**2 / p2), by.linear("square", "law"))
    .step(
        "order",
        le(pair(q1, q2), 1 * pair(p1, p2)),
        by.linear(
            {
                "least": 1 / K**2,
                "energy": 1 / K**2,
                "value p": -1 / K**2,
                "value q": 1 / K**2,
                "size 1": (1 / q1 - 1 / p1) / K**2,
                "size 2": (1 / q2 - 1 / p2) / K**2,
            }
        ),
    )
    .qed(_line, most(pair(q1, q2), pair(p1, p2), "order", "positive"))
)

# Appendix D.1 --------------------------------------------------------------------------------------

y, sizes = family(Vector, "y"), family(Nonnegative, "r")


def spread(part):
    """Return the variance of one draw from p, of a part of the update."""
    return Total(p(a) * square(part(a) / p(a) - Total(part(a), a, 1, M)), a, 1, M)


def least(part, norms):
    """Return the least variance over all distributions (osmd/opt, osmd/opt-attained)."""
    return Total(norms(a), a, 1, M) ** 2 - square(Total(part(a), a, 1, M))


def _part(tag, part, norms):
    energy = Total(norms(a) ** 2 / p(a), a, 1, M)
    return (
        line(f"each {tag}", eq(square(part(a)) / p(a), norms(a) ** 2 / p(a), CLIENTS), by.linear(f"sizes {tag}")),
        line(f"all {tag}", eq(Total(square(part(a)) / p(a), a, 1, M), energy), by.sum_over(a, f"each {tag}")),
        line(f"value {tag}", eq(spread(part), energy - square(Total(part(a), a, 1, M))),
            by.linear("law", f"all {tag}")),
        line(f"least {tag}", le(Total(norms(a), a, 1, M) ** 2, energy),
            by.apply(sampling.OPT, {opt_q(a): p(a), roots(a): norms(a)}, "law")),
    )


_TOP, _BELOW = least(x, roots) + least(y, sizes), spread(x) + spread(y)
_start, _line, _c = of("osmd/D1-parts", "Appendix D.1", "osmd/C-D1@corrected", _TOP / _BELOW)
PARTS = (
    _start.given("law", eq(Total(p(a), a, 1, M), 1), "p is a law on the clients, which both parts are drawn from")
    .given("sizes 1", eq(square(x(a)), roots(a) ** 2, CLIENTS), "how long a client's first part is")
    .given("sizes 2", eq(square(y(a)), sizes(a) ** 2, CLIENTS), "and its second")
    .given("positive", lt(0, _BELOW), "the variance at p, which is divided by")
    .steps(*_part("1", x, roots), *_part("2", y, sizes))
    .step("order", le(_TOP, 1 * _BELOW), by.linear("least 1", "least 2", "value 1", "value 2"))
    .qed(_line, most(_TOP, _BELOW, "order", "positive"), note="independent draws: the variances add up; each is over K")
)

# Appendix D.2 --------------------------------------------------------------------------------------

_TO = {M: n}
_LAW = tuple(Given(h.id, h.relation.at(_TO), h.why) for h in sampling.law_of())
_SIDES = sampling.VARIANCE.statement.at(_TO)
_HEARD, _ALL = sampling.weighed().subs(_TO), sampling.total(sampling.X).subs(_TO)
_start, _line, _c = of("osmd/D2-variance", "Appendix D.2", "osmd/C-D2-variance@explicit", _SIDES.left)
VARIANCE = (
    _start.under(*_LAW)
    .given("loss", eq(Lbar, E(_HEARD) / K), "l(p) of the active clients, which are numbered from 1")
    .given("energy", eq(J2, E(square(_ALL))), "the square of their sum")
    .step("sides", by.apply(sampling.VARIANCE, _TO))
    .qed(_line, by.linear("sides", "loss", "energy"))
)
VARIANCE_ALL = (
    proof("osmd/D2-variance-all", "Appendix D.2", of="osmd/C-D2-variance@explicit", note="0 where all are used")
    .where("mean", mean, _HERE, "no more than K are active: all of them are used")
    .qed(eq(square(mean - _HERE), 0), by.linear(), inserting="mean")
)
active = family(Nonnegative, "active")
mass, here = Symbol("mass", positive=True), Symbol("active_clients", positive=True)
_RATIO = p(m) / mass * (M - (M - here) * alpha) / alpha
_start, _line, _c = of("osmd/D2-floor", "Appendix D.2", "osmd/C-D2-floor@explicit", _RATIO)
FLOORED = (
    _start.given("law", eq(whole(p(j)), 1), "p is a law on the clients")
    .given("floor", le(FLOOR, p(m), EACH), "on the floored simplex")
    .given("alpha", le(alpha, 1), "a share")
    .given("active", le(active(m), 1, EACH), "1 for a client that is active, 0 for one that is away")
    .given("mass", eq(whole(active(j) * p(j)), mass), "the mass of the active clients, which p is divided by")
    .given("here", eq(whole(active(j)), here), "how many are active")
    .step("away", le((1 - active(m)) * FLOOR, (1 - active(m)) * p(m), EACH), by.linear("floor", "active"))
    .step("all", le(whole((1 - active(j)) * FLOOR), whole((1 - active(j)) * p(j))), by.sum_over(m, "away"))
    .step("small", le(mass, 1 - (M - here) * FLOOR), by.linear("all", "law", "mass", "here"))
    .step("room", le(0, M - (M - here) * alpha), by.linear("alpha", "here"))
    .step(
        "low", le(FLOOR * (M - (M - here) * alpha), p(m) * (M - (M - here) * alpha), EACH), by.linear("floor", "room")
    )
    .qed(le(_line.left, _line.right, EACH), by.linear("low", "small"), note="each of them, so the least")
)
part, s = Symbol("part", positive=True), family(Positive, "s")
_AT_BEST = Total(s(a) ** 2 / (s(a) / Total(s(a), a, 1, n)), a, 1, n)
_AT_P = Total(s(a) ** 2 / (p(a) / mass), a, 1, n)
_start, _line, _c = of("osmd/D2-best", "Appendix D.2", "osmd/C-D2-best@explicit", _AT_BEST / _AT_P)
BEST = (
    _start.given("positive", lt(0, _AT_P), "what is divided by: those with an update, and active, are numbered from 1")
    .given("part", eq(Total(p(a), a, 1, n), part), "their mass")
    .given("mass", le(part, mass), "the mass of all active clients, which p is divided by")
    .step("law", eq(Total(p(a) / part, a, 1, n), 1), by.linear("part"))
    .step("least", by.apply(sampling.OPT, {opt_q(a): p(a) / part, roots(a): s(a), M: n}))
    .step("sign", le(0, s(a) ** 2 / p(a), (a, 1, n)), by.linear())
    .step("signs", by.sum_over(a, "sign"))
    .step("value", eq(_AT_BEST, Total(s(a), a, 1, n)**2), by.linear())
    .step("order", le(_AT_BEST, 1 * _AT_P), by.linear("value", "least", "mass", "signs"))
    .qed(_line, most(_AT_BEST, _AT_P, "order", "positive"))
)
w, i = family(Scalar, "w"), Symbol("i", integer=True, nonnegative=True)
_KEEP = 1 - mu * L / 2
_IS = eq(w(i + 1), 1 - _KEEP**i)
_ROUNDS = (i, 0, T - 1)
_start, _line, _c = of("osmd/D2-once", "Appendix D.2", "osmd/C-D2-once@explicit", Abs(w(T)))
ONCE = (
    _start.given("start", eq(w(0), 0), "the run starts at the minimiser of the mean of L|w - 1|^2/2 and L|w + 1|^2/2")
    .given("first", eq(w(1), w(0) - mu * (L * (w(0) - 1) + L * (w(0) + 1)) / 2), "both are active in the first round")
    .given(
        "later", eq(w(i + 1), w(i) - mu * L * (w(i) - 1) / 2, (i, 1, T - 1)), "and the second one is away after that"
    )
    .given("short", le(mu * L, 2), "steps of at most 2/L: longer ones pass the minimiser of the client that stays")
    .step("0", eq(w(1), 1 - _KEEP**0), by.linear("first", "start"))
    .step("then", by.instance({i: i + 1}, "later"), over=(i, 0, T - 2))
    .step("1", eq(w(i + 2), 1 - _KEEP ** (i + 1), (i, 0, T - 2)), by.linear("then"), assuming=_IS)
    .step("all", eq(w(i + 1), 1 - _KEEP**i, _ROUNDS), by.induction(i, "0", "1"))
    .step("end", by.instance({i: T - 1}, "all"))
    .step("low 0", le(0, w(1)), by.linear("first", "start"))
    .step("low 1", le(0, w(i + 2), (i, 0, T - 2)), by.linear("then", "short"), assuming=le(0, w(i + 1)))
    .step("low", le(0, w(i + 1), _ROUNDS), by.induction(i, "low 0", "low 1"))
    .step("low end", by.instance({i: T - 1}, "low"))
    .step("up", le(w(T), w(T)), by.linear())
    .step("down", le(-w(T), w(T)), by.linear("low end"))
    .step("most", by.absolute("up", "down"))
    .step("least", by.fact("abs", w(T)))
    .step("same", by.antisymmetry("most", "least"))
    .qed(_line, by.linear("same", "end"))
)

THEOREMS = (FORMULA, MEAN, NEXT, PAIR, PARTS, VARIANCE, VARIANCE_ALL, FLOORED, BEST, ONCE)
