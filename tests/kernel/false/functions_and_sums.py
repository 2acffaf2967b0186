"""Logarithms, extremes, vectors, expectations of sums, permutations, sums inside sums: how their normal forms are made."""

from tests.kernel.written import combine, line, plain, row, square, step, term, theorem, witness

DIFFER = "the sides differ"


def _with_hypothesis(own):
    """A theorem with a hypothesis as it stands in a file."""
    return theorem("own", step("1", "0 <= 0", combine())) | {"hypotheses": [own]}


def _with_side(side):
    """A theorem with a term as it stands in a file."""
    return theorem("own", step("1", {"left": side, "op": "<=", "right": "0", "over": []}, combine()))


TRUE = [
    # logarithms, absolute values, extremes, binomial coefficients
    row("log(1/(z + s)) == log(1/(s + z))"),  # it is not split: that would suppose that it is positive
    row("log((x**2 - y**2)/(x + y)) == log(x - y)", given=["0 < x + y"]),
    row("abs(-z - s) == z + s"),
    row("abs(x/(1 + p)) == abs(x)/(1 + p)"),
    row("2*binomial(3, k) == binomial(3, k) + binomial(3, k)"),
    row("2*binomial(3, -1) == binomial(3, -1) + binomial(3, -1)"),
    row("binomial(0, 0) == 1"),
    row("log(binomial(3, 5)) == 0"),
    # powers of powers of numbers
    row("(2**k)**x == 2**(k*x)"),
    row("(0**k)**x == 0**(k*x)"),
    # vectors
    row("x*u + v == v", combine(), given={"d": "u := 0"}, by="d"),
    # expectations of sums, and sums of expectations
    row("mean(sum(X(i), i, 1, n)**2) == sum(sum(mean(X(i)*X(j)), i, 1, n), j, 1, n)"),
    row("sum(mean(X(i)), i, 1, n + 1) == sum(mean(X(i)), i, 1, n) + mean(X(n + 1))"),
    row("sum(X(i), i, 1, floor(Q) + 1) == sum(X(i), i, 1, floor(Q)) + X(floor(Q) + 1)"),
    # what a permutation has in its places
    row("sum(a(draw(i, M), draw(1, M)), i, 1, M) == sum(a(i, draw(1, M)), i, 1, M)"),
    row("sum(grad(f(draw(i, M)), mean(X)*u), i, 1, M) == sum(grad(f(i), mean(X)*u), i, 1, M)"),
    row("sum(mean(a(draw(i, M))), i, 1, M) == sum(a(i), i, 1, M)"),
    row("sum(a(draw(i, N)), i, 1, N) == sum(a(i), i, 1, N)"),
    row("2*sum(a(i, draw(i, M)), i, 1, M) == sum(a(i, draw(i, M)), i, 1, M) + sum(a(j, draw(j, M)), j, 1, M)"),
    # the order of sums, and what stands inside them
    row("sum(sum(a(i, j), i, 1, n), j, 3, n) == sum(sum(a(i, j), j, 3, n), i, 1, n)"),
    row("sum(sum(sum(a(i, j, k), i, k, n), j, 1, M), k, 1, n) == sum(sum(sum(a(i, j, k), i, k, n), k, 1, n), j, 1, M)"),
    row(
        "sum(b(i)*sum(a(i, j), j, 1, M)**2, i, 1, n) == sum(sum(sum(b(i)*a(i, j)*a(i, k), i, 1, n), j, 1, M), k, 1, M)"
    ),
    row("sum(sum(exp(log(j - 2)), j, i, n), i, 3, n) == sum(sum(j - 2, j, i, n), i, 3, n)"),
    row("a(sum(h, h, 1, n)) == a(sum(i, i, 1, n))"),
]

FALSE = [
    # logarithms, binomial coefficients, powers
    row("log(y/(1 + x)) == log(y) - log(1 + x)", given=["0 < y/(1 + x)"], at="x=-2; y=-2", reason=DIFFER),
    row(
        "log(x/(1 + p)) == log(x) - log(1 + p)",
        at="x=-1; p=1",
        reason="*(x, ^(+(1, p), -1)) is not seen to be positive",
    ),
    row("log((x**2 - 1)/(1 - x)) == log(x + 1)", given=["1 < x"], at="x=2", reason=DIFFER),
    row("exp(log(1/(z + s))) == 1/(z + s)", at="z=0; s=0", reason="is not seen to be positive"),
    row("binomial(1/2, 0) == 1", at="", reason=DIFFER),
    row("binomial(3, 1/2) == 1", at="", reason=DIFFER),
    row("(0**x + 0**y)/(0**x + 0**y) == 1", at="x=1; y=1", reason="is not seen to be nonzero"),
    row("0 <= (-1)**k", at="k=1", reason="the sides differ by"),
    row("0 <= (x**3)**y", at="x=-2; y=1", reason="the sides differ by"),
    row("M <= n", at="n=1; M=2", reason="the sides differ by"),
    row("min(x, 2) == floor(e)", witness(x="2"), at="x=2", refuted=True, reason="the claim is not seen to fail there"),
    # vectors
    row("1 <= 0", combine({"h1": "u"}), given=["0 == a"], at="a=0", reason="is not a vector"),
    row("1 <= 0", combine(squares=[square("1", ("1", "a"))]), at="", reason="is not a multiple of exactly one vector"),
    row("grad(f, u + v) == grad(f, 2*u + v)", combine(), given=["f: 2, 0"], at="f=1; u=(1); v=(0)", reason=DIFFER),
    row("sum(u(i), i, 1, n) == sum(v(i), i, 1, n)", at="n=1; u(1)=(1); v(1)=(0)", reason=DIFFER),
    # expectations of sums, and sums of expectations
    row("mean(sum(X(i), i, 1, N)) == sum(mean(X(i)), i, 1, N)", at="N=1|2; X(1)=1; X(2)=1", reason=DIFFER),
    row("mean(sum(X(i), i, -N, 0)) == sum(mean(X(i)), i, -N, 0)", at="N=1|2; X(-2)=1; X(-1)=1; X(0)=0", reason=DIFFER),
    row("mean(1/sum(X(i), i, 1, n)) == sum(mean(X(i)), i, 1, n)", at="n=1; X(1)=2", reason=DIFFER),
    row(
        "sum(mean(X(i)), i, 1, floor(Q) + 1) == sum(mean(X(i)), i, 1, floor(Q)) + mean(X(floor(Q) + 1))",
        at="Q=1|2; X(1)=0; X(2)=0; X(3)=2",
        reason=DIFFER,
    ),
    row("sum(1, i, 1/2, n) == n + 1/2", at="n=1", reason=DIFFER),
    row("sum(1, i, 0, p) == p + 1", at="p=1/2", reason=DIFFER),
    # what a permutation has in its places
    row(
        "sum(max(mean(a(draw(i, M))), 0), i, 1, M) == sum(max(a(i), 0), i, 1, M)",
        at="M=2; a(1)=1; a(2)=-1",
        reason=DIFFER,
    ),
    row("sum(mean(a(draw(i, N))), i, 1, N) == sum(a(i), i, 1, N)", at="N=1|2; a(1)=0; a(2)=2", reason=DIFFER),
    row(
        "sum(mean(a(draw(i + N, m + N))), i, 1 - N, m) == sum(a(i), i, 1, m + N)",
        at="N=1|2; m=0; a(1)=0; a(2)=2",
        reason=DIFFER,
    ),
    row("sum(a(draw(i, M)), i, 1, n) == sum(a(i), i, 1, M)", at="n=1; M=2; a(1)=1; a(2)=1", reason=DIFFER),
    row("sum(a(draw(i, M)), i, 3, M) == sum(a(i), i, 1, M)", at="M=1; a(1)=1", reason=DIFFER),
    row("sum(a(draw(i, M, 2*i)), i, 1, M) == sum(a(i), i, 1, M)", at="M=2; a(1)=1; a(2)=0", reason=DIFFER),
    # sums inside sums
    row(
        "sum(sum(c(i, j), j, 1, M)**(1/2), i, 1, n) == sum(sum(c(i, j), j, 1, M), i, 1, n)",
        at="n=1; M=1; c(1, 1)=4",
        reason=DIFFER,
    ),
    row(  # the names of the indices around a sum are not those of its own
        "sum(sum(abs(b(j) + sum(a(i, j, k), k, 1, n)), j, 1, n), i, 1, M) "
        "== sum(sum(abs(b(j) + sum(a(i, k, k), k, 1, n)), j, 1, n), i, 1, M)",
        at="n=2; M=1; b(1)=0; b(2)=0; a(1, 1, 1)=0; a(1, 1, 2)=0; a(1, 2, 1)=0; a(1, 2, 2)=1",
        reason=DIFFER,
    ),
    # a definition of a family, beside another family
    row("X(N(1)) == 3", combine(), given={"d": "N(i) := i + 1"}, by="d", at="N(1)=2; X(2)=0", reason=DIFFER),
    # what is no file
    row(
        "1 <= 0",
        plain(
            "Ball",
            box=[[term("x"), "0", "1"]],
            certificate={"symbol": term("x"), "cut": "1/2", "below": 1, "above": "direct"},
        ),
        at="",
        reason="is not of the type text: 1",
    ),
]

NONE = [
    (
        "a kind that is no text",
        _with_hypothesis({"id": "h", "kind": [], "relation": line("0 <= 0")}),
        "[] is not a kind of hypothesis",
    ),
    ("a word that is no text", _with_side([[], "1"]), "not a term: [[], '1']"),
]
