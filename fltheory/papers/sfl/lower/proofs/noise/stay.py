"""From the recursion of the mean to regime s2: E x^(r) stays above X_sigma, and E F >= lam / 2 (E x)^2."""

from __future__ import annotations

from sympy import sqrt

from fltheory.papers.sfl.kinked.proofs import stay, walk
from fltheory.papers.sfl.kinked.proofs.stay import CURVATURES, EVER, SHRINK, SIXTH, Kinked, bar, d, r
from fltheory.papers.sfl.lower.bounds import START_NOISE, N
from fltheory.papers.sfl.lower.proofs.noise import many_rounds
from fltheory.papers.sfl.notation import R, lam1, n, sigma
from fltheory.papers.sfl.signs.proofs import signs
from fltheory.proof import by, le, line
from fltheory.proof.terms import E

__all__ = ["THEOREMS", "X", "bar", "coordinate", "d"]
S2 = Kinked("s2", "J-inv-start", sigma / (START_NOISE * lam1 * sqrt(N) * R), many_rounds.GAIN / 120, many_rounds.X,
    stay.of_regime(many_rounds.MODEL),
    ((many_rounds.w, (n,)), (many_rounds.h, (n,)), (many_rounds.Q, (n,)), (many_rounds.sign, (n,)),
        (many_rounds.S, (r, n)), (many_rounds.sgn, (r, n)), (many_rounds.hit, (r, n, signs.x)),
        (many_rounds.V, (r, walk.c, walk.k)), (walk.s, (walk.c, walk.k))))
X, coordinate = S2.start, S2.coordinate
_GROWS = line("J-inv", le((1 - SHRINK) * E(S2.x(r)) + S2.gain, E(S2.x(r + 1)), EVER),
    by.apply(many_rounds.GROWS, SIXTH, "c1", "c4", "curvatures", "right", *S2.ids), inserting=S2.defined)
STAYS = S2.stays(many_rounds.w(0), (CURVATURES,), (_GROWS,), "c2", place="App. C.2",
    note="the mean stays above X_sigma after every round", product="2/3 / 8160800 = 1 / (120 * 102010)")
THEOREMS = (STAYS, S2.last("Appendix C.2"), S2.average())
