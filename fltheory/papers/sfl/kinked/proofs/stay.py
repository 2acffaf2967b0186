"""From the recursion of the mean to regime h2: E x^(r) stays above X_zeta, and E F >= lam / 2 (E x)^2.

The common part with regime s2 is stated once, for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.papers.sfl.kinked.proofs import many_rounds, stray, walk
from fltheory.papers.sfl.lower.bounds import START_DRIFT, N
from fltheory.papers.sfl.notation import K, M, R, eta, lam, lam0, lam1, zeta
from fltheory.proof import Defines, Given, Relation, Step, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_relation, substitute_term
from fltheory.proof.terms import E, RandomScalar, Total, family, substitute
from fltheory.verification import find

r, Z = Symbol("r", integer=True, nonnegative=True), Integer(0)
EVER = (r, 0, oo)
d, bar = family(RandomScalar, "d"), family(RandomScalar, "bar")()
SIXTH = {lam: lam0 / 1010}  # right of 0 the curvature is lam0/1010
SHRINK = Rational(2, 3) * lam0 * N * eta
CURVATURES = line("curvatures", le(1010 * (lam0 / 1010), lam0), by.linear())


def error(point: Expr) -> Expr:
    """F at a point, curvature lam0 left and lam0/1010 right of 0."""
    return (Rational(1011, 1010) * point**2 - Rational(1009, 1010) * point * Abs(point)) * lam0 / 4


def of_regime(entries: Iterable[Any]) -> tuple[Given | Defines, ...]:
    """Return the hypotheses on a run of many rounds, with the curvatures of the regime."""
    return tuple(
        Given(e.id, substitute_relation(e.relation, list(SIXTH.items())), e.why)
        if isinstance(e, Given)
        else Defines(e.id, e.left, substitute(e.right, SIXTH), e.why)
        for e in entries
        if e.id not in ("right", "curvatures")
    )


@dataclass(frozen=True)
class Kinked:
    """A regime of kinked clients: its start, the growth of the mean in a round, hypotheses on its run, families."""

    name: str
    invariant: str
    start: Expr
    gain: Expr
    x: Callable[..., Expr]
    model: tuple[Given | Defines, ...]
    families: tuple[tuple[Callable[..., Expr], tuple[Symbol, ...]], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of the hypotheses."""
        return tuple(e.id for e in self.model if isinstance(e, Given))

    @property
    def defined(self) -> tuple[str, ...]:
        """The names of the definitions."""
        return tuple(e.id for e in self.model if isinstance(e, Defines))

    def coordinate(
        self, name: str, model: Callable[..., Expr], letters: Mapping[Expr, Expr]
    ) -> tuple[tuple[Given | Defines, ...], dict[Expr, Expr]]:
        """Return the regime in its own coordinate: hypotheses, ids and families by name, values of its symbols."""
        at: dict[Expr, Expr] = {**letters, self.x(r): model(r)}
        for letter, slots in self.families:
            own = letter(*slots)
            at[own] = family(type(own), f"{own.args[0]}{name}")(*slots)
        pairs, found = list(at.items()), list[Given | Defines]()
        for e in self.model:
            if isinstance(e, Given):
                found.append(Given(f"{e.id} {name}", substitute_relation(e.relation, pairs), e.why))
            else:
                found.append(
                    Defines(f"{e.id} {name}", substitute_term(e.left, pairs), substitute_term(e.right, pairs), e.why))
        return tuple(found), at

    @property
    def _begins(self) -> Given:
        return Given("start", eq(self.x(0), self.start), f"the start of regime {self.name}")

    @property
    def _statement(self) -> tuple[Relation, tuple[Given, ...]]:
        return statement_of(find(f"sfl/{self.invariant}@printed").bounds[0], E(self.x(r)))

    def stays(
        self,
        first: Expr,
        before: tuple[Step, ...],
        grows: tuple[Step, ...],
        *unused: str,
        place: str,
        note: str,
        product: str,
    ) -> Theorem:
        """Prove that the mean stays above the start; the last line of ``before`` and ``grows`` bounds its growth."""
        x, start, gain, claim = self.x, self.start, self.gain, f"sfl/{self.invariant}"
        statement, conditions = self._statement
        above = Relation(statement.left, statement.op, statement.right)
        return (
            proof(claim, place, of=f"{claim}@printed", unused=unused, note=note)
            .under(*conditions, self._begins, *self.model)
            .steps(*before)
            .step("at r = 0", by.instance({r: Z}, "server"))
            .step("right", le(0, first), by.linear("at r = 0", "start"))
            .steps(*grows)
            .step("start mean", by.expectation("start"))
            .step("at the start", above.at({r: Z}), by.linear("start mean"))
            .step("gain", le(SHRINK * start, gain), by.linear("c3"), note=product)
            .step("kept", le(0, 1 - SHRINK), by.linear("c1"))
            .step("one", Relation(start, "<=", E(x(r + 1)), (EVER,)), by.linear(grows[-1].id, "gain", "kept"),
                assuming=above)
            .qed(Relation(above.left, "<=", above.right, (EVER,)), by.induction(r, "at the start", "one"), name="all")
        )

    @property
    def _stay(self) -> Step:
        statement, _ = self._statement
        claim = Relation(statement.left, statement.op, statement.right, (EVER,))
        uses = ("c2", "c3", "c1", "c4", "start", *self.ids)
        return line("stays", claim, by.apply(f"sfl/{self.invariant}", *uses), inserting=self.defined)

    def last(self, place: str, *unused: str) -> Theorem:
        """Prove the error of the last iterate."""
        x, start, point = self.x, self.start, self.x(R)
        bound = find(f"sfl/{self.name}@explicit").bounds[0]
        statement, conditions = statement_of(bound, E(error(point)))
        return (
            proof(f"sfl/{self.name}", place, of=f"sfl/{self.name}@explicit", bound=bound, unused=unused)
            .under(*conditions, self._begins, *self.model)
            .where("off", d(r), x(r) - E(x(r)), "how far the model is from its mean")
            .steps(self._stay)
            .step("end", by.instance({r: R}, "stays"))
            .step("square", le(0, d(r) ** 2, EVER), by.linear())
            .step("variance", by.expectation("square"))
            .step("Jensen", le(E(x(r)) ** 2, E(x(r) ** 2), EVER), by.linear("variance"), inserting="off")
            .step("at the end", by.instance({r: R}, "Jensen"))
            .step("positive", le(0, E(point) + start), by.linear("end"))
            .step("squares", le(start**2, E(point) ** 2), by.linear("end", "positive"))
            .step("abs", by.fact("abs", point))
            .step("steep", le(lam0 / 2020 * point**2, error(point)),
                by.linear(abs=Rational(1009, 4040) * lam0 * Abs(point)),
                note="F >= lam / 2 x^2 on both sides of 0, lam = lam0 / 1010")
            .step("mean", by.expectation("steep"))
            .qed(statement, by.linear({"mean": 1, "at the end": lam0 / 2020, "squares": lam0 / 2020}), name="error")
        )

    def average(self, *unused: str) -> Theorem:
        """Prove the error of the uniform average."""
        x, start, claim = self.x, self.start, f"{self.name}-average"
        bound = find(f"sfl/{claim}@explicit").bounds[0]
        statement, conditions = statement_of(bound, E(error(bar)))
        mean = Total(x(r), r, 0, R) / (R + 1)
        return (
            proof(f"sfl/{claim}", of=f"sfl/{claim}@explicit", bound=bound, unused=unused)
            .under(*conditions, self._begins)
            .given("average", eq(bar, mean), "the mean of the models after 0 to R rounds")
            .under(*self.model)
            .steps(self._stay)
            .step("each", le(start, E(x(r)), (r, 0, R)), by.linear("stays"))
            .step("sum", by.sum_over(r, "each"))
            .step("mean of it", by.expectation("average"))
            .step("end", le(start, E(bar)), by.linear("sum", "mean of it"))
            .step("square", le(0, (bar - E(bar)) ** 2), by.polynomial())
            .step("variance", by.expectation("square"))
            .step("positive", le(0, E(bar) + start), by.linear("end"))
            .step("squares", le(start**2, E(bar) ** 2), by.linear("end", "positive"))
            .step("abs", by.fact("abs", bar))
            .step("steep", le(lam0 / 2020 * bar**2, error(bar)), by.linear(abs=Rational(1009, 4040) * lam0 * Abs(bar)))
            .step("mean", by.expectation("steep"))
            .qed(statement, by.linear({"mean": 1, "variance": lam0 / 2020, "squares": lam0 / 2020}), name="error")
        )


# Regime h2 ------------------------------------------------------------------------------------------------------------------

H2 = Kinked("h2", "I-inv-start", zeta / (START_DRIFT * lam1 * sqrt(M) * R),
    lam0 * M ** Rational(3, 2) * K**2 * eta**2 * zeta / 1200, many_rounds.X,
    of_regime((many_rounds.EVEN, *many_rounds.MODEL)),
    ((many_rounds.y, (many_rounds.v, walk.k)), (many_rounds.h, (many_rounds.v, walk.k)),
        (many_rounds.P, (many_rounds.v, walk.k)), (many_rounds.t, (many_rounds.v,)), (many_rounds.S, (r, stray.n)),
        (many_rounds.sgn, (r, stray.n)), (many_rounds.hit, (r, stray.n, stray.x)), (many_rounds.W, (r, walk.c, walk.k)),
        (walk.s, (walk.c, walk.k))))
x, X, coordinate = H2.x, H2.start, H2.coordinate
_GROWS = (
    line("grows", many_rounds.GROWS.statement,
        by.apply(many_rounds.GROWS, SIXTH, "cap", "curvatures", "right", *(i for i in H2.ids if i != "even number")),
        inserting=H2.defined),
    line("I-inv", le((1 - SHRINK) * E(x(r)) + H2.gain, E(x(r + 1)), EVER), by.linear("grows"), inserting="even number"),
)
_CAP = line("cap", many_rounds.CAP_M.relation, by.linear("c1"), inserting="even number")
STAYS = H2.stays(many_rounds.y(0, 0), (_CAP, CURVATURES), _GROWS, "c2", "c4", place="App. D.2",
    note="the mean stays above X_zeta after every round", product="2/3 / 81608000 = 1 / (1200 * 102010)")
THEOREMS = (STAYS, H2.last("Appendix D.2", "c5"), H2.average("c5"))
