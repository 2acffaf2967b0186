"""Section 2: where (3) is attained, the step 1/L_max on a flat client; and where Delta-SGD ends on isotropic quadratics."""

from __future__ import annotations

from sympy import Expr, Min, Symbol

from fltheory.papers.delta_sgd.bounds import lemmas as formula
from fltheory.papers.delta_sgd.letters import K, L, R, T, m
from fltheory.papers.delta_sgd.letters import mu as least_curvature
from fltheory.proof.language import (
    Apply,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import Positive, Scalar, Vector, family, square
from proofs_checks.delta_sgd.facts import EACH as CLIENTS
from proofs_checks.delta_sgd.facts import i, mean

n, k = (Symbol(name, integer=True, nonnegative=True) for name in "nk")

# (3) is attained: the Huber function with its kink at tau = R/(2 T + 1) -----------------------------------------------

x, tau = family(Scalar, "x"), Symbol("tau", positive=True)
FAR = (2 * T + 1) * tau


def slope(point: Expr) -> Expr:
    """The derivative of the Huber function at a point that is not negative, over L."""
    return Min(point, tau)


def huber(point: Expr) -> Expr:
    """Its value there."""
    return L * (point * slope(point) - slope(point) ** 2 / 2)


place = Symbol("x", real=True)
_KINK = eq(slope(place), tau)
KINK = Theorem(
    "delta_sgd/kink",
    _KINK,
    (Given("beyond", le(tau, place), "beyond the kink"),),
    (Step("1", _KINK, Known("min", slope(place)), ("beyond",)),),
    place="(3)",
)
_STEP = Given("step", eq(x(n + 1), x(n) - slope(x(n)), (n, 0, T - 1)), "gradient descent with the step 1/L")
_START = Given("start", eq(x(0), FAR), "it begins at the distance R")
_ATTAINED, _ = stated(formula.GD_ATTAINED, huber(x(T)), {R: FAR})
_WAY = eq(x(n), FAR - n * tau, (n, 0, T))
_SO_FAR = (eq(x(n), FAR - n * tau),)
_AHEAD = (n, 0, T - 1)
ATTAINED = Theorem(
    "delta_sgd/C3-attained",
    _ATTAINED,
    (_STEP, _START),
    (
        Step("0", le(0, tau, _AHEAD), Combine()),
        Step(
            "1",
            le(tau, x(n), _AHEAD),
            Combine({"assumed 1": -1, "0": T - 1 - n}),
            ("0",),
            assuming=_SO_FAR,
            note="not yet at the kink",
        ),
        Step("2", eq(slope(x(n)), tau, _AHEAD), Apply("delta_sgd/kink", {place: x(n)}), ("1",), assuming=_SO_FAR),
        Step(
            "3",
            eq(x(n + 1), FAR - (n + 1) * tau, _AHEAD),
            Combine({"step": 1, "2": -1, "assumed 1": 1}),
            ("step", "2"),
            assuming=_SO_FAR,
        ),
        Step("4", _WAY, Induction(n), ("start", "3")),
        Step("5", eq(x(T), FAR - T * tau), Instance({n: T}), ("4",)),
        Step("6", le(tau, x(T)), Combine({"5": -1}), ("5",)),
        Step("7", eq(slope(x(T)), tau), Apply("delta_sgd/kink", {place: x(T)}), ("6",)),
        Step("8", _ATTAINED, Combine(), (), ("7", "5")),
    ),
    claim="delta_sgd/C3-attained@sharpened",
    bound=formula.GD_ATTAINED,
    reading={R: FAR},
    place="(3)",
    note="after any number of steps",
)

# The step 1/L_max -----------------------------------------------------------------------------------------------------

point, after, centre = (family(Vector, name)() for name in ("x", "x_after", "c"))
mu = least_curvature
_LEFT = eq(square(after - centre), (1 - mu / L) ** 2 * square(point - centre))
SLOW = Theorem(
    "delta_sgd/C-Lmax",
    _LEFT,
    (Given("step", eq(after, point - mu * (point - centre) / L), "the step 1/L_max on mu/2 |x - c|^2"),),
    (Step("1", _LEFT, Combine(), (), ("step",)),),
    claim="delta_sgd/C-Lmax@explicit",
    place="Section 2",
    note="what a flat client keeps of its distance, not divided by it",
)

# Fixed points (R6: the steps do not depend on where a round begins) ---------------------------------------------------

y, end, own = family(Vector, "y"), family(Vector, "x_inf")(), family(Vector, "c")
eta, curvature, left = family(Positive, "eta"), family(Positive, "L"), family(Scalar, "r")
LOCAL = (k, 0, K - 1)
_LOCALLY = (
    Given("begin", eq(y(i, 0), point, CLIENTS), "every client begins at the server's iterate"),
    Given(
        "local",
        eq(y(i, k + 1), y(i, k) - eta(i, k) * curvature(i) * (y(i, k) - own(i)), CLIENTS, LOCAL),
        "a step on L_i/2 |x - c_i|^2",
    ),
    Given("one", eq(left(i, 0), 1, CLIENTS), "the empty product"),
    Given(
        "product",
        eq(left(i, k + 1), left(i, k) * (1 - eta(i, k) * curvature(i)), CLIENTS, LOCAL),
        "r_i, the product of 1 - eta L_i",
    ),
)
_KEPT = eq(y(i, k) - own(i), left(i, k) * (point - own(i)), CLIENTS, (k, 0, K))
_ROUND = eq(y(i, K) - own(i), left(i, K) * (point - own(i)), CLIENTS)
_FACTOR = 1 - eta(i, k) * curvature(i)
early, late = (family(Vector, name)() for name in ("y", "z"))
old, new, size = (family(Scalar, name)() for name in ("r", "s", "e"))
_BEGUN = eq(late - centre, old * (point - centre))
BEGUN = Theorem(
    "delta_sgd/FP-begin",
    _BEGUN,
    (Given("begin", eq(late, point), "at the server's iterate"), Given("one", eq(old, 1), "the empty product")),
    (Step("1", _BEGUN, Combine({"begin": 1}), ("begin",), ("one",)),),
    place="Algorithm 1",
)
_MOVED = eq(late - centre, new * (point - centre))
MOVED = Theorem(
    "delta_sgd/FP-step",
    _MOVED,
    (
        Given("before", eq(early - centre, old * (point - centre)), "where the step begins"),
        Given("local", eq(late, early - size * (early - centre)), "a step towards the centre"),
        Given("product", eq(new, old * (1 - size)), "one factor more"),
    ),
    (Step("1", _MOVED, Combine({"local": 1, "before": 1 - size}), ("local", "before"), ("product",)),),
    place="Algorithm 1",
)
ROUND = Theorem(
    "delta_sgd/FP-round",
    _ROUND,
    _LOCALLY,
    (
        Step(
            "0",
            eq(y(i, 0) - own(i), left(i, 0) * (point - own(i)), CLIENTS),
            Apply("delta_sgd/FP-begin", {late: y(i, 0), centre: own(i), old: left(i, 0)}),
            ("begin", "one"),
        ),
        Step(
            "1",
            eq(y(i, k + 1) - own(i), left(i, k + 1) * (point - own(i)), CLIENTS, LOCAL),
            Apply(
                "delta_sgd/FP-step",
                {
                    early: y(i, k),
                    late: y(i, k + 1),
                    centre: own(i),
                    old: left(i, k),
                    new: left(i, k + 1),
                    size: eta(i, k) * curvature(i),
                },
            ),
            ("local", "product"),
            assuming=(eq(_KEPT.left, _KEPT.right),),
        ),
        Step("2", _KEPT, Induction(k), ("0", "1")),
        Step("3", _ROUND, Instance({k: K}), ("2",)),
    ),
    place="Algorithm 1",
    note="one round of a client on an isotropic quadratic",
)


_NEXT = Given("server", eq(after, mean(y(i, K))), "the server's mean")
_END = Given("end", eq(mean((1 - left(i, K)) * (own(i) - end)), 0 * end), "the centres weighted by 1 - r_i")
_POINT = eq(after - end, mean(left(i, K)) * (point - end))
FIXED = Theorem(
    "delta_sgd/FP",
    _POINT,
    (*_LOCALLY, _NEXT, _END),
    (
        Step("round", _ROUND, Apply("delta_sgd/FP-round"), tuple(h.id for h in _LOCALLY)),
        Step("mean", eq(mean(y(i, K) - own(i)), mean(left(i, K) * (point - own(i)))), Summed((i,), 1 / m), ("round",)),
        Step("last", _POINT, Combine({"mean": 1, "server": 1, "end": 1}), ("mean", "server", "end")),
    ),
    claim="delta_sgd/FP@corrected",
    place="Algorithm 1",
    note="the point that a round does not move, and by how much a round comes nearer to it",
)
_SMALL = Given(
    "small", lt(eta(i, k) * curvature(i), 2, CLIENTS, LOCAL), "eta_0 L_i < 2, and gamma < 4 for the later steps"
)
_SHRINKS = lt(left(i, k + 1) ** 2, 1, CLIENTS, LOCAL)
_AGAIN = (k, 0, K - 2)
SHRINKS = Theorem(
    "delta_sgd/FP-client",
    _SHRINKS,
    (*_LOCALLY[2:], _SMALL),
    (
        Step("factor", lt(_FACTOR**2, 1, CLIENTS, LOCAL), Combine({"small": eta(i, k) * curvature(i)}), ("small",)),
        Step(
            "square",
            eq(left(i, k + 1) ** 2, left(i, k) ** 2 * _FACTOR**2, CLIENTS, LOCAL),
            Combine({"product": left(i, k + 1) + left(i, k) * _FACTOR}),
            ("product",),
        ),
        Step("first factor", lt(_FACTOR.subs(k, 0) ** 2, 1, CLIENTS), Instance({k: 0}), ("factor",)),
        Step(
            "first square",
            eq(left(i, 1) ** 2, left(i, 0) ** 2 * _FACTOR.subs(k, 0) ** 2, CLIENTS),
            Instance({k: 0}),
            ("square",),
        ),
        Step(
            "0",
            lt(left(i, 1) ** 2, 1, CLIENTS),
            Combine({"first factor": 1, "first square": 1, "one": (1 + left(i, 0)) * _FACTOR.subs(k, 0) ** 2}),
            ("first factor", "first square", "one"),
        ),
        Step("next factor", lt(_FACTOR.subs(k, k + 1) ** 2, 1, CLIENTS, _AGAIN), Instance({k: k + 1}), ("factor",)),
        Step(
            "next square",
            eq(left(i, k + 2) ** 2, left(i, k + 1) ** 2 * _FACTOR.subs(k, k + 1) ** 2, CLIENTS, _AGAIN),
            Instance({k: k + 1}),
            ("square",),
        ),
        Step(
            "1",
            lt(left(i, k + 2) ** 2, 1, CLIENTS, _AGAIN),
            Combine({"next factor": left(i, k + 1) ** 2, "next square": 1, "assumed 1": 1}),
            ("next factor", "next square"),
            assuming=(lt(_SHRINKS.left, _SHRINKS.right),),
        ),
        Step("2", _SHRINKS, Induction(k), ("0", "1")),
    ),
    place="Algorithm 1",
    note="no client's factor leaves (-1, 1), so neither does their mean",
    claim="delta_sgd/FP-contraction@corrected",
)

THEOREMS = (KINK, ATTAINED, SLOW, BEGUN, MOVED, ROUND, FIXED, SHRINKS)
