"""The paper's letters for the vocabulary of ``fltheory.symbols``."""

from fltheory import symbols

LETTERS = (
    (symbols.n_clients, "m"),
    (symbols.n_participating, "pm"),
    (symbols.n_rounds, "T"),
    (symbols.n_local_steps, "K"),
    (symbols.batch_size, "b"),
    (symbols.step_size, r"\gamma"),
    (symbols.initial_step_size, r"\eta_0"),
    (symbols.initial_ratio, r"\theta_0"),
    (symbols.amplifier, r"\gamma"),
    (symbols.growth_damping, r"\delta"),
    (symbols.growth, r"\Pi"),
    (symbols.least_step, "h"),
    (symbols.largest_step, "a"),
    (symbols.step_sum, "S_t"),
    (symbols.mean_step_sum, "D_t"),
    (symbols.step_dispersion, "R_t"),
    (symbols.smoothness, r"\tilde L"),
    (symbols.local_smoothness, r"\hat L"),
    (symbols.least_curvature, r"\mu"),
    (symbols.lyapunov_constant, "D"),
    (symbols.strong_growth, r"\rho"),
    (symbols.client_gradient_bound, "G"),
    (symbols.noise_std, r"\sigma"),
    (symbols.initial_gap, r"\Delta_0"),
    (symbols.initial_distance, "R"),
    (symbols.point_gradient, r"\|\nabla f(x_t)\|"),
    (symbols.proximal_weight, r"\mu"),
)
CONVEX = tuple((s, "t" if s == symbols.n_rounds else letter) for s, letter in LETTERS)  # Lemma 4, Theorem 5: t rounds
