"""Section 4.2.2, Section 8 and Algorithm 3: operations of a server's round, line by line, and the clients' work."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Max, Rational, Symbol, floor

from fltheory.papers.aaggff.losses.proofs.facts import i, j, n, t
from fltheory.papers.aaggff.notation import C, K, T, m
from fltheory.papers.aaggff.unification.proofs.mixing import tied
from fltheory.proof import Given, by, eq, le
from fltheory.proof.terms import Positive, Scalar, Total, family

PART = Given("part", le(m, K), "no more clients take part than there are")


def per_client(operations: int) -> Expr:
    """Return the count for a line that needs so many operations for each of the K clients."""
    return Total(Integer(operations), j, 1, K)


def per_seen(operations: int) -> Expr:
    """Return the count for a line that needs so many operations for each client that takes part."""
    return Total(Integer(operations), j, 1, m)


# Algorithm 3: sums of n numbers take n - 1 operations, inner products 2 n - 1 -------------------------------------------------

RATE = Integer(6)  # L sqrt(t + 2) / sqrt(log K): a sum, a product, a quotient, a logarithm and two roots
SOFTMAX = per_client(3) + (K - 1) + per_client(1)  # exp(-G/eta), their sum, the normalisation
_TO_THE_LETTER = (
    (m - 1)
    + 1  # the mean response of the participants
    + 2  # C = m/K and 1/C
    + per_seen(4)  # (10) for each client that takes part: the others have the mean
    + (2 * K - 1)
    + 1  # 1 + <p, mean>
    + per_client(1)
    + (2 * K - 1)
    + 3  # the part of (11) that all clients share: deviations, <p, .>, a product, a square, a quotient
    + per_client(2)  # (11)
    + per_client(1)  # added to the earlier ones
    + RATE
    + SOFTMAX
)
_SIMPLE = (m - 1) + 1 + 3 + per_seen(3) + RATE + SOFTMAX  # the mean, m/K (1 + mean), (r - mean) over it subtracted
_CHAIN, _STATED = tied("CX-D@strengthened", _TO_THE_LETTER, note="line by line")
LETTER = _CHAIN.qed(_STATED, by.linear())
_CHAIN, _STATED = tied("CX-D@explicit", _TO_THE_LETTER, used=("c1",), note="line by line")
AT_MOST = _CHAIN.under(replace(PART, supposed=True)).qed(_STATED, by.linear("part", "c1"))
_CHAIN, _STATED = tied("CX-D-simplified@strengthened", _SIMPLE, note="line by line")
SIMPLE = _CHAIN.qed(_STATED, by.linear())

# Algorithm 2: the matrix, and one face of the program --------------------------------------------------------------------------

_MATRIX = (
    (2 * K - 1)
    + 1  # 1 + <p, r>
    + per_client(2)  # the gradient
    + per_client(1)  # times beta
    + Total(per_client(2), i, 1, K)  # each entry of B + beta g g'
    + (2 * K - 1)  # <g, p>
    + per_client(3)  # the linear part
)
_CHAIN, _STATED = tied("CX-S-matrix@explicit", _MATRIX, note="line by line")
MATRIX = _CHAIN.qed(_STATED, by.linear())
_left = j - 1  # rows below the pivot, from the last pivot to the first


def pivots(count: Expr) -> Expr:
    """Return the cost of so many pivots: each row below has a factor, entries, two right sides; then both solutions."""
    return Total(_left * (1 + 2 * _left + 4) + 2 * (2 * _left + 1), j, 1, count)


def closed(count: Expr) -> Expr:
    """Return the same cost as a polynomial."""
    return Rational(2, 3) * count**3 + Rational(7, 2) * count**2 - Rational(13, 6) * count


_FACE = 2 + pivots(K) + 2 * (K - 1) + 2 + per_client(2)  # the right side 1, elimination, the scale, the decision
_CHAIN, _STATED = tied("CX-S-face@explicit", _FACE, note="line by line")
FACE = (
    _CHAIN.step("none", eq(pivots(Integer(0)), closed(Integer(0))), by.linear())
    .step("one more", eq(pivots(n + 1), closed(n + 1), (n, 0, K - 1)), by.linear(), assuming=eq(pivots(n), closed(n)))
    .step("all", eq(pivots(n), closed(n), (n, 0, K)), by.induction(n, "none", "one more"))
    .step("last", by.instance({n: K}, "all"))
    .qed(_STATED, by.linear("last"))
)

# Cost of the clients beyond FedAvg ------------------------------------------------------------------------------------

length = Symbol("d", integer=True, positive=True)
sent, plain, size, trained = (
    family(kind, name) for kind, name in ((Scalar, "sent"), (Scalar, "plain"), (Positive, "size"), (Scalar, "trained"))
)
ASKED = ((t, 1, T), (i, 1, m))


def over_all(term: Expr) -> Expr:
    """Return the sum over all rounds and the participating clients."""
    return Total(Total(term, j, 1, m), t, 1, T)


_CHAIN, _STATED = tied("CX-sent@corrected", (over_all(sent(t, j)) - over_all(plain(t, j))) / (m * T))
SENT = (
    _CHAIN.given("own", eq(sent(t, i), length + 1, *ASKED), "AAggFF: the local model, and the loss")
    .given("theirs", eq(plain(t, i), length, *ASKED), "FedAvg: the local model")
    .step("all own", eq(over_all(sent(t, j)), m * T * (length + 1)), by.sum_over((i, t), "own"))
    .step("all theirs", eq(over_all(plain(t, j)), m * T * length), by.sum_over((i, t), "theirs"))
    .qed(_STATED, by.linear("all own", "all theirs"))
)
samples = family(Positive, "samples")()
_CHAIN, _STATED = tied("CX-local@corrected", (over_all(sent(t, j)) - over_all(plain(t, j))) / samples)
LOCAL = (
    _CHAIN.given("samples", eq(samples, over_all(size(t, j))), "one pass of each client that is asked, in samples")
    .given(
        "own",
        eq(sent(t, i), size(t, i) + trained(t, i), *ASKED),
        "AAggFF: (94), a mean over all own samples, then training",
    )
    .given("theirs", eq(plain(t, i), trained(t, i), *ASKED), "FedAvg: training alone, which is the same")
    .step("all own", eq(over_all(sent(t, j)), over_all(size(t, j) + trained(t, j))), by.sum_over((i, t), "own"))
    .step("all theirs", eq(over_all(plain(t, j)), over_all(trained(t, j))), by.sum_over((i, t), "theirs"))
    .qed(_STATED, by.linear("all own", "all theirs", "samples"))
)

# Algorithm 3: the number of participants ------------------------------------------------

_WHOLE = floor(C * K)
_CHAIN, _STATED = tied("A3-count@corrected", Max(1, _WHOLE))
COUNT = (
    _CHAIN.given("share", eq(C * K, m), "C = m/K is the part of the clients that a round asks")
    .step("low", le(m, _WHOLE), by.fact("floor", C * K, "share"))
    .step("high", le(_WHOLE, C * K), by.fact("floor", C * K))
    .step("below", le(_WHOLE, m), by.linear("high", "share"))
    .step("one", le(1, _WHOLE), by.linear("low"))
    .step("largest", eq(Max(1, _WHOLE), _WHOLE), by.fact("max", Max(1, _WHOLE), "one"))
    .step("same", by.antisymmetry("below", "low"))
    .qed(_STATED, by.linear("largest", "same"))
)
THEOREMS = (LETTER, AT_MOST, SIMPLE, MATRIX, FACE, SENT, LOCAL, COUNT)
