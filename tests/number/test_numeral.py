"""Numbers as they are typed: exact, weighed before they are worked out, refused with the reason."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.catalogue import catalogue
from fltheory.command import cli
from fltheory.model.bound import Bound, BoundError, Source
from fltheory.number import NotRational, evaluate_exact, exact, symbolic_value
from fltheory.number.parsing import MAX_DIGITS, clip_text, read_datum, read_number
from fltheory.number.rational import rational_nth_root, rational_power
from fltheory.symbols import meaning, n_rounds, smoothness, step_size
from tests.typed import Run

EXPRESSION = st.recursive(
    st.integers(0, 20).map(str),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
    max_leaves=12,
)


@given(EXPRESSION)
def test_arithmetic_is_pythons(text: str) -> None:
    exactly = "".join(f"Fraction({c})" if c.isdigit() else c for c in _tokens(text))
    try:
        expected = eval(exactly, {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(ValueError, match="division by 0"):
            read_number(text)
        return
    assert read_number(text) == expected


@given(st.from_regex(r"-?[0-9]{1,4}(/[0-9]{1,4})?", fullmatch=True))
def test_plain_fractions_are_read_as_in_a_sum(text: str) -> None:
    if "/" in text and int(text.partition("/")[2]) == 0:
        with pytest.raises(ValueError, match=r"division by 0|expected a number"):
            read_number(text)
        return
    assert read_number(text) == Fraction(text)
    assert read_number(f"0 + {Fraction(text)}") == Fraction(text)


def _tokens(text: str) -> list[str]:
    return "".join(c if c.isdigit() else f" {c} " for c in text).split()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2**2", -4),
        ("2**3**2", 512),
        ("2**-2", Fraction(1, 4)),
        ("8**(1/3)", 2),
        ("sqrt(10**3000)", 10**1500),
        ("0**0", 1),
        ("-" * 5000 + "1", 1),
        ("1+" * 4000 + "1", 4001),
        ("(" * 50 + "1" + ")" * 50, 1),
        ("(-1)**1e3999", 1),
        ("sqrt(2)*sqrt(2)", 2),
        ("sqrt(2)-sqrt(2)", 0),
        ("exp(0)", 1),
        ("log(E)", 1),
        ("Rational(1, 3)", Fraction(1, 3)),
        ("2**sqrt(2)", 2 ** sympy.sqrt(2)),
        ("pi/2", sympy.pi / 2),
    ],
)
def test_what_is_read(text: str, value: object) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exp(exp(exp(exp(exp(9)))))", "beyond 10\\^4000"),
        ("exp(-exp(20))", "beyond"),
        ("9999**9999*9999**9999", "4000 digits"),
        ("10**10**10", "4000 digits"),
        ("1e9999", "4000 digits"),
        ("1e-9999", "4000 digits"),
        ("9" * 4001, "4000 digits"),
        ("1.0000001**(10**9+1/3)", "4000 digits"),
        ("1+" * 20_000 + "1", "40001 characters"),
        ("(" * 51 + "1" + ")" * 51, "inside"),
        ("2" + "**1" * 60, "inside"),
        ("sqrt(10**3999+1)", "300 digits"),
        ("2**(1/10**50)", "degree above 1000"),
        ("*".join(f"sqrt({n})" for n in range(2, 300)), "irrational parts"),
        ("(1+sqrt(2))**(10**6)", "beyond"),
        ("sqrt(2)+sqrt(3)-sqrt(5+2*sqrt(6))", "too close to 0"),
        ("log(1+10**-3999)", "too close to 0"),
        ("1e99999999999999", "digits"),
        ("sqrt(-1)", "real number"),
        ("(-8)**(1/3)", "real number"),
        ("0**-1", "division by 0"),
        ("1/(1-1)", "division by 0"),
        ("5!", "expected a number"),
        ("factorial(5)", "expected a number"),
        ("3²", "expected a number"),
        ("٣", "expected a number"),
        ("True", "expected a number"),
        ("1j", "expected a number"),
        ("\0", "expected a number"),
        ("1\n2", "expected a number"),
        ("1_0", "expected a number"),
        ("1_000", "expected a number"),
        ("2020-01-02", "expected a number"),
        ("3-01", "expected a number"),
    ],
)
def test_what_is_refused_at_once(text: str, says: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=says) as refusal:
        read_number(text)
    assert time.process_time() - began < 2
    assert len(str(refusal.value)) < 250


def test_quoted_words_are_short() -> None:
    assert clip_text("abc") == "abc"
    assert len(clip_text("x" * 10**6)) < 100
    assert clip_text(10**9000) == "1.00000e+9000"
    assert clip_text(Fraction(1, 3)) == "1/3"


def test_powers_and_roots_stay_short() -> None:
    assert rational_nth_root(Fraction(8, 27), 3) == Fraction(2, 3)
    assert rational_nth_root(Fraction(2), 2) is None
    assert rational_nth_root(Fraction(-8), 3) is None
    assert rational_nth_root(Fraction(10**900), 900) == 10
    assert rational_nth_root(Fraction(2), 10**30) is None
    assert rational_power(Fraction(1, 2), -3) == 8
    assert rational_power(Fraction(-1), 10**30 + 1) == -1
    assert rational_power(Fraction(1) - Fraction(1, 10**30), 10**30) is None
    with pytest.raises(ZeroDivisionError):
        rational_power(Fraction(0), -1)


def test_symbolic_values_stay_short() -> None:
    """SymPy would multiply these out, or look for powers in them, for hours."""
    for formula, value in (
        (smoothness**n_rounds, 10**30),
        (sympy.sqrt(smoothness), 10**3999),
        (sympy.exp(smoothness), 10**9),
    ):
        with pytest.raises(NotRational):
            symbolic_value(formula, {smoothness: Fraction(value, 3), n_rounds: value})
    assert symbolic_value(sympy.sqrt(smoothness) * n_rounds, {smoothness: 2, n_rounds: 3}) == 3 * sympy.sqrt(2)
    with pytest.raises(NotRational):
        evaluate_exact((1 - step_size) ** n_rounds, {step_size: sympy.sqrt(2) / 9, n_rounds: 10**30})


def test_cancellation_of_long_numbers_is_resolved() -> None:
    """1 - (1 - x) at x = 1e-3000 needs more digits than the usual ones."""
    tiny = Bound(sympy.Integer(1) / (sympy.sqrt(1 + step_size) - 1), Source("sfl", "test"))
    assert tiny.ball({step_size: Fraction(1, 10**3000)}) > 10**3000
    with pytest.raises(BoundError, match="no real value"):
        Bound(1 / sympy.log(smoothness), Source("sfl", "test")).ball({smoothness: 1})


EXTREMES = {
    "positive integer": ("1", "7", "10**30", "10**3999"),
    "nonnegative integer": ("0", "10**300"),
    "positive": ("1", "1e-3999", "1e3999", "exp(9)"),
    "nonnegative": ("0", "sqrt(2)", "1e-3999", "1e3999", "exp(exp(9))"),
    "real": ("-1e400", "sqrt(2)", "0"),
}


@pytest.mark.parametrize("turn", range(4))
def test_every_bound_answers_or_complains(turn: int, run: Run) -> None:
    """A thirtieth of the catalogue in each turn, at the ends of the constants' domains."""
    for i, claim in enumerate(catalogue()[turn::30]):
        chosen = {s for s, _ in claim.tuning} | {s for b in claim.bounds for s, _ in b.where}
        needed = {s for b in claim.bounds for s in b.symbols} | {s for _, e in claim.tuning for s in e.free_symbols}
        settings = []
        for j, symbol in enumerate(sorted(needed - chosen, key=lambda s: s.name)):
            ends = EXTREMES[meaning(symbol).domain]
            settings.append(f"{symbol.name}={ends[(i * i + j * (turn + 1)) % len(ends)]}")
        began = time.process_time()
        status, _, err = run("bound", claim.id, *settings)
        assert status in (0, 2), claim.id
        assert (status == 2) == err.startswith("fltheory: "), err
        assert time.process_time() - began < 5, (claim.id, settings)
        assert "missing" not in err, err


def test_numbers_that_used_to_break_a_bound(run: Run) -> None:
    constants = ["M=4", "K=2", "L=1", "mu=1/10", "sigma=1", "zeta_star=1"]
    claim = "sfl/T3-SC@corrected"
    assert (
        run("bound", claim, *constants, "eta=1/100", "R=1200", f"D={'-' * 5000}1")[:2]
        == run("bound", claim, *constants, "eta=1/100", "R=1200", "D=1")[:2]
    )
    status, out, _ = run("bound", claim, *constants, "eta=1/100", "R=1200", "D=1e3999")
    assert (status, out.split()[0]) == (0, "inf")
    for bad in ("R=1e9999", "D=9999**9999*9999**9999", "D=exp(exp(exp(exp(exp(9)))))", f"D={'1+' * 20_000}1"):
        status, out, err = run("bound", claim, *constants, "eta=1e-3999", bad)
        assert (status, out, err.count("\n")) == (2, "", 1)
    assert cli.run(["bound", claim, f"{'x' * 10**5}=1"]) == 2


def test_digits_are_those_that_python_prints() -> None:
    assert len(str(read_number("9" * MAX_DIGITS))) == MAX_DIGITS


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("3", 3), ("-0.5", Fraction(-1, 2)), ("+2", 2), ("1/3", Fraction(1, 3)), ("-2/6", Fraction(-1, 3))),
        *(("007", 7), (" 1e-3 ", Fraction(1, 1000)), (".5", Fraction(1, 2)), ("2.", 2), ("6.02E23", 602 * 10**21)),
    ],
)
def test_entries_of_tables(text: str, value: Fraction) -> None:
    assert read_datum(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("2020-01-02", "10-20", "1_0", "1+2", "2**3", "sqrt(4)", "pi", "1/2/3", "1/-2", "(3)", "--1", "", " ", "-"),
        *("1e", "nan", "1,5", "1 2", "٣", "0x10", "1/2.5", "9" * 10_001, "1e999999999", "1/0"),
    ],
)
def test_what_is_no_entry_of_a_table(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected a number|digits|division by 0") as refusal:
        read_datum(text)
    assert len(str(refusal.value)) < 250


def test_arithmetic_is_for_constants_alone() -> None:
    """A constant that one writes may be a sum; digits in groups and padded ones are numbers nowhere but alone."""
    assert exact("10-20") == -10
    assert exact("2 - 1/3") == Fraction(5, 3)
    assert exact("007") == 7
    assert exact("0.5-0.25") == Fraction(1, 4)
