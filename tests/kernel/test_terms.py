"""Terms: what is put in where, what is seen to be an integer, what a number's ball holds; definitions in their order."""

from __future__ import annotations

import pytest
from flint import arb, ctx, fmpq

from fltheory.kernel.language.balls import ball
from fltheory.kernel.language.lines import Definition, Line, head, line, named, unfolding
from fltheory.kernel.language.terms import Term, Wrong, insert, put, read, read_at, slots, whole
from fltheory.kernel.limits import equal
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import normal, polynomial_in, value
from tests.kernel import written


def t(text: str) -> Term:
    return read(written.term(text))


@pytest.mark.parametrize(
    ("text", "new", "found"),
    [
        ("x + y", {"x": "y", "y": "x"}, "y + x"),
        ("sum(x*i, i, 1, n)", {"x": "2"}, "2*sum(i, i, 1, n)"),
        ("sum(i, i, i, n)", {"i": "2"}, "sum(j, j, 2, n)"),
        ("sum(j*i, j, i, n)", {"i": "2"}, "sum(2*j, j, 2, n)"),
        ("sum(x, i, 1, 3)", {"x": "i"}, "3*i"),
        ("sum(x*i, i, 1, 3)", {"x": "i"}, "6*i"),
        ("sum(x*i + y, i, 1, 3)", {"x": "i", "y": "w"}, "6*i + 3*w"),
        ("sum(x*i + y, i, 1, 3)", {"x": "w", "y": "i"}, "6*w + 3*i"),
        ("sum(x*i, i, 1, x)", {"x": "3"}, "18"),
        ("sum(i, i, 1, k)", {"k": "i + 1"}, "sum(j, j, 1, i + 1)"),
        ("a(i)", {"i": "k + 1"}, "a(k + 1)"),
        ("a(1) + a(2)", {"a(1)": "x"}, "x + a(2)"),
        ("mean(X*x)", {"x": "2"}, "2*mean(X)"),
    ],
)
def test_what_is_put_in_is_not_caught(text: str, new: dict[str, str], found: str) -> None:
    own = put(t(text), {t(a): t(b) for a, b in new.items()})
    assert equal(own, t(found)), f"{own}"


@pytest.mark.parametrize(
    ("text", "left", "right", "anywhere", "found"),
    [
        ("x + y", "x", "2", True, "2 + y"),
        ("a(1) + a(2)", "a(i)", "i**2", True, "5"),
        ("a(1) + a(2)", "a(1)", "7", False, "7 + a(2)"),
        ("a(1) + b(1)", "a(i)", "i", True, "1 + b(1)"),
        ("a(1) + a(1, 2)", "a(i)", "i", True, "1 + a(1, 2)"),
        ("a(a(2))", "a(i)", "i + 1", True, "4"),
        ("sum(a(i), i, 1, 3)", "a(k)", "k**2", True, "14"),
        ("sum(a(i), i, 1, 3)", "a(k)", "k*i", True, "6*i"),
        ("sum(a(i), i, 1, 3)", "a(i)", "x", False, "sum(a(j), j, 1, 3)"),
        ("sum(a(j), i, 1, 3)", "a(j)", "i", False, "3*i"),
        ("sum(a(j)*i, i, 1, 3)", "a(j)", "i", False, "6*i"),
        ("sum(j, j, 1, a(2))", "a(k)", "k + 1", True, "6"),
        ("sum(j, j, 1, a(j))", "a(j)", "3", False, "6"),
        ("val(f, u) + val(g, u)", "u", "v", True, "val(f, v) + val(g, v)"),
    ],
)
def test_a_definition_is_inserted_where_it_is_meant(
    text: str, left: str, right: str, anywhere: bool, found: str
) -> None:
    own = insert(t(text), t(left), t(right), anywhere)
    assert equal(own, t(found)), f"{own}"


def test_a_mean_is_not_read_at_an_index_that_depends_on_chance() -> None:
    with pytest.raises(Wrong, match="a random value is substituted for an index inside an expectation"):
        read_at(t("mean(X*i)"), {t("i"): t("N")})
    assert read_at(t("mean(X)*i"), {t("i"): t("N")}) is t("mean(X)*N")
    assert read_at(t("mean(X*i)"), {t("i"): t("j")}) is t("mean(X*j)")
    assert read_at(t("mean(X*i)*j"), {t("j"): t("N")}) is t("mean(X*i)*N")


def test_the_indices_of_a_family_are_different_letters() -> None:
    assert slots(t("a(i, j)")) == (t("i"), t("j"))
    assert slots(t("x")) == ()
    for text in ("a(i, i)", "a(1)", "a(i + 1)", "x + y"):
        with pytest.raises(Wrong, match="is neither a symbol nor a family with distinct symbols as indices"):
            slots(t(text))


@pytest.mark.parametrize("text", ["u", "u + v", "u - u", "x*u", "grad(f, u)", "U", "sum(u, i, 1, n)"])
def test_a_vector_has_no_normal_form_of_a_number(text: str) -> None:
    with pytest.raises(Wrong, match="is a vector where a number is required"):
        normal(t(text))
    assert normal(t(f"dot({text}, v) - dot(v, {text})")) == {}


WHOLE = "k m n 3 -2 k*m k+n-1 k**2 k**0 k**m 2**n (-3)**m abs(k) max(k,m) min(k,-2) floor(x) indicator(x) draw(k,M) N"
SUMS = [
    "sum(i, i, k, n)",
    "sum(2**i0, i0, 0, n)",
    "sum(2**i0, i0, m, n)",
    "sum(2**i1, i1, 1, n)",
    "sum(2**i1, i1, n, M)",
    "sum(2**i0, i0, 2, n)",
    "sum(2**i0, i0, n, M)",
    "sum(3*i, i, -1, n)",
    "sum(2**i1, i1, 2, M)",
]
# not an integer: (a term, where it is none)
BROKEN = {
    "1/2": "",
    "x": "x=1/2",
    "z": "z=1/2",
    "k/2": "k=1",
    "2**k": "k=-1",
    "k**-1": "k=2",
    "k**(1/2)": "k=2",
    "x**m": "x=1/2; m=1",
    "m**k": "m=2; k=-1",
    "(1/2)**m": "m=1",
    "exp(k)": "k=1",
    "max(k, x)": "k=0; x=1/2",
    "abs(x)": "x=1/2",
    "k + x": "k=0; x=1/2",
    "sum(x, i, 1, n)": "x=1/2; n=1",
    "sum(2**i0, i0, -1, n)": "n=1",
    "sum(2**i0, i0, k, n)": "k=-1; n=1",
    "sum(2**i1, i1, -1, n)": "n=1",
    "sum(2**i, i, k, n)": "k=-1; n=1",
    "sum(1/2, i, 1, n)": "n=1",
    "a(1)": "a(1)=1/2",
    "2**(k + m)": "k=-1; m=0",
    "sum(2**(i0 - 1), i0, 0, n)": "n=1",
}


@pytest.mark.parametrize("text", [*WHOLE.split(), *SUMS])
def test_what_is_an_integer_is_seen_to_be_one(text: str) -> None:
    assert whole(t(text))


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_none_somewhere_is_not(text: str) -> None:
    assert not whole(t(text))
    own = t(text)
    for part in filter(None, BROKEN[text].split(";")):
        letter, _, number = part.partition("=")
        own = put(own, {t(letter): t(number)})
    there = value(normal(own))
    assert there is None or there.q != 1, f"{text} is {there} at {BROKEN[text]}"


@pytest.mark.parametrize(
    ("text", "at", "least", "most"),
    [
        ("x + y*2", {"x": (0, 1), "y": (1, 2)}, "2", "5"),
        ("x**2", {"x": (-1, 2)}, "0", "4"),
        ("x**-1", {"x": (1, 2)}, "1/2", "1"),
        ("x**(1/2)", {"x": (1, 4)}, "1", "2"),
        ("x**(3/2)", {"x": (1, 4)}, "1", "8"),
        ("x**(1/3)", {"x": (1, 8)}, "1", "2"),
        ("x**y", {"x": (2, 2), "y": (1, 3)}, "2", "8"),
        ("max(x, y, w)", {"x": (0, 1), "y": (2, 3), "w": (-1, 0)}, "2", "3"),
        ("min(x, y, w)", {"x": (0, 1), "y": (2, 3), "w": (-1, 0)}, "-1", "0"),
        ("abs(x)", {"x": (-2, 1)}, "0", "2"),
        ("log(x)", {"x": (1, 3)}, "0", "1"),
        ("floor(x)", {"x": (1, 1)}, "1", "1"),
    ],
)
def test_a_ball_holds_all_values_on_a_box(text: str, at: dict[str, tuple[int, int]], least: str, most: str) -> None:
    with ctx.workprec(200):
        found = ball(t(text), {t(s): arb(low).union(arb(high)) for s, (low, high) in at.items()})
        low, high = (arb(fmpq(*map(int, end.split("/")))) for end in (least, most))
        assert found.contains(low)
        assert found.contains(high)
        assert found.rad() < 10


@pytest.mark.parametrize("text", ["log(x)", "x**(1/2)", "x**(1/3)", "x**y", "x**-1"])
def test_a_ball_is_not_finite_where_there_may_be_no_value(text: str) -> None:
    for low, high in ((-1, 1), (-2, -1), (0, 0)) if text != "x**-1" else ((-1, 1), (0, 0)):
        sides = {t("x"): arb(low).union(arb(high)), t("y"): arb(fmpq(1, 2))}
        assert not ball(t(text), sides).is_finite(), (text, low, high)


def test_what_has_no_ball_is_refused_in_words() -> None:
    for text in ("a(1)", "mean(X)", "sum(i, i, 1, n)", "x", "dot(u, v)"):
        with pytest.raises(Wrong, match="has no value"):
            ball(t(text), {})


def test_the_parts_of_lines_and_definitions() -> None:
    own = line(written.line("x <= a(i) for i in k..oo"))
    assert own.terms == (t("x"), t("a(i)"), t("k"))
    assert own.loose == {t("x"), t("k")}
    assert own.renamed({t("i"): t("j")}) == line(written.line("x <= a(j) for j in k..oo"))
    assert own.renamed({}) is own
    assert line(written.line("0 <= a(j) for j in k..j")).loose == {t("k")}
    assert isinstance(own, Line)
    assert Definition("d", t("x"), t("y + 1")).letters == {t("x"), t("y")}
    assert Definition("d", t("a(i)"), t("i*y")).letters == {t("y")}
    assert Definition("d", t("a(i)"), t("i*y"), anywhere=False).letters == {t("i"), t("y")}
    assert Definition("d", t("a(i)"), t("y"), anywhere=False).letters == {t("i"), t("y")}
    assert named(t("x"))
    assert named(t("a(1)"))
    assert not named(t("x + 1"))
    assert head(t("x")) is t("x")
    assert head(t("a(1)")) == head(t("a(2)"))
    assert head(t("a(1)")) != head(t("a(1, 2)"))
    assert head(t("a(1)")) != head(t("b(1)"))


def test_definitions_are_inserted_after_those_that_speak_of_them() -> None:
    own = {"x": "y + w", "y": "2*w", "w": "a(1)", "a(i)": "i + p", "b(i)": "x"}
    for order in (list(own), list(reversed(own)), sorted(own)):
        found = unfolding([Definition(k, t(k), t(own[k])) for k in order])
        assert len(found) == len(own)
        term = t("b(2) + x + y")
        for d in found:
            term = insert(term, d.left, d.right)
        assert equal(term, t("8*(1 + p)")), order


def test_what_is_divided_by_letters_is_no_polynomial() -> None:
    x = t("x")
    with pytest.raises(Wrong, match="is not a polynomial in them"):
        polynomial_in({((x, -2),): fmpq(1), (): fmpq(1)}, (x,))
    assert str(polynomial_in({((x, 2),): fmpq(1)}, (x,))) == "x0^2"


def test_what_is_supposed_where_nobody_asks_is_an_error() -> None:
    with pytest.raises(LookupError, match="x is not seen to be nonzero, and no caller collects"):
        normal(t("x/x"))
    with noted() as needs:
        assert normal(t("x/x")) == normal(t("1"))
    assert [n.kind for n in needs] == ["nonzero"]
