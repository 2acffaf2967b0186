"""Section 2: equality in (3), the step 1/L_max on a flat client; fixed points of Delta-SGD on isotropic quadratics."""

from __future__ import annotations

from sympy import Expr, Min, Symbol

from fltheory.papers.delta_sgd.background import bounds as formula
from fltheory.papers.delta_sgd.notation import K, L, R, T, m, mu
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH as CLIENTS
from fltheory.papers.delta_sgd.smoothness.proofs.facts import i, mean
from fltheory.proof import Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Positive, Scalar, Vector, family, square

n, k = (Symbol(name, integer=True, nonnegative=True) for name in "nk")

# (3) is attained: the Huber function with its kink at tau = R/(2 T + 1) -----------------------------------------------

x, tau = family(Scalar, "x"), R / (2 * T + 1)
FAR = R


def slope(point: Expr) -> Expr:
    """Return the derivative of the Huber function at a nonnegative point, over L."""
    return Min(point, tau)


def huber(point: Expr) -> Expr:
    """Return its value there."""
    return L * (point * slope(point) - slope(point) ** 2 / 2)


place = Symbol("x", real=True)
KINK = (
    proof("delta_sgd/kink", "(3)")
    .given("beyond", le(tau, place), "beyond the kink")
    .qed(eq(slope(place), tau), by.fact("min", slope(place), "beyond"))
)
_START = Given("start", eq(x(0), FAR), "it begins at the distance R")
_ATTAINED, _ = statement_of(formula.GD_ATTAINED, huber(x(T)))
_SO_FAR = (eq(x(n), FAR - n * tau),)
_AHEAD = (n, 0, T - 1)
ATTAINED = (
    proof("delta_sgd/C3-attained", "(3)", of="delta_sgd/C3-attained@strengthened", bound=formula.GD_ATTAINED,
        note="after any number of steps")
    .under(Given("step", eq(x(n + 1), x(n) - slope(x(n)), (n, 0, T - 1)), "gradient descent with the step 1/L"), _START)
    .step("0", le(0, tau, _AHEAD), by.linear())
    .step("1", le(tau, x(n), _AHEAD), by.linear("0"), assuming=_SO_FAR, note="not yet at the kink")
    .step("2", by.apply(KINK, {place: x(n)}), assuming=_SO_FAR)
    .step("3", eq(x(n + 1), FAR - (n + 1) * tau, _AHEAD), by.linear("step", "2"), assuming=_SO_FAR)
    .step("4", eq(x(n), FAR - n * tau, (n, 0, T)), by.induction(n, "start", "3"))
    .step("5", by.instance({n: T}, "4"))
    .step("6", le(tau, x(T)), by.linear("5"))
    .step("7", by.apply(KINK, {place: x(T)}))
    .qed(_ATTAINED, by.linear(), inserting=("7", "5"))
)

# The step 1/L_max -----------------------------------------------------------------------------------------------------

point, after, centre = (family(Vector, name)() for name in ("x", "x_after", "c"))
SLOW = (
    proof("delta_sgd/C-Lmax", "Section 2", of="delta_sgd/C-Lmax@explicit",
        note="what a flat client keeps of its distance, not divided by it")
    .given("step", eq(after, point - mu * (point - centre) / L), "the step 1/L_max on mu/2 |x - c|^2")
    .qed(eq(square(after - centre), (1 - mu / L) ** 2 * square(point - centre)), by.linear(), inserting="step")
)

# Fixed points (R6: the steps do not depend on the start of a round) ---------------------------------------------------

y, end, own = family(Vector, "y"), family(Vector, "x_inf")(), family(Vector, "c")
eta, curvature, left = family(Positive, "eta"), family(Positive, "L"), family(Scalar, "r")
LOCAL = (k, 0, K - 1)
_LOCALLY = (
    Given("begin", eq(y(i, 0), point, CLIENTS), "every client begins at the server's iterate"),
    Given("local", eq(y(i, k + 1), y(i, k) - eta(i, k) * curvature(i) * (y(i, k) - own(i)), CLIENTS, LOCAL),
        "a step on L_i/2 |x - c_i|^2"),
    Given("one", eq(left(i, 0), 1, CLIENTS), "the empty product"),
    Given("product", eq(left(i, k + 1), left(i, k) * (1 - eta(i, k) * curvature(i)), CLIENTS, LOCAL),
        "r_i, the product of 1 - eta L_i"),
)
_KEPT = eq(y(i, k) - own(i), left(i, k) * (point - own(i)), CLIENTS, (k, 0, K))
_FACTOR = 1 - eta(i, k) * curvature(i)
early, late = (family(Vector, name)() for name in ("y", "z"))
old, new, size = (family(Scalar, name)() for name in ("r", "s", "e"))
BEGUN = (
    proof("delta_sgd/FP-begin", "Algorithm 1")
    .given("begin", eq(late, point), "at the server's iterate")
    .given("one", eq(old, 1), "the empty product")
    .qed(eq(late - centre, old * (point - centre)), by.linear("begin"), inserting="one")
)
MOVED = (
    proof("delta_sgd/FP-step", "Algorithm 1")
    .given("before", eq(early - centre, old * (point - centre)), "where the step begins")
    .given("local", eq(late, early - size * (early - centre)), "a step towards the centre")
    .given("product", eq(new, old * (1 - size)), "one factor more")
    .qed(eq(late - centre, new * (point - centre)), by.linear("local", "before"), inserting="product")
)
ROUND = (
    proof("delta_sgd/FP-round", "Algorithm 1", note="one round of a client on an isotropic quadratic").under(*_LOCALLY)
    .step("0", by.apply(BEGUN, {late: y(i, 0), centre: own(i), old: left(i, 0)}))
    .step(
        "1",
        by.apply(
            MOVED,
            {
                early: y(i, k),
                late: y(i, k + 1),
                centre: own(i),
                old: left(i, k),
                new: left(i, k + 1),
                size: eta(i, k) * curvature(i),
            },
        ),
        assuming=eq(_KEPT.left, _KEPT.right),
    )
    .step("2", _KEPT, by.induction(k, "0", "1"))
    .qed(eq(y(i, K) - own(i), left(i, K) * (point - own(i)), CLIENTS), by.instance({k: K}, "2"))
)

FIXED = (
    proof("delta_sgd/FP", "Algorithm 1", of="delta_sgd/FP@corrected",
        note="the point that a round does not move, and by how much a round comes nearer to it")
    .under(*_LOCALLY)
    .given("server", eq(after, mean(y(i, K))), "the server's mean")
    .given("end", eq(mean((1 - left(i, K)) * (own(i) - end)), 0 * end), "the centres weighted by 1 - r_i")
    .step("round", by.apply(ROUND))
    .step("mean", eq(mean(y(i, K) - own(i)), mean(left(i, K) * (point - own(i)))),
        by.sum_over(i, "round", weight=1 / m))
    .qed(eq(after - end, mean(left(i, K)) * (point - end)), by.linear("mean", "server", "end"), name="last")
)
_SHRINKS = lt(left(i, k + 1) ** 2, 1, CLIENTS, LOCAL)
_AGAIN = (k, 0, K - 2)
SHRINKS = (
    proof("delta_sgd/FP-client", "Algorithm 1", of="delta_sgd/FP-contraction@corrected",
        note="no client's factor leaves (-1, 1), so neither does their mean")
    .under(*_LOCALLY[2:])
    .given("small", lt(eta(i, k) * curvature(i), 2, CLIENTS, LOCAL), "eta_0 L_i < 2, and gamma < 4 for the later steps")
    .step("factor", lt(_FACTOR**2, 1, CLIENTS, LOCAL), by.linear("small"))
    .step("square", eq(left(i, k + 1) ** 2, left(i, k) ** 2 * _FACTOR**2, CLIENTS, LOCAL), by.linear("product"))
    .step("first factor", by.instance({k: 0}, "factor"))
    .step("first square", by.instance({k: 0}, "square"))
    .step("0", lt(left(i, 1) ** 2, 1, CLIENTS),
        by.linear({"first factor": 1, "first square": 1, "one": (1 + left(i, 0)) * _FACTOR.subs(k, 0) ** 2}))
    .step("next factor", by.instance({k: k + 1}, "factor"), over=(CLIENTS, _AGAIN))
    .step("next square", by.instance({k: k + 1}, "square"), over=(CLIENTS, _AGAIN))
    .step("1", lt(left(i, k + 2) ** 2, 1, CLIENTS, _AGAIN), by.linear("next factor", "next square"),
        assuming=lt(_SHRINKS.left, _SHRINKS.right))
    .qed(_SHRINKS, by.induction(k, "0", "1"))
)

THEOREMS = (KINK, ATTAINED, SLOW, BEGUN, MOVED, ROUND, FIXED, SHRINKS)
