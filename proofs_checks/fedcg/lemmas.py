"""Appendix A: inequality (5), Lemmas A.1, A.3 and A.4, and one step (14), for any number of clients and items.

Clients are counted from 1 to N and items from 1 to n. p(i) are the clients' weights, g(i, e) the partial derivatives of their
extensions at the point x looked at, V and G values and partial derivatives of the mean F along a path that begins at x.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Max, Rational, Symbol

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.letters import OPT, N, eta, gbar, m_F, m_max, n, p_min, r
from fltheory.papers.fedcg.letters import gamma as dissimilarity
from fltheory.proof.language import Absolute, Apply, Combine, Given, Instance, Step, Summed, Theorem, eq, le, stated
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from proofs_checks.fedcg import facts
from proofs_checks.fedcg import multilinear as path
from proofs_checks.fedcg.multilinear import EARLIER, G, H, V, e

i, j, k, l = (Symbol(name, integer=True, positive=True) for name in "ijkl")
p, v, direction, w, x = (family(Nonnegative, name) for name in ("p", "v", "Delta", "w", "x"))
g, gamma = family(Scalar, "g"), family(Nonnegative, "gamma")
U, A, B, W, slope = (family(Scalar, name) for name in "UABWS")
gamma_max = Symbol("gamma_max", nonnegative=True)
CLIENTS, OTHERS, ITEMS = (i, 1, N), (j, 1, N), (e, 1, n)


def clients(term: Any) -> Expr:
    """The mean over the clients of a term in i."""
    return Total(p(i) * term, i, 1, N)


def items(term: Any) -> Expr:
    """The sum over the items of a term in e."""
    return Total(term, e, 1, n)


def swapped(name: str, term: Any) -> Step:
    """Sums over clients and items commute."""
    claim = eq(Total(Total(term, e, 1, n), i, 1, N), Total(Total(term, i, 1, N), e, 1, n))
    return Step(name, claim, Apply("fedcg/swap", {facts.pair(i, e): term, facts.first: N, facts.second: n}))


LAW = Given("law", eq(Total(p(i), i, 1, N), 1), "A0: the weights of the clients add up to 1")
PARTIAL = G(e, 0)  # of F at x
MEAN = Given(
    "mean", eq(PARTIAL, clients(g(i, e)), ITEMS), "P9: the gradient of F is the mean of the clients' gradients"
)

# Inequality (5) and S0 ----------------------------------------------------------------------------------------------------

_off = g(i, e) - Total(p(j) * g(j, e), j, 1, N)
_SINGLES = (
    Given("low", le(0, g(i, e), CLIENTS), "P2: no partial derivative is negative, in any item e"),
    Given("high", le(g(i, e), m_max, CLIENTS), "P2: none is above the largest value of a single item"),
)
_S0 = le(Abs(_off), (1 - p(i)) * m_max, CLIENTS)
_low, _high = p(j) * g(j, e), p(j) * (m_max - g(j, e))
S0 = Theorem(
    "fedcg/S0",
    _S0,
    (LAW, *_SINGLES),
    (
        Step("low j", le(0, g(j, e), OTHERS), Instance({i: j}), ("low",)),
        Step("high j", le(g(j, e), m_max, OTHERS), Instance({i: j}), ("high",)),
        Step("low terms", le(0, _low, OTHERS), Combine({"low j": p(j)}), ("low j",)),
        Step("high terms", le(0, _high, OTHERS), Combine({"high j": p(j)}), ("high j",)),
        Step(
            "own",
            le(p(i) * g(i, e), Total(_low, j, 1, N), CLIENTS),
            Apply("fedcg/one", {facts.term(j): _low, facts.count: N}),
            ("low terms",),
            note="the client's own term of the mean",
        ),
        Step(
            "own rest",
            le(p(i) * (m_max - g(i, e)), Total(_high, j, 1, N), CLIENTS),
            Apply("fedcg/one", {facts.term(j): _high, facts.count: N}),
            ("high terms",),
        ),
        Step("weights", le(0, p(i), CLIENTS), Combine()),
        Step(
            "weight",
            le(p(i), Total(p(j), j, 1, N), CLIENTS),
            Apply("fedcg/one", {facts.term(j): p(j), facts.count: N}),
            ("weights",),
        ),
        Step("share", le(0, 1 - p(i), CLIENTS), Combine({"weight": 1, "law": 1}), ("weight", "law")),
        Step(
            "above",
            le(_off, (1 - p(i)) * m_max, CLIENTS),
            Combine({"own": 1, "high": 1 - p(i)}),
            ("own", "high", "share"),
        ),
        Step(
            "below",
            le(-_off, (1 - p(i)) * m_max, CLIENTS),
            Combine({"own rest": 1, "law": m_max, "low": 1 - p(i)}),
            ("own rest", "law", "low", "share"),
        ),
        Step("1", _S0, Absolute(), ("above", "below")),
    ),
    place="(5)",
    note="a client's gradient is off the mean by at most (1 - p) m in each coordinate",
)
LEAST = Given("least", le(p_min, p(i), CLIENTS), "no client has a smaller weight")
_LEAST = stated(bounds.S0, Abs(_off))[0]
_LEAST = le(_LEAST.left, _LEAST.right, CLIENTS)
S0_LEAST = Theorem(
    "fedcg/C-3.1@sharpened",
    _LEAST,
    (LAW, *_SINGLES, LEAST),
    (
        Step("sharp", _S0, Apply("fedcg/S0"), ("law", "low", "high")),
        Step("1", _LEAST, Combine({"sharp": 1, "least": m_max}), ("sharp", "least")),
    ),
    claim="fedcg/C-3.1@sharpened",
    bound=bounds.S0,
    place="(5)",
    note="by the smallest weight",
)
_FIVE = stated(bounds.HETEROGENEITY, Abs(_off))[0]
_FIVE = le(_FIVE.left, _FIVE.right, CLIENTS)
FIVE = Theorem(
    "fedcg/C-3.1",
    _FIVE,
    (LAW, *_SINGLES),
    (
        Step("sharp", _S0, Apply("fedcg/S0"), ("law", "low", "high")),
        Step("1", _FIVE, Combine({"sharp": 1}), ("sharp",), note="p >= 0"),
    ),
    claim="fedcg/C-3.1@printed",
    bound=bounds.HETEROGENEITY,
    place="(5)",
    note="at most 2 m, twice what it needs",
)

# Lemma A.1 ------------------------------------------------------------------------------------------------------------------

up = Max(0, w(e) - x(e))  # x + up is x v w, and so is w + down
down = Max(0, x(e) - w(e))
UP = (
    Given(
        "path up",
        eq(U(l), U(l - 1) + up.xreplace({e: l}) * A(l, l - 1), (l, 1, n)),
        "F is linear in each coordinate: from x to x v w",
    ),
    Given(
        "slopes up",
        eq(A(e, l), A(e, l - 1) + up.xreplace({e: l}) * B(e, l), ITEMS, EARLIER),
        "and so are its derivatives",
    ),
    Given("concave", le(B(e, l), 0, ITEMS, EARLIER), "P4: no second derivative is positive"),
    Given(
        "path down",
        eq(W(l), W(l - 1) + down.xreplace({e: l}) * slope(l), (l, 1, n)),
        "F is linear in each coordinate: from w to x v w",
    ),
    Given("monotone", le(0, slope(l), (l, 1, n)), "P2: F is monotone"),
    Given("optimum", eq(W(0), OPT), "w is the best base"),
    Given("join", eq(W(n), U(n)), "both ways end at x v w"),
    Given("start", eq(U(0), V(0)), "the way up begins at x"),
    Given("start slopes", eq(A(e, 0), PARTIAL, ITEMS), "with the gradient there"),
    Given("gradient", le(0, PARTIAL, ITEMS), "P2: no partial derivative is negative"),
)
UP_IDS = tuple(h.id for h in UP)
_MIDDLE = le(OPT - V(0), items(w(e) * PARTIAL))
MIDDLE = Theorem(
    "fedcg/A.2",
    _MIDDLE,
    UP,
    (
        Step(
            "monotone up",
            le(W(0), W(n)),
            Apply("fedcg/P3-monotone", {path.V(l): W(l), path.slope(l): slope(l), path.d(e): down, path.n: n}),
            ("path down", "monotone"),
            note="F(w) <= F(x v w)",
        ),
        Step(
            "concave up",
            le(U(n), U(0) + items(up * A(e, 0))),
            Apply("fedcg/P4-concave", {path.V(l): U(l), G(k, l): A(k, l), H(k, l): B(k, l), path.d(e): up, path.n: n}),
            ("path up", "slopes up", "concave"),
            note="F(x + d) <= F(x) + <d, F'(x)>",
        ),
        Step("part", le(up, w(e), ITEMS), Apply("fedcg/part", {facts.P: w(e), facts.Q: x(e)}), note="d <= w"),
        Step(
            "each",
            le(up * A(e, 0), w(e) * PARTIAL, ITEMS),
            Combine({"part": PARTIAL, "start slopes": up}),
            ("part", "start slopes", "gradient"),
        ),
        Step("all", le(items(up * A(e, 0)), items(w(e) * PARTIAL)), Summed((e,)), ("each",)),
        Step(
            "1",
            _MIDDLE,
            Combine({"monotone up": 1, "concave up": 1, "all": 1, "optimum": -1, "join": 1, "start": 1}),
            ("monotone up", "concave up", "all", "optimum", "join", "start"),
        ),
    ),
    claim="fedcg/A.2@sharpened",
    place="Lemma A.1",
    note="the optimum is ahead by at most <w, F'(x)>, and so by at most the largest <v, F'(x)>",
)
BEST = Given(
    "best", le(items(w(e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS), "v_i is best for client i, w is feasible"
)
DIRECTIONS = clients(items(v(i, e) * g(i, e)))
_A1 = le(OPT - V(0), DIRECTIONS)
_MEAN_ITEMS = Step(
    "gradients", eq(items(w(e) * PARTIAL), items(w(e) * clients(g(i, e)))), Summed((e,), w(e)), ("mean",)
)
A1 = Theorem(
    "fedcg/A.1",
    _A1,
    (*UP, MEAN, BEST),
    (
        Step("middle", _MIDDLE, Apply("fedcg/A.2"), UP_IDS),
        _MEAN_ITEMS,
        swapped("swap", p(i) * w(e) * g(i, e)),
        Step("bests", le(clients(items(w(e) * g(i, e))), DIRECTIONS), Summed((i,), p(i)), ("best",)),
        Step(
            "1",
            _A1,
            Combine({"middle": 1, "gradients": 1, "swap": -1, "bests": 1}),
            ("middle", "gradients", "swap", "bests"),
            note="the best of a mean is at most the mean of the bests",
        ),
    ),
    claim="fedcg/A.1@printed",
    place="Lemma A.1",
    note="the optimum is ahead by at most the mean of the clients' inner products",
)

# Lemma A.3 ------------------------------------------------------------------------------------------------------------------

RANK = Given("rank", le(items(v(i, e)), r, CLIENTS), "v_i is in the matroid polytope; a base has r ones")
NEAR = Given(
    "near",
    le(g(i, e) - PARTIAL, gamma(i), CLIENTS, ITEMS),
    "gamma_i is the distance of both gradients, every coordinate",
)
LARGEST = Given("largest", le(gamma(i), gamma_max, CLIENTS), "Assumption 3.1: no client is farther off than gamma")
mean_direction = clients(v(i, e))
MEAN_GAMMA = clients(gamma(i))
ALONG_MEAN = items(mean_direction * PARTIAL)
_S1A = stated(bounds.A3_MEAN, DIRECTIONS - ALONG_MEAN, {gbar: MEAN_GAMMA})[0]
S1A = Theorem(
    "fedcg/A.3@sharpened",
    _S1A,
    (RANK, NEAR),
    (
        Step(
            "each",
            le(items(v(i, e) * (g(i, e) - PARTIAL)), items(v(i, e)) * gamma(i), CLIENTS),
            Summed((e,), v(i, e)),
            ("near",),
            note="Hölder's inequality",
        ),
        Step(
            "client",
            le(items(v(i, e) * (g(i, e) - PARTIAL)), r * gamma(i), CLIENTS),
            Combine({"each": 1, "rank": gamma(i)}),
            ("each", "rank"),
        ),
        Step("all", le(clients(items(v(i, e) * (g(i, e) - PARTIAL))), r * MEAN_GAMMA), Summed((i,), p(i)), ("client",)),
        swapped("swap", p(i) * v(i, e) * PARTIAL),
        Step("1", _S1A, Combine({"all": 1, "swap": 1}), ("all", "swap")),
    ),
    claim="fedcg/A.3@sharpened",
    bound=bounds.A3_MEAN,
    reading={gbar: MEAN_GAMMA},
    place="Lemma A.3",
    note="with the mean of the clients' distances",
)
_LARGEST = Step("mean gamma", le(MEAN_GAMMA, clients(gamma_max)), Summed((i,), p(i)), ("largest",))
_A3 = stated(bounds.A3, DIRECTIONS - ALONG_MEAN, {dissimilarity: gamma_max})[0]
A3 = Theorem(
    "fedcg/A.3",
    _A3,
    (LAW, RANK, NEAR, LARGEST),
    (
        Step("mean", _S1A, Apply("fedcg/A.3@sharpened"), ("rank", "near")),
        _LARGEST,
        Step("1", _A3, Combine({"mean": 1, "mean gamma": r, "law": r * gamma_max}), ("mean", "mean gamma", "law")),
    ),
    claim="fedcg/A.3@printed",
    bound=bounds.A3,
    reading={dissimilarity: gamma_max},
    place="Lemma A.3",
    note="bounded heterogeneity costs the mean direction at most r gamma",
)

# Lemma A.4 ------------------------------------------------------------------------------------------------------------------

_A4 = stated(bounds.A4, OPT - V(0) - ALONG_MEAN, {dissimilarity: gamma_max})[0]
A4 = Theorem(
    "fedcg/A.4",
    _A4,
    (*UP, MEAN, BEST, LAW, RANK, NEAR, LARGEST),
    (
        Step("ahead", _A1, Apply("fedcg/A.1"), (*UP_IDS, "mean", "best")),
        Step("along", _A3, Apply("fedcg/A.3"), ("law", "rank", "near", "largest")),
        Step("1", _A4, Combine(), ("ahead", "along")),
    ),
    claim="fedcg/A.4@printed",
    bound=bounds.A4,
    reading={dissimilarity: gamma_max},
    place="Lemma A.4",
)
_A4_MEAN = stated(bounds.A4_MEAN, OPT - V(0) - ALONG_MEAN, {gbar: MEAN_GAMMA})[0]
A4_SHARP = Theorem(
    "fedcg/A.4@sharpened",
    _A4_MEAN,
    (*UP, MEAN, BEST, RANK, NEAR),
    (
        Step("ahead", _A1, Apply("fedcg/A.1"), (*UP_IDS, "mean", "best")),
        Step("along", _S1A, Apply("fedcg/A.3@sharpened"), ("rank", "near")),
        Step("1", _A4_MEAN, Combine(), ("ahead", "along")),
    ),
    claim="fedcg/A.4@sharpened",
    bound=bounds.A4_MEAN,
    reading={gbar: MEAN_GAMMA},
    place="Lemma A.4",
    note="with the mean of the clients' distances",
)
_A4_BELOW = le(items(direction(e) * PARTIAL), DIRECTIONS)
A4_BELOW = Theorem(
    "fedcg/A.4-mean",
    _A4_BELOW,
    (
        MEAN,
        Given(
            "best",
            le(items(direction(e) * g(i, e)), items(v(i, e) * g(i, e)), CLIENTS),
            "v_i is best, Delta is feasible",
        ),
    ),
    (
        Step(
            "gradients",
            eq(items(direction(e) * PARTIAL), items(direction(e) * clients(g(i, e)))),
            Summed((e,), direction(e)),
            ("mean",),
        ),
        swapped("swap", p(i) * direction(e) * g(i, e)),
        Step("bests", le(clients(items(direction(e) * g(i, e))), DIRECTIONS), Summed((i,), p(i)), ("best",)),
        Step("1", _A4_BELOW, Combine({"gradients": 1, "swap": -1, "bests": 1}), ("gradients", "swap", "bests")),
    ),
    claim="fedcg/A.4-mean@printed",
    place="Lemma A.4",
    note="no feasible direction does better for F than the clients' own ones do for them",
)

# One step (14) -----------------------------------------------------------------------------------------------------------------


def moved(place: Any) -> Expr:
    """A coordinate's move, eta Delta."""
    return eta * direction(place)


STEP = (
    Given(
        "path",
        eq(V(l), V(l - 1) + moved(l) * G(l, l - 1), (l, 1, n)),
        "F is linear in each coordinate: from x to x + eta Delta",
    ),
    Given(
        "slopes", eq(G(e, l), G(e, l - 1) + moved(l) * H(e, l), ITEMS, EARLIER), "and so are its partial derivatives"
    ),
    Given("curved", le(-m_F, H(e, l), ITEMS, EARLIER), "P4, as both ends of the step are in the cube"),
)
STEP_IDS = tuple(h.id for h in STEP)
FEASIBLE = Given("feasible", le(items(direction(e)), r), "Delta is in the matroid polytope")
SPREAD = items(direction(e)) ** 2 - items(direction(e) ** 2)
RISE = items(direction(e) * PARTIAL)


def one_step(lost: Any) -> Any:
    """F(x + eta Delta) >= F(x) + eta <Delta, F'(x)> - eta^2 m_F lost/2."""
    return le(V(0) + eta * RISE - Rational(1, 2) * eta**2 * m_F * lost, V(n))


SHARP_STEP = Theorem(
    "fedcg/C-14@sharpened",
    one_step(SPREAD),
    STEP,
    (Step("1", one_step(SPREAD), Apply("fedcg/14-sharp", {path.d(e): moved(e), path.m: m_F, path.n: n}), STEP_IDS),),
    claim="fedcg/C-14@sharpened",
    place="(14)",
    note="for a base the last term has r (r - 1), which is 0 for rank 1",
)
_STEP = stated(bounds.ONE_STEP, V(0) + eta * RISE - V(n))[0]
ONE_STEP = Theorem(
    "fedcg/C-14",
    _STEP,
    (*STEP, FEASIBLE),
    (
        Step("sharp", one_step(SPREAD), Apply("fedcg/C-14@sharpened"), STEP_IDS),
        Step("square", le(0, direction(e) ** 2, ITEMS), Combine()),
        Step("squares", le(0, items(direction(e) ** 2)), Summed((e,)), ("square",)),
        Step("sign", le(0, direction(e), ITEMS), Combine()),
        Step("signs", le(0, items(direction(e))), Summed((e,)), ("sign",)),
        Step(
            "size",
            le(items(direction(e)) ** 2, r**2),
            Combine({"feasible": r + items(direction(e))}),
            ("feasible", "signs"),
        ),
        Step(
            "1",
            _STEP,
            Combine({"sharp": 1, "size": eta**2 * m_F / 2, "squares": eta**2 * m_F / 2}),
            ("sharp", "size", "squares"),
        ),
    ),
    claim="fedcg/C-14@printed",
    bound=bounds.ONE_STEP,
    place="(14)",
)

# One round ---------------------------------------------------------------------------------------------------------------------

ROUND = (*UP, MEAN, BEST, *STEP, FEASIBLE)
ROUND_IDS = tuple(h.id for h in ROUND)


def one_round(lost: Any) -> Any:
    """What is missing to the optimum after a round: before A.3, so that any direction will do."""
    return le(OPT - V(n), (1 - eta) * (OPT - V(0)) + eta * (DIRECTIONS - RISE) + Rational(1, 2) * eta**2 * m_F * lost)


ONE_ROUND = Theorem(
    "fedcg/round",
    one_round(r**2),
    ROUND,
    (
        Step("ahead", _A1, Apply("fedcg/A.1"), (*UP_IDS, "mean", "best")),
        Step("step", _STEP, Apply("fedcg/C-14"), (*STEP_IDS, "feasible")),
        Step("1", one_round(r**2), Combine({"ahead": eta, "step": 1}), ("ahead", "step")),
    ),
    place="proof of Theorem 3.2",
    note="one round, in any feasible direction",
)
SHARP_ROUND = Theorem(
    "fedcg/round-sharp",
    one_round(SPREAD),
    tuple(h for h in ROUND if h.id != "feasible"),
    (
        Step("ahead", _A1, Apply("fedcg/A.1"), (*UP_IDS, "mean", "best")),
        Step("step", one_step(SPREAD), Apply("fedcg/C-14@sharpened"), STEP_IDS),
        Step("1", one_round(SPREAD), Combine({"ahead": eta, "step": 1}), ("ahead", "step")),
    ),
    place="proof of Theorem 3.2",
    note="with the sharp second-order term",
)

THEOREMS = (
    S0,
    S0_LEAST,
    FIVE,
    MIDDLE,
    A1,
    S1A,
    A3,
    A4,
    A4_SHARP,
    A4_BELOW,
    SHARP_STEP,
    ONE_STEP,
    ONE_ROUND,
    SHARP_ROUND,
)
