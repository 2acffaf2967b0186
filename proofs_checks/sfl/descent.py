"""One round of sequential clients with a server step, non-convex case, all clients taking part: U9 and U10.

The letters are those of ``sfl_round``. The next model is ``x - theta sum g``: theta is eta gamma for sequential and
eta gamma / M for parallel clients, so that both rounds are one theorem.
"""

from __future__ import annotations

from sympy import Rational, Symbol, sqrt

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import A, G, K, L, M, S, beta, eta, gamma, sigma, zeta
from fltheory.proof.language import (
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Instance,
    Member,
    Polynomial,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, E, Grad, Scalar, Total, Val, Vector, family, square, substitute
from proofs_checks.sfl import draws as sfl_draws
from proofs_checks.sfl.drift import full
from proofs_checks.sfl.round import (
    AT,
    DRIFT,
    GRADIENT,
    LOCAL,
    PAST,
    STEP,
    STEPS,
    VARIANCE,
    B,
    F,
    a,
    after,
    client,
    drift_part,
    g,
    k,
    l,
    n,
    per_step,
    so_far,
    x,
    xi,
    y,
)

theta = Symbol("theta", positive=True)
low = family(Scalar, "F*")()
SLOPE = Total(Grad(F(a), x), a, 1, M) / M  # the gradient of the global objective at the round's start
G2 = E(square(SLOPE))


def own_part(p, q=0):
    """How the client's gradient differs from the global one at the round's start."""
    return Grad(client(p), x) - SLOPE


def slope_part(p, q=0):
    """The global gradient at the round's start."""
    return SLOPE


def every(term):
    """The relation, hypothesis or term for full participation."""
    return term.at({S: M}) if hasattr(term, "at") else substitute(term, {S: M})


CLASS = Member("class", F(a), L, None, "Assumption 1: every client is smooth")
START = Given(
    "start",
    eq(E(Dot(SLOPE, xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased, here against the global gradient at the round's start",
)
V = Total(E(square(Grad(F(a), x) - SLOPE)), a, 1, M) / M
UNIFORM = Given("uniform", le(V, beta**2 * G2 + zeta**2), "Assumption 4, in mean over the round's start")
_DRAWS = {h.id: h for h in sfl_draws.given(lambda p: Grad(F(p), x) - SLOPE, V)}
ONE, TWO = _DRAWS["one"], _DRAWS["two"]
READING = {G: sqrt(G2), A: E(Total(Val(F(a), x), a, 1, M) / M - low)}
NEW_GAP = E(Total(Val(F(a), after), a, 1, M) / M - low)

# Squared sums of stochastic gradients -------------------------------------------------------------------------------

_PARTS = (xi, drift_part, slope_part, own_part)
_FOUR_VECTORS = tuple(family(Vector, name)() for name in "abcd")
_SPLIT = le(square(so_far(g)), 4 * sum(square(so_far(part)) for part in _PARTS), *AT)
BLOCK = E(square(so_far(own_part)))
SQUARED_SUM = le(E(square(so_far(g))), 4 * (B * sigma**2 + L**2 * B * DRIFT + B**2 * G2 + BLOCK), *AT)
_KEPT = tuple(
    s for s in STEPS.steps if s.id.split()[0] in ("noise", "drift", "moved", "whole")
)  # smoothness is all that these need
STEPS_NC = Theorem(
    "sfl/steps-nc",
    SQUARED_SUM,
    (CLASS, GRADIENT, VARIANCE, PAST),
    (
        Step(
            "split",
            _SPLIT,
            Apply("sfl/four", dict(zip(_FOUR_VECTORS, map(so_far, _PARTS), strict=True))),
            (),
            ("gradient",),
            note="noise, drift, the global gradient and the rest of the client's own",
        ),
        Step("split in mean", le(E(_SPLIT.left), E(_SPLIT.right), *AT), Expected(), ("split",)),
        *_KEPT,
        Step(
            "sum",
            SQUARED_SUM,
            Combine({"split in mean": 1, "noise": 4, "drift": 4}),
            ("split in mean", "noise", "drift"),
        ),
    ),
    place="Appendix E.2",
    note="the squared sum of the stochastic gradients before a step",
)

# U9: one round ------------------------------------------------------------------------------------------------------

FAR = every(DRIFT)
_MOVED = every(per_step(square(y(n, k) - x)))
_TAKEN = every(per_step(g(n, k)))
_EXACT = every(per_step(Grad(client(n), y(n, k))))
_CHANGE = every(per_step(drift_part(n, k)))
_SQUARED = every(SQUARED_SUM)
AFTER = Defines("after", after, x - theta * _TAKEN, "the server's step")
CAP = Given("cap", le(theta * M * K, 1 / (6 * L)), "the step is small")
_DESCENT = le(
    NEW_GAP - Rational(5, 6) * theta * L**2 * FAR,
    READING[A] - theta * M * K * G2 / 6 + 2 * L * theta**2 * M * K * sigma**2,
)
_BELOW = Val(F(a), x) + Dot(Grad(F(a), x), after - x) + L / 2 * square(after - x)
_MEAN = Total(_BELOW, a, 1, M) / M - low
_LEMMA = ("class", "variance", "unbiased")


def nonnegative(vector):
    """A squared sum is not negative."""
    ones = {Symbol(s, integer=True, nonnegative=True): 1 for s in "pq"}
    return Apply("sfl/squares", {family(Vector, "v")(n, k): vector, **ones})


SIGNS = (
    Step("steep 1", le(0, square(SLOPE)), nonnegative(SLOPE)),
    Step("steep", le(0, G2), Expected(), ("steep 1",), note="a mean square is not negative"),
    Step("far 1", every(le(0, square(y(n, k) - x), *STEP)), Gram()),
    Step("far 2", every(le(0, E(square(y(n, k) - x)), *STEP)), Expected(), ("far 1",)),
    Step("far", le(0, FAR), Summed((k, n)), ("far 2",), note="nor is the drift"),
)
ROUND = Theorem(
    "sfl/round-nc",
    _DESCENT,
    (*full((CLASS, GRADIENT, VARIANCE, PAST, START)), AFTER, CAP),
    (
        Step(
            "1.1",
            le(Val(F(a), after), _BELOW, (a, 1, M)),
            Combine(axioms=((1, Axiom("descent", F(a), after, x)),)),
            ("class",),
            note="the descent lemma for each client",
        ),
        Step(
            "1.2",
            le(Total(Val(F(a), after), a, 1, M) / M, Total(_BELOW, a, 1, M) / M),
            Summed((a,), 1 / M),
            ("1.1",),
            note="and so for their mean",
        ),
        Step("1.3", le(Total(Val(F(a), after), a, 1, M) / M - low, _MEAN), Combine({"1.2": 1}), ("1.2",)),
        Step("1", le(NEW_GAP, E(_MEAN)), Expected(), ("1.3",)),
        Step(
            "2.1",
            le(square(_CHANGE), M * K * every(per_step(square(drift_part(n, k))))),
            Apply(
                "sfl/jensen",
                {
                    family(Vector, "v")(n, k): drift_part(n, k),
                    family(Vector, "w")(l): drift_part(l, 0),
                    **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", M), ("q", K), ("r", 0))},
                },
            ),
            note="Jensen's inequality",
        ),
        Step(
            "2.2",
            every(le(square(drift_part(n, k)), L**2 * square(y(n, k) - x), *STEP)),
            Combine(axioms=((1, Axiom("lipschitz", client(n), y(n, k), x)),)),
            ("class",),
            note="smoothness",
        ),
        Step("2.3", le(every(per_step(square(drift_part(n, k)))), L**2 * _MOVED), Summed((k, n)), ("2.2",)),
        Step("2.4", le(0, square(_EXACT)), nonnegative(_EXACT)),
        Step(
            "2.5",
            le(-Dot(SLOPE, _EXACT), L**2 / 2 * _MOVED - M * K / 2 * square(SLOPE)),
            Combine({"2.1": 1 / (2 * M * K), "2.3": Rational(1, 2), "2.4": 1 / (2 * M * K)}),
            ("2.1", "2.3", "2.4"),
            note="-<a, b> = (|a - b|^2 - |a|^2 - |b|^2)/2, where a is M K times the global gradient: all clients take part",
        ),
        Step("2.6", le(E(-Dot(SLOPE, _EXACT)), L**2 / 2 * FAR - M * K / 2 * G2), Expected(), ("2.5",)),
        Step(
            "2.7",
            eq(E(Dot(SLOPE, every(per_step(xi(n, k))))), 0),
            Summed((k, n)),
            ("start",),
            note="the noise drops out",
        ),
        Step(
            "2",
            le(-E(Dot(SLOPE, _TAKEN)), L**2 / 2 * FAR - M * K / 2 * G2),
            Combine({"2.6": 1, "2.7": -1}),
            ("2.6", "2.7"),
            ("gradient",),
        ),
        Step(
            "3.1", _SQUARED, Apply("sfl/steps-nc", {S: M}), _LEMMA, ("gradient",), note="the squared sum of gradients"
        ),
        Step(
            "3",
            le(E(square(_TAKEN)), 4 * (M * K * sigma**2 + L**2 * M * K * FAR + (M * K) ** 2 * G2)),
            Instance({n: M - 1, k: K}),
            ("3.1",),
            note="the whole round: the clients' own parts add up to 0",
        ),
        *SIGNS,
        Step(
            "cap 1",
            le(2 * L * theta**2 * (M * K) ** 2 * G2, theta * M * K * G2 / 3),
            Combine({"cap": 2 * L * theta * M * K * G2}),
            ("cap", "steep"),
        ),
        Step(
            "cap 2",
            le(2 * L**3 * theta**2 * M * K * FAR, theta * L**2 * FAR / 3),
            Combine({"cap": 2 * L**3 * theta * FAR}),
            ("cap", "far"),
        ),
        Step(
            "4",
            eq(E(_MEAN), READING[A] - theta * E(Dot(SLOPE, _TAKEN)) + L * theta**2 / 2 * E(square(_TAKEN))),
            Combine(),
            (),
            ("after",),
            note="the server's step inserted",
        ),
        Step(
            "5",
            _DESCENT,
            Combine({"1": 1, "4": 1, "2": theta, "3": L * theta**2 / 2, "cap 1": 1, "cap 2": 1}),
            ("1", "4", "2", "3", "cap 1", "cap 2"),
            note="-1/2 + 2/6 = -1/6 and 1/2 + 2/6 = 5/6",
        ),
    ),
    place="Appendix E.2",
    note="one round with a server step",
)

# U10: the drift of sequential clients -------------------------------------------------------------------------------

_SUM_B, _SUM_B2 = M * K * (M * K - 1) / 2, M * K * (M * K - 1) * (2 * M * K - 1) / 6
_SUM_BLOCK = K**3 * M * (M - 1) / 2 + M * K * (K - 1) * (2 * K - 1) / 6
_NINE_FOURTHS, _THREE_HALVES = Rational(9, 4), Rational(3, 2)
_BOUND = le(
    FAR,
    M**2 * K**2 * eta**2 * (_NINE_FOURTHS * sigma**2 + _NINE_FOURTHS * K * zeta**2)
    + (_NINE_FOURTHS * beta**2 / M + _THREE_HALVES) * M**3 * K**3 * eta**2 * G2,
)
_ONCE = Given("cap", le(eta * M * K, 1 / (6 * L)), "the step is small")
OWN = (
    Step("own 0", le(0, square(Grad(F(a), x) - SLOPE), (a, 1, M)), nonnegative(Grad(F(a), x) - SLOPE)),
    Step("own 1", le(0, E(square(Grad(F(a), x) - SLOPE)), (a, 1, M)), Expected(), ("own 0",)),
    Step("own", le(0, V), Summed((a,), 1 / M), ("own 1",), note="heterogeneity is not negative"),
)
DRIFT_OF = Theorem(
    "sfl/drift-nc",
    _BOUND,
    (*full((CLASS, GRADIENT, VARIANCE, PAST, LOCAL, ONE, TWO)), UNIFORM, _ONCE),
    (
        Step("1", _SQUARED, Apply("sfl/steps-nc", {S: M}), _LEMMA, ("gradient",), note="the squared sum of gradients"),
        *OWN,
        Step(
            "2",
            le(every(BLOCK), (K**2 * n + k**2) * V, *every(le(0, 1, *STEP)).over),
            Apply("sfl/block", {sfl_draws.X(a): Grad(F(a), x) - SLOPE, sfl_draws.V: V}),
            ("one", "two", "own"),
            note="draws without replacement",
        ),
        Step(
            "move",
            every(eq(square(y(n, k) - x), eta**2 * square(so_far(g)), *STEP)),
            Combine({"local": y(n, k) - x - eta * so_far(g)}),
            ("local",),
            note="the local steps",
        ),
        Step("moved", every(eq(E(square(y(n, k) - x)), eta**2 * E(square(so_far(g))), *STEP)), Expected(), ("move",)),
        Step(
            "3",
            every(
                le(
                    E(square(y(n, k) - x)),
                    4 * eta**2 * (B * sigma**2 + L**2 * B * DRIFT + B**2 * G2 + (K**2 * n + k**2) * V),
                    *STEP,
                )
            ),
            Combine({"moved": 1, "1": eta**2, "2": 4 * eta**2}),
            ("moved", "1", "2"),
        ),
        Step(
            "4",
            le(FAR, 4 * eta**2 * (_SUM_B * (sigma**2 + L**2 * FAR) + _SUM_B2 * G2 + _SUM_BLOCK * V)),
            Summed((k, n)),
            ("3",),
            note="sums of powers of n and k",
        ),
        *SIGNS,
        Step("B", le(_SUM_B, M**2 * K**2 / 2), Combine(), note="the sum of B"),
        Step("B2 1", le((M * K - 1) * (2 * M * K - 1), 2 * M**2 * K**2), Polynomial()),
        Step("B2", le(_SUM_B2, M**3 * K**3 / 3), Combine({"B2 1": M * K / 6}), ("B2 1",), note="the sum of B^2"),
        Step("blocks 1", le(K**2 * (M - 1) / 2 + (K - 1) * (2 * K - 1) / 6, M * K**2 / 2), Polynomial()),
        Step("blocks", le(_SUM_BLOCK, M**2 * K**3 / 2), Combine({"blocks 1": M * K}), ("blocks 1",)),
        Step("cap 1", le(L * eta * M * K, Rational(1, 6)), Combine({"cap": L}), ("cap",)),
        Step("cap 0", le(0, L * eta * M * K), Combine()),
        Step("cap 2", le((L * eta * M * K) ** 2, Rational(1, 36)), Power(2), ("cap 0", "cap 1")),
        Step("B drift", le(_SUM_B * FAR, M**2 * K**2 / 2 * FAR), Combine({"B": FAR}), ("B", "far")),
        Step("B2 steep", le(_SUM_B2 * G2, M**3 * K**3 / 3 * G2), Combine({"B2": G2}), ("B2", "steep")),
        Step("blocks own", le(_SUM_BLOCK * V, M**2 * K**3 / 2 * V), Combine({"blocks": V}), ("blocks", "own")),
        Step("cap drift", le((L * eta * M * K) ** 2 * FAR, FAR / 36), Combine({"cap 2": FAR}), ("cap 2", "far")),
        Step(
            "5",
            le(
                Rational(17, 18) * FAR,
                4 * eta**2 * (M**2 * K**2 / 2 * sigma**2 + M**3 * K**3 / 3 * G2 + M**2 * K**3 / 2 * V),
            ),
            Combine(
                {
                    "4": 1,
                    "B": 4 * eta**2 * sigma**2,
                    "B drift": 4 * eta**2 * L**2,
                    "B2 steep": 4 * eta**2,
                    "blocks own": 4 * eta**2,
                    "cap drift": 2,
                }
            ),
            ("4", "B", "B drift", "B2 steep", "blocks own", "cap drift"),
            note="1 - 4/2/36 = 17/18",
        ),
        Step(
            "6",
            le(
                FAR,
                eta**2
                * M**2
                * K**2
                * (Rational(36, 17) * (sigma**2 + K * (beta**2 * G2 + zeta**2)) + Rational(24, 17) * M * K * G2),
            ),
            Combine({"5": Rational(18, 17), "uniform": Rational(36, 17) * eta**2 * M**2 * K**3}),
            ("5", "uniform"),
        ),
        Step(
            "7",
            _BOUND,
            Combine({"6": 1, "steep": eta**2 * M**2 * K**3 * (Rational(9, 68) * beta**2 + Rational(3, 34) * M)}),
            ("6", "steep"),
            note="36/17 <= 9/4 and (4/3)(18/17) <= 3/2",
        ),
    ),
    place="Appendix E.2",
    note="the drift of sequential clients",
)

# The catalogue's statements -------------------------------------------------------------------------------------------


def catalogued(name, claim, bound, quantity, theorem, at=(), unused=(), first=(), instead=()):
    """The catalogue's bound from a theorem read with ``at``, whose hypotheses the steps ``first`` may prove ``instead``."""
    statement, conditions = stated(bound, quantity, READING)
    hypotheses = []
    for h in theorem.hypotheses:
        if isinstance(h, Defines):
            hypotheses.append(Defines(h.id, h.left, substitute(h.right, dict(at)), h.why))
        elif h.id not in ("cap", "c1", *(s.id for s in first)):
            hypotheses.append(h)
    kept = (*hypotheses, *conditions, *first)
    used = tuple(h.id for h in kept if not isinstance(h, Defines) and h.id not in unused)
    inserted = tuple(h.id for h in reversed(hypotheses) if isinstance(h, Defines))
    return Theorem(
        name,
        statement,
        (*hypotheses, *instead, *conditions),
        (
            *first,
            Step("1", theorem.statement.at(dict(at)), Apply(theorem.id, at), used, inserted, note=theorem.note),
            Step("2", statement, Combine({"1": 1}), ("1",), note="in the letters of the bound"),
        ),
        claim=claim,
        place=bound.source.place,
        bound=bound,
        reading=READING,
        unused=unused,
    )


U9 = catalogued(
    "sfl/U9", "sfl/U9@printed", formula.U9, NEW_GAP - formula.U9_DRIFT * FAR, ROUND, ((theta, eta * gamma),), ("c2",)
)
U10 = catalogued("sfl/U10", "sfl/U10@explicit", formula.U10, FAR, DRIFT_OF)

THEOREMS = (STEPS_NC, ROUND, DRIFT_OF, U9, U10)
