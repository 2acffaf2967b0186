"""The letters of the paper, each defined once; no other file of the paper names ``fltheory.symbols``."""

from fltheory import symbols

M = symbols.n_clients
K = symbols.n_sampled
T = symbols.n_rounds
batch = symbols.batch_size
B = symbols.n_local_steps
n_experts = symbols.n_experts
alpha = symbols.probability_floor
eta = symbols.sampler_rate
gamma = symbols.meta_rate
A = symbols.max_feedback
a2 = symbols.squared_feedback
TV = symbols.total_variation
beta = symbols.variation_budget
D1 = symbols.start_divergence
psi = symbols.projection_distance
phi = symbols.projection_loss
smaller = symbols.projection_error
Lq = symbols.comparator_loss
Lbar = symbols.sampling_loss
J2 = symbols.oracle_energy
I_2 = symbols.path_energy
L = symbols.smoothness
nu = symbols.strong_convexity
D = symbols.initial_gap
sigma = symbols.noise_std
G = symbols.gradient_bound
g = symbols.point_gradient
zeta_unif = symbols.heterogeneity
zeta_fix = symbols.fixed_heterogeneity
zeta_T = symbols.dynamic_heterogeneity
zeta_min = symbols.least_heterogeneity
mu = symbols.step_size
server = symbols.server_step_size
mu_eff = symbols.effective_step_size
distance = symbols.distance
b = symbols.local_step
d = symbols.dimension

# printed forms
LATEX = {
    M: "M",
    K: "K",
    T: "T",
    batch: "B",
    B: "B",
    n_experts: "E",
    alpha: r"\alpha",
    eta: r"\eta",
    gamma: r"\gamma",
    A: r"A_{\max}",
    a2: r"\Sigma a_{\max}^2",
    TV: "TV",
    beta: r"\beta",
    D1: r"D_\Phi",
    psi: r"\Sigma\psi",
    phi: r"\Sigma\phi l(q)",
    smaller: r"\Sigma\min(\phi l, \psi a)",
    Lq: r"\Sigma l(q)",
    Lbar: r"\bar L",
    J2: r"\Sigma J^2",
    I_2: "I_2",
    L: "L",
    nu: r"\nu",
    D: "D^F",
    sigma: r"\sigma",
    G: "G",
    g: "g",
    zeta_unif: r"\zeta_{unif}",
    zeta_fix: r"\zeta_{fix}",
    zeta_T: r"\zeta_T",
    zeta_min: r"\zeta_{\min}",
    mu: r"\mu",
    server: r"\mu_g",
    mu_eff: r"\tilde\mu",
}
LETTERS = tuple(LATEX.items())
