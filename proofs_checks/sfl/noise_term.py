"""The noise term of Theorems 5 and 6 without an oracle bound: mu x^2 / 2 with noise +-sigma, whatever the step sizes."""

from __future__ import annotations

from sympy import Integer, Symbol, oo

from fltheory.known import find
from fltheory.papers.sfl.bounds.lower import N
from fltheory.papers.sfl.letters import R, sigma
from fltheory.papers.sfl.letters import mu as strong_convexity
from fltheory.proof.language import (
    Combine,
    Defines,
    Expected,
    Given,
    Induction,
    Instance,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, Nonnegative, RandomScalar, Scalar, family

n, Z = Symbol("n", integer=True, nonnegative=True), Integer(0)
mu = Symbol("mu", positive=True)
x, tau = family(RandomScalar, "x"), family(RandomScalar, "tau")
h, y, f = family(Nonnegative, "h"), family(Scalar, "y"), family(Scalar, "f")
EVER = (n, 0, oo)
_NEXT = (1 - mu * h(n)) * x(n) - h(n) * sigma * tau(n + 1)
_SECOND = (1 - mu * h(n)) ** 2 * E(x(n) ** 2) + h(n) ** 2 * sigma**2
_LEAST = le(sigma**2 / (mu**2 * (n + 1)), E(x(n) ** 2))
_AFTER = _LEAST.at({n: n + 1})
_BOUND = find("sfl/T5-noise@sharpened").bounds[0]
_STATEMENT, _ = stated(_BOUND, mu / 2 * E(x(N * R) ** 2), {strong_convexity: mu})

NOISE = Theorem(
    "sfl/T5-noise",
    _STATEMENT,
    (
        Given("step", eq(x(n + 1), _NEXT, EVER), "step n has the deterministic size h(n), which is free"),
        Given("unit", eq(E(tau(n + 1) ** 2), 1, EVER), "a sign is 1 or -1"),
        Given("fair", eq(E(x(n) * tau(n + 1)), 0, EVER), "the next sign is fair and independent of the model"),
        Given("start", eq(x(0), sigma / mu), "the start"),
        Defines("miss", y(n), mu * h(n) * (n + 2) - 1, "how far the step is from the best one, 1/(mu (n + 2))"),
        Defines("shrink", f(n), 1 - mu * h(n), "what a step leaves of the model"),
    ),
    (
        Step("square", eq(x(n + 1) ** 2, _NEXT**2, EVER), Combine({"step": x(n + 1) + _NEXT}), ("step",)),
        Step("mean square", eq(E(x(n + 1) ** 2), E(_NEXT**2), EVER), Expected(), ("square",)),
        Step(
            "moment",
            eq(E(x(n + 1) ** 2), _SECOND, EVER),
            Combine({"mean square": 1, "fair": -2 * (1 - mu * h(n)) * h(n) * sigma, "unit": h(n) ** 2 * sigma**2}),
            ("mean square", "fair", "unit"),
        ),
        Step("start squared", eq(x(0) ** 2, sigma**2 / mu**2), Combine({"start": x(0) + sigma / mu}), ("start",)),
        Step("start mean", eq(E(x(0) ** 2), sigma**2 / mu**2), Expected(), ("start squared",)),
        Step("at the start", _LEAST.at({n: Z}), Combine({"start mean": -1}), ("start mean",)),
        Step("missed", le(0, y(n) ** 2), Combine()),
        Step(
            "best",
            le(
                sigma**2 / (mu**2 * (n + 2)), (1 - mu * h(n)) ** 2 * sigma**2 / (mu**2 * (n + 1)) + h(n) ** 2 * sigma**2
            ),
            Combine({"missed": sigma**2 / (mu**2 * (n + 1) * (n + 2))}),
            ("missed",),
            by=("miss",),
            note="no step makes it smaller",
        ),
        Step(
            "kept",
            le(f(n) ** 2 * _LEAST.left, f(n) ** 2 * _LEAST.right),
            Combine({"assumed 1": f(n) ** 2}),
            assuming=(_LEAST,),
        ),
        Step(
            "one",
            Relation(_AFTER.left, "<=", _AFTER.right, (EVER,)),
            Combine({"moment": -1, "kept": 1, "best": 1}),
            ("moment", "kept", "best"),
            by=("shrink",),
            assuming=(_LEAST,),
        ),
        Step("all", Relation(_LEAST.left, "<=", _LEAST.right, (EVER,)), Induction(n), ("at the start", "one")),
        Step("end", _LEAST.at({n: N * R}), Instance({n: N * R}), ("all",)),
        Step("error", _STATEMENT, Combine({"end": mu / 2}), ("end",)),
    ),
    claim="sfl/T5-noise@sharpened",
    bound=_BOUND,
    reading={strong_convexity: mu},
    place="Theorems 5 and 6, first term",
    note="the last iterate, every sequence of step sizes; equality at the steps 1/(mu (n + 2))",
)
THEOREMS = (NOISE,)
