"""What a rule asks: orders of sums, ends of ranges, cases and inductions, what rises, what is enumerated."""

from tests.kernel.false.scopes import SUPPOSED, UNUSED
from tests.kernel.written import ball, combine, instance, plain, polynomial, row, step, summed, term, theorem, witness

same = combine()
cases, listed = plain("Cases"), plain("Enumerate", scope="")
on_i, rising = plain("Induction", index=term("i")), plain("Rising", symbol=term("z"))
VANISHES = "x/(x + 1) + 1/(x + 1) - 1"  # where x is not -1
LARGE = "((x + y)**65)**(-1)"  # is not multiplied out
BELOW_AT_EACH = "a(j) <= 0 for j in 1..2"
CALLED = ["family", "Scalar", "nonnegative"]


def refuted(claim, given=None, uses="", by="", **at):
    return theorem("own", step("1", claim, witness(**at), uses, by, refuted=True), given=given)


TRUE = [
    # cases: two suppositions that are never both so, one that follows as what it differs by vanishes
    row(
        "0 <= 1",
        cases,
        uses="c, d, e",
        before=[
            step("c", "0 <= 1", UNUSED, assuming=["x <= 0"]),
            step("d", "0 <= 1", UNUSED, assuming=["x < 0", "0 <= 2*x"]),
            step("e", "0 <= 1", UNUSED, assuming=["0 <= 2*x"]),
        ],
    ),
    row(
        "0 <= 1",
        cases,
        given=["0 < x"],
        uses="c, d",
        before=[
            step("c", "0 <= 1", UNUSED, assuming=["0 <= k"]),
            step("d", "0 <= 1", UNUSED, assuming=[f"k + 1 + {VANISHES} <= 0"]),
        ],
    ),
    # rising: a third line may be an equation for all of a range; what has no z may be of any kind
    row(
        "0 <= z",
        rising,
        given={"g": "x == 0 for i in 1..2"},
        uses="b, s, g",
        before=[step("b", "0 <= 0", same), step("s", "0 <= 1", same)],
    ),
    row("0 <= z*abs(w)", rising, uses="b, s", before=[step("b", "0 <= 0", same), step("s", "0 <= abs(w)", same)]),
    # 0 stays 0, whatever it is multiplied by and however often it is added
    row("0 == 0", summed("i", weight=LARGE), given={"h": f"0 == 0 for i in 1..{LARGE}"}, uses="h"),
    # a side of the box that the claim does not speak of
    row(
        "0 <= x**2 - x + 7/20",
        ball({"x": ("0", "1"), "w": ("0", "1000")}),
        given=["0 <= x", "x <= 1", "0 <= w", "w <= 1000"],
    ),
    row("abs(x) <= w", plain("Absolute"), given=["u == v", "x <= w", "-x <= w"]),
    row("0 < x**2", witness(x="0"), given=["f: 1, -", "g: -, 3"], refuted=True),
    # a witness under an assumption on the claim's index, inside its range
    row("0 <= 0", same, before=[step("r", "i <= 1 for i in 0..3", witness(i="2"), assuming=["2 <= i"], refuted=True)]),
]

FALSE = [
    # rising: from a line about an empty range, from one line, where the claim's range grants what is needed
    row(
        "1 <= z",
        rising,
        "needs 0 <= f(0)",
        "z=0",
        uses="b, s",
        before=[
            step("b", "0 <= -1 for i in 1..0", polynomial(("1", [("i - 1", 1)], None), ("1", [("-i", 1)], None))),
            step("s", "0 <= 1", same),
        ],
    ),
    row("z <= 0", rising, "needs 0 <= f(0)", "z=1", uses="b", before=[step("b", "0 <= 0", same)]),
    row(
        "1/(2*z - 1) <= 0 for i in 1..z",
        rising,
        "this rule proves only <= between numbers, without ranges",
        "z=1",
        uses="b, s",
        before=[step("b", "0 <= 1", same), step("s", "0 <= 2*((2*z - 1)**-1)**2", same)],
    ),
    # cases that leave something out
    row(
        "w < 0",
        cases,
        "the cases are not seen to be exhaustive",
        "x=0; w=0",
        given={"h": "w <= -x", "g": "w <= x"},
        uses="c, d",
        before=[
            step("c", "w < 0", combine({"h": "1", "assumed 1": "1"}), assuming=["0 < x"]),
            step("d", "w < 0", combine({"g": "1", "assumed 1": "1"}), assuming=["x < 0"]),
        ],
    ),
    row(
        "w < 1",
        cases,
        "the cases are not seen to be exhaustive",
        "k=0; w=1",
        given={"h": "w <= 3/2 - k", "g": "w <= 1 + k"},
        uses="c, d",
        before=[
            step("c", "w < 1", combine({"h": "1", "assumed 2": "1"}), assuming=["0 <= k", "1 <= k"]),
            step("d", "w < 1", combine({"g": "1", "assumed 1": "1"}), assuming=["k < 0"]),
        ],
    ),
    row(
        "w < 1",
        cases,
        "the cases are not seen to be exhaustive",
        "x=1/2; w=1",
        given={"h": "w <= 3/2 - x", "g": "w <= 1/2 + x"},
        uses="c, d",
        before=[
            step("c", "w < 1", combine({"h": "1", "assumed 2": "1"}), assuming=["0 < x", "1 <= x"]),
            step("d", "w < 1", combine({"g": "1", "assumed 1": "1"}), assuming=["x <= 0"]),
        ],
    ),
    row(  # a supposition on a letter j, SUPPOSED for one on all of a range
        "w <= 0",
        cases,
        "the cases are not seen to be exhaustive",
        "w=1; j=2; a(1)=1; a(2)=-1",
        given={"h": "w <= a(1)", "g": "w <= -a(j)"},
        uses="c, d",
        before=[
            step("s", "a(1) <= 0", instance(j="1"), assuming=[BELOW_AT_EACH, "a(j) <= 0"]),
            step("c", "w <= 0", combine({"h": "1", "s": "1"}), assuming=[BELOW_AT_EACH, "a(j) <= 0"]),
            step("d", "w <= 0", combine({"g": "1", "assumed 1": "1"}), assuming=["0 < a(j)"]),
        ],
    ),
    row(  # the same half of all pairs twice, by other names
        "i <= j for i in 1..2, j in 1..2",
        cases,
        "d does not state the claim",
        uses="c, d",
        before=[
            step("c", "i <= j for i in 1..2, j in 1..2", SUPPOSED, assuming=["i <= j"]),
            step("d", "j <= i for j in 1..2, i in 1..2", SUPPOSED, assuming=["j < i"]),
        ],
    ),
    # inductions
    row(  # from 3 on, where the base is at 0
        "i <= 2 for i in 0..4",
        cases,
        "an assumption contains i or has a range",
        uses="c, d",
        before=[
            step("b", "0 <= 2", same),
            step(
                "s",
                "i + 1 <= 2 for i in 0..3",
                combine({"assumed 1": "1", "assumed 2": "2"}),
                assuming=["3 <= i", "i <= 2"],
            ),
            step("c", "i <= 2 for i in 0..4", on_i, "b, s", assuming=["3 <= i"]),
            step("d", "i <= 2 for i in 0..4", SUPPOSED, assuming=["i <= 2"]),
        ],
    ),
    row(  # the step at (k, j) supposes the claim at (j, k), beyond its range
        "j + k + (-1)**i*(j - k) <= 4 for i in 0..1, j in 1..2, k in 1..3",
        on_i,
        "an index has a different name in the claim",
        uses="b, s",
        before=[
            step("b", "2*j <= 4 for j in 1..2, k in 1..3", listed),
            step(
                "s",
                "k + j + (-1)**(i + 1)*(k - j) <= 4 for i in 0..0, k in 1..2, j in 1..3",
                SUPPOSED,
                assuming=["j + k + (-1)**i*(j - k) <= 4"],
            ),
        ],
    ),
    row(
        "i <= 0 for i in 0..1",
        on_i,
        "s must hold for i from 0 to",
        uses="b, s",
        before=[
            step("b", "0 <= 0", same),
            step("s", "i + 1 <= 0 for i in 1..0", polynomial(("2", [("-i", 1)], None), ("1", [("i - 1", 1)], None))),
        ],
    ),
    row(
        "i <= 0 for i in 0..1",
        on_i,
        "s must hold for i from 0 to",
        uses="b, s",
        before=[
            step("b", "0 <= 0", same),
            step("s", "i + 1 <= 0 for i in 0..-1", polynomial(("1", [("-1 - i", 1)], None))),
        ],
    ),
    row(
        "i <= 3 for i in 0..5",
        on_i,
        "s must hold for i from 0 to",
        uses="b, s",
        before=[
            step("b", "0 <= 3", same),
            step("s", "i + 1 <= 3 for i in 0..oo", combine({"assumed 2": "1"}), assuming=["i <= 3", "i <= 2"]),
        ],
    ),
    row(  # of j = 2 nothing is claimed at i = 1
        "a(i, j) <= 0 for j in 1..2, i in j..2",
        on_i,
        "s assumes more than the claim at i",
        "a(1, 1)=0; a(2, 2)=0; a(1, 2)=1; a(2, 1)=1",
        given={"h": "a(j, j) <= 0 for j in 1..2", "g": "a(i + 1, j) <= a(i, 2) for j in 1..2, i in j..1"},
        uses="h, s",
        before=[
            step("p", "a(i, 2) <= 0", instance(j="2"), assuming=["a(i, j) <= 0 for j in 1..2"]),
            step(
                "s",
                "a(i + 1, j) <= 0 for j in 1..2, i in j..1",
                combine({"g": "1", "p": "1"}),
                assuming=["a(i, j) <= 0 for j in 1..2"],
            ),
        ],
    ),
    row(  # of j = i + 1 nothing is claimed at i
        "j <= 0 for i in 0..1, j in 1..i, k in 1..1",
        on_i,
        "s assumes more than the claim at i",
        uses="b, s",
        before=[
            step("b", "j <= 0 for j in 1..0, k in 1..1", polynomial(("1", [("-j", 1)], None))),
            step("s", "j <= 0 for i in 0..0, j in 1..i + 1, k in 1..1", SUPPOSED, assuming=["j <= 0"]),
        ],
    ),
    row(
        "x <= 0 for i in 0..1",
        on_i,
        "b assumes more",
        "x=1",
        uses="b, s",
        before=[
            step("b", "x <= 0", SUPPOSED, assuming=["x <= 0"]),
            step("s", "x <= 0 for i in 0..0", SUPPOSED, assuming=["x <= 0"]),
        ],
    ),
    # a range that depends on what is summed before it
    row(
        "sum(sum(a(i, j), i, 1, 2), j, i, 2) <= 0",
        summed("i", "j"),
        "the sums are in the wrong order",
        "i=1; a(1, 1)=0; a(1, 2)=0; a(2, 1)=1; a(2, 2)=0",
        given=["a(i, j) <= 0 for i in 1..2, j in i..2"],
    ),
    # what is enumerated
    row("3 <= i for i in 3/2..4", listed, "is not a range of integers"),
    row("i <= -3 for i in -5..-3/2", listed, "is not a range of integers"),
    row("3 < i for i in e..4", listed, "is not a range of integers"),
    row("i <= 1 for i in 1..e", listed, "is not a range of integers"),
    row("i <= 1 for i in 1..2", listed, "it fails at i = 2"),
]

NONE = [
    (
        "a claim that rises in a real number which is called nonnegative",
        theorem(
            "own",
            step("b", "0 <= 0", same),
            step("s", "0 <= 1", same),
            step("1", {"left": "0", "op": "<=", "right": CALLED, "over": []}, plain("Rising", symbol=CALLED), "b, s"),
        ),
        "must be a symbol of the sort nonnegative",
    ),
    # witnesses
    (
        "a witness that gives a number to a family",
        refuted("0 < x**2", {"h": "y := log(-d)"}, by="h", x="0", d="-1"),
        "d) = -1 is out of its domain",
    ),
    ("a witness at a letter", refuted("x <= 5", x="w"), "x = w is out of its domain"),
    ("a witness at a family and a number", refuted("x == x + 1", x="a + 1"), "is out of its domain"),
    ("a witness at what is no number", refuted("0 < x**2", x="log(-1)"), "x = log(-1) is out of its domain"),
    (
        "a witness in a range without end",
        refuted("i <= 5 for i in 0..oo", i="6"),
        "i has an infinite range, or its value is not an integer",
    ),
    ("a witness above the range", refuted("i <= 2 for i in 0..2", i="3"), "i is out of its range"),
    (
        "a witness to two classes that have no function in common",
        refuted("0 < x**2", {"h": "f(i): 1, -", "g": "f(i): -, 3"}, "h, g", x="0"),
        "the function class g may be empty",
    ),
]
