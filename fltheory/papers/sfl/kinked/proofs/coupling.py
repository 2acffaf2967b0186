"""(11), coupling: in a round the model stays above that of the steep clients at every place, on every sample path.

The steps of a round are numbered; the client of step n is the one in place floor(n / K) + 1. The event that the model
has been above so far is a product of indicators, one more at each step.
"""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, floor

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.lower.bounds import N
from fltheory.papers.sfl.notation import K, eta, lam, lam0, zeta
from fltheory.proof import Defines, by, eq, le, proof, statement_of
from fltheory.proof.terms import E, Indicator, RandomNonnegative, RandomScalar, family
from fltheory.verification import find

n = Symbol("n", integer=True, nonnegative=True)
y, h, P, tau = (family(RandomScalar, name) for name in ("y", "h", "P", "tau"))
so_far = family(RandomNonnegative, "above")
STEPS, PLACES = (n, 0, N - 1), (n, 0, N)
_SIGN = tau(floor(n / K) + 1)
_ABOVE, _GAP = le(h(n), y(n)), y(n) - h(n)
_NEXT = _GAP.xreplace({n: n + 1})
_BOUND = find("sfl/I11a@printed").bound
_ALL, _IF = statement_of(_BOUND, E(so_far(N)))
COUPLED = (
    proof("sfl/I11a", of="sfl/I11a@printed", bound=_BOUND).under(*_IF)
    .given("first", eq(y(0), notation.x0), "the round starts at x0, anywhere")
    .given("step", eq(y(n + 1), y(n) - eta * (P(n) + zeta * _SIGN), STEPS),
        "a local step on the client's sign, which is handed on after K of them")
    .under(Defines("pull", P(n), (lam + lam0) / 2 * y(n) - (lam0 - lam) / 2 * Abs(y(n)), "c(x) x"))
    .given("beside first", eq(h(0), notation.x0), "the steep clients' model starts there too")
    .given("beside", eq(h(n + 1), h(n) - eta * (lam0 * h(n) + zeta * _SIGN), STEPS),
        "the same steps on lam0 x^2/2 +- zeta x, in the same order")
    .given("event at first", eq(so_far(0), Indicator(_GAP.xreplace({n: Integer(0)}))), "1 if it is above at the start")
    .given("event", eq(so_far(n + 1), so_far(n) * Indicator(_NEXT), STEPS),
        "1 if it has been above so far and is at the next place")
    .step("most", le(lam0 * eta * N, Rational(1, 101)), by.linear("c1"))
    .step("some", le(1, N), by.polynomial())
    .step("shrinks", le(0, 1 - lam0 * eta), by.linear("most", "some"))
    .step("minus", by.fact("abs", -y(n)), over=STEPS)
    .step("pulled", le(P(n), lam0 * y(n), STEPS), by.linear("minus", "c2"), inserting="pull")
    .step("above 0", _ABOVE.at({n: Integer(0)}), by.linear("first", "beside first"))
    .step("above 1", le(h(n + 1), y(n + 1), STEPS), by.linear("step", "beside", "pulled", "shrinks"), assuming=_ABOVE)
    .step("above", le(h(n), y(n), PLACES), by.induction(n, "above 0", "above 1"))
    .step("gap", le(0, _GAP, PLACES), by.linear("above"))
    .step("each", eq(Indicator(_GAP), 1, PLACES), by.fact("indicator", _GAP, "gap"))
    .step("at first", by.instance({n: Integer(0)}, "each"))
    .step("at next", by.instance({n: n + 1}, "each"), over=STEPS)
    .step("so far 0", eq(so_far(0), 1), by.linear("event at first", "at first"))
    .step("so far 1", eq(so_far(n + 1), 1, STEPS), by.linear("event", "at next"), assuming=eq(so_far(n), 1))
    .step("so far", eq(so_far(n), 1, PLACES), by.induction(n, "so far 0", "so far 1"))
    .step("all round", by.instance({n: N}, "so far"))
    .qed(_ALL, by.expectation("all round"), name="surely")
)
THEOREMS = (COUPLED,)
