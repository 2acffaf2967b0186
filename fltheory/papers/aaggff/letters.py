"""The paper's letters for the vocabulary of ``fltheory.symbols``."""

from fltheory import symbols

LETTERS = (
    (symbols.n_clients, "K"),
    (symbols.n_rounds, "T"),
    (symbols.n_participating, "m"),
    (symbols.participation, "C"),
    (symbols.response_low, "C_1"),
    (symbols.response_high, "C_2"),
    (symbols.learner_regularisation, r"\alpha"),
    (symbols.learner_curvature, r"\beta"),
    (symbols.learner_scale, "L_s"),
    (symbols.imputed_response, "c"),
    (symbols.loss_power, "q"),
    (symbols.loss_tilt, r"\lambda"),
    (symbols.loss_baseline, "M"),
    (symbols.max_loss, r"F_{\max}"),
    (symbols.min_loss, r"F_{\min}"),
    (symbols.loss_lead, r"\delta"),
    (symbols.loss_ratio, r"\kappa"),
    (symbols.worst_share, "w"),
    (symbols.relative_slope, r"\gamma"),
)
