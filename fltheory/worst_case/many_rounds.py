"""Bounds for many rounds from bounds for one: a bound on one round of a memoryless step holds for every round.

A certificate of one round proves quantity <= a start + b zeta*^2 + c sigma^2, with its multipliers as coefficients,
for all values of the start, zeta* and sigma. With fresh draws in every round the expectations chain up to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import sympy
from flint import arb, fmpq

from fltheory.number import RATIONAL
from fltheory.number.ownership import is_library
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.runs.algorithm import points_as_state
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, evaluate_in_ring
from fltheory.worst_case.certificate import Certificate
from fltheory.worst_case.measures import ConstrainedQuantity
from fltheory.worst_case.problem.labels import DISTANCE, EVERYWHERE, FALL, HETEROGENEITY, NOISE, SAMPLED, WORST
from fltheory.worst_case.question import CLIENT_SETTINGS, OPTIMUM_SETTINGS, WHOLE_RUN_SETTINGS, Question, problem_of
from fltheory.worst_case.solver import Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach, Record
from fltheory.worst_case.whole_run import Bracket, bracket_run, why_run_unproved

ROOTED_SETTINGS = (*CLIENT_SETTINGS, "max_heterogeneity_at_optimum", "noise_std_at_optimum")
TANGENT_SETTINGS = (*ROOTED_SETTINGS, "initial_gap", "heterogeneity")  # valid for all values of these
MAX_TANGENTS = 5  # recursions to try
ROUNDING_DENOMINATOR = 10**12  # of numbers that are rounded up
LEAST_FALL = Fraction(1, 10**9)  # least fall for which a certificate is sought, as a part of the initial value
BITS = 20_000  # size of an exact power


class Coefficients(NamedTuple):
    """Coefficients of a recursion: ``start`` of the squared distance before it (or of its fall); ``noise`` or None."""

    start: Fraction
    spread: Fraction
    noise: Fraction | None

    def total(self, start: Fraction, heterogeneity: Fraction, noise_std: Fraction = Fraction(0)) -> Fraction:
        """Return the upper bound on the quantity."""
        if self.noise is None and noise_std:
            raise ValueError("noise_std: proved without noise: give noise_std in the question")
        return self.start * start + self.spread * heterogeneity**2 + (self.noise or 0) * noise_std**2


def coefficients(found: Bracket) -> Coefficients:
    """Return the multipliers of the start, the heterogeneity and the total noise; OutOfReach if there are others."""
    certificate = found.certificate
    assert isinstance(certificate, Certificate)
    start, spread, noise = Fraction(0), Fraction(0), Fraction(0)
    for label, c in certificate.multipliers:
        if label in ((DISTANCE,), (FALL,)):
            start += to_python_fraction(c)
        elif label[0] in (HETEROGENEITY, EVERYWHERE, WORST):
            spread += to_python_fraction(c)
        elif label[0] in (NOISE, SAMPLED):
            noise += to_python_fraction(c)
    asked = found.question
    given = dict(asked.settings)
    further = set(given) & {*CLIENT_SETTINGS, *WHOLE_RUN_SETTINGS} - set(chain_settings(asked))
    if further:
        raise OutOfReach(f"a round that rests on {', '.join(sorted(further))} does not chain")
    distance, heterogeneity, noise_std = client_limits(asked)
    before = asked.measure.fall if isinstance(asked.measure, ConstrainedQuantity) else distance**2
    own = Coefficients(start, spread, noise if noise_std else None)
    if own.total(before, heterogeneity, noise_std) != to_python_fraction(certificate.upper):
        raise OutOfReach("a round that rests on more than its start, heterogeneity and noise does not chain")
    if given["n_clients"] > 1 and not heterogeneity and not spread:
        raise OutOfReach("clients that don't differ: a bound for identical clients is no recursion for others")
    return own


def chain_settings(asked: Question) -> tuple[str, ...]:
    """Return the constants that a chain may use: those of the start first."""
    return (
        ROOTED_SETTINGS
        if asked.functions.rooted
        else ("initial_gap", "heterogeneity", "heterogeneity_slope", "noise_std")
    )


def distance_after(
    one: Coefficients, n_rounds: int, distance: Fraction, heterogeneity: Fraction, noise_std: Fraction
) -> Fraction:
    """Return start^R D^2 + (spread zeta*^2 + noise sigma^2)(1 + start + ... + start^(R - 1)) >= E|x_R - x*|^2."""
    powers = power_rounded_up(one.start, n_rounds)
    if one.start == 1:
        rounds = Fraction(n_rounds)
    elif one.start > 1 or _is_short(one.start, n_rounds):
        rounds = (powers - 1) / (one.start - 1)
    else:
        rounds = 1 / (1 - one.start)
    return powers * distance**2 + one.total(Fraction(0), heterogeneity, noise_std) * rounds


def power_rounded_up(base: Fraction, exponent: int) -> Fraction:
    """Return base^exponent, rounded up if it has many digits."""
    if _is_short(base, exponent):
        return base**exponent
    top = (arb(fmpq(base.numerator, base.denominator)) ** exponent).upper()
    if not top.is_finite():
        raise OutOfReach("the recursion of one round grows too large for exact arithmetic")
    if top < arb(2) ** -BITS:
        return Fraction(1, 2**BITS)
    return to_python_fraction(top.fmpq())


def _is_short(base: Fraction, exponent: int) -> bool:
    return exponent * max(base.denominator.bit_length(), base.numerator.bit_length()) <= BITS


def one_round_question(asked: Question) -> Question:
    """Return the question about the measured round: the first for a mean over rounds, else the last."""
    measure = asked.measure
    settings = {**dict(asked.settings), "n_rounds": 1}
    if isinstance(measure, AveragedGap | LeastGradient):
        fall = max(_fall(asked), LEAST_FALL * _start_value(asked))
        quantity = LastGap() if isinstance(measure, AveragedGap) else measure
        decay = sympy.Rational(str(_decay(asked)))
        del settings[_start_setting(asked)]
        least = Fraction(-(-fall.numerator * ROUNDING_DENOMINATOR // fall.denominator), ROUNDING_DENOMINATOR)
        measure = ConstrainedQuantity(quantity, decay, least, of_height=not asked.functions.rooted)
    elif not isinstance(measure, LastDistance | LastGap):
        raise OutOfReach(f"{measure.name} does not chain from single rounds")
    return Question(asked.method, asked.functions, measure, tuple(sorted(settings.items())), alone=True)


def _fall(asked: Question) -> Fraction:
    """Return D^2, or the gap, over the sum of the weights of all rounds: a bound on the least fall, in the mean."""
    rounds, decay = int(dict(asked.settings)["n_rounds"]) + 1, _decay(asked)
    share = Fraction(1, rounds)
    if decay != 1:
        power = power_rounded_up(decay, rounds)
        share = power * (1 - decay) / (1 - power)
    return share * _start_value(asked)


def _decay(asked: Question) -> Fraction:
    """Return the factor by which the weights of rounds fall over the whole run."""
    if not isinstance(asked.measure, AveragedGap):
        return Fraction(1)
    found = evaluate_in_ring(asked.measure.decay, asked.case(Record(int(dict(asked.settings)["n_clients"]))), RATIONAL)
    if not 0 < found <= 1:
        raise OutOfReach(f"weights that fall by {found} a round do not chain from single rounds")
    return to_python_fraction(found)


def _start_setting(asked: Question) -> str:
    """Return the constant of the start: its distance, or its gap if there may be no x*."""
    return chain_settings(asked)[0]


def _start_value(asked: Question) -> Fraction:
    """Return the initial value of the falling quantity: D^2, or the gap."""
    known = Fraction(dict(asked.settings)[_start_setting(asked)])
    return known**2 if asked.functions.rooted else known


def client_limits(asked: Question) -> tuple[Fraction, Fraction, Fraction]:
    """Return D, zeta* and sigma; 0 for each that is not limited or absent. Without x*, zeta holds everywhere.

    zeta* is the largest over the clients and sigma that of samples at x*, if these are limited.
    """
    given = dict(asked.settings)
    differing = OPTIMUM_SETTINGS if asked.functions.rooted else ("heterogeneity",)
    names = (("initial_distance",), differing, ("noise_std", "noise_std_at_optimum"))
    distance, heterogeneity, noise = (Fraction(next((given[n] for n in one if n in given), 0)) for one in names)
    return distance, heterogeneity, noise


def prove_links(asked: Question) -> tuple[Bracket, ...]:
    """Return the best certificates of single rounds: of the measured round, and of the earlier ones if they matter."""
    _require_alike(asked)
    if isinstance(asked.measure, AveragedGap | LeastGradient):
        return (_prove_round(one_round_question(asked)),)
    if not asked.functions.rooted:
        raise OutOfReach(f"{asked.measure.name} of {asked.functions} does not chain from single rounds")
    found = list(_recursions(asked))
    if isinstance(asked.measure, LastDistance):
        return (min(found, key=lambda link: chain_upper(asked, (link,))),)
    best = min(found, key=lambda link: _distance_before(asked, link))
    return best, _prove_round(_question_at(one_round_question(asked), root_rounded_up(_distance_before(asked, best))))


def _recursions(asked: Question) -> Iterator[Bracket]:
    """Yield recursions, each tight at one distance: first the initial one, then the fixed point of the one before.

    The worst distance after a round is concave in that before it (both squared), so these converge to the fixed point.
    """
    recursive = replace(one_round_question(asked), measure=LastDistance())
    distance, heterogeneity, noise = client_limits(asked)
    for k in range(MAX_TANGENTS):
        try:
            found = _prove_round(_question_at(recursive, distance))
        except (OutOfReach, Unsolved):
            if k == 0:
                raise
            return  # too near for the solver: earlier results remain valid
        yield found
        own = coefficients(found)
        rest = own.total(Fraction(0), heterogeneity, noise) / (1 - own.start) if own.start < 1 else distance**2
        new = max(root_rounded_up(rest), distance / 10**6)
        if abs(new - distance) * 100 < distance:
            return
        distance = new


def _question_at(asked: Question, distance: Fraction) -> Question:
    settings = {**dict(asked.settings), "initial_distance": distance}
    return replace(asked, settings=tuple(sorted(settings.items())))


def root_rounded_up(square: Fraction | int) -> Fraction:
    """Return the root, or a short number slightly above it."""
    found = Fraction(isqrt(square.numerator * ROUNDING_DENOMINATOR**2 // square.denominator), ROUNDING_DENOMINATOR)
    return found if found**2 == square else found + Fraction(1, ROUNDING_DENOMINATOR)


def _prove_round(asked: Question) -> Bracket:
    found = bracket_run(asked, attain=False)
    if found.certificate is None:
        raise OutOfReach("no certificate of one round was found")
    return found


def _require_alike(asked: Question) -> None:
    """Raise OutOfReach if rounds may differ, or if a limit does not hold in every round."""
    given, known = dict(asked.settings), chain_settings(asked)
    further = [name for name in (*CLIENT_SETTINGS, *WHOLE_RUN_SETTINGS) if name in given and name not in known]
    if further or not asked.functions.smooth or _start_setting(asked) not in given:
        raise OutOfReach(f"rounds on {asked.functions} chain from {', '.join(known)} alone, and always from the first")
    require_equal_rounds(one_round_question(asked))


def require_equal_rounds(one: Question) -> None:
    """Raise OutOfReach if one round may behave otherwise than another."""
    method = one.method
    if method.init is not points_as_state:
        raise OutOfReach(f"{method.name} remembers more than its points: one round is no recursion in their distance")
    first = problem_of(one)
    again = first if is_library(method.step) else problem_of(one)
    if first.record.of_round:
        raise OutOfReach(f"{method.name} uses the number of its round: other rounds may behave otherwise")
    if (first.objective, first.known, first.record.made) != (again.objective, again.known, again.record.made):
        raise OutOfReach(f"{method.name} behaves otherwise when its round is repeated: it has memory outside its state")


def _distance_before(asked: Question, link: Bracket) -> Fraction:
    """Return the upper bound on E|x_{R-1} - x*|^2."""
    return distance_after(coefficients(link), int(dict(asked.settings)["n_rounds"]) - 1, *client_limits(asked))


def chain_upper(asked: Question, links: tuple[Bracket, ...]) -> Fraction:
    """Return the bound that the links prove for all rounds."""
    distance, heterogeneity, noise = client_limits(asked)
    last = coefficients(links[-1])
    if isinstance(asked.measure, AveragedGap | LeastGradient):
        return last.total(_fall(asked), heterogeneity, noise)
    if isinstance(asked.measure, LastDistance):
        return distance_after(last, int(dict(asked.settings)["n_rounds"]), distance, heterogeneity, noise)
    return last.total(_distance_before(asked, links[0]), heterogeneity, noise)


def why_broken(found: Bracket) -> str | None:
    """Return why the links do not prove the upper bound, or None; each certificate is checked on a new run."""
    asked = found.question
    try:
        _require_alike(asked)
        if len(found.links) != len(tuple(link_questions(asked))):
            return "the number of links does not fit the measure"
        for link, one in zip(found.links, link_questions(asked), strict=True):
            if question_key(link.question) != question_key(one):
                return f"a link is about something else: {link.question}"
            if (reason := why_run_unproved(link, whatever=True)) is not None:
                return reason
        return None if found.upper == chain_upper(asked, found.links) else "the links prove another number"
    except ValueError as error:
        return str(error)


def link_questions(asked: Question) -> Iterator[Question]:
    """Return the questions about single rounds whose certificates chain, in their order."""
    if isinstance(asked.measure, LastGap):
        yield replace(one_round_question(asked), measure=LastDistance())
    yield one_round_question(asked)


def question_key(asked: Question) -> tuple[object, ...]:
    """Return the question without the constants at which its certificate is tight."""
    settings = tuple((name, value) for name, value in asked.settings if name not in TANGENT_SETTINGS)
    measure = (
        replace(asked.measure, fall=Fraction(0)) if isinstance(asked.measure, ConstrainedQuantity) else asked.measure
    )
    return asked.method, asked.functions, measure, settings, asked.alone
