"""Frozen dataclasses with declared fields, which define parsing, validation, repr, constants and Hypothesis strategies.

    class Losses(Record):
        '''Feedback a_m = ``roots``_m^2 and a distribution with floor alpha/M, by its masses above the floor.'''

        roots: Vector = per(M, of=nonnegative, nonzero=True)
        masses: Vector = per(M, of=nonnegative, nonzero=True)
        floor: Number = one(probability, alpha, default="1/2")

An axis or a number that is a symbol of ``fltheory.symbols`` is a constant of the record; ``@constant(symbol)`` marks
such a property. ``Losses.drawn()`` is the family from which ``falsify`` draws.
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
AsVector = Any  # a number or a sequence of numbers, exact or as text; the record converts it to a Vector
AsTable = Any  # an entry for every client, each readable as a Vector; the record converts it to a Table
Family = Callable[[], Any]  # builds a strategy that draws cases


def read_vector(values: object) -> Vector:
    """Convert one number or a sequence to a tuple of exact numbers."""
    if isinstance(values, Sequence | np.ndarray) and not isinstance(values, str):
        return tuple(exact(v) for v in values)
    return (exact(values),)


def read_table(values: object) -> Table:
    """Convert values to one vector for every client."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ValueError(f"expected one entry for every client, got {values!r}")
    return tuple(read_vector(v) for v in values)


def indices(values: object, n: int, what: str = "items") -> tuple[int, ...]:
    """Return distinct integers from 0 to n - 1, sorted; ValueError names the mistake."""
    found = read_vector(values)
    if any(not isinstance(v, int) or not 0 <= v < n for v in found) or len(set(found)) < len(found):
        raise ValueError(f"{what} {shortest_form(found)}: expected different integers from 0 to {n - 1}")
    return tuple(sorted(found))


def shortest_form(values: object) -> Any:
    """Return the shortest form that reads back equal: numbers for one coordinate, tuples for more."""
    if isinstance(values, tuple):
        inner = tuple(shortest_form(v) for v in values)
        return inner[0] if len(inner) == 1 and not (isinstance(inner[0], tuple) or is_dataclass(inner[0])) else inner
    return values if is_dataclass(values) else exact_text(values)


def printable_table(value: object) -> Any:
    """Return the shortest form of a table, which keeps its clients even if there is only one."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return tuple(shortest_form(row) for row in value)
    return shortest_form(value)


def format_arguments(given: Mapping[str, object]) -> str:
    """Format keyword arguments so that they read back: ``start=1, slopes=(0, '1/2')``."""
    return ", ".join(f"{name}={printable_table(value)!r}" for name, value in given.items())


@dataclass(frozen=True)
class Domain:
    """The values that a field may hold, their description, and a strategy that draws them (built lazily)."""

    words: str
    holds: Callable[[Any], bool]
    draw: Family
    read: Callable[[Any], Any] = exact  # parses one value
    values: tuple[object, ...] | None = None  # all values, if there are finitely many


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
    """Return the domain of integers of at least ``least``, drawn up to ``most``."""

    def build() -> SearchStrategy[int]:
        from hypothesis import strategies as st

        return st.integers(least, most)

    return Domain(f"integers of at least {least}", lambda v: isinstance(v, int) and v >= least, build)


def one_of(*values: object) -> Domain:
    """Return the domain of some values."""

    def build() -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        return st.sampled_from(values)

    return Domain(f"one of {', '.join(map(str, values))}", lambda v: v in values, build, values=values)


def one_of_names(*names: str) -> Domain:
    """Return the domain of some names."""
    return replace(one_of(*names), read=lambda v: v)


def rational(of: Domain) -> Domain:
    """Return the rational numbers of a domain."""
    words = "rational numbers" if of.words == "numbers" else f"rational numbers, {of.words}"
    return replace(of, words=words, holds=lambda v: isinstance(v, int | Fraction) and of.holds(v))


class FieldSpec(NamedTuple):
    """The declaration of a field: its domain, its axes and its symbol."""

    domain: Domain
    axes: tuple[Symbol | str, ...] = ()
    nonzero: bool = False
    symbol: Symbol | None = None


def scalar(domain: Domain, symbol: Symbol | None = None, default: Any = MISSING) -> Any:
    """Declare a field of one number, which is the constant ``symbol`` if given."""
    return _dataclass_field(FieldSpec(domain, symbol=symbol), default)


def per(*axes: Symbol | str, of: Domain, nonzero: bool = False, default: Any = MISSING) -> Any:
    """Declare a number for every client or every (client, coordinate); fields with the same axis have equal lengths.

    An axis that is a symbol is a constant of the record. ``nonzero``: not all entries are 0. The default () means ones;
    a table with that default may be omitted.
    """
    return _dataclass_field(FieldSpec(of, axes, nonzero), default)


def _dataclass_field(declared: FieldSpec, default: Any) -> Any:
    return field(default=default, metadata={"declared": declared})


class Constant(property):
    """A property of a record that is a constant."""

    symbol: Symbol


def constant(symbol: Symbol) -> Callable[[Callable[[Any], Any]], Any]:
    """Mark a property as a constant of the record: ``@constant(oracle_energy) def energy(self): ...``."""

    def mark(function: Callable[[Any], Any]) -> Constant:
        made = Constant(function)
        made.symbol = symbol
        return made

    return mark


@dataclass_transform(frozen_default=True, field_specifiers=(scalar, per))
class Record:
    """A frozen dataclass of declared fields; ``require`` checks conditions on several fields.

    A field without a declaration is stored unchanged, such as other records or functions.
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
        """Raise ValueError if the fields are inconsistent."""

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The sizes, fields and properties that are constants."""
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
        """Return the record with some fields changed."""
        return replace_fields(self, **changes)

    @classmethod
    def drawn(cls, least: int = 1, most: int = 4, settings: Mapping[str, Any] | None = None, **given: Any) -> Family:
        """Return a family for ``falsify``: axes have ``least`` to ``most`` entries, fields come from their domains.

        ``given`` maps fields to other domains, strategies (built lazily) or fixed values; ``settings`` does the same
        for other constants of the case.
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
    """Return families for the options of a strategy, which ``load`` imports on the first draw.

    @lazy_strategy
    def trainings() -> Any:
        from fltheory.papers.osmd.training import trainings

        return trainings
    """

    def family(**options: Any) -> Family:
        return lambda: load()(**options)

    return family


def _constant_properties(cls: type) -> dict[str, Constant]:
    """Return the properties of a class that are constants."""
    return {
        name: member
        for base in reversed(cls.__mro__)
        for name, member in vars(base).items()
        if isinstance(member, Constant)
    }


def _read_field(name: str, given: object, declared: FieldSpec, sizes: dict[Symbol | str, int], ones: bool) -> Any:
    """Parse the value of a field exactly; ValueError names the mistake and the expected values."""
    domain, axes, nonzero, _ = declared
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
    if not all(map(domain.holds, flat)) or (nonzero and not any(flat)):
        raise ValueError(f"{name} = {shortest_form(value)}: expected {domain.words}{', not all 0' if nonzero else ''}")
    return value


def _check_axis_length(name: str, axis: Symbol | str, length: int, sizes: dict[Symbol | str, int]) -> None:
    if sizes.setdefault(axis, length) != length or not length:
        raise ValueError(f"{name} has {length} entries for {axis}: expected {sizes[axis] or 'at least one'}")


def _as_strategy(given: object) -> Any:
    """Return a strategy from a domain, from a function that builds one, or for a fixed value."""
    from hypothesis import strategies as st

    if isinstance(given, Domain):
        return given.draw()
    if isinstance(given, st.SearchStrategy):
        return given
    return given() if callable(given) else st.just(given)


def _draw_field(draw: DrawFn, declared: FieldSpec, sizes: dict[Symbol | str, int], limits: tuple[int, int]) -> Any:
    """Draw a value of a field from its domain; fields with the same axis have equal lengths."""
    from hypothesis import strategies as st

    source = declared.domain.draw()
    for axis in reversed(declared.axes):
        if axis not in sizes:
            sizes[axis] = draw(st.integers(*limits))
        source = st.lists(source, min_size=sizes[axis], max_size=sizes[axis])
    return draw(source)


class Data:
    """A frozen dataclass whose ``repr`` rebuilds it; ``_set`` and related methods serve ``__post_init__``."""

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
    """Return an integer of at least ``least``, or raise ValueError with its name."""
    value = exact(given)
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{name} = {value}: expected an integer of at least {least}")
    return value


def all_records(kind: type) -> tuple[Record, ...] | None:
    """Return all records of a class, or None unless they are known to be finitely many."""
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
            continue  # the fields are inconsistent
    return tuple(found)
