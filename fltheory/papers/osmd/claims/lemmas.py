"""The lemmas of Appendix C, the functionals (19), the steps of Proposition 13 and Theorem 6, the feedback's size."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq
from sympy import Integer, log

from fltheory.bound import Bound, Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.papers.osmd.algorithms.mirror import project_balls
from fltheory.papers.osmd.bounds import Q, bound
from fltheory.papers.osmd.claims.direct import claim, drawn, of_instance
from fltheory.papers.osmd.claims.sampling import EQUAL, LOSSES, NONE, ONE, POINTS
from fltheory.papers.osmd.data.lemma_instances import Curved, FiniteVariable, Summands
from fltheory.papers.osmd.data.sampling_instances import Comparator, Gradients, Growth, OneStep, Triple
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.papers.osmd.exact import simplex
from fltheory.papers.osmd.letters import B, G, L, M, alpha, distance, eta
from fltheory.runs.measures import ENERGY, GRADIENT_SQUARED, NUMBER, DirectMeasure

LEAST: Side = "lower"
_BELOW_ONE = (alpha < 1,)


def _log(value: Fraction) -> arb:
    """A ball that contains the logarithm; exactly 0 for 1."""
    return arb(fmpq(value.numerator, value.denominator)).log()


# (19): what lies below the floor -------------------------------------------------------------------------------------

COMPARATORS = (
    Case(Comparator((1, 0, 0), "1/2")),
    Case(Comparator((6, 3, 1), "9/10")),
    Case(Comparator((1, 1), "1/3")),
    Case(Comparator((0, 1, 0, 5), "1/100")),
)
_COMPARATORS = drawn("sampling", "comparators")
_AT_ZERO = (Case(Comparator((3, 1, 2), 0)), Case(Comparator((1, 0), 0)))
_flat = Assumption(
    "the floor is 0",
    lambda case: "it is positive" if case.instance.floor else None,  # type: ignore[attr-defined]
)


def _functional(name: str, which: int) -> DirectMeasure:
    return of_instance(name, lambda one: law.functionals(one.q, one.floor)[which])


_PSI, _OMEGA, _PHI = _functional("ψ(q, α)", 0), _functional("ω(q, α)", 1), _functional("φ(q, α)", 2)
_VERTEX = (M - 1) * alpha / (M - alpha)  # omega where one client has everything


def _between(high: Any, place: str, *conditions: Any) -> tuple[Bound, Bound]:
    return bound(NONE, place, conditions=conditions, side=LEAST), bound(high, place, conditions=conditions)


FUNCTIONALS = (
    claim("C-19-psi", "0 <= ψ <= α", _between(alpha, "Theorem 6 (19)", alpha <= 1), _PSI, COMPARATORS, _COMPARATORS),
    claim(
        "C-19-psi",
        "ψ <= α(1 - 1/M): the most where one client has everything",
        bound(alpha * (1 - 1 / M), "Theorem 6 (19)", "sharpened", (alpha <= 1,)),
        _PSI,
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-19-omega",
        "0 <= ω <= 1, for α < 1",
        _between(ONE, "Theorem 6 (19)", *_BELOW_ONE),
        _OMEGA,
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-19-omega",
        "ω <= (M - 1)α/(M - α)",
        bound(_VERTEX, "Theorem 6 (19)", "sharpened", _BELOW_ONE),
        _OMEGA,
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-19-phi",
        "0 <= φ <= M/α, for α < 1",
        _between(M / alpha, "Theorem 6 (19)", *_BELOW_ONE),
        _PHI,
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-19-phi",
        "φ <= α/(1 - α): it vanishes with α",
        bound(alpha / (1 - alpha), "text after Theorem 6", "sharpened", _BELOW_ONE),
        _PHI,
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-19-zero",
        "ω(q, 0) = 1",
        bound(ONE, "Appendix B.5", conditions=(), side=EQUAL),
        _OMEGA,
        _AT_ZERO,
        drawn("sampling", "comparators", zero=True),
        (_flat,),
        expected="violated",
        remark="It is 0: nothing lies below 0.",
    ),
    claim(
        "C-19-zero",
        "ω(q, 0) = 0",
        bound(NONE, "Appendix B.5", "corrected", (), side=EQUAL),
        _OMEGA,
        _AT_ZERO,
        drawn("sampling", "comparators", zero=True),
        (_flat,),
    ),
)

# Theorem 6: the point (53) -------------------------------------------------------------------------------------------


def point_error(one: Comparator) -> Fraction:
    """What (53) misses of sum one, and of the floor."""
    point, floor = law.moved_inside(one.q, one.floor), Fraction(one.floor) / len(one.q)
    return abs(sum(point, Fraction(0)) - 1) + sum((floor - v for v in point if v < floor), Fraction(0))


def move_over_psi(one: Comparator) -> Fraction:
    """|q~ - q|_1 / psi."""
    moved = sum((abs(v - w) for v, w in zip(law.moved_inside(one.q, one.floor), one.q, strict=True)), Fraction(0))
    return moved / law.functionals(one.q, one.floor)[0]


def _below(case: Case) -> str | None:
    one: Any = case.instance
    return None if law.functionals(one.q, one.floor)[0] else "nothing lies below the floor"


_outside = Assumption("a comparator below the floor", _below)
_OUT = (COMPARATORS[0], COMPARATORS[1], COMPARATORS[3])
POINT = (
    claim(
        "C-53",
        "The point (53) lies in the floored simplex",
        bound(NONE, "(53)", conditions=_BELOW_ONE, side=EQUAL),
        of_instance("what q̃ misses of Σ q̃ = 1 and q̃ >= α/M", point_error),
        COMPARATORS,
        _COMPARATORS,
    ),
    claim(
        "C-53-move",
        "|q̃ - q|₁ = 2ψ",
        bound(Integer(2), "(53)", conditions=_BELOW_ONE, side=EQUAL),
        of_instance("|q̃ - q|₁ / ψ", move_over_psi),
        _OUT,
        _COMPARATORS,
        (_outside,),
    ),
)

# Proposition 13: (48), (50), (51) ------------------------------------------------------------------------------------

GROWTHS = (
    Case(Growth((1, 1), (3, 1), (1, 0), "1/2")),
    Case(Growth((1, 2, 3), (1000, 1, 2), (1, 5, 0), "9/10")),
    Case(Growth((1, 2, 3), (1, 1, 1), (1, 5, 0), "9/10")),
    Case(Growth((1, 0, 0, 4), (7, 1, 30, 1), (0, 1, 1, 1), "1/10")),
)
_GROWTHS = drawn("sampling", "growths")


def _optimality(p: Any, y: Any, q: Any, ring: Ring) -> Any:
    """<p - q, grad D(. | y) at p> for distributions p and q: the sum over the floored clients, up to a factor of y.

    Where p is proportional to y the logarithm is exactly 0.
    """
    top = max(v / w for v, w in zip(y, p, strict=True))
    ratios = [w * top / v for v, w in zip(y, p, strict=True)]
    if all(r == 1 or v == w for r, v, w in zip(ratios, p, q, strict=True)):
        return ring.scalar(0)
    if ring is not BALL:
        raise NotRational
    return sum((to_ball(v - w) * _log(r) for r, v, w in zip(ratios, p, q, strict=True)), arb(0))


def _optimal_step(case: Case, ring: Ring) -> Any:
    one: Any = case.instance
    y = [p * Fraction(r) for p, r in zip(one.p, one.growth, strict=True)]
    return _optimality(law.projected(y, one.floor), y, one.q, ring)


def _optimal_projection(case: Case, ring: Ring) -> Any:
    one: Any = case.instance
    y = [Fraction(v) for v in one.points]
    return -_optimality(law.algorithm_2(y, one.floor), y, one.q, ring)


def _divergence(q: Any, p: Any) -> arb:
    return sum((to_ball(v) * _log(v / w) for v, w in zip(q, p, strict=True) if v), arb(0))


def _drift_of_comparator(case: Case, ring: Ring) -> Any:
    """(D(q' | p) - D(q | p)) / |q' - q|_1."""
    if ring is not BALL:
        raise NotRational
    one: Any = case.instance
    p, q, r = one.distributions
    return (_divergence(r, p) - _divergence(q, p)) / to_ball(sum(abs(v - w) for v, w in zip(q, r, strict=True)))


def _progress(case: Case, ring: Ring) -> Any:
    """<grad l^, p - p'> - D(p' | p)/eta, p' the mirror step: in balls."""
    if ring is not BALL:
        raise NotRational
    one: Any = case.instance
    rate = to_ball(one.rate)
    p = [to_ball(v) for v in one.p]
    slopes = [to_ball(v) for v in one.slopes]
    top = max(one.slopes)
    gains = [to_ball(one.rate * (v - top)) for v in one.slopes]  # up to a shift, which the projection doesn't see
    new = project_balls([v * g.exp() for v, g in zip(p, gains, strict=True)], to_ball(one.floor))
    gained = sum((s * (w - v) for s, v, w in zip(slopes, p, new, strict=True)), arb(0))
    return gained - sum((w * (w / v).log() for v, w in zip(p, new, strict=True)), arb(0)) / rate


def largest_slope(one: OneStep) -> Fraction:
    """|grad l^(p; p)|_inf."""
    return max(one.slopes)


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
_SPREAD = log(M / alpha)
_50 = DirectMeasure("(D(q'|p) - D(q|p)) / |q' - q|₁", _drift_of_comparator, NUMBER)
_51 = DirectMeasure("<∇l̂, p - p'> - D(p'|p)/η", _progress, GRADIENT_SQUARED)
_PLACE = "proof of Proposition 13"
STEPWISE = (
    claim(
        "C-48",
        "Optimality of the mirror step: η<p' - q, ∇l̂> <= <∇Φ(p) - ∇Φ(p'), p' - q>, q in the floored simplex",
        bound(NONE, f"{_PLACE} (48)", conditions=()),
        DirectMeasure("η<p' - q, ∇l̂> - <∇Φ(p) - ∇Φ(p'), p' - q>", _optimal_step, NUMBER),
        GROWTHS,
        _GROWTHS,
    ),
    claim(
        "C-50",
        "D(q'|p) - D(q|p) <= 2 log(M/α) |q' - q|₁ in the floored simplex",
        bound(2 * _SPREAD, f"{_PLACE} (50)"),
        _50,
        TRIPLES,
        drawn("sampling", "triples"),
    ),
    claim(
        "C-50",
        "D(q'|p) - D(q|p) <= log(M/α) |q' - q|₁ in the floored simplex",
        bound(_SPREAD, f"{_PLACE} (50)", "sharpened"),
        _50,
        TRIPLES,
        drawn("sampling", "triples"),
    ),
    claim(
        "C-51",
        "<∇l̂, p - p'> - D(p'|p)/η <= ηQ²/2",
        bound(eta * Q**2 / 2, f"{_PLACE} (51)"),
        _51,
        STEPS,
        drawn("sampling", "steps"),
    ),
    claim(
        "C-51",
        "<∇l̂, p - p'> - D(p'|p)/η <= ηQ²/8",
        bound(eta * Q**2 / 8, f"{_PLACE} (51)", "sharpened", note="Hoeffding's lemma"),
        _51,
        STEPS,
        drawn("sampling", "steps"),
    ),
    claim(
        "C-Q",
        "|∇l̂(p; p)|_∞ <= Q = M³a/(Kα³) on the floored simplex",
        bound(Q, _PLACE),
        of_instance("|∇l̂(p; p)|_∞", largest_slope, GRADIENT_SQUARED),
        STEPS,
        drawn("sampling", "steps"),
    ),
)

# How large the feedback is -----------------------------------------------------------------------------------


def of_batch(one: Gradients) -> Fraction:
    """lambda^2 |mean of the gradients|^2: the feedback of Algorithm 3."""
    return law.squared(law.total(one.gradients)) / Fraction(len(one.gradients) * one.n_clients) ** 2


def of_steps(one: Gradients) -> Fraction:
    """(lambda^2 / B) |sum of the gradients|^2: the feedback of Algorithm 4."""
    return law.squared(law.total(one.gradients)) / Fraction(len(one.gradients) * one.n_clients**2)


GRADIENTS = (
    Case(Gradients(((3, 4), (3, 4)), 10)),
    Case(Gradients(((1,), (-2,), ("1/2",)), 3)),
    Case(Gradients((1,), 1)),
)
_GRADIENTS = drawn("sampling", "gradients")
FEEDBACK = (
    claim(
        "C-Amax-batch",
        "Algorithm 3: feedback is at most G²/M²",
        bound(G**2 / M**2, "Section 5 (13)", conditions=()),
        of_instance("a", of_batch, GRADIENT_SQUARED),
        GRADIENTS,
        _GRADIENTS,
    ),
    claim(
        "C-Amax-steps",
        "Algorithm 4: feedback is at most BG²/M²",
        bound(B * G**2 / M**2, "Section 5 (16)", conditions=()),
        of_instance("a", of_steps, GRADIENT_SQUARED),
        GRADIENTS,
        _GRADIENTS,
    ),
)

# Appendix C ----------------------------------------------------------------------------------------------------------


def slope_to(one: Any) -> Fraction:
    """<grad l(q*), q - q*> / l(q*), q* best in the floored simplex."""
    pairs = zip(one.a, one.best, one.q, strict=True)
    return -sum((a / v**2 * (w - v) for a, v, w in pairs), Fraction(0)) / law.loss(one.a, one.best)


def _vertex(q: Any) -> bool:
    return all(v in (0, 1) for v in q)


def _exp_divergence(case: Case, ring: Ring) -> Any:
    """exp of D(q | uniform): M prod q^q."""
    one: Any = case.instance
    if _vertex(one.q):
        return ring.scalar(len(one.q))
    if ring is not BALL:
        raise NotRational
    return simplex.divergence([to_ball(v) for v in one.q]).exp()


def _entropy_at_uniform(case: Case, ring: Ring) -> Any:
    """Phi(uniform) = sum (1/M)(log(1/M) - 1)."""
    if ring is not BALL:
        raise NotRational
    comparator: Any = case.instance
    n = len(comparator.q)
    return sum((to_ball(Fraction(1, n)) * (_log(Fraction(1, n)) - 1) for _ in range(n)), arb(0))


def _cumulant(case: Case, ring: Ring) -> Any:
    """(log E exp(sX) - s E X) / (s^2 (b - a)^2 / 8)."""
    if ring is not BALL:
        raise NotRational
    one: Any = case.instance
    s, centre = Fraction(one.scale), sum((p * v for p, v in zip(one.p, one.values, strict=True)), Fraction(0))
    moment = sum((to_ball(p) * to_ball(s * (v - centre)).exp() for p, v in zip(one.p, one.values, strict=True)), arb(0))
    return moment.log() * 8 / to_ball(s * (max(one.values) - min(one.values))) ** 2


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
LEMMAS = (
    claim(
        "L14",
        "First-order optimality: <∇l(q*), q - q*> >= 0 for the best q* of the floored simplex",
        bound(NONE, "Lemma 14", conditions=(), side=LEAST),
        of_instance("<∇l(q*), q - q*> / l(q*)", slope_to),
        LOSSES,
        drawn("sampling", "losses"),
    ),
    claim(
        "L15",
        "Descent lemma: |f(y) - f(x) - <∇f(x), y - x>| <= L|x - y|²/2",
        bound(L * distance**2 / 2, "Lemma 15", conditions=()),
        of_instance("|f(y) - f(x) - <∇f(x), y - x>|", lambda one: one.bend, ENERGY),
        CURVED,
        drawn("sampling", "curved"),
    ),
    claim(
        "L16-two",
        "|u + v|² <= (1 + a)|u|² + (1 + 1/a)|v|²",
        bound(ONE, "Lemma 16", conditions=()),
        of_instance("|u + v|² / ((1 + a)|u|² + (1 + 1/a)|v|²)", lambda one: one.of_two),
        SUMS,
        drawn("sampling", "summands"),
    ),
    claim(
        "L16-sum",
        "|Σ v|² <= τ Σ|v|²",
        bound(B, "Lemma 16", conditions=()),
        of_instance("|Σ v|² / Σ|v|²", lambda one: one.of_all),
        SUMS,
        drawn("sampling", "summands"),
    ),
    claim(
        "L17",
        "exp D(q | uniform) <= M",
        bound(M, "Lemma 17", conditions=()),
        DirectMeasure("exp D(q | uniform)", _exp_divergence, NUMBER),
        VERTICES,
        _COMPARATORS,
    ),
    claim(
        "L17-value",
        "Φ(uniform) = -log M",
        bound(-log(M), "proof of Lemma 17", conditions=(), side=EQUAL),
        DirectMeasure("Φ(uniform)", _entropy_at_uniform, NUMBER),
        VERTICES,
        _COMPARATORS,
        expected="violated",
        remark="It is -log M - 1; the other value, Φ(q) <= 0, is off by one as well, and the errors cancel.",
    ),
    claim(
        "L18",
        "Hoeffding's lemma: log E exp(sX) <= s E X + s²(b - a)²/8",
        bound(ONE, "Lemma 18", conditions=()),
        DirectMeasure("(log E exp(sX) - s E X) / (s²(b - a)²/8)", _cumulant, NUMBER),
        VARIABLES,
        drawn("sampling", "variables"),
    ),
    claim(
        "L19",
        "The KL projection x of y onto the floored simplex, by ranks: <∇D(x | y), q - x> >= 0, α < 1",
        bound(NONE, "Lemma 19", conditions=_BELOW_ONE, side=LEAST),
        DirectMeasure("<∇D(x | y), q - x>", _optimal_projection, NUMBER),
        POINTS,
        drawn("sampling", "points"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*FUNCTIONALS, *POINT, *STEPWISE, *FEEDBACK, *LEMMAS)
