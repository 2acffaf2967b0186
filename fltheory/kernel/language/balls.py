"""Interval (ball) arithmetic: an enclosure of the value of a term."""

from __future__ import annotations

from collections.abc import Mapping

from flint import arb

from fltheory.kernel.language.terms import Term, Wrong


def ball(term: Term, at: Mapping[Term, arb]) -> arb:
    """Return a ball that contains the value of the term for all values of its symbols in their balls.

    The ball is not finite where the term may be undefined.
    """
    word, args = term.word, term.args
    if word == "number":
        return arb(args[0])
    if term in at:
        return at[term]
    if word == "^" and args[1].word == "number" and args[1].args[0].q == 1:
        return ball(args[0], at) ** int(args[1].args[0].p)
    own = [ball(a, at) for a in args if isinstance(a, Term)]
    if word == "+":
        return sum(own, arb(0))
    if word == "*":
        found = arb(1)
        for x in own:
            found *= x
        return found
    if word == "^":
        return (own[0].log() * own[1]).exp()  # FLINT's log is not finite on a ball with a number <= 0
    simple = {"exp": arb.exp, "log": arb.log, "abs": abs, "sin": arb.sin, "cos": arb.cos, "floor": arb.floor}
    if word in simple:
        return simple[word](own[0])
    if word in ("max", "min"):
        found = own[0]
        for x in own[1:]:
            found = found.max(x) if word == "max" else found.min(x)
        return found
    if word in ("e", "pi"):
        return arb(1).exp() if word == "e" else arb.pi()
    if word == "poly":
        return own[0]
    raise Wrong(f"{term} has no value")
