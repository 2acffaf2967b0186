"""Theorems applied: letters to what is of another sort, hypotheses that do not hold, functions, sequences, permutations."""

from tests.kernel.written import apply, combine, instance, plain, row, step, theorem

same = combine()
whole = theorem("whole", step("1", "floor(k) == k", same))
counted = theorem("counted", step("1", "0 <= m", same))
first = theorem("first", step("1", "1 <= n", same))
nonneg = theorem("nonneg", step("1", "0 <= z", same))
over = theorem("over", step("1", "p/p == 1", same))
shifted = theorem("shifted", step("1", "x**(m + 1) == x*x**m", same))
split = theorem("split", step("1", "p**(k + 1) == p*p**k", same))
root = theorem("root", step("1", "z**(1/2)*z**(1/2) == z", same))
logs = theorem("logs", step("1", "log(p*q) == log(p) + log(q)", same))
below = theorem("below", step("1", "x <= y + 1", combine({"h": "1"}), "h"), given={"h": "x <= y"})
strict = theorem("strict", step("1", "0 < y - x", combine({"h": "1"}), "h"), given={"h": "x < y"})
equal = theorem("equal", step("1", "x == y", combine({"h": "1"}), "h"), given={"h": "x == y"})
each = theorem(
    "each",
    step("1", "sum(a(i), i, 1, n) <= 0", plain("Summed", indices=[["symbol", "i", "integer"]], weight="1"), "h"),
    given={"h": "a(i) <= 0 for i in 1..n"},
)
family = theorem("family", step("1", "0 <= c(1)", same))
positive = theorem("positive", step("1", "d(k)/d(k) == 1", same))
average = theorem("average", step("1", "mean(x*X) == x*mean(X)", same))
fixed = theorem("fixed", step("1", "mean(x) == x", same))
bounded = theorem("bounded", step("1", "0 <= mean(Q)", same))
counts = theorem("counts", step("1", "floor(N) == N", same))
defined = theorem("defined", step("1", "y == x + 1", combine({"h": "1"}), "h"), given={"h": "y == x + 1"})
short = theorem("short", step("1", "a(1) == 2", same, by="h"), given={"h": "a(i) := i + 1"})
permuted = theorem("permuted", step("1", "sum(draw(i, M), i, 1, M) == M*(M + 1)/2", same))
convex = theorem(
    "convex",
    step(
        "1",
        "val(f, v) + dot(grad(f, v), u - v) <= val(f, u)",
        combine(
            {},
            {
                "kind": "convex",
                "function": ["family", "Fun", "f"],
                "u": ["family", "Vector", "u"],
                "v": ["family", "Vector", "v"],
                "weight": "1",
            },
        ),
        "h",
    ),
    given={"h": "f: -, 0"},
)
smooth = theorem(
    "smooth",
    step(
        "1",
        "dot(grad(f, u) - grad(f, v), grad(f, u) - grad(f, v)) <= p**2*dot(u - v, u - v)",
        combine(
            {},
            {
                "kind": "lipschitz",
                "function": ["family", "Fun", "f"],
                "u": ["family", "Vector", "u"],
                "v": ["family", "Vector", "v"],
                "weight": "1",
            },
        ),
        "h",
    ),
    given={"h": "f: p, -"},
)
steady = theorem("steady", step("1", "mean(a(k)) == a(k)", same))
ranged = theorem("ranged", step("1", "0 <= i for i in 0..2", plain("Enumerate", scope="")))
top = theorem("top", step("1", "a(2) <= x", instance(i="2"), "h"), given={"h": "a(i) <= x for i in 0..2"})
second = theorem(
    "second",
    step("s", "a(1) <= 0", instance(i="1"), "h"),
    step("1", "a(1) <= z", combine({"s": "1"})),
    given={"h": "a(i) <= 0 for i in 0..2"},
)
linear = theorem("linear", step("1", "a(k) == k*x", same, by="h"), given={"h": "a(i) := i*x"})
drawn = theorem("drawn", step("1", "a(N) == N*x", same, by="h"), given={"h": "a(i) := i*x"})
named = theorem("named", step("1", "y <= x + 2", same, by="h"), given={"h": "y := x + 1"})
pair = theorem("pair", step("1", "a(1) <= b(1) + 1", combine({"h": "1"}), "h"), given={"h": "a(1) <= b(1)"})
places = theorem(
    "places",
    step("1", "2*draw(1, M) <= 2*draw(1, M, 2)", combine({"h": "2"}), "h"),
    given={"h": "draw(1, M) <= draw(1, M, 2)"},
)
ALL = [whole, counted, first, nonneg, over, shifted, split, root, logs, below, strict, equal, each, family, positive]
ALL += [average, fixed, bounded, counts, defined, short, permuted, convex, smooth]
ALL += [steady, ranged, top, second, linear, drawn, named, pair, places]


def by(claim: str, name: str, *at: tuple[str, str], where: str = "", reason: str = "", **more: object) -> object:
    return row(claim, apply(name, *at), reason, where, lemmas=[t for t in ALL if t["id"] == name], **more)


FALSE = [
    by("floor(x) == x", "whole", ("k", "x"), where="x=1/2", reason="x is not seen to be of the sort of k"),
    by(
        "floor(n/2) == n/2",
        "whole",
        ("k", "n/2"),
        where="n=1",
        reason="*(n, ^(2, -1)) is not seen to be of the sort of k",
    ),
    by(
        "floor(2**k) == 2**k", "whole", ("k", "2**k"), where="k=-1", reason="^(2, k) is not seen to be of the sort of k"
    ),
    by(
        "floor(1/n) == 1/n",
        "whole",
        ("k", "1/n"),
        where="n=2",
        reason="*(1, ^(n, -1)) is not seen to be of the sort of k",
    ),
    by(
        "floor(sum(2**i0, i0, -3, -1)) == sum(2**i0, i0, -3, -1)",
        "whole",
        ("k", "sum(2**i0, i0, -3, -1)"),
        reason="sum(^(2, i), i, -3, -1) is not seen to be of the sort of k",
    ),
    by(
        "floor(sum(2**i1, i1, k, k)) == sum(2**i1, i1, k, k)",
        "whole",
        ("k", "sum(2**i1, i1, k, k)"),
        where="k=-1",
        reason="sum(^(2, i), i, k, k) is not seen to be of the sort of k",
    ),
    by(
        "floor(sum(sum(2**i0, i0, -1, -1), j, 1, 1)) == sum(sum(2**i0, i0, -1, -1), j, 1, 1)",
        "whole",
        ("k", "sum(sum(2**i0, i0, -1, -1), j, 1, 1)"),
        reason="sum(sum(^(2, i), i, -1, -1), j, 1, 1) is not seen to be of the sort of k",
    ),
    by(
        "floor(X) == X",
        "whole",
        ("k", "X"),
        where="X=1/2",
        reason="family(RandomScalar, X) is not seen to be of the sort of k",
    ),
    by(
        "floor(mean(N)) == mean(N)",
        "whole",
        ("k", "mean(N)"),
        where="N=0|1",
        reason="mean(family(RandomInteger, N)) is not seen to be of the sort of k",
    ),
    by("floor(e) == e", "whole", ("k", "e"), reason="e() is not seen to be of the sort of k"),
    by("0 <= k", "counted", ("m", "k"), where="k=-1", reason="k is not seen to be of the sort of m"),
    by("0 <= m - 1", "counted", ("m", "m - 1"), where="m=0", reason="+(m, -1) is not seen to be of the sort of m"),
    by("0 <= -n", "counted", ("m", "-n"), where="n=1", reason="*(-1, n) is not seen to be of the sort of m"),
    by("1 <= m", "first", ("n", "m"), where="m=0", reason="m is not seen to be of the sort of n"),
    by("1 <= n - 1", "first", ("n", "n - 1"), where="n=1", reason="+(n, -1) is not seen to be of the sort of n"),
    by("1 <= p", "first", ("n", "p"), where="p=1/2", reason="p is not seen to be of the sort of n"),
    by(
        "1 <= floor(p)", "first", ("n", "floor(p)"), where="p=1/2", reason="floor(p) is not seen to be of the sort of n"
    ),
    by(
        "1 <= draw(1, 2) - 1",
        "first",
        ("n", "draw(1, 2) - 1"),
        reason="+(draw(1, 2), -1) is not seen to be of the sort of n",
    ),
    by("0 <= x", "nonneg", ("z", "x"), where="x=-1", reason="x is not seen to be of the sort of z"),
    by(
        "0 <= X",
        "nonneg",
        ("z", "X"),
        where="X=-1",
        reason="family(RandomScalar, X) is not seen to be of the sort of z",
    ),
    by("0 <= log(p)", "nonneg", ("z", "log(p)"), where="p=1/2", reason="log(p) is not seen to be of the sort of z"),
    by(
        "0 <= dot(u, v)",
        "nonneg",
        ("z", "dot(u, v)"),
        where="u=(1); v=(-1)",
        reason="dot(family(Vector, u), family(Vector, v)) is not seen to be of the sort of z",
    ),
    by("0 <= sin(x)", "nonneg", ("z", "sin(x)"), where="x=-1", reason="sin(x) is not seen to be of the sort of z"),
    by("z/z == 1", "over", ("p", "z"), where="z=0", reason="z is not seen to be of the sort of p"),
    by("x**2/x**2 == 1", "over", ("p", "x**2"), where="x=0", reason="^(x, 2) is not seen to be of the sort of p"),
    by("abs(x)/abs(x) == 1", "over", ("p", "abs(x)"), where="x=0", reason="abs(x) is not seen to be of the sort of p"),
    by(
        "mean(Q)/mean(Q) == 1",
        "over",
        ("p", "mean(Q)"),
        where="Q=0",
        reason="mean(family(RandomNonnegative, Q)) is not seen to be of the sort of p",
    ),
    by(
        "sum(p, i, 1, m)/sum(p, i, 1, m) == 1",
        "over",
        ("p", "sum(p, i, 1, m)"),
        where="m=0; p=1",
        reason="sum(p, i, 1, m) is not seen to be of the sort of p",
    ),
    by(
        "log(x)/log(x) == 1",
        "over",
        ("p", "-log(x)"),
        where="x=-1",
        given=["x < 1"],
        reason="*(-1, log(x)) is not seen to be of the sort of p",
    ),
    by(
        "-log(x)/(-log(x)) == 1",
        "over",
        ("p", "-log(x)"),
        where="x=-1",
        given=["x < 1"],
        reason="*(-1, log(x)) is not seen to be of the sort of p",
    ),
    by("z**k/z**k == 1", "over", ("p", "z**k"), where="z=0; k=1", reason="^(z, k) is not seen to be of the sort of p"),
    by(
        "z**(1/2)/z**(1/2) == 1",
        "over",
        ("p", "z**(1/2)"),
        where="z=0",
        reason="^(z, 1/2) is not seen to be of the sort of p",
    ),
    by(
        "(x + y)**-2/(x + y)**-2 == 1",
        "over",
        ("p", "(x + y)**-2"),
        where="x=0; y=0",
        reason="^(+(x, y), -2) is not seen to be of the sort of p",
    ),
    by("x**(k + 1) == x*x**k", "shifted", ("m", "k"), where="x=0; k=-1", reason="k is not seen to be of the sort of m"),
    by(
        "0**(k + 1) == 0*0**k",
        "shifted",
        ("x", "0"),
        ("m", "k"),
        where="k=-1",
        reason="k is not seen to be of the sort of m",
    ),
    by("z**(k + 1) == z*z**k", "split", ("p", "z"), where="z=0; k=-1", reason="z is not seen to be of the sort of p"),
    by(
        "p**(x + 1) == p*p**x + 1", "split", ("k", "x"), where="p=1; x=1", reason="x is not seen to be of the sort of k"
    ),
    by("x**(1/2)*x**(1/2) == x", "root", ("z", "x"), where="x=-1", reason="x is not seen to be of the sort of z"),
    by(
        "log(x*y) == log(x) + log(y)",
        "logs",
        ("p", "x"),
        ("q", "y"),
        where="x=-2; y=-2",
        reason="x is not seen to be of the sort of p",
    ),
    # hypotheses
    by(
        "x <= y + 1",
        "below",
        where="x=2; y=0",
        reason="a hypothesis of below: x <= y is not among the lines that the step uses",
    ),
    by(
        "x <= y + 1",
        "below",
        where="x=2; y=0",
        given=["x <= y + 2"],
        reason="a hypothesis of below: x <= y is not among the lines that the step uses",
    ),
    by(
        "x <= y + 1",
        "below",
        where="x=2; y=0",
        given=["y <= x"],
        reason="a hypothesis of below: x <= y is not among the lines that the step uses",
    ),
    by(
        "w <= y + 1",
        "below",
        ("x", "w"),
        where="x=0; y=0; w=2",
        given=["x <= y"],
        reason="a hypothesis of below: w <= y is not among the lines that the step uses",
    ),
    by(
        "0 < y - x",
        "strict",
        where="x=0; y=0",
        given=["x <= y"],
        reason="a hypothesis of strict: x < y is not among the lines that the step uses",
    ),
    by(
        "x == y",
        "equal",
        where="x=0; y=1",
        given=["x <= y"],
        reason="a hypothesis of equal: x == y is not among the lines that the step uses",
    ),
    by(
        "x == y",
        "equal",
        where="x=0; y=1",
        given=["x == y + w - w - 1"],
        reason="a hypothesis of equal: x == y is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="n=1; a(1)=1",
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="n=1; a(1)=1",
        given=["a(i) <= 0 for i in 2..n"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="n=2; a(1)=0; a(2)=1",
        given=["a(i) <= 0 for i in 1..n - 1"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="n=1; a(1)=1; b(1)=0",
        given=["b(i) <= 0 for i in 1..n"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="n=2; a(1)=0; a(2)=1",
        given=["a(1) <= 0"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(b(i), i, 1, n) <= 0",
        "each",
        ("a(i)", "b(i)"),
        where="n=1; b(1)=1; a(1)=0",
        given=["a(i) <= 0 for i in 1..n"],
        reason="a hypothesis of each: family(Scalar, b, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i + 1), i, 1, n) <= 0",
        "each",
        ("a(i)", "a(i + 1)"),
        where="n=1; a(1)=0; a(2)=1",
        given=["a(i) <= 0 for i in 1..n"],
        reason="a hypothesis of each: family(Scalar, a, +(i, 1)) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(i*i, i, 1, n) <= 0",
        "each",
        ("a(i)", "i*i"),
        where="n=1",
        reason="a hypothesis of each: *(i, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "sum(a(i), i, 1, n + 1) <= 0",
        "each",
        ("n", "n + 1"),
        where="n=1; a(1)=0; a(2)=1",
        given=["a(i) <= 0 for i in 1..n"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0 is not among the lines that the step uses",
    ),
    by(
        "y == x + 1",
        "defined",
        where="x=0; y=0",
        reason="a hypothesis of defined: y == +(x, 1) is not among the lines that the step uses",
    ),
    by("a(1) == 2", "short", where="a(1)=0", reason="a hypothesis of short: family(Scalar, a, i"),
    by(
        "a(1) == 2",
        "short",
        where="a(1)=0; a(2)=3",
        given=["a(2) == 3"],
        reason="a hypothesis of short: family(Scalar, a, i",
    ),
    by("b(1) == 2", "short", ("a(i)", "b(i)"), where="b(1)=0", reason="a hypothesis of short: family(Scalar, b, i"),
    # families and chance
    by("0 <= a(1)", "family", ("c(i)", "a(i)"), where="a(1)=-1", reason="family(Scalar, a, i"),
    by(
        "0 <= X",
        "family",
        ("c(i)", "X"),
        where="X=-1",
        reason="family(RandomScalar, X) is not seen to have the sign of family(Nonnegative, c, i), or is not an integer",
    ),
    by("c(k)/c(k) == 1", "positive", ("d(i)", "c(i)"), where="c(1)=0; k=1", reason="family(Nonnegative, c, i"),
    by(
        "(k - 1)/(k - 1) == 1",
        "positive",
        ("d(i)", "i - 1"),
        where="k=1",
        reason="+(i, -1) is not seen to have the sign of",
    ),
    by("2**0 - 1 == 1", "positive", ("d(i)", "2**i"), ("k", "0"), reason="positive gives"),
    by(
        "mean(X*X) == X*mean(X)",
        "average",
        ("x", "X"),
        where="X=1|-1",
        reason="family(RandomScalar, X) depends on chance, and average takes expectations",
    ),
    by(
        "mean(X) == X",
        "fixed",
        ("x", "X"),
        where="X=1|-1",
        reason="family(RandomScalar, X) depends on chance, and fixed takes expectations",
    ),
    by(
        "mean(draw(1, 2)) == draw(1, 2)",
        "fixed",
        ("x", "draw(1, 2)"),
        reason="draw(1, 2) depends on chance, and fixed takes expectations",
    ),
    by(
        "0 <= mean(X)",
        "bounded",
        ("Q", "X"),
        where="X=-1",
        reason="family(RandomScalar, X) is not seen to have the sign of family(RandomNonnegative, Q), or is not an integer",
    ),
    by(
        "floor(X) == X",
        "counts",
        ("N", "X"),
        where="X=1/2",
        reason="family(RandomScalar, X) is not seen to have the sign of family(RandomInteger, N), or is not",
    ),
    by(
        "floor(N/2) == N/2",
        "counts",
        ("N", "N/2"),
        where="N=1",
        reason="*(family(RandomInteger, N), ^(2, -1)) is not seen to have the sign of family(RandomInteger, N), or is not",
    ),
    by("sum(draw(i, 2), i, 1, 2) == 2*(2 + 1)", "permuted", ("M", "2"), reason="permuted gives"),
    by("sum(draw(i, 2, 1), i, 1, 2) == 2", "permuted", ("r", "1"), ("M", "2"), reason="permuted gives"),
    # functions of a class
    by(
        "val(f, v) + dot(grad(f, v), u - v) <= val(f, u)",
        "convex",
        where="u=(1); v=(0); f=0",
        given=["f: 1, -"],
        reason="a hypothesis of convex: h1 does not state this constant of its functions",
    ),
    by(
        "val(f, v) + dot(grad(f, v), u - v) <= val(f, u)",
        "convex",
        where="u=(1); v=(0); f=0",
        given=["f: -, -1"],
        reason="a hypothesis of convex: h1 has -1, not 0",
    ),
    by(
        "val(g, v) + dot(grad(g, v), u - v) <= val(g, u)",
        "convex",
        ("f", "g"),
        where="u=(1); v=(0); g=0",
        given=["f: -, 0", "g: 1, -"],
        reason="a hypothesis of convex: h2 does not state this constant of its functions",
    ),
    by(
        "val(f, u) <= val(f, v) + dot(grad(f, v), u - v)",
        "convex",
        where="u=(1); v=(0); f=1",
        given=["f: 1, 0"],
        reason="convex gives",
    ),
    by(
        "dot(grad(f, u) - grad(f, v), grad(f, u) - grad(f, v)) <= p**2*dot(u - v, u - v)",
        "smooth",
        where="u=(1); v=(0); f=1; p=1",
        given=["f: 2*p, -"],
        reason="a hypothesis of smooth: h1 has *(2, p), not p",
    ),
    by(
        "dot(grad(f, u) - grad(f, v), grad(f, u) - grad(f, v)) <= dot(u - v, u - v)",
        "smooth",
        ("p", "1"),
        where="u=(1); v=(0); f=1; p=2",
        given=["f: p, -"],
        reason="a hypothesis of smooth: h1 has p, not 1",
    ),
    # a theorem that is none, or another
    by("1 <= 0", "own", reason="own is not proved before"),
    by("1 <= 0", "nothing", reason="nothing is not proved before"),
    by("1 <= 0", "nonneg", ("z", "-1"), reason="-1 is not seen to be of the sort of z"),
    by("0 <= -1", "nonneg", ("z", "-1"), reason="-1 is not seen to be of the sort of z"),
    by("1 <= 0", "nonneg", ("z", "0"), reason="nonneg gives"),
    by("0 <= z - 1", "nonneg", where="z=0", reason="nonneg gives"),
    by("0 < z", "nonneg", where="z=0", reason="nonneg gives"),
    by("0 <= x", "nonneg", ("z", "z"), ("z", "x"), where="x=-1", reason="a symbol or family is substituted twice"),
    by(
        "0 <= x*y",
        "nonneg",
        ("z", "u"),
        where="x=-1; y=1",
        reason="family(Vector, u) is not seen to be of the sort of z",
    ),
    # a number for a function or a vector, a function for a number
    by("1 <= 0", "convex", ("f", "c(1)"), reason="family(Nonnegative, c, 1) is not a function"),
    by("1 <= 0", "convex", ("f", "e"), reason="e() is not a function"),
    by("1 <= 0", "convex", ("u", "x"), reason="x is not of the sort of family(Vector, u)"),
    by("1 <= 0", "family", ("c(i)", "f"), reason="family(Fun, f) is a function"),
    # a number of a family that depends on chance, and a mean that would catch chance in an index
    by(
        "mean(X) == X",
        "steady",
        ("a(i)", "X"),
        where="X=1|-1",
        reason="depends on chance, family(Scalar, a, i) does not",
    ),
    by(
        "mean(N*X) == N*mean(X)",
        "linear",
        ("a(i)", "mean(i*X)"),
        ("k", "N"),
        ("x", "mean(X)"),
        where="N=1|-1; X=1|-1",
        reason="a random value is substituted for an index inside an expectation",
    ),
    by(
        "mean(N*X) == N*mean(X)",
        "drawn",
        ("a(i)", "mean(i*X)"),
        ("N", "N"),
        ("x", "mean(X)"),
        where="N=1|-1; X=1|-1",
        reason="a random value is substituted for an index inside an expectation",
    ),
    # ranges: of the claim alone, an index that is replaced or caught, a line at one letter for all of a range
    by("z <= -1 for i in 0..2", "nonneg", where="z=0", reason="nonneg gives"),
    by("0 <= -1 for i in 0..2", "ranged", ("i", "-1"), reason="an index of the statement is substituted"),
    by(
        "a(2) <= i for i in 0..2",
        "top",
        ("x", "i"),
        where="a(0)=0; a(1)=1; a(2)=2",
        given=["a(i) <= i for i in 0..2"],
        reason="a hypothesis of top: family(Scalar, a, i",
    ),
    by(
        "a(1) == 2",
        "short",
        where="i=2; a(1)=0; a(2)=3",
        given=["a(i) == i + 1"],
        reason="a hypothesis of short: family(Scalar, a, i",
    ),
    by(
        "a(i) <= 1",
        "below",
        ("x", "a(i)"),
        ("y", "0"),
        where="i=3; a(1)=0; a(2)=0; a(3)=2",
        given=["a(i) <= 0 for i in 1..2"],
        reason="a hypothesis of below: family(Scalar, a, i) <= 0",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="i=2; n=1; a(1)=1; a(2)=0",
        given=["a(i) <= 0"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0",
    ),
    by(
        "sum(a(j), j, 1, n) <= 0 for i in 1..2",
        "each",
        where="n=3; a(1)=0; a(2)=0; a(3)=1",
        given=["a(i) <= 0 for i in 1..2"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0",
    ),
    by(
        "sum(a(i), i, 1, n) <= 0",
        "each",
        where="i=-1; m=1; n=2; a(1)=0; a(2)=1",
        given=["a(i) <= 0 for i in 1..m", "n/i <= m/i"],
        reason="a hypothesis of each: family(Scalar, a, i) <= 0",
    ),
    row(
        "a(1) <= i0 for i0 in 0..2",
        plain("Cases"),
        "a hypothesis of second: family(Scalar, a, i) <= 0",
        "a(0)=0; a(1)=1; a(2)=0",
        given={"h": "a(i0) <= i0 for i0 in 0..2"},
        lemmas=ALL,
        before=[
            step("s", "a(i0) <= 0 for i0 in 0..2", combine({"h": "1", "assumed 1": "1"}), assuming=["i0 <= 0"]),
            step("b", "a(1) <= i0 for i0 in 0..2", apply("second", ("z", "i0")), "s", assuming=["i0 <= 0"]),
            step("one", "a(1) <= 1", instance(i0="1"), "h"),
            step("c", "a(1) <= i0 for i0 in 0..2", combine({"one": "1", "assumed 1": "1"}), assuming=["1 <= i0"]),
        ],
        uses="b, c",
    ),
    # hypotheses that are not strict, or that a line on vectors does not give
    by(
        "0 < y - y",
        "strict",
        ("x", "y"),
        where="y=0",
        reason="a hypothesis of strict: y < y is not among the lines that the step uses",
    ),
    by("x <= y + 1", "below", where="x=2; y=0; u=(0); v=(0)", given=["u == v"], reason="a hypothesis of below: x <= y"),
]

TRUE = [
    by("floor(m) == m", "whole", ("k", "m")),
    by("floor(2**m) == 2**m", "whole", ("k", "2**m")),
    by("floor(sum(2**i0, i0, 0, 3)) == sum(2**i0, i0, 0, 3)", "whole", ("k", "sum(2**i0, i0, 0, 3)")),
    by("0 <= x**2", "nonneg", ("z", "x**2")),
    by("0 <= x", "nonneg", ("z", "x"), given=["0 <= x"]),
    by("x/x == 1", "over", ("p", "x"), given=["0 < x"]),
    by("(-log(x))/(-log(x)) == 1", "over", ("p", "-log(x)"), given=["x < 1", "0 < x"]),
    by("x**(n + 1) == x*x**n", "shifted", ("m", "n")),
    by("x <= y + 1", "below", given=["x <= y"]),
    by("w <= y + 1", "below", ("x", "w"), given=["w == y"]),
    by("0 < y - x", "strict", given=["x < y"]),
    by("sum(b(i), i, 1, n) <= 0", "each", ("a(i)", "b(i)"), given=["b(i) <= 0 for i in 1..n"]),
    by("sum(b(i), i, 1, n) <= 0", "each", ("a(i)", "b(i)"), given=["b(i) <= 0 for i in 0..n"]),
    by("b(1) == 2", "short", ("a(i)", "b(i)"), by="h1", given=["b(i) := i + 1"]),
    by("mean(x*Y) == x*mean(Y)", "average", ("X", "Y")),
    by("mean(x) == x", "fixed"),
    by("val(g, v) + dot(grad(g, v), u - v) <= val(g, u)", "convex", ("f", "g"), given=["g: 1, 0"]),
    by("val(f, v) + dot(grad(f, v), u - v) <= val(f, u)", "convex", given=["f: -, 1"]),
    by("sum(draw(i, 2), i, 1, 2) == 3", "permuted", ("M", "2")),
    by("x/x == 1", "over", ("p", "x"), given=["x := z + 1"], by="h1"),
    by("mean(y) == y", "fixed", ("x", "y")),
    by("val(f, 2*u) + dot(grad(f, 2*u), 0 - 2*u) <= val(f, 0)", "convex", ("u", "0"), ("v", "2*u"), given=["f: 1, 0"]),
    by("0 <= e", "family", ("c(i)", "e")),
    by("b(1) <= a(1) + 1", "pair", ("a(i)", "b(i)"), ("b(i)", "a(i)"), given=["b(1) <= a(1)"]),
    by(
        "2*draw(1, 2, 1) <= 2*draw(1, 2, 2)", "places", ("r", "1"), ("M", "2"), given=["draw(1, 2, 1) <= draw(1, 2, 2)"]
    ),
    by("y <= x + 2", "named", given=["y == x + 1"]),
    by("y <= y + 1", "below", ("x", "y")),
    by("x <= y + 1", "below", given=["u == v", "x <= y"]),
    by("x <= y + 1", "below", given=["w/w <= y", "x <= y"]),
    by("sum(b(i), i, 1, n) <= 0", "each", ("a(i)", "b(i)"), given=["b(i) == 0 for i in 1..n"]),
    by("sum(b(i), i, 1, n) <= 0", "each", ("a(i)", "b(i)"), given=["b(i) <= 0 for i in 1..m", "n <= m"]),
    by("a(i) <= 1 for i in 1..n", "below", ("x", "a(i)"), ("y", "0"), given=["a(i) <= 0 for i in 0..n"]),
    row(
        "a(i) <= i + 1 for i in 0..2",
        plain("Cases"),
        given={"h": "a(i) <= i for i in 0..2"},
        lemmas=ALL,
        before=[
            step("s", "a(i) <= i for i in 0..2", combine({"h": "1"}), assuming=["i <= 0"]),
            step(
                "b", "a(i) <= i + 1 for i in 0..2", apply("below", ("x", "a(i)"), ("y", "i")), "s", assuming=["i <= 0"]
            ),
            step("c", "a(i) <= i + 1 for i in 0..2", combine({"h": "1"}), assuming=["0 < i"]),
        ],
        uses="b, c",
    ),
]
