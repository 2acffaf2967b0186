"""Linear forms of an unknown set function, and algorithms that decide by comparing them.

An algorithm is written for a ``Game``: it reads values, gradients and multilinear extensions of f as linear forms, and
asks for the best option. The answer is unknown, so every answer is tried: a run follows a script of answers and keeps
the inequalities that they imply for f. Sets are bitmasks inside forms: item e is in S iff bit e of the mask is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, Protocol, runtime_checkable

from fltheory.number import exact

Option = Any  # an item, a frozenset of items, or a bool
Label = tuple[Any, ...]  # ("monotone", S, e) or ("submodular", S, i, j), S a mask
MAX_BASES = 5000
MAX_COMPARISONS = 10_000  # comparisons on one path, repeated ones included


@dataclass(frozen=True)
class Form:
    """A linear form sum_S c_S f(S) with f(empty) = 0: pairs (mask of S, c_S), sorted, without zeros."""

    terms: tuple[tuple[int, Fraction], ...] = ()

    @classmethod
    def of(cls, coefficients: Mapping[int, Fraction]) -> Form:
        """Return the form with these coefficients, without that of the empty set."""
        return cls(tuple(sorted((mask, c) for mask, c in coefficients.items() if mask and c)))

    def __hash__(self) -> int:  # hashes of fractions cost a power modulo a prime each
        return hash(tuple((mask, c.numerator) for mask, c in self.terms))

    def __add__(self, other: object) -> Form:
        if isinstance(other, int) and other == 0:  # start value of ``sum``
            return self
        if not isinstance(other, Form):
            return NotImplemented
        total = dict(self.terms)
        for mask, c in other.terms:
            total[mask] = total.get(mask, Fraction(0)) + c
        return type(self).of(total)

    __radd__ = __add__

    def __neg__(self) -> Form:
        return type(self)(tuple((mask, -c) for mask, c in self.terms))

    def __sub__(self, other: Form) -> Form:
        return self + -other if isinstance(other, Form) else NotImplemented

    def __mul__(self, factor: object) -> Form:
        scale = parse_rational(factor)
        return type(self).of({mask: c * scale for mask, c in self.terms})

    __rmul__ = __mul__

    def __truediv__(self, divisor: object) -> Form:
        return self * (1 / parse_rational(divisor))

    def at(self, values: Sequence[Fraction]) -> Fraction:
        """Return the form's value for the function with this table of 2^n values."""
        return sum((c * values[mask] for mask, c in self.terms), Fraction(0))

    def renamed(self, names: Sequence[int]) -> Form:
        """Return the form with item e renamed to names[e]."""
        renamed = _mask_table(tuple(names))
        return Form(tuple(sorted((renamed[mask], c) for mask, c in self.terms)))


def _raise_unknown(self: Form, other: object = None) -> bool:
    raise ValueError("values of an unknown function can't be compared: ask game.at_least or game.argmax")


class UnknownForm(Form):
    """A form as seen by an algorithm: it can be added and scaled, but its value is unknown."""

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _raise_unknown
    __hash__ = Form.__hash__


def plain_form(form: Form) -> Form:
    """Return the form itself, which has equality."""
    return Form(form.terms)


def parse_rational(value: object) -> Fraction:
    """Return the exact value of a user's rational number; ValueError for any other number."""
    read = exact(value)
    if not isinstance(read, int | Fraction):
        raise ValueError(f"expected a rational number, got {value}")
    return Fraction(read)


def members(mask: int) -> Iterator[int]:
    """Return the items of a set given by its mask."""
    item = 0
    while mask >> item:
        if mask >> item & 1:
            yield item
        item += 1


def mask_of(items: Iterable[int]) -> int:
    """Return the mask of a set of items."""
    return sum(1 << item for item in frozenset(items))


def rename_mask(mask: int, names: Sequence[int]) -> int:
    """Return the mask with item e renamed to names[e]."""
    return mask_of(names[item] for item in members(mask))


@lru_cache(maxsize=256)
def _mask_table(names: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(rename_mask(mask, names) for mask in range(1 << len(names)))


def rename_option(option: Option, names: Sequence[int]) -> Option:
    """Return the option with item e renamed to names[e]."""
    if isinstance(option, frozenset):
        return frozenset(names[item] for item in option)
    return option if isinstance(option, bool) else names[option]


def items_of(option: Option) -> frozenset[int]:
    """Return the items in an option."""
    if isinstance(option, frozenset):
        return option
    return frozenset() if isinstance(option, bool) else frozenset({option})


class Decision(NamedTuple):
    """A comparison in an algorithm, and the answer that was tried."""

    forms: dict[Option, Form]
    taken: Option

    @property
    def inequalities(self) -> list[Form]:
        """Return the forms that are nonnegative if the answer is right."""
        best = self.forms[self.taken]
        return [best - other for option, other in self.forms.items() if option != self.taken]

    @property
    def strict(self) -> Form | None:
        """Return the form that is positive if the answer is right: after a "no", right minus left."""
        return self.forms[False] - self.forms[True] if self.taken is False else None

    def renamed(self, names: Sequence[int]) -> Decision:
        """Return the decision with item e renamed to names[e]."""
        forms = {rename_option(option, names): form.renamed(names) for option, form in self.forms.items()}
        return Decision(forms, rename_option(self.taken, names))


@runtime_checkable
class Independence(Protocol):
    """An independence system on sets: a matroid."""

    def independent(self, items: frozenset[int]) -> bool:
        """Return whether the set is independent."""


class Game:
    """The unknown function f on items 0..n-1, as an algorithm may query it; ties are broken both ways."""

    def __init__(self, n_items: int, script: Sequence[Option] = ()) -> None:
        self.items = frozenset(range(n_items))
        self._n, self._script = n_items, tuple(script)
        self.decisions: list[Decision] = []
        self.n_comparisons = 0
        self._told: dict[Form, bool] = {}  # left minus right of ``at_least``, and the answer on this path

    def value(self, chosen: Iterable[int]) -> Form:
        """Return f(S)."""
        return UnknownForm.of({mask_of(self._set(chosen)): Fraction(1)})

    def extension(self, x: Mapping[int, object] | Sequence[object]) -> Form:
        """Return the multilinear extension E f(R), where R contains each item e independently with probability x_e."""
        return UnknownForm.of(_subset_probabilities(self._point(x)))

    def gradient(self, x: Mapping[int, object] | Sequence[object]) -> dict[int, Form]:
        """Return the partial derivatives of the multilinear extension: F(x | x_e = 1) - F(x | x_e = 0)."""
        point = self._point(x)
        found = {}
        for e in sorted(self.items):
            others = _subset_probabilities({i: v for i, v in point.items() if i != e})
            found[e] = UnknownForm.of(
                {mask: -c for mask, c in others.items()} | {mask | 1 << e: c for mask, c in others.items()}
            )
        return found

    def argmax(self, forms: Mapping[Option, Form]) -> Option:
        """Return an option (an item or a frozenset of items) whose form is largest."""
        for option, form in forms.items():
            known = option if isinstance(option, frozenset) else {option}
            if isinstance(option, bool) or not known <= self.items:
                raise ValueError(f"an option is an item or a frozenset of items, got {option!r}")
            if not isinstance(form, Form):
                raise ValueError(f"option {option!r} is compared by {form!r}, which is no linear form of f")
        if not forms:
            raise ValueError("the largest of no options")
        return self._decide(dict(forms))

    def at_least(self, left: Form, right: Form) -> bool:
        """Return whether left >= right; false only if left is less. A repeated comparison gets the same answer."""
        if not (isinstance(left, Form) and isinstance(right, Form)):
            raise ValueError(f"expected two linear forms of f, got {left!r} and {right!r}")
        gap = plain_form(left) - plain_form(right)
        if not gap.terms:
            self._count()
            return True
        if gap in self._told:
            self._count()
        else:
            self._told[gap] = self._decide({True: left, False: right})
        return self._told[gap]

    def best_base(self, forms: Mapping[int, Form], matroid: Independence | Iterable[Iterable[int]]) -> frozenset[int]:
        """Return a base with the largest sum of forms; the matroid has ``independent(S)``, or is a list of bases."""
        return self.argmax({base: sum((forms[e] for e in base), Form()) for base in self._bases(matroid)})

    def _bases(self, matroid: Independence | Iterable[Iterable[int]]) -> list[frozenset[int]]:
        if not isinstance(matroid, Independence):
            return [self._set(base) for base in matroid]
        for size in range(self._n, -1, -1):
            bases = [s for s in map(frozenset, combinations(sorted(self.items), size)) if matroid.independent(s)]
            if len(bases) > MAX_BASES:
                raise ValueError(f"more than {MAX_BASES} bases")
            if bases:
                return bases
        raise ValueError("not even the empty set is independent")

    def _count(self) -> None:
        self.n_comparisons += 1
        if self.n_comparisons > MAX_COMPARISONS:
            raise ValueError(
                f"the algorithm has not ended after {MAX_COMPARISONS} comparisons in one course: for the functions of that "
                "course it may never end"
            )

    def _decide(self, forms: dict[Option, Form]) -> Option:
        self._count()
        step = len(self.decisions)
        taken = self._script[step] if step < len(self._script) else next(iter(forms))
        if taken not in forms:
            raise ValueError(f"the script's answer {taken!r} isn't among the options of comparison {step + 1}")
        self.decisions.append(Decision({option: plain_form(form) for option, form in forms.items()}, taken))
        return taken

    def _set(self, chosen: Iterable[int]) -> frozenset[int]:
        if not isinstance(chosen, Iterable):
            raise ValueError(f"expected a set of items, got {chosen!r}")
        found = frozenset(chosen)
        if not found <= self.items:
            raise ValueError(f"items are 0..{self._n - 1}, got {sorted(found - self.items, key=repr)}")
        return found

    def _point(self, x: Mapping[int, object] | Sequence[object]) -> dict[int, Fraction]:
        if not isinstance(x, Mapping):
            if len(x) != self._n:
                raise ValueError(f"a point has {self._n} coordinates, got {len(x)}")
            x = dict(enumerate(x))
        self._set(x)
        point = {e: parse_rational(v) for e, v in x.items()}
        for e, v in point.items():
            if not 0 <= v <= 1:
                raise ValueError(f"a point lies in the unit cube, got {v} for item {e}")
        return point


def _subset_probabilities(point: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return the distribution of R: the probability of every set, by its mask."""
    chances = {0: Fraction(1)}
    for e, v in point.items():
        without = {mask: c * (1 - v) for mask, c in chances.items()} if v < 1 else {}
        chances = without | ({mask | 1 << e: c * v for mask, c in chances.items()} if v else {})
    return chances


Algorithm = Callable[[Game], Form]


class AlgorithmRun(NamedTuple):
    """One path of an algorithm: its answers, and the value that it achieves if they are right."""

    achieved: Form
    decisions: tuple[Decision, ...]
    n_comparisons: int = 0

    @property
    def script(self) -> tuple[Option, ...]:
        """Return the answers, in order."""
        return tuple(d.taken for d in self.decisions)

    @property
    def inequalities(self) -> tuple[Form, ...]:
        """Return forms that are nonnegative for the functions with this path, without repetitions."""
        return tuple(dict.fromkeys(f for d in self.decisions for f in d.inequalities if f.terms))

    @property
    def strict(self) -> tuple[Form, ...]:
        """Return those of them that are positive because the answer was no."""
        return tuple(dict.fromkeys(f for d in self.decisions if (f := d.strict) is not None))

    def renamed(self, names: Sequence[int]) -> AlgorithmRun:
        """Return the run with item e renamed to names[e]."""
        return AlgorithmRun(
            self.achieved.renamed(names), tuple(d.renamed(names) for d in self.decisions), self.n_comparisons
        )


def replay(algorithm: Algorithm, n_items: int, script: Sequence[Option] = ()) -> AlgorithmRun:
    """Return the algorithm's run with these answers, and the first option after the end of the script."""
    if not callable(algorithm):
        raise ValueError(f"an algorithm is a function of a game, got {algorithm!r}")
    game = Game(n_items, script)
    achieved = algorithm(game)
    if not isinstance(achieved, Form):
        raise ValueError(f"an algorithm returns what it achieves as a linear form (game.value(S)), got {achieved!r}")
    return AlgorithmRun(plain_form(achieved), tuple(game.decisions), game.n_comparisons)


@lru_cache(maxsize=4)
def elementary_inequalities(n_items: int) -> tuple[tuple[Label, Form], ...]:
    """Return the inequalities of monotone submodular f: f(S+i) + f(S+j) - f(S+i+j) - f(S) >= 0 and f(E) >= f(E-e)."""
    full = (1 << n_items) - 1
    labels: list[Label] = [("monotone", full ^ 1 << e, e) for e in range(n_items)]
    for i, j in combinations(range(n_items), 2):
        labels += [("submodular", mask, i, j) for mask in range(1 << n_items) if not mask & (1 << i | 1 << j)]
    return tuple((label, inequality(label)) for label in labels)


def inequality(label: Label) -> Form:
    """Return the form that is nonnegative by ("monotone", S, e) or ("submodular", S, i, j), S the mask of a set."""
    kind, mask, *items = label
    if any(not isinstance(v, int) or v < 0 for v in (mask, *items)):
        raise ValueError(f"no inequality: {label}")
    bits = [1 << item for item in items]
    if len(set(bits)) != len(bits) or any(mask & bit for bit in bits):
        raise ValueError(f"no inequality: {label}")
    one = Fraction(1)
    if kind == "monotone" and len(bits) == 1:
        return Form.of({mask | bits[0]: one, mask: -one})
    if kind == "submodular" and len(bits) == 2:
        return Form.of({mask | bits[0]: one, mask | bits[1]: one, mask | bits[0] | bits[1]: -one, mask: -one})
    raise ValueError(f"no inequality: {label}")
