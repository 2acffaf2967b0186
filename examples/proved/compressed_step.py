"""A gradient step with a compressed gradient, its rate for every step size, and the best step size.

The compressor is unbiased and its error has at most omega times the square of the gradient. Random sparsification, which keeps a
coordinate with probability 1/(1 + omega) and multiplies it by 1 + omega, has exactly this error.
"""

from sympy import Symbol

from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Vector, family, square

L, eta, mu, c = (Symbol(name, positive=True) for name in ("L", "eta", "mu", "c"))
omega = Symbol("omega", nonnegative=True)
F = family(Fun, "F")()
x, best = (family(Vector, name)() for name in ("x", "x_star"))
y, noise = (family(RandomVector, name)() for name in ("y", "noise"))


def rate(curvature):
    """Return the factor on a quadratic with a curvature."""
    return (1 - eta * curvature) ** 2 + omega * eta**2 * curvature**2


best_step = 2 / ((1 + omega) * (L + mu))
BEST_RATE = 1 - 4 * mu * L / ((1 + omega) * (L + mu) ** 2)


def step_of(name, condition, why, curvature, sign):
    """Return the theorem on one side of the best step size; the sign is that of the multiplier."""
    weight = 2 * eta * sign / (L - mu)
    gained = le(
        eta**2 * (1 + omega) * square(Grad(F, x)) - 2 * eta * Dot(Grad(F, x), x - best),
        (rate(curvature) - 1) * square(x - best),
    )
    return (
        proof(f"proved/compressed-{name}", note=why)
        .under(Member("class", F, L, mu, "F is mu-strongly convex and L-smooth"))
        .given("order", lt(mu, L), "strong convexity is below smoothness")
        .given("least", eq(Grad(F, best), 0), "x* is the minimiser")
        .given("step", eq(y, x - eta * (Grad(F, x) + noise)), "the step with the compressed gradient")
        .given("unbiased", eq(E(Dot(noise, x - best)), 0), "the compressor is unbiased")
        .given("unbiased too", eq(E(Dot(noise, Grad(F, x))), 0), "the compressor is unbiased")
        .given("error", le(E(square(noise)), omega * square(Grad(F, x))), "the error of the compressor")
        .given(name, condition, "the step size")
        .step("sign", le(0, sign), by.polynomial("order", name))
        .step(
            "gained",
            gained,
            by.sos(
                *((weight, Axiom("interpolated", F, *pair)) for pair in ((best, x), (x, best))),
                *("order", name, "class", "sign"),
            ),
            inserting=("least",),
        )
        .qed(
            le(E(square(y - best)), rate(curvature) * square(x - best)),
            by.linear({"gained": 1, "unbiased": -2 * eta, "unbiased too": 2 * eta**2, "error": eta**2}),
            inserting=("step",),
        )
    )


SHORT = step_of("short", le(eta, best_step), "steps up to the best", mu, 1 - eta * mu * (1 + omega))
LONG = step_of("long", le(best_step, eta), "steps from the best", L, eta * L * (1 + omega) - 1)

# No smaller rate will do: F(u) = h u^2/2 on the line, with h = mu or h = L, and random sparsification ------------------------

h, u = Symbol("h", positive=True), Symbol("u", real=True)
kept, zeroed = (
    (u - eta * (1 + omega) * h * u) ** 2,
    u**2,
)  # the two outcomes, of probabilities 1/(1 + omega) and the rest
TIGHT = proof("proved/compressed-attained", note="the rate is attained on a quadratic of any curvature").qed(
    eq(kept / (1 + omega) + omega / (1 + omega) * zeroed, rate(h) * u**2), by.linear()
)
BEST = (
    proof("proved/compressed-best", note="no step size has a rate below that of the best step size")
    .given("low", le(rate(mu), c), "a rate for the curvature mu")
    .given("high", le(rate(L), c), "a rate for the curvature L")
    .step("square", le(0, (eta * (1 + omega) * (L + mu) - 2) ** 2), by.polynomial())
    .qed(
        le(BEST_RATE, c),
        by.linear({"low": L / (L + mu), "high": mu / (L + mu), "square": mu * L / ((1 + omega) * (L + mu) ** 2)}),
    )
)
AT_BEST = proof("proved/compressed-at-best", note="the best step size has the best rate").qed(
    eq(rate(mu).subs(eta, best_step), BEST_RATE), by.linear()
)
THEOREMS = (SHORT, LONG, TIGHT, BEST, AT_BEST)
