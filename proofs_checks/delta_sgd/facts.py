"""Facts behind the proofs: squares, (7), (8), limits, telescoping.

What another paper's proofs have already is taken over under this paper's key, step by step: it is checked here again.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Symbol

from fltheory.papers.delta_sgd.letters import T, m
from fltheory.proof.language import Apply, Combine, Defines, Given, Gram, Induction, Instance, Step, Theorem, le
from fltheory.proof.terms import Dot, Scalar, Total, family, square
from proofs_checks.osmd import facts as osmd_facts

u, v = osmd_facts.u, osmd_facts.v


def ours(theorem: Theorem) -> Theorem:
    """The theorem under this paper's key, and so the ones that it applies; what it claims is the other paper's."""
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=named(step.rule.theorem)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=named(theorem.id), steps=steps, claim="")


def also(name: str, theorem: Theorem, claim: str, note: str) -> Theorem:
    """A proved theorem as that of another claim of the catalogue, with the same formula."""
    uses = tuple(h.id for h in theorem.hypotheses if not isinstance(h, Defines))
    inserted = tuple(h.id for h in reversed(theorem.hypotheses) if isinstance(h, Defines))
    step = Step("1", theorem.statement, Apply(theorem.id), uses, inserted)
    return replace(theorem, id=name, steps=(step,), claim=claim, note=note, unused=())


def named(name: str) -> str:
    """The id under this paper's key."""
    return f"delta_sgd/{name.split('/')[1]}"


SIGN, ALMOST, LIMIT = map(ours, (osmd_facts.SIGN, osmd_facts.ALMOST, osmd_facts.LIMIT))
JENSEN = replace(ours(osmd_facts.JENSEN), id="delta_sgd/8", place="(8)", claim="delta_sgd/8@printed")

_YOUNG = le(Dot(u, v), square(u) / 2 + square(v) / 2)
YOUNG = Theorem(
    "delta_sgd/7",
    _YOUNG,
    (),
    (Step("1", _YOUNG, Gram(), note="half a square"),),
    place="(7)",
    claim="delta_sgd/7@printed",
    note="half a square; the claim's formula is the quotient of the two sides",
)

# Clients -----------------------------------------------------------------------------------------------------------

i = Symbol("i", integer=True, positive=True)
EACH = (i, 1, m)


def mean(term: Expr) -> Expr:
    """The mean over the clients of a term in the index i."""
    return Total(term, i, 1, m) / m


# Telescoping --------------------------------------------------------------------------------------------------------------------

n, t = (Symbol(name, integer=True, nonnegative=True) for name in "nt")
ROUNDS = (t, 0, T - 1)
level, rise = family(Scalar, "d"), family(Scalar, "r")
_FALL = le(level(n), level(0) + Total(rise(t), t, 0, n - 1), (n, 0, T))
_FALLEN = le(level(T), level(0) + Total(rise(t), t, 0, T - 1))
FALLEN = Theorem(
    "delta_sgd/telescope",
    _FALLEN,
    (Given("step", le(level(t + 1), level(t) + rise(t), ROUNDS), "what one round adds at most"),),
    (
        Step("0", le(level(0), level(0)), Combine()),
        Step("next", le(level(n + 1), level(n) + rise(n), (n, 0, T - 1)), Instance({t: n}), ("step",)),
        Step(
            "1",
            le(level(n + 1), level(0) + Total(rise(t), t, 0, n), (n, 0, T - 1)),
            Combine(),
            ("next",),
            (),
            (le(_FALL.left, _FALL.right),),
            note="one round more",
        ),
        Step("2", _FALL, Induction(n), ("0", "1")),
        Step("3", _FALLEN, Instance({n: T}), ("2",)),
    ),
    place="Theorem 1",
    note="what all rounds add at most",
)
THEOREMS = (SIGN, YOUNG, JENSEN, ALMOST, LIMIT, FALLEN)
