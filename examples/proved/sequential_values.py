"""One round of sequential federated learning with two convex clients in a random order: what the objective gains.

Each client is the first with probability 1/2, and its step from x gains 2 eta (f(x) - f(x*) - <f'(x*), x - x*>): in the mean over
the two orders that is 2 eta (F(x) - F*). The constant of the heterogeneity is the same as without this gain.
"""

from sympy import Rational, Symbol

from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import E, Fun, Grad, RandomVector, Scalar, Total, Val, Vector, family, square

L, eta, zeta = (Symbol(name, positive=True) for name in ("L", "eta", "zeta"))
half = Rational(1, 2)
f1, f2 = (family(Fun, name)() for name in ("f1", "f2"))
x, best = (family(Vector, name)() for name in ("x", "x_star"))
LEAST = L * eta**3 / (2 - L * eta)


def end(start, one, other):
    """Return where a round ends in which one client steps first and the other second."""
    middle = start - eta * Grad(one, start)
    return middle - eta * Grad(other, middle)


def mean_end(start):
    """Return the squared distance after a round, in the mean over the two orders."""
    return half * square(end(start, f1, f2) - best) + half * square(end(start, f2, f1) - best)


def gap(start):
    """Return F - F*, with the mean F of the two clients."""
    return half * (Val(f1, start) + Val(f2, start)) - half * (Val(f1, best) + Val(f2, best))


SIGN = by.linear({"short": L})
ROUND = (
    proof("proved/orders-round", note="two clients in a random order")
    .under(Member("client 1", f1, L, 0, "the first client is convex and L-smooth"))
    .under(Member("client 2", f2, L, 0, "the second client is convex and L-smooth"))
    .given("balanced", eq(Grad(f2, best), -Grad(f1, best)), "x* minimises the mean of the clients")
    .given("spread", eq(square(Grad(f1, best)), zeta**2), "what zeta_* is")
    .given("short", le(eta, 1 / L), "the step size")
    .step("sign", le(0, 1 - L * eta), SIGN)
    .qed(
        le(mean_end(x), square(x - best) - 2 * eta * gap(x) + LEAST * zeta**2),
        by.sos(
            {"spread": LEAST},
            *((eta, Axiom("cocoercive", f, best, x)) for f in (f1, f2)),
            *(
                (eta, Axiom("cocoercive", f, *pair))
                for f, middle in ((f1, x - eta * Grad(f2, x)), (f2, x - eta * Grad(f1, x)))
                for pair in ((middle, best), (best, middle))
            ),
            *("client 1", "client 2", "short", "sign"),
        ),
        inserting=("balanced",),
    )
)

# R rounds, each in an order of its own ----------------------------------------------------------------------------------------

share, more = Symbol("share", positive=True), Symbol("more", nonnegative=True)
away, gained = family(Scalar, "away"), family(Scalar, "gained")
R = Symbol("R", integer=True, positive=True)
r, i = (Symbol(name, integer=True, nonnegative=True) for name in "ri")
so_far = le(away(r) + share * Total(gained(i), i, 0, r - 1), away(0) + r * more)
GAINING = (
    proof("proved/gaining", note="what is gained in a round, on average")
    .given("round", le(away(r + 1), away(r) - share * gained(r) + more, (r, 0, R - 1)), "what a round does")
    .given("last", le(0, away(R)), "a squared distance")
    .step("start", le(so_far.left.subs(r, 0), so_far.right.subs(r, 0)), by.linear())
    .step(
        "next",
        le(so_far.left.subs(r, r + 1), so_far.right.subs(r, r + 1), (r, 0, R - 1)),
        by.linear("round"),
        assuming=so_far,
    )
    .step("all", le(so_far.left, so_far.right, (r, 0, R)), by.induction(r, "start", "next"))
    .step("end", by.instance({r: R}, "all"))
    .qed(
        le(Total(gained(i), i, 0, R - 1) / R, away(0) / (share * R) + more / share),
        by.linear({"end": 1 / (share * R), "last": 1 / (share * R)}),
    )
)
x_, rounds = family(RandomVector, "x"), (r, 0, R - 1)
ROUNDS = (
    proof("proved/orders-rounds", note="R rounds of two clients, each in a random order")
    .under(*ROUND.hypotheses)
    .given(
        "orders",
        eq(E(square(x_(r + 1) - best)), E(mean_end(x_(r))), rounds),
        "either order with probability 1/2, whatever happened before",
    )
    .step("sign", le(0, 1 - L * eta), SIGN)
    .step(
        "surely",
        le(mean_end(x_(r)), square(x_(r) - best) - 2 * eta * gap(x_(r)) + LEAST * zeta**2, rounds),
        by.apply(ROUND.id, {x: x_(r)}, *(h.id for h in ROUND.hypotheses)),
    )
    .step("mean", by.expectation("surely"))
    .step(
        "round",
        le(E(square(x_(r + 1) - best)), E(square(x_(r) - best)) - 2 * eta * E(gap(x_(r))) + LEAST * zeta**2, rounds),
        by.linear("mean", "orders"),
    )
    .step("square", le(0, square(x_(R) - best)), by.sos())
    .step("last", by.expectation("square"))
    .step("positive", lt(0, 2 - L * eta), by.linear("sign"))
    .step("level", le(0, LEAST * zeta**2), by.linear({"positive": LEAST * zeta**2 / (2 - L * eta)}))
    .qed(
        le(
            Total(E(gap(x_(i))), i, 0, R - 1) / R, E(square(x_(0) - best)) / (2 * eta * R) + LEAST * zeta**2 / (2 * eta)
        ),
        by.apply(
            GAINING.id,
            {share: 2 * eta, more: LEAST * zeta**2, away(r): E(square(x_(r) - best)), gained(r): E(gap(x_(r)))},
            "round",
            "level",
            "last",
        ),
    )
)
THEOREMS = (ROUND, GAINING, ROUNDS)
