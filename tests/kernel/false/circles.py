"""What would rest on itself: a sort on its range, a supposition on what stands under it, a natural domain on an unnatural line."""

from typing import Any

from tests.kernel.written import apply, combine, instance, line, plain, row, step, term, theorem, witness

same = combine()


def over(text: str, *ranges: tuple[str, str, str]) -> Any:
    """A line with ranges whose ends have commas."""
    return {**line(text), "over": [[term(i), term(low), term(high)] for i, low, high in ranges]}


def given(claim: Any, name: str = "K") -> Any:
    return {"id": name, "kind": "given", "relation": claim}


def through(kept: str, other: str, below: str) -> list[Any]:
    """0 < z, from a step that supposes what holds for z > 0 alone, taken for one that supposes what always holds."""
    return [
        step("z0", "0 <= z", same),
        step("e0", "0 == z", plain("Squeezed"), "z0", assuming=["z <= 0"]),
        step("e", "z == 0", combine({"e0": "-1"}), assuming=["z <= 0"]),
        step("c", "0 < z", combine({"assumed 1": "1"}), by="e", assuming=[kept, "z <= 0"]),
        step("a", "0 < z", combine({"assumed 2": "1"}), assuming=[kept, "0 < z"]),
        step("s", "0 < z", plain("Cases"), "a, c", assuming=[kept]),
        step("g1", "0 < z", combine({"s": "1"}), assuming=[other]),
        step("g2", "0 < z", combine({"assumed 1": "1"}), assuming=[below]),
    ]


every = theorem("every", step("1", "c(1, 0) <= 0", instance(i="1", j="0"), "K"))
every |= {"hypotheses": [given(over("c(i, j) <= 0", ("i", "0", "3"), ("j", "0", "3")))]}
column = theorem("column", step("1", "a(i, 0) <= 0", instance(j="0"), "K"))
column |= {"hypotheses": [given(over("a(i, j) <= 0", ("j", "0", "3")))]}

averages = given(over("a(j) <= 0", ("i", "0", "1"), ("j", "0", "mean(X(i))")))
ends = {"g": "0 <= N", "l": "N <= 1", "m": "2 <= mean(X(N))"}

FALSE = [
    # a definition's letter is of its sort by the range of an index that has the name of a letter in it
    *(
        row(claim, same, reason, at, given=given, uses="h" if "h" in given else "")
        if "h" not in given
        else row(claim, combine({"h": "1"}), reason, at, given=given, uses="h")
        for claim, reason, at, given in (
            ("0 <= z for k in 1..3", "k is not seen to be nonzero", "k=0", {"dd": "z := k/k - 1"}),
            ("0 < p for k in 1..3", "k is not seen to be nonzero", "k=0", {"dd": "p := k/k"}),
            ("0 <= z for k in 1..3", "k is not seen to be nonnegative", "k=-2", {"dd": "z := k - k**(1/2)*k**(1/2)"}),
            (
                "0 <= z for k in 1..3",
                "k is not seen to be nonzero",
                "k=0; i=0",
                {"dd": "z := k/k - 1", "g": "0 < k for k in 1..3"},
            ),
            (
                "1 <= n*x*x for k in 1..3",
                "k is not seen to be nonzero",
                "k=0; x=1",
                {"dd": "n := k/k", "h": "1 <= x*x"},
            ),
        )
    ),
    # the sort of a defined letter is its own ground, in a line that speaks of it by another definition
    *(
        row(claim, same, "k is not seen to be nonzero", at, given=given)
        for claim, at, given in (
            ("0 <= z", "k=0", {"dd": "z := k/k - 1", "d2": "x := z", "g": "x < k"}),
            ("0 <= z", "k=0", {"d2": "x := z", "dd": "z := k/k - 1", "g": "x < k"}),
            ("0 <= z", "k=0", {"dd": "z := k/k - 1", "g": "z < k"}),
            ("0 < p", "k=0", {"dd": "p := k/k", "d2": "x := p", "g": "x <= k"}),
            ("1 <= n", "k=0", {"dd": "n := k**2*k**(-2)", "d2": "x := n", "g": "x <= k + 1/2"}),
            ("0 <= z for j in 1..3", "k=0; j=1", {"dd": "z := k/k - 1 + 0*j", "g": "z < k"}),
        )
    ),
    row("0 < i1 for i1 in w/w..4*w", same, "the range of i is not seen to begin at 1 or above", "w=0"),
    row("0 < i1 for i1 in w*(1/w)..2*w + 1", same, "the range of i is not seen to begin at 1 or above", "w=0"),
    row("0 <= i0 for i0 in 1/w*w - 1..w**2", same, "is not seen to begin at 0 or above", "w=0"),
    row(
        "0 < z",
        instance(i="0"),
        "Q assumes more",
        "z=0",
        given={"g": "z*(z - 1) == 0"},
        before=[
            *through("1 <= z/z + 0*i", "1 <= 1", "1 < 1")[:6],
            step("Q", "z == 1", combine({"g": "1/z", "s": "0"}), assuming=["1 <= z/z + 0*i"]),
            step("g1", "0 < z for i in 0..0", same, by="Q", assuming=["1 <= 1 + 0*i"]),
            step("g2", "0 < z for i in 0..0", combine({"assumed 1": "1"}), assuming=["1 + 0*i < 1"]),
            step("f", "0 < z for i in 0..0", plain("Cases"), "g1, g2"),
        ],
        uses="f",
    ),
    row("0 < z", plain("Cases"), "assumes more", "z=0", before=through("1 <= z/z", "1 <= 1", "1 < 1"), uses="g1, g2"),
    row("0 < z", plain("Cases"), "assumes more", "z=0", before=through("0 < z/z", "0 < 1", "1 <= 0"), uses="g1, g2"),
    row(
        "1 == 1 for i in 1..3",
        same,
        "x is not seen to be nonzero",
        "x=0; i=0",
        given={"d": "x := i"},
        uses="",
        statement="x/x == 1 for i in 1..3",
    ),
    row(
        "1 == 1 for i in 1..3",
        same,
        "is not seen to be nonzero",
        "a(5)=0; i=0",
        given={"d": "a(k) := i"},
        uses="",
        statement="a(5)/a(5) == 1 for i in 1..3",
    ),
    row(
        "0 <= 0 for i in 1..3",
        same,
        "x is not seen to be positive",
        "x=-1; i=-1",
        given={"d": "x := i"},
        uses="",
        statement="exp(log(x)) <= x for i in 1..3",
    ),
]
TRUE = [
    row("0 <= z", same, given={"dd": "z := x/x", "g": "0 < x"}, uses=""),
    row("0 <= z for k in 1..3", same, given={"d2": "y := z", "dd": "z := x/x", "g": "0 < x"}, uses=""),
    row("0 < i1 for i1 in 1..4*w", same),
    row("0 < z", plain("Cases"), before=through("1 <= z/z", "1 <= z/z", "z/z < 1"), uses="g1, g2", given=["0 < z"]),
    row("1 == 1 for j in 1..3", same, given={"d": "x := n"}, uses="", statement="x/x == 1 for j in 1..3"),
    row("a(j) <= 0 for j in 0..2", instance(i="1"), given={"g": "a(j) <= 0 for i in 0..1, j in 0..2"}),
]
NONE = [
    (
        "a line that holds for the claim's index under a supposition, taken for one of every index of a hypothesis",
        every,
        theorem(
            "own",
            step("c", "z*i <= 0 for i in 0..3", combine({"assumed 1": "z"}), assuming=["i <= 0"]),
            step("d", "c(1, 0) <= 0 for i in 0..0", apply("every"), "K, c", assuming=["i <= 0"]),
            step("r", "i <= 0 for i in 0..0", plain("Enumerate", scope="")),
            step(
                "e",
                "c(1, 0) <= 0 for i in 0..0",
                combine({"r": "c(1, 0)", "assumed 1": "c(1, 0)"}),
                "r",
                assuming=["1 <= i"],
            ),
            step("f", "c(1, 0) <= 0 for i in 0..0", plain("Cases"), "d, e"),
            step("g", "c(1, 0) <= 0", instance(i="0"), "f"),
        )
        | {"hypotheses": [given(over("c(i, j) <= 0", ("i", "0", "3"), ("j", "z*i", "3")))]},
        "a hypothesis of every",
    ),
    (
        "the claim's range, whose end speaks of an index that the hypothesis has too",
        column,
        theorem(
            "own",
            step("1", over("a(k, 0) <= 0", ("j", "3", "3"), ("k", "0", "j")), apply("column", ("i", "k")), "K"),
            step("2", "a(3, 0) <= 0", instance(j="3", k="3"), "1"),
        )
        | {"hypotheses": [given(over("a(k, j) <= 0", ("j", "0", "3"), ("k", "0", "j")))]},
        "a hypothesis of column",
    ),
    (
        "a random integer for an index of which another range takes an expectation",
        theorem(
            "own",
            step("1", over("a(j) <= 0", ("j", "0", "mean(X(N))")), instance(i="N"), "K, g, l"),
            step("2", "a(2) <= 0", instance(j="2"), "1, m"),
        )
        | {"hypotheses": [averages, *(given(line(text), name) for name, text in ends.items())]},
        "a random value is substituted for an index inside an expectation",
    ),
]
NONE += [
    (
        "a refutation of what is true, by a definition whose letter is called as the statement's index",
        theorem(
            "own",
            step("1", "1 <= x*x for j in 1..3", witness(i="0", j="1"), by="d", refuted=True),
            given={"d": "x := i"},
            refuted=True,
            statement=line("x/x <= x*x for i in 1..3"),
        ),
        "x is not seen to be nonzero",
    ),
    (
        "the same where the other index is set too",
        theorem("own", step("1", "a(2) <= 0", instance(i="N", j="2"), "K, g, l, m"))
        | {"hypotheses": [averages, *(given(line(text), name) for name, text in ends.items())]},
        "a random value is substituted for an index inside an expectation",
    ),
    (
        "a hypothesis that is said not to be used, and is used",
        theorem("own", step("1", "x <= 0", combine({"h": "1"})), given={"h": "x <= 0"}, unused=["h"]),
        "uses a hypothesis that is listed as unused",
    ),
]
READ = [
    (
        "by a step that is cited and that nothing uses",
        theorem("own", step("c", "0 < w", plain("Assumed", citation="x")), step("1", "w**2*(1/w) == w", same)),
        "w is not seen to be nonzero",
    ),
    (
        "the end of a range by the range itself",
        theorem("own", step("1", "0 <= c(i) for i in 1..w**2*(1/w)", same)),
        "w is not seen to be nonzero",
    ),
    (
        "a definition by an index of the statement that has the name of its letter",
        theorem("own", step("1", "x**2*(1/x) == x for i in 1..3", same), given={"d": "x := i"}),
        "x is not seen to be nonzero",
    ),
    (
        "a hypothesis by a step that it grants without being used",
        theorem("own", step("1", "y == 1", combine({"g": "1/w"})), given={"h": "0 < w + 0*(1/y)", "g": "w*y == w"}),
        "y is not seen to be nonzero",
    ),
]
