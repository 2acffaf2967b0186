"""(5) for F = nu |w - w*|^2/2 + F* and two draws: from the third round on the mean of w - w* is 0, and noise remains.

The proof follows the conditional expectation of the sum of t (w_t - w*), which changes by one round's noise at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Integer, Symbol

from fltheory.papers.osmd import notation
from fltheory.papers.osmd.mirror.proofs.facts import SIGN
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.notation import K, Lbar, M, T
from fltheory.papers.osmd.sampling.proofs.sampling import DRAWS, UNBIASED, VARIANCE, a, drawn, k, u
from fltheory.papers.osmd.sgd.proofs import weighted as run
from fltheory.papers.osmd.sgd.proofs.harmonic import WEIGHT, N, harmonic, r, weight
from fltheory.papers.osmd.sgd.proofs.weighted import FAR, LAW, LOSS, ROUNDS, UPDATE, J, nu, w
from fltheory.proof import Defines, by, eq, le, proof
from fltheory.proof.facts.squares import x
from fltheory.proof.facts.sums import t
from fltheory.proof.terms import Dot, E, RandomVector, Total, family, square

PLACE = "(5)"
y, noise = family(RandomVector, "y"), family(RandomVector, "noise")
s = Symbol("s", integer=True, positive=True)
_TIMES, _LATER = (t, 1, N + 1), (t, 1, N - 1)

m = family(RandomVector, "m")


def sofar(count: Expr | int, path: Callable[[Expr], Expr] = y) -> Expr:
    """Return the sum of t y_t over the first rounds."""
    return Total(s * path(s), s, 1, count)


def ahead(number: Expr, rounds: Expr = N) -> Expr:
    """Return the later contribution of y of the round after that one, over that round's number."""
    return 2 - (number - 1) / rounds + (number - 1) * (harmonic(rounds - 1) - harmonic(number - 1))


def expected(number: Expr | int, path: Callable[[Expr], Expr] = y, rounds: Expr = N) -> Expr:
    """Return the expectation of the whole sum after that round."""
    return sofar(number, path) + number * ahead(number, rounds) * path(number + 1)


def _energy(count):
    """Return the noise of the first rounds."""
    return Total(E(square(noise(s))), s, 1, count)


_SIZE = (N + 1) * (N + 2)
_START = nu**2 * E(square(y(1))) + (16 - _SIZE) * E(square(noise(1)))
_MORE = (t, 1, N)
_SUM = le(nu**2 * E(square(m(t))), _START + _SIZE * _energy(t))
_SPENT = E(square(noise(t))) + nu**2 * E(square(y(t))) / 2
_TWO = E(square(y(1))) + E(square(y(2)))


def _away(count):
    """Return the distance of y from 0 in the first rounds."""
    return Total(E(square(y(t))), t, 1, count)


before, then, factor = family(RandomVector, "before")(), family(RandomVector, "then")(), Symbol("factor", real=True)
hit = family(RandomVector, "hit")()
MOVED = (
    proof("osmd/moved-by-noise", PLACE, note="the second moment of a sum of what is uncorrelated")
    .given("sum", eq(then, before - factor * hit), "a sum")
    .given("against", eq(E(Dot(hit, before)), 0), "of what is uncorrelated")
    .step("1", eq(square(then), square(before - factor * hit)), by.linear({"sum": then + before - factor * hit}))
    .step("2", by.expectation("1"))
    .qed(eq(E(square(then)), E(square(before)) + factor**2 * E(square(hit))),
        by.linear({"2": 1, "against": -2 * factor}))
)
MOMENTS = (
    proof("osmd/quadratic-moments", PLACE, note="the noise of each round weighs at most as much as all rounds")
    .where("m", m(t), expected(t), "what the sum over all rounds is expected to become")
    .given("step", eq(y(t + 1), (1 - 2 / t) * y(t) - 2 / (nu * t) * noise(t), _TIMES), "y = w - w*, the step 2/(nu t)")
    .given("against", eq(E(Dot(noise(t), y(s))), 0, _TIMES, (s, 1, t)), "noise is unbiased given what was before")
    # the first round
    .step("second", by.instance({t: 1}, "step"))
    .step("against 1", by.instance({t: 1, s: 1}, "against"))
    .step("other side", eq(E(Dot(noise(1), -y(1))), 0), by.linear({"against 1": -1}))
    .step("first", eq(m(1), -y(1) - 4 / nu * noise(1)), by.linear({"second": 2}), inserting="m")
    .step("far 1", eq(E(square(m(1))), E(square(y(1))) + 16 / nu**2 * E(square(noise(1)))),
        by.apply(MOVED, {then: m(1), before: -y(1), factor: 4 / nu, hit: noise(1)}))
    .step("0", le(_SUM.left.xreplace({t: Integer(1)}), _START + _SIZE * _energy(1)), by.linear({"far 1": nu**2}))
    # each one after it
    .step("next", by.instance({t: t + 1}, "step"), over=_MORE)
    .step("move", eq(m(t + 1), m(t) - 2 / nu * weight(N, t) * noise(t + 1), _MORE),
        by.linear({"next": (t + 1) * ahead(t + 1)}), inserting="m")
    .step("against then", by.instance({t: t + 1}, "against"), over=(_MORE, (s, 1, t + 1)))
    .step("against each", eq(E(Dot(noise(t + 1), y(s))), 0, _MORE, (s, 1, t)), by.linear("against then"))
    .step("against sum", by.sum_over(s, "against each", weight=s))
    .step("against last", by.instance({s: t + 1}, "against then"))
    .step("against m", eq(E(Dot(noise(t + 1), m(t))), 0, _MORE),
        by.linear({"against sum": 1, "against last": t * ahead(t)}), inserting="m")
    .step("far", by.apply(MOVED, {then: m(t + 1), before: m(t), factor: 2 / nu * weight(N, t), hit: noise(t + 1)}))
    .step("round", le(t, N, _MORE), by.polynomial())
    .step("weight", by.apply(WEIGHT, {r: t}))
    .step("sign 1", le(0, square(noise(t + 1))), by.apply(SIGN, {x: noise(t + 1)}))
    .step("sign", by.expectation("sign 1"))
    .step("1", le(nu**2 * E(square(m(t + 1))), _START + _SIZE * _energy(t + 1), _MORE),
        by.linear({"assumed 1": 1, "far": nu**2, "weight": E(square(noise(t + 1)))}, "sign"), assuming=_SUM)
    .step("all", le(_SUM.left, _SUM.right, (t, 1, N + 1)), by.induction(t, "0", "1"))
    .step("end", by.instance({t: N + 1}, "all"))
    .step("whole", eq(m(N + 1), sofar(N + 1)), by.linear(), inserting="m")
    .step("squares", eq(square(m(N + 1)), square(sofar(N + 1))), by.linear({"whole": m(N + 1) + sofar(N + 1)}))
    .step("same", by.expectation("squares"))
    # the distance from 0 in the first two rounds
    .step(
        "far 2",
        eq(E(square(y(2))), E(square(y(1))) + 4 / nu**2 * E(square(noise(1)))),
        by.apply(MOVED, {then: y(2), before: -y(1), factor: 2 / nu, hit: noise(1)}),
    )
    .step("away 1", le(0, square(y(t + 2))), by.apply(SIGN, {x: y(t + 2)}))
    .step("away", by.expectation("away 1"))
    .step("begin", le(_TWO, _away(2)), by.linear())
    .step("go on", le(_TWO, _away(t + 2), _LATER), by.linear({"assumed 1": 1, "away": 1}),
        assuming=le(_TWO, _away(t + 1)))
    .step("two", le(_TWO, _away(t + 1), _MORE), by.induction(t, "begin", "go on"))
    .step("of all", by.instance({t: N}, "two"))
    .step("start 1", le(0, square(y(1))), by.apply(SIGN, {x: y(1)}))
    .step("start", by.expectation("start 1"))
    .step("noise 1", by.apply(SIGN, {x: noise(1)}))
    .step("noise", by.expectation("noise 1"))
    .qed(
        le(nu**2 * E(square(sofar(N + 1))), _SIZE * Total(_SPENT, t, 1, N + 1)),
        by.linear(
            {
                "end": 1,
                "same": -(nu**2),
                "of all": _SIZE * nu**2 / 2,
                "far 2": -_SIZE * nu**2 / 2,
                "start": nu**2 * (_SIZE - 1),
                "noise": 3 * _SIZE - 16,
            }
        ),
    )
)

# The claim ------------------------------------------------------------------------------------------------------------------

_OFF = UPDATE - J
_THEN = w(s) - run.best
_READ = {notation.nu: nu, Lbar: Total(LOSS, t, 1, T)}
AVERAGE = Defines("average", run.average, 2 * Total(t * w(t), t, 1, T) / (T * (T + 1)),
    "the average with the weights t")
_start, _line, _c = of("osmd/C-5-two-quadratic@printed", nu / 2 * E(square(run.average - run.best)), None, _READ)
_EXPECTED = expected(t, lambda i: w(i) - run.best, T - 1)
_EARLIER = (ROUNDS, (s, 1, t))
QUADRATIC = (
    replace(_start, unused=("c1",)).under(AVERAGE, run.STEP, *LAW, *_c)
    .given("gradient", eq(J, nu * FAR, ROUNDS), "F = nu/2 |w - w*|^2 + F*: the clients' gradients add up to that of F")
    .given("towards",
        eq(E(Dot(drawn(k, run.vectors, run.law, run.chosen), _THEN)),
            E(Total(run.law(a) * Dot(run.vectors(a) / run.law(a), _THEN), a, 1, M)), *_EARLIER[:1], DRAWS,
            *_EARLIER[1:]), "a draw is client a with probability p_a, here against where the earlier rounds were")
    .step("unbiased", by.apply(UNBIASED, {**run._IN_ROUND, u: _THEN}))
    .step("against", eq(E(Dot(_OFF, _THEN)), 0, *_EARLIER), by.linear("unbiased"))
    .step("move", eq(w(t + 1) - run.best, (1 - 2 / t) * FAR - 2 / (nu * t) * _OFF, ROUNDS),
        by.linear({"step": 1, "gradient": -2 / (nu * t)}))
    .step("moments", by.apply(MOMENTS, {y(t): FAR, noise(t): _OFF, N: T - 1, m(t): _EXPECTED}, "move", "against", "c3"))
    .step("off", by.apply(VARIANCE, run._IN_ROUND), note="(3): the variance of the estimator")
    .step("pull 1", eq(square(J), nu**2 * square(FAR), ROUNDS), by.linear({"gradient": J + nu * FAR}))
    .step("pull", eq(run.ENERGY, nu**2 * E(square(FAR)), ROUNDS), by.expectation("pull 1"))
    .step("far 1", le(0, square(FAR), ROUNDS), by.apply(SIGN, {x: FAR}))
    .step("far", by.expectation("far 1"))
    .step("each", le(E(square(_OFF)) + nu**2 * E(square(FAR)) / 2, LOSS, ROUNDS),
        by.linear({"off": 1, "pull": -1 / K, "c2": nu**2 * E(square(FAR)) / (2 * K)}, "far"))
    .step("all", by.sum_over(t, "each"))
    .step("off best", eq(run.average - run.best, 2 * Total(s * _THEN, s, 1, T) / (T * (T + 1))), by.linear(),
        inserting="average")
    .step("squares", eq(square(run.average - run.best), 4 * square(Total(s * _THEN, s, 1, T)) / (T * (T + 1)) ** 2),
        by.linear({"off best": run.average - run.best + 2 * Total(s * _THEN, s, 1, T) / (T * (T + 1))}))
    .step("same", eq(E(square(run.average - run.best)), 4 * E(square(Total(s * _THEN, s, 1, T))) / (T * (T + 1)) ** 2),
        by.expectation("squares"))
    .qed(_line, by.linear({"same": nu / 2, "moments": 2 / (nu * T**2 * (T + 1) ** 2), "all": 2 / (nu * T * (T + 1))}))
)

THEOREMS = (MOVED, MOMENTS, QUADRATIC)
