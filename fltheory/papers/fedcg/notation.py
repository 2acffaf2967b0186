"""The paper's letters for the vocabulary of ``fltheory.symbols``."""

from fltheory import symbols

LETTERS = (
    (symbols.n_clients, "N"),
    (symbols.n_items, "n"),
    (symbols.rank, "r"),
    (symbols.n_rounds, "T"),
    (symbols.n_sampled, "K"),
    (symbols.n_samples, "m"),
    (symbols.n_estimates, "J"),
    (symbols.n_local_steps, r"\tau"),
    (symbols.n_independent, r"|\mathcal{I}|"),
    (symbols.server_step_size, r"\eta"),
    (symbols.optimum, "OPT"),
    (symbols.max_singleton, "m_F"),
    (symbols.max_client_singleton, "m_*"),
    (symbols.least_weight, r"p_{\min}"),
    (symbols.dissimilarity, r"\gamma"),
    (symbols.mean_dissimilarity, r"\bar\gamma"),
    (symbols.dissimilarity_sum, "D"),
    (symbols.weighted_dissimilarity, r"\Sigma(1-\eta)^{T-1-t}\bar\gamma_t"),
    (symbols.squared_dissimilarity, r"\Sigma g^2"),
    (symbols.weighted_curvature, r"\Sigma(1-\eta)^{T-1-t}c_t"),
    (symbols.estimate_error, r"\sigma"),
    (symbols.local_lipschitz, "L"),
    (symbols.lipschitz_sum, "Q"),
    (symbols.gradient_drift, "B"),
    (symbols.weighted_drift, r"\Sigma(1-\eta)^{R-1-t}B_t"),
    (symbols.squared_deviation, r"\Sigma d^2"),
    (symbols.failure_probability, r"\delta"),
    (symbols.estimation_failure, r"\delta_{est}"),
    (symbols.additive_error, r"\varepsilon"),
    (symbols.accuracy, r"\varepsilon"),
    (symbols.sampling_scale, r"\kappa"),
    (symbols.step_length, "|d|_1"),
)
LOCAL = tuple((s, "R" if s == symbols.n_rounds else letter) for s, letter in LETTERS)  # of FedCG+: rounds R = T/tau
