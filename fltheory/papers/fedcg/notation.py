"""The letters of the paper, each defined once; no other file of the paper names ``fltheory.symbols``."""

from sympy import Symbol

from fltheory import symbols

N = symbols.n_clients
n = symbols.n_items
r = symbols.rank
T = symbols.n_rounds
K = symbols.n_sampled
present = symbols.n_participating
m = symbols.n_samples
J = symbols.n_estimates
tau = symbols.n_local_steps
independent = symbols.n_independent
eta = symbols.server_step_size
OPT = symbols.optimum
m_F = symbols.max_singleton
m_max = symbols.max_client_singleton
p_min = symbols.least_weight
gamma = symbols.dissimilarity
gbar = symbols.mean_dissimilarity
gsquare = symbols.mean_square_dissimilarity
D = symbols.dissimilarity_sum
weighted = symbols.weighted_dissimilarity
ceilings = symbols.squared_dissimilarity
curvature = symbols.weighted_curvature
sigma = symbols.estimate_error
L = symbols.local_lipschitz
Q = symbols.lipschitz_sum
B = symbols.gradient_drift
drift = symbols.weighted_drift
deviations = symbols.squared_deviation
delta = symbols.failure_probability
delta_est = symbols.estimation_failure
error = symbols.additive_error
eps = symbols.accuracy
kappa = symbols.sampling_scale
step_length = symbols.step_length


def units(letter: Symbol) -> int:
    """Return the power of the unit of function values in a letter."""
    return int(symbols.meaning(letter).dimension[0])


# printed forms
LATEX = {
    N: "N",
    n: "n",
    r: "r",
    T: "T",
    K: "K",
    present: "N'",
    m: "m",
    J: "J",
    tau: r"\tau",
    independent: "I",
    eta: r"\eta",
    OPT: "OPT",
    m_F: "m_F",
    m_max: "m_*",
    p_min: r"p_{\min}",
    gamma: r"\gamma",
    gbar: r"\bar\gamma",
    gsquare: r"\Sigma p\gamma^2",
    D: "D",
    weighted: r"W_\gamma",
    ceilings: "G_2",
    curvature: "W_c",
    sigma: r"\sigma",
    L: "L",
    Q: "Q",
    B: "B",
    drift: "W_B",
    deviations: "V_2",
    delta: r"\delta",
    delta_est: r"\delta_{est}",
    error: r"\varepsilon",
    eps: r"\varepsilon",
    kappa: r"\kappa",
    step_length: "|d|_1",
}
LETTERS = tuple(LATEX.items())

# for FedCG+ the paper counts R = T/tau rounds
LOCAL = tuple({**LATEX, T: "R"}.items())
