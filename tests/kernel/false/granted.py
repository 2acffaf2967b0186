"""What is supposed and granted in turn: of defined letters, of the ends of ranges, by quotients and powers of what is known."""

from tests.kernel.false.by_facts import TURNED, positive
from tests.kernel.written import LETTERS, apply, axiom, ball, combine, instance, plain, row, step, summed, theorem

NONZERO = "is not seen to be nonzero"
family = theorem("family", step("s", "0 < real", combine()))
ranged = theorem("ranged", step("s", "0 <= 1", combine()), given={"h": "a(i) <= 0 for i in 1..n"})
SPLIT = "e**(1/2)*x + e**(3/2)*y"  # e^(1/2) (x + e y)

FALSE = [
    # x/x == 1 where x is w/w: this is 1 where w is not 0
    row(
        "mean(X) <= 0 for i in 1..n",
        plain("Expected"),
        at="w=0; x=0; X=1; n=1",
        given={"h": "X <= 0 for i in 1..n*x/x", "d": "x := w/w"},
        uses="h",
        by="d",
        reason=f"x {NONZERO}",
    ),
    row(  # mean(X/X) is 1/2 where X is 0 in half of the cases, though X > 0 is supposed of the other half
        "1 <= 0 for i in 1..n",
        plain("Cases"),
        at="X=0|1; x=0; n=1",
        given={"d": "x := mean(X/X) - 1/2", "h": "1 <= 0 for i in 1..n*x/x, j in 1..1"},
        uses="one, two",
        before=[
            step("one", "1 <= 0 for i in 1..n", summed("j"), "h", by="d", assuming=["0 < X"]),
            step("two", "1 <= 0 for i in 1..n", summed("j"), "h", by="d", assuming=["X <= 0"]),
        ],
        reason=f"step one (Summed): Wrong: x {NONZERO}",
    ),
    row("(y - 1)/(y - 1) == 1", at="x=1; y=1", given=["0 < x*y"], reason=NONZERO),
    row(
        "0 < (y - x)**3*w",
        apply("positive", ("p", "(y - x)**3*w")),
        at="x=1; y=0; w=1",
        given=["y < x", "0 < w"],
        lemmas=[positive],
        reason="is not seen to be of the sort of p",
    ),
    row(
        "0 < -1", apply("family", ("o", "-1")), at="", lemmas=[family], reason="family gives 0 < family(Positive, real)"
    ),
    row(
        "val(f, u) <= val(f, u) - 1",
        combine(None, axiom("convex", "1", v="u")),
        at="",
        given={"f": "f(i): 1, 0"},
        uses="f",
        reason="no membership used gives",
    ),
    row(
        "x <= 0",
        ball({"x": ("0", "1")}, "shortcut"),
        at="x=1",
        given=["0 <= x", "x <= 1"],
        reason="not a leaf: shortcut",
    ),
    row(  # its slope, 1/x - 1/x, vanishes; at 0 it jumps
        "0 <= log(x) - log(-x)",
        ball({"x": ("-1/2", "1/2")}, "mean"),
        at="x=1/2",
        given=["-1/2 <= x", "x <= 1/2"],
        reason="does not prove the inequality on",
    ),
]

TRUE = [
    row(
        "mean(X) <= 0 for i in 1..n",
        plain("Expected"),
        given={"h": "X <= 0 for i in 1..n*x/x", "d": "x := y*w + y*t", "g": "0 < y*w + y*t"},
        uses="h",
        by="d",
    ),
    row(
        "mean(X) <= 0 for i in 1..n, j in 1..n*a(i)/a(i)",
        plain("Expected"),
        given=["X <= 0 for i in 1..n, j in 1..n", "1 <= a(i) for i in 1..n"],
        uses="h1",
    ),
    row("mean(X) <= a(i) for i in 1..1 + n", plain("Expected"), given=["X <= a(i) for i in 1..n + 1"]),
    row("mean(X) == y", plain("Expected"), given=["y == X"]),
    row("0 <= 1", apply("ranged"), given=["a(i) <= 0 for i in 1..oo"], lemmas=[ranged]),
    row("0 == v - v", instance(i="1"), given={"d": "u := 0", "h": "0 == u for i in 1..n"}, uses="h", by="d"),
    row(
        "0 <= Q*z - log(1 + Q*z)",
        plain("Rising", symbol=LETTERS["z"]),
        uses="start, slope",
        before=[step("start", "0 <= 0", combine()), step("slope", "0 <= Q - Q/(1 + Q*z)", combine())],
    ),
    # signs by factors and quotients
    row(
        "0 < x*x*w - 2*x*y*w + y*y*w",
        apply("positive", ("p", "x*x*w - 2*x*y*w + y*y*w")),
        given=["y < x", "0 < w"],
        lemmas=[positive],
    ),
    row(
        "0 < (y - x)*w/(p + z)",
        apply("positive", ("p", "(y - x)*w/(p + z)")),
        given=["0 < (y - x)*w"],
        lemmas=[positive],
    ),
    row("0 <= x*y*t/w", combine({"h1": "y*t/w"}), given=["0 <= x", "0 <= y*t", "0 <= w"]),
    row(
        "0 <= t*(y - x)*w*(y + x)",
        combine({"h1": "(y - x)*w*(y + x)"}),
        given=["0 <= t", "0 <= (y - x)*w", "0 <= x + y"],
    ),
    row(
        f"0 <= p*({TURNED})*t",
        combine({"h1": f"({TURNED})*t"}),
        given=["0 <= p", "0 <= x + w", "0 <= t", f"0 <= {TURNED}", "0 < x"],
    ),
    row(
        f"0 <= p*({SPLIT})*t",
        combine({"h1": f"({SPLIT})*t"}),
        given=["0 <= p", f"0 <= ({SPLIT})*w", "0 <= x + e*y", "0 <= t"],
    ),
    row(
        "0 <= p*(t + 1)*(y - x/w)/w",
        combine({"h1": "(t + 1)*(y - x/w)/w"}),
        given=["0 <= p", "0 <= y - x/w", "0 <= t/w + 1/w"],
    ),
]
