"""The letters of the literature, each a constant of the vocabulary (`fltheory/symbols.py`)."""

from fltheory.symbols import heterogeneity_at_optimum as zeta  # root mean square of the clients' gradients at x*
from fltheory.symbols import initial_distance as D  # |x_0 - x*|
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_local_steps as K
from fltheory.symbols import n_rounds as R
from fltheory.symbols import noise_std as sigma  # the noise of a gradient has E|noise|² <= sigma²
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as eta
from fltheory.symbols import strong_convexity as mu

__all__ = ["D", "K", "L", "M", "R", "eta", "mu", "sigma", "zeta"]
