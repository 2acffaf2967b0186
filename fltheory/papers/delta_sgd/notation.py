"""The paper's notation, the only file of the paper that refers to ``fltheory.symbols``."""

from fltheory import symbols

m = symbols.n_clients
P = symbols.n_participating
T = symbols.n_rounds
K = symbols.n_local_steps
b = symbols.batch_size
step_size = symbols.step_size
eta_0 = symbols.initial_step_size
theta_0 = symbols.initial_ratio
gamma = symbols.amplifier
delta = symbols.growth_damping
Pi = symbols.growth
h = symbols.least_step
a = symbols.largest_step
S = symbols.step_sum
D_t = symbols.mean_step_sum
R_t = symbols.step_dispersion
L = symbols.smoothness
L_hat = symbols.local_smoothness
mu = symbols.least_curvature
D = symbols.lyapunov_constant
rho = symbols.strong_growth
G = symbols.client_gradient_bound
sigma = symbols.noise_std
gap = symbols.initial_gap
R = symbols.initial_distance
slope = symbols.point_gradient
proximal_weight = symbols.proximal_weight
dimension = symbols.dimension
distance = symbols.distance

# their printed form
LATEX = {
    m: "m",
    P: "pm",
    T: "T",
    K: "K",
    b: "b",
    step_size: r"\gamma",
    eta_0: r"\eta_0",
    theta_0: r"\theta_0",
    gamma: r"\gamma",
    delta: r"\delta",
    Pi: r"\Pi",
    h: "h",
    a: "a",
    S: "S_t",
    D_t: "D_t",
    R_t: "R_t",
    L: r"\tilde L",
    L_hat: r"\hat L",
    mu: r"\mu",
    D: "D",
    rho: r"\rho",
    G: "G",
    sigma: r"\sigma",
    gap: r"\Delta_0",
    R: "R",
    slope: r"\|\nabla f(x_t)\|",
    proximal_weight: r"\mu",
}
LETTERS = tuple(LATEX.items())

# Lemma 4 and Theorem 5 count t rounds
CONVEX = tuple({**LATEX, T: "t", distance: r"\|x_1-x_0\|"}.items())

# Section 2 and the lemmas on smoothness have their own symbols
_HERE = {L: "L", step_size: r"\eta", mu: "L_j", L_hat: r"\tilde L"}
LEMMAS = tuple((symbol, _HERE.get(symbol, letter)) for symbol, letter in CONVEX)
