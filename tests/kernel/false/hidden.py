"""What hides from a rule: a zero above a line, chance in a range, an index or a slot called by a letter of another sort."""

from typing import Any

from tests.kernel.written import apply, axiom, combine, known, plain, row, step, theorem, witness

same = combine()
ZERO = "q/(1 + q) + 1/(1 + q) - 1"  # for every positive q
APART = "x**2 - w**2 + y/(1 + y) + 1/(1 + y) - 1"  # x^2 - w^2, but for y = -1
quotient = theorem("quotient", step("1", "p/p == 1", same))
above = theorem("above", step("1", "0 < p", same))
each = theorem("each", step("1", "d(k)/d(k) == 1", same))


def whenever(kept: str, left: str, right: str, given: dict[str, str], at: str, reason: str) -> Any:
    """x == y where ``kept`` >= 0, from x == left and y == right: true there, and read as true for every outcome."""
    claim, other = f"indicator({kept})*(x - y) == 0", f"{kept} < 0"
    return row(
        claim,
        plain("Cases"),
        reason,
        at,
        given={"h": f"x == {left}", "g": f"y == {right}", **given},
        uses="d1, d2",
        before=[
            step("c1", "x == y", combine({"h": "1", "g": "-1", "assumed 1": "0"}), assuming=[f"0 <= {kept}"]),
            step("d1", claim, combine({"c1": f"indicator({kept})"}), assuming=[f"0 <= {kept}"]),
            step("i", f"abs({kept})*indicator({kept}) == ({kept})*indicator({kept})", known("indicator", kept)),
            step("z", f"indicator({kept}) == 0", combine({"i": f"1/(abs({kept}) - ({kept}))"}), assuming=[other]),
            step("d2", claim, combine({"z": "x - y"}), assuming=[other]),
        ],
    )


TANGENT = "val(f, v) + dot(grad(f, v), u - v)"
TURN, OTHER = "(grad(f, u) - grad(f, v))", "(grad(g, u) - grad(g, v))"
LINES = "u=(1, 0); v=(0, 0)"


def steep(name: str, size: str, constants: str) -> Any:
    claim = f"dot({TURN}, {TURN}) <= {size}*dot(u - v, u - v)"
    return theorem(name, step("1", claim, combine({}, axiom("lipschitz", "1")), "h"), given={"h": constants})


def steeper(size: str) -> str:
    return f"dot({OTHER}, {OTHER}) <= {size}*dot(u - v, u - v)"


descent = theorem(
    "descent",
    step("1", f"val(f, u) <= {TANGENT} + 1/2*k*dot(u - v, u - v)", combine({}, axiom("descent", "1")), "h"),
    given={"h": "f: k, -"},
)
one, lettered, curved = (
    steep("one", "1", "f: 1, 1"),
    steep("lettered", "p**2", "f: p, p"),
    steep("curved", "1", "f: 1, 1/2"),
)

FALSE = [
    # a zero above the line
    row("0 == 1", apply("quotient", ("p", ZERO)), "is not seen to be of the sort of p", "q=1", lemmas=[quotient]),
    row("0 < 0", apply("above", ("p", ZERO)), "is not seen to be of the sort of p", "q=1", lemmas=[above]),
    row("0 == 1", apply("each", ("d(k)", ZERO)), "is not seen to have the sign of", "q=1", lemmas=[each]),
    row(
        "0 < 0",
        apply("above", ("p", "z/(2 + z) + 2/(2 + z) - 1")),
        "is not seen to be of the sort of p",
        "z=1",
        lemmas=[above],
    ),
    row("0 == 1", same, "the hypothesis h1", "q=1; p=0", given=[f"p := {ZERO}"], by="h1", uses=""),
    row(f"({ZERO})**k*({ZERO})**(-k) == 1", same, "a number that is 0 although its form has terms", "q=1; k=1"),
    row(f"({ZERO})*({ZERO})**-1 == 1", same, "the sides differ", "q=1"),
    # a range, an exponent or a divisor that depends on chance, under an expectation
    whenever(
        "N - 1",
        "mean(sum(i/i, i, N, 2))",
        "mean(sum(1, i, N, 2))",
        {},
        "N=0|1; x=2; y=5/2",
        "is not seen to be nonzero",
    ),
    whenever(
        "4 - N",
        "mean(sum((5 - i)**w*(5 - i)**(-w), i, 1, N))",
        "mean(sum(1, i, 1, N))",
        {},
        "N=1|5; w=1; x=5/2; y=3",
        "is not seen to be",
    ),
    whenever("N", "mean(w**(N + 1))", "mean(w*w**N)", {}, "N=0|-1; w=0; x=1/2; y=0", "is not seen to be nonnegative"),
    whenever("N", "mean(X**(N + 1))", "mean(X*X**N)", {}, "N=0|-1; X=0|0; x=1/2; y=0", "is not seen to be"),
    # constants of a class: of one index, of smoothness and not of convexity, of a slot and no letter
    row(
        f"val(f, u) <= {TANGENT} + 1/2*i*dot(u - v, u - v) for i in 0..5",
        combine({}, axiom("descent", "1")),
        "has a free symbol that is an index of the claim",
        f"i=1; f=1; {LINES}",
        given=["f: i, -"],
    ),
    row(
        f"val(f, u) <= {TANGENT} + 1/2*i*dot(u - v, u - v) for i in 0..5",
        apply("descent", ("k", "i")),
        "has a free symbol that is an index of the claim",
        f"i=1; f=1; {LINES}",
        given=["f: i, -"],
        lemmas=[descent],
    ),
    row(
        f"dot({TURN}, {TURN}) <= i**2*dot(u - v, u - v) for i in 0..5",
        combine({}, axiom("lipschitz", "1")),
        "has a free symbol that is an index of the claim",
        f"i=1; f=1; {LINES}",
        given=["f: i, -"],
    ),
    row(steeper("1"), apply("one", ("f", "g")), "has 5, not 1", f"g=1; {LINES}", given=["g: 5, 1"], lemmas=[one]),
    row(
        steeper("p**2"),
        apply("lettered", ("f", "g")),
        "h1 has +(p, q), not p",
        f"p=1; q=1; g=1; {LINES}",
        given=["g: p + q, p"],
        lemmas=[lettered],
    ),
    row(steeper("1"), apply("curved", ("f", "g")), "has 2, not 1", f"g=1; {LINES}", given=["g: 2, 1"], lemmas=[curved]),
    row("x <= i**2", witness(x="1", i="5"), "the claim is not seen to fail there", "x=1; i=5", refuted=True),
]
TRUE = [
    row(f"({ZERO} + 1)/({ZERO} + 1) == 1", apply("quotient", ("p", f"{ZERO} + 1")), lemmas=[quotient]),
    row("0 < x*y - x*w", apply("above", ("p", "x*y - x*w")), given=["0 < x", "w < y"], lemmas=[above]),
    row(f"0 < {APART}", apply("above", ("p", APART)), given=["w**2 < x**2", "y + 1 < 0"], lemmas=[above]),
    row("0 < q/(1 + q) + 1/(1 + q)", apply("above", ("p", "q/(1 + q) + 1/(1 + q)")), lemmas=[above]),
    row("mean(sum(i/i, i, N, 2)) == mean(sum(1, i, N, 2))", given=["1 <= N"]),
    row("mean(w**(N + 1)) == mean(w*w**N)", given=["0 <= N"]),
    row(steeper("1"), apply("one", ("f", "g")), given=["g: 1, 1"], lemmas=[one]),
    row(steeper("1"), apply("curved", ("f", "g")), given=["g: 1, 3/4"], lemmas=[curved]),
    row(
        f"val(f, u) <= {TANGENT} + 1/2*k*dot(u - v, u - v) for i in 0..5",
        apply("descent"),
        given=["f: k, -"],
        lemmas=[descent],
    ),
]
# Lines that are none, whatever they say: an index or a slot is a whole number by its range alone.
HALF: Any = ["family", "Fun", "f", "1/2"]
POINTS: Any = {"u": ["family", "Vector", "u"], "v": ["family", "Vector", "v"], "weight": "2"}
TWO = "i has two sorts: "
FAMILY = {"left": ["family", "Scalar", "x"], "op": "<=", "over": [], "right": "0"}
OTHER = {"left": ["family", "Nonnegative", "x"], "op": "<=", "over": [], "right": "0"}

NONE = [
    ("an index called as a letter from 0", theorem("own", step("1", "0 <= i0 for i in -5..5", same)), TWO),
    ("the same in a sum", theorem("own", step("1", "0 <= sum(i0, i, -5, -1)", same)), TWO),
    ("the same in a slot", theorem("own", step("1", "x <= x", same), given={"h": "a(i) := b(i0)"}), TWO),
    ("the same in two lines", theorem("own", step("1", "x <= x", same), given={"g": "i0 <= 1", "h": "i <= 1"}), TWO),
    (
        "a letter and a number of a family with one name",
        theorem("own", step("1", FAMILY, same), given={"h": "x <= 0"}),
        "x has two sorts: Scalar, real",
    ),
    (
        "two families with one name",
        theorem("own", step("1", FAMILY, same)) | {"hypotheses": [{"id": "h", "kind": "given", "relation": OTHER}]},
        "x has two sorts: Scalar, Nonnegative",
    ),
    (
        "a sum whose index is called from 0 and begins at -1",
        theorem("own", step("1", "0 <= sum(c(2**i0), i0, -1, -1)", same)),
        "has an index that is not seen to be an integer",
    ),
    (
        "a definition whose slot is called from 0",
        theorem("own", step("1", "0 <= a(-1)", same, by="h"), given={"h": "a(m) := c(2**m)"}),
        "has an index that is not seen to be an integer",
    ),
    (
        "the same slot in a class",
        theorem("own", step("1", "0 <= 1", same), given={"h": "f(m): c(2**m), -"}),
        "has an index that is not seen to be an integer",
    ),
    (
        "the function of an axiom at 1/2, where its class is empty",
        theorem(
            "own",
            step(
                "1",
                "1 <= 0",
                combine(
                    {"d": "1"},
                    {"kind": "convex", "function": HALF, **POINTS},
                    {"kind": "descent", "function": HALF, **POINTS},
                ),
                "h, d",
            ),
            given={"h": "f(i): 1, 8*i*(1 - i)", "d": "1 <= dot(u - v, u - v)"},
        ),
        "has an index that is not seen to be an integer",
    ),
    (
        "a witness to a class whose constant is that of a slot",
        theorem(
            "own",
            step("1", "x <= 0", witness(x="1", i="5"), "h", refuted=True),
            given={"h": "f(i): i - 3, 0"},
            refuted=True,
        ),
        "no value for",
    ),
    (
        "a sum of functions",
        theorem(
            "own",
            step(
                "1",
                {
                    "left": ["*", "0", ["sum", ["family", "Fun", "f"], ["symbol", "i", "integer"], "1", "1"]],
                    "op": "==",
                    "right": "0",
                    "over": [],
                },
                same,
            ),
        ),
        "is not a number",
    ),
]
