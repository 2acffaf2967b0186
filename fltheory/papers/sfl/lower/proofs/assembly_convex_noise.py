"""Theorem 6, general convex, with noise: two pairs of coordinates with the curvatures that D allows, and one for the first term.

The coordinate of the first term starts at the distance D; the others start within D/1000 of 0, and share that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Max, Rational, Symbol, sqrt

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import stay
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower.bounds import START_DRIFT, START_NOISE, N
from fltheory.papers.sfl.lower.proofs import assembly_average as average
from fltheory.papers.sfl.lower.proofs.assembly import flat, kink_positive, n, regime, w, x1, x2, x6, x7
from fltheory.papers.sfl.lower.proofs.assembly_average import bar1, bar2, bar6, bar7, barw, shape
from fltheory.papers.sfl.lower.proofs.assembly_convex import D1, THIRD, D, zeta
from fltheory.papers.sfl.lower.proofs.noise import averaged
from fltheory.papers.sfl.lower.proofs.noise import stay as stay_noise
from fltheory.papers.sfl.notation import K, L, M, R, eta, lam, lam0, lam1
from fltheory.proof import Defines, Given, Step, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.terms import E, substitute
from fltheory.verification import find

sigma = Symbol("sigma", positive=True)  # the condition on R divides by it
_READ = {notation.sigma: sigma, notation.zeta: zeta, notation.D: D}
_BOUND = find("sfl/T6-GC@corrected").bounds[0]
NEAR = Rational(1, 1000) ** 2  # share of D^2 of the other coordinates
_ROUNDS, half = Rational(51**3), Rational(1, 2)
_FIRST_FLAT = sigma / (D * sqrt(N * R))


@dataclass(frozen=True)
class Pair:
    """A coordinate without noise and a kinked one: for the noise or for the heterogeneity."""

    name: str
    strength: Symbol
    plain: Symbol
    size: Expr
    scale: int
    least: Expr
    bounds: tuple[Any, Any]
    point: tuple[Expr, Expr]
    start: Expr
    model: Any

    @property
    def flat(self) -> Expr:
        """The curvature that the distance allows."""
        return (L * self.strength**2 / (self.size * R**2 * D**2)) ** THIRD

    @property
    def far(self) -> Expr:
        """The start of the kinked coordinate."""
        return self.start.subs({lam1: self.flat, self.plain: self.strength})

    @property
    def few(self) -> Expr:
        """One entry of the condition on R."""
        return self.strength / (L * sqrt(self.size) * D)

    @property
    def many(self) -> Expr:
        """The other entry."""
        return L**2 * self.size * D**2 / self.strength**2

    @property
    def errors(self) -> tuple[Expr, Expr]:
        """The errors of the two coordinates."""
        return self.flat * self.point[0] ** 2, E(L * shape(self.point[1]))

    @property
    def readings(self) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """The values of the symbols in the two regimes."""
        shallow = {lam: self.flat, self.plain: self.flat * D1}
        return shallow, {lam0: L, lam1: self.flat, self.plain: self.strength}


NOISY = Pair("s", sigma, notation.sigma, N, START_NOISE,
    lower_bounds.T6_NOISE * substitute(lower_bounds.GC_NOISE, _READ), (lower_bounds.S1, lower_bounds.S2), (bar7, barw),
    stay_noise.X, x7)
LEANING = Pair("h", zeta, notation.zeta, M, START_DRIFT,
    lower_bounds.T6_DRIFT * substitute(lower_bounds.GC_DRIFT, _READ), (lower_bounds.H1, lower_bounds.H2), (bar1, bar2),
    stay.X, x1)
PAIRS = (NOISY, LEANING)
_ENTRIES = tuple(e for p in PAIRS for e in (p.few, p.many))
_STATEMENT, _IF = statement_of(_BOUND, sum((e for p in PAIRS for e in p.errors), _FIRST_FLAT / 2 * E(bar6**2)), _READ)
(_LARGEST,) = _IF[2].relation.left.atoms(Max)
_W, _W_AT = stay_noise.coordinate("s", w, {lam0: L, notation.sigma: sigma})
_X2, _X2_AT = stay.coordinate("2", x2, {lam0: L, notation.zeta: zeta})


def ids(entries: tuple[Given | Defines, ...]) -> tuple[str, ...]:
    """Return the names of the hypotheses."""
    return tuple(e.id for e in entries if isinstance(e, Given))


WORDS = tuple(e.id for e in (*_W, *_X2) if isinstance(e, Defines))


def _largest() -> Iterator[Step]:
    """Return each entry of the condition on R is at most R, whichever of the four is the largest."""
    where = {i: tuple(le(e, top) for e in _ENTRIES if e != top) for i, top in enumerate(_ENTRIES, 1)}
    for i, top in enumerate(_ENTRIES, 1):
        yield line(f"largest {i}", eq(_LARGEST, top), by.fact("max", _LARGEST), assuming=where[i])
    for j, entry in enumerate(_ENTRIES, 1):
        for i, top in enumerate(_ENTRIES, 1):
            own = {} if i == j else {f"assumed {1 + where[i].index(le(entry, top))}": _ROUNDS}
            yield line(f"entry {j}{i}", le(entry, R), by.linear({"c3": 1, f"largest {i}": -_ROUNDS, **own}), assuming=where[i])
        yield line(f"entry {j}", le(entry, R), by.cases(*(f"entry {j}{i}" for i in range(1, 5))))


def _curvature(pair: Pair, few: str, many: str) -> Iterator[Step]:
    """Bound the pair's curvature and its kinked coordinate's start by the condition on R."""
    name, third = pair.name, Rational(2, 3)
    yield line(f"none {name}", le(0, pair.many), by.linear())
    yield line(f"root {name}", le(pair.many**THIRD, R**THIRD), by.power(THIRD, f"none {name}", many))
    yield line(f"long {name}", le(L / (lower_bounds.RATIO * pair.flat), R), by.linear(f"root {name}"),
        note="R >= lambda_0/(1010 lambda_1)")
    yield line(f"none few {name}", le(0, pair.few), by.linear())
    yield line(f"root few {name}", le(pair.few**third, R**third), by.power(third, f"none few {name}", few))
    yield line(f"flat {name}", le(pair.flat, L), by.linear(f"root few {name}"))
    yield line(f"near {name}", le(pair.far**2, D**2 / pair.scale**2),
        by.linear({f"flat {name}": D**2 / (L * pair.scale**2)}),
        note="the square of the start is D^2 lambda/(L c^2) with the c of the start")


def _errs(pair: Pair, uses: tuple[tuple[str, ...], tuple[str, ...]], letters_of: tuple[Any, Any]) -> Iterator[Step]:
    """Prove that the pair's error is at least its term of the bound, at every step size up to the cap."""
    name, claim = pair.name, le(pair.least, sum(pair.errors))
    for part, bound, error, reading, used, at in zip(
        "12", pair.bounds, pair.errors, pair.readings, uses, letters_of, strict=True
    ):
        relation, where = regime(bound, error, reading)
        yield line(f"{name}{part}", relation, by.apply(f"sfl/{name}{part}-average", {**reading, **at}, *used),
            inserting=WORDS if part == "2" else (), assuming=where[:1])
        more = {f"positive {name}": 1, "D1": lower_bounds.STAYS * pair.flat} if part == "1" else {}
        yield line(f"pair {name}{part}", claim, by.linear({f"{name}{part}": 1, **more}), assuming=where[:1])
    yield line(f"pair {name}", claim, by.cases(f"pair {name}1", f"pair {name}2"), note="the ranges meet")


def _flat_at(pair: Pair) -> dict[Any, Any]:
    return {averaged.bar: pair.point[0], averaged.x(n): pair.model(n)}


_READ_6 = {
    **{k: v for k, v in average._READ_6.items() if k != averaged.mu},
    averaged.mu: _FIRST_FLAT,
    notation.sigma: sigma,
    averaged.z: sqrt(N * R),
}
FIRST = tuple(
    Given(f"{e.id} 6", substitute_relation(e.relation, [(averaged.h(n), eta), *_READ_6.items()]), e.why)
    for e in averaged.ANYWHERE
    if e.id != "start"
)
MEAN = (
    proof("sfl/T6-GC-mean", _BOUND.source.place, note="for the uniform average, of letters that are not 0")
    .under(*(e for e in _IF if e.id != "c4"), *flat(x7, NOISY.flat, D1, "7"),
        Given("start s", eq(w(0), NOISY.far), "the start of the coordinate of s2"), *_W,
        *flat(x1, LEANING.flat, D1, "1"), Given("start 2", eq(x2(0), LEANING.far), "the start of the coordinate of h2"),
        *_X2, *FIRST, Given("start 6", eq(x6(0), D), "the coordinate of the first term starts at the distance D"),
        *average.MEANS)
    .given("distance", eq(2 * D1**2 + NOISY.far**2 + LEANING.far**2, NEAR * D**2),
        "the other coordinates start within D/1000 of 0, the two without noise equally far")
    .steps(*_largest(), *_curvature(NOISY, "entry 1", "entry 2"), *_curvature(LEANING, "entry 3", "entry 4"))
    .step("D1", le(NEAR * D**2 / 4, D1**2), by.linear({"distance": -half, "near s": half, "near h": half}))
    .step("one step", le(1, K), by.polynomial())
    .step("steps", le(4, N), by.linear("c2", "one step"))
    .steps(*kink_positive(barw, shape(barw), L, "s"), *kink_positive(bar2, shape(bar2), L, "h"),
        *_errs(NOISY, (("step 7", "start 7", "average 7"), ("start s", "c1", "long s", "steps", "average s", *ids(_W))),
            (_flat_at(NOISY), {**_W_AT, stay_noise.bar: barw})),
        *_errs(LEANING,
            (("step 1", "start 1", "c5", "average 1"), ("start 2", "c1", "long h", "c2", "c5", "average 2", *ids(_X2))),
            (_flat_at(LEANING), {**_X2_AT, stay.bar: bar2})))
    .step("start at D", eq(sqrt(N * R) * x6(0), sigma / _FIRST_FLAT), by.linear("start 6"))
    .step("first", by.apply(averaged.FROM_ANYWHERE, _READ_6, *(e.id for e in FIRST), "start at D", "average 6"),
        note="z = sqrt(N R): half of D^2 stays in the mean square of the average")
    .qed(_STATEMENT, by.linear("pair s", "pair h", "first"), name="error")
)
_BACK = {D: notation.D, zeta: notation.zeta, sigma: notation.sigma}


def _back(entry: Given | Defines) -> Given | Defines:
    """Return the hypothesis in the symbols of the claim."""
    if isinstance(entry, Given):
        return Given(entry.id, entry.relation.at(_BACK), entry.why)
    return Defines(entry.id, entry.left, substitute(entry.right, _BACK), entry.why)


_PLAIN, _CONDITIONS = statement_of(_BOUND, substitute(_STATEMENT.right, _BACK))
_OWN = tuple(_back(e) for e in MEAN.hypotheses if e.id not in {f.id for f in _CONDITIONS})
T6_GC = (
    proof("sfl/T6-GC", of="sfl/T6-GC@corrected", bound=_BOUND, unused=("c4",)).under(*_CONDITIONS, *_OWN)
    .given("some distance", lt(0, notation.D), "the condition on R has no value else")
    .given("some heterogeneity", lt(0, notation.zeta), "the condition on R has no value else")
    .given("some noise", lt(0, notation.sigma), "the condition on R has no value else")
    .qed(_PLAIN,
        by.apply(MEAN.id, _BACK, *(i for i in ids((*_CONDITIONS, *_OWN)) if i != "c4"), "some distance",
            "some heterogeneity", "some noise"), name="error", inserting=WORDS)
)
THEOREMS = (MEAN, T6_GC)
