"""``fltheory worst``: the bracket beside the bound, its certificate kept and checked again, mistakes told."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from fltheory.api.worst import worst
from fltheory.claims.claim import Claim
from fltheory.verification import find
from tests.typed import Run

CLAIM = "sfl/T3-GC@printed"
AT = ("M=2", "K=1", "R=1", "L=1", "D=1", "zeta_star=1", "eta=1/12")
ROOT = Path(__file__).resolve().parents[2]


def test_a_bound_beside_the_worst_case_of_its_class(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "worst.json"
    status, out, _ = run("worst", CLAIM, "--set", *AT, "--json", path)
    assert status == 0
    assert "over all 1-smooth convex functions in every dimension" in out
    assert "holds for every instance of the class" in out
    row = json.loads(path.read_text())
    assert (row["scope"], row["evidence"], row["status"]) == ("class", "exact", "holds")
    low, high = Fraction(row["lower"]), Fraction(row["upper"])
    assert 0 <= high - low < Fraction(1, 100_000)
    status, out, _ = run("worst", CLAIM, "--check", path)
    assert status == 0
    first, asked, bound, end = out.splitlines()
    assert first == "proved"
    assert "over all 1-smooth convex functions" in asked
    assert asked.endswith(f"at most {float(high):.9g}")
    assert bound == f"{CLAIM}: ≤ {row['bounds'][0]:.9g}"
    assert end.startswith("holds for every instance of the class")
    row["upper"] = str(high - Fraction(1, 10_000))
    path.write_text(json.dumps(row))
    status, out, _ = run("worst", CLAIM, "--check", path)
    assert status == 1
    assert out.startswith("not proved: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("functions", "2-smooth convex functions"),
        ("measure", "E|x_R - x*|²"),
        ("id", "sfl/T7@explicit"),
        ("bounds", [0.0001]),
        ("scope", "instance"),
    ],
)
def test_a_file_about_something_else_is_refused(run: Run, tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "worst.json"
    assert run("worst", CLAIM, "--set", *AT, "--json", path)[0] == 0
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, name: value}))
    status, _, err = run("worst", CLAIM, "--check", path)
    assert status == 2
    assert f"its {name} is {value!r}" in err
    path.write_text(json.dumps({**row, "lower": "5"}))
    status, out, _ = run("worst", CLAIM, "--check", path)
    assert status == 1
    assert out.startswith("not proved: its lower end 5 is above its upper end")


def test_a_certificate_without_a_theorem_is_checked(run: Run, tmp_path: Path) -> None:
    path, mine = tmp_path / "worst.json", tmp_path / "mine.py"
    mine.write_text("def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n")
    given = ("gap", "--variant", f"{mine}:step", "--set", "smoothness=1", "step_size=1/2", "initial_distance=1")
    assert run("worst", *given, "--json", path)[0] == 0
    row = json.loads(path.read_text())
    status, out, _ = run("worst", *given, "--check", path)
    assert status == 0
    assert out.splitlines()[0] == "proved"
    assert out.splitlines()[1].endswith(f"at most {float(Fraction(row['upper'])):.9g}")
    status, _, err = run("worst", *given[:-2], "step_size=1/3", "initial_distance=1", "--check", path)
    assert status == 2
    assert "about another question: its constants" in err
    path.write_text(json.dumps({**row, "upper": str(Fraction(row["upper"]) - Fraction(1, 10_000))}))
    assert run("worst", *given, "--check", path)[0] == 1


def test_a_certificate_is_checked_without_a_solver(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "worst.json"
    assert run("worst", CLAIM, "--set", *AT, "--json", path)[0] == 0
    monkeypatch.setitem(__import__("sys").modules, "clarabel", None)
    assert run("worst", CLAIM, "--check", path)[0] == 0
    status, _, err = run("worst", CLAIM, "--set", *AT)
    assert status == 2
    assert "needs the extra `find`" in err


def scaled(claim: Claim, factor: str) -> Claim:
    return replace(claim, bounds=tuple(replace(b, expr=b.expr * Fraction(factor)) for b in claim.bounds))


def test_a_smaller_constant_is_refuted_by_the_attained_instance() -> None:
    constants = dict(pair.split("=") for pair in AT)
    found = worst(find(CLAIM), constants)
    assert found.status == "holds"
    assert re.fullmatch(r"<ClaimWorstCase sfl/T3-GC@printed: holds, worst case in \[0\.4\d+, 0\.4\d+\]>", repr(found))
    assert "InterpolatedClients(" in found._repr_html_()
    ratio = Fraction(found.bounds[0].high) / found.bracket.upper
    false = worst(scaled(find(CLAIM), str(Fraction(9, 10) / ratio)), constants)
    assert false.status == "violated"
    assert "refutes it" in str(false)
    true = worst(scaled(find(CLAIM), str(Fraction(11, 10) / ratio)), constants)
    assert true.status == "holds"


def test_a_variant_has_a_worst_case_of_its_own(run: Run) -> None:
    spec = f"{ROOT / 'examples' / 'scaffold.py'}:claim"
    status, out, _ = run("worst", CLAIM, "--variant", spec, "--set", *AT)
    assert status == 0
    assert "scaffold.py" in out
    spec = f"{ROOT / 'examples' / 'top_k.py'}:claim"
    status, _, err = run("worst", CLAIM, "--variant", spec, "--set", *AT)
    assert status == 2
    assert re.search(r"top_k.py:\d+ takes some coordinates of a point", err)


def test_noise_by_its_variance(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "worst.json"
    status, out, _ = run("worst", CLAIM, "--set", *AT, "sigma=1", "--json", path)
    assert status == 0
    assert "holds for every instance of the class" in out
    quiet = worst(CLAIM, dict(constant.split("=") for constant in AT)).bracket
    row = json.loads(path.read_text())
    assert quiet.upper is not None
    assert quiet.upper < Fraction(row["lower"]) <= Fraction(row["upper"])
    status, out, _ = run("worst", CLAIM, "--check", path)
    assert status == 0
    assert out.startswith("proved\n")


def test_a_variant_is_chained_like_the_library_s_own(run: Run, tmp_path: Path) -> None:
    """A file's step is fenced: what it is told of a run that is too long must come through."""
    path = tmp_path / "mine.py"
    path.write_text("def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n")
    at = ("smoothness=1", "strong_convexity=1/10", "step_size=1/2", "initial_distance=1", "n_rounds=100")
    status, out, _ = run("worst", "distance", "--variant", f"{path}:step", "--set", *at)
    assert status == 0
    assert "between 3.5" in out
    path.write_text("def step(x, oracle, c):\n    return x / 2 - c.step_size * oracle.gradient(x, 0)\n")
    status, _, err = run("worst", "distance", "--variant", f"{path}:step", "--set", *at)
    assert status == 2
    assert "mine.py:1 scales a point" in err


def test_a_step_without_a_theorem(run: Run, tmp_path: Path) -> None:
    path, rows = tmp_path / "mine.py", tmp_path / "rows.json"
    path.write_text("def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n")
    at = ("smoothness=1", "strong_convexity=1/10", "step_size=1/2", "initial_distance=1", "n_rounds=2")
    status, out, _ = run("worst", "distance", "--variant", f"{path}:step", "--set", *at, "--json", rows)
    assert status == 0
    row = json.loads(rows.read_text())
    assert Fraction(row["lower"]) <= Fraction(19, 20) ** 4 <= Fraction(row["upper"])
    assert f"{path}:step over all 1-smooth, 1/10-strongly convex functions" in out
    assert run("worst", "distance", "--set", *at)[0] == 2
    status, _, err = run("worst", "gap", "--variant", f"{path}:step", "--set", *at[1:])
    assert status == 2
    assert "missing smoothness" in err


@pytest.mark.parametrize(
    ("asked", "at", "value", "said"),
    [
        (
            "regret",
            ("client_gradient_bound=1", "--functions=linear", "n_clients=4", "n_rounds=4", "initial_distance=1"),
            2,
            "linear",
        ),
        ("regret", ("client_gradient_bound=1", "n_clients=4", "n_rounds=4", "initial_distance=1"), 2, "Lipschitz"),
        ("gradient", ("smoothness=1", "n_rounds=4", "initial_gap=1"), Fraction(4, 9), "convex or not"),
        ("last_gradient", ("smoothness=1", "n_rounds=4", "initial_distance=1"), Fraction(1, 9), "smooth convex"),
    ],
)
def test_the_class_is_told_by_its_constants(
    run: Run, tmp_path: Path, asked: str, at: tuple[str, ...], value: Fraction, said: str
) -> None:
    """D G sqrt(T), 4 L gap / (2 + 7 N / 4), (L D / (N L eta + 1))^2."""
    path, rows = tmp_path / "mine.py", tmp_path / "rows.json"
    path.write_text(
        "def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, min(c.round, c.n_clients - 1))\n"
    )
    status, out, _ = run("worst", asked, "--variant", f"{path}:step", "--set", *at, "step_size=1/2", "--json", rows)
    assert status == 0
    row = json.loads(rows.read_text())
    assert Fraction(row["lower"]) <= value <= Fraction(row["upper"]) < value + Fraction(1, 10**6)
    assert said in out


def test_gradients_of_one_of_a_client_s_functions(run: Run, tmp_path: Path) -> None:
    """(r^2 + r sqrt(r^2 + 4 v^2)) / 2 + v^2 with r = D, v = sigma* / L, at step 1/L."""
    path, rows = tmp_path / "mine.py", tmp_path / "rows.json"
    path.write_text("def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n")
    given = (
        "worst",
        "distance",
        "--variant",
        f"{path}:step",
        "--set",
        "smoothness=1",
        "step_size=1",
        "initial_distance=1",
    )
    status, _, _ = run(*given, "n_components=2", "noise_std_at_optimum=1", "--json", rows)
    assert status == 0
    row = json.loads(rows.read_text())
    value = (1 + 5**0.5) / 2 + 1
    assert float(Fraction(row["lower"])) <= value <= float(Fraction(row["upper"])) < value + 1e-6
    assert row["instance"].startswith("Case(ComponentSamplingClients(functions=InterpolatedClients(")
    status, _, err = run(*given, "n_components=2")
    assert status == 2
    assert "noise_std_at_optimum: without it" in err


def test_the_class_is_named(run: Run, tmp_path: Path) -> None:
    """L D^2 t (1 - t)^2 / 2 at t = 1/3 where functions are quadratic, L D^2 / 6 where they are but convex."""
    path, rows = tmp_path / "mine.py", tmp_path / "rows.json"
    path.write_text("def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n")
    given = ("worst", "gap", "--variant", f"{path}:step")
    at = ("--set", "smoothness=1", "step_size=1", "initial_distance=1")
    for name, value in (("quadratic", Fraction(2, 27)), ("convex", Fraction(1, 6))):
        status, out, _ = run(*given, "--functions", name, *at, "--json", rows)
        assert status == 0
        row = json.loads(rows.read_text())
        assert Fraction(row["lower"]) <= value <= Fraction(row["upper"]) < value + Fraction(1, 10**6)
        assert name in out
        status, out, _ = run(*given, "--functions", name, *at, "--check", rows)
        assert (status, out.splitlines()[0]) == (0, "proved")
    status, _, err = run(*given, "--functions", "quadratic", *at, "--check", rows)
    assert status == 2
    assert "the file is about another question" in err
    for wrong, why in (
        (("--functions", "concave", *at), "expected one of the classes convex, quadratic"),
        (("--functions", "lipschitz", *at), "missing client_gradient_bound"),
        (
            ("--functions", "nonconvex", *at, "strong_convexity=1/10"),
            "strong_convexity: 1-smooth functions, convex or not",
        ),
        (("--functions", "quadratic", "--set", "step_size=1", "initial_distance=1"), "missing smoothness"),
    ):
        status, _, err = run(*given, *wrong)
        assert status == 2
        assert why in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((CLAIM, "--set", "M=2"), "missing"),
        ((CLAIM, "--functions", "quadratic", "--set", *AT), "about a class of its own"),
        (("sfl/T5@explicit", "--set", *AT), "sfl/T5@explicit"),
        (("sfl/U7@explicit", "--set", *AT), "is about a formula, not the rounds of an algorithm: it has no worst case"),
        ((CLAIM, "--set", *AT, "server_step_size=2"), "server_step_size is not 1"),
        ((CLAIM, "--set", *AT, "n_participating=1"), "some clients don't take part"),
        (("osmd/T4@printed", "--set", "M=2"), "osmd/T4"),
        ((CLAIM, "--check", "nowhere.json"), "expected a file"),
        ((CLAIM, "--set", "M=2", "K=1", "R=1", "L=1", "D=1", "zeta_star=1", "eta=1"), "condition"),
    ],
)
def test_mistakes_are_told(run: Run, arguments: tuple[str, ...], why: str) -> None:
    status, _, err = run("worst", *arguments)
    assert status == 2
    assert why in err
    assert "Traceback" not in err


GENTLE = "def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n"


@pytest.mark.parametrize("measure", ["gap", "gradient"])
@pytest.mark.parametrize(
    ("smoothness", "step_size", "named"),
    [
        ("1e-400", "1/2", "smoothness is too small"),
        ("1e400", "1/2", "smoothness is too large"),
        ("1", "1e300", "step_size is too large"),
        ("1", "1e-400", "step_size is too small"),
        ("1e300", "1", "smoothness is too large"),
    ],
)
def test_constants_beyond_floats_are_refused_by_name(
    run: Run, tmp_path: Path, measure: str, smoothness: str, step_size: str, named: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(GENTLE)
    at = (f"smoothness={smoothness}", f"step_size={step_size}", "initial_distance=1")
    status, _, err = run("worst", measure, "--variant", f"{path}:step", "--set", *at)
    assert status == 2
    assert f"{named} for a solver, which works in floats: expected 0, or a size from 1e-75 to 1e75" in err
    constants = [c for c in AT if c[0] not in "Le"] + [f"L={smoothness}", f"eta={step_size}"]
    assert run("worst", CLAIM, "--set", *constants)[0] == 2


def test_another_method_is_refused(run: Run, tmp_path: Path) -> None:
    """Whatever the file says of it; the same file of a variant may stand in another folder by now."""
    path, mine, moved = tmp_path / "worst.json", tmp_path / "mine.py", tmp_path / "folder" / "mine.py"
    assert run("worst", CLAIM, "--set", *AT, "--json", path)[0] == 0
    row = json.loads(path.read_text())
    for method in ("another", "", None, 3, ["SFL"]):
        path.write_text(json.dumps({**row, "method": method}))
        status, _, err = run("worst", CLAIM, "--check", path)
        assert (status, f"its method is {method!r}, asked is {row['method']!r}" in err) == (2, True), err
    mine.write_text(GENTLE)
    moved.parent.mkdir()
    moved.write_text(GENTLE + "\nother = step\n")
    given = ("gap", "--set", "smoothness=1", "step_size=1/2", "initial_distance=1", "--variant")
    assert run("worst", *given, f"{mine}:step", "--json", path)[0] == 0
    assert run("worst", *given, f"{moved}:step", "--check", path)[0] == 0
    status, _, err = run("worst", *given, f"{moved}:other", "--check", path)
    assert (status, "its method is" in err) == (2, True)


@pytest.mark.parametrize(
    "change",
    [
        {"upper": "1/0"},
        {"upper": None},
        {"upper": [1]},
        {"constants": []},
        {"constants": {"M": []}},
        {"multipliers": [[1, 2]]},
        {"multipliers": [[["a"], "1/0"]]},
        {"multipliers": 3},
        {"links": [{}]},
        {"lower": {}},
    ],
)
def test_a_file_of_wrong_types_is_a_line(run: Run, tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "worst.json"
    assert run("worst", CLAIM, "--set", *AT, "--json", path)[0] == 0
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    status, out, err = run("worst", CLAIM, "--check", path)
    assert status in (1, 2), out
    assert err.count("\n") == (status == 2)
    assert status == 2 or out.startswith("not proved: ")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' + "[" * 100_000, "", "1", "null", "[1]", "\x00"])
def test_what_is_no_row_is_a_line(run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "worst.json"
    path.write_text(text)
    for words in (("worst", CLAIM, "--check", path), ("report", CLAIM, "--from", path, "-o", tmp_path / "r.html")):
        status, _, err = run(*words)
        assert (status, err.count("\n")) == (2, 1), err
