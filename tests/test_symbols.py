"""The vocabulary: every constant once, with its domain and dimension."""

from fractions import Fraction

import pytest
import sympy

from fltheory import symbols
from fltheory.symbols import DOMAINS, VOCABULARY, in_domain, meaning


def test_every_entry_is_complete_and_named_after_its_symbol():
    for name, entry in VOCABULARY.items():
        assert entry.symbol.name == name
        assert entry.domain in DOMAINS
        assert entry.text
        assert meaning(entry.symbol) is entry


def test_a_foreign_symbol_has_no_meaning():
    with pytest.raises(KeyError):
        meaning(sympy.Symbol("K"))


@pytest.mark.parametrize(
    ("symbol", "inside", "outside"),
    [
        (symbols.n_rounds, [1, 7, 10**30], [0, -1, Fraction(1, 2), sympy.sqrt(2)]),
        (symbols.local_step, [0, 3], [-1, Fraction(3, 2)]),
        (symbols.step_size, [Fraction(1, 10**9), sympy.sqrt(2)], [0, -1, 1 - sympy.sqrt(2)]),
        (symbols.noise_std, [0, sympy.sqrt(3)], [-1, Fraction(-1, 10**30)]),
        (symbols.start, [0, -5, sympy.pi], [sympy.I]),
    ],
)
def test_domains(symbol, inside, outside):
    assert all(in_domain(symbol, v) for v in inside)
    assert not any(in_domain(symbol, v) for v in outside)


def test_the_two_scalings_of_the_theory_are_the_dimensions():
    """L, mu: E/l^2; sigma, zeta: E/l; steps: l^2/E; beta, gamma, M, K, R: none."""
    curvature, force, step = (1, -2), (1, -1), (-1, 2)
    for symbol, expected in [
        (symbols.smoothness, curvature),
        (symbols.strong_convexity, curvature),
        (symbols.noise_std, force),
        (symbols.heterogeneity, force),
        (symbols.heterogeneity_at_optimum, force),
        (symbols.step_size, step),
        (symbols.effective_step_size, step),
        (symbols.heterogeneity_slope, (0, 0)),
        (symbols.server_step_size, (0, 0)),
        (symbols.n_rounds, (0, 0)),
    ]:
        assert meaning(symbol).dimension == expected
