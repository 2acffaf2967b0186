"""A claim's cases at a user's constants: which constants are free, and the case with one of them changed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial

from flint import arb
from sympy import Symbol

from fltheory.claims.claim import Claim
from fltheory.model.bound import unicode_letter
from fltheory.model.case import Adjustable, Case, Instance, Repeatable
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.number import Number, evaluate_exact, exact, exact_text, symbolic
from fltheory.symbols import (
    VOCABULARY,
    effective_step_size,
    in_domain,
    meaning,
    n_clients,
    n_rounds,
    server_step_size,
    step_size,
)


class NotFree(ValueError):
    """A constant that can't be set, or not to that value; the text says which can."""


def symbol_of(claim: Claim, name: str) -> Symbol:
    """Return the constant of this name, canonical or the paper's symbol; NotFree if there is none."""
    if name in VOCABULARY:
        return VOCABULARY[name].symbol
    wanted = name.lstrip("\\")
    for bound in claim.bounds:
        for symbol, letter in bound.letters:
            if wanted in (letter.lstrip("\\"), unicode_letter(letter)):
                return symbol
    known = [s.name for bound in claim.bounds for s in bound.symbols]
    raise NotFree(
        f"{claim.id}: {name} is not a known constant; those of its bound are {', '.join(dict.fromkeys(known))}"
    )


def parse_settings(claim: Claim, settings: Mapping[str, object]) -> dict[Symbol, Number]:
    """Return the exact settings by symbol; NotFree names those unknown, set twice or out of their domain."""
    found: dict[Symbol, Number] = {}
    for name, value in settings.items():
        symbol = symbol_of(claim, name)
        if symbol in found:
            raise NotFree(f"{claim.id}: {symbol.name} is set twice")
        try:
            number = exact(value)
        except (ValueError, ArithmeticError) as error:
            raise NotFree(f"{claim.id}: {symbol.name}: {error}") from None
        if not in_domain(symbol, number):
            entry = meaning(symbol)
            raise NotFree(f"{claim.id}: {symbol.name} = {value} is out of its domain: {entry.text}, {entry.domain}")
        found[symbol] = number
    return found


def at_constants(claim: Claim, case: Case, values: Mapping[Symbol, Number]) -> Case:
    """Return the case with these constants; NotFree if one is not free, or has no such value."""
    for symbol, value in values.items():
        names = free_constants(claim, case)
        if symbol.name not in names:
            raise NotFree(f"{symbol.name} can't be set: the free constants are {', '.join(names)}")
        case = with_constant(claim, case, symbol, value)
        made = case.constants.get(symbol)
        if made != value:
            near = "" if made is None else f"; near to it is {exact_text(made)}"
            raise NotFree(f"there is no such instance with {symbol.name} = {exact_text(value)}{near}")
    return case


def free_constants(claim: Claim, case: Case) -> tuple[str, ...]:
    """Return the names of the constants that can be varied, the most informative first."""
    chosen = {s.name for s, _ in claim.tuning}
    names = [n for n, v in case.settings if n not in chosen and not isinstance(v, arb)]
    if isinstance(case.instance, Repeatable) or claim.builds:
        names.append(n_clients.name)
    names += sorted(own_constants(case.instance))
    consumed = {s.name for s in _symbols_in_bounds(claim)}
    order = [n_rounds.name, step_size.name]

    def rank(name: str) -> tuple[bool, int]:
        return name not in consumed, order.index(name) if name in order else len(order)

    return tuple(sorted(dict.fromkeys(names), key=rank))


def _symbols_in_bounds(claim: Claim) -> set[Symbol]:
    found: set[Symbol] = set().union(*(set(b.symbols) for b in claim.bounds))
    for symbol, expr in claim.tuning:
        if symbol in found or any(symbol in e.free_symbols for b in claim.bounds for _, e in b.where):
            found |= expr.free_symbols
    return found


def own_constants(instance: Instance) -> dict[str, Callable[[Number], Instance]]:
    """Return the instance's constants by name, each with a function from a new value to the new instance."""
    constants = {s.name: v for s, v in instance.constants.items()}
    if isinstance(instance, Adjustable):  # it says itself which, and how
        return {n: partial(instance.adjusted, n) for n in instance.adjustable}
    if is_dataclass(instance):
        own = field_values(instance)
        same = [n for n, v in own.items() if n in constants and (v is constants[n] or v == constants[n])]
        return {n: partial(_with_field, instance, n) for n in same}
    kind: Callable[..., Instance] = type(instance)
    try:
        bare = kind(**constants) == instance
    except (TypeError, ValueError):
        return {}
    return {n: partial(_from_constants, kind, constants, n) for n in constants if bare}


def _with_field(instance: Instance, name: str, value: Number) -> Instance:
    return replace_fields(instance, **{name: value})


def _from_constants(
    kind: Callable[..., Instance], constants: Mapping[str, Number], name: str, value: Number
) -> Instance:
    return kind(**{**constants, name: value})


def with_constant(claim: Claim, case: Case, symbol: Symbol, value: Number) -> Case:
    """Return the case with one constant changed; the step size is rescaled to keep the effective step."""
    before = case.constants
    settings: dict[str, object] = dict(case.settings)
    if claim.builds is not None:
        with contextlib.suppress(AttributeError):  # it reads a constant that the case does not set
            return claim.builds(**{**settings, n_clients.name: before[n_clients], symbol.name: value})
    own = own_constants(case.instance)
    if symbol.name in settings:
        new = case.with_settings(**{symbol.name: value})
    elif symbol.name in own:
        new = Case(own[symbol.name](value), **settings)
    else:
        new = Case(case.instance.repeated(int(value) // int(before[n_clients])), **settings)
    if symbol != server_step_size and server_step_size.name in settings:
        new = _keep_step_product(claim, case, new, symbol)
    effective = dict(claim.bound.where).get(effective_step_size)
    if effective is None or symbol == step_size or symbol not in effective.free_symbols:
        return new
    if step_size not in before or step_size in dict(claim.tuning):
        return new
    others = effective / step_size
    old, now = evaluate_exact(others, before), evaluate_exact(others, new.constants)
    return new.with_settings(step_size=exact(symbolic(before[step_size]) * symbolic(old / now)))


def _keep_step_product(claim: Claim, case: Case, new: Case, symbol: Symbol) -> Case:
    """Rescale the server's step so that a condition on its product with the changed constant holds as before."""
    for condition in claim.bound.conditions:
        left = condition.lhs
        if {symbol, server_step_size} <= left.free_symbols and not (left / server_step_size).has(server_step_size):
            rest = left / server_step_size
            old, now = evaluate_exact(rest, case.constants), evaluate_exact(rest, new.constants)
            return new.with_settings(
                server_step_size=exact(symbolic(case.constants[server_step_size]) * symbolic(old / now))
            )
    return new
