"""A proved bound beside the published one: both formulas, and their ratio where both are in parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from sympy import Expr

from fltheory.claims.claim import Claim
from fltheory.claims.ids import UnknownId
from fltheory.model.errors import UserError
from fltheory.proof import notation
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Dot, Fun, Scalar, Total, Vector, free_symbols
from fltheory.verification import find


@dataclass(frozen=True)
class Comparison:
    """A proved and a published bound; ``ratio``: the published one over the proved one, where both are in parameters.

    ``read``: what stands for parameters of the claim in the proved bound.
    """

    theorem: str
    claim: str
    proved: Expr
    published: Expr
    read: Mapping[Expr, Expr]
    ratio: Expr | None

    def rows(self) -> list[tuple[str, str]]:
        """Return the rows of a table: what it is, and its formula."""
        own = [(f"{self.theorem} (proved)", self.proved), (f"{self.claim} (published)", self.published)]
        found = [(name, notation.term_text(bound, {})) for name, bound in own]
        found += [
            (f"{notation.term_text(value, {})} (published)", f"{notation.term_text(part, {})} (proved)")
            for part, value in self.read.items()
        ]
        if self.ratio is None:
            return [*found, ("published / proved", "the proved bound has terms that are no parameters")]
        return [*found, ("published / proved", notation.term_text(self.ratio, {}))]

    def lines(self) -> list[str]:
        """Return the table as lines."""
        rows = self.rows()
        width = max(len(name) for name, _ in rows)
        return [f"  {name.ljust(width)}  {text}" for name, text in rows]


def claim_of(name: str) -> Claim:
    """Return a claim whose bound is a formula; UserError says what is wrong."""
    try:
        claim = find(name)
    except UnknownId as error:
        raise UserError(f"--beside {name}: {error}") from None
    if not claim.bounds:
        raise UserError(f"--beside {name}: this claim has no bound to stand beside a proved one")
    return claim


def compared(theorem: Theorem, claim: Claim) -> Comparison:
    """Compare the right side of a proved inequality with the bound of a claim.

    R stands for the number of rounds of the claim, and the only squared length in the bound for its initial distance.
    """
    proved, published = theorem.statement.right, claim.bound.expr
    starts = sorted({d for d in proved.atoms(Dot) if d.args[0] == d.args[1]}, key=str)
    names = {s.name: s for s in free_symbols(published)}
    read = {s: names["n_rounds"] for s in free_symbols(proved) if s.name == "R" and "n_rounds" in names}
    if len(starts) == 1 and "initial_distance" in names:
        read[starts[0]] = names["initial_distance"] ** 2
    known = proved.xreplace(read)
    if known.has(Vector, Scalar, Fun, Total):
        return Comparison(theorem.id, claim.id, proved, published, {}, None)
    return Comparison(theorem.id, claim.id, proved, published, read, sympy.expand(sympy.simplify(published / known)))
