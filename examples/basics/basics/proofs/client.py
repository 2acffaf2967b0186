"""One step of one client, H, that has a gradient at x* of its own: it contracts towards x*, but for that gradient.

Without noise and without that gradient the step contracts by s = 1 - eta mu; Young's inequality brings the gradient in. Both
divide, one by s, the other by t = eta mu, so these are positive numbers that add up to 1.
"""

from sympy import Symbol

from basics.letters import L, eta
from basics.proofs.words import best, u
from fltheory.proof import Axiom, Member, by, eq, le, proof
from fltheory.proof.terms import Dot, Fun, Grad, family, square

H = family(Fun, "H")()


def ahead(function, point):
    """Where a step without noise leads, seen from x*."""
    return point - eta * Grad(function, point) - best


s, t = (Symbol(name, positive=True) for name in "st")
curvature = t / eta
bent = Grad(H, u) - Grad(H, best) - curvature * (u - best)
own = ahead(H, u) + eta * Grad(H, best)
away = square(u - best)
left, right = u - eta / s * bent, best + eta / s * bent
CLIENT = (
    proof("basics/client-step", note="a client contracts towards x*, but for its gradient there")
    .under(Member("class", H, L, curvature, "the client's objective is strongly convex and L-smooth"))
    .given("small", le(eta * L, 1), "the step is at most 1/L")
    .given("whole", eq(s + t, 1), "s is 1 - eta mu, t is eta mu")
    .step(
        "squeezed",
        le(eta / s * (2 - (L - curvature) * eta / s) * square(bent), Dot(bent, u - best)),
        by.linear(
            (1, Axiom("descent", H, left, u)),
            (1, Axiom("convex", H, left, best)),
            (1, Axiom("descent", H, right, best)),
            (1, Axiom("convex", H, right, u)),
            "class",
        ),
        note="smoothness and strong convexity at two points between which H is squeezed",
    )
    .step("long", le(0, square(bent)), by.sos())
    .step(
        "bent",
        le(eta / s * square(bent), Dot(bent, u - best)),
        by.linear({"squeezed": 1, "small": eta / s**2 * square(bent), "whole": -eta / s**2 * square(bent)}, "long"),
    )
    .step(
        "own",
        le(square(own), s**2 * away),
        by.linear({"bent": 2 * eta * s, "long": eta**2, "whole": 2 * eta * Dot(bent, u - best) - (1 + s - t) * away}),
    )
    .step("square", le(0, square(t * own + s * eta * Grad(H, best))), by.sos())
    .qed(
        le(square(ahead(H, u)), s * away + eta**2 / t * square(Grad(H, best))),
        by.linear({"own": 1 / s, "square": 1 / (s * t), "whole": square(own) / s + eta**2 / t * square(Grad(H, best))}),
        note="Young's inequality",
    )
)
THEOREMS = (CLIENT,)
