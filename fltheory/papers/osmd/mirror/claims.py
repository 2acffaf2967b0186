"""The lemmas of Appendix C, the functionals (19), the steps of Proposition 13 and Theorem 6, the feedback's size."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb
from sympy import Eq, log

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity, requires, strengthened, strict
from fltheory.model.case import Case
from fltheory.model.schema import one_of, probability
from fltheory.number import Number, to_ball
from fltheory.papers.osmd import simplex
from fltheory.papers.osmd.algorithms.mirror import project_balls
from fltheory.papers.osmd.bounds import FLOORED, Q
from fltheory.papers.osmd.mirror.cases import Curved, FiniteVariable, Summands
from fltheory.papers.osmd.notation import B, G, K, L, M, alpha, distance, eta, mu, smaller
from fltheory.papers.osmd.notation import phi as charged
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.estimators import (
    Comparator,
    Gradients,
    Growth,
    Losses,
    Moved,
    OneStep,
    Pretrained,
    Projected,
    StepBeside,
    Triple,
)
from fltheory.papers.osmd.sampling.claims.estimators import LOSSES, POINTS
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED

BELOW_ONE = [alpha < 1]


def logarithm(value: Fraction) -> arb:
    """Return a ball that contains the logarithm; exactly 0 for 1."""
    return to_ball(value).log()


# (19): the part below the floor --------------------------------------------------------------------------------------

COMPARATORS = (
    Case(Comparator((1, 0, 0), "1/2")),
    Case(Comparator((6, 3, 1), "9/10")),
    Case(Comparator((1, 1), "1/3")),
    Case(Comparator((0, 1, 0, 5), "1/100")),
)
AT_ZERO = (Case(Comparator((3, 1, 2), 0)), Case(Comparator((1, 0), 0)))
ANY_FLOOR = Comparator.drawn(floor=probability)
flat = requires("the floor is 0", lambda one, c: "it is positive" if one.floor else None)
outside = requires("a comparator below the floor",
    lambda one, c: None if law.below_floor(one.q, one.floor) else "nothing lies below the floor")

omega = PAPER.lemma("C-19-omega", "Theorem 6 (19)", "ω(q, α)", lambda one, c: law.part_above_floor(one.q, one.floor),
    cases=COMPARATORS, family=ANY_FLOOR)

phi = PAPER.lemma("C-19-phi", "Theorem 6 (19)", "φ(q, α)", lambda one, c: law.loss_of_moving(one.q, one.floor),
    cases=COMPARATORS, family=ANY_FLOOR)

omega_at_zero = omega.restated("C-19-zero", "Appendix B.5", assumptions=[flat], family=Comparator.drawn(floor=one_of(0, "1/2")))
FUNCTIONALS = (
    *PAPER.lemma("C-19-psi", "Theorem 6 (19)", "ψ(q, α)", lambda one, c: law.below_floor(one.q, one.floor),
        cases=COMPARATORS, family=ANY_FLOOR).readings(
        printed("0 <= ψ <= α", 0 <= quantity, quantity <= alpha, given=[alpha <= 1]),
        strengthened("ψ <= α(1 - 1/M), attained where one client has all the mass", quantity <= alpha * (1 - 1 / M),
            given=[alpha <= 1])),
    omega.printed("0 <= ω <= 1, for α < 1", 0 <= quantity, quantity <= 1, given=BELOW_ONE),
    omega.strengthened("ω <= (M - 1)α/(M - α)", quantity <= (M - 1) * alpha / (M - alpha), given=BELOW_ONE),
    phi.printed("0 <= φ <= M/α, for α < 1", 0 <= quantity, quantity <= M / alpha, given=BELOW_ONE),
    phi.strengthened("φ <= α/(1 - α): it vanishes with α", quantity <= alpha / (1 - alpha), given=BELOW_ONE,
        place="text after Theorem 6"),
    omega_at_zero.printed("ω(q, 0) = 1", Eq(quantity, 1), counterexamples=AT_ZERO, remark="It is 0: nothing lies below 0."),
    omega_at_zero.corrected("ω(q, 0) = 0", Eq(quantity, 0), cases=AT_ZERO),
)

# Theorem 6: the point (53) -------------------------------------------------------------------------------------------


def point_error(one: Comparator, c: Constants) -> Fraction:
    point, floor = law.floored_point(one.q, one.floor), Fraction(one.floor) / len(one.q)
    return abs(sum(point, Fraction(0)) - 1) + sum((floor - v for v in point if v < floor), Fraction(0))


def move_over_psi(one: Comparator, c: Constants) -> Fraction:
    moved = sum((abs(v - w) for v, w in zip(law.floored_point(one.q, one.floor), one.q, strict=True)), Fraction(0))
    return moved / law.below_floor(one.q, one.floor)


MOVED = (
    Case(Moved((1, 0), (1, 0), "1/2", 2)),
    Case(Moved((1, 2, 3), (6, 3, 1), "9/10", 1)),
    Case(Moved((1, 0, 4), (1, 0, 20), "1/100", 3)),
    Case(Moved((0, 1), (1, 1), "1/3", 2)),
)

POINT = (
    PAPER.lemma("C-53", "(53)", "what q̃ misses of Σ q̃ = 1 and q̃ >= α/M", point_error, cases=COMPARATORS,
        family=ANY_FLOOR).printed("The point (53) lies in the floored simplex", Eq(quantity, 0), given=BELOW_ONE),
    PAPER.lemma("C-53-move", "(53)", "|q̃ - q|₁ / ψ", move_over_psi, cases=(*COMPARATORS[:2], COMPARATORS[3]),
        family=ANY_FLOOR, assumptions=[outside]).printed("|q̃ - q|₁ = 2ψ", Eq(quantity, 2), given=BELOW_ONE),
    *PAPER.lemma("C-56", "(56)", "l(q̃) - l(q)",
        lambda one, c: one.cost(law.floored_point(one.q, one.floor)) - one.cost(one.q), GRADIENT_SQUARED,
        cases=MOVED).readings(
        printed("(56), for each round: l(q̃) - l(q) <= φ l(q)/K", quantity <= charged / K, given=BELOW_ONE,
            counterexamples=MOVED[:1],
            remark="The factor 1/K is in l already: the line before the last has it, with Σ a/q for l."),
        corrected("(56) without its factor 1/K: l(q̃) - l(q) <= φ l(q)", quantity <= charged, given=BELOW_ONE,
            note="without 1/K"),
        strengthened("l(q̃) - l(q) <= min{φ l(q), (M/α)² a_max ψ/K}", quantity <= smaller, given=BELOW_ONE,
            note="by the distance too")),
)

# Proposition 13: (48), (50), (51) ------------------------------------------------------------------------------------

GROWTHS = (
    Case(Growth((1, 1), (3, 1), (1, 0), "1/2")),
    Case(Growth((1, 2, 3), (1000, 1, 2), (1, 5, 0), "9/10")),
    Case(Growth((1, 2, 3), (1, 1, 1), (1, 5, 0), "9/10")),
    Case(Growth((1, 0, 0, 4), (7, 1, 30, 1), (0, 1, 1, 1), "1/10")),
)
TRIPLES = (
    Case(Triple((0, 1), (1, 1), (1, 0), "1/2")),
    Case(Triple((0, 1), ("999/1000", "1/1000"), (1, 0), "1/1000000")),
    Case(Triple((1, 2, 3), (3, 1, 0), (0, 0, 1), "9/10")),
)
STEPS = (
    Case(OneStep((0, 1), (1, 0), (2, 0), "1/50", "1/2")),
    Case(OneStep((1, 1), (1, 0), (1, 0), "1/100", "9/10")),
    Case(OneStep((1, 2, 3), (5, 1, 2), (1, 0, 2), 10, "1/10")),
    Case(OneStep((1, 1), (1, 1), (1, 1), "1/100", "9/10")),
)
BESIDE = (
    Case(StepBeside((0, 1), (1, 0), (2, 0), (1, 0), (0, 1), "1/50")),
    Case(StepBeside((1, 2, 3), (5, 1, 2), (1, 0, 2), (3, 1, 0), (3, 1, 0), 10, "1/10")),
    Case(StepBeside((1, 1), (1, 1), (1, 1), (1, 3), (2, 1), "1/100", "9/10")),
)
SPREAD = log(M / alpha)
PROOF = "proof of Proposition 13"


def optimality(p: Sequence[Fraction], y: Sequence[Fraction], q: Sequence[Fraction]) -> Number:
    """<p - q, grad D(. | y) at p> for distributions p and q: the sum over the floored clients, up to a factor of y.

    If p is proportional to y the logarithm is exactly 0.
    """
    top = max(v / w for v, w in zip(y, p, strict=True))
    ratios = [w * top / v for v, w in zip(y, p, strict=True)]
    if all(r == 1 or v == w for r, v, w in zip(ratios, p, q, strict=True)):
        return 0
    return sum((to_ball(v - w) * logarithm(r) for r, v, w in zip(ratios, p, q, strict=True)), arb(0))


def divergence(q: Sequence[Fraction], p: Sequence[Fraction]) -> arb:
    """D(q | p)."""
    return sum((to_ball(v) * logarithm(v / w) for v, w in zip(q, p, strict=True) if v), arb(0))


def optimal_step(one: Growth, c: Constants) -> Number:
    y = [p * Fraction(r) for p, r in zip(one.p, one.growth, strict=True)]
    return optimality(law.project_exactly(y, one.floor), y, one.q)


def beyond_the_step(one: StepBeside, c: Constants) -> Number | arb:
    step, (q, after), rate = one.step, one.comparators, to_ball(one.rate)
    if not any(step.slopes) or one.floor == 1:  # no move: every divergence occurs twice
        return one.gain
    p, new = [to_ball(v) for v in step.p], _next(step)
    first = _divergence_in_balls(q, p) - _divergence_in_balls(after, new)
    second = _divergence_in_balls(after, new) - _divergence_in_balls(q, new)
    third = sum((w * (w / v).log() for v, w in zip(p, new, strict=True)), arb(0))
    fourth = sum((to_ball(s) * (w - v) for s, v, w in zip(step.slopes, p, new, strict=True)), arb(0))
    return to_ball(one.gain) - (first + second - third) / rate - fourth


def _divergence_in_balls(q: Sequence[Fraction], p: Sequence[arb]) -> arb:
    """D(q | p) for a p that is known in balls."""
    return sum((to_ball(v) * (to_ball(v) / w).log() for v, w in zip(q, p, strict=True) if v), arb(0))


def _next(step: OneStep) -> list[arb]:
    """Return the result of the mirror step, in balls."""
    top = max(step.slopes)
    gains = [to_ball(step.rate * (v - top)) for v in step.slopes]  # up to a shift, which does not affect the projection
    return project_balls([to_ball(v) * g.exp() for v, g in zip(step.p, gains, strict=True)], to_ball(step.floor))


def drift_of_comparator(one: Triple, c: Constants) -> arb:
    p, q, r = one.distributions
    return (divergence(r, p) - divergence(q, p)) / to_ball(sum(abs(v - w) for v, w in zip(q, r, strict=True)))


def progress(one: OneStep, c: Constants) -> arb:
    rate, p, slopes = to_ball(one.rate), [to_ball(v) for v in one.p], [to_ball(v) for v in one.slopes]
    new = _next(one)
    gained = sum((s * (w - v) for s, v, w in zip(slopes, p, new, strict=True)), arb(0))
    return gained - sum((w * (w / v).log() for v, w in zip(p, new, strict=True)), arb(0)) / rate


STEPWISE = (
    PAPER.lemma("C-48", f"{PROOF} (48)", "η<p' - q, ∇l̂> - <∇Φ(p) - ∇Φ(p'), p' - q>", optimal_step, cases=GROWTHS,
        family=Growth.drawn(least=2)).printed(
        "Optimality of the mirror step: η<p' - q, ∇l̂> <= <∇Φ(p) - ∇Φ(p'), p' - q>, q in the floored simplex",
        quantity <= 0),
    PAPER.lemma("C-49", f"{PROOF} (49)",
        "l̂(p; p) - l̂(q; p) less the right side: [D(q|p) - D(q'|p') + D(q'|p') - D(q|p') - D(p'|p)]/η + <∇l̂, p - p'>",
        beyond_the_step, GRADIENT_SQUARED, cases=BESIDE, family=StepBeside.drawn(least=2)).printed(
        "(49): l̂(p; p) - l̂(q; p) <= [D(q|p) - D(q'|p')]/η + [D(q'|p') - D(q|p')]/η - D(p'|p)/η + <∇l̂, p - p'>",
        quantity <= 0),
    *PAPER.lemma("C-50", f"{PROOF} (50)", "(D(q'|p) - D(q|p)) / |q' - q|₁", drift_of_comparator, cases=TRIPLES,
        family=Triple.drawn(least=2)).readings(
        printed("D(q'|p) - D(q|p) <= 2 log(M/α) |q' - q|₁ in the floored simplex", quantity <= 2 * SPREAD,
            given=FLOORED),
        strengthened("D(q'|p) - D(q|p) <= log(M/α) |q' - q|₁ in the floored simplex", quantity <= SPREAD,
            given=FLOORED)),
    *PAPER.lemma("C-51", f"{PROOF} (51)", "<∇l̂, p - p'> - D(p'|p)/η", progress, GRADIENT_SQUARED, cases=STEPS,
        family=OneStep.drawn(least=2)).readings(
        printed("<∇l̂, p - p'> - D(p'|p)/η <= ηQ²/2", quantity <= eta * Q**2 / 2, given=FLOORED),
        strengthened("<∇l̂, p - p'> - D(p'|p)/η <= ηQ²/8", quantity <= eta * Q**2 / 8, given=FLOORED,
            note="Hoeffding's lemma")),
    PAPER.lemma("C-Q", PROOF, "|∇l̂(p; p)|_∞", lambda one, c: max(one.slopes), GRADIENT_SQUARED, cases=STEPS,
        family=OneStep.drawn(least=2)).printed("|∇l̂(p; p)|_∞ <= Q = M³a/(Kα³) on the floored simplex", quantity <= Q,
        given=FLOORED),
)

# The size of the feedback ------------------------------------------------------------------------------------

GRADIENTS = (
    Case(Gradients(((3, 4), (3, 4)), 10)),
    Case(Gradients(((1,), (-2,), ("1/2",)), 3)),
    Case(Gradients((1,), 1)),
)

PRETRAINED = (
    Case(Pretrained((10, 1, 1), (0, 10, 10), (1, 1, 1), 0, "1/5", 12)),
    Case(Pretrained((4, 1, 1, 1), (0, 3, 4, 5), (1, 1, 1, 1), "1/2", "1/2", 6)),
)
ONE_CLIENT = (Case(Pretrained((3,), (2,), (1,), 0, "1/2", 6)), Case(Pretrained((1,), (-5,), (1,), 7, 1, 3)))
WEIGHED = (Case(Pretrained((1, 2), (0, 3), (1, 1), 1)), Case(Pretrained((10, 1, 1), (0, 10, 10), (1, 2, 3), 0)))

ESTIMATED = (
    *PAPER.lemma("C-Amax-first", "text after Corollary 7", "the largest feedback of all rounds / that before training",
        lambda one, c: max(one.feedback) / one.feedback[0], cases=PRETRAINED).readings(
        strict("The largest feedback before training serves as A_max: none is larger in a later round", quantity <= 1,
            counterexamples=PRETRAINED,
            remark='The text says "usually decreasing". A client that starts at its own minimum and is pulled away by two others '
            "ends with twice their gradient; the bounds do not apply where A_max is exceeded."),
        corrected("With one client no feedback is larger than that before training, for steps of at most 2/L",
            quantity <= 1, given=[M <= 1, mu * L <= 2], note="one client", cases=ONE_CLIENT,
            family=Pretrained.drawn(most=1))),
    *PAPER.lemma("C-Amax-estimate", "text after Corollary 7", "max λ|g|² before training / the largest feedback there",
        lambda one, c: one.estimate / one.feedback[0], cases=WEIGHED).readings(
        printed("The estimate Â_max = max λ|g|² before training is the largest feedback there", Eq(quantity, 1),
            counterexamples=WEIGHED, remark="a is λ²|g|²: the square of λ is missing, here and in Appendix A.1."),
        corrected("The estimate max λ|g|² before training is at least the largest feedback there", 1 <= quantity,
            note="an upper bound")),
)
FEEDBACK = (
    PAPER.lemma("C-Amax-batch", "Section 5 (13)", "a",
        lambda one, c: law.squared_norm(law.total(one.gradients)) / Fraction(len(one.gradients) * one.n_clients) ** 2,
        GRADIENT_SQUARED, cases=GRADIENTS).printed("Algorithm 3: feedback is at most G²/M²", quantity <= G**2 / M**2),
    PAPER.lemma("C-Amax-steps", "Section 5 (16)", "a",
        lambda one, c: law.squared_norm(law.total(one.gradients)) / Fraction(len(one.gradients) * one.n_clients**2),
        GRADIENT_SQUARED, cases=GRADIENTS).printed("Algorithm 4: feedback is at most BG²/M²", quantity <= B * G**2 / M**2),
)

# Appendix C ----------------------------------------------------------------------------------------------------------

CURVED = (
    Case(Curved((1, -1), (1, 2), (0, 3), (1, -2), (0, 3))),
    Case(Curved(-2, 1, "1/2", -1, -3)),
    Case(Curved(1, 3, 0, 1, 2)),
)
SUMS = (
    Case(Summands(((1, 0), (2, 0)), 2)),
    Case(Summands(((1, 0), (0, 3), (2, 2)), "1/3")),
    Case(Summands(((1,), (1,), (1,), (1,)), 1)),
)
VARIABLES = (
    Case(FiniteVariable((0, 1), (1, 1), "1/100")),
    Case(FiniteVariable((-1, 2, 3), (5, 1, 1), -2)),
    Case(FiniteVariable((0, 1), (1, 9), 20)),
)
VERTICES = (Case(Comparator((1, 0, 0))), Case(Comparator((3, 1))), Case(Comparator((1, 2, 3, 4))))


def slope_to(one: Losses, c: Constants) -> Fraction:
    pairs = zip(one.a, one.best, one.q, strict=True)
    return -sum((a / v**2 * (w - v) for a, v, w in pairs), Fraction(0)) / law.loss(one.a, one.best)


def exp_divergence(one: Comparator, c: Constants) -> Number:
    if all(v in (0, 1) for v in one.q):
        return len(one.q)
    return simplex.divergence([to_ball(v) for v in one.q]).exp()


def entropy_at_uniform(one: Comparator, c: Constants) -> arb:
    n = len(one.q)
    return sum((to_ball(Fraction(1, n)) * (logarithm(Fraction(1, n)) - 1) for _ in range(n)), arb(0))


def cumulant(one: FiniteVariable, c: Constants) -> arb:
    s, centre = Fraction(one.scale), sum((p * v for p, v in zip(one.p, one.values, strict=True)), Fraction(0))
    moment = sum((to_ball(p) * to_ball(s * (v - centre)).exp() for p, v in zip(one.p, one.values, strict=True)), arb(0))
    return moment.log() * 8 / to_ball(s * (max(one.values) - min(one.values))) ** 2


FLOORED_POINTS = (
    Case(Projected((1, 9, 2), "9/10")),
    Case(Projected((1, 1, 50, 60), "4/5")),
    Case(Projected((1, 1000), "1/2")),
)
some_floored = requires("some client is floored and some is not",
    lambda one, c: None if 0 < law.rank_of_floor(one.points, one.floor) < len(one.points) else "all or none are")


def floored_share(one: Projected, c: Constants) -> Fraction:
    y, below = sorted(map(Fraction, one.points)), law.rank_of_floor(one.points, one.floor)
    return max((below - k) * y[k] / sum(y[k:below], Fraction(0)) for k in range(below))


def free_share(one: Projected, c: Constants) -> Fraction:
    y, below = sorted(map(Fraction, one.points)), law.rank_of_floor(one.points, one.floor)
    budget, rest = law.lines(one.points, one.floor)[below]
    return max(budget / (Fraction(one.floor) / len(y) / y[k] * rest) for k in range(below))


def optimal_projection(one: Projected, c: Constants) -> Number:
    y = [Fraction(v) for v in one.points]
    return -optimality(law.algorithm_2(y, one.floor), y, one.q)


LEMMAS = (
    PAPER.lemma("L14", "Lemma 14", "<∇l(q*), q - q*> / l(q*)", slope_to, cases=LOSSES).printed(
        "First-order optimality: <∇l(q*), q - q*> >= 0 for the best q* of the floored simplex", 0 <= quantity),
    PAPER.lemma("L15", "Lemma 15", "|f(y) - f(x) - <∇f(x), y - x>|", lambda one, c: one.bend, ENERGY, cases=CURVED).printed(
        "Descent lemma: |f(y) - f(x) - <∇f(x), y - x>| <= L|x - y|²/2", quantity <= L * distance**2 / 2),
    PAPER.lemma("L16-two", "Lemma 16", "|u + v|² / ((1 + a)|u|² + (1 + 1/a)|v|²)", lambda one, c: one.of_two,
        cases=SUMS, family=Summands.drawn(least=2)).printed("|u + v|² <= (1 + a)|u|² + (1 + 1/a)|v|²", quantity <= 1),
    PAPER.lemma("L16-sum", "Lemma 16", "|Σ v|² / Σ|v|²", lambda one, c: one.of_all, cases=SUMS,
        family=Summands.drawn(least=2)).printed("|Σ v|² <= τ Σ|v|²", quantity <= B),
    PAPER.lemma("L17", "Lemma 17", "exp D(q | uniform)", exp_divergence, cases=VERTICES, family=ANY_FLOOR).printed(
        "exp D(q | uniform) <= M", quantity <= M),
    PAPER.lemma("L17-value", "proof of Lemma 17", "Φ(uniform)", entropy_at_uniform, family=ANY_FLOOR).printed(
        "Φ(uniform) = -log M", Eq(quantity, -log(M)), counterexamples=VERTICES,
        remark="It is -log M - 1; the other value, Φ(q) <= 0, is off by one as well, and the errors cancel."),
    PAPER.lemma("L18", "Lemma 18", "(log E exp(sX) - s E X) / (s²(b - a)²/8)", cumulant, cases=VARIABLES).printed(
        "Hoeffding's lemma: log E exp(sX) <= s E X + s²(b - a)²/8", quantity <= 1),
    PAPER.lemma("L19", "Lemma 19", "<∇D(x | y), q - x>", optimal_projection, cases=POINTS).printed(
        "The KL projection x of y onto the floored simplex, by ranks: <∇D(x | y), q - x> >= 0, α < 1", 0 <= quantity,
        given=BELOW_ONE),
    PAPER.lemma("L19-69", "proof of Lemma 19 (69)",
        "max over m' < m* of (m* - m')α/M / (exp(-1 + λ + ν_m') Σ y_m over m' <= m < m*)", floored_share,
        cases=FLOORED_POINTS, assumptions=[some_floored]).printed(
        "(69): (m* - m')α/M <= exp(-1 + λ + ν_m') Σ y_m over the floored ranks from m' on", quantity <= 1),
    PAPER.lemma("L19-70", "proof of Lemma 19 (70)",
        "max over m' < m* of (1 - (m* - 1)α/M) / (exp(-1 + λ + ν_m') Σ y_m over m >= m*), where exp(-1 + λ + ν_m') is α/(M y_m')",
        free_share, cases=FLOORED_POINTS, assumptions=[some_floored]).printed(
        "(70): 1 - (m* - 1)α/M <= exp(-1 + λ + ν_m') Σ y_m over the ranks that are not floored", quantity <= 1),
)

CLAIMS: tuple[Claim, ...] = (*FUNCTIONALS, *POINT, *STEPWISE, *FEEDBACK, *ESTIMATED, *LEMMAS)
