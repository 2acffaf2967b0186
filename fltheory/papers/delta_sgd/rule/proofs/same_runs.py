"""Equal runs of rule (4): with another first ratio that has no effect, and in other units and axes."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol

from fltheory.papers.delta_sgd.notation import eta_0, gamma
from fltheory.papers.delta_sgd.rule.proofs.attained import SAME, a, b, of_claim
from fltheory.papers.delta_sgd.rule.proofs.ends import TIMES
from fltheory.papers.delta_sgd.rule.proofs.one_step import BEGIN, POINTS, over
from fltheory.papers.delta_sgd.rule.proofs.two_runs import (ALWAYS, LATER, LENGTHS, TWO, UNIT, as_letters, eta, f, gap,
    h, here, moved, n, one, other, run, there, turned, x, z)
from fltheory.proof import by, eq, lt, proof
from fltheory.proof.terms import Grad, square

low = Symbol("low", real=True)
SIZE = (
    proof("delta_sgd/size-of-none", "Algorithm 1", note="the absolute value of 0")
    .given("zero", eq(low, 0), "a number that is 0")
    .qed(eq(Abs(low), 0), by.linear(), inserting="zero")
)

# The first ratio -----------------------------------------------------------------------------------------

_FIRST, _FIRST_SAYS, _ = of_claim("S3-ratio@corrected", Abs(h(n + 1) / eta(n + 1) - 1), "for each client")
_MX, _UX, _MZ, _UZ = (expr.subs(n, 0) for expr in (moved(x), turned(x), moved(z), turned(z)))
_E = Grad(f, x(1)) - Grad(f, x(0))
RATIO = (
    _FIRST.under(BEGIN, *run("x", x, eta), *run("z", z, h))
    .given("start x", eq(eta(0), eta_0), "the run with the ratio theta_0")
    .given("start z", eq(h(0), eta_0), "and the one with the ratio 1")
    .given("turns", lt(0, square(_E)), "the first entry decides the first computed step: it is finite")
    .given("decides x", eq(4 * eta(1) ** 2 * _UX, gamma**2 * _MX), "this entry, squared, with theta_0")
    .given("decides z", eq(4 * h(1) ** 2 * _UZ, gamma**2 * _MZ), "and with 1")
    .step("now", eq(eta(0), h(0)), by.linear("start x", "start z"))
    .step("slope", eq(Grad(f, x(0)), Grad(f, z(0))), by.apply(POINTS, {here: x(0), there: z(0)}))
    .step("run x 0", by.instance({n: Integer(0)}, "run x"))
    .step("run z 0", by.instance({n: Integer(0)}, "run z"))
    .step("sized", by.apply(TIMES, {one: eta(0), other: h(0), gap: Grad(f, z(0))}))
    .step("next", eq(x(1), z(1)), by.linear("run x 0", "run z 0", "begin", "slope", "sized"))
    .step("next slope", by.apply(POINTS, {here: x(1), there: z(1)}))
    .step("move", eq(x(1) - x(0), z(1) - z(0)), by.linear("next", "begin"))
    .step("turn", eq(_E, Grad(f, z(1)) - Grad(f, z(0))), by.linear("next slope", "slope"))
    .step("M", eq(_MX, _MZ), by.apply(LENGTHS, {here: x(1) - x(0), there: z(1) - z(0)}))
    .step("U", by.apply(LENGTHS, {here: _E, there: Grad(f, z(1)) - Grad(f, z(0))}))
    .step(
        "squares",
        eq(eta(1) ** 2, h(1) ** 2),
        by.linear(
            {
                "decides x": 1 / (4 * _UX),
                "decides z": -1 / (4 * _UX),
                "M": gamma**2 / (4 * _UX),
                "U": -(h(1) ** 2) / _UX,
            },
            "turns",
        ),
    )
    .step("later", by.apply(SAME, {a: eta(1), b: h(1)}))
    .step("joint", by.apply(TWO, {UNIT: _E}))
    .step("same", by.apply(LATER, as_letters(n) | {UNIT: _E}))
    .step("one", eq(h(n + 1) / eta(n + 1) - 1, 0, ALWAYS), by.linear("same"))
    .qed(over(_FIRST_SAYS), by.apply(SIZE, {low: h(n + 1) / eta(n + 1) - 1}))
)
THEOREMS = (SIZE, RATIO)
