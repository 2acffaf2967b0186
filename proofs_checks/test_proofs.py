"""Every recorded proof is what it is recorded as, from certificates alone, and speaks of the catalogue's own formulas."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import get_args

import pytest

from fltheory.proof import by, certificates, library
from fltheory.proof.check import check_stored
from fltheory.proof.language import ALL_PARAMETERS, Given, Rule, Theorem
from fltheory.proof.matching import matching
from fltheory.proof.report import Report, needs_certificate
from fltheory.verification import find
from tests.papers.recorded import its_turn

HERE = Path(__file__).parent
KEYS = tuple(key for key, point in library.entry_points_by_key().items() if point.value.startswith("fltheory.papers."))
IMPLIED_THEOREMS = (  # what their hypotheses say of a run gives these by arithmetic alone
    "aaggff/4.3-one@strengthened",
    "aaggff/68-first@printed",
    "aaggff/68-whole",
    "aaggff/A.9@printed",
    "aaggff/B3@printed",
    "aaggff/CX-D@explicit",
    "aaggff/R1-bound@explicit",
    "aaggff/U0-softmax@corrected",
    "aaggff/U0@corrected",
    "aaggff/U7-a@corrected",
    "delta_sgd/18@corrected",
    "osmd/C-8@printed",
    "osmd/C2-script-mean",
    "osmd/C2-vector",
    "osmd/D2-mean",
    "osmd/D2-mean-all",
)
SOLVERS = ("cvxpy", "clarabel", "z3", "cvc5", "scs", "ecos", "osqp", "mosek")
TENTHS = 10  # of the theorems, of which one is checked at each release
NUMERICS = ("scipy", "numba", "matplotlib", "joblib", "hypothesis")


def theorems() -> list[Theorem]:
    """All of them, loaded when a test asks: collecting the tests takes none."""
    return [theorem for key in KEYS for theorem in library.load(key).theorems]


def test_every_file_of_proofs_is_registered() -> None:
    assert KEYS
    papers = HERE.parent / "fltheory" / "papers"
    assert {f.parent.name for f in papers.glob("*/proofs.py")} == set(KEYS)
    files = [
        f for f in papers.glob("*/*/**/*.py") if re.search(r"^THEOREMS\b", f.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    names = {theorem.id for theorem in theorems()}
    for file in files:
        module = import_module(".".join(("fltheory", "papers", *file.relative_to(papers).with_suffix("").parts)))
        assert {theorem.id for theorem in module.THEOREMS} <= names, file
    assert len(files) > len(KEYS)
    assert {name.split("/")[0] for name in names} == set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_theorems_are_as_recorded(key: str) -> None:
    """A tenth of them, at each release another: what they apply is taken as recorded. With ``-m full`` all are checked."""
    proofs, earlier = library.load(key), dict[str, Report]()
    now = {theorem.id for theorem in its_turn(proofs.theorems, TENTHS)}
    wrong = []
    for theorem in proofs.theorems:
        if theorem.id in now and not check_stored(proofs, theorem, earlier).as_recorded:
            wrong.append(theorem.id)
        earlier[theorem.id] = Report(theorem, theorem.recorded, ALL_PARAMETERS, (), (), 0.0)
    assert now
    assert wrong == []


def test_all_theorems_are_as_recorded() -> None:
    """What one line of the checker changes may be told by a single theorem."""
    told = subprocess.run([sys.executable, "-m", "fltheory", "proofs"], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout[-3000:] + told.stderr[-1000:]
    (found,) = re.findall(r"^(\d+) theorems: ", told.stdout, re.MULTILINE)
    assert int(found) == len(theorems())


@pytest.mark.parametrize("key", KEYS)
def test_statements_are_the_catalogues(key: str) -> None:
    """A theorem that proves a claim has one of its bounds, that very object; one without says which part it proves.

    That it states it, under the bound's conditions, is for the checker to see, be the theorem recorded here or elsewhere.
    """
    for theorem in library.load(key).theorems:
        claim = find(theorem.claim) if theorem.claim else None
        assert claim is None or (claim.id, claim.paper) == (theorem.claim, key)
        bounds = claim.bounds if claim else ()
        bound = theorem.bound
        assert any(bound is b for b in bounds) if bound is not None else theorem.note or not claim, theorem.id


@pytest.mark.parametrize("key", KEYS)
def test_what_is_supposed_stays_supposed(key: str) -> None:
    """A hypothesis that goes beyond the claims does so in every theorem that has it, if it is not just all that the claim says."""
    own = library.load(key).theorems
    beyond = {
        (h.id, h.relation)
        for t in own
        if t.id not in IMPLIED_THEOREMS
        for h in matching.suppositions(t)
        if isinstance(h, Given)
    }
    assert all(
        h.supposed
        for t in own
        for h in t.hypotheses
        if isinstance(h, Given) and t.claim and (h.id, h.relation) in beyond
    )
    assert not any(h.supposed for t in own if t.recorded == "REFUTED" for h in matching.suppositions(t))


def test_no_proof_supposes_more_than_its_claim() -> None:
    """There are none, but where a claim says no more than a definition: what would be one is to be proved instead, or assumed."""
    assert sorted(t.id for t in theorems() if t.claim and matching.suppositions(t)) == sorted(IMPLIED_THEOREMS)


@pytest.mark.parametrize(("bound", "proved"), [("sfl/L12@printed", (True, True)), ("sfl/L13@printed", (True, True))])
def test_claims_with_two_bounds(bound: str, proved: tuple[bool, ...]) -> None:
    claim = find(bound)
    own = [t for t in theorems() if t.claim == bound]
    assert tuple(any(t.bound is b for t in own) for b in claim.bounds) == proved


@pytest.mark.parametrize("key", KEYS)
def test_the_folder_holds_certificates_and_nothing_else(key: str) -> None:
    proofs = library.load(key)
    wanted = {
        certificates.path_of(proofs.certificates, t.id).name: t
        for t in proofs.theorems
        if any(needs_certificate(s) for s in t.steps)
    }
    assert {f.name for f in proofs.certificates.glob(f"{key}_*")} == set(wanted)
    assert all(any(f.name.startswith(f"{other}_") for other in KEYS) for f in proofs.certificates.iterdir())
    for theorem in wanted.values():
        found = certificates.load(proofs.certificates, theorem.id)
        assert set(found) == {s.id for s in theorem.steps if needs_certificate(s)}


def test_hypotheses_say_why() -> None:
    given = [(theorem.id, h) for theorem in theorems() for h in theorem.hypotheses if isinstance(h, Given)]
    assert given
    assert [(name, h.id) for name, h in given if not h.why] == []


BLOCKED = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ImportError(f"{{name}} is blocked here")

sys.meta_path.insert(0, Block())
"""
CHECK = """
from fltheory.proof import library
from fltheory.proof.check import check_stored
from fltheory.proof.report import Report
from fltheory.proof.language import ALL_PARAMETERS

for key in {keys}:
    proofs, earlier = library.load(key), {{}}
    for place, theorem in enumerate(proofs.theorems):
        if place % {every} == 0:
            print(theorem.id, check_stored(proofs, theorem, earlier).as_recorded)
        earlier[theorem.id] = Report(theorem, theorem.recorded, ALL_PARAMETERS, (), (), 0.0)
"""


@pytest.mark.parametrize(
    ("keys", "every"), [(its_turn(KEYS, len(KEYS)), 40), pytest.param(KEYS, 1, marks=pytest.mark.deep)]
)
def test_checking_needs_no_solver(keys: Sequence[str], every: int) -> None:
    """In a process of its own, in which solvers can't be imported; in the gate some theorems of one paper, of another next time."""
    code = BLOCKED.format(blocked=set(SOLVERS)) + CHECK.format(keys=keys, every=every)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted = [t.id for key in keys for t in library.load(key).theorems[::every]]
    assert done.stdout.splitlines() == [f"{name} True" for name in wanted]


def test_a_proof_is_checked_with_sympy_and_flint_alone(tmp_path: Path) -> None:
    """The checker itself asks for nothing numerical: a proof that names no paper, checked without any of it."""
    run_readme(tmp_path)
    code = BLOCKED.format(blocked={*SOLVERS, *NUMERICS})
    code += (
        "from descent import PROOFS\nfrom fltheory.proof.check import check_all\n"
        "assert [r.verdict for r in check_all(PROOFS)] == ['PROVED', 'PROVED']\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr


def run_readme(folder: Path) -> str:
    """The README's example, written to a folder and run there: what it prints."""
    proof, use = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    (folder / "descent.py").write_text(proof, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", use], capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    assert run_readme(tmp_path) == "descent/one: PROVED\ndescent/rate: PROVED\n"


def test_the_readme_names_every_rule() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    named = {name: made for name, made in vars(by).items() if isfunction(made) and made.__module__ == by.__name__}
    names = [name for name in named if not name.startswith("_")]
    source = inspect.getsource(by)
    assert [rule.__name__ for rule in get_args(Rule) if f"lang.{rule.__name__}(" not in source] == []
    assert [name for name in names if f"`by.{name}`" not in text] == []
