"""What proofs cost: finding against checking, engine by engine, and how both grow; printed and never asserted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import sympy
from sympy import Expr, Integer, Rational, Symbol, exp

from fltheory.proof import library
from fltheory.proof.algebra import quotient
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.algebra.normal import linear_form, normal_form
from fltheory.proof.check import check_all, check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import (
    Ball,
    Combine,
    Enumerate,
    Given,
    Gram,
    Member,
    Polynomial,
    Relation,
    Rule,
    Step,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import Fun, Grad, Total, Val, Vector, family, square
from fltheory.symbols import smoothness as L

x, F = family(Vector, "x"), family(Fun, "F")()
n, m = (Symbol(name, integer=True, nonnegative=True) for name in "nm")
t = Symbol("t", nonnegative=True)
SMOOTH = Member("smooth", F, L, 0)


def one(claim: Relation, rule: Rule, *hypotheses: Given | Member) -> Theorem:
    """A theorem of one step."""
    names = tuple(h.id for h in hypotheses)
    return Theorem("bench/one", claim, hypotheses, (Step("1", claim, rule, names),))


def points(number: int) -> Theorem:
    """|x_0 + ... + x_N|^2 <= N (|x_0|^2 + ...) over N vectors: a Gram matrix of size N, N - 1 squares."""
    vectors = [x(i) for i in range(number)]
    total: Expr = sum(vectors[1:], vectors[0])
    return one(le(square(total), number * sum((square(v) for v in vectors), Integer(0))), Gram())


def descent(number: int) -> Theorem:
    """N steps of gradient descent in one inequality: F(x_N) <= F(x_0) - (|g_0|^2 + ... )/(2 L), by N axioms."""
    steps = [x(0)]
    for _ in range(number):
        steps.append(steps[-1] - Grad(F, steps[-1]) / L)
    gain = sum((square(Grad(F, u)) for u in steps[:-1]), Integer(0)) / (2 * L)
    axioms = ((1, Axiom("descent", F, v, u)) for u, v in pairwise(steps))
    return one(le(Val(F, steps[-1]), Val(F, x(0)) - gain), Gram(*axioms), SMOOTH)


ENGINES = {
    "gram": points(4),
    "polynomial": one(
        le((1 - t) ** 4, 1 - 4 * t + 16 * t**2), Polynomial(), Given("below", le(t, 1), "the step is small")
    ),
    "ball": one(
        le(exp(-t), 1 - t + t**2 / 2 + Rational(1, 100)),
        Ball(((t, 0, 1),)),
        Given("positive", le(0, t), "a time"),
        Given("below", le(t, 1), "a time"),
    ),
    "identity": one(eq(Total(m**2, m, 0, n), n * (n + 1) * (2 * n + 1) / 6), Combine()),
    "enumeration": one(lt(n, 2**n, (n, 0, 100)), Enumerate("n <= 100")),
}


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """The least of a few timings, nothing remembered between them."""
    best = math.inf
    for _ in range(repeats):
        normal_form.cache_clear()
        linear_form.cache_clear()
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best


@pytest.mark.parametrize("engine", ENGINES)
def test_finding_and_checking(benchmark, say, engine: str):
    """The time to find a certificate as a multiple of that to check it; without a certificate only the latter."""
    theorem = ENGINES[engine]
    found = find_certificates(theorem, {})
    report = benchmark(lambda: check_theorem(theorem, found))
    assert report.verdict == "PROVED", report
    checked = seconds(lambda: check_theorem(theorem, found))
    finding = (
        f"find {seconds(lambda: find_certificates(theorem, {})) / checked:.1f} times as long"
        if found
        else "no certificate"
    )
    say(f"{engine}: check {checked * 1e3:.1f} ms, {finding}")


@pytest.mark.parametrize("kind", [points, descent], ids=["vectors", "descent"])
def test_growth_with_the_gram_matrix(benchmark, say, kind: Callable[[int], Theorem]):
    """Finding and checking an inequality between N points, N = 2..8: the fitted exponents."""
    sizes = np.arange(2, 9)
    finds, checks = [], []
    for size in sizes:
        theorem = kind(int(size))
        found = find_certificates(theorem, {})
        assert check_theorem(theorem, found).verdict == "PROVED"
        finds.append(seconds(partial(find_certificates, theorem, {}), 1))
        checks.append(seconds(partial(check_theorem, theorem, found), 1))
    smallest = kind(2)
    benchmark.pedantic(lambda: find_certificates(smallest, {}), rounds=1)
    slopes = (np.polyfit(np.log(sizes), np.log(times), 1)[0] for times in (finds, checks))
    last = f"at N = 8 find {finds[-1]:.2f} s, check {checks[-1]:.2f} s"
    say(f"{kind.__name__}: {last}; exponents in N: find {next(slopes):.1f}, check {next(slopes):.1f}")


def test_quotients(benchmark, say):
    """Numerator and denominator of a sum of N fractions: by FLINT's polynomials against SymPy's ``together``, expanded."""
    u, v = Symbol("u", positive=True), Symbol("v", positive=True)
    ratios = []
    for number in (2, 4, 6):
        expr = sum((i * u / (1 + i * v + u) for i in range(1, number + 1)), Integer(0))

        def slow(expr: Expr = expr) -> None:
            sympy.core.cache.clear_cache()
            for side in sympy.fraction(sympy.together(expr)):
                sympy.expand(side)

        fast = quotient.read_quotient.__wrapped__
        ratios.append(seconds(slow) / seconds(partial(fast, expr)))
    benchmark(partial(quotient.read_quotient.__wrapped__, expr))
    say("quotients of 2, 4, 6 fractions: " + ", ".join(f"{r:.0f}" for r in ratios) + " times as fast as SymPy")


@pytest.mark.parametrize("key", library.keys())
def test_all_proofs_of_a_paper(benchmark, say, key: str):
    """Checking every proof of a paper, and how much of the time the slowest theorem takes."""
    proofs = library.load(key)
    reports = benchmark.pedantic(check_all, (proofs,), rounds=1)
    total = sum(r.seconds for r in reports)
    slowest = max(reports, key=lambda r: r.seconds)
    share = f"{slowest.theorem.id} takes {slowest.seconds / total:.0%}"
    steps = sum(len(r.steps) for r in reports)
    say(f"{key}: {len(reports)} theorems, {steps} steps in {total:.1f} s; {share}")
