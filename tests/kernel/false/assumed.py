"""Cases that leave something out, inductions without a base or a step, assumptions that are not given back, circles."""

from tests.kernel.written import combine, plain, row, step

cases, same = plain("Cases"), combine({"assumed 1": "0"})
taken = combine({"assumed 1": "1"})


def on(index: str = "i") -> object:
    return plain("Induction", index=["symbol", index, "integer"])


def split(claim: str, first: str, second: str, at: str, **more: object) -> object:
    """A claim under one condition and under another."""
    before = [step("low", claim, taken, assuming=[first]), step("high", claim, taken, assuming=[second])]
    return row(claim, cases, more.pop("reason", ""), at, uses="low, high", before=before, **more)


def induction(claim: str, base: str, after: str, assumed: str, at: str, index: str = "i", **more: object) -> object:
    """A base and a step, of which each must follow by the normal form or by what is assumed."""
    before = [
        step("base", base, more.pop("start", combine())),
        step("next", after, more.pop("then", taken), assuming=[assumed]),
    ]
    return row(claim, on(index), more.pop("reason", ""), at, uses="base, next", before=before, **more)


FALSE = [
    split("0 <= x", "0 <= x", "0 <= x - 1", "x=-1", reason="the cases are not seen to be exhaustive"),
    split("0 <= x", "0 <= x", "0 <= x", "x=-1", reason="the cases are not seen to be exhaustive"),
    split("0 < x", "0 < x", "0 < 2*x", "x=0", reason="the sides differ by"),
    split("0 <= x - 1", "1 <= x", "2 <= x + 1", "x=0", reason="the cases are not seen to be exhaustive"),
    split(
        "0 <= x*x - x",
        "0 <= x*x - x",
        "0 <= x*x - x + y - y",
        "x=1/2",
        reason="the cases are not seen to be exhaustive",
    ),
    split("x <= y", "x <= y", "x <= y", "x=1; y=0", reason="the cases are not seen to be exhaustive"),
    split("1 <= m", "1 <= m", "1 <= m", "m=0", reason="the cases are not seen to be exhaustive"),
    split("0 <= k - 1", "0 <= k - 1", "1 <= k", "k=0", reason="the cases are not seen to be exhaustive"),
    row(
        "0 <= x",
        cases,
        at="x=-1",
        uses="low",
        before=[step("low", "0 <= x", taken, assuming=["0 <= x"])],
        reason="the cases are not seen to be exhaustive",
    ),
    row("0 <= x", cases, at="x=-1", uses="", reason="the cases are not seen to be exhaustive"),
    row(
        "0 <= x",
        cases,
        at="x=-1",
        uses="low",
        before=[step("low", "0 <= x + 1", taken, assuming=["0 <= x + 1"])],
        reason="low does not state the claim",
    ),
    row(
        "0 <= x",
        cases,
        at="x=-1",
        uses="a, b",
        before=[step("a", "0 <= x", taken, assuming=["0 <= x"]), step("b", "x <= 0", taken, assuming=["x <= 0"])],
        reason="b does not state the claim",
    ),
    row(
        "0 < x",
        cases,
        at="x=0",
        uses="a, b",
        before=[step("a", "0 < x", taken, assuming=["0 < x"]), step("b", "0 < -x", taken, assuming=["0 < -x"])],
        reason="b does not state the claim",
    ),
    row(
        "x == 0",
        cases,
        at="x=1",
        uses="a",
        before=[step("a", "x == 0", taken, assuming=["x == 0"])],
        reason="the cases are not seen to be exhaustive",
    ),
    row(
        "0 <= a(i) for i in 1..2",
        cases,
        at="a(1)=-1; a(2)=0",
        uses="a",
        before=[step("a", "0 <= a(i) for i in 1..2", taken, assuming=["0 <= a(i) for i in 1..2"])],
        reason="the cases are not seen to be exhaustive",
    ),
    row(
        "0 <= a(i) for i in 1..2",
        cases,
        at="a(1)=-1; a(2)=0",
        uses="a, b",
        before=[
            step("a", "0 <= a(i) for i in 1..2", taken, assuming=["0 <= a(i)"]),
            step("b", "0 <= a(i) for i in 1..2", taken, assuming=["0 <= a(i) + 1"]),
        ],
        reason="the sides differ by",
    ),
    row(
        "u == v",
        cases,
        at="u=(1); v=(0)",
        uses="a",
        before=[step("a", "u == v", taken, assuming=["u == v"])],
        reason="the cases are not seen to be exhaustive",
    ),
    # assumptions that stay
    row(
        "0 <= x",
        combine({"low": "1"}),
        at="x=-1",
        uses="low",
        before=[step("low", "0 <= x", taken, assuming=["0 <= x"])],
        reason="low assumes more than this step",
    ),
    row(
        "0 <= x + 1",
        combine({"low": "1"}),
        at="x=-2",
        uses="low",
        before=[step("low", "0 <= x", taken, assuming=["0 <= x"])],
        reason="low assumes more than this step",
    ),
    row(
        "sum(x, i, 1, 2) <= 0",
        plain("Summed", indices=[["symbol", "i", "integer"]], weight="1"),
        at="x=1",
        uses="low",
        before=[step("low", "x <= 0 for i in 1..2", taken, assuming=["x <= 0"])],
        reason="low assumes more than this step",
    ),
    row(
        "mean(X) <= 0",
        plain("Expected"),
        at="X=1",
        uses="low",
        before=[step("low", "X <= 0", taken, assuming=["X <= 0"])],
        reason="low assumes more than this step",
    ),
    row(
        "x/x == 1",
        combine({"low": "0"}),
        at="x=0",
        uses="",
        before=[step("low", "0 < x", taken, assuming=["0 < x"])],
        reason="low assumes more than this step",
    ),
    row(
        "x/x == 1",
        combine({}),
        at="x=0",
        before=[step("low", "0 < x", taken, assuming=["0 < x"])],
        reason="x is not seen to be nonzero",
    ),
    row(
        "y == 0",
        combine({}),
        at="y=1",
        by="low",
        before=[step("low", "y == 0", taken, assuming=["y == 0"])],
        reason="low assumes more than this step",
    ),
    row("0 <= x", combine({"end": "1"}), at="x=-1", uses="end", reason="end uses a line that does not precede it"),
    row(
        "0 <= x",
        combine({"low": "1"}),
        at="x=-1",
        uses="low",
        before=[step("low", "0 <= x", combine({"end": "1"}), "end")],
        reason="low uses a line that does not precede it",
    ),
    row(
        "1 <= 0",
        combine({"low": "1"}),
        at="",
        uses="low",
        before=[step("low", "1 <= 0", combine({"low": "1"}), "low")],
        reason="low uses a line that does not precede it",
    ),
    row(
        "1 <= 0",
        combine({"b": "1"}),
        at="",
        uses="b",
        before=[step("a", "1 <= 0", combine({"b": "1"}), "b"), step("b", "1 <= 0", combine({"a": "1"}), "a")],
        reason="a uses a line that does not precede it",
    ),
    # inductions
    induction(
        "a(i) <= 0 for i in 0..oo",
        "a(0) <= 0",
        "a(i + 1) <= 0 for i in 0..oo",
        "a(i) <= 0",
        "a(0)=0; a(1)=1; a(2)=0; a(3)=0; a(4)=0; a(5)=0",
        start=combine({"h1": "1"}),
        given=["a(0) <= 0"],
        reason="the sides differ by",
    ),
    induction(
        "1 <= i for i in 0..oo", "1 <= 0", "1 <= i + 1 for i in 0..oo", "1 <= i", "", reason="the sides differ by"
    ),
    induction(
        "1 <= i for i in 0..oo",
        "1 <= 1",
        "1 <= i + 1 for i in 0..oo",
        "1 <= i",
        "",
        reason="base is not the claim at 0",
    ),
    induction(
        "i <= 0 for i in 0..oo",
        "0 <= 0",
        "i + 1 <= 0 for i in 0..oo",
        "i + 1 <= 0",
        "",
        reason="next assumes more than the claim at i",
    ),
    induction(
        "i <= 0 for i in 0..oo",
        "0 <= 0",
        "i <= 0 for i in 0..oo",
        "i <= 0",
        "",
        reason="next is not the claim at i + 1",
    ),
    induction(
        "i <= 0 for i in 0..oo",
        "0 <= 0",
        "i + 1 <= 1 for i in 0..oo",
        "i <= 0",
        "",
        reason="next is not the claim at i + 1",
    ),
    induction(
        "i <= 0 for i in 0..1", "0 <= 0", "i + 1 <= 0 for i in 0..-1", "i <= 0", "", reason="the sides differ by"
    ),
    induction(
        "0 <= i for i in -2..oo",
        "0 <= 0",
        "0 <= i + 1 for i in 0..oo",
        "0 <= i",
        "",
        reason="base is not the claim at -2",
    ),
    induction(
        "0 <= i for i in -oo..oo", "0 <= 0", "0 <= i + 1 for i in 0..oo", "0 <= i", "", reason="i has no first value"
    ),
    induction(
        "i <= x for i in 0..oo",
        "0 <= x",
        "i + 1 <= x for i in 0..oo",
        "i + 1 <= x",
        "x=0",
        start=combine({"h1": "1"}),
        given=["0 <= x"],
        reason="next assumes more than the claim at i",
    ),
    induction(
        "a(i) <= a(j) for i in 0..1, j in 0..1",
        "a(0) <= a(j) for j in 0..1",
        "a(i + 1) <= a(j) for i in 0..0, j in 0..1",
        "a(i) <= a(j)",
        "a(0)=0; a(1)=1",
        start=combine({"h1": "1"}),
        given=["a(0) <= a(j) for j in 0..1"],
        reason="the sides differ by",
    ),
    row(
        "i <= 0 for i in 0..oo",
        on(),
        at="",
        uses="base",
        before=[step("base", "0 <= 0", combine())],
        reason="needs a claim for all values of its index, a base and a step",
    ),
    row(
        "i <= 0 for i in 0..oo",
        on(),
        at="",
        uses="base, next",
        before=[
            step("base", "0 <= 0", combine()),
            step("next", "i + 1 <= 0 for i in 0..oo", taken, assuming=["i <= -1"]),
        ],
        reason="next assumes more than the claim at i",
    ),
    row(
        "i <= 0 for i in 0..oo",
        on("j"),
        at="",
        uses="base, next",
        before=[step("base", "0 <= 0", combine()), step("next", "i <= 0 for i in 0..0", combine())],
        reason="the sides differ by",
    ),
    row(
        "x <= 0",
        on(),
        at="x=1",
        uses="base, next",
        before=[step("base", "0 <= 0", combine()), step("next", "0 <= 0", combine())],
        reason="needs a claim for all values of its index, a base and a step",
    ),
    row(
        "i <= 1 for i in 1/2..oo",
        plain("Induction", index=["symbol", "i", "integer"]),
        at="",
        uses="base, next",
        before=[step("base", "1/2 <= 1", combine()), step("next", "0 <= 1", combine())],
        reason="i has no first value",
    ),
]

TRUE = [
    row(
        "0 <= abs(x)",
        cases,
        uses="a, b",
        before=[
            step("a", "0 <= abs(x)", same, assuming=["0 <= x"]),
            step("b", "0 <= abs(x)", same, assuming=["x < 0"]),
        ],
    ),
    row(
        "0 <= x*x",
        cases,
        uses="a, b",
        before=[step("a", "0 <= x*x", same, assuming=["1 <= k"]), step("b", "0 <= x*x", same, assuming=["k <= 0"])],
    ),
    induction("0 <= i for i in 0..oo", "0 <= 0", "0 <= i + 1 for i in 0..oo", "0 <= i", ""),
    induction(
        "a(i) <= 0 for i in 0..oo",
        "a(0) <= 0",
        "a(i + 1) <= 0 for i in 0..oo",
        "a(i) <= 0",
        "",
        start=combine({"h1": "1"}),
        then=combine({"h2": "1", "assumed 1": "1"}),
        given=["a(0) <= 0", "a(i + 1) <= a(i) for i in 0..oo"],
    ),
    induction(  # the claim at i for the same j alone
        "0 <= i + abs(j) for i in 0..oo, j in 0..2",
        "0 <= abs(j) for j in 0..2",
        "0 <= i + 1 + abs(j) for i in 0..oo, j in 0..2",
        "0 <= i + abs(j)",
        "",
    ),
    induction(  # and for every j
        "0 <= abs(i + j) for i in 0..oo, j in 0..2",
        "0 <= abs(j) for j in 0..2",
        "0 <= abs(i + 1 + j) for i in 0..oo, j in 0..2",
        "0 <= abs(i + j) for j in 0..2",
        "",
        then=same,
    ),
]
