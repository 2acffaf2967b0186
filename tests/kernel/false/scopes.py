"""What a step may rely on where it stands: suppositions, of chance and of indices; refuted and cited steps; fixed letters."""

from tests.kernel.false.granted import NONZERO, ranged
from tests.kernel.false.natural import stated
from tests.kernel.written import apply, combine, instance, plain, polynomial, row, step, summed, term, theorem, witness

CHANCE = "Wrong: an expectation cannot be taken under a random assumption"
expects = theorem("expects", step("s", "mean(X) <= x", plain("Expected"), "h"), given={"h": "X <= x"})
refuted = theorem("refuted", step("s", "x <= 0", witness(x="1"), refuted=True))
SUPPOSED = combine({"assumed 1": "1"})  # what a step supposes
UNUSED = combine({"assumed 1": "0"})
each_positive = step("a", "0 <= a(i) for i in 1..n", SUPPOSED, assuming=["0 <= a(i)"])

FALSE = [
    # what is supposed of one outcome
    row(
        "mean(X) <= 1",
        plain("Expected"),
        at="X=0|4",
        uses="a",
        assuming=["X <= 1"],
        before=[step("a", "X <= 1", SUPPOSED, assuming=["X <= 1"])],
        reason=f"step end (Expected): {CHANCE}",
    ),
    row(
        "mean(X) <= 1",
        apply("expects", ("x", "1")),
        at="X=0|4",
        assuming=["X <= 1"],
        lemmas=[expects],
        reason=f"step end (Apply): {CHANCE}",
    ),
    row("1 <= 0", apply("nothing"), at="X=0", assuming=["X <= 1"], reason="nothing is not proved before"),
    row(
        "mean(X) == 1",
        combine(),
        at="X=1|3",
        by="a",
        assuming=["X == 1"],
        before=[step("a", "X == 1", SUPPOSED, assuming=["X == 1"])],
        reason="an equation under a random assumption cannot be inserted",
    ),
    row(
        "mean(X/X) == 1",
        UNUSED,
        at="X=0|1",
        assuming=["0 < X"],
        before=[step("a", "0 < X", SUPPOSED, assuming=["0 < X"])],
        reason=f"step end (Combine): Wrong: family(RandomScalar, X) {NONZERO}",
    ),
    # what is supposed of one index
    row(
        "0 <= a(1)",
        instance(i="1"),
        at="n=2; i=2; a(1)=-1; a(2)=0",
        uses="a",
        assuming=["0 <= a(i)"],
        before=[each_positive],
        reason="a line used has an assumption on i",
    ),
    row(
        "0 <= sum(a(i), i, 1, n)",
        summed("i"),
        at="n=2; i=2; a(1)=-1; a(2)=0",
        uses="a",
        assuming=["0 <= a(i)"],
        before=[each_positive],
        reason="a line used has an assumption on i",
    ),
    row(
        "sum(j/j, j, 0, 5) == 6",
        UNUSED,
        at="i=1",
        assuming=["0 < i"],
        before=[step("a", "0 < i for i in 0..5", SUPPOSED, assuming=["0 < i"])],
        reason=f"step end (Combine): Wrong: j {NONZERO}",
    ),
    # a need of a rule that forgets suppositions, by an equation under one
    row(
        "1 <= 0 for i in 1..n",
        plain("Cases"),
        at="x=0; n=1",
        given={"h": "1 <= 0 for i in 1..n*x/x"},
        uses="h",
        by="a",
        before=[step("a", "x == 1", SUPPOSED, assuming=["x == 1"])],
        reason="step end (Cases): Wrong: a assumes more than this step",
    ),
    # a letter that is fixed, and an index that is called as it is
    row("i/i == 1 for i in 0..5", combine(), at="i=1", given=["1 <= i"], uses="", reason=f"i {NONZERO}"),
    row(
        "x == i for i in 1..5",
        combine(),
        at="x=1; i=1",
        given={"d": "x := i"},
        by="d",
        uses="",
        reason="d has a free symbol that is an index here",
    ),
    # what is cited or refuted
    row("x/x == 1", at="x=0", before=[step("a", "0 < x", plain("Assumed", citation="a book"))], reason=f"x {NONZERO}"),
    row(
        "x/x == 1",
        at="x=0",
        before=[step("a", "1 <= x", plain("Assumed", citation="a book")), step("b", "0 < x", combine({"a": "1"}))],
        reason=f"x {NONZERO}",
    ),
    row("x/x == 1", at="x=0", before=[step("r", "x == 1", witness(x="0"), refuted=True)], reason=f"x {NONZERO}"),
    row(
        "x <= 0",
        combine({"r": "1"}),
        at="x=1",
        uses="r",
        before=[step("r", "x <= 0", witness(x="1"), refuted=True)],
        reason="end uses a line that does not precede it",
    ),
    row("1 <= 0", apply("refuted", ("x", "1")), at="x=0", lemmas=[refuted], reason="refuted is not proved before"),
    row("0 <= 1", combine(), at="", refuted=True, reason="only a counterexample refutes"),
]

TRUE = [
    row(
        "mean(X) <= y",
        plain("Cases"),
        given={"h": "X <= y"},
        uses="one, two",
        before=[
            step("one", "mean(X) <= y", plain("Expected"), "h", assuming=["0 <= x"]),
            step("two", "mean(X) <= y", plain("Expected"), "h", assuming=["x < 0"]),
        ],
    ),
    row(  # three lines together, of which a step makes one
        "mean(Y/Y) == 1",
        combine(),
        given=["X <= Y", "w <= X", "1 <= w"],
        uses="",
        before=[step("a", "1 <= Y", combine({"h1": "1", "h2": "1", "h3": "1"}))],
    ),
    row(
        "0 <= 1",
        plain("Cases"),
        given={"h": "a(i) <= 0 for i in 1..n"},
        lemmas=[ranged],
        uses="one, two",
        before=[
            step("a", "a(i) <= 0 for i in 1..n", combine({"h": "1", "assumed 1": "0"}), assuming=["0 <= x"]),
            step("one", "0 <= 1", apply("ranged"), "a", assuming=["0 <= x"]),
            step("b", "a(i) <= 0 for i in 1..n", combine({"h": "1", "assumed 1": "0"}), assuming=["x < 0"]),
            step("two", "0 <= 1", apply("ranged"), "b", assuming=["x < 0"]),
        ],
    ),
    row("0 <= 2*i*i for i in 1..n", combine({"a": "2"}), uses="a", before=[step("a", "0 <= i*i", combine())]),
    row(
        "0 <= a(i)*a(i) for i in 1..n",
        plain("Cases"),
        given={"h": "0 <= i"},
        uses="one, two",
        before=[
            step("one", "0 <= a(i)*a(i) for i in 1..n", UNUSED, assuming=["0 <= a(i)"]),
            step("two", "0 <= a(i)*a(i) for i in 1..n", UNUSED, assuming=["a(i) < 0"]),
        ],
    ),
    row("0 <= integer*integer + integer(1)*integer(1)"),  # a letter, and a family of numbers that is called as it is
    row(  # indices with one name, each in its own line
        "0 <= 1",
        combine(),
        given=["0 <= a(i0) for i0 in 0..5", "0 <= a(i) for i in -5..5", "0 <= sum(b(i1), i1, 1, 5)"],
        uses="",
    ),
    row("0 <= 1", combine(), given={"h": "0 <= sum(c(i0), i0, 0, 1)", "g": "0 <= i"}, uses=""),
    row("0 <= 1", combine(), given={"h": "0 <= c(i0) for i0 in 0..1", "g": "0 <= i"}, uses=""),
    # an index of which no more is known than its range
    row("sum(h, i, 1, 2) == 2*h for h in 1..3"),
    row("0 <= c(h) for h in 1..n"),
    row("0 <= c(h) for h in 1..n, i in 1..n"),
    row("val(f(h), u) <= val(f(h), u) for h in 1..2"),
    row("mean(draw(h, M)) <= mean(draw(h, M)) for h in 1..M"),
    # where a sum begins: by a line with a defined letter, and by what holds for every outcome
    row("0 <= 1", combine(), given={"d": "k := i + j", "g": "1 <= k", "h": "sum(b(l), l, k/k, n) <= 1"}, uses=""),
    row("0 <= 1", combine(), given={"g": "1 <= X", "d": "y := sum(b(l), l, mean(X/X), n)"}, uses=""),
]

unknown, COMPARED = "the symbol h has no sort and is not bound", "a vector is compared with a number"
NONE = [
    (
        "a witness of contradicting hypotheses",
        row(
            "9 <= a(1) + a(2)",
            witness(),
            given={"h": "a(1) + a(2) == 1", "g": "a(1) == 5", "f": "a(2) == 5"},
            uses="h, g, f",
            by="h, g, f",
            refuted=True,
        ).theorems[-1],
        "a counterexample must refute its claim and insert definitions only",
    ),
    (
        "a witness that is any number of a family",
        theorem("own", step("1", "x == x + 1", witness(x="a"), refuted=True)),
        "x = family(Scalar, a) is out of its domain",
    ),
    ("an unknown letter put in", ranged, theorem("own", step("1", "0 <= 1", apply("ranged", ("x", "h")))), unknown),
    (
        "an unknown letter of a fact",
        theorem("own", step("1", "1 <= 1", {"rule": "Known", "name": "exp", "at": term("0*h")})),
        unknown,
    ),
    (
        "an unknown letter of a power",
        theorem("own", step("1", "0 <= 4", {"rule": "Power", "exponent": term("2 + 0*h")}, "h"), given={"h": "0 <= 2"}),
        unknown,
    ),
    (
        "an unknown letter of a weight",
        theorem("own", step("1", "0 <= n", summed("i", weight="1 + 0*h"), "h"), given={"h": "0 <= 1 for i in 1..n"}),
        unknown,
    ),
    ("an unknown letter of a statement", row("0 <= 1", statement="0*h <= 1").theorems[-1], unknown),
    ("vectors that are compared", theorem("own", step("1", "u <= v", combine())), COMPARED),
    ("a vector and a number", theorem("own", step("1", "u == x", combine())), COMPARED),
    (
        "a circle of definitions behind a third",
        theorem("own", step("1", "0 <= 1", combine()), given={"a": "x := y", "b": "y := w", "c": "w := y"}),
        "the definitions are circular",
    ),
    ("a theorem that stands twice", ranged, ranged, "an earlier theorem has the same name"),
    (
        "a need by a line that is not used",
        theorem("own", step("1", "x/x == 1", combine()), given={"h": "1 <= x"}) | {"unused": ["h"]},
        NONZERO,
    ),
]


APART = "x**2 - x + 1"
OTHER = APART.replace("x", "y")
SQUARE, LIKE = polynomial(("1", [], "x - 1/2")), polynomial(("1", [], "y - 1/2"))

NATURAL = [
    ("by a step", stated(f"1/({APART})", before=[step("a", f"3/4 <= {APART}", SQUARE)])),
    (
        "by a step that divides by what a later one shows not to be 0",
        stated(
            f"1/({OTHER})",
            before=[
                step("a", "0 <= 1", combine()),
                step("b", f"3/4 <= {OTHER} + 0*(1/({APART}))", LIKE, "a"),
                step("c", f"3/4 <= {APART}", SQUARE),
            ],
        ),
    ),
    ("for every outcome, in a definition", stated("z", {"d": "x := mean(1/P)"})),
]
READ = [
    (
        "a fixed letter, and an index called as it is",
        theorem("own", step("end", "1/i + z == 1/i + z for i in 0..5", combine()), given={"h": "1 <= i"}),
        f"i {NONZERO}",
    ),
    (  # the second step needs x != 0, which the first has from the line that is asked about
        "a hypothesis by what follows from it",
        theorem(
            "own",
            step("s1", "1 <= x", combine({"h": "1"})),
            step("s2", "y == w", combine({"g": "1/x"})),
            step("end", "y == w", combine({"s2": "1"})),
            given={"g": "x*y == x*w", "h": "1 <= x + 1/(y - w - 1) - 1/(y - w - 1)"},
        ),
        NONZERO,
    ),
    ("by a refuted step", stated("1/x", before=[step("r", "x == 1", witness(x="0"), refuted=True)]), f"x {NONZERO}"),
    ("under a supposition", stated("1/x", before=[step("r", "0 < x", SUPPOSED, assuming=["0 < x"])]), f"x {NONZERO}"),
]
