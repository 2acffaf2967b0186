"""(5): strongly convex objectives with the weights t, for every number of draws; as printed it fails for more than one.

w_{t+1} = w_t - 2/(nu t) g_t; the vectors X_{t,a} = lambda_a grad F_a(w_t) add up to the gradient of F.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.papers.osmd import notation
from fltheory.papers.osmd.mirror.proofs.facts import SIGN, TELESCOPE
from fltheory.papers.osmd.notation import J2, K, Lbar, M, T
from fltheory.papers.osmd.sampling.proofs.sampling import (DRAWS, SECOND, UNBIASED, VARIANCE, X, a, drawn, estimate, k,
    law_of, p, pick, u, weighed)
from fltheory.papers.osmd.sgd import bounds as formula
from fltheory.proof import Axiom, Defines, Given, Member, by, eq, le, lt, proof, statement_of
from fltheory.proof.facts.squares import N, x
from fltheory.proof.facts.sums import d, s, t
from fltheory.proof.terms import (Dot, E, Fun, Grad, RandomInteger, RandomPositive, RandomVector, Total, Val, Vector,
    family, square, substitute)
from fltheory.verification import find

nu = Symbol("nu", positive=True)
F, best, average = family(Fun, "F")(), family(Vector, "w*")(), family(RandomVector, "average")()
w = family(RandomVector, "w")
_X, _p, _pick = family(RandomVector, "X"), family(RandomPositive, "p"), family(RandomInteger, "pick")
ROUNDS = (t, 1, T)


def vectors(place):
    """lambda_a grad F_a(w_t)."""
    return _X(t, place)


def law(place):
    """Return the distribution of round t."""
    return _p(t, place)


def chosen(place):
    """Return the client of a draw of round t."""
    return _pick(t, place)


UPDATE, J = estimate(vectors, law, chosen), Total(vectors(a), a, 1, M)
FAR, RISE = w(t) - best, Val(F, w(t)) - Val(F, best)
LOSS, ENERGY, SQUARE = E(weighed(vectors, law)) / K, E(square(J)), E(square(UPDATE))
_READ = {notation.nu: nu, Lbar: Total(LOSS, t, 1, T), J2: Total(ENERGY, t, 1, T)}
_IN_ROUND = {X(a): vectors(a), p(a): law(a), pick(k): chosen(k)}
CONVEX = Member("class", F, None, nu, "F is strongly convex")
AVERAGE = Defines("average", average, 2 * Total(t * w(t), t, 1, T) / (T * (T + 1)), "the average with the weights t")
GRADIENT = Given("gradient", eq(J, Grad(F, w(t)), ROUNDS), "the clients' gradients add up to that of F")
STEP = Given("step", eq(w(t + 1), w(t) - 2 / (nu * t) * UPDATE, ROUNDS), "the step of size 2/(nu t)")
LAW = law_of(vectors, law, chosen, (ROUNDS,))
TOWARDS = Given("towards",
    eq(E(Dot(drawn(k, vectors, law, chosen), FAR)), E(Total(law(a) * Dot(vectors(a) / law(a), FAR), a, 1, M)), ROUNDS,
        DRAWS), "a draw is client a with probability p_a, here against the way to the minimiser")
SETTING = (CONVEX, AVERAGE, GRADIENT, STEP, *LAW, TOWARDS)
_FIVE, _POSITIVE = statement_of(formula.FIVE_CORRECTED, E(Val(F, average)) - E(Val(F, best)), _READ)
_POTENTIAL = nu * (t - 1) ** 2 / 4 * E(square(FAR))
_ADDED = SQUARE / nu - t * E(RISE)
_NEW = w(t) - 2 / (nu * t) * UPDATE - best
FIVE = (
    proof("osmd/five", of="osmd/C-5@corrected", bound=formula.FIVE_CORRECTED, reading=_READ, unused=("c1",))
    .under(*SETTING, *_POSITIVE)
    .step("1.1", eq(square(w(t + 1) - best), square(_NEW), ROUNDS), by.linear(step=w(t + 1) - best + _NEW))
    .step("1.2", by.expectation("1.1"))
    .step("1.3", by.apply(UNBIASED, {**_IN_ROUND, u: FAR}), note="draws are unbiased")
    .step("1",
        eq(E(square(w(t + 1) - best)), E(square(FAR)) - 4 / (nu * t) * E(Dot(J, FAR)) + 4 / (nu * t) ** 2 * SQUARE,
            ROUNDS), by.linear("1.2", "1.3"))
    .step("2.1", le(RISE + nu / 2 * square(FAR), Dot(Grad(F, w(t)), FAR), ROUNDS),
        by.linear((1, Axiom("convex", F, best, w(t))), "class"), note="strong convexity")
    .step("2.2", eq(Dot(J, FAR), Dot(Grad(F, w(t)), FAR), ROUNDS), by.linear(gradient=FAR))
    .step("2.3", le(RISE + nu / 2 * square(FAR), Dot(J, FAR), ROUNDS), by.linear("2.1", "2.2"))
    .step("2", le(E(RISE) + nu / 2 * E(square(FAR)), E(Dot(J, FAR)), ROUNDS), by.expectation("2.3"))
    .step("far 1", le(0, square(FAR), ROUNDS), by.apply(SIGN, {x: FAR}))
    .step("far", by.expectation("far 1"))
    .step("3", le(nu * t**2 / 4 * E(square(w(t + 1) - best)), _POTENTIAL + _ADDED, ROUNDS), by.linear("1", "2", "far"),
        note="t (t - 2) = (t - 1)^2 - 1")
    .step("4", by.apply(TELESCOPE, {d(t): _POTENTIAL, s(t): _ADDED, N: T}), note="all rounds")
    .step("last 1", le(0, square(w(T + 1) - best)), by.apply(SIGN, {x: w(T + 1) - best}))
    .step("last", by.expectation("last 1"))
    .step("5", le(Total(t * E(RISE), t, 1, T), Total(SQUARE, t, 1, T) / nu), by.linear("4", "last"))
    .step("6.1", by.apply(SECOND, _IN_ROUND), note="(3): the second moment, not the variance")
    .step("6", eq(Total(SQUARE, t, 1, T), Total(LOSS, t, 1, T) + (1 - 1 / K) * Total(ENERGY, t, 1, T)),
        by.sum_over(t, "6.1"))
    .step("7.0", le(0, square(w(t) - average), ROUNDS), by.apply(SIGN, {x: w(t) - average}))
    .step("7.1", le(Val(F, average) + Dot(Grad(F, average), w(t) - average), Val(F, w(t)), ROUNDS),
        by.linear("class", {"7.0": nu / 2}, (1, Axiom("convex", F, w(t), average))), note="Jensen's inequality")
    .step("7.2", by.sum_over(t, "7.1", weight=t))
    .step("7.3", eq(average, 2 * Total(t * w(t), t, 1, T) / (T * (T + 1))), by.linear(), inserting="average")
    .step("7.4", le(T * (T + 1) / 2 * Val(F, average), Total(t * Val(F, w(t)), t, 1, T)),
        by.linear({"7.2": 1, "7.3": T * (T + 1) / 2 * Grad(F, average)}))
    .step("7", le(T * (T + 1) / 2 * E(Val(F, average)), E(Total(t * Val(F, w(t)), t, 1, T))), by.expectation("7.4"))
    .qed(_FIVE, by.linear("5", "6", "7"))
)

# In the paper's own terms: K times the printed quantity ---------------------------------------------------------------

_LOSSES, _ENERGIES = Total(LOSS, t, 1, T), Total(ENERGY, t, 1, T)
SMALLER = (
    proof("osmd/five-energy", formula.FIVE.source.place,
        note="|J|^2 is at most K times the sampling loss, as no variance is negative")
    .under(*LAW)
    .step("1", by.apply(VARIANCE, _IN_ROUND), note="(3): the variance of the estimator")
    .step("2", by.apply(SIGN, {x: UPDATE - J}), over=ROUNDS)
    .qed(le(ENERGY, K * LOSS, ROUNDS), by.linear("1", by.expectation("2")))
)
_LAWS = tuple(h.id for h in LAW)
FACTOR = (
    proof("osmd/five-factor", of="osmd/C-5-two-long@corrected", bound=formula.FIVE_FACTOR, reading=_READ)
    .under(*SETTING, *_POSITIVE)
    .step("1", by.apply(FIVE), inserting="average")
    .step("2.1", by.apply(SMALLER))
    .step("2", le(_ENERGIES, K * _LOSSES), by.sum_over(t, "2.1"))
    .step("3", le(0, (K - 1) / K), by.linear())
    .qed(statement_of(formula.FIVE_FACTOR, _FIVE.left, _READ)[0], by.linear("1", "2", "3"))
)

# The printed (5): true for one draw and for two of them in one round, false for two in more rounds and for three ---------------

_ALONE = find("osmd/C-5-one@printed").bounds[0]
_PRINTED_ONE, _FEW = statement_of(_ALONE, _FIVE.left, _READ)
ONE = (
    proof("osmd/five-one", formula.FIVE.source.place, of="osmd/C-5-one@printed", bound=_ALONE, reading=_READ,
        note="one draw a round")
    .under(*SETTING, *_FEW)
    .step("1", by.apply(FACTOR), inserting="average")
    .step("2.1", le(0, square(J), ROUNDS), by.apply(SIGN, {x: J}))
    .step("2.2", by.expectation("2.1"))
    .step("2.3", by.apply(SMALLER))
    .step("2.4", le(0, LOSS, ROUNDS), by.linear("2.2", "2.3"))
    .qed(_PRINTED_ONE, by.linear("1", by.sum_over(t, "2.4"), "c2"))
)
_ONCE = {T: Integer(1)}


def once(entry):
    """Return a hypothesis for a single round."""
    if isinstance(entry, Given):
        return Given(entry.id, entry.relation.at(_ONCE), entry.why)
    return (
        Defines(entry.id, entry.left, substitute(entry.right, _ONCE), entry.why)
        if isinstance(entry, Defines)
        else entry
    )


_SINGLE = tuple(once(h) for h in SETTING if h.id in ("class", "average", "gradient", *_LAWS))
_SHORT = find("osmd/C-5-two@printed").bounds[0]
_READ_ONCE = {**{key: substitute(value, _ONCE) for key, value in _READ.items()}, T: Integer(1)}
_PRINTED_TWO, _PAIR = statement_of(_SHORT, _FIVE.left, _READ_ONCE)
_STEEP = Grad(F, average)
_FIRST = {t: Integer(1)}
_START, _PULL = substitute(J, _FIRST), substitute(LOSS, _FIRST)
TWO = (
    proof("osmd/five-two", formula.FIVE.source.place, of="osmd/C-5-two@printed", bound=_SHORT, reading=_READ_ONCE,
        unused=("c1", "c3"), note="at most two draws, a single round")
    .under(*_SINGLE, *_PAIR)
    .step("1.1", le(0, square(_STEEP - nu * (average - best))), by.apply(SIGN, {x: _STEEP - nu * (average - best)}))
    .step("1.2", le(Val(F, average) - Val(F, best), square(_STEEP) / (2 * nu)),
        by.linear("class", {"1.1": 1 / (2 * nu)}, (1, Axiom("convex", F, best, average))),
        note="F - F* <= |grad F|^2/(2 nu)")
    .step("1", le(E(Val(F, average)) - E(Val(F, best)), E(square(_STEEP)) / (2 * nu)), by.expectation("1.2"))
    .step("2.1", by.instance(_FIRST, "gradient"))
    .step("2.2", eq(square(_START), square(Grad(F, w(1)))), by.linear({"2.1": _START + Grad(F, w(1))}))
    .step("2.3", eq(square(_STEEP), square(Grad(F, w(1)))), by.linear(), inserting="average",
        note="the average is the start")
    .step("2.4", eq(square(_STEEP), square(_START)), by.linear("2.2", "2.3"))
    .step("2", by.expectation("2.4"))
    .step("3.1", by.apply(SMALLER, _ONCE))
    .step("3", by.instance(_FIRST, "3.1"))
    .step("4.1", le(0, square(_START)), by.apply(SIGN, {x: _START}))
    .step("4.2", by.expectation("4.1"))
    .step("4", le(0, _PULL), by.linear("3", "4.2"))
    .qed(_PRINTED_TWO, by.linear("1", "2", "3", "4", "c2"))
)
_LONG = find("osmd/C-5-two-long@printed").bounds[0]
_PRINTED_LONG, _MORE = statement_of(_LONG, _FIVE.left, _READ)
LONG = (
    proof("osmd/five-two-long", formula.FIVE.source.place, of="osmd/C-5-two-long@printed", bound=_LONG, reading=_READ,
        recorded="REFUTED", unused=tuple(h.id for h in _MORE),
        note="one client on the line whose slope is w, 101 w on [0, 1/10], w + 10 beyond")
    .under(*_MORE)
    .qed(_PRINTED_LONG, by.stored_counterexample("osmd/C-5-two-long@printed"))
)
# F = nu w^2/2 + s |w|: n rounds at the corner, the minimiser, the last with the slope s; the slope at w_{n+1} is -s + nu w_{n+1}.
_n, _s = Symbol("n", integer=True, positive=True), Symbol("s", positive=True)
_last = -2 * _s / (nu * _n)
_mean = 2 * _last / (_n + 2)
_GAP, _PULLS = nu * _mean**2 / 2 - _s * _mean, (_s**2 + (nu * _last - _s) ** 2) / K
CORNER = proof(
    "osmd/five-corner",
    formula.FIVE.source.place,
    note="T = n + 1 rounds, a corner left in the last but one: no factor is possible below K T/(T + 1), none below K for all T",
).qed(eq(_GAP, K * (_n + 1) / (_n + 2) * (2 / (nu * (_n + 1) * (_n + 2)) * _PULLS)), by.linear())
_point = Symbol("x", real=True)
_LEFT = nu * _point**2 / 2
_AT_ONE = {notation.nu: nu, T: Integer(1), Lbar: (nu * _point) ** 2 / K}
_PRINTED, _ALSO = statement_of(formula.FIVE, _LEFT, _AT_ONE)
PRINTED = (
    proof("osmd/five-printed", of="osmd/C-5@printed", bound=formula.FIVE, reading=_AT_ONE, recorded="REFUTED",
        note="one client with F = nu/2 w^2, one round from w = x: the value at x against the printed bound, l_1 = (nu x)^2/K")
    .under(*_ALSO)
    .qed(_PRINTED, by.counterexample({nu: 1, _point: 1, K: 3}, "c1"), note="1/2 against 1/3")
)
ALWAYS = (
    proof("osmd/five-three", formula.FIVE.source.place, note="it is false there for every K >= 3")
    .given("many", le(3, K), "three draws or more")
    .given("away", lt(0, _point**2), "a start that is not the minimiser")
    .step("1", lt(0, nu * _point**2 * (3 - 2) / (2 * K)), by.linear(away=nu / (2 * K)))
    .qed(lt(_PRINTED.right, _LEFT), by.linear({"1": 1, "many": nu * _point**2 / (2 * K)}))
)

THEOREMS = (FIVE, SMALLER, FACTOR, ONE, TWO, LONG, CORNER, PRINTED, ALWAYS)
