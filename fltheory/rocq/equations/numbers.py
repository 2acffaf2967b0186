"""Numbers without symbols, by interval arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fltheory.kernel.language.terms import Term, parts
from fltheory.kernel.needs import noted
from fltheory.kernel.normal import normal, sign_of

if TYPE_CHECKING:
    from fltheory.rocq.equations.forms import Forms

WORDS = ("number", "+", "*", "^", "exp", "e")  # functions that interval arithmetic supports


def exponentials(at: Forms, term: Term) -> str:
    """Rewrite powers of numbers in a term as exponentials, which interval arithmetic supports."""
    rules = ["rewrite ?power_e"]
    for p in dict.fromkeys(parts(term)):
        if p.word != "^" or p.args[0].word != "number" or p.args[0].args[0] <= 0:
            continue
        if p.args[1].word == "number" and p.args[1].args[0].q == 1:
            continue
        base, exponent = map(at.say, p.args)
        own, q = f"{at.say(p)} = exp ({exponent} * ln {base})", at.new("Q")
        rules.append(f"assert ({q} : {own}) by (rewrite <- power_exp, exp_ln by lra; reflexivity); rewrite ?{q}")
    return "; ".join(rules)


def interval_positivity(at: Forms, term: Term) -> str | None:
    """Return a tactic for 0 < term, for a positive term without symbols."""
    if term.free or not all(p.word in WORDS for p in parts(term)):
        return None
    with noted():
        return f"{exponentials(at, term)}; interval" if sign_of(normal(term)) > 0 else None
