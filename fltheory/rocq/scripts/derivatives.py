"""Rising: 0 <= f(x) for all x >= 0 from 0 <= f(0) and 0 <= f'(x), with a derivative built term by term."""

from __future__ import annotations

from fltheory.kernel.language.lines import Line
from fltheory.kernel.language.terms import MINUS, ONE, ZERO, Term, make, number, put, read
from fltheory.kernel.theorem import Step
from fltheory.rocq.names import Unsupported
from fltheory.rocq.scripts.lines import gap
from fltheory.rocq.scripts.script import Script, lines


def prove_rising(script: Script, step: Step, claim: Line) -> None:
    """Prove the claim at every x from the claim at 0 and the line for its slope."""
    x, say = read(step.rule["symbol"]), script.names
    own = [k for name, k in lines(script, step).items() if not name.startswith("assumed ")]
    (start, at_0), (slope, k) = own[:2]
    f, given = gap(claim), gap(k)
    tactic, found = _derivative(script, f, x)
    name = say.of(x)
    zero = Line(ZERO, "<=", put(f, {x: ZERO}))
    said = [_as_function(script, t, x) for t in (f, given)]
    intro = f"intros {name} G_{name}; cbv beta"
    script.emit("apply Rminus_le_0.")
    script.emit(f"refine (rising {' '.join(said)} _ _ _ {name} G_{name}); clear dependent {name}.")
    equal = script.at.equal(found, given)
    script.emit(f"- {intro}. apply (slope_is _ _ {say.number(found)}); [ {tactic} | {equal} ].")
    start = start.replace(f" {name} G_{name}", " 0 (Rle_refl 0)")
    there = Line(put(at_0.left, {x: ZERO}), at_0.op, put(at_0.right, {x: ZERO}))
    script.emit(f"- cbv beta. {script.from_line(zero, there, start)}.")
    weak = "left; " if k.op == "<" else ""
    script.emit(f"- {intro}; apply nn_line; {weak}exact {slope}.")


def _derivative(script: Script, t: Term, x: Term) -> tuple[str, Term]:
    """Return a tactic for the derivative of a term, and the resulting derivative."""
    word, args = t.word, t.args
    if x not in t.free:
        return "apply d_const", ZERO
    if t is x:
        return "apply d_id", ONE
    if word in ("+", "*"):
        first, rest = args[0], args[1] if len(args) == 2 else make(word, *args[1:])
        (one, a), (two, b) = _derivative(script, first, x), _derivative(script, rest, x)
        if word == "+":
            return (
                f"apply (d_plus {_as_function(script, first, x)} {_as_function(script, rest, x)}); [ {one} | {two} ]",
                make("+", a, b),
            )
        return (
            f"apply (d_mult {_as_function(script, first, x)} {_as_function(script, rest, x)}); [ {one} | {two} ]",
            make("+", make("*", a, rest), make("*", first, b)),
        )
    if word == "exp":
        inner, a = _derivative(script, args[0], x)
        return f"apply (d_exp {_as_function(script, args[0], x)}); {inner}", make("*", t, a)
    if word == "log":
        inner, a = _derivative(script, args[0], x)
        sign = _positivity(script, args[0])
        return f"apply (d_ln {_as_function(script, args[0], x)}); [ cbv beta; {sign} | {inner} ]", make(
            "*", make("^", args[0], MINUS), a
        )
    if word == "^" and args[1].word == "number" and args[1].args[0].q == 1:
        return _power(script, t, x)
    raise Unsupported(f"the derivative of {word}")


def _power(script: Script, t: Term, x: Term) -> tuple[str, Term]:
    base, n = t.args[0], int(t.args[1].args[0].p)
    if n == 0:
        raise Unsupported("the derivative of a trivial power")
    inner, a = _derivative(script, base, x)
    if n < 0:
        nonzero = f"cbv beta; apply nz_pos; {_positivity(script, base)}"
        inner, a = (
            f"apply (d_inv {_as_function(script, base, x)}); [ {nonzero} | {inner} ]",
            make("*", MINUS, make("^", make("^", base, MINUS), number(2)), a),
        )
        base = make("^", base, MINUS)
    if abs(n) == 1:
        return inner, a
    rest = make("^", base, number(abs(n) - 1))
    own = _as_function(script, base, x)
    how = f"apply (d_square {own})"
    if abs(n) != 2:
        how = f"apply (d_pow {own} {abs(n) - 1} {abs(n)}); [ simpl; lra | idtac ]"
    return f"{how}; {inner}", make("*", number(abs(n)), rest, a)


def _as_function(script: Script, t: Term, x: Term) -> str:
    return f"(fun {script.names.of(x)} : R => {script.names.number(t)})"


def _positivity(script: Script, t: Term) -> str:
    found = script.at.sign(t, True)
    if found is None:
        raise Unsupported("the sign of what a slope is divided by")
    return found
