"""The step-size rule: equality in growth, the limit of the caps, the floor for noisy gradients, R6 as measured."""

from __future__ import annotations

from sympy import Abs, Min, Rational, Symbol

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.notation import L, L_hat, Pi, T, delta, eta_0, theta_0
from fltheory.papers.delta_sgd.rule.proofs import rule
from fltheory.papers.delta_sgd.rule.proofs.rule import ALWAYS, START, a, b, eta, g, grown, n, theta
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Vector, family, square
from fltheory.verification import find


def of_claim(name: str, quantity, note: str, reading=None):
    """Return a theorem of a claim, with its statement and the claim's conditions."""
    claim = f"delta_sgd/{name}"
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity, reading or {})
    return proof(claim, of=claim, bound=bound, reading=reading or {}, note=note), statement, conditions


# R1: growth, for a constant gradient ----------------------------------------------------------------------------------

SAME = (
    proof("delta_sgd/same-root", rule.PLACE, note="positive numbers with one square")
    .given("squares", eq(a**2, b**2), "one square")
    .qed(eq(a, b), by.linear(squares=1 / (a + b)))
)
_FLAT = (
    START,
    Given("first", eq(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2), "the second entry, as the first is infinite"),
    Given("growth", eq(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, ALWAYS),
        "and so at every step: the gradient stays the same"),
)
_PRODUCT = (
    Given("g 1", eq(g(1) ** 2, 1 + delta * theta_0), "g_1 is the root of 1 + delta theta_0"),
    Given("g", eq(g(n + 2) ** 2, 1 + delta * g(n + 1), ALWAYS), "each g is the root of 1 + delta times the one before"),
    Given("none", eq(grown(0), 1), "the empty product"),
    Given("product", eq(grown(n + 1), g(n + 1) * grown(n), ALWAYS), "the product of the g"),
)
_GROWS, _GROWN, _ = of_claim("R1-attained@explicit", eta(n), "each ratio is its g", {Pi: grown(n)})
_RATIO = eq(eta(n + 1), g(n + 1) * eta(n), ALWAYS)
_BEFORE = eq(_RATIO.left, _RATIO.right)
ATTAINED = (
    _GROWS.under(*_FLAT, *_PRODUCT)
    .step("1.1", eq(eta(1) ** 2, (g(1) * eta(0)) ** 2), by.linear("first", "g 1"))
    .step("1", by.apply(SAME, {a: eta(1), b: g(1) * eta(0)}))
    .step("2.1", eq(eta(n + 2) ** 2, (g(n + 2) * eta(n + 1)) ** 2, ALWAYS), by.linear("growth", "g"), assuming=_BEFORE)
    .step("2", by.apply(SAME, {a: eta(n + 2), b: g(n + 2) * eta(n + 1)}), assuming=_BEFORE)
    .step("3", _RATIO, by.induction(n, "1", "2"), note="every ratio is its g")
    .step("4", le(eta_0 * grown(0), eta(0)), by.linear("start", "none"))
    .step("5", le(eta_0 * grown(n + 1), eta(n + 1), ALWAYS), by.linear("3", "product"), assuming=_GROWN)
    .qed(le(_GROWN.left, _GROWN.right, ALWAYS), by.induction(n, "4", "5"))
)

# R3: steps of the order of the power, for a constant gradient ---------------------------------------------------------

_LOW = Min(formula.FIRST_RATIO, formula.LAST_RATIO, evaluate=False)
_POWERS, _POWER, _ = of_claim("R3-gamma-attained@corrected", eta(n), "no ratio is below the smaller one", {T: n})
least, own = (Symbol(name, positive=True) for name in ("Theta", "phi"))
_ABOVE = le(least * eta(n), eta(n + 1), ALWAYS)
_OVER = (le(_ABOVE.left, _ABOVE.right),)
RATIOS = (
    proof("delta_sgd/ratio-floor", rule.PLACE,
        note="no ratio is below the first one's cap and the one that reproduces itself")
    .under(*_FLAT[1:])
    .given("narrow", le(least**2, 1 + delta * theta_0), "the floor is below the first ratio")
    .given("own", eq(own**2, 1 + delta * own), "the ratio that reproduces itself")
    .given("low", le(least, own), "the floor is not above it")
    .step("1.1", le((least * eta(0)) ** 2, eta(1) ** 2), by.linear("first", "narrow"))
    .step("1", by.apply(rule.ROOT, {b: eta(1), a: least * eta(0)}))
    .step("2.1", le(least**2, 1 + delta * least), by.linear("low", "own"))
    .step("2.2", le((least * eta(n + 1)) ** 2, eta(n + 2) ** 2, ALWAYS), by.linear("growth", "2.1"), assuming=_OVER)
    .step("2", by.apply(rule.ROOT, {b: eta(n + 2), a: least * eta(n + 1)}), assuming=_OVER)
    .qed(_ABOVE, by.induction(n, "1", "2"))
)
_FIRST, _LAST = formula.FIRST_RATIO, formula.LAST_RATIO
POWER = (
    _POWERS.under(*_FLAT)
    .step("3", by.apply(rule.BELOW, {a: _FIRST, b: _LAST}))
    .step("4", by.apply(rule.BELOW, {a: _LAST, b: _FIRST}))
    .step("5", le(_LOW**2, 1 + delta * theta_0), by.linear({"3": _FIRST + _LOW}))
    .step("6", by.apply(rule.FIXED_POINT))
    .step("7", by.apply(RATIOS, {least: _LOW, own: _LAST}))
    .step("1", le(eta_0 * _LOW**0, eta(0)), by.linear("start"))
    .step("2", le(eta_0 * _LOW ** (n + 1), eta(n + 1), ALWAYS), by.linear("7"), assuming=_POWER)
    .qed(le(_POWER.left, _POWER.right, ALWAYS), by.induction(n, "1", "2"))
)

# R1: the limit of the caps ----------------------------------------------------------------------------------------------------

HALF = Rational(1, 2)
_SHRINK = delta / (1 + _LAST)
_NEARS, _NEAR, _ = of_claim("R1-limit@explicit", Abs(theta(n) - _LAST), "a cap is at least 1", {T: n})
_OFF = Abs(theta(n) - _LAST)


def closer(sign: int):
    """Return one side of the contraction by one more cap."""
    return le(sign * (theta(n + 1) - _LAST), _SHRINK * _OFF, ALWAYS)


LIMIT = (
    _NEARS.given("begin", eq(theta(0), theta_0), "the caps begin with the first ratio")
    .given(
        "caps",
        eq(theta(n + 1) ** 2, 1 + delta * theta(n), ALWAYS),
        "each is the root of 1 + delta times the one before",
    )
    .given("one", le(1, theta(n + 1), ALWAYS), "the root of a number that is at least 1")
    .step("own", by.apply(rule.FIXED_POINT))
    .step("1.1", by.fact("abs", theta(n) - _LAST), over=ALWAYS)
    .step("1.2", by.fact("abs", -(theta(n) - _LAST)), over=ALWAYS)
    .step("0", le(0, _OFF, ALWAYS), by.linear({"1.1": HALF, "1.2": HALF}))
    .step(
        "2.1",
        closer(1),
        by.linear(
            {
                "caps": 1 / (theta(n + 1) + _LAST),
                "own": -1 / (theta(n + 1) + _LAST),
                "1.1": delta / (theta(n + 1) + _LAST),
                "one": delta * _OFF / ((theta(n + 1) + _LAST) * (1 + _LAST)),
            },
            "0",
        ),
    )
    .step(
        "2.2",
        closer(-1),
        by.linear(
            {
                "caps": -1 / (theta(n + 1) + _LAST),
                "own": 1 / (theta(n + 1) + _LAST),
                "1.2": delta / (theta(n + 1) + _LAST),
                "one": delta * _OFF / ((theta(n + 1) + _LAST) * (1 + _LAST)),
            },
            "0",
        ),
    )
    .step("2", by.absolute("2.1", "2.2"))
    .step("3", le(_NEAR.left.subs(n, 0), Abs(theta_0 - _LAST)), by.linear(), inserting="begin")
    .step(
        "4",
        le(Abs(theta(n + 1) - _LAST), _SHRINK ** (n + 1) * Abs(theta_0 - _LAST), ALWAYS),
        by.linear("2"),
        assuming=_NEAR,
    )
    .qed(le(_NEAR.left, _NEAR.right, ALWAYS), by.induction(n, "3", "4"))
)

# R6 as measured -------------------------------------------------------------------------------------------------------

here, there, centre, slope, later = (family(Vector, name)() for name in ("x", "z", "c", "g", "h"))
_R6, _R6_SAYS, _ = of_claim("R6@explicit", rule.ENTRY, "the gradient turns by L times the move")
SIXTH = (
    _R6.given("x", eq(slope, L * (here - centre)), "the gradient of L/2 |x - c|^2 at x")
    .given("z", eq(later, L * (there - centre)), "and at z")
    .given("move", eq(rule.move**2, square(there - here)), "how far the points are apart")
    .given("turn", eq(rule.turn**2, square(later - slope)), "and their gradients")
    .step("1", eq(square(later - slope), L**2 * square(there - here)), by.linear(), inserting=("x", "z"))
    .step("2", eq(rule.turn**2, (L * rule.move) ** 2), by.linear("turn", "1", "move"))
    .step("3", by.apply(SAME, {a: rule.turn, b: L * rule.move}))
    .qed(_R6_SAYS, by.linear(), inserting="3")
)


def of_batches(name: str, note: str):
    """Prove R2 if both gradients of line 9 are of one mini-batch, whose gradient is L-Lipschitz."""
    claim = f"delta_sgd/{name}"
    return rule.floored(claim, find(claim).bound, eta_0, 0, note, claim, {L_hat: L})


PAIR = of_batches("R2-pair@corrected", "R2 on every path: both gradients of line 9 on one mini-batch of their own")
NEXT = of_batches("R2-same@corrected", "R2 on every path: both gradients of line 9 on the mini-batch that moves next")

THEOREMS = (SAME, ATTAINED, RATIOS, POWER, LIMIT, SIXTH, PAIR, NEXT)
