"""What the proofs talk about: iterates x(n), the minimiser x*, the objective F."""

from sympy import Integer, Symbol, sqrt

from basics.letters import D, L, mu
from fltheory.proof import Given, Member, by, eq, le, proof
from fltheory.proof.terms import Fun, Grad, Scalar, Val, Vector, family, square

n = Symbol("n", integer=True, nonnegative=True)
x, best, F = family(Vector, "x"), family(Vector, "x*")(), family(Fun, "F")()
u, v = family(Vector, "u")(), family(Vector, "v")()  # a point and what a step makes of it


def gap(point):
    """F(point) - F*."""
    return Val(F, point) - Val(F, best)


def away(point):
    """|point - x*|²."""
    return square(point - best)


FROM_START = {D: sqrt(away(x(0)))}  # how a bound's D is read
LOWEST = Given("lowest", eq(Grad(F, best), 0), "x* minimises F")
ORDER = Given("order", le(mu, L), "strong convexity is below smoothness")
nu = Symbol("nu", positive=True)  # how mu is read where a bound divides by it
SMOOTH = Member("class", F, smooth=L, convex=Integer(0), why="F is convex and L-smooth")
CURVED = Member("class", F, smooth=L, convex=mu, why="F is mu-strongly convex and L-smooth")

q, b, a = Symbol("q", real=True), Symbol("b", real=True), family(Scalar, "a")
N = Symbol("N", integer=True, positive=True)
level = q**n * a(0) + (1 - q**n) * b
RECURSION = (
    proof("basics/recursion", note="a sequence that contracts towards b")
    .given("rate", le(0, q), "a rate")
    .given("one", le(a(n + 1), q * a(n) + (1 - q) * b, (n, 0, N - 1)), "what each step does")
    .step("first", le(a(0), a(0)), by.linear())
    .step(
        "next",
        le(a(n + 1), level.subs(n, n + 1), (n, 0, N - 1)),
        by.linear({"one": 1, "assumed 1": q}, "rate"),
        assuming=le(a(n), level),
    )
    .step("all", le(a(n), level, (n, 0, N)), by.induction(n, "first", "next"))
    .qed(le(a(N), level.subs(n, N)), by.instance({n: N}, "all"))
)
SETTLES = (
    proof("basics/settles", note="the same with the level b whole")
    .given("rate", le(0, q), "a rate")
    .given("above", le(0, b), "a level")
    .given("one", le(a(n + 1), q * a(n) + (1 - q) * b, (n, 0, N - 1)), "what each step does")
    .step("close", le(a(N), level.subs(n, N)), by.apply("basics/recursion", "rate", "one"))
    .step("zero", le(0, 0), by.linear())
    .step("power", le(0, q**N), by.power(N, "zero", "rate"))
    .qed(le(a(N), q**N * a(0) + b), by.linear({"close": 1, "power": b}, "above"))
)
THEOREMS = (RECURSION, SETTLES)
