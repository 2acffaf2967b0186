"""The terms of the displays (13)-(29): exact expectations over one round, from the sample paths of its clients.

If D_t is random, it is inside the expectation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product

from flint import arb, fmpq

from fltheory.number import exact
from fltheory.number.mixed import Mixed, is_zero, larger_of, to_mixed
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.one_round import COURSES, ClientPath, GivenSteps, OwnSteps
from fltheory.runs.method import NotEnumerable

Round = GivenSteps | OwnSteps
OfCourse = Callable[[int, ClientPath], Mixed]
Together = tuple[ClientPath, ...]  # a sample path of every client


def mixed_sum(values: Iterable[Mixed]) -> Mixed:
    """Return their sum as a mixed number."""
    return sum(values, fmpq(0))


def largest(values: Iterable[Mixed]) -> Mixed:
    """Return the largest absolute value."""
    found = fmpq(0)
    for value in values:
        found = larger_of(found, abs(value))
    return found


def quotient(top: Mixed, bottom: Mixed) -> Mixed:
    """Return top/bottom; 0 for 0/0, and infinity if only the bottom is 0."""
    if is_zero(bottom):
        return fmpq(0) if is_zero(top) else arb.pos_inf() if top > 0 else arb.neg_inf()
    return top / bottom


def square(value: Mixed) -> Mixed:
    """Return the square: a power of a ball around 0 is NaN."""
    return value * value


# Expectations -------------------------------------------------------------------------------------------------------


def client_mean(one: Round, value: OfCourse) -> Mixed:
    """Return (1/m) sum_i E value(i, path of client i)."""
    found = mixed_sum(c.chance * value(i, c) for i, own in enumerate(one.courses) for c in own)
    return found / len(one.courses)


def joint_mean(one: Round, value: Callable[[Together], Mixed]) -> Mixed:
    """Return E value(paths of all clients), which are independent."""
    if math.prod(map(len, one.courses)) > COURSES:
        raise NotEnumerable(f"more than {COURSES} sample paths of all clients")
    return mixed_sum(
        math.prod((c.chance for c in found), start=fmpq(1)) * value(found) for found in product(*one.courses)
    )


def next_objective(one: Round) -> Mixed:
    """Return E f(x_{t+1}) - f(x_t)."""
    return mixed_sum(p * rise(one, x) for p, x in one.landings)


def rise(one: Round, x: Mixed) -> Mixed:
    """Return f(x) - f(x_t)."""
    objective = one.clients.mean
    return objective.integral(x) - objective.integral(to_mixed(one.start))


# Sums along a path --------------------------------------------------------------------------------------------------


def weighted_sum(course: ClientPath, values: Sequence[Mixed]) -> Mixed:
    """Return sum_k eta_k v_k."""
    return mixed_sum(eta * v for eta, v in zip(course.steps, values, strict=True))


def squares(course: ClientPath) -> Mixed:
    """Return sum_k eta_k^2."""
    return mixed_sum(eta * eta for eta in course.steps)


def path_weight(course: ClientPath) -> Mixed:
    """Return sum_k eta_k."""
    return mixed_sum(course.steps)


def push(course: ClientPath) -> Mixed:
    """Return sum_k eta_k g_k: minus the move of the client."""
    return weighted_sum(course, course.pushes)


def noise(course: ClientPath) -> list[Mixed]:
    """Return the stochastic gradients minus the true ones."""
    return [g - s for g, s in zip(course.pushes, course.slopes, strict=True)]


def drift(course: ClientPath) -> list[Mixed]:
    """Return f_i'(x_t) - f_i'(x_{t,k})."""
    return [course.slopes[0] - s for s in course.slopes]


def over_clients(found: Together, value: Callable[[ClientPath], Mixed]) -> Mixed:
    """Return (1/m) sum_i value(path of client i)."""
    return mixed_sum(value(c) for c in found) / len(found)


# Subsets of clients -------------------------------------------------------------------------------------------------


def _moments(one: Round) -> tuple[list[Mixed], list[Mixed]]:
    """Return E u_i and E u_i^2, u_i = sum_k eta_k g_k."""
    first = [mixed_sum(c.chance * push(c) for c in own) for own in one.courses]
    second = [mixed_sum(c.chance * square(push(c)) for c in own) for own in one.courses]
    return first, second


def _subsets(one: Round) -> list[tuple[int, ...]]:
    return list(combinations(range(len(one.courses)), one.n_participating))


def off_unbiased(one: Round) -> Mixed:
    """Return |E of the mean over the subset - mean over all|."""
    first, _ = _moments(one)
    chosen = _subsets(one)
    mean = mixed_sum(first[i] for found in chosen for i in found) / (len(chosen) * one.n_participating)
    return abs(mean - mixed_sum(first) / len(first))


def subset_square(one: Round) -> Mixed:
    """Return E|mean over the subset of u_i|^2."""
    first, second = _moments(one)
    chosen, size = _subsets(one), one.n_participating
    found = mixed_sum(
        mixed_sum(second[i] - square(first[i]) for i in some) + square(mixed_sum(first[i] for i in some))
        for some in chosen
    )
    return found / (len(chosen) * size * size)


def mean_square(one: Round) -> Mixed:
    """Return (1/m) sum_i E|u_i|^2."""
    return client_mean(one, lambda i, c: square(push(c)))


def off_tower(one: Round) -> Mixed:
    """Return max_i |E sum_k eta_k g_k - E sum_k eta_k f_i'(x_k)|."""
    return largest(mixed_sum(c.chance * weighted_sum(c, noise(c)) for c in own) for own in one.courses)


# Displays (15) to (19) ----------------------------------------------------------------------------------------------


def first_order(one: Round) -> Mixed:
    """Return E <f', (1/m) sum_ik eta f_i'(x_k)>."""
    return one.slope * client_mean(one, lambda i, c: weighted_sum(c, c.slopes))


def deviation(one: Round, found: Together) -> Mixed:
    """Return (1/m) sum_ik eta (f_i'(x_k) - f')."""
    return over_clients(found, lambda c: weighted_sum(c, [s - one.slope for s in c.slopes]))


def relative_deviation(one: Round, found: Together) -> Mixed:
    """Return the same for the weights eta/D_t."""
    total = over_clients(found, path_weight)
    return over_clients(found, lambda c: weighted_sum(c, [s - one.slope for s in c.slopes]) / total)


def off_added(one: Round, inside: bool = True) -> Mixed:
    """Return |left - right| of (15), D_t in the expectation, or outside it (as its mean)."""
    if inside:
        right = joint_mean(
            one,
            lambda found: over_clients(found, path_weight) * one.slope * (one.slope + relative_deviation(one, found)),
        )
    else:
        apart = joint_mean(one, lambda found: relative_deviation(one, found))
        right = client_mean(one, lambda i, c: path_weight(c)) * one.slope * (one.slope + apart)
    return abs(first_order(one) - right)


def young(one: Round) -> Mixed:
    """Return -E D_t <f', V> over E D_t (|f'|^2 + |V|^2), V the relative deviation."""

    def sides(found: Together) -> tuple[Mixed, Mixed]:
        total, v = over_clients(found, path_weight), relative_deviation(one, found)
        return -total * one.slope * v, total * (square(one.slope) + square(v))

    return quotient(joint_mean(one, lambda f: sides(f)[0]), joint_mean(one, lambda f: sides(f)[1]))


def off_factor(one: Round) -> Mixed:
    """Return |E D_t/2 |V|^2 - E 1/(2 D_t) |D_t V|^2| of (17)."""

    def gap(found: Together) -> Mixed:
        total = over_clients(found, path_weight)
        return total / 2 * square(relative_deviation(one, found)) - square(deviation(one, found)) / (2 * total)

    return abs(joint_mean(one, gap))


def off_regrouped(one: Round, sign: int) -> Mixed:
    """Return the difference of (18) and (17): ``sign`` -1 as printed, 1 with f_i'(x_k) - f_i'(x_t) + f_i'(x_t) - f'."""

    def gap(found: Together) -> Mixed:
        parts = over_clients(found, lambda c: weighted_sum(c, [-sign * d + c.slopes[0] - one.slope for d in drift(c)]))
        return (square(deviation(one, found)) - square(parts)) / (2 * over_clients(found, path_weight))

    return abs(joint_mean(one, gap))


def over_drift(one: Round, value: Callable[[ClientPath], Mixed]) -> Mixed:
    """Return E (1/D_t) |(1/m) sum_i value|^2."""
    return joint_mean(one, lambda found: square(over_clients(found, value)) / over_clients(found, path_weight))


def a1(one: Round) -> Mixed:
    """Return A_1: the drift of the local models."""
    return over_drift(one, lambda c: weighted_sum(c, drift(c)))


def a2(one: Round) -> Mixed:
    """Return A_2: the dissimilarity."""
    return over_drift(one, lambda c: path_weight(c) * (c.slopes[0] - one.slope))


def a3(one: Round) -> Mixed:
    """Return A_3, the noise, without its smoothness factor, as for the next terms."""
    return 2 * client_mean(one, lambda i, c: square(weighted_sum(c, noise(c))))


def a4(one: Round) -> Mixed:
    """Return A_4: the drift again."""
    return 2 * client_mean(one, lambda i, c: square(weighted_sum(c, drift(c))))


def a5(one: Round) -> Mixed:
    """Return A_5: the dissimilarity again."""
    return 2 * client_mean(one, lambda i, c: square(path_weight(c) * (c.slopes[0] - one.slope)))


def a6(one: Round) -> Mixed:
    """Return A_6: the gradient of f."""
    return 2 * client_mean(one, lambda i, c: square(path_weight(c) * one.slope))


def all_terms(one: Round) -> Mixed:
    """Return A_1 + ... + A_6."""
    curvature = to_mixed(one.constants[notation.L])
    return a1(one) + a2(one) + curvature * (a3(one) + a4(one) + a5(one) + a6(one))


# The sums on the right of (20) to (29) ------------------------------------------------------------------------------


def mean_steps(one: Round) -> Mixed:
    """Return E D_t."""
    return client_mean(one, lambda i, c: path_weight(c))


def mean_squares(one: Round) -> Mixed:
    """Return (1/m) sum_ik E eta^2."""
    return client_mean(one, lambda i, c: squares(c))


def mean_fourth(one: Round) -> Mixed:
    """Return (1/m) sum_i E (sum_k eta^2)^2."""
    return client_mean(one, lambda i, c: square(squares(c)))


def per_step(one: Round, value: Callable[[ClientPath], Mixed]) -> Mixed:
    """Return E (1/(m D_t)) sum_i value."""
    return joint_mean(one, lambda found: over_clients(found, value) / over_clients(found, path_weight))


def squared_drift(course: ClientPath) -> Mixed:
    """Return sum_k eta_k^2 |f_i'(x_t) - f_i'(x_k)|^2."""
    return mixed_sum(square(eta * d) for eta, d in zip(course.steps, drift(course), strict=True))


def nested_ratio(course: ClientPath) -> Mixed:
    """Return sum_k k eta_k^2 sum_{l<k} eta_l^2 over (sum_k eta_k^2)^2."""
    total, past = fmpq(0), fmpq(0)
    for k, eta in enumerate(course.steps):
        total, past = total + k * eta * eta * past, past + eta * eta
    return total / square(past)


def errors(one: Round) -> Mixed:
    """Return the errors that (28) adds to f(x_t) - f(x_{t+1})."""
    read = one.constants
    curvature, count = (to_mixed(read[s]) for s in (notation.L, notation.K))
    spread = to_mixed(exact(read[notation.sigma] ** 2)) / read[notation.b]
    psi = spread + square(to_mixed(read[notation.G]))
    drifted = 2 * count * count * curvature * curvature * psi * mean_fourth(one)
    return drifted / mean_steps(one) + 2 * count * curvature * spread * mean_squares(one) + 2 * curvature * drifted


def gradient_factor(one: Round) -> Mixed:
    """Return the factor of the squared gradient in (28)."""
    read = one.constants
    curvature, count, rho = (to_mixed(read[s]) for s in (notation.L, notation.K, notation.rho))
    total, second = mean_steps(one), mean_squares(one)
    return total / 2 - count * rho * second / total - 2 * count * curvature * (1 + rho) * second
