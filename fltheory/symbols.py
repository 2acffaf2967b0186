"""The symbol table: all constants of the catalogue, each with its meaning, domain and physical dimension.

A bound uses constants, an instance provides them, an assumption checks them and an algorithm reads them,
all through one mapping from these SymPy symbols to exact numbers. Paper modules import them under the paper's notation.

Dimensions are powers of the unit ``E`` of the objective and of the unit ``l`` of length in the parameter space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from keyword import iskeyword

import sympy
from sympy import Symbol


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for: ``dimension`` is (powers of objective units, powers of length units)."""

    symbol: Symbol
    text: str
    domain: str  # one of DOMAINS
    dimension: tuple[sympy.Rational, sympy.Rational]


DOMAINS = ("positive integer", "nonnegative integer", "positive", "nonnegative", "real")
_ASSUMPTIONS = {
    "positive integer": {"integer": True, "positive": True},
    "nonnegative integer": {"integer": True, "nonnegative": True},
    "positive": {"positive": True},
    "nonnegative": {"nonnegative": True},
    "real": {"real": True},
}
# Names that cases, steps, statements and checks use for something else.
RESERVED = ("get", "in_round", "it", "round", "uses_round", "case", "claim", "instance", "profile", "seed", "stages")
_TABLE: dict[str, Meaning] = {}


def _define(name: str, text: str, domain: str, objective: int = 0, length: int = 0) -> Symbol:
    symbol = Symbol(name, **_ASSUMPTIONS[domain])
    _TABLE[name] = Meaning(symbol, text, domain, (sympy.Integer(objective), sympy.Integer(length)))
    return symbol


# Counts
n_clients = _define("n_clients", "number of clients", "positive integer")
n_participating = _define("n_participating", "clients that take part in a round", "positive integer")
n_local_steps = _define("n_local_steps", "local steps of a client in a round", "positive integer")
n_rounds = _define("n_rounds", "number of rounds", "positive integer")
n_signs = _define("n_signs", "number of random signs summed", "nonnegative integer")
n_draws = _define("n_draws", "number of draws without replacement", "positive integer")
n_sampled = _define("n_sampled", "clients drawn in a round, with replacement", "positive integer")
n_experts = _define("n_experts", "number of experts", "positive integer")
n_components = _define("n_components", "functions of which a client's objective is the mean", "positive integer")
batch_size = _define("batch_size", "samples in the mini-batch of a client", "positive integer")
position = _define("position", "position of a client in a round, from 1", "positive integer")
local_step = _define("local_step", "local steps a client has done, from 0", "nonnegative integer")
dimension = _define("dimension", "dimension of the parameter space", "positive integer")

n_items = _define("n_items", "number of items of the ground set", "positive integer")
rank = _define("rank", "rank of the matroid: the size of its bases", "positive integer")
n_samples = _define("n_samples", "random sets of which a gradient is the mean", "positive integer")
n_estimates = _define("n_estimates", "gradients that are estimated in a whole run", "positive integer")
n_independent = _define("n_independent", "number of independent sets of the matroid", "positive integer")

# The objective
smoothness = _define("smoothness", "smoothness constant of every client's objective", "positive", 1, -2)
strong_convexity = _define("strong_convexity", "strong convexity constant", "nonnegative", 1, -2)
initial_distance = _define("initial_distance", "distance from the start to the minimiser", "nonnegative", 0, 1)
initial_gap = _define("initial_gap", "objective at the start minus its minimum", "nonnegative", 1, 0)
initial_gradient = _define("initial_gradient", "norm of the gradient at the start", "nonnegative", 1, -1)
large_curvature = _define("large_curvature", "curvature left of the kink", "positive", 1, -2)
small_curvature = _define("small_curvature", "curvature right of the kink", "positive", 1, -2)
auxiliary_curvature = _define("auxiliary_curvature", "curvature that sets a step range", "positive", 1, -2)
start = _define("start", "start point of a one-dimensional instance", "real", 0, 1)

# Online learning on a decision set
domain_diameter = _define("domain_diameter", "largest distance of two points of the decision set", "positive", 0, 1)
squared_gradients = _define(
    "squared_gradients", "sum over rounds of the squared gradients at the points played", "nonnegative", 2, -2
)

# Noise and heterogeneity
noise_std = _define("noise_std", "standard deviation of the gradient noise, everywhere", "nonnegative", 1, -1)
noise_std_at_optimum = _define(
    "noise_std_at_optimum", "standard deviation of the gradient noise at the minimiser", "nonnegative", 1, -1
)
heterogeneity_at_optimum = _define(
    "heterogeneity_at_optimum", "root mean square client gradient at the minimiser", "nonnegative", 1, -1
)
max_heterogeneity_at_optimum = _define(
    "max_heterogeneity_at_optimum", "largest client gradient at the minimiser", "nonnegative", 1, -1
)
heterogeneity = _define("heterogeneity", "uniform gradient heterogeneity", "nonnegative", 1, -1)
heterogeneity_slope = _define(
    "heterogeneity_slope", "part of the heterogeneity relative to the gradient", "nonnegative"
)
max_heterogeneity = _define("max_heterogeneity", "uniform heterogeneity of the worst client", "nonnegative", 1, -1)
hessian_heterogeneity = _define(
    "hessian_heterogeneity", "largest distance of a client Hessian to the mean", "nonnegative", 1, -2
)
hessian_lipschitz = _define(
    "hessian_lipschitz", "Lipschitz constant of the mean's second derivative", "nonnegative", 1, -3
)
hessian_jump = _define("hessian_jump", "largest jump of the mean's second derivative", "nonnegative", 1, -2)

fixed_heterogeneity = _define(
    "fixed_heterogeneity", "root of the largest variance under the best fixed sampling", "nonnegative", 1, -1
)
dynamic_heterogeneity = _define(
    "dynamic_heterogeneity", "root of the value of the sampling game with a variation budget", "nonnegative", 1, -1
)
least_heterogeneity = _define(
    "least_heterogeneity", "root of the largest variance under the best sampling at every point", "nonnegative", 1, -1
)
gradient_bound = _define("gradient_bound", "largest norm of a stochastic gradient", "positive", 1, -1)
point_gradient = _define("point_gradient", "norm of a gradient at the point considered", "nonnegative", 1, -1)

# Sampling clients online
probability_floor = _define("probability_floor", "every client keeps this share of 1/M as probability", "positive")
sampler_rate = _define("sampler_rate", "learning rate of the sampler", "positive", -2, 2)
meta_rate = _define("meta_rate", "learning rate of the weights of the experts", "positive", -2, 2)
max_feedback = _define("max_feedback", "largest squared weighted update of a client", "positive", 2, -2)
squared_feedback = _define(
    "squared_feedback", "sum over rounds of the squares of the largest feedback", "nonnegative", 4, -4
)
total_variation = _define("total_variation", "total variation of the comparator in the 1-norm", "nonnegative")
variation_budget = _define("variation_budget", "limit of the expected total variation", "nonnegative")
start_divergence = _define(
    "start_divergence", "relative entropy of the projected first comparator to the uniform", "nonnegative"
)
projection_distance = _define("projection_distance", "sum over rounds of psi, the mass below the floor", "nonnegative")
projection_loss = _define("projection_loss", "sum over rounds of phi times the comparator's loss", "nonnegative", 2, -2)
projection_error = _define(
    "projection_error", "sum over rounds of the smaller of both limits of the projection's cost", "nonnegative", 2, -2
)
comparator_loss = _define("comparator_loss", "sum over rounds of the comparator's loss", "nonnegative", 2, -2)
sampling_loss = _define("sampling_loss", "expected sum over rounds of the sampler's loss", "nonnegative", 2, -2)
oracle_energy = _define(
    "oracle_energy", "sum over rounds of the mean square of the aggregate of all clients", "nonnegative", 2, -2
)
path_energy = _define(
    "path_energy", "mean square of the sum of a client's gradients along its local steps", "nonnegative", 2, -2
)

# Steps
step_size = _define("step_size", "step size of a client", "positive", -1, 2)
server_step_size = _define("server_step_size", "step size of the server", "positive")
effective_step_size = _define("effective_step_size", "step of a whole round", "positive", -1, 2)
max_step_size = _define("max_step_size", "largest allowed effective step", "positive", -1, 2)

# Maximising submodular functions
optimum = _define("optimum", "largest value of the objective on the independent sets", "nonnegative", 1, 0)
max_singleton = _define("max_singleton", "largest value of a single item under the objective", "nonnegative", 1, 0)
max_client_singleton = _define(
    "max_client_singleton", "largest value of a single item under any client's function", "nonnegative", 1, 0
)
least_weight = _define("least_weight", "smallest weight of a client", "nonnegative")
dissimilarity = _define(
    "dissimilarity", "largest distance of a client's gradient to the mean one, in the maximum norm", "nonnegative", 1, 0
)
mean_dissimilarity = _define(
    "mean_dissimilarity", "mean over the clients of the distance of their gradient to the mean one", "nonnegative", 1, 0
)
mean_square_dissimilarity = _define(
    "mean_square_dissimilarity",
    "mean over the clients of the squared distance of their gradients to the mean one",
    "nonnegative",
    2,
    0,
)
dissimilarity_sum = _define("dissimilarity_sum", "sum over rounds of the largest dissimilarity", "nonnegative", 1, 0)
weighted_dissimilarity = _define(
    "weighted_dissimilarity",
    "sum over rounds of the mean dissimilarity, a round's weight 1 - step to the rounds left",
    "nonnegative",
    1,
    0,
)
squared_dissimilarity = _define(
    "squared_dissimilarity", "sum over rounds of the squares of ceilings of the dissimilarity", "nonnegative", 2, 0
)
weighted_curvature = _define(
    "weighted_curvature",
    "sum over rounds of (sum of the direction)^2 - sum of its squares, weighted like it",
    "nonnegative",
)
estimate_error = _define("estimate_error", "largest error of an estimated gradient in any item", "nonnegative", 1, 0)
local_lipschitz = _define(
    "local_lipschitz",
    "largest change of a client's gradient over the Euclidean length of its local steps",
    "nonnegative",
    1,
    0,
)
lipschitz_sum = _define("lipschitz_sum", "sum over rounds of the local Lipschitz constant", "nonnegative", 1, 0)
gradient_drift = _define(
    "gradient_drift", "largest change of a client's gradient along its local steps, in any item", "nonnegative", 1, 0
)
weighted_drift = _define(
    "weighted_drift", "sum over rounds of the gradient drift, weighted like the dissimilarity", "nonnegative", 1, 0
)
squared_deviation = _define(
    "squared_deviation",
    "sum over rounds of the squares of ceilings of rank times dissimilarity, error and half the drift",
    "nonnegative",
    2,
    0,
)
failure_probability = _define("failure_probability", "probability that a statement fails", "positive")
estimation_failure = _define(
    "estimation_failure", "probability that some estimate is off by more than its error", "positive"
)
additive_error = _define("additive_error", "amount by which a value may miss its guarantee", "positive", 1, 0)
accuracy = _define("accuracy", "share of the optimum that may be lost", "positive")
sampling_scale = _define("sampling_scale", "factor of a client's importance in its response probability", "positive")
step_length = _define("step_length", "sum of the coordinates of a step in the cube", "nonnegative")

# Aggregating clients by online decisions
response_low = _define("response_low", "smallest response that a client can give", "nonnegative")
response_high = _define("response_high", "largest response that a client can give", "positive")
participation = _define("participation", "probability that a client takes part in a round", "positive")
learner_regularisation = _define(
    "learner_regularisation", "weight of the squared norm in the online Newton step", "positive"
)
learner_curvature = _define(
    "learner_curvature", "weight of past gradients squared in the online Newton step", "positive"
)
learner_scale = _define("learner_scale", "size of the gradients for which the learner's rate is tuned", "positive")
imputed_response = _define("imputed_response", "response assumed for clients that are not observed", "nonnegative")
loss_power = _define("loss_power", "power of the losses in a fair objective", "nonnegative")
loss_tilt = _define("loss_tilt", "factor of the losses in a tilted objective", "real", -1, 0)
loss_baseline = _define("loss_baseline", "loss that no client exceeds", "positive", 1, 0)
max_loss = _define("max_loss", "largest loss of a client", "nonnegative", 1, 0)
min_loss = _define("min_loss", "smallest loss of a client", "nonnegative", 1, 0)
loss_lead = _define("loss_lead", "largest loss of a client minus the next smaller one", "positive", 1, 0)
loss_ratio = _define("loss_ratio", "next smaller loss of a client over the largest", "nonnegative")
worst_share = _define("worst_share", "share of the samples that the clients of the largest loss have", "positive")
relative_slope = _define(
    "relative_slope", "smallest squared gradient of a client over its loss and its smoothness", "nonnegative"
)

# Step sizes that clients choose themselves
initial_step_size = _define("initial_step_size", "step size with which every client begins a round", "positive", -1, 2)
initial_ratio = _define("initial_ratio", "ratio of the last two step sizes with which a client begins", "positive")
amplifier = _define("amplifier", "factor of half the inverse local smoothness in a chosen step size", "positive")
growth_damping = _define("growth_damping", "factor of the last ratio in the growth of a step size", "nonnegative")
growth = _define("growth", "largest factor by which the steps so far can have grown", "positive")
least_step = _define("least_step", "step size that no client goes below", "nonnegative", -1, 2)
largest_step = _define("largest_step", "step size that no client goes above", "positive", -1, 2)
step_sum = _define("step_sum", "sum of the step sizes of a run and of the first one times its ratio", "positive", -1, 2)
mean_step_sum = _define(
    "mean_step_sum", "mean over all clients of the sum of their step sizes in a round", "nonnegative", -1, 2
)
step_dispersion = _define("step_dispersion", "mean square of the steps of a round over their squared mean", "positive")
local_smoothness = _define(
    "local_smoothness", "Lipschitz constant of the clients' gradients between the points of a run", "positive", 1, -2
)
least_curvature = _define(
    "least_curvature", "smallest change of a gradient divided by the distance between its points", "nonnegative", 1, -2
)
lyapunov_constant = _define(
    "lyapunov_constant", "value of the Lyapunov function after the first step", "nonnegative", 0, 2
)
strong_growth = _define(
    "strong_growth",
    "largest squared distance of a client's gradient to the mean one over the mean one squared",
    "nonnegative",
)
client_gradient_bound = _define("client_gradient_bound", "largest norm of a client's gradient", "nonnegative", 1, -1)
proximal_weight = _define("proximal_weight", "curvature that a proximal term adds", "nonnegative", 1, -2)

# Auxiliary quantities of proofs
log_factor = _define("log_factor", "logarithmic factor of a tuned step size", "nonnegative")
contraction = _define("contraction", "contraction rate of a recursion", "nonnegative", 1, -2)
descent = _define("descent", "coefficient of the decrease in a recursion", "positive")
noise_coefficient = _define("noise_coefficient", "coefficient of the squared step in a recursion", "nonnegative", 2, -2)
drift_coefficient = _define("drift_coefficient", "coefficient of the cubed step in a recursion", "nonnegative", 3, -4)
distance = _define("distance", "distance between two points", "nonnegative", 0, 1)
divergence = _define("divergence", "Bregman divergence of two points", "nonnegative", 1, 0)
unit_interval = _define("unit_interval", "a number in (0, 1)", "positive")

VOCABULARY: dict[str, Meaning] = dict(_TABLE)

# The default LaTeX notation, for papers that define none of their own.
COMMON_NOTATION = {
    n_clients: "M",
    n_participating: "S",
    n_local_steps: "K",
    n_rounds: "R",
    dimension: "d",
    smoothness: "L",
    strong_convexity: r"\mu",
    initial_distance: "D",
    initial_gap: "A",
    noise_std: r"\sigma",
    noise_std_at_optimum: r"\sigma_*",
    heterogeneity: r"\zeta",
    heterogeneity_at_optimum: r"\zeta_*",
    gradient_bound: "G",
    step_size: r"\eta",
    effective_step_size: r"\tilde\eta",
    server_step_size: r"\gamma",
    failure_probability: r"\delta",
    accuracy: r"\varepsilon",
}


def notation_for(used: Iterable[Symbol], own: Mapping[Symbol, str]) -> dict[Symbol, str]:
    """Return a paper's ``own`` notation, then the default letters that neither it nor the ``used`` constants occupy."""
    taken = {letter.lstrip("\\") for letter in (*own.values(), *(symbol.name for symbol in used))}
    common = {symbol: letter for symbol, letter in COMMON_NOTATION.items() if letter.lstrip("\\") not in taken}
    return {**common, **own}


def declare(name: str, text: str, domain: str, objective: int = 0, length: int = 0) -> Symbol:
    """Declare a constant of your own.

    From then on cases may set it, bounds may use it, and steps read it as ``c.name``. Declaring it again in the same way
    returns the same symbol.

    Parameters
    ----------
    name : str
        A Python identifier.
    text : str
        What the constant is.
    domain : {"positive integer", "nonnegative integer", "positive", "nonnegative", "real"}
        The values that it may have.
    objective, length : int
        Its powers of the unit of the objective and of the unit of length.

    Returns
    -------
    sympy.Symbol
        The symbol for formulas.

    Raises
    ------
    ValueError
        If the name is not an identifier, or already means something else, or the domain is unknown.

    Examples
    --------
    >>> from fltheory import declare
    >>> declare("compression", "fraction of coordinates that are sent", "positive").is_positive
    True
    """
    if not name.isidentifier() or iskeyword(name) or name.startswith("_") or name in RESERVED:
        raise ValueError(f"a constant can't be called {name!r}: expected an identifier that Python and cases don't use")
    if domain not in DOMAINS:
        raise ValueError(f"{name}: the domain must be one of {', '.join(DOMAINS)}, got {domain!r}")
    if not text.strip():
        raise ValueError(f"{name}: the description is empty")
    dimension = (sympy.Rational(objective), sympy.Rational(length))
    entry = Meaning(Symbol(name, **_ASSUMPTIONS[domain]), text, domain, dimension)
    known = VOCABULARY.setdefault(name, entry)
    if known != entry:
        unit = tuple(map(str, known.dimension))
        raise ValueError(f"{name} is already defined as: {known.text} ({known.domain}, units {', '.join(unit)})")
    return known.symbol


def meaning(symbol: Symbol) -> Meaning:
    """Return the entry of ``symbol`` in the symbol table; KeyError if there is none."""
    return VOCABULARY[symbol.name]


def in_domain(symbol: Symbol, value: object) -> bool:
    """Return whether an exact number (int, Fraction or real SymPy number) lies in the symbol's domain."""
    kind = VOCABULARY[symbol.name].domain
    if isinstance(value, int | Fraction):
        if "integer" in kind and value.denominator != 1:
            return False
        return value.numerator > 0 if kind.startswith("positive") else kind == "real" or value.numerator >= 0
    return _closed_in_domain(kind, sympy.sympify(value))


@lru_cache(maxsize=4096)  # SymPy computes digits to determine a sign
def _closed_in_domain(kind: str, number: sympy.Expr) -> bool:
    if "integer" in kind and not number.is_integer:
        return False
    if kind.startswith("positive"):
        return bool(number > 0)
    return bool(number >= 0) if kind.startswith("nonnegative") else bool(number.is_real)
