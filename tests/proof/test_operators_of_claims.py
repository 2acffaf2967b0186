"""A claim on games is proved for all monotone operators of its class, and compared with the catalogue as any other claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sympy import Expr, Symbol

from fltheory import find, verify
from fltheory.claims.claim import Claim
from fltheory.proof import Axiom, Given, Hypothesis, Member, Relation, Step, by, eq, le, line, proof, statement_of
from fltheory.proof.check import check_theorem
from fltheory.proof.classes import ConvexFunction, Operator
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Theorem
from fltheory.proof.report import Report
from fltheory.proof.terms import Fun, Grad, Vector, family, square
from fltheory.symbols import initial_distance as D
from fltheory.symbols import n_rounds as R
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as eta
from fltheory.symbols import strong_convexity as mu

FILE = """
from fltheory import Algorithm, Case, quantity, theorem
from fltheory.problems import quadratic_game
from fltheory.problems.operators import operators
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance as D, n_rounds as R, smoothness as L, step_size as eta
from fltheory.symbols import strong_convexity as mu


def simultaneous(z, oracle, c):
    return z - c.step_size * oracle.gradient(z, 0)


def claim(name, rate):
    return theorem(
        name,
        quantity <= rate**R * D**2,
        algorithm=Algorithm("GDA", simultaneous),
        measure=LastDistance(),
        assumptions=[operators],
        key="duel",
        cases=[Case(quadratic_game(1, (1, 0), 1), n_rounds=3, step_size="1/4")],
    )


true = claim("GDA: it contracts", 1 - 2 * eta * mu + eta**2 * L**2)
false = claim("FAST: it contracts as gradient descent does", (1 - eta * mu) ** 2)
"""
RATE = 1 - 2 * eta * mu + eta**2 * L**2
A, z, best = family(Fun, "A")(), family(Vector, "z"), family(Vector, "z_star")()
r = Symbol("r", integer=True, nonnegative=True)
ROUNDS = (r, 0, R - 1)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the claims, which a process loads once."""
    path = tmp_path_factory.mktemp("duel") / "duel_of_operators.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def claims(file: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Claim]:
    monkeypatch.setenv("FLTHEORY_PAPERS", str(file))
    return {name: find(f"duel/{name}@printed") for name in ("GDA", "FAST")}


def proved(claim: Claim, rate: Expr) -> Theorem:
    """The proof of a claim, with its rate: each round by the two hypotheses on the operator, then induction."""
    classes = Operator("A", A, monotone=mu, lipschitz=L, why="the operators of the claim")
    ahead, turn = classes.between(z(r), (best, 0 * best), over=(ROUNDS,))
    moved = z(r) - eta * Grad(A, z(r))
    statement, conditions = statement_of(claim.bound, square(z(R) - best))

    def so_far(n: Expr, *over: tuple[Symbol, Expr, Expr]) -> Relation:
        return le(square(z(n) - best), rate**n * D**2, *over)

    return (
        proof("duel/round", of=claim.id, bound=claim.bound)
        .under(*conditions, ahead, turn)
        .given("start", le(square(z(0) - best), D**2), "the distance of the start")
        .given("step", eq(z(r + 1), moved, ROUNDS), "the step of a round")
        .given("order", le(mu, L), "no operator is more monotone than Lipschitz")
        .step("square", le(0, (1 - eta * mu) ** 2), by.polynomial())
        .step("sign", le(0, rate), by.linear({"order": eta**2 * (L + mu), "square": 1}))
        .step(
            "moved",
            le(square(moved - best), rate * square(z(r) - best), ROUNDS),
            by.linear((2 * eta, ahead), (eta**2, turn)),
        )
        .step(
            "round",
            le(square(z(r + 1) - best), rate * square(z(r) - best), ROUNDS),
            by.linear({"moved": 1, "step": z(r + 1) + moved - 2 * best}),
        )
        .step("first", so_far(0 * r), by.linear("start"))
        .step("next", so_far(r + 1, ROUNDS), by.linear({"round": 1, "assumed 1": rate}, "sign"), assuming=so_far(r))
        .step("all", so_far(r, (r, 0, R)), by.induction(r, "first", "next"))
        .qed(statement, by.instance({r: R}, "all"))
    )


def report_of(theorem: Theorem) -> Report:
    return check_theorem(theorem, find_certificates(theorem, {}))


def test_a_claim_on_games_is_proved(claims: dict[str, Claim]) -> None:
    report = report_of(proved(claims["GDA"], RATE))
    assert (report.verdict, report.scope, report.faults) == ("PROVED", "all parameters", ())
    assert verify(claims["GDA"]).status == "holds"


def test_its_false_neighbour_is_not(claims: dict[str, Claim]) -> None:
    assert verify(claims["FAST"]).status == "violated"
    assert report_of(proved(claims["FAST"], (1 - eta * mu) ** 2)).verdict == "UNKNOWN"
    other = report_of(proved(claims["FAST"], RATE))  # its last line is another statement
    assert other.verdict == "UNKNOWN"


def test_the_statement_is_no_hypothesis(claims: dict[str, Claim]) -> None:
    """What implies the claim by itself is seen, as beside classes of functions."""
    theorem = proved(claims["GDA"], RATE)
    easy = replace(
        theorem, hypotheses=(*theorem.hypotheses, replace(theorem.hypotheses[0], id="easy", relation=theorem.statement))
    )
    assert any("easy" in fault for fault in report_of(easy).faults)


# Classes that are too small for the claim -------------------------------------------------------------------------------


def too_small(claim: Claim, *hypotheses: Hypothesis, moved: Step | None = None) -> Theorem:
    """A proof of the false claim, from hypotheses of operators that are more alike than those of the claim."""
    theorem = proved(claim, (1 - eta * mu) ** 2)
    others = tuple(h for h in theorem.hypotheses if h.id in ("start", "step"))
    new = {"sign": line("sign", le(0, (1 - eta * mu) ** 2), by.linear(square=1))} | ({"moved": moved} if moved else {})
    steps = tuple(new.get(step.id, step) for step in theorem.steps)
    return replace(theorem, hypotheses=(*hypotheses, *others), steps=steps)


def hypotheses_with(monotone: Expr, lipschitz: Expr) -> tuple[Given, ...]:
    return Operator("A", A, monotone=monotone, lipschitz=lipschitz).between(z(r), (best, 0 * best), over=(ROUNDS,))


def test_a_lipschitz_constant_below_that_of_a_case_is_a_fault(claims: dict[str, Claim]) -> None:
    theorem = too_small(claims["FAST"], *hypotheses_with(mu, mu))
    report = report_of(theorem)
    assert [step.outcome for step in report.steps] == ["PROVED"] * len(report.steps)  # its lines follow
    assert report.verdict == "UNKNOWN"
    (fault,) = report.faults
    assert "lipschitz" in fault
    assert "supposes smoothness <= strong_convexity, which fails at" in fault
    supposed = tuple(replace(h, supposed=h.id.startswith("A: lipschitz")) for h in theorem.hypotheses)
    assert report_of(replace(theorem, hypotheses=supposed)).faults == ()


def test_a_class_of_functions_that_is_too_small_is_a_fault(claims: dict[str, Claim]) -> None:
    """As gradient descent on functions that are mu-smooth and mu-strongly convex."""
    at = (
        (2 * eta, Axiom("convex", A, best, z(r))),
        (2 * eta, Axiom("convex", A, z(r), best)),
        (eta**2, Axiom("lipschitz", A, z(r), best)),
    )
    claim = le(square(z(r) - eta * Grad(A, z(r)) - best), (1 - eta * mu) ** 2 * square(z(r) - best), ROUNDS)
    moved = line("moved", claim, by.linear(*at, "class"), inserting="zero")
    zero = Given("zero", eq(Grad(A, best), 0 * best))
    report = report_of(too_small(claims["FAST"], Member("class", A, mu, mu), zero, moved=moved))
    assert [step.outcome for step in report.steps] == ["PROVED"] * len(report.steps)
    assert report.verdict == "UNKNOWN"
    assert ["class supposes smoothness <= strong_convexity" in fault for fault in report.faults] == [True]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (Operator("A", A, monotone=L), "supposes smoothness <= strong_convexity"),
        (Operator("A", A, monotone=2 * mu), "supposes 2*strong_convexity <= strong_convexity"),
        (Operator("A", A, lipschitz=1), "supposes smoothness <= 1"),
        (Operator("A", A, cocoercive=1 / mu), "supposes smoothness <= strong_convexity"),
        (Operator("A", A, monotone=mu), ""),
        (Operator("A", A, monotone=0, lipschitz=L), ""),
        (Operator("A", A, cocoercive=mu / L**2), ""),
        (Operator("A", A, cocoercive=0), ""),
    ],
)
def test_the_constants_of_a_class_are_compared_with_the_cases(
    claims: dict[str, Claim], made: Operator, words: str
) -> None:
    theorem = proved(claims["GDA"], RATE)
    more = made.between(z(0), (best, 0 * best))
    theorem = replace(theorem, hypotheses=(*theorem.hypotheses, *more), unused=tuple(h.id for h in more))
    faults = " ".join(report_of(theorem).faults)
    assert words in faults if words else faults == ""


def test_the_modulus_of_a_convex_function_is_compared_too(claims: dict[str, Claim]) -> None:
    theorem = proved(claims["GDA"], RATE)
    for modulus, words in ((L, "supposes smoothness <= strong_convexity"), (mu, ""), (0, "")):
        more = ConvexFunction("g", family(Fun, "g")(), modulus).subgradient(best, z(0))
        faults = report_of(replace(theorem, hypotheses=(*theorem.hypotheses, more), unused=(more.id,))).faults
        assert words in " ".join(faults) if words else faults == ()
