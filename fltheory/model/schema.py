"""Records: frozen data that are declared once, and read, checked, printed, drawn and measured from that one line.

    class Losses(Record):
        '''Feedback a_m = ``roots``_m^2 and a distribution with floor alpha/M, by its masses above the floor.'''

        roots: Vector = each(M, of=nonnegative, some=True)
        masses: Vector = each(M, of=nonnegative, some=True)
        floor: Number = one(probability, alpha, default="1/2")

An axis or a number that is a symbol of the vocabulary is a constant of the record; ``@constant(symbol)`` marks a property
that is one. ``Losses.drawn()`` is where ``falsify`` looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, is_dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, dataclass_transform

import numpy as np
from sympy import Symbol

from fltheory.model.case import Case
from fltheory.model.dataclass_fields import declared_values, field_values, fields_of, replace_fields
from fltheory.number import Number, exact, exact_text

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Vector = tuple[Number, ...]
Table = tuple[Vector, ...]
AsVector = Any  # a number or a sequence of them, exact or as text: a Vector once the data that holds it has read it
AsTable = (
    Any  # an entry for every client, which a Vector can be read from: a Table once the data that holds it has read it
)
Family = Callable[[], Any]  # builds a strategy that draws cases


def read_vector(values: object) -> Vector:
    """A tuple of exact numbers from one number or a sequence."""
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        return tuple(exact(v) for v in values)
    return (exact(values),)


def read_table(values: object) -> Table:
    """One vector for every client."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"expected one entry for every client, got {values!r}")
    return tuple(read_vector(v) for v in values)


def indices(values: object, n: int, what: str = "items") -> tuple[int, ...]:
    """Different integers from 0 to n - 1, sorted; ValueError names what is wrong."""
    found = read_vector(values)
    if any(not isinstance(v, int) or not 0 <= v < n for v in found) or len(set(found)) < len(found):
        raise ValueError(f"{what} {shortest_form(found)}: expected different integers from 0 to {n - 1}")
    return tuple(sorted(found))


def shortest_form(values: object) -> Any:
    """The form that prints and reads back: numbers for one coordinate, tuples for more."""
    if isinstance(values, tuple):
        inner = tuple(shortest_form(v) for v in values)
        return inner[0] if len(inner) == 1 and not (isinstance(inner[0], tuple) or is_dataclass(inner[0])) else inner
    return values if isinstance(values, str) or is_dataclass(values) else exact_text(values)


def printable_table(value: object) -> Any:
    """A table keeps its clients even if there is only one."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return tuple(shortest_form(row) for row in value)
    return shortest_form(value)


def format_arguments(given: Mapping[str, object]) -> str:
    """Named arguments as they print and read back: ``start=1, slopes=(0, '1/2')``."""
    return ", ".join(f"{name}={printable_table(value)!r}" for name, value in given.items())


@dataclass(frozen=True)
class Domain:
    """Which numbers a field may hold, how that is said, and where they are drawn from (built late)."""

    words: str
    holds: Callable[[Any], bool]
    draw: Family
    read: Callable[[Any], Any] = exact  # one value as it is given
    values: tuple[object, ...] | None = None  # all of them, where they are finitely many


def _positive_rationals() -> SearchStrategy[Fraction]:
    from hypothesis import strategies as st

    exponents = st.sampled_from([0, 1, -1, -2, -3])
    small = st.builds(lambda m, e: Fraction(m) * Fraction(10) ** e, st.sampled_from([1, 2, 5, 3, 7]), exponents)
    return st.one_of(st.integers(1, 9).map(Fraction), small)


def _signed_rationals() -> SearchStrategy[Fraction]:
    from hypothesis import strategies as st

    return st.one_of(st.integers(-5, 5).map(Fraction), _positive_rationals(), _positive_rationals().map(lambda v: -v))


def _nonnegative_rationals() -> SearchStrategy[Fraction]:
    from hypothesis import strategies as st

    return st.one_of(_positive_rationals(), st.just(Fraction(0)))


def _hundredths(least: int, most: int) -> Family:
    def build() -> SearchStrategy[Fraction]:
        from hypothesis import strategies as st

        return st.builds(Fraction, st.integers(least, most), st.just(100))

    return build


real = Domain("numbers", lambda v: True, _signed_rationals)
nonnegative = Domain("nonnegative", lambda v: v >= 0, _nonnegative_rationals)
positive = Domain("positive", lambda v: v > 0, _positive_rationals)
probability = Domain("in (0, 1]", lambda v: 0 < v <= 1, _hundredths(1, 100))
share = Domain("in [0, 1]", lambda v: 0 <= v <= 1, _hundredths(0, 100))


def count(least: int = 1, most: int = 3) -> Domain:
    """Integers of at least ``least``, drawn up to ``most``."""

    def build() -> SearchStrategy[int]:
        from hypothesis import strategies as st

        return st.integers(least, most)

    return Domain(f"integers of at least {least}", lambda v: isinstance(v, int) and v >= least, build)


def one_of(*values: object) -> Domain:
    """One of some values."""

    def build() -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        return st.sampled_from(values)

    return Domain(f"one of {', '.join(map(str, values))}", lambda v: v in values, build, values=values)


def one_of_names(*names: str) -> Domain:
    """One of some names."""
    return replace(one_of(*names), read=lambda v: v)


def rational(of: Domain) -> Domain:
    """The rational numbers of a domain."""
    words = "rational numbers" if of.words == "numbers" else f"rational numbers, {of.words}"
    return replace(of, words=words, holds=lambda v: isinstance(v, int | Fraction) and of.holds(v))


class FieldSpec(NamedTuple):
    """What a field of a record says: its numbers, along which axes, and the symbol that it is."""

    domain: Domain
    axes: tuple[Symbol | str, ...] = ()
    some: bool = False
    symbol: Symbol | None = None


def scalar(domain: Domain, symbol: Symbol | None = None, default: Any = MISSING) -> Any:
    """One number; with a ``symbol`` it is that constant."""
    return _dataclass_field(FieldSpec(domain, symbol=symbol), default)


def per(*axes: Symbol | str, of: Domain, some: bool = False, default: Any = MISSING) -> Any:
    """A number for every client, or for every (client, coordinate): fields with one axis share its length.

    An axis that is a symbol of the vocabulary is a constant of the record. ``some``: not all 0. A default of () is as many ones;
    a table with that default may be left out.
    """
    return _dataclass_field(FieldSpec(of, axes, some), default)


def _dataclass_field(declared: FieldSpec, default: Any) -> Any:
    return field(metadata={"declared": declared}, **({} if default is MISSING else {"default": default}))


class Constant(property):
    """A property of a record that is a constant of the vocabulary."""

    symbol: Symbol


def constant(symbol: Symbol) -> Callable[[Callable[[Any], Any]], Any]:
    """Mark a property as that constant of the record: ``@constant(oracle_energy) def energy(self): ...``."""

    def mark(function: Callable[[Any], Any]) -> Constant:
        made = Constant(function)
        made.symbol = symbol
        return made

    return mark


@dataclass_transform(frozen_default=True, field_specifiers=(scalar, per))
class Record:
    """Frozen data of declared fields; ``require`` says what else must be so of what they make together.

    A field without a declaration is kept as it is given: other records, or functions.
    """

    _sizes: ClassVar[dict[Any, int]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        sizes: dict[Symbol | str, int] = {}
        given = field_values(self)
        for name, f in fields_of(self).items():
            if "declared" in f.metadata:
                value = _read_field(name, given[name], f.metadata["declared"], sizes, f.default == ())
                object.__setattr__(self, name, value)
        object.__setattr__(self, "_sizes", sizes)
        self.require()

    def require(self) -> None:
        """ValueError where the fields make no sense together."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Sizes, fields and properties that stand for symbols of the vocabulary."""
        found: dict[Symbol, Number] = {axis: n for axis, n in self._sizes.items() if isinstance(axis, Symbol)}
        own, declarations = field_values(self), fields_of(self)
        for name, value in own.items():
            declared = declarations[name].metadata.get("declared")
            if declared is not None and declared.symbol is not None:
                found[declared.symbol] = value
        marked = _constant_properties(type(self))
        for name, value in declared_values(self, marked).items():
            found[marked[name].symbol] = exact(value)
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({format_arguments(field_values(self))})"

    def replaced(self, **changes: object) -> Self:
        """The record with other values of some fields."""
        return replace_fields(self, **changes)

    @classmethod
    def drawn(cls, least: int = 1, most: int = 4, settings: Mapping[str, Any] | None = None, **given: Any) -> Family:
        """Where ``falsify`` looks: axes of ``least`` to ``most`` entries, every field from its domain.

        ``given`` fields come from domains or strategies (built late) of one's own, or are fixed values; ``settings``
        are constants of the case beside the record, likewise.
        """

        def build() -> Any:
            from hypothesis import assume
            from hypothesis import strategies as st

            @st.composite
            def draw_one(draw: DrawFn) -> Case:
                sizes: dict[Symbol | str, int] = {}
                values = {}
                for name, f in fields_of(cls).items():
                    if name in given:
                        values[name] = draw(_as_strategy(given[name]))
                    elif "declared" in f.metadata:
                        values[name] = _draw_field(draw, f.metadata["declared"], sizes, (least, most))
                beside = {name: draw(_as_strategy(source)) for name, source in (settings or {}).items()}
                try:
                    return Case(cls(**values), **beside)
                except ValueError:
                    assume(False)
                    raise

            return draw_one()

        return build


def lazy_strategy(load: Callable[[], Callable[..., Any]]) -> Callable[..., Family]:
    """Families of a strategy's options; ``load`` imports the strategy, when it is first drawn from.

    @late
    def trainings() -> Any:
        from fltheory.papers.osmd.data.strategies.sgd import trainings

        return trainings
    """

    def family(**options: Any) -> Family:
        return lambda: load()(**options)

    return family


def _constant_properties(cls: type) -> dict[str, Constant]:
    """The properties of a class that are constants."""
    return {
        name: member
        for base in reversed(cls.__mro__)
        for name, member in vars(base).items()
        if isinstance(member, Constant)
    }


def _read_field(name: str, given: object, declared: FieldSpec, sizes: dict[Symbol | str, int], ones: bool) -> Any:
    """The value of a field, exactly; ValueError names what is wrong and what would be right."""
    domain, axes, some, _ = declared
    if ones and given == () and len(axes) == 2:
        return ()
    if axes and ones and given == ():
        given = (1,) * sizes[axes[0]]
    if not axes:
        value = domain.read(given)
        flat: tuple[Any, ...] = (value,)
    elif len(axes) == 1:
        value = flat = read_vector(given)
        _check_axis_length(name, axes[0], len(value), sizes)
    else:
        value = read_table(given)
        _check_axis_length(name, axes[0], len(value), sizes)
        for row in value:
            _check_axis_length(name, axes[1], len(row), sizes)
        flat = tuple(v for row in value for v in row)
    if not all(map(domain.holds, flat)) or (some and not any(flat)):
        raise ValueError(f"{name} = {shortest_form(value)}: expected {domain.words}{', not all 0' if some else ''}")
    return value


def _check_axis_length(name: str, axis: Symbol | str, length: int, sizes: dict[Symbol | str, int]) -> None:
    if sizes.setdefault(axis, length) != length or not length:
        raise ValueError(f"{name} has {length} entries for {axis}: expected {sizes[axis] or 'at least one'}")


def _as_strategy(given: object) -> Any:
    """A strategy from a domain, from what builds a strategy, or for a fixed value."""
    from hypothesis import strategies as st

    if isinstance(given, Domain):
        return given.draw()
    if isinstance(given, st.SearchStrategy):
        return given
    return given() if callable(given) else st.just(given)


def _draw_field(draw: DrawFn, declared: FieldSpec, sizes: dict[Symbol | str, int], limits: tuple[int, int]) -> Any:
    """A value of a field from its domain; fields with one axis share its length."""
    from hypothesis import strategies as st

    source = declared.domain.draw()
    for axis in reversed(declared.axes):
        if axis not in sizes:
            sizes[axis] = draw(st.integers(*limits))
        source = st.lists(source, min_size=sizes[axis], max_size=sizes[axis])
    return draw(source)


class Data:
    """Frozen data of a dataclass whose ``repr`` rebuilds it; ``_set`` and its kin serve ``__post_init__``."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({format_arguments(field_values(self))})"

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _require_same_length(self, *names: str) -> None:
        own = field_values(self)
        if len({len(own[name]) for name in names}) != 1:
            raise ValueError(f"{', '.join(names)} must have the same length")

    def _count(self, name: str, least: int = 1) -> None:
        self._set(**{name: integer(name, field_values(self)[name], least)})


def integer(name: str, given: object, least: int = 1) -> int:
    """An integer of at least ``least``; ValueError names what it was to be."""
    value = exact(given)
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{name} = {value}: expected an integer of at least {least}")
    return value


def all_records(kind: type) -> tuple[Record, ...] | None:
    """All records of a kind; None where they are not known to be finitely many."""
    choices = []
    for f in fields_of(kind).values() if issubclass(kind, Record) else ():
        declared: FieldSpec | None = f.metadata.get("declared")
        if declared is None or declared.axes or declared.domain.values is None:
            return None
        choices.append(declared.domain.values)
    if not choices:
        return None
    found = []
    for values in product(*choices):
        try:
            found.append(kind(*values))
        except ValueError:
            continue  # what the fields make no sense together
    return tuple(found)
