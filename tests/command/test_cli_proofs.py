"""``fltheory proofs``: rows, exit status, pages, certificates that are missing, broken or stale, proofs of one's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from sympy import Integer, Rational, Symbol

from fltheory.api.lookup import claim_of
from fltheory.api.proofs import proof_status_lines
from fltheory.proof import library
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.find import find_all_certificates
from fltheory.proof.language import (
    Apply,
    Assumed,
    Combine,
    Enumerate,
    Given,
    Gram,
    Member,
    Proofs,
    Step,
    Theorem,
    eq,
    le,
    statement_of,
)
from fltheory.proof.language import Witness as At
from fltheory.proof.terms import Dot, Fun, Grad, Scalar, Val, Vector, family, square
from fltheory.symbols import n_clients
from fltheory.symbols import smoothness as L
from tests.typed import Run

FIELDS = ["theorem", "paper", "verdict", "scope", "steps", "proved", "assumed", "unknown", "refuted", "seconds"]
x, y = (family(Vector, name)() for name in ("x_star", "y"))
f, n = family(Fun, "f")(), Symbol("n", integer=True, nonnegative=True)
TANGENT = Val(f, x) + Dot(Grad(f, x), y - x)

LEMMA = Theorem(
    "own/lemma",
    le(Val(f, y), TANGENT + L * square(y - x)),
    (Member("smooth", f, L, why="Assumption 1"),),
    (
        Step("1", le(L, L**2), At(((L, Rational(1, 2)),)), note="as printed", recorded="REFUTED"),
        Step("2", le(Val(f, y), TANGENT + L * square(y - x)), Gram((1, Axiom("descent", f, y, x))), ("smooth",)),
    ),
    claim="sfl/U2@explicit",
    place="a lemma",
)
THEOREM = Theorem(
    "own/theorem@printed",
    LEMMA.statement,
    LEMMA.hypotheses,
    (Step("1", LEMMA.statement, Apply("own/lemma"), ("smooth",)),),
)
FINITE = Theorem("own/finite", le(n, n**2, (n, 0, 9)), (), (Step("1", le(n, n**2, (n, 0, 9)), Enumerate("n <= 9")),))
CITED = Theorem(
    "own/cited", eq(L, L), (), (Step("1", eq(L, L), Assumed("Nesterov 2004", "a book"), recorded="ASSUMED"),), "ASSUMED"
)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Proofs]:
    """Register some proofs as ``own``, their certificates found."""

    def register(*theorems: Theorem) -> Proofs:
        proofs = Proofs("own", theorems or (LEMMA, THEOREM, FINITE, CITED), tmp_path / "certificates")
        find_all_certificates(proofs)
        point = EntryPoint("own", "somewhere:PROOFS", library.ENTRY_POINT_GROUP)
        monkeypatch.setattr(library, "entry_points_by_key", lambda: {"own": point})
        monkeypatch.setattr(EntryPoint, "load", lambda self: proofs)
        return proofs

    return register


def test_rows(run: Run, own: Callable[..., Proofs], tmp_path: Path) -> None:
    own()
    status, out, _ = run("proofs", "own", "--json", tmp_path / "p.json")
    rows = [json.loads(text) for text in (tmp_path / "p.json").read_text().splitlines()]
    assert status == 0
    assert [list(r) for r in rows] == [FIELDS] * 4
    assert [(r["theorem"], r["verdict"], r["scope"]) for r in rows] == [
        ("own/lemma", "PROVED", "all parameters"),
        ("own/theorem@printed", "PROVED", "all parameters"),
        ("own/finite", "PROVED", "n <= 9"),
        ("own/cited", "ASSUMED", "all parameters"),
    ]
    assert [rows[0][k] for k in FIELDS[4:9]] == [2, 1, 0, 0, 1]
    assert "4 theorems: 3 PROVED, 1 ASSUMED; all as recorded" in out
    total = next(text for text in out.splitlines() if text.startswith("total"))
    assert total.split()[1:8] == ["3", "PROVED", "5", "3", "1", "0", "1"]


def test_a_narrow_table_leaves_out_zeros_first(
    run: Run, own: Callable[..., Proofs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the summary says too goes next, and the counts of steps that are there stay."""
    own()
    monkeypatch.setenv("COLUMNS", "66")
    assert run("proofs", "own")[1].splitlines()[0].split() == [
        "theorem",
        "verdict",
        "steps",
        "proved",
        "assumed",
        "refuted",
    ]


def test_what_is_not_as_recorded_is_listed_and_fails(run: Run, own: Callable[..., Proofs]) -> None:
    wrong = replace(
        FINITE, statement=le(n**2, n, (n, 0, 9)), steps=(Step("1", le(n**2, n, (n, 0, 9)), Enumerate("n <= 9")),)
    )
    own(LEMMA, wrong)
    status, out, _ = run("proofs")
    assert status == 1
    assert "1 NOT AS RECORDED" in out
    assert "own/finite: UNKNOWN, recorded as PROVED" in out
    assert "step 1: UNKNOWN, recorded as PROVED: it fails at n = 2" in out


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), "own_lemma.json has no certificate for this step"),
        (lambda path: path.write_text("{"), "own_lemma.json is not a readable certificate file"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "own_lemma.json is not a readable certificate file"),
        (lambda path: path.write_text("[1]"), "own_lemma.json does not hold the certificates of own/lemma"),
        (lambda path: _edit(path, hash="0"), "its certificate was found for another statement"),
        (lambda path: _edit(path, certificate=7), "TypeError: 'int' object is not subscriptable"),
        (lambda path: _edit(path, certificate={"squares": [7]}), "TypeError: 'int' object is not subscriptable"),
        (lambda path: _edit(path, certificate={"squares": [{"weight": "open('x')", "vector": []}]}), "not a term"),
        (lambda path: _edit(path, more=7), "its certificate must be an object with hash and certificate"),
    ],
)
def test_bad_certificates_leave_the_step_unknown(
    run: Run, own: Callable[..., Proofs], damage: Callable[[Path], object], reason: str
) -> None:
    damage(next(own().certificates.glob("own_lemma.json")))
    status, out, _ = run("proofs")
    assert status == 1
    assert f"step 2: UNKNOWN, recorded as PROVED: {reason}" in out.replace("ProofError: ", "")
    assert "own/theorem@printed: UNKNOWN" in out  # it applies the lemma
    assert run("proofs", "--show", "own/lemma")[0] == 1


def _edit(path: Path, **entries: object) -> None:
    data = json.loads(path.read_text())
    data["steps"]["2"] |= entries
    path.write_text(json.dumps(data))


def test_a_statement_that_has_changed_makes_its_certificate_stale(own: Callable[..., Proofs]) -> None:
    proofs = own()
    step = replace(LEMMA.steps[1], claim=le(Val(f, y), TANGENT + 2 * L * square(y - x)))
    changed = replace(LEMMA, statement=step.claim, steps=(LEMMA.steps[0], step))
    report = library.check_with_dependencies(replace(proofs, theorems=(changed,)), changed)
    assert report.verdict == "UNKNOWN"
    assert report.steps[1].reason == "its certificate was found for another statement"


def test_page_of_a_proof(run: Run, own: Callable[..., Proofs]) -> None:
    own()
    status, out, _ = run("proofs", "--show", "own/lemma")
    assert status == 0
    for part in (
        "own/lemma: PROVED, all parameters; 2 steps: 1 proved, 1 refuted",
        "proves sfl/U2@explicit, a lemma",
        "f is smoothness-smooth",
        "Assumption 1",
        "f(y) ≤ ",
        "⟨∇f(x*), y - x*⟩",
        "smoothness·‖y - x*‖²",
        "as printed",
        "[REFUTED, the line is false as written: false at smoothness = 1/2]",
        "smoothness of f at y from x*",
        "(certificate: 1 square), given smooth [PROVED]",
    ):
        assert part in " ".join(out.split()), part
    assert all(len(text) <= 100 for text in out.splitlines())
    assert "own/lemma; its hypotheses from smooth" in run("proofs", "--show", "own/theorem@printed")[1]
    assert "[PROVED for n <= 9]" in run("proofs", "--show", "own/finite")[1]
    assert "assumed: Nesterov 2004; a book [ASSUMED]" in run("proofs", "--show", "own/cited")[1]


def test_pages_by_name(run: Run, own: Callable[..., Proofs], tmp_path: Path) -> None:
    own()
    for name in ("sfl/U2@explicit", "sfl/U2"):
        assert run("proofs", "--show", name)[1].startswith("own/lemma: PROVED")
    assert run("proofs", "--show", "own/theorem", "--json", tmp_path / "p.json")[1].startswith("own/theorem@printed: ")
    (row,) = (tmp_path / "p.json").read_text().splitlines()
    assert json.loads(row)["theorem"] == "own/theorem@printed"  # not what it rests on
    assert run("proofs", "--show", "sfl/T17@printed")[:2] == (0, "no proof recorded of sfl/T17@printed\n")


def test_mistakes(run: Run, own: Callable[..., Proofs], monkeypatch: pytest.MonkeyPatch) -> None:
    own()
    status, out, err = run("proofs", "--show", "own/lema")
    assert (status, out) == (2, "")
    assert "no claim 'own/lema' and no theorem of this name; the nearest are own/lemma" in err
    assert "no paper 'zzz'; the papers are sfl, osmd, fedcg, aaggff, delta_sgd, own" in run("proofs", "zzz")[2]
    assert run("proofs", "sfl")[::2] == (2, "fltheory: no proofs are registered for 'sfl'; there are proofs of own\n")
    monkeypatch.setattr(library, "entry_points_by_key", dict)
    assert "a package with proofs has an entry point 'fltheory.proofs'" in run("proofs")[2]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_module:PROOFS", "the proofs 'own' (no_such_module:PROOFS) can't be loaded: ModuleNotFoundError"),
        ("json:PROOFS", "(json:PROOFS) can't be loaded: AttributeError"),
        ("json:dumps", "json:dumps is of type function, expected Proofs"),
        ("fltheory.papers.sfl.proofs:PROOFS", "has the key 'sfl'"),
    ],
)
def test_registrations_that_lead_nowhere(run: Run, monkeypatch: pytest.MonkeyPatch, value: str, says: str) -> None:
    monkeypatch.setattr(
        library, "entry_points_by_key", lambda: {"own": EntryPoint("own", value, library.ENTRY_POINT_GROUP)}
    )
    status, out, err = run("proofs")
    assert (status, out) == (2, "")
    assert says in err


@pytest.fixture
def registered(own: Callable[..., Proofs], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Register some proofs as those of ``sfl``."""

    def register(*theorems: Theorem, key: str = "sfl") -> None:
        proofs = replace(own(*theorems), key=key)
        monkeypatch.setattr(
            library,
            "entry_points_by_key",
            lambda: {key: EntryPoint(key, "somewhere:PROOFS", library.ENTRY_POINT_GROUP)},
        )
        monkeypatch.setattr(EntryPoint, "load", lambda self: proofs)

    return register


def about(claim_id: str, number: int = 0, **more: Any) -> Theorem:
    """A theorem that states a bound of a claim and takes it for granted."""
    claim = claim_of(claim_id)
    statement, conditions = statement_of(claim.bounds[number], Scalar(Symbol("q")))
    spare = family(Scalar, "spare")()
    given = Given("it", le(statement.left, statement.right - spare), "granted", supposed=True)
    rest = Given("rest", le(0, spare), "granted")
    made = Theorem(
        f"own/{number}",
        statement,
        (*conditions, rest, given),
        (Step("1", statement, Combine({"it": 1, "rest": 1}), ("it", "rest")),),
        claim=claim_id,
        bound=claim.bounds[number],
        unused=tuple(c.id for c in conditions),
    )
    return replace(made, **more)


def test_what_a_claim_shows_of_its_proof(registered: Callable[..., None]) -> None:
    registered(replace(FINITE, id="own/part", claim="sfl/U3b@explicit", note="a few"), about("sfl/U2@explicit"))
    assert proof_status_lines(claim_of("sfl/T17@printed"), now=True) == ["no proof recorded"]
    assert proof_status_lines(claim_of("sfl/U3b@strengthened"), now=True) == [
        "no proof recorded of this reading, but of sfl/U3b@explicit"
    ]
    assert proof_status_lines(claim_of("sfl/U3b@explicit"), now=True) == [
        "no proof recorded of all of it; own/part proves a part of it (a few)"
    ]
    first, *more = proof_status_lines(claim_of("sfl/U2@explicit"), now=True)
    assert first.startswith(
        "PROVED supposing q ≤ 2·D_F(x,y)·L - spare, all parameters; 1 step: 1 proved (checked now; fltheory proofs"
    )
    assert more == ["of q", "supposing q ≤ 2·D_F(x,y)·L - spare: granted"]
    assert proof_status_lines(claim_of("sfl/U2@explicit"), now=False)[0] == (
        "recorded as PROVED supposing q ≤ 2·D_F(x,y)·L - spare, all parameters; "
        "1 step (not checked now; fltheory proofs --show own/0)"
    )


def test_a_claim_is_proved_where_each_of_its_bounds_is(registered: Callable[..., None]) -> None:
    lower, upper = about("sfl/L12@printed"), about("sfl/L12@printed", 1)
    registered(lower)
    shown = proof_status_lines(claim_of("sfl/L12@printed"), now=True)
    assert shown[0] == "no proof recorded of all of it, of 1 of its 2 bounds alone"
    assert shown[1].startswith("bound 1 (lower): PROVED")
    assert shown[-1] == "bound 2 (upper): no proof recorded"
    registered(lower, upper)
    assert proof_status_lines(claim_of("sfl/L12@printed"), now=True)[0] == "PROVED, each of its 2 bounds"
    cited = replace(
        upper,
        steps=(Step("1", upper.statement, Assumed("a book"), recorded="ASSUMED"),),
        recorded="ASSUMED",
        unused=(*upper.unused, "it", "rest"),
    )
    registered(lower, cited)
    assert proof_status_lines(claim_of("sfl/L12@printed"), now=True)[0] == "ASSUMED, each of its 2 bounds"


def test_a_theorem_of_something_else_proves_nothing(registered: Callable[..., None], run: Run) -> None:
    trivial = Theorem(
        "own/trivial",
        le(0, 1),
        (),
        (Step("1", le(0, 1), Combine()),),
        claim="sfl/T3-SC@strict",
        bound=claim_of("sfl/T3-SC@strict").bound,
    )
    registered(trivial)
    assert proof_status_lines(claim_of("sfl/T3-SC@strict"), now=True)[0].startswith("UNKNOWN, recorded as PROVED")
    assert proof_status_lines(claim_of("sfl/T3-SC@corrected"), now=True)[0].startswith("no proof recorded")
    status, out, _ = run("proofs", "--show", "own/trivial")
    assert status == 1
    assert "fault: the statement differs from its bound" in " ".join(out.split())


def test_proofs_of_other_packages_count(registered: Callable[..., None]) -> None:
    registered(about("sfl/U2@explicit"), key="mine")
    assert proof_status_lines(claim_of("sfl/U2@explicit"), now=True)[0].startswith("PROVED supposing")


def test_readings_that_leave_something_out_are_the_scope(registered: Callable[..., None]) -> None:
    claim = claim_of("aaggff/4.1@corrected")
    g = Symbol("g", integer=True, positive=True)
    even, odd = {n_clients: 2 * g}, {n_clients: 2 * g + 1}
    made = []
    for name, reading in (("even", even), ("odd", odd)):
        statement, _ = statement_of(claim.bound, Scalar(Symbol("q")), reading)
        step = Step("1", statement, Assumed("a book"), recorded="ASSUMED")
        made.append(
            Theorem(f"own/{name}", statement, (), (step,), "ASSUMED", claim.id, bound=claim.bound, reading=reading)
        )
    registered(made[0], key="aaggff")
    first = proof_status_lines(claim, now=True)[0]
    assert "K = 2·g; 1 step" in first
    assert "all parameters" not in first
    registered(*made, key="aaggff")
    assert proof_status_lines(claim, now=True)[0].startswith("ASSUMED in 2 cases that leave nothing out: ")


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_nothing_is_named_by_nothing(run: Run, own: Callable[..., Proofs], name: str) -> None:
    own()
    assert run("proofs", "--show", name)[:2] == (2, "")
    assert run("proofs", name)[:2] == (2, "")
    for command in ("list", "show", "verify", "falsify", "bound", "plot"):
        status, out, err = run(command, name)
        assert (status, out) == (2, ""), command
        assert "an empty " in err


def test_what_is_supposed_is_marked(run: Run, own: Callable[..., Proofs]) -> None:
    own(about("sfl/U2@explicit"))
    page = " ".join(run("proofs", "--show", "own/0")[1].split())
    assert page.startswith("own/0: PROVED supposing q ≤ ")
    assert "supposed beyond the claim; granted" in page


def test_a_package_of_ones_own_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """Nothing but the package's metadata tells of it."""
    info = tmp_path / "mine-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[fltheory.proofs]\nmine = mine:PROOFS\n")
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nfrom sympy import Symbol\n"
        "from fltheory.proof.language import Combine, Proofs, Step, Theorem, eq\n"
        "a = Symbol('a', real=True)\nc = eq((a + 1)**2, a**2 + 2*a + 1)\n"
        "PROOFS = Proofs('mine', (Theorem('mine/square', c, (), (Step('1', c, Combine()),)),), Path('none'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "fltheory", "proofs", "mine"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 theorem: 1 PROVED; all as recorded" in done.stdout


def test_weights_that_do_nothing_are_not_spelled() -> None:
    from fltheory.proof.text import rule_in_words

    step = Step("1", le(0, 1), Combine({"a": Integer(2)}), ("a", "b"), by=("d",))
    assert rule_in_words(step, {}) == "by a times 2, given b; d inserted"
    assert rule_in_words(Step("1", le(0, 1), Combine(), ("a", "b")), {}) == "sum of a and b"
    assert Given("a", le(0, 1)).why == ""
