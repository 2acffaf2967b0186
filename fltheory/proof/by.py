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
    """Combine the used relations with weights.

    Without weights, ``by.linear("1", "2")``, each relation counts once, or the weights are searched for when the file is
    checked; those of the papers are stored (``python -m proofs_checks find <key>``). A name without a weight beside others
    with one only helps to see signs. The weight of "assumed 1" is that of the line's own first assumption.

    Parameters
    ----------
    *parts : str, By, mapping or tuple
        Names of relations, or reasons in their place, whose weights are found; weights by name; pairs (weight, axiom) or
        (weight, hypothesis).
    **weights : sympy.Expr
        Weights by name, for names that are identifiers.

    Returns
    -------
    By
        The reason of a line.

    Raises
    ------
    ProofError
        If a name has two weights.
    """
    return _combination(parts, weights, squares=False)


def sos(*parts: str | By | Mapping[str, Any] | tuple[Any, Any], **weights: Expr) -> By:
    """Combine the used relations with weights and add squares, which the certificate lists.

    Parameters
    ----------
    *parts : str, By, mapping or tuple
        As for ``linear``.
    **weights : sympy.Expr
        Weights by name.

    Returns
    -------
    By
        The reason of a line.

    Raises
    ------
    ProofError
        If a name has two weights.
    """
    return _combination(parts, weights, squares=True)


def _combination(parts: tuple[Any, ...], weights: Mapping[str, Any], squares: bool) -> By:
    uses, weighted, axioms = list[str | By](), dict[str, Any](), []
    for part in (*parts, weights):
        if isinstance(part, tuple) and not isinstance(part, By):
            if not isinstance(part[1], lang.Given):
                axioms.append(part)
                continue
            part = {part[1].id: part[0]}
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
    """Apply a proved theorem.

    If the theorem itself is given and no lines are named, the earlier lines that state its hypotheses word for word are used.
    Definitions that it supposes must be named.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its id.
    at : mapping, pairs or str
        The value of each of its symbols; a name is the first of ``uses``.
    *uses : str or By
        The lines that are its hypotheses.

    Returns
    -------
    By
        The reason of a line.
    """
    name, lemma = (theorem, None) if isinstance(theorem, str) else (theorem.id, theorem)
    if isinstance(at, str):
        return By(lang.Apply(name), (at, *uses), lemma)
    return By(lang.Apply(name, _pairs(at)), uses, lemma)


def instance(at: At, *uses: str | By) -> By:
    """Use a relation at certain values of its indices.

    Parameters
    ----------
    at : mapping or pairs
        The integer for each index.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Instance(_pairs(at)), uses)


def sum_over(indices: Symbol | tuple[Symbol, ...], *uses: str | By, weight: Expr = 1) -> By:
    """Sum the used relation over indices, each side times a weight.

    Parameters
    ----------
    indices : Symbol or tuple of Symbol
        The indices, with the ranges of the relation.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.
    weight : sympy.Expr
        A nonnegative factor of every summand.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Summed(indices if isinstance(indices, tuple) else (indices,), weight), uses)


def expectation(*uses: str | By) -> By:
    """Take the expectation of both sides.

    Parameters
    ----------
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Expected(), uses)


def power(exponent: Expr, *uses: str | By) -> By:
    """Raise both sides of 0 <= a <= b to a power.

    Parameters
    ----------
    exponent : sympy.Expr
        The exponent, nonnegative.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Power(exponent), uses)


def induction(index: Symbol, *uses: str | By) -> By:
    """Prove a relation for all integers of a range by its base and its step.

    Parameters
    ----------
    index : Symbol
        The index of the induction.
    *uses : str or By
        The base, then the step, which assumes the relation at ``index``.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Induction(index), uses)


def cases(*uses: str | By) -> By:
    """Prove the claim from the same claim in cases that leave nothing out.

    Parameters
    ----------
    *uses : str or By
        The claim in each case, which is an assumption of that line.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Cases(), uses)


def antisymmetry(*uses: str | By) -> By:
    """Conclude a == b from a <= b and b <= a.

    Parameters
    ----------
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Squeezed(), uses)


def polynomial(*uses: str | By) -> By:
    """Prove a polynomial inequality by a certificate of squares.

    Parameters
    ----------
    *uses : str or By
        Polynomial inequalities that may be multiplied.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Polynomial(), uses)


def ball(box: tuple[tuple[Symbol, Any, Any], ...], *uses: str | By, zeros: tuple[Any, ...] = ()) -> By:
    """Prove an inequality on a box by ball arithmetic on smaller boxes.

    Parameters
    ----------
    box : tuple of (Symbol, low, high)
        The range of each symbol.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.
    zeros : tuple
        Points of the box at which both sides are equal.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Ball(box, zeros), uses)


def enumerate(scope: str = "", /, *uses: str | By) -> By:
    """Evaluate the claim exactly at every integer of its ranges.

    Parameters
    ----------
    scope : str
        What these integers are, in words.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Enumerate(scope), uses)


def fact(name: Literal["exp", "log", "max", "min", "abs", "indicator", "floor"], at: Expr, *uses: str | By) -> By:
    """Use an elementary inequality of a function, such as 1 + x <= exp(x).

    Parameters
    ----------
    name : {"exp", "log", "max", "min", "abs", "indicator", "floor"}
        The function.
    at : sympy.Expr
        Its argument.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Known(name, at), uses)


def absolute(*uses: str | By) -> By:
    """Conclude |a| <= b from a <= b and -a <= b.

    Parameters
    ----------
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Absolute(), uses)


def monotone(*uses: str | By) -> By:
    """Conclude 1{a >= 0} <= 1{b >= 0} from a <= b.

    Parameters
    ----------
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Monotone(), uses)


def derivative(symbol: Symbol, *uses: str | By) -> By:
    """Conclude 0 <= f(x) for x >= 0 from 0 <= f(0) and 0 <= f'(x).

    Parameters
    ----------
    symbol : Symbol
        The variable x.
    *uses : str or By
        The relation at 0, then that of the derivative.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Rising(symbol), uses)


def cite(citation: str, reason: str = "", /, *uses: str | By) -> By:
    """Cite a result that is not proved here; the theorem is then ASSUMED.

    Parameters
    ----------
    citation : str
        The source.
    reason : str
        Why it is not proved here.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Assumed(citation, reason), uses)


def counterexample(at: At, *uses: str | By) -> By:
    """Refute the claim by exact values at which it is false and the used lines hold.

    Parameters
    ----------
    at : mapping or pairs
        The value of each symbol.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Witness(_pairs(at)), uses)


def stored_counterexample(claim: str, *uses: str | By) -> By:
    """Refute the claim by a stored case of a claim of the catalogue.

    Parameters
    ----------
    claim : str
        The id of that claim.
    *uses : str or By
        The lines that are used, by name, or reasons in their place.

    Returns
    -------
    By
        The reason of a line.
    """
    return By(lang.Violated(claim), uses)
