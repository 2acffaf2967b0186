"""Facts behind the upper bounds: perturbed strong convexity, co-coercivity, Jensen, four terms, draws without replacement."""

from __future__ import annotations

from sympy import Symbol

from fltheory.papers.sfl import proof_bounds as formula
from fltheory.proof.axioms import Axiom
from fltheory.proof.language import Combine, Given, Gram, Induction, Member, Step, Theorem, eq, le
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Total, Val, Vector, family, square
from fltheory.symbols import n_clients as M
from fltheory.symbols import smoothness as L
from fltheory.symbols import strong_convexity as mu

x, y, z = (family(Vector, name)() for name in "xyz")
h = family(Fun, "h")()

_U1 = le(Val(h, z) - Val(h, y) + mu / 4 * square(y - z) - L * square(z - x), Dot(Grad(h, x), z - y))
U1 = Theorem(
    "sfl/U1", _U1, (Member("class", h, L, mu), Given("order", le(mu, L), "strong convexity is below smoothness")),
    (
        Step(
            "1", _U1, Gram((1, Axiom("convex", h, y, x)), (1, Axiom("descent", h, z, x))), ("class", "order"),
            note="strong convexity between x and y, smoothness between x and z",
        ),
    ),
    claim="sfl/U1@explicit", place="proof of Theorem 3",
)  # fmt: skip

THEOREMS = (U1,)
