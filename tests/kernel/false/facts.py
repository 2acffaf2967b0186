"""Facts of functions, absolute values, indicators, functions that do not fall."""

from tests.kernel.written import known, plain, row, step

absolute, monotone = plain("Absolute"), plain("Monotone")


def rising(
    claim: str, start: str, slope: str, at: str, given: object = (), symbol: str = "z", **more: object
) -> object:
    from tests.kernel.written import LETTERS, combine

    before = [step("start", start, more.pop("first", combine())), step("slope", slope, more.pop("second", combine()))]
    return row(
        claim,
        plain("Rising", symbol=LETTERS[symbol]),
        more.pop("reason", ""),
        at,
        given=given,
        uses="start, slope",
        before=before,
        **more,
    )


FALSE = [
    row("exp(x) <= 1 + x", known("exp", "x"), at="x=1", reason="this gives"),
    row("1 + 2*x <= exp(x)", known("exp", "x"), at="x=1", reason="this gives"),
    row("1 + x < exp(x)", known("exp", "x"), at="x=0", reason="this gives"),
    row("1 + x == exp(x)", known("exp", "x"), at="x=1", reason="this gives"),
    row("1 + y <= exp(x)", known("exp", "x"), at="x=0; y=1", reason="this gives"),
    row("log(x) <= x - 1", known("log", "x"), at="x=0", reason="x is not seen to be positive"),
    row("log(z) <= z - 1", known("log", "z"), at="z=0", reason="z is not seen to be positive"),
    row("log(x) <= x - 1", known("log", "x"), at="x=-1", given=["x <= 1"], reason="x is not seen to be positive"),
    row("log(X) <= X - 1", known("log", "X"), at="X=-1", reason="family(RandomScalar, X) is not seen to be positive"),
    row("p - 1 <= log(p)", known("log", "p"), at="p=2", reason="this gives"),
    row("log(p) < p - 1", known("log", "p"), at="p=1", reason="this gives"),
    row(
        "max(x, y) == x", known("max", "max(x, y)"), at="x=0; y=1", reason="the claim is not a fact about this function"
    ),
    row(
        "max(x, y) == y", known("max", "max(x, y)"), at="x=1; y=0", reason="the claim is not a fact about this function"
    ),
    row(
        "max(x, y) == x",
        known("max", "max(x, y)"),
        at="x=0; y=1",
        given=["x <= y"],
        reason="the claim is not a fact about this function",
    ),
    row(
        "min(x, y) == x", known("min", "min(x, y)"), at="x=1; y=0", reason="the claim is not a fact about this function"
    ),
    row(
        "min(x, y) == y",
        known("min", "min(x, y)"),
        at="x=0; y=1",
        given=["x <= y"],
        reason="the claim is not a fact about this function",
    ),
    row(
        "max(x, y, w) == y",
        known("max", "max(x, y, w)"),
        at="x=0; y=0; w=1",
        given=["x <= y"],
        reason="the claim is not a fact about this function",
    ),
    row(
        "max(x, y) == w",
        known("max", "max(x, y)"),
        at="x=0; y=0; w=1",
        reason="the claim is not a fact about this function",
    ),
    row("max(x, y) == x", known("min", "max(x, y)"), at="x=0; y=1", given=["x <= y"], reason="max(x, y) is not a min"),
    row("k <= floor(x)", known("floor", "x"), at="k=1; x=0", reason="k is not seen to be at most x"),
    row(
        "k <= floor(x)",
        known("floor", "x"),
        at="k=1; x=0",
        given=["k <= x + 1"],
        reason="k is not seen to be at most x",
    ),
    row(
        "y <= floor(x)",
        known("floor", "x"),
        at="y=1/2; x=1/2",
        given=["y <= x"],
        reason="the claim is not a fact about this function",
    ),
    row("n/2 <= floor(n/2)", known("floor", "n/2"), at="n=1", reason="the claim is not a fact about this function"),
    row("2**k <= floor(2**k)", known("floor", "2**k"), at="k=-1", reason="the claim is not a fact about this function"),
    row(
        "sum(2**i0, i0, -3, -1) <= floor(sum(2**i0, i0, -3, -1))",
        known("floor", "sum(2**i0, i0, -3, -1)"),
        reason="the claim is not a fact about this function",
    ),
    row(
        "sum(2**i1, i1, k, k) <= floor(sum(2**i1, i1, k, k))",
        known("floor", "sum(2**i1, i1, k, k)"),
        at="k=-1",
        reason="the claim is not a fact about this function",
    ),
    row("x <= floor(x)", known("floor", "x"), at="x=1/2", reason="the claim is not a fact about this function"),
    row("x < floor(x)", known("floor", "x"), at="x=1/2", reason="the claim is not a fact about this function"),
    row("floor(x) + 1 <= x", known("floor", "x"), at="x=0", reason="the claim is not a fact about this function"),
    row("floor(x) < x", known("floor", "x"), at="x=0", reason="the claim is not a fact about this function"),
    row("x <= floor(x) + 1/2", known("floor", "x"), at="x=3/4", reason="the claim is not a fact about this function"),
    row("abs(x) <= x", known("abs", "x"), at="x=-1", reason="the claim is not a fact about this function"),
    row("y <= abs(x)", known("abs", "x"), at="x=0; y=1", reason="the claim is not a fact about this function"),
    row("x == abs(x)", known("abs", "x"), at="x=-1", reason="the claim is not a fact about this function"),
    row("1 <= indicator(x)", known("indicator", "x"), at="x=-1", reason="the claim is not a fact about this function"),
    row("indicator(x) == 1", known("indicator", "x"), at="x=-1", reason="the claim is not a fact about this function"),
    row(
        "indicator(x) == 1",
        known("indicator", "x"),
        at="x=-1",
        given=["x <= 0"],
        reason="the claim is not a fact about this function",
    ),
    row(
        "indicator(x) + indicator(-x) <= 1",
        known("indicator", "x"),
        at="x=0",
        reason="the claim is not a fact about this function",
    ),
    row(
        "indicator(x) + indicator(-x) == 1",
        known("indicator", "x"),
        at="x=0",
        reason="the claim is not a fact about this function",
    ),
    row(
        "x*indicator(x) == x", known("indicator", "x"), at="x=-1", reason="the claim is not a fact about this function"
    ),
    row(
        "x*indicator(x) == abs(x)",
        known("indicator", "x"),
        at="x=-1",
        reason="the claim is not a fact about this function",
    ),
    row(
        "abs(x)*indicator(x) == abs(x)",
        known("indicator", "x"),
        at="x=-1",
        reason="the claim is not a fact about this function",
    ),
    row("indicator(x) < 1", known("indicator", "x"), at="x=1", reason="the claim is not a fact about this function"),
    row("0 <= x", known("sign", "x"), at="x=-1", reason="there is no fact named 'sign'"),
    # absolute values and indicators from lines
    row(
        "abs(x) <= y",
        absolute,
        at="x=-1; y=0",
        given=["x <= y"],
        reason="0 <= +(y, *(-1, *(-1, x))) is not among the lines that the step uses",
    ),
    row(
        "abs(x) <= y",
        absolute,
        at="x=1; y=0",
        given=["-x <= y"],
        reason="0 <= +(y, *(-1, x)) is not among the lines that the step uses",
    ),
    row(
        "abs(x) <= y",
        absolute,
        at="x=-1; y=0",
        given=["x <= y", "x <= y"],
        reason="0 <= +(y, *(-1, *(-1, x))) is not among the lines that the step uses",
    ),
    row("abs(x) <= 1", absolute, at="x=2", reason="0 <= +(1, *(-1, x)) is not among the lines that the step uses"),
    row(
        "abs(x) <= 1",
        absolute,
        at="x=-2",
        given=["x <= 1", "-x <= 2"],
        reason="0 <= +(1, *(-1, *(-1, x))) is not among the lines that the step uses",
    ),
    row("abs(x) < y", absolute, at="x=1; y=1", given=["x <= y", "-x <= y"], reason="the claim must be |a| <= b"),
    row("abs(x) == y", absolute, at="x=0; y=1", given=["x <= y", "-x <= y"], reason="the claim must be |a| <= b"),
    row("y <= abs(x)", absolute, at="x=0; y=1", given=["x <= y", "-x <= y"], reason="the claim must be |a| <= b"),
    row("abs(x)*2 <= y", absolute, at="x=1; y=1", given=["x <= y", "-x <= y"], reason="the claim must be |a| <= b"),
    row(
        "abs(x + w) <= y",
        absolute,
        at="x=0; y=0; w=1",
        given=["x <= y", "-x <= y"],
        reason="0 <= +(y, *(-1, +(x, w))) is not among the lines that the step uses",
    ),
    row(
        "abs(a(i)) <= 1 for i in 1..2",
        absolute,
        at="a(1)=0; a(2)=-2",
        given=["a(i) <= 1 for i in 1..2", "-a(i) <= 1 for i in 1..1"],
        reason="0 <= +(1, *(-1, *(-1, family(Scalar, a, i)))) is not among the lines that the step uses",
    ),
    row(
        "indicator(x) <= indicator(y)",
        monotone,
        at="x=0; y=-1",
        reason="0 <= +(y, *(-1, x)) is not among the lines that the step uses",
    ),
    row(
        "indicator(x) <= indicator(y)",
        monotone,
        at="x=0; y=-1",
        given=["y <= x"],
        reason="0 <= +(y, *(-1, x)) is not among the lines that the step uses",
    ),
    row(
        "indicator(x) <= indicator(y)",
        monotone,
        at="x=0; y=-1",
        given=["x <= y + 1"],
        reason="0 <= +(y, *(-1, x)) is not among the lines that the step uses",
    ),
    row(
        "indicator(x) < indicator(y)",
        monotone,
        at="x=0; y=0",
        given=["x <= y"],
        reason="the claim must compare two indicators",
    ),
    row(
        "indicator(x) == indicator(y)",
        monotone,
        at="x=-1; y=0",
        given=["x <= y"],
        reason="the claim must compare two indicators",
    ),
    row(
        "indicator(-x) <= indicator(-y)",
        monotone,
        at="x=0; y=1",
        given=["x <= y"],
        reason="0 <= +(*(-1, y), *(-1, *(-1, x))) is not among the lines that the step uses",
    ),
    row("x <= y", monotone, at="x=1; y=0", given=["x <= y + 1"], reason="the claim must compare two indicators"),
    # functions that do not fall
    rising("0 <= z - 1", "0 <= -1", "0 <= 1", "z=0", reason="the sides differ by"),
    rising("0 <= z - 1", "0 <= 0", "0 <= 1", "z=0", reason="the first line is not the claim at z = 0"),
    rising("0 <= -z", "0 <= 0", "0 <= 1", "z=1", reason="the second line is not the derivative of the claim"),
    rising("0 <= z*z - z", "0 <= 0", "0 <= 2*z", "z=1/2", reason="the second line is not the derivative of the claim"),
    rising("0 <= 1 - z", "0 <= 1", "0 <= 1", "z=2", reason="the second line is not the derivative of the claim"),
    rising("0 < z", "0 <= 0", "0 <= 1", "z=0", reason="this rule proves only <= between numbers, without ranges"),
    rising("z == 0", "0 <= 0", "0 <= 1", "z=1", reason="this rule proves only <= between numbers, without ranges"),
    rising("0 <= x", "0 <= 0", "0 <= 1", "x=-1", symbol="x", reason="x must be a symbol of the sort nonnegative"),
    rising("0 <= m - 1/2", "0 <= 0", "0 <= 1", "m=0", symbol="m", reason="m must be a symbol of the sort nonnegative"),
    rising("0 <= floor(z) - z", "0 <= 0", "0 <= 0", "z=1/2", reason="floor(z) is not seen to be differentiable in z"),
    rising(
        "0 <= -indicator(z - 1)",
        "0 <= 0",
        "0 <= 0",
        "z=1",
        reason="indicator(+(-1, z)) is not seen to be differentiable in z",
    ),
    rising("0 <= 1 - max(z, 1)", "0 <= 0", "0 <= 0", "z=2", reason="max(z, 1) is not seen to be differentiable in z"),
    rising(
        "0 <= -abs(z - 1) + 1",
        "0 <= 0",
        "0 <= 1",
        "z=3",
        reason="abs(+(1, *(-1, z))) is not seen to be differentiable in z",
    ),
    rising(
        "0 <= -1/(1 - z) + 1",
        "0 <= 0",
        "0 <= (1 - z)**-2",
        "z=1/2",
        reason="+(1, *(-1, ^(poly(+(1, *(-1, z))), -1))) is not seen to lie in its domain for every z",
    ),
    rising("0 <= -log(1 - z) - z*z*z", "0 <= 0", "0 <= 1/(1 - z)", "z=2", reason="the sides differ by"),
    rising(
        "0 <= 1 - 1/z",
        "0 <= 1",
        "0 <= z**-2",
        "z=1/2",
        reason="+(1, *(-1, ^(z, -1))) is not seen to lie in its domain for every z",
    ),
    rising(
        "0 <= 1 + log(z)",
        "0 <= 1",
        "0 <= 1/z",
        "z=1/100",
        reason="+(1, log(z)) is not seen to lie in its domain for every z",
    ),
    rising(
        "0 <= -(z - 1)**(1/2)",
        "0 <= 0",
        "0 <= 0",
        "z=2",
        reason="^(+(-1, z), 1/2) is not seen to be differentiable in z",
    ),
    rising("0 <= x - z", "0 <= x", "0 <= -1", "x=0; z=1", given=["z <= x + 1", "0 <= x"], reason="the sides differ by"),
]

TRUE = [
    row("1 + x <= exp(x)", known("exp", "x")),
    row("log(p) <= p - 1", known("log", "p")),
    row("max(x, y) == y", known("max", "max(x, y)"), given=["x <= y"]),
    row("min(x, y) == x", known("min", "min(x, y)"), given=["x <= y"]),
    row("max(x, y + z) == y + z", known("max", "max(x, y + z)"), given=["3*x <= 3*y"]),
    row(
        "max(w**2*t + x**2*y, x**2*t + w**2*y) == x**2*t + w**2*y",  # (x^2 - w^2) (t - y) is not negative
        known("max", "max(w**2*t + x**2*y, x**2*t + w**2*y)"),
        given=["w**2 <= x**2", "y <= t"],
    ),
    row("max(3*n, n**2 + 4) == n**2 + 4", known("max", "max(3*n, n**2 + 4)"), given=["n <= 3"]),
    row("floor(x) <= x", known("floor", "x")),
    row("x < floor(x) + 1", known("floor", "x")),
    row("k <= floor(x)", known("floor", "x"), given=["k <= x"]),
    row("x <= abs(x)", known("abs", "x")),
    row("indicator(x) <= 1", known("indicator", "x")),
    row("indicator(x) == 1", known("indicator", "x"), given=["0 <= x"]),
    row("1 <= indicator(x) + indicator(-x)", known("indicator", "x")),
    row("abs(x) <= y", absolute, given=["x <= y", "-x <= y"]),
    row("indicator(x) <= indicator(y)", monotone, given=["x <= y"]),
    rising("0 <= z*z", "0 <= 0", "0 <= 2*z", ""),
    rising("0 <= exp(z) - 1", "0 <= 0", "0 <= exp(z)", ""),
]
