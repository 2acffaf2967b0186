"""Polynomial identities and balls on boxes."""

from tests.kernel.written import LETTERS, ball, polynomial, row

leaf = {"symbol": ["symbol", "x", "real"], "centre": "0", "order": 2}


def cut(at: object, below: object = "direct", above: object = "direct", name: str = "x") -> object:
    return {"symbol": ["symbol", name, "real"], "cut": at, "below": below, "above": above}


unit = ["0 <= x", "x <= 1"]
box = {"x": ("0", "1")}
FALSE = [
    row(
        "0 <= x",
        polynomial(("1", [("x", 1)], None)),
        at="x=-1",
        reason="['symbol', 'x', 'real'] is not seen to be nonnegative",
    ),
    row(
        "0 <= x**3",
        polynomial(("1", [("x", 1)], "x")),
        at="x=-1",
        reason="['symbol', 'x', 'real'] is not seen to be nonnegative",
    ),
    row(
        "0 <= x*y",
        polynomial(("1", [("x", 1), ("y", 1)], None)),
        at="x=-1; y=1",
        given=["0 <= y"],
        reason="['symbol', 'x', 'real'] is not seen to be nonnegative",
    ),
    row(
        "0 <= x - 1",
        polynomial(("1", [("x - 1", 1)], None)),
        at="x=0",
        given=["0 <= x"],
        reason="['+', ['symbol', 'x', 'real'], '-1'] is not seen to be nonnegative",
    ),
    row("0 <= -x**2", polynomial(("-1", [], "x")), at="x=1", reason="a coefficient is not positive"),
    row(
        "0 <= -x",
        polynomial(("-1", [("x", 1)], None)),
        at="x=1",
        given=["0 <= x"],
        reason="a coefficient is not positive",
    ),
    row("0 <= 0*x - 1", polynomial(("0", [], "x")), at="x=0", reason="a coefficient is not positive"),
    row("0 <= y*x**2", polynomial(("y", [], "x")), at="x=1; y=-1", reason="a coefficient is not positive"),
    row(
        "0 <= -x",
        polynomial(("1", [("x", 1)], None), multiplier="-1"),
        at="x=1",
        given=["0 <= x"],
        reason="the multiplier is not manifestly positive",
    ),
    row(
        "0 <= x",
        polynomial(("1", [], "x*y"), multiplier="x*y**2"),
        at="x=-1; y=1",
        reason="the multiplier is not manifestly positive",
    ),
    row(
        "0 <= x",
        polynomial(("1", [], "x"), multiplier="x"),
        at="x=-1",
        reason="the multiplier is not manifestly positive",
    ),
    row("0 <= -1", polynomial(multiplier="0"), at="", reason="the multiplier is not manifestly positive"),
    row("0 <= x", polynomial(multiplier="x - x"), at="x=-1", reason="the multiplier is not manifestly positive"),
    row(
        "0 <= x - z",
        polynomial(("1", [], "x"), multiplier="z"),
        at="x=0; z=1",
        reason="the multiplier is not manifestly positive",
    ),
    row(
        "0 <= x",
        polynomial(("1", [("x**3", 1)], None), multiplier="x**2"),
        at="x=-1",
        reason="the multiplier is not manifestly positive",
    ),
    row(
        "0 <= x",
        polynomial(("1", [("x", -1)], "x")),
        at="x=-1",
        given=["0 <= y"],
        uses="",
        reason="a power is no positive integer",
    ),
    row("0 <= 1/x", polynomial(("1", [("x", -1)], None)), at="x=-1", reason="a power is no positive integer"),
    row("0 <= x", polynomial(("1", [("x", 0)], "x**(1/2)")), at="x=-1", reason="a power is no positive integer"),
    row("0 <= x", polynomial(("1", [], "x**(1/2)")), at="x=-1", reason="x is not seen to be nonnegative"),
    row("0 <= x", polynomial(("1", [], "x/x*x**(1/2)")), at="x=-1", reason="x is not seen to be nonzero"),
    row("0 <= 1 - x", polynomial(("1", [], "1 - x")), at="x=2", reason="the identity does not hold"),
    row("0 < x**2", polynomial(("1", [], "x")), at="x=0", reason="only <= is certified this way"),
    row("x**2 == 0", polynomial(("1", [], "x")), at="x=1", reason="only <= is certified this way"),
    row("0 <= x**2 - 2*x", polynomial(("1", [], "x - 1")), at="x=1", reason="the identity does not hold"),
    row(
        "0 <= x",
        polynomial(("1", [("x", 1)], None)),
        at="x=-1",
        given=["0 <= x + 1"],
        reason="['symbol', 'x', 'real'] is not seen to be nonnegative",
    ),
    # balls
    row("0 <= x", ball(box), at="x=-1", reason="x is not seen to lie in 0..1"),
    row(
        "0 <= x",
        ball({"x": ("-1", "1")}),
        at="x=-1",
        given=["-1 <= x", "x <= 1"],
        reason="the leaf direct does not show it on {x: (-1, 1)}",
    ),
    row("0 <= x - 1/2", ball({"x": ("1/2", "1")}), at="x=0", given=unit, reason="x is not seen to lie in 1/2..1"),
    row(
        "0 <= x - 1/2",
        ball(box, cut("1/2")),
        at="x=0",
        given=unit,
        reason="the leaf direct does not show it on {x: (0, 1/2)}",
    ),
    row("0 <= x - 1/2", ball(box, cut("2")), at="x=0", given=unit, reason="the box has no side that 2 cuts"),
    row("0 <= x - 1/2", ball(box, cut("-1")), at="x=0", given=unit, reason="the box has no side that -1 cuts"),
    row(
        "0 <= x - 1/2",
        ball(box, cut("1/2", name="y")),
        at="x=0",
        given=unit,
        reason="the box has no side that 1/2 cuts",
    ),
    row("0 <= x - 1/2", ball(box, cut(LETTERS["x"])), at="x=0", given=unit, reason="x is no number"),
    row("x <= 1/2", ball(box, cut("1/2")), at="x=1", given=unit, reason="does not show it on {x: (1/2, 1)}"),
    row("x <= 1/2", ball(box, {**leaf, "centre": "1/2"}), at="x=1", given=unit, reason="does not show it on"),
    row("0 <= x - 1/2", ball(box, cut("0")), at="x=0", given=unit, reason="the box has no side that 0 cuts"),
    row("0 <= x - 1/2", ball(box, cut("1")), at="x=0", given=unit, reason="the box has no side that 1 cuts"),
    row(
        "0 <= x - 1/2", ball(box, "mean"), at="x=0", given=unit, reason="the leaf mean does not show it on {x: (0, 1)}"
    ),
    row(
        "0 <= x - 1/2",
        ball(box, {**leaf, "symbol": ["symbol", "y", "real"]}),
        at="x=0",
        given=unit,
        reason="the box has no side y",
    ),
    row("0 <= x - 1/2", ball(box, "nothing"), at="x=0", given=unit, reason="no leaf: nothing"),
    row("0 <= x - 1/2", ball(box, {}), at="x=0", given=unit, reason="has no field 'centre'"),
    row(
        "0 <= x - 1/2", ball(box, list(leaf)), at="x=0", given=unit, reason="is no text: ['symbol', 'centre', 'order']"
    ),
    row("0 <= x - 1/2", ball(box, list(cut("1/2"))), at="x=0", given=unit, reason="is no text: ['symbol', 'cut', "),
    row(
        "0 <= x - 1/2",
        ball(box, leaf),
        at="x=0",
        given=unit,
        reason="the leaf {'symbol': ['symbol', 'x', 'real'], 'centre': '0', 'order': 2} does not show it o",
    ),
    row(
        "0 <= x - 1/2",
        ball(box, {**leaf, "order": 50}),
        at="x=0",
        given=unit,
        reason="the leaf {'symbol': ['symbol', 'x', 'real'], 'centre': '0', 'order': 50} does not show it ",
    ),
    row("1 <= 0", ball({}), reason="the leaf direct does not show it on {}"),
    row("0 <= x - 1/2", ball({}), at="x=0", given=unit, reason="the box must bound every letter"),
    row("0 <= x + y", ball(box), at="x=0; y=-1", given=unit, reason="the box must bound every letter"),
    row("0 <= 1 - x", ball(box), at="x=2", given=["0 <= x"], reason="x is not seen to lie in 0..1"),
    row(
        "0 <= 1 - x",
        ball({"x": ("1", "0")}),
        at="x=2",
        given=["0 <= x", "x <= 2"],
        reason="x is not seen to lie in 1..0",
    ),
    row("0 < x", ball(box), at="x=0", given=unit, reason="only <= between numbers on a box is certified this way"),
    row(
        "x == 0",
        ball({"x": ("0", "0")}),
        at="x=1",
        given=unit,
        reason="only <= between numbers on a box is certified this way",
    ),
    row("0 <= x*(x - 1)", ball(box), at="x=1/2", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"),
    row("1 <= 1/x", ball(box), at="x=0", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"),
    row(
        "0 <= log(x) + 1",
        ball({"x": ("1/10", "1")}),
        at="x=1/8",
        given=["1/10 <= x", "x <= 1"],
        reason="the leaf direct does not show it on {x: (1/10, 1)}",
    ),
    row(
        "0 <= x**(1/2) - 1/2", ball(box), at="x=0", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"
    ),
    row("0 <= 1 - exp(x)", ball(box), at="x=1", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"),
    row("floor(x) <= 0", ball(box), at="x=1", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"),
    row("sin(x) <= 1/2", ball(box), at="x=1", given=unit, reason="the leaf direct does not show it on {x: (0, 1)}"),
    row(
        "0 <= x*x - x*y",
        ball({"x": ("0", "1"), "y": ("0", "1")}),
        at="x=1/2; y=1",
        given=[*unit, "0 <= y", "y <= 1"],
        reason="the leaf direct does not show it on {x: (0, 1), y: (0, 1)}",
    ),
    row("0 <= a(1)", ball({"a(1)": ("0", "1")}), at="a(1)=-1", given=["a(1) <= 1"], reason="a box is of letters"),
    row("0 <= x - 1/2", ball({"x": ("x", "1")}), at="x=0", given=unit, reason="a box has numbers for ends"),
    row(
        "0 <= abs(x) - 1/2",
        ball(box, "mean"),
        at="x=0",
        given=unit,
        reason="the leaf mean does not show it on {x: (0, 1)}",
    ),
    row(
        "0 <= max(x, 1 - x) - 3/4",
        ball(box, "mean"),
        at="x=1/2",
        given=unit,
        reason="the leaf mean does not show it on {x: (0, 1)}",
    ),
    # slopes: that of 2^x is 2^x log 2, cos falls, sin rises, and sin(6 x) has slopes without end
    row("1 + x <= 2**x", ball(box, "mean"), at="x=1/2", given=unit, reason="the leaf mean does not show it on"),
    row("1 <= cos(x)", ball(box, "mean"), at="x=1", given=unit, reason="the leaf mean does not show it on"),
    row(
        "sin(x) <= sin(1/2)",
        ball({"x": ("1/2", "1")}, "mean"),
        at="x=1",
        given=["1/2 <= x", "x <= 1"],
        reason="the leaf mean does not show it on",
    ),
    row("0 <= sin(6*x)", ball(box, "mean"), at="x=1", given=unit, reason="the leaf mean does not show it on"),
    row("0 <= sin(6*x)", ball(box, {**leaf, "order": 10**6}), at="x=1", given=unit, reason="does not show it on"),
    # the slope of a product, and of a power whose base and exponent both grow
    row("x/2 <= x*exp(-x)", ball(box, leaf), at="x=1", given=unit, reason="does not show it on"),
    row(
        "(3/2)**(1/2) + 5/4*(x - 1/2) <= (1 + x)**x",
        ball({"x": ("1/2", "3/4")}, "mean"),
        at="x=3/4",
        given=["1/2 <= x", "x <= 3/4"],
        reason="the leaf mean does not show it on",
    ),
]

TRUE = [
    row("0 <= x*y", polynomial(("1", [("x", 1), ("y", 1)], None)), given=["0 <= x", "0 <= y"]),
    row("2*x*y <= x**2 + y**2", polynomial(("1", [], "x - y"))),
    row("0 <= x", polynomial(("1", [("x*p", 1)], None), multiplier="p"), given=["0 <= x*p"]),
    row("0 <= x**3", polynomial(("1", [("x", 3)], None)), given=["0 <= x"]),
    row("0 <= x", ball(box), given=unit),
    row("x**2 <= x", ball(box, "mean"), given=unit),
    row("1 + x <= exp(x)", ball(box, leaf), given=unit),
    row("0 <= 2 - x*exp(-x)", ball(box, cut("1/2")), given=unit),
    row("1 <= cos(x) + x**2", ball(box, leaf), given=unit),
    row("1 + x/2 <= 2**x", ball(box, "mean"), given=unit),
    row("x/(1 + x) <= 1/2", ball(box, "mean"), given=unit),
    row("x/2 + 3/8 <= x**(1/2)", ball({"x": ("1/4", "1")}, "mean"), given=["1/4 <= x", "x <= 1"]),
    row("0 <= x", ball(box, {**leaf, "order": 12}), given=unit),
    # equal at 1/3, which no halves of the box have for an end; true where the longer side is halved, not the first
    row("6*x <= 9*x**2 + 1", ball(box, {**leaf, "centre": "1/3"}), given=unit),
    row(
        "y <= y**2 + x",
        ball({"x": ("1/2", "3/5"), "y": ("0", "1")}),
        given=["1/2 <= x", "x <= 3/5", "0 <= y", "y <= 1"],
    ),
]
