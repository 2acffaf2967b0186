"""The letters of the paper, each defined once; no other file of the paper names ``fltheory.symbols``."""

from fltheory import symbols

M = symbols.n_clients
S = symbols.n_participating
K = symbols.n_local_steps
R = symbols.n_rounds
n = symbols.n_signs
n_draws = symbols.n_draws
m = symbols.position
k = symbols.local_step
dimension = symbols.dimension
L = symbols.smoothness
mu = symbols.strong_convexity
D = symbols.initial_distance
A = symbols.initial_gap
G = symbols.initial_gradient
lam0 = symbols.large_curvature
lam = symbols.small_curvature
lam1 = symbols.auxiliary_curvature
x0 = symbols.start
sigma = symbols.noise_std
sigma_star = symbols.noise_std_at_optimum
zeta_star = symbols.heterogeneity_at_optimum
zeta = symbols.heterogeneity
beta = symbols.heterogeneity_slope
zeta_hat = symbols.max_heterogeneity
hessian_heterogeneity = symbols.hessian_heterogeneity
hessian_lipschitz = symbols.hessian_lipschitz
hessian_jump = symbols.hessian_jump
eta = symbols.step_size
gamma = symbols.server_step_size
eta_eff = symbols.effective_step_size
eta_max = symbols.max_step_size
ell_e = symbols.log_factor
a = symbols.contraction
b = symbols.descent
c1 = symbols.noise_coefficient
c2 = symbols.drift_coefficient
t = symbols.unit_interval
distance = symbols.distance
divergence = symbols.divergence

# printed forms
LATEX = {
    M: "M",
    S: "S",
    K: "K",
    R: "R",
    n: "n",
    n_draws: "n",
    m: "m",
    k: "k",
    dimension: "d",
    L: "L",
    mu: r"\mu",
    D: "D",
    A: "A",
    G: "G",
    lam0: r"\lambda_0",
    lam: r"\lambda",
    lam1: r"\lambda_1",
    x0: "x^{(0)}",
    sigma: r"\sigma",
    sigma_star: r"\sigma_*",
    zeta_star: r"\zeta_*",
    zeta: r"\zeta",
    beta: r"\beta",
    zeta_hat: r"\hat\zeta",
    hessian_heterogeneity: r"\delta",
    hessian_lipschitz: "H",
    hessian_jump: "H",
    eta: r"\eta",
    gamma: r"\gamma",
    eta_eff: r"\tilde\eta",
    eta_max: r"\eta_{\max}",
    ell_e: r"\ell_e",
    a: "a",
    b: "b",
    c1: "c_1",
    c2: "c_2",
    t: "t",
    distance: r"\|x-z\|",
    divergence: r"D_{F}(x,y)",
}
LETTERS = tuple(LATEX.items())
