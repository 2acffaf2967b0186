"""The constants that Table 2 prints for its ten tasks: zeta_*, delta and H."""

from __future__ import annotations

from fractions import Fraction

from sympy import Eq, Integer

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity, requires
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.papers.sfl.notation import distance, hessian_heterogeneity, hessian_jump, hessian_lipschitz, zeta_star
from fltheory.papers.sfl.paper import PAPER
from fltheory.papers.sfl.tasks.cases import Task

FORCE: Dimension = (Integer(1), Integer(-1))
CURVATURE: Dimension = (Integer(1), Integer(-2))
SHARPER: Dimension = (Integer(1), Integer(-3))
TASKS = range(1, 11)
KINKED = (4, 5, 9, 10)
EVERY = tuple(Case(Task(task)) for task in TASKS)
NEAR = tuple(Case(Task(task, "-1/10", "1/10")) for task in TASKS)
PLACES = tuple(Case(Task(task, x, y)) for task in TASKS for x, y in ((-1, 1), (0, "-1/100"), (1, 2)))

differ = requires("two points", lambda one, c: not c.distance and "x = y")
kinked = requires("a task with a kink", lambda one, c: one.task not in KINKED and "F'' is constant")
beside = requires("points on both sides of the kink", lambda one, c: not one.x < 0 <= one.y and "one side of 0 only")


def at_the_minimiser(one: Task, c: Constants) -> Fraction:
    first, second = (abs(f.gradient((0,))[0]) for f in one.clients)
    if first != second:
        raise ArithmeticError("0 is not the minimiser")
    return first


CLAIMS: tuple[Claim, ...] = (
    PAPER.lemma("TAB2-zeta", "Table 2", "|∇F_1(x*)|, which is |∇F_2(x*)|", at_the_minimiser, FORCE, cases=EVERY).printed(
        "Table 2: ζ_* = 1 in groups 1-5, 10 in groups 6-10", Eq(quantity, zeta_star)),
    PAPER.lemma("TAB2-delta", "Table 2", "max_m |F_m''(x) - F''(x)|",
        lambda one, c: max(abs(f.curvature(0, one.x) - one.curvature(one.x)) for f in one.clients), CURVATURE,
        cases=PLACES).printed("Table 2: δ = 0, 1/2, 1, 0, 0: max_m |F_m'' - F''| at every point",
        Eq(quantity, hessian_heterogeneity)),
    *PAPER.lemma("TAB2-H", "Table 2", "|F''(x) - F''(y)|",
        lambda one, c: abs(one.curvature(one.x) - one.curvature(one.y)), CURVATURE).readings(
        printed("Table 2: H = 0, 0, 0, 1/2, 1 with |F''(x) - F''(y)| <= H |x - y|, as Section 6.1 defines it",
            quantity <= hessian_lipschitz * distance, assumptions=(differ,),
            counterexamples=tuple(c for c in NEAR if c.instance.task in KINKED),
            remark="F'' jumps at 0 in groups 4, 5, 9 and 10: as defined H is infinite there, and no number can be printed."),
        corrected("Table 2: H = 0, 0, 0, 1/2, 1 is the jump of F'' at 0: |F''(x) - F''(y)| <= H",
            quantity <= hessian_jump, cases=(*NEAR, *PLACES), note="a jump, no Lipschitz constant")),
    PAPER.lemma("TAB2-H-any", "Table 2", "|F''(x) - F''(y)| / |x - y|",
        lambda one, c: abs(one.curvature(one.x) - one.curvature(one.y)) / c.distance, SHARPER,
        assumptions=(kinked, beside)).strengthened(
        "Groups 4, 5, 9, 10: |F''(x) - F''(y)| / |x - y| = jump / |x - y| for x < 0 <= y: no constant bounds it",
        Eq(quantity, hessian_jump / distance),
        cases=tuple(Case(Task(task, x, y)) for task in KINKED for x, y in (("-1/10", "1/10"), ("-1/1000000", 0), (-1, 2))),
        remark="It is 5 (tasks 5, 10) at a distance of 1/5, and a million at 1/1000000."),
)
