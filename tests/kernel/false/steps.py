"""What each rule asks of the lines that it uses: false steps that one question refuses, and true ones that need the same answer."""

from tests.kernel.false.assumed import cases as by_cases
from tests.kernel.false.chance import expected
from tests.kernel.false.facts import absolute, rising
from tests.kernel.false.indexed import power, squeezed
from tests.kernel.written import axiom, combine, instance, known, polynomial, row, square, step, summed


def cases(claim, first, second, at="", reason="", one=None, two=None, given=(), **more):
    """A claim in two cases, each shown by the lines that it uses."""
    before = [
        step(name, claim, combine(uses or {"assumed 1": "0"}), assuming=supposed)
        for name, uses, supposed in (("one", one, first), ("two", two, second))
    ]
    return row(claim, by_cases, reason, at, given=given, uses="one, two", before=before, **more)


FALSE = [
    # weights
    row(
        "x < y + w",
        combine({"h1": "1", "h2": "1"}),
        at="x=0; y=0; w=0",
        given=["x <= y", "0 <= w"],
        reason="a strict claim",
    ),
    row(
        "x < y + w",
        combine({"h1": "0", "h2": "1"}),
        at="x=0; y=0; w=0",
        given=["x <= y", "0 <= w"],
        reason="a strict claim",
    ),
    row("x*p < y*p", combine({"h1": "p - p"}), at="x=0; y=0; p=1", given=["x <= y"], reason="a strict claim"),
    row(
        "val(f, u) <= val(f, v)",
        combine({}, axiom("descent", "1")),
        at="u=(1); v=(0); f=1",
        given=["f: -, 0"],
        reason="does not give the axiom 'descent'",
    ),
    row(
        "val(f, v) <= val(f, u)",
        combine({}, axiom("ascent", "1")),
        at="u=(0); v=(1); f=1",
        given=["f: -, 0"],
        reason="does not give the axiom 'ascent'",
    ),
    row(
        "dot(grad(f, u) - grad(f, v), grad(f, u) - grad(f, v)) <= 0",
        combine({}, axiom("lipschitz", "1")),
        at="u=(1); v=(0); f=1",
        given=["f: -, 0"],
        reason="does not give the axiom 'lipschitz'",
    ),
    row(
        "val(f, v) + dot(grad(f, v), u - v) + 1 <= val(f, u)",
        combine({}, axiom("cocoercive", "1")),
        at="u=(1); v=(1); f=1",
        given=["f: -, 0"],
        reason="does not give the axiom 'cocoercive'",
    ),
    row(
        "val(f, v) + dot(grad(f, v), u - v) + 1 <= val(f, u)",
        combine({}, axiom("interpolated", "1")),
        at="u=(1); v=(1); f=1",
        given=["f: -, 0"],
        reason="does not give the axiom 'interpolated'",
    ),
    row(
        "val(f, v) + dot(grad(f, v), u - v) + 1 <= val(f, u)",
        combine({}, axiom("interpolated", "1")),
        at="u=(1); v=(1); f=1",
        given=["f: p, -"],
        reason="does not give the axiom 'interpolated'",
    ),
    row(
        "val(f, v) + dot(grad(f, v), u - v) + 1 <= val(f, u)",
        combine({}, axiom("cocoercive", "1")),
        at="u=(1); v=(1); f=1",
        given=["f: p, -"],
        reason="does not give the axiom 'cocoercive'",
    ),
    row(
        "val(f, v) + dot(grad(f, v), u - v) + 1 <= val(f, u)",
        combine({}, axiom("convex", "1")),
        at="u=(1); v=(1); f=1",
        given=["f: p, -"],
        reason="does not give the axiom 'convex'",
    ),
    # sums over ranges
    row(
        "sum(a(i), i, 1, n) <= 0",
        summed("i"),
        at="n=1; a(1)=1; b(1)=0",
        given=["b(i) <= 0 for i in 1..n", "b(i) <= 1 for i in 1..n"],
        reason="this rule uses exactly one line",
    ),
    row(
        "sum(b(j), i, 1, n) <= sum(a(i), i, 1, n) for j in 1..i",
        summed("i"),
        at="n=2; i=2; b(1)=0; b(2)=1; a(1)=0; a(2)=1",
        given=["b(j) <= a(i) for i in 1..n, j in 1..i"],
        reason="a range depends on an index that is summed over",
    ),
    row("sum(x, i, 1, n) < n*y", summed("i"), at="n=1; x=0; y=0", given=["x <= y for i in 1..n"], reason="this gives"),
    # a line at integers
    row("x <= y", instance(i="1"), at="x=1; y=0", reason="this rule needs a line"),
    row(
        "a(1) <= b(j) for j in 1..k",
        instance(i="1"),
        at="n=1; k=2; a(1)=0; b(1)=0; b(2)=-1",
        given=["a(i) <= b(j) for i in 1..1, j in 1..n"],
        reason="this gives",
    ),
    # two lines that are opposite
    row("x == y", squeezed, at="x=0; y=1; w=0", given=["x <= y", "w <= x"], reason="the two lines are not opposite"),
    row("x == y", squeezed, at="x=0; y=1; w=1", given=["x <= y", "y <= w"], reason="the two lines are not opposite"),
    # powers keep an order of what is not negative
    row(
        "x**2 <= y**2",
        power("2"),
        at="x=-1; y=0; w=-1",
        given=["w <= x", "x <= y"],
        reason="the first line must be 0 <= a",
    ),
    row(
        "x**2 <= y**2",
        power("2"),
        at="x=-1; y=0; w=1",
        given=["0 <= w", "x <= y"],
        reason="the first line must be 0 <= a",
    ),
    # facts
    row(
        "k < floor(x)",
        known("floor", "x"),
        at="k=0; x=0",
        given=["k <= x"],
        reason="the claim is not a fact about this function",
    ),
    row(
        "k == floor(x)",
        known("floor", "x"),
        at="k=0; x=1",
        given=["k <= x"],
        reason="the claim is not a fact about this function",
    ),
    # what does not fall
    rising(
        "0 <= z**2 - 4*z",
        "0 <= 0",
        "0 <= 2*z - 4",
        "z=3",
        given=["z == 3"],
        second=combine({"h1": "-2"}),
        reason="a hypothesis contains z",
    ),
    # cases leave something out
    cases(
        "0 <= x",
        ["0 <= x"],
        ["1 <= x"],
        at="x=-1",
        reason="the cases are not seen to be exhaustive",
        one={"assumed 1": "1"},
        two={"assumed 1": "1"},
    ),
    cases(
        "x <= 0",
        ["0 == x"],
        ["x < 0"],
        at="x=1",
        reason="the cases are not seen to be exhaustive",
        one={"assumed 1": "-1"},
        two={"assumed 1": "1"},
    ),
    cases(
        "0 <= x",
        ["0 <= x"],
        ["x < 0", "0 <= x"],
        at="x=-1",
        reason="the cases are not seen to be exhaustive",
        one={"assumed 1": "1"},
        two={"assumed 2": "1"},
    ),
    cases(
        "0 <= x",
        ["0 < x"],
        ["x < 0", "0 <= x"],
        at="x=-1",
        reason="the cases are not seen to be exhaustive",
        one={"assumed 1": "1"},
        two={"assumed 2": "1"},
    ),
    cases(
        "0 <= x",
        ["1 <= x", "y <= 0"],
        ["0 <= x", "0 < y"],
        at="x=-1; y=1",
        reason="the cases are not seen to be exhaustive",
        one={"assumed 1": "1"},
        two={"assumed 1": "1"},
    ),
]

TRUE = [
    row("x <= y", combine({}), given=["x <= y"], uses="h1"),
    row("x + w <= y + t", combine({}), given=["x <= y", "w <= t"], uses="h1, h2"),
    row(
        "val(f, v) + dot(grad(f, v), u - v) <= val(f, u)",
        combine({}, axiom("convex", "1")),
        given=["f: -, 0", "x <= y"],
        uses="h1, h2",
    ),
    row("0 <= dot(u, u)", combine({}, squares=[square("1", ("1", "u"))]), given=["x <= y"], uses="h1"),
    row("0 <= z", combine({"h1": "x - x"}), given=["0 <= a(i) for i in 1..n"]),
    row("x < y + w", combine({"h1": "1", "h2": "1"}), given=["x < y", "0 <= w"]),
    row("x < y + w", combine({"h2": "1", "h1": "1"}), given=["0 <= w", "x < y"]),
    row("0 <= x*w + w", polynomial(("1", [("x + 1", 1), ("w", 1)], None)), given=["0 <= x", "0 <= w"]),
    row("sum(-a(i), i, 1, n) == sum(-b(i), i, 1, n)", summed("i", weight="-1"), given=["a(i) == b(i) for i in 1..n"]),
    row("mean(X) == mean(Y)", expected, given=["X == Y"]),
    row("0 <= y**2", power("2"), given=["0 <= x", "x <= y"]),
    row("x**z <= y**z", power("z"), given=["0 <= x", "x <= y", "w <= t"]),
    row("x**z <= y**z", power("z"), given=["0 == x", "x <= y"]),
    row("x == y", squeezed, given=["x == y", "y <= x"]),
    row("k <= floor(a(i)) for i in 1..n", known("floor", "a(i)"), given=["k <= a(i) for i in 1..n"]),
    row("abs(x) <= y", absolute, given=["x <= y", "-x <= y", "u == v"]),
    row("abs(x) <= y", absolute, given=["x == y", "-x <= y"]),
    cases("0 <= z", ["0 <= x"], ["x <= 0"]),
    cases("0 <= z", ["0 <= x"], ["x < 0"]),
    cases("0 <= z", ["0 < x"], ["x <= 0"]),
    cases("0 <= z", ["0 <= x"], ["x <= 1"]),
    cases("0 <= z", ["1 <= k"], ["k <= 0"]),
    cases("0 <= z", ["1 <= k"], ["k < 1"]),
    cases("0 <= z", ["0 <= k"], ["k <= -1"]),
    cases("0 <= z", ["x <= y"], ["y <= x"]),
    cases("0 <= z", ["0 <= x + y"], ["y <= -x"]),
]
