"""More lemmas as their claims state them: Lemmas 2 to 4, (13), (33) to (37), as quotients; FedSGD; released code."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.convex.proofs import lemma4, lyapunov, strengthened
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import MOVES, F, f, gap, new, x0, x1
from fltheory.papers.delta_sgd.convex.proofs.quotients import RULES
from fltheory.papers.delta_sgd.convex.proofs.theorem5.synchronous import BY_SUM, EVERYONE, GLOBAL, SERVER
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import AVERAGE, BEGIN, GROWTH, SUM, centre, eta, n, x
from fltheory.papers.delta_sgd.notation import L, L_hat, S, T, delta, eta_0, gamma
from fltheory.papers.delta_sgd.smoothness.proofs import smooth
from fltheory.papers.delta_sgd.smoothness.proofs.facts import i, mean
from fltheory.proof import Axiom, Defines, Given, Member, Relation, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.papers.quotients import quotient_theorem
from fltheory.proof.terms import Dot, Grad, Val, square
from fltheory.verification import find

WAY = smooth.y - smooth.x
SLOPE, TURN = Dot(Grad(smooth.h, smooth.x), WAY), Grad(smooth.h, smooth.y) - Grad(smooth.h, smooth.x)


def names(theorem: Theorem) -> tuple[str, ...]:
    """Return the hypotheses of a theorem, without definitions."""
    return tuple(h.id for h in theorem.hypotheses if not isinstance(h, Defines))


def reread(line: Relation, values: Mapping[Expr, Expr]) -> Relation:
    """Return a relation with families replaced."""
    return substitute_relation(line, list(values.items()))


# Lemma 2 and (13) -----------------------------------------------------------------------------------------------------

TWICE = (
    proof("delta_sgd/L2-twice", "Lemma 2, (9)", note="times 2, on one side").under(*smooth.LEMMA2.hypotheses)
    .step("9", by.apply(smooth.LEMMA2))
    .qed(le(2 * (Val(smooth.h, smooth.y) - Val(smooth.h, smooth.x) - SLOPE), L * square(WAY)), by.linear("9"),
        name="twice")
)
INNER = (
    proof("delta_sgd/L2-whole", "proof of Lemma 2", note="along the whole segment").under(smooth.SMOOTH)
    .step("part", by.apply(smooth.INNER, {smooth.part: Integer(1)}))
    .qed(le(Dot(TURN, WAY), L * square(WAY)), by.linear("part"))
)
LIPSCHITZ = (
    proof("delta_sgd/L2-Lipschitz", "Lemma 2, (10)", note="what L is").under(smooth.SMOOTH)
    .qed(le(square(TURN), L**2 * square(WAY)),
        by.linear((1, Axiom("lipschitz", smooth.h, smooth.y, smooth.x)), "class"))
)
_RISE = (
    mean(Val(smooth.F(i), smooth.y)) - mean(Val(smooth.F(i), smooth.x)) - Dot(mean(Grad(smooth.F(i), smooth.x)), WAY)
)
_12B = smooth.DESCENT
DESCENT = (
    proof("delta_sgd/L3-12b-twice", "after (12)", note="times 2, on one side").under(*_12B.hypotheses)
    .step("12b", by.apply(_12B))
    .qed(le(2 * _RISE, L * square(WAY)), by.linear("12b"))
)
BEND = (
    proof("delta_sgd/13-move", "(13)", note="along the move of the server, wherever it leads: y is the next iterate")
    .under(*_12B.hypotheses)
    .step("12b", by.apply(_12B))
    .qed(le(_RISE, L / 2 * square(WAY)), by.linear("12b"))
)

# Lemma 4 ------------------------------------------------------------------------------------------------------------------

WEIGHT = (
    proof("delta_sgd/L4-weighed", "Lemma 4", note="(31) for one client with the least weight that fits, as a letter")
    .under(lyapunov.CONVEX, *MOVES, lyapunov.ENTRY, strengthened.AMPLE)
    .given("weight", eq(strengthened.later * (4 - gamma**2), gamma**2),
        "b is gamma^2/(4 - gamma^2), the weight of both moves")
    .step("most", le(strengthened.later, 1), by.linear("weight", "c1"))
    .step("fits", strengthened.FITS.relation, by.linear("weight"))
    .qed(strengthened.BALANCED.statement, by.apply(strengthened.BALANCED))
)
_GAPS = mean(lemma4.now(i) * (Val(lemma4.objective(i), lemma4.x) - Val(lemma4.objective(i), lemma4.goal)))
_PULL = Dot(lemma4.x - lemma4.goal, mean(lemma4.now(i) * Grad(lemma4.objective(i), lemma4.x)))
_37 = lemma4.TOWARDS
TOWARDS = (
    proof("delta_sgd/37-turned", "(37)", note="both sides times -1: they are positive where the goal is better")
    .under(*_37.hypotheses)
    .step("37", by.apply(_37))
    .qed(le(2 * _GAPS, 2 * _PULL), by.linear("37"))
)
BEFORE, AFTER, SIZE = lemma4.x, lemma4.after, lemma4.new
STEPPED = Given("step", eq(AFTER, BEFORE - SIZE * Grad(f, BEFORE)), "a gradient step")
_MOVE = BEFORE - AFTER
AGAINST = (
    proof("delta_sgd/35-sides", "(35)", note="the move is the step times the gradient").under(STEPPED)
    .step("move", eq(SIZE * Grad(f, BEFORE), _MOVE), by.linear("step"))
    .qed(eq(Dot(-SIZE * Grad(f, BEFORE), _MOVE), -1 * square(_MOVE)), by.linear(move=-_MOVE))
)

_AT_SERVER = {lemma4.own(i): lemma4.x}
_SERVER = Given("server", reread(lemma4.SERVER.relation, _AT_SERVER),
    "reading B: the server takes the mean of the clients' steps")
EXPANDED = (
    proof("delta_sgd/33-shared", "(33)", note="of clients that share the server's iterate").under(_SERVER)
    .qed(reread(lemma4.EXPANDED.statement, _AT_SERVER), by.apply(lemma4.EXPANDED, _AT_SERVER))
)
_SHARED_PUSH = mean(lemma4.now(i) * Grad(lemma4.objective(i), BEFORE))
OWN_MOVES = (
    proof("delta_sgd/34-shared", "(34)", note="of clients that share the server's iterate").under(_SERVER)
    .step("push", eq(_SHARED_PUSH, BEFORE - AFTER), by.linear("server"))
    .step("once", eq(square(_SHARED_PUSH), Dot(BEFORE - AFTER, _SHARED_PUSH)), by.linear(push=_SHARED_PUSH))
    .step("twice", eq(Dot(BEFORE - AFTER, _SHARED_PUSH), square(BEFORE - AFTER)), by.linear(push=BEFORE - AFTER))
    .qed(eq(square(_SHARED_PUSH), square(mean(BEFORE - AFTER))), by.linear("once", "twice"))
)

# The code as released adds 1e-8 to a step ----------------------------------------------------------------------------------

FLOOR, STEEPEST, MORE = Rational(1, 10**8), Integer(7 * 10**6), Rational(7, 50)
ruled = Symbol("ruled", nonnegative=True)
_TURNED = square(Grad(f, x1) - Grad(f, x0))
CONVEX = Member("convex", f, L, Integer(0), "A3 and A2: the objective is convex and L-smooth")
RELEASED = (
    proof("delta_sgd/L4-floor", "Lemma 4, (31)",
        note="what is added to the step takes less than the room that amplifiers up to 2/sqrt(3) have")
    .under(CONVEX, *MOVES)
    .given("added", le(new, ruled + FLOOR), "as released: 1e-8 is added to the step of the rule")
    .given("entry", le(4 * ruled**2 * _TURNED, gamma**2 * square(x1 - x0)),
        "the first entry of (4), squared, of the step of the rule")
    .given("steep", le(L, STEEPEST), "L <= 7000000")
    .under(lyapunov.SMALL)
    .step("way", le(0, square(x1 - x0)), by.sos())
    .step("turn 0", le(0, _TURNED), by.sos())
    .step("turn", le(_TURNED, L**2 * square(x1 - x0)), by.linear((1, Axiom("lipschitz", f, x1, x0)), "convex"))
    .step("square", le(new**2, (ruled + FLOOR) ** 2), by.linear("added"))
    .step("apart", le(0, (MORE * ruled - FLOOR) ** 2), by.polynomial())
    .step("split", le(new**2, (1 + MORE) * ruled**2 + (1 + 1 / MORE) * FLOOR**2), by.linear("square", "apart"))
    .step("steeper", le(L**2, STEEPEST**2), by.linear("steep"))
    .step("own", le(4 * ruled**2 * _TURNED, square(x1 - x0)), by.linear("entry", "c1", "way"))
    .step("floor", le(4 * FLOOR**2 * _TURNED, MORE**2 * square(x1 - x0)),
        by.linear({"turn": 4 * FLOOR**2, "steeper": 4 * FLOOR**2 * square(x1 - x0)}, "way"))
    .step("times", le(4 * new**2 * _TURNED, 4 * ((1 + MORE) * ruled**2 + (1 + 1 / MORE) * FLOOR**2) * _TURNED),
        by.linear("split", "turn 0"))
    .step("whole", le(4 * new**2 * _TURNED, (1 + MORE) ** 2 * square(x1 - x0)), by.linear("times", "own", "floor"))
    .step("room", le(3 * (1 + MORE) ** 2, 4), by.linear())
    .qed(strengthened.WIDER.statement, by.apply(strengthened.WIDER, {gamma: 1 + MORE}), name="31")
)


# Theorem 5 for FedSGD --------------------------------------------------------------------------------------------------------

CLAIM = find("delta_sgd/T5-letter@corrected")
_RATE, _CONDITIONS = statement_of(CLAIM.bound, gap(centre))
_AT = {eta(n): eta_0, gamma: Integer(1), delta: Integer(1)}
_KEPT = {line.id: reread(line.relation, _AT) for line in (SERVER, EVERYONE, GROWTH, SUM, AVERAGE, BEGIN)}
LETTER = (
    proof("delta_sgd/T5-letter", "Theorem 5", of="delta_sgd/T5-letter@corrected", bound=CLAIM.bound,
        note="FedSGD with a step up to 1/(2 L): all steps and ratios are the same")
    .under(lyapunov.CONVEX, Member("each", F(i), L, Integer(0), "every client's objective is convex and L-smooth"))
    .given("server", _KEPT["server"], "FedSGD: the mean of the clients' steps of the size eta_0")
    .under(GLOBAL, *_CONDITIONS)
    .given("steps", eq(S, (T + 1) * eta_0), "(42) for equal steps")
    .given("average", _KEPT["average"], "the weighted average of the iterates: the weights of (42) for equal steps")
    .given("start", _KEPT["start"], "(41) for equal steps: the first ratio is 1")
    .step("room", le(4 * L**2 * eta_0**2, 1), by.linear("c1"))
    .step("way", le(0, square(x(n + 1) - x(n)), (n, 0, T - 1)), by.sos())
    .step("everyone", _KEPT["everyone"],
        by.linear((4 * eta_0**2, Axiom("lipschitz", F(i), x(n + 1), x(n))), "each", {"room": square(x(n + 1) - x(n))},
            "way"))
    .step("one", le(1, 1), by.linear())
    .step("growth", _KEPT["growth"], by.linear())
    .step("sum", _KEPT["sum S"], by.linear("steps"))
    .step("rate",
        by.apply(BY_SUM, _AT, "convex", "server", "global", "everyone", "one", "growth", "one", "sum", "average",
            "start"))
    .qed(_RATE, by.linear("rate"), inserting="steps")
)

THEOREMS = (
    TWICE,
    quotient_theorem(RULES, TWICE, "delta_sgd/L2@printed", L, reading={L_hat: L}),
    INNER,
    quotient_theorem(RULES, INNER, "delta_sgd/L2-inner@printed", L, reading={L_hat: L}),
    LIPSCHITZ,
    quotient_theorem(RULES, LIPSCHITZ, "delta_sgd/L2-10@printed", L**2, reading={L_hat: L}, apart=square(WAY)),
    DESCENT,
    quotient_theorem(RULES, DESCENT, "delta_sgd/L3-12b@printed", L, reading={L_hat: L}),
    BEND,
    quotient_theorem(RULES, BEND, "delta_sgd/13@printed", L / 2),
    WEIGHT,
    quotient_theorem(RULES, WEIGHT, "delta_sgd/L4-weight@strengthened"),
    EXPANDED,
    quotient_theorem(RULES, EXPANDED, "delta_sgd/33-B@printed"),
    OWN_MOVES,
    quotient_theorem(RULES, OWN_MOVES, "delta_sgd/34-B@printed"),
    TOWARDS,
    quotient_theorem(RULES, TOWARDS, "delta_sgd/37@printed"),
    AGAINST,
    quotient_theorem(RULES, AGAINST, "delta_sgd/35@corrected", -1),
    RELEASED,
    quotient_theorem(RULES, RELEASED, "delta_sgd/L4-released@corrected"),
    LETTER,
)
