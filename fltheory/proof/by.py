"""How a line follows, one function for each rule: what the rule takes, then the names of what is used.

Each gives the rule and what it uses, for ``.step(name, claim, by.sum_over(m, "1"))``. What has a weight is used and not
named again; everything is used in the order in which it stands. Where the rule determines the claim, the claim need not be
written: ``.step("all", by.sum_over(m, "1"))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sympy import Expr, Symbol

from fltheory.proof import language as lang
from fltheory.proof.language import Pairs, ProofError, Rule, Theorem


class By(NamedTuple):
    """A rule, what it uses, and the theorem that it applies where that is given itself.

    What it uses has a name, or is a reason of its own, a line that needs no name: ``by.expectation(by.sum_over(m, "1"))``.
    """

    rule: Rule
    uses: tuple[str | By, ...]
    lemma: Theorem | None = None


At = Mapping[Any, Any] | Pairs


def linear(*parts: str | By | Mapping[str, Any] | tuple[Any, Any], **weights: Expr) -> By:
    """The used relations times weights: ``by.linear("1", "2")``, and the weights are found.

    Where every relation counts once, that is all. Else the weights are searched for when the file is checked; those of the
    papers are stored (``python -m proofs_checks find <key>``). What is not found can be written: weights by name, and
    pairs (weight, axiom), as many as there are. A name without a weight beside others only helps to see signs. The weight
    of "assumed 1" is that of the line's own first assumption, which is not among what it uses.
    """
    return _combination(parts, weights, squares=False)


def sos(*parts: str | By | Mapping[str, Any] | tuple[Any, Any], **weights: Expr) -> By:
    """The same with squares, which the certificate lists."""
    return _combination(parts, weights, squares=True)


def _combination(parts: tuple[Any, ...], weights: Mapping[str, Any], squares: bool) -> By:
    uses, weighted, axioms = list[str | By](), dict[str, Any](), []
    for part in (*parts, weights):
        if isinstance(part, tuple) and not isinstance(part, By):
            axioms.append(part)
            continue
        uses += [part] if isinstance(part, str | By) else part
        for name, weight in part.items() if isinstance(part, Mapping) else ():
            if name in weighted:
                raise ProofError(f"{name} has two weights")
            weighted[name] = weight
    rule = lang.Combine(_pairs(weighted), tuple(axioms), squares)
    return By(rule, tuple(u for u in dict.fromkeys(uses) if isinstance(u, By) or not u.startswith("assumed ")))


def _pairs(at: At) -> Pairs:
    return tuple(at.items()) if isinstance(at, Mapping) else at


def apply(theorem: Theorem | str, at: At | str = (), /, *uses: str | By) -> By:
    """A proved theorem, itself or by its id, its letters read as ``at`` says; what is used meets its hypotheses.

    Where the theorem itself is given and nothing is named, the lines before are used that say its hypotheses word for word;
    a definition that it supposes is named.
    """
    name, lemma = (theorem, None) if isinstance(theorem, str) else (theorem.id, theorem)
    if isinstance(at, str):
        return By(lang.Apply(name), (at, *uses), lemma)
    return By(lang.Apply(name, _pairs(at)), uses, lemma)


def instance(at: At, *uses: str | By) -> By:
    """The first relation used at certain integers."""
    return By(lang.Instance(_pairs(at)), uses)


def sum_over(indices: Symbol | tuple[Symbol, ...], *uses: str | By, weight: Expr = 1) -> By:
    """The used relation summed over an index or more, each side times ``weight``."""
    return By(lang.Summed(indices if isinstance(indices, tuple) else (indices,), weight), uses)


def expectation(*uses: str | By) -> By:
    """The expectation of both sides."""
    return By(lang.Expected(), uses)


def power(exponent: Expr, *uses: str | By) -> By:
    """0 <= a and a <= b to a power."""
    return By(lang.Power(exponent), uses)


def induction(index: Symbol, *uses: str | By) -> By:
    """A base and a step."""
    return By(lang.Induction(index), uses)


def cases(*uses: str | By) -> By:
    """The claim in each of some cases, which leave nothing out."""
    return By(lang.Cases(), uses)


def antisymmetry(*uses: str | By) -> By:
    """a <= b and b <= a."""
    return By(lang.Squeezed(), uses)


def polynomial(*uses: str | By) -> By:
    """A polynomial inequality, by certificate."""
    return By(lang.Polynomial(), uses)


def ball(box: tuple[tuple[Symbol, Any, Any], ...], *uses: str | By, zeros: tuple[Any, ...] = ()) -> By:
    """An inequality on a box, by ball arithmetic on the certificate's boxes."""
    return By(lang.Ball(box, zeros), uses)


def enumerate(scope: str = "", /, *uses: str | By) -> By:
    """Every integer of the claim's ranges, evaluated exactly."""
    return By(lang.Enumerate(scope), uses)


def fact(name: Literal["exp", "log", "max", "min", "abs", "indicator", "floor"], at: Expr, *uses: str | By) -> By:
    """A textbook line at ``at``."""
    return By(lang.Known(name, at), uses)


def absolute(*uses: str | By) -> By:
    """|a| <= b from a <= b and -a <= b."""
    return By(lang.Absolute(), uses)


def monotone(*uses: str | By) -> By:
    """1{a >= 0} <= 1{b >= 0} from a <= b."""
    return By(lang.Monotone(), uses)


def derivative(symbol: Symbol, *uses: str | By) -> By:
    """0 <= f(x) from 0 <= f(0) and 0 <= f'(x), ``symbol`` being x."""
    return By(lang.Rising(symbol), uses)


def cite(citation: str, reason: str = "", /, *uses: str | By) -> By:
    """A citation, and why it is not proved here."""
    return By(lang.Assumed(citation, reason), uses)


def counterexample(at: At, *uses: str | By) -> By:
    """Exact values at which the claim is false, and what is used holds."""
    return By(lang.Witness(_pairs(at)), uses)


def stored_counterexample(claim: str, *uses: str | By) -> By:
    """The stored case of a claim of the catalogue."""
    return By(lang.Violated(claim), uses)
