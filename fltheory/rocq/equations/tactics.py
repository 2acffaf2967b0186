"""The tactics of a script: equations, with powers and signs, which call each other."""

from __future__ import annotations

from fltheory.kernel.language.terms import Term
from fltheory.rocq.equations import powers, signs
from fltheory.rocq.equations.equations import Equations


class Tactics(Equations):
    """Tactics for equations and signs at one position in a script."""

    def sign(self, term: Term, strict: bool) -> str | None:
        """Return a tactic for 0 <= term, or 0 < term."""
        return signs.sign(self, term, strict)

    def nonzero(self, term: Term) -> str | None:
        """Return a tactic for term <> 0."""
        return signs.nonzero(self, term)

    def _power(self, s: Term, plain: Term) -> str:
        return powers.power(self, s, plain)

    def _exp(self, s: Term, plain: Term) -> str:
        return powers.exponential(self, s, plain)

    def _log(self, s: Term, plain: Term) -> str:
        return powers.logarithm(self, s, plain)
