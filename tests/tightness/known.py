"""Theorems whose true constants are known, with families wide enough to come near them: a test of `fltheory tightness`.

`TRUE` has, for each, the least factor that the bound could have, by proof and by an instance (or a sequence of them).
"""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st
from sympy import Eq, Integer

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.measures import AveragedGap, DirectMeasure, LastDistance, LastGap
from fltheory.symbols import gradient_bound as G
from fltheory.symbols import heterogeneity_at_optimum as zeta
from fltheory.symbols import initial_distance as D
from fltheory.symbols import initial_gap
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_local_steps as K
from fltheory.symbols import n_rounds as R
from fltheory.symbols import noise_std as sigma
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as eta
from fltheory.symbols import strong_convexity as mu


def share(least="0"):
    """A fraction between ``least`` and 1."""
    return st.fractions(least, 1, max_denominator=20)


def quadratics():
    """Two coordinates of curvatures 1 and h, noise, a step of at most 1/L."""
    return st.builds(
        lambda h, noise, step, rounds: Case(
            QuadraticClients(((1, h),), ((0, 0),), (1, 1), noise_std=noise), n_rounds=rounds, step_size=step
        ),
        share("1/20"),
        share(),
        share("1/20"),
        st.integers(1, 9),
    )


def exact_quadratics():
    """The same without noise and without a step: L = 1, mu = h."""
    return st.builds(
        lambda h, rounds: Case(QuadraticClients(((1, h),), ((0, 0),), (1, 1)), n_rounds=rounds),
        share("1/20"),
        st.integers(1, 9),
    )


def kinked():
    """F is x²/2 + s x left of 0 and the line s x right of it, so that x* = -s: half of a Huber function; L = 1."""
    return st.builds(
        lambda slope, start, step, rounds: Case(
            PiecewiseQuadraticClients((1,), (0,), (slope,), (start,)), n_rounds=rounds, step_size=step
        ),
        share("1/20"),
        share(),
        share("1/20"),
        st.integers(1, 9),
    )


def local():
    """Two clients with one objective, noise, several local steps."""
    return st.builds(
        lambda h, noise, step, steps, rounds: Case(
            QuadraticClients((h, h), (0, 0), (1,), noise_std=noise),
            n_rounds=rounds,
            n_local_steps=steps,
            step_size=step,
        ),
        share("1/20"),
        share(),
        share("1/20"),
        st.integers(1, 4),
        st.integers(1, 4),
    )


def step(x, oracle, c):
    """x - g / L."""
    return x - oracle.gradient(x, 0) / c.smoothness


def sized_step(x, oracle, c):
    """x - eta g."""
    return x - c.step_size * oracle.gradient(x, 0)


def local_step(x, oracle, c):
    """The mean over the clients of x after K local steps each."""
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


ALONE = Eq(M, 1)  # one client
EXACT = Eq(sigma, 0)
GD, SGD, LOCAL = Algorithm("GD, step 1/L", step), Algorithm("SGD", sized_step), Algorithm("local SGD", local_step)

# Drori and Teboulle (2014), Theorem 3.1: L D²/(4 R + 2), attained by a Huber function; the limit R -> oo is half of this.
GD_CONVEX = theorem(
    "GD: convex, step 1/L: F(x_R) - F* <= L D²/(2 R)",
    quantity <= L * D**2 / (2 * R),
    given=[ALONE, EXACT],
    algorithm=GD,
    measure=LastGap(),
    family=kinked,
)
# The same bound on quadratics alone: R h (1 - h)^(2R) <= 1/(2e), the limit R -> oo at h = 1/(2R + 1).
GD_QUADRATIC = theorem(
    "GD-quadratic: quadratics, step 1/L: F(x_R) - F* <= L D²/(2 R)",
    quantity <= L * D**2 / (2 * R),
    given=[ALONE, EXACT],
    algorithm=GD,
    measure=LastGap(),
    family=exact_quadratics,
)
# Nesterov (2018), Theorem 2.1.15: attained in either eigenvector.
GD_TUNED = theorem(
    "GD-tuned: strongly convex, step 2/(L + mu): |x_R - x*|² <= ((L - mu)/(L + mu))^(2R) D²",
    quantity <= ((L - mu) / (L + mu)) ** (2 * R) * D**2,
    given=[ALONE, EXACT, mu < L],
    tuning=((eta, 2 / (L + mu)),),
    algorithm=SGD,
    measure=LastDistance(),
    family=exact_quadratics,
)
# On quadratics it is (1 - mu/L)^(2R): the factor of (1 - mu/L)^R is 1 in the limit mu -> 0.
GD_GAP = theorem(
    "GD-gap: strongly convex, step 1/L: F(x_R) - F* <= (1 - mu/L)^R (F(x_0) - F*)",
    quantity <= (1 - mu / L) ** R * initial_gap,
    given=[ALONE, EXACT, mu > 0],
    algorithm=GD,
    measure=LastGap(),
    family=exact_quadratics,
)
# eta mu = 1 and R = 1 attain the noise term, eta mu -> 0 the other.
SGD_STRONG = theorem(
    "SGD: strongly convex: E|x_R - x*|² <= (1 - eta mu)^R D² + eta sigma²/mu",
    quantity <= (1 - eta * mu) ** R * D**2 + eta * sigma**2 / mu,
    given=[ALONE, eta * L <= 1, mu > 0],
    algorithm=SGD,
    measure=LastDistance(),
    family=quadratics,
)
# A Huber function on whose line the run stays to the end has (R² - 1)/R² of it: 1 in the limit R -> oo.
SGD_MEAN = theorem(
    "SGD-mean: convex, the mean of x_0, ..., x_R: E F(mean) - F* <= D²/(2 eta (R + 1)) + eta sigma²/2",
    quantity <= D**2 / (2 * eta * (R + 1)) + eta * sigma**2 / 2,
    given=[ALONE, eta * L <= 1],
    algorithm=SGD,
    measure=AveragedGap(Integer(1)),
    family=kinked,
)
# One client is SGD over K R steps.
LOCAL_SGD = theorem(
    "LSGD: clients with one minimiser: E|x_R - x*|² <= (1 - eta mu)^(K R) D² + eta sigma²/mu",
    quantity <= (1 - eta * mu) ** (K * R) * D**2 + eta * sigma**2 / mu,
    given=[eta * L < 1, mu > 0, Eq(zeta, 0)],
    algorithm=LOCAL,
    measure=LastDistance(),
    family=local,
)


@dataclass(frozen=True)
class LinearLosses:
    """Losses g_t x on the line, |g_t| <= 1, ``slopes[j]`` in ``counts[j]`` rounds; the comparison is D away from the start."""

    slopes: tuple
    counts: tuple
    distance: Fraction

    def __post_init__(self):
        for name in ("slopes", "counts"):
            object.__setattr__(self, name, tuple(Fraction(v) for v in vars(self)[name]))
        object.__setattr__(self, "distance", Fraction(self.distance))
        object.__setattr__(self, "counts", tuple(int(n) for n in self.counts))
        if not self.counts or len(self.counts) != len(self.slopes) or min(self.counts) < 1:
            raise ValueError("every slope needs a positive count")
        if not self.distance > 0 or not any(self.slopes):
            raise ValueError("the distance must be positive, and a slope not 0")

    @property
    def constants(self):
        return {R: sum(self.counts), D: self.distance, G: max(abs(s) for s in self.slopes)}


def regret(case, ring):
    """sum_t g_t (x_t - u) for x_{t+1} = x_t - eta g_t, x_1 = 0, against the better of u = -D and D."""
    c, x, paid, total = case.constants, Fraction(0), Fraction(0), Fraction(0)
    for slope, count in zip(case.instance.slopes, case.instance.counts, strict=True):
        paid += slope * (count * x - Fraction(c[eta]) * slope * count * (count - 1) / 2)
        x, total = x - Fraction(c[eta]) * slope * count, total + slope * count
    return ring.scalar(paid + abs(total) * case.instance.distance)


def games():
    """One slope, or two."""
    return st.builds(
        lambda slopes, count, distance, step: Case(
            LinearLosses(tuple(slopes), (count,) * len(slopes), distance), step_size=step
        ),
        st.lists(share("1/20"), min_size=1, max_size=2),
        st.integers(1, 9),
        share("1/20"),
        share("1/20"),
    )


# Zinkevich (2003): one slope all along with eta G R = D attains it.
OGD = theorem(
    "OGD: linear losses on the line: regret <= D²/(2 eta) + eta G² R/2",
    quantity <= D**2 / (2 * eta) + eta * G**2 * R / 2,
    measure=DirectMeasure("regret", regret, (1, 0)),
    family=games,
    key="known",
)
TRUE = {
    GD_CONVEX.id: Fraction(1, 2),
    GD_QUADRATIC.id: Fraction("0.18394"),  # 1/(2e) = 0.183939...
    GD_TUNED.id: Fraction(1),
    GD_GAP.id: Fraction(1),
    SGD_STRONG.id: Fraction(1),
    SGD_MEAN.id: Fraction(1),
    LOCAL_SGD.id: Fraction(1),
    OGD.id: Fraction(1),
}
