"""What is supposed of an index, and what a supposition says, is of that index in its own range, whatever else has its name."""

from itertools import permutations
from typing import Any

from tests.kernel.written import apply, combine, instance, plain, polynomial, row, step, summed, term, theorem, witness

same = combine()
under = ["i <= 3"]
ratio = theorem("ratio", step("1", "0 == 1", instance(i="0"), "h"), given={"h": "i/i == 1 for i in 0..3"})
first = theorem("first", step("1", "b(0) == x", instance(i="0"), "h"), given={"h": "b(i) == x for i in 0..3"})
least = theorem("least", step("1", "a(0) <= 0", instance(k="0"), "h"), given={"h": "a(k) <= k/k for k in 0..3"})
later = theorem("later", step("1", "a(1) <= 1", instance(k="1"), "h"), given={"h": "a(k) <= k/k for k in 1..3"})

EACH_J = "sum(a(j)*j/j, j, {0}, 3) == sum(a(j), j, {0}, 3)"
ratios = theorem(
    "ratios", step("1", EACH_J.format(0), instance(i="0"), "h"), given={"h": EACH_J.format("i") + " for i in 0..3"}
)
counted = theorem(
    "counted", step("1", "x == 1", instance(h="2"), "h"), given={"h": "x*floor(h)/floor(h) == 1 for h in 1..3"}
)


each, named = (
    theorem(
        "each", step("1", f"sum(a({i}), {i}, 1, n) <= 0", summed(i), "h"), given={"h": f"a({i}) <= 0 for {i} in 1..n"}
    )
    for i in "ij"
)

whole = theorem("whole", step("1", "floor(N(1)) == N(1)", combine()))
signed = theorem("signed", step("1", "0 <= Q(1)", combine()))


def absurd(left: str, low: str, given: dict[str, str], weights: dict[str, str], by: str = "") -> Any:
    """A claim below a bound on the fixed i, read as one below that bound on an index i, where its other case is empty."""
    uses = ", ".join(n for n in weights if n != "assumed 1")
    return {
        "before": [
            step("a", f"{left} <= 0", combine(weights), uses, by, assuming=under),
            step("b", f"{left} <= 0 for i in {low}..2", combine({"a": "1"}), assuming=under),
            step("r", f"i <= 2 for i in {low}..2", plain("Enumerate", scope="")),
            step(
                "c", f"{left} <= 0 for i in {low}..2", combine({"assumed 1": left, "r": left}), "r", assuming=["3 < i"]
            ),
            step("d", f"{left} <= 0 for i in {low}..2", plain("Cases"), "b, c"),
        ],
        "given": given,
        "uses": "d",
    }


def supposed(start: str, kept: str, at: str) -> Any:
    """w == 0 by induction, from a line over j that is supposed, where the claim at i says the same for j > 0 alone."""
    assumption = f"i*w + {kept} - 1 == 0 for j in {start}..2"
    ranges = "for i in 0..oo, k in 0..2"
    return {
        "before": [
            step("b", "0*w == 0 for k in 0..2", same),
            step("p1", f"i*w - 1 == 0 {ranges}", instance(j="0"), assuming=[assumption]),
            step("p2", f"i*w == 0 {ranges}", instance(j="1"), assuming=[assumption]),
            step(
                "p3",
                f"(i + 1)*w == 0 {ranges}",
                combine({"p1": "-(i + 1)*w", "p2": "(i + 1)*w"}),
                "p1, p2",
                assuming=[assumption],
            ),
            step("up", f"i*w == 0 {ranges}", plain("Induction", index=term("i")), "b, p3"),
        ],
        "given": {"h": "0 < j"},
        "uses": "up",
        "at": at,
    }


def risen(claim: str, before: str = "oo") -> Any:
    """A claim by induction over i, where another range ends at i: the step at i is asked for where it ends at i + 1."""
    first = claim.replace("i", "0")
    return {
        "before": [
            step("b", f"{first} for j in 1..0", same),
            step("s", f"1 == 1 for i in 0..{before}, j in 1..i + 1", same),
        ],
        "uses": "b, s",
    }


def at_chance(name: str, hidden: str, left: str = "b(i)", right: str = "0") -> Any:
    """What is equal to the right side for all integers, read at what is no matter of chance in this theorem."""
    index, given = f"floor({hidden})", {"h": f"{left} == {right} for i in -oo..oo"}
    return theorem(name, step("1", f"{left.replace('i', index)} == {right}", instance(i=index), "h"), given=given)


AVERAGED = "mean(i*X) - i*mean(X)"  # 0 for all integers; at an i that depends on chance it is another thing
HIDDEN = {  # where a matter of chance comes in, by which letter of the theorem, and a point at which it is 0 or 1
    "a": ("a", "a", "X", "X", "X=0|1"),
    "vector": ("dot(u, u)", "u", "U", "dot(U, U)", "X=0|1; U=(0)|(1)"),
    "function": ("val(f, u)", "f", "g(N)", "val(g(N), u)", "X=0|1; N=0|1; u=(1); g(0)=0; g(1)=1"),
    "draw": ("a", "a", "draw(1, 2)", "draw(1, 2)", "X=0|1"),
}


def ends(first: str, second: str) -> str:
    """Sums of which the end of one is a double sum, which may speak of the index around it, or of its own."""
    end = "sum(sum(b({0}, l), l, 1, M), k, 1, M)"
    return f"{first.replace('END', end.format('i'))} == {second.replace('END', end.format('k'))}"


AT_TWO = "n=2; M=1; b(1, 1)=1; b(2, 1)=2; a(1, 1)=1; a(1, 2)=1; a(2, 1)=1; a(2, 2)=1"

twice = theorem("twice", step("1", "sum(x, i, 1, 2) == 2*x", same))
three = theorem("three", step("1", "sum(i, i, 1, 2) == 3", same))

FALSE = [
    # a sum's index that stands in what is put in, and one with the name of a letter that is replaced
    row("sum(i, i, 1, 2) == 2*i", apply("twice", ("x", "i")), "twice gives", "i=0", lemmas=[twice]),
    row("sum(5, i, 1, 2) == 3", apply("three", ("i", "5")), "three gives", "x=0", lemmas=[three]),
    # a letter of an index becomes a matter of chance after a mean was brought in around it, in either order
    *(
        row(
            AVERAGED.replace("i", f"floor({told})") + " == 0",
            apply("all", *at),
            "a random value is substituted for an index inside an expectation",
            point,
            lemmas=[at_chance("all", hidden)],
        )
        for hidden, key, value, told, point in HIDDEN.values()
        for at in permutations((("b(i)", AVERAGED), (key, value)))
    ),
    row(
        "mean(Y(floor(X))) <= 0",
        apply("all", ("b(i)", "mean(Y(i))"), ("a", "X")),
        "a random value is substituted for an index inside an expectation",
        "X=0|1; Y(0)=1|-1; Y(1)=-1|1; " + "; ".join(f"Y({i})=0" for i in range(-9, 10) if i not in (0, 1)),
        given=["mean(Y(i)) <= 0 for i in -oo..oo"],
        lemmas=[
            theorem(
                "all",
                step("1", "b(floor(a)) <= 0", instance(i="floor(a)"), "h"),
                given={"h": "b(i) <= 0 for i in -oo..oo"},
            )
        ],
    ),
    # a letter that a definition brings in, taken for the slot of what is replaced, which stands for integers
    *(
        row(
            "floor(x) == x",
            apply("whole", (f"N({w})", "x")),
            "or is not an integer",
            f"x=1/2; {w}=1/2",
            given={"d": f"x := {w}"},
            by="d",
            lemmas=[whole],
            uses="",
        )
        for w in "wy"
    ),
    row(
        "0 <= x",
        apply("signed", ("Q(k)", "x")),
        "is not seen to have the sign of",
        "x=-1; k=-1",
        given={"d": "x := k"},
        by="d",
        lemmas=[signed],
        uses="",
    ),
    # what is needed of i in the step, granted by a range of the claim at i that is longer in the step
    *(
        row(
            f"{claim} for i in 0..{last}, j in 1..i",
            plain("Induction", index=term("i")),
            reason,
            "i=1; j=1",
            **risen(claim, before),
        )
        for claim, reason, last, before in (
            ("(i - 1)/(i - 1) == 1", "i is not seen to be nonzero", "oo", "oo"),
            ("(i - 1)/(i - 1) == 1", "i is not seen to be nonzero", "3", "2"),
        )
    ),
    # a sum's index, called as one of a sum in the end of the range of a sum inside it
    *(
        row(ends(own, own), same, "the sides differ", at)
        for own, at in (
            ("sum(sum(a(i, j), j, 1, END), i, 1, n)", AT_TWO),
            ("sum(sum(a(i, j), j, END, 2), i, 1, n)", AT_TWO),
            ("sum(exp(sum(a(i, j), j, 1, END)), i, 1, n)", AT_TWO),
            ("sum(c(i)*sum(a(i, j), j, 1, END), i, 1, n)", AT_TWO + "; c(1)=1; c(2)=1"),
        )
    ),
    # a supposition on a fixed letter, taken for one on an index of that name
    row(
        "w <= 0",
        instance(i="0"),
        "a has an assumption on a free symbol that is an index of the claim",
        "i=4; w=1",
        **absurd("w", "0", {"h": "w <= i - 3"}, {"h": "1", "assumed 1": "1"}),
    ),
    row(
        "1 <= 0",
        instance(i="0"),
        "a has an assumption on a free symbol that is an index of the claim",
        "i=4",
        **absurd("1", "0", {"h": "i := 4"}, {"assumed 1": "1"}, by="h"),
    ),
    row(
        "w**2 <= 0",
        instance(i="1"),
        "a has an assumption on a free symbol that is an index of the claim",
        "i=4; w=1",
        **absurd("w**2", "1", {"h": "w**2 == i - 3"}, {"h": "1", "assumed 1": "1"}),
    ),
    # a hypothesis for the indices of a range, granted at those of the claim, or at a letter
    row(
        "0 == 1",
        instance(i="1"),
        "i is not seen to be nonzero",
        "",
        before=[step("z", "0 == 1 for i in 1..3", apply("ratio"))],
        uses="z",
        lemmas=[ratio],
    ),
    row("0 == 1", apply("ratio"), "i is not seen to be nonzero", "i=1", given=["0 < i"], lemmas=[ratio]),
    row(
        "0*x == x",
        apply("first", ("b(k)", "k/k*x")),
        "is not seen to be nonzero",
        "i=1; x=1",
        given=["0 < i"],
        lemmas=[first],
    ),
    row(
        "a(0) <= 0",
        instance(i="1"),
        "is not seen to be nonzero",
        "a(0)=1; a(1)=0; a(2)=0; a(3)=0",
        given={"g": "a(i) <= 1 for i in 0..3"},
        before=[step("z", "a(0) <= 0 for i in 1..2", apply("least"), "g")],
        uses="z",
        lemmas=[least],
    ),
    row(
        EACH_J.format(0),
        apply("ratios"),
        "j is not seen to be nonzero",
        "i=1; a(0)=1; a(1)=0; a(2)=0; a(3)=0",
        given=["1 <= i"],
        lemmas=[ratios],
    ),
    # the claim's own index, of which the end of its other range speaks, taken for that of the hypothesis
    row(
        "1 <= 0",
        instance(i="2", j="2"),
        "a hypothesis of each",
        "",
        before=[
            step("y", "j - i <= 0 for i in 1..2, j in 1..i", polynomial(("1", [("i - j", 1)], None))),
            step(
                "z",
                "sum(j - k, k, 1, 2) <= 0 for i in 1..2, j in 1..i",
                apply("each", ("a(i)", "j - i"), ("n", "2")),
                "y",
            ),
        ],
        uses="z",
        lemmas=[each],
    ),
    row(
        "sum(b(k, j), k, 1, 2) <= 0 for i in 1..2, j in 1..i",
        apply("each", ("a(i)", "b(i, j)"), ("n", "2")),
        "a hypothesis of each",
        "b(1, 1)=0; b(1, 2)=1; b(2, 1)=0; b(2, 2)=0",
        given={"g": "b(i, j) <= 0 for i in 1..2, j in 1..i"},
        lemmas=[each],
    ),
    row(
        "sum(b(k, j), k, 1, 2) <= 0 for i in 1..2, j in i..2",
        apply("each", ("a(i)", "b(i, j)"), ("n", "2")),
        "a hypothesis of each",
        "b(1, 1)=0; b(1, 2)=0; b(2, 1)=1; b(2, 2)=0",
        given={"g": "b(i, j) <= 0 for i in 1..2, j in i..2"},
        lemmas=[each],
    ),
    # the statement in other letters than the last step
    row(
        "1 == 1 for j in 0..2",
        same,
        "i is not seen to be nonzero",
        "j=1",
        given=["0 < j"],
        statement="i/i == 1 for i in 0..2",
    ),
    row(
        "1 == 1 for i in 0..2, j in 1..2",
        same,
        "j is not seen to be nonzero",
        "",
        statement="j/j == 1 for j in 0..2, i in 1..2",
    ),
    row(
        "1 <= 1 for j in 0..2",
        same,
        "i is not seen to be nonzero",
        "j=-1",
        given=["j < 0"],
        statement="1 <= i*i**(-1) for i in 0..2",
    ),
    # a supposition for the indices of a range, met at a fixed letter
    row("w == 0", instance(i="1", k="0"), "p3 assumes more than the claim at i", **supposed("0", "j/j", "j=1; w=1")),
    # an expectation inside a sum whose range depends on chance: its outcome is another one
    row(
        "sum(mean(exp(log(N - i + 1))), i, 1, N) == sum(mean(N - i + 1), i, 1, N)",
        same,
        "is not seen to be positive",
        "N=2|0",
    ),
    row(
        "sum(mean(w*w**(N - i)), i, 1, N) == sum(mean(w**(N - i + 1)), i, 1, N)",
        same,
        "is not seen to be",
        "N=1|0; w=0",
    ),
    row(
        "sum(mean((N - i + 1)**(1/2)*(N - i + 1)**(1/2)), i, 1, N) == sum(mean(N - i + 1), i, 1, N)",
        same,
        "is not seen to be nonnegative",
        "N=2|-1",
    ),
    row(
        "mean(sum(mean(exp(log(N - i + 1))), i, 1, N)) == mean(sum(mean(N - i + 1), i, 1, N))",
        same,
        "is not seen to be positive",
        "N=2|0",
    ),
    row(
        "sum(mean(exp(log(i - N + 1))), i, N, 2) == sum(mean(i - N + 1), i, N, 2)",
        same,
        "is not seen to be positive",
        "N=2|0",
    ),
]
TRUE = [
    row(
        "(i + 1)/(i + 1) == 1 for i in 0..oo, j in 1..i",
        plain("Induction", index=term("i")),
        **risen("(i + 1)/(i + 1) == 1"),
    ),
    row(
        "sum(b(k, j), k, 1, 2) <= 0 for j in 1..3",
        apply("each", ("a(i)", "b(i, j)"), ("n", "2")),
        given={"g": "b(i, j) <= 0 for i in 1..2, j in 1..3"},
        lemmas=[each],
    ),
    row(
        "sum(b(k, i), k, 1, 2) <= 0 for i in 1..3",
        apply("each", ("a(j)", "b(j, i)"), ("n", "2")),
        given={"g": "b(j, i) <= 0 for j in 1..2, i in 1..3"},
        lemmas=[named],
    ),
    row("x == 1", apply("counted"), given=["x == 1"], lemmas=[counted]),
    row("sum(exp(log(i*i + x - 1/2)), i, 1, n) == sum(i*i + x - 1/2, i, 1, n)", given=["0 <= x"]),
    row("sum(mean(exp(log(Q + 4 - i))), i, 1, 3) == sum(mean(Q + 4 - i), i, 1, 3)"),
    row("b(0) == x", apply("first"), given={"g": "b(i) == x for i in 0..3"}, lemmas=[first]),
    row("a(1) <= 1 for i in 0..2", apply("later"), given={"g": "a(k) <= 1 for k in 1..3"}, lemmas=[later]),
    row("1 == 1 for j in 1..2", same, statement="i/i == 1 for i in 1..2"),
    row("1 == 1 for i in 0..2, j in 1..2", same, statement="i/i == 1 for j in 0..2, i in 1..2"),
    row("sum(mean(exp(log(i))), i, 1, N) == sum(i, i, 1, N)"),
    row("sum(mean(exp(log(4 - i))), i, 1, 3) == sum(4 - i, i, 1, 3)"),
    row("mean(sum(exp(log(N - i + 1)), i, 1, N)) == mean(sum(N - i + 1, i, 1, N))"),
]
# Refutations of what is true, or at a point where a value is no natural one, and hypotheses of no kind.
BOUND = step("L", "1 == 1 for h in 0..1", same)
HALF = theorem("half", BOUND, step("1", "floor(N(h)) == N(h)", combine({"L": "0"}), "L"), given={"d": "h := 1/2"})
NONE = [
    # an index of which nothing is known is an integer where the claim itself binds it, and nowhere else
    (
        "an index that a line which is used binds stands free in the claim",
        HALF,
        "1/2 is not seen to be of the sort of h",
    ),
    (
        "the same without a definition",
        theorem("own", BOUND, step("1", "floor(h) == h", combine({"L": "0"}), "L"), step("2", "0 == 0", same)),
        "the symbol h has no sort and is not bound",
    ),
    (
        "the same in what a step supposes",
        theorem(
            "own", BOUND, step("1", "0 == 0", combine({"L": "0"}), "L", assuming=["h <= 1"]), step("2", "0 == 0", same)
        ),
        "the symbol h has no sort and is not bound",
    ),
    (
        "an index of which nothing is known is replaced by a half",
        theorem("base", step("1", "0 <= 1", same)),
        theorem("own", step("1", "0 <= 1", apply("base", ("h", "1/2")))),
        "1/2 is not seen to be of the sort of h",
    ),
    (
        "a witness to a letter that is defined by another one, inserted before it",
        theorem(
            "own",
            step("1", "y <= w + 1", witness(x="1", w="0"), by="d1, d2", refuted=True),
            given={"d1": "x := w", "d2": "y := x + 1"},
            refuted=True,
        ),
        "x is defined, so no value can be given for it",
    ),
    (
        "a refutation in other letters than the statement's",
        theorem(
            "own",
            step("1", "1 <= i for i in 0..2, j in 1..2", witness(i="0", j="1"), refuted=True),
            refuted=True,
            statement=row("j/j <= j for j in 0..2, i in 1..2").theorems[-1]["statement"],
        ),
        "j is not seen to be nonzero",
    ),
    (
        "a refutation where a definition divides by zero",
        theorem(
            "own", step("1", "0 < x**2", witness(x="0"), by="d", refuted=True), given={"d": "y := 1/x"}, refuted=True
        ),
        "does not lie in its natural domain there",
    ),
    (
        "a refutation where the constant of a class divides by zero",
        theorem(
            "own", step("1", "0 < x**2", witness(x="0"), "h", refuted=True), given={"h": "f: 1/x, -"}, refuted=True
        ),
        "does not lie in its natural domain there",
    ),
    *(
        (
            f"a refutation where the end of a range divides by zero, of {own} by {given}",
            theorem("own", step("1", own, witness(**at), ", ".join(given), refuted=True), given=given, refuted=True),
            "does not lie in its natural domain there",
        )
        for own, at, given in (
            ("0 < x**2 for i in 0..1/x", {"x": "0", "i": "0"}, {}),
            ("0 < x**2 for i in log(x**2)..0", {"x": "0", "i": "0"}, {}),
            ("0 < x**2 + sum(1, i, 1, 1/x)", {"x": "0"}, {}),
            ("0 < x**2 + exp(sum(sum(1, j, 1, i/x), i, 1, 1)) - 1", {"x": "0"}, {}),
            ("0 < x**2", {"x": "0"}, {"h": "0 <= 1 for i in 0..1/x"}),
            ("0 < x**2", {"x": "0"}, {"h": "0 <= sum(1, j, 1, i/x) for i in 0..1"}),
        )
    ),
    (
        "a refutation where a definition sums as far as a division by zero",
        theorem(
            "own",
            step("1", "0 < x**2 + y", witness(x="0"), by="d", refuted=True),
            given={"d": "y := sum(1, i, 1, 1/x)"},
            refuted=True,
        ),
        "does not lie in its natural domain there",
    ),
    (
        "a hypothesis of no kind",
        theorem("own", step("1", "0 <= 1", same))
        | {"hypotheses": [{"id": "h", "kind": "nonsense", "function": term("f"), "smooth": "1", "convex": "0"}]},
        "nonsense is not a kind of hypothesis",
    ),
]
# True as it is read, with x/0 = 0, and said so.
READ = [
    *(
        (
            f"the end of a range, of which nothing is left: {end}",
            theorem("own", step("1", f"0 <= sum(1, i, 1, {end})", same)),
            "is not seen to be",
        )
        for end in ("0*(1/x)", "log(x) - log(x)", "sum(1/x, j, 1, 2)*0")
    ),
    (
        "a definition whose slot is called as a letter that is never 0",
        theorem("own", step("1", "a(0) == 0", same, by="d"), given={"d": "a(n) := 1/n"}),
        "is not seen to be nonzero",
    ),
    (
        "the constant of a class at any slot",
        theorem("own", step("1", "0 <= 1", same), given={"h": "f(n): 1/n, -"}),
        "is not seen to be nonzero",
    ),
    (
        "a logarithm of chance under an expectation, in a sum whose range depends on chance",
        theorem("own", step("1", "0*sum(mean(log(N - i + 1)), i, 1, N) == 0", same)),
        "is not seen to be positive",
    ),
    (
        "a hypothesis that is too large to be looked at",
        theorem("own", step("1", "x <= x", same), given={"h": "((x + y)**65)**(-1) <= 1"}),
        "is too large to be multiplied out",
    ),
]
