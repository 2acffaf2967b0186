"""Polynomial certificates: what they prove, what they refuse, and that no number in them can change."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction

import pytest
import sympy
from sympy import Rational, Symbol, sqrt, symbols

from fltheory.proof.algebra import polynomial
from fltheory.proof.find.find_scalar import find_polynomial

x, y = symbols("x y", real=True)
z = Symbol("z", nonnegative=True)
L, eta, a, b = symbols("L eta a b", positive=True)
n = Symbol("n", integer=True, positive=True)
f = sympy.Function("f")
STEP = (1 / (6 * L) - eta,)


def power_lemma(k, slack=1):
    """(1 - z)^k <= 1 - k z + slack k^2 z^2 on [0, 1]."""
    return 1 - k * z + slack * k**2 * z**2 - (1 - z) ** k, (1 - z,), {"degree": k}


def young(slack=1):
    return slack * a * x**2 / 2 + y**2 / (2 * a) - x * y, (), {"squares": (a * x - y,)}


# (proved, made too strong)
LEMMAS = {
    "step size": ((1 - 6 * L * eta, STEP, {}), (1 - 7 * L * eta, STEP, {})),
    "step size, squared": (
        (1 - 2 * L * eta - 3 * (L * eta) ** 2, STEP, {}),
        (1 - 7 * L * eta + (L * eta) ** 2, STEP, {}),
    ),
    "Young": (young(), young(Rational(99, 100))),
    "Bernoulli": (((1 + z) ** 5 - 1 - 5 * z, (), {"degree": 5}), ((1 + z) ** 5 - 1 - 6 * z, (), {"degree": 5})),
    "powers 2": (power_lemma(2), power_lemma(2, Rational(1, 5))),
    "powers 3": (power_lemma(3), power_lemma(3, Rational(2, 9))),
    "powers 4": (power_lemma(4), power_lemma(4, Rational(1, 4))),
    "powers 6": (power_lemma(6), power_lemma(6, Rational(1, 3))),
    "whole numbers": ((z * (1 - 1 / n) ** 2 + 1 / n - 1 / n**2, (), {}), (z * (1 - 2 / n), (), {})),
    "a square": (
        (x**3 - 3 * x + 2, (x + 2,), {"squares": (x - 1,)}),
        (x**3 - 3 * x + 1, (x + 2,), {"squares": (x - 1,)}),
    ),
    "a multiplier": (
        (z**2 - z + 1, (), {"multipliers": (1 + z,)}),
        (z**2 - 2 * z + Rational(99, 100), (), {"multipliers": (1 + z,)}),
    ),
    "a root": ((sqrt(2) * z - z, (sqrt(2) - 1,), {}), (sqrt(2) * z - 2 * z, (sqrt(2) - 1,), {})),
    "a function": ((f(x) / L - f(y) / L + 1, (f(x) - f(y),), {}), (f(x) / L - f(y) / L - 1, (f(x) - f(y),), {})),
}


def numbers(tree, path=()):
    """Where the strings in a certificate are."""
    if isinstance(tree, str):
        yield path
    for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from numbers(part, (*path, key))


def containers(tree, path=()):
    if isinstance(tree, list | dict):
        yield path
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from containers(part, (*path, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def perturbed(certificate, rng):
    """The certificate with one number, entry or key changed."""
    changed = copy.deepcopy(certificate)
    if rng.random() < 0.7:
        *path, last = rng.choice(list(numbers(changed)))
        value = Fraction(at(changed, path)[last])
        shift = Fraction(rng.choice((-3, -1, 1, 2)), rng.choice((1, 1, 2, 10**9)))
        other = rng.choice(
            (str(value + shift), str(-value - 1), f"+{value}", f"{2 * value.numerator}/{2 * value.denominator}", 1)
        )
        at(changed, path)[last] = other
        return changed
    part = at(changed, rng.choice([p for p in containers(changed) if at(changed, p) != []]))
    if isinstance(part, dict):
        kind = rng.choice(("more", "less"))
        part.pop(rng.choice(list(part))) if kind == "less" else part.update(note="1")
    else:
        kind = rng.choice(("twice", "less"))
        part.pop() if kind == "less" else part.append(copy.deepcopy(part[0]))
    return changed


@pytest.mark.parametrize("name", LEMMAS)
def test_lemmas(name):
    (target, facts, options), (stronger, its_facts, its_options) = LEMMAS[name]
    certificate = find_polynomial(target, facts, **options)
    assert certificate is not None
    assert polynomial.check_identity(target, facts, json.loads(json.dumps(certificate))) is None
    assert find_polynomial(stronger, its_facts, **its_options) is None
    assert "identity" in polynomial.check_identity(stronger, its_facts, certificate)


@pytest.mark.parametrize("name", LEMMAS)
def test_perturbed_certificates_are_rejected(name):
    target, facts, options = LEMMAS[name][0]
    certificate = find_polynomial(target, facts, **options)
    rng = random.Random(name)
    for _ in range(60):
        changed = perturbed(certificate, rng)
        assert polynomial.check_identity(target, facts, changed), changed


def test_a_certificate_by_hand():
    certificate = {
        "terms": [{"coefficient": "1/6", "powers": ["1", "0", "0"]}, {"coefficient": "5/6", "powers": ["0", "0", "0"]}]
    }
    assert polynomial.check_identity(1 - L * eta, STEP, certificate) is None


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (None, "keys"),
        ({"terms": "1"}, "list"),
        ({"terms": [{"coefficient": "-1", "powers": ["1", "0"]}]}, "not positive"),
        ({"terms": [{"coefficient": "0", "powers": ["1", "0"]}]}, "not positive"),
        ({"terms": [{"coefficient": "1", "powers": ["1"]}]}, "1 powers for 2 facts"),
        ({"terms": [{"coefficient": "1", "powers": ["1/2", "0"]}]}, "whole"),
        ({"terms": [{"coefficient": "1", "powers": ["65", "0"]}]}, "whole"),
        ({"terms": [{"coefficient": "2/2", "powers": ["1", "0"]}]}, "lowest"),
        ({"terms": [{"coefficient": "1", "powers": ["1", "1"]}]}, "is constant"),
        ({"terms": [{"coefficient": "1", "powers": ["1", "0"], "square": [["1", ["0"]]]}]}, "is constant"),
        ({"terms": [{"coefficient": "1", "powers": ["1", "0"], "square": [["-1", ["1"]]]}]}, "normal form"),
        ({"terms": [], "multiplier": [["1", ["1"]], ["-1", ["0"]]]}, "not visibly positive"),
    ],
)
def test_malformed(certificate, reason):
    """The facts are z - 1 and the number 1; the symbol's own sign is not among them, as x has none."""
    assert reason in polynomial.check_identity(x - 1, (x - 1, sympy.S.One), certificate)


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (1 / (x - 1), "denominator"),
        (sqrt(x), "real"),
        (sympy.I * x, "real"),
        (x + Symbol("x"), "the same name"),
        (sympy.oo, "real"),
        (x > 0, "real"),
    ],
)
def test_unreadable_targets(target, reason):
    assert reason in polynomial.check_identity(target, (), {"terms": []})
    assert find_polynomial(target, ()) is None


def test_signs_are_facts_in_the_generators_order():
    minus = Symbol("m", nonpositive=True)
    problem = polynomial.Problem.read(x + n + z + minus + a, (1 - x,))
    assert [problem.expression(fact) for fact in problem.facts] == [1 - x, a, -minus, n - 1, z]


def test_related_generators():
    """The ring does not know that sqrt(z)^2 = z; the expansion does."""
    certificate = {
        "terms": [{"coefficient": "1", "powers": ["0", "0"], "square": [["1", ["1", "0"]], ["-1", ["0", "0"]]]}]
    }
    assert polynomial.Problem.read(z - 2 * sqrt(z) + 1, ()).generators == (sqrt(z), z)
    assert polynomial.check_identity(z - 2 * sqrt(z) + 1, (), certificate) is None
    assert polynomial.check_identity(z - 2 * sqrt(z) + Rational(99, 100), (), certificate)


@pytest.mark.parametrize(
    "expr", [x**2 + L, a / (a + b), a * x**4, -L / (-eta), sympy.S.Zero, sympy.exp(x) * z, a**n / (1 + z)]
)
def test_nonnegative(expr):
    assert polynomial.is_visibly_nonnegative(expr)


@pytest.mark.parametrize("expr", [x, x**2 - L, a - b, -a, 1 / x, z / (1 - z), f(x), sqrt(x), sympy.I, 1 / (-L)])
def test_not_manifestly_nonnegative(expr):
    assert not polynomial.is_visibly_nonnegative(expr)
    assert not polynomial.is_visibly_positive(expr)


def test_positive():
    assert all(
        map(polynomial.is_visibly_positive, (x**2 + L, a / (a + b), 1 / n, sympy.exp(x), sqrt(2) + z, 2 + f(x) ** 2))
    )
    assert not any(map(polynomial.is_visibly_positive, (x**2, z, z * a, sympy.S.Zero)))
