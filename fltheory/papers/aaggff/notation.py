"""The paper's notation, the only file of the paper that refers to ``fltheory.symbols``."""

from fltheory import symbols

K = symbols.n_clients
T = symbols.n_rounds
m = symbols.n_participating
C = symbols.participation
C1 = symbols.response_low
C2 = symbols.response_high
alpha = symbols.learner_regularisation
beta = symbols.learner_curvature
Ls = symbols.learner_scale
c = symbols.imputed_response
q = symbols.loss_power
tilt = symbols.loss_tilt
M = symbols.loss_baseline
top = symbols.max_loss
low = symbols.min_loss
lead = symbols.loss_lead
ratio = symbols.loss_ratio
share = symbols.worst_share
slope = symbols.relative_slope
L = symbols.smoothness

# their printed form
LATEX = {
    K: "K",
    T: "T",
    m: "m",
    C: "C",
    C1: "C_1",
    C2: "C_2",
    alpha: r"\alpha",
    beta: r"\beta",
    Ls: "L_s",
    c: "c",
    q: "q",
    tilt: r"\lambda",
    M: "M",
    top: r"F_{\max}",
    low: r"F_{\min}",
    lead: r"\delta",
    ratio: r"\kappa",
    share: "w",
    slope: r"\gamma",
}
LETTERS = tuple(LATEX.items())
