"""Where the theorems are checked and searched: small quadratics, F_m(x) = sum of h x²/2 + b x over the coordinates."""

from hypothesis import strategies as st

from fltheory import Case
from fltheory.problems.separable import QuadraticClients


def share(least="0"):
    """A fraction between ``least`` and 1."""
    return st.fractions(least, 1, max_denominator=20)


def one_client():
    """Two coordinates of curvatures 1 and h, a start on the diagonal, exact gradients: L = 1, mu = h, D² = 2."""
    return st.builds(
        lambda h, rounds: Case(QuadraticClients(((1, h),), ((0, 0),), (1, 1)), n_rounds=rounds),
        share("1/20"),
        st.integers(1, 9),
    )


def noisy():
    """The same with noise in every gradient, and a step of at most 1/L."""
    return st.builds(
        lambda h, noise, step, rounds: Case(
            QuadraticClients(((1, h),), ((0, 0),), (1, 1), noise_std=noise), n_rounds=rounds, step_size=step
        ),
        share("1/20"),
        share(),
        share("1/20"),
        st.integers(1, 9),
    )


def alike():
    """Two clients with one objective, noise, several local steps."""
    return several(st.just(0))


def different():
    """Two clients of different curvatures that pull in opposite directions."""
    return several(share())


def several(pull):
    """Two clients in one dimension, F = h x²/2 + pull x and x²/2 - pull x (both the first where nobody pulls)."""

    def case(h, b, noise, step, local, rounds):
        clients = QuadraticClients((h, 1 if b else h), (b, -b), (1,), noise_std=noise)
        return Case(clients, n_rounds=rounds, n_local_steps=local, step_size=step)

    return st.builds(case, share("1/20"), pull, share(), share("1/20"), st.integers(1, 5), st.integers(1, 5))
