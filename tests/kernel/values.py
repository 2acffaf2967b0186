"""The page of semantics as a program: what a term of an exported proof is worth at a point.

It reads the JSON of a term and knows nothing of the kernel. A number is a rational (``fmpq``) while it can be, else a ball
(``arb``) that holds it; a vector is a tuple of numbers. What no ball decides is ``Undecided``, and never guessed. Each case
below stands under the words of its row in ``docs/reference/semantics.md``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from tests.kernel.worlds import Undecided, Unfit, World

Number = fmpq | arb
Vector = tuple[Number, ...]
Indices = Mapping[tuple[str, str], fmpq]  # (name, sort) of a letter that a sum or a range binds, and its integer
BITS, LONGEST, LARGEST = 192, 60, 3000
ZERO, ONE = fmpq(0), fmpq(1)


# Numbers --------------------------------------------------------------------------------------------------------------


def add(a: Number, b: Number) -> Number:
    """a + b."""
    return a + b if type(a) is type(b) else arb(a) + arb(b)


def multiply(a: Number, b: Number) -> Number:
    """a b; 0 times anything is 0."""
    if type(a) is type(b):
        return a * b
    return ZERO if ZERO in (a if isinstance(a, fmpq) else None, b if isinstance(b, fmpq) else None) else arb(a) * arb(b)


def negative(a: Number) -> Number:
    """-a."""
    return -a


def sign(a: Number) -> int:
    """-1, 0 or 1."""
    if a > 0:
        return 1
    if a < 0:
        return -1
    if isinstance(a, fmpq) or a == 0:
        return 0
    raise Undecided(f"the sign of {a}")


def integer(a: Number) -> int | None:
    """The integer that a number is, or None."""
    if isinstance(a, fmpq):
        return int(a.p) if a.q == 1 else None
    if a.contains_integer():
        raise Undecided(f"whether {a} is an integer")
    return None


def power(a: Number, x: Number) -> Number:
    """a^n: n-fold product, a^0 = 1 for every a, a^-n = (1/a)^n, 1/0 = 0; x no integer: exp(x log a) for a > 0, else 0."""
    if isinstance(x, arb) and a > 0:
        return (x * arb(a).log()).exp()  # the same for integers
    n = integer(x)
    if n is None:
        return _real_power(a, x) if sign(a) > 0 else ZERO
    if n == 0:
        return ONE
    if sign(a) == 0:
        return ZERO
    if isinstance(a, fmpq) and (abs(a) == 1 or abs(n) <= LARGEST):
        return a**n
    return arb(a) ** n


def _real_power(a: Number, x: Number) -> Number:
    if isinstance(a, fmpq) and isinstance(x, fmpq):
        roots = [_exact_root(part, int(x.q)) for part in (a.p, a.q)]
        if None not in roots and abs(x.p) <= LARGEST:
            return fmpq(*roots) ** int(x.p)
    return (arb(x) * arb(a).log()).exp()


def _exact_root(a: fmpz, degree: int) -> fmpz | None:
    if degree > 8:
        return fmpz(1) if a == 1 else None
    root = fmpz(a).root(degree)
    return root if root**degree == a else None


def logarithm(a: Number) -> Number:
    """The logarithm for a > 0, else 0."""
    if sign(a) <= 0:
        return ZERO
    return ZERO if a == 1 and isinstance(a, fmpq) else arb(a).log()


def floor(a: Number) -> Number:
    """The largest integer that is at most a."""
    if isinstance(a, fmpq):
        return fmpq(a.floor())
    found = a.floor().unique_fmpz()
    if found is None:
        raise Undecided(f"the floor of {a}")
    return fmpq(found)


def binomial(n: Number, k: Number) -> Number:
    """The binomial coefficient for integers 0 <= k <= n, else 0."""
    top, below = integer(n), integer(k)
    if top is None or below is None or not 0 <= below <= top:
        return ZERO
    return fmpq(math.comb(top, below))


def indicator(a: Number) -> Number:
    """1 for a >= 0, else 0."""
    return ONE if sign(a) >= 0 else ZERO


def _elementary(word: str) -> Callable[[Number], Number]:
    def one(a: Number) -> Number:
        if a == 0 and isinstance(a, fmpq):
            return ZERO if word == "sin" else ONE
        found: arb = getattr(arb(a), word)()
        return found

    return one


def _extreme(values: Sequence[Number], largest: bool) -> Number:
    if all(isinstance(v, fmpq) for v in values):
        return max(values) if largest else min(values)
    found = arb(values[0])
    for v in values[1:]:
        found = found.max(arb(v)) if largest else found.min(arb(v))
    return found


ONE_NUMBER: dict[str, Callable[[Number], Number]] = {
    "exp": _elementary("exp"),
    "sin": _elementary("sin"),
    "cos": _elementary("cos"),
    "abs": abs,
    "log": logarithm,
    "floor": floor,
    "indicator": indicator,
}


# Terms ----------------------------------------------------------------------------------------------------------------


def number(term: Any, world: World, at: Indices, outcome: int) -> Number:
    """The number that a term is, at an outcome, for these values of indices."""
    if isinstance(term, str):
        p, _, q = term.partition("/")
        return fmpq(int(p), int(q or 1))
    word, args = term[0], term[1:]
    if word in ("symbol", "family"):
        return _letter(term, world, at, outcome)
    if word == "sum":
        found = ZERO
        for inner in integers([args[1:]], world, at, outcome):
            found = add(found, number(args[0], world, inner, outcome))
        return found
    if word == "mean":
        return _mean(term, world, at)
    if word == "dot":
        u, v = (vector(a, world, at, outcome) for a in args)
        return _inner(u, v)
    if word == "val":
        return function(args[0], vector(args[1], world, at, outcome), world, at, outcome)[0]
    own = [number(a, world, at, outcome) for a in args]
    if word == "+":
        return _folded(add, own, ZERO)
    if word == "*":
        return _folded(multiply, own, ONE)
    if word == "^":
        return power(own[0], own[1])
    if word in ONE_NUMBER:
        return ONE_NUMBER[word](own[0])
    if word in ("max", "min"):
        return _extreme(own, word == "max")
    if word == "binomial":
        return binomial(*own)
    if word == "draw":
        return fmpq(world.drawn(outcome, [integer(a) for a in own]))
    if word in ("e", "pi"):
        return arb(1).exp() if word == "e" else arb.pi()
    if word == "poly":  # as the kernel calls a sum below the line
        return own[0]
    raise ValueError(f"{word} is no word of a number")


def _folded(act: Callable[[Number, Number], Number], own: Sequence[Number], start: Number) -> Number:
    for a in own:
        start = act(start, a)
    return start


def _mean(term: Any, world: World, at: Indices) -> Number:
    """The sum over the outcomes of probability times value."""
    if not chancy(term[1]):
        return number(term[1], world, at, 0)
    key = (id(term), *((k, int(v.p)) for k, v in at.items()))
    if key not in world.memo:
        found = ZERO
        for outcome, (probability, _) in enumerate(world.outcomes):
            found = add(found, multiply(probability, number(term[1], world, at, outcome)))
        world.memo[key] = found
    return world.memo[key]


def _letter(term: Any, world: World, at: Indices, outcome: int) -> Any:
    """A letter is a real number of its sort; members of ``Random...`` families are functions of the outcome."""
    if term[0] == "symbol":
        key = (term[1], term[2])
        if key in at:
            return at[key]
        own = world.definitions.get(("symbol", *key))
        return _defined(own, (), world, outcome) if own else world.value(("symbol", *key))
    place = tuple(number(a, world, at, outcome) for a in term[3:])
    kind, name = term[1], term[2]
    own = world.definitions.get((kind, name, len(place)))
    if own:
        return _defined(own, place, world, outcome)
    return world.value((kind, name, named(place), outcome if kind.startswith("Random") else None))


def named(place: Sequence[Number]) -> tuple[Any, ...]:
    """Indices as a key."""
    if any(isinstance(v, arb) for v in place):
        raise Undecided("a member at an irrational index")
    return tuple(int(v.p) if v.q == 1 else (int(v.p), int(v.q)) for v in place)


def _defined(own: Any, place: tuple[Number, ...], world: World, outcome: int) -> Any:
    left, right = own
    key = (id(right), named(place), outcome if chancy(right) else 0)
    if key not in world.memo:
        if world.depth > 200:
            raise Undecided("definitions within definitions")
        world.depth += 1
        try:
            at = {(s[1], s[2]): v for s, v in zip(left[3:], place, strict=True)} if left[0] == "family" else {}
            many = left[0] == "family" and left[1] in VECTORS
            world.memo[key] = (vector if many else number)(right, world, at, outcome)
        finally:
            world.depth -= 1
    return world.memo[key]


VECTORS = ("Vector", "RandomVector")


def vector(term: Any, world: World, at: Indices, outcome: int) -> Vector:
    """The vector that a term is; "0" is the vector 0 too."""
    nothing: Vector = (ZERO,) * world.dimension
    if isinstance(term, str):
        if term != "0":
            raise ValueError(f"{term} is no vector")
        return nothing
    word, args = term[0], term[1:]
    if word == "family":
        return _letter(term, world, at, outcome)
    if word == "grad":
        return function(args[0], vector(args[1], world, at, outcome), world, at, outcome)[1]
    if word == "+":
        return _added((vector(a, world, at, outcome) for a in args), nothing)
    if word == "sum":
        ranges = integers([args[1:]], world, at, outcome)
        return _added((vector(args[0], world, inner, outcome) for inner in ranges), nothing)
    if word == "*":
        own = [a for a in args if many(a)]
        if not own:
            if any(a == "0" for a in args):
                return nothing
            raise ValueError("no vector in a product")
        factor = _folded(multiply, [number(a, world, at, outcome) for a in args if a is not own[0]], ONE)
        return tuple(multiply(factor, c) for c in vector(own[0], world, at, outcome))
    raise ValueError(f"{word} is no word of a vector")


def _added(vectors: Iterator[Vector], start: Vector) -> Vector:
    for v in vectors:
        start = tuple(map(add, start, v))
    return start


def _inner(u: Vector, v: Vector) -> Number:
    return _folded(add, list(map(multiply, u, v)), ZERO)


def many(term: Any) -> bool:
    """Whether a term is a vector."""
    if isinstance(term, str):
        return False
    if term[0] == "family":
        return term[1] in VECTORS
    if term[0] in ("+", "*"):
        return any(map(many, term[1:]))
    return term[0] == "grad" or (term[0] == "sum" and many(term[1]))


_CHANCY: dict[int, tuple[Any, bool]] = {}


def chancy(term: Any) -> bool:
    """Whether a term depends on the outcome, as it is written."""
    if isinstance(term, str):
        return False
    known = _CHANCY.get(id(term))
    if known is None or known[0] is not term:
        own = term[0] == "draw" or (term[0] == "family" and term[1].startswith("Random"))
        told = own or (term[0] != "mean" and any(chancy(a) for a in term[1:] if isinstance(a, list)))
        known = _CHANCY[id(term)] = (term, told)
    return known[1]


def function(term: Any, point: Vector, world: World, at: Indices, outcome: int) -> tuple[Number, Vector]:
    """The value and the gradient of a function at a point.

    Of a class with the constants L and m it is a sum over coordinates of t x^2 / 2 with m <= t <= L (a quadratic), or of
    m x^2 / 2 and (L - m) times a Huber function, plus b x + c. Of no class: two polynomials that know nothing of each other.
    """
    place = tuple(number(a, world, at, outcome) for a in term[3:])
    own = world.members.get(("Fun", term[2], len(place)))
    key = (term[2], named(place), None)
    drawn = world.shape(("Fun", *key))
    offset, slopes = world.value(("offset", *key)), world.value(("slopes", *key))
    if own is None or own[1:] == (None, None):
        wild = _folded(add, [multiply(multiply(x, x), t) for x, (t, _, _) in zip(point, drawn, strict=True)], offset)
        return wild, tuple(add(b, multiply(x, s)) for x, b, (_, s, _) in zip(point, slopes, drawn, strict=True))
    slots = {(s[1], s[2]): v for s, v in zip(own[0][3:], place, strict=True)}
    smooth, convex = (None if c is None else number(c, world, slots, outcome) for c in own[1:])
    low, high = _curvatures(smooth, convex)
    value, gradient = offset, []
    for x, b, (t, bend, bent) in zip(point, slopes, drawn, strict=True):
        if bent:
            f, slope = _huber(x, bend)
            more = add(high, negative(low))
            f = add(multiply(more, f), multiply(low, multiply(x, x) * fmpq(1, 2)))
            slope = add(multiply(more, slope), multiply(low, x))
        else:
            curve = add(multiply(t, high), multiply(1 - t, low))
            f, slope = multiply(curve, multiply(x, x) * fmpq(1, 2)), multiply(curve, x)
        value = add(value, add(f, multiply(b, x)))
        gradient.append(add(slope, b))
    return value, tuple(gradient)


def _curvatures(smooth: Number | None, convex: Number | None) -> tuple[Number, Number]:
    high = smooth if smooth is not None else add(abs(convex), ONE)
    low = convex if convex is not None else negative(high)
    if sign(high) < 0 or sign(add(high, negative(low))) < 0:
        raise Unfit("no function is in this class")
    return (low if sign(add(low, high)) >= 0 else negative(high)), high


def _huber(x: Number, bend: fmpq) -> tuple[Number, Number]:
    """x^2 / 2 near 0, and |x| bend - bend^2 / 2 from the bend on; its slope."""
    if sign(add(abs(x), -bend)) <= 0:
        return multiply(x, x) * fmpq(1, 2), x
    side = sign(x)
    return add(abs(x) * bend, -bend * bend / 2), bend * side


# Lines ----------------------------------------------------------------------------------------------------------------


def integers(ranges: Sequence[Any], world: World, at: Indices, outcome: int) -> Iterator[Indices]:
    """All integers i with low <= i <= high, range by range; of what has no end, those near its other end, or near 0."""
    if not ranges:
        yield at
        return
    (index, low, high), *rest = ranges
    first = None if low == ["-oo"] else number(low, world, at, outcome)
    last = None if high == ["oo"] else number(high, world, at, outcome)
    start = None if first is None else int((-floor(negative(first))).p)
    stop = None if last is None else int(floor(last).p)
    if start is None and stop is None:
        start, stop = -world.window, world.window
    start = stop - world.window if start is None else start
    stop = start + world.window if stop is None else stop
    if stop - start >= LONGEST:
        raise Undecided("a long range")
    for i in range(start, stop + 1):
        yield from integers(rest, world, {**at, (index[1], index[2]): fmpq(i)}, outcome)


TRUE, FALSE, OPEN = 1, -1, 0


def gap(line: Any, world: World, at: Indices, outcome: int) -> Number | Vector:
    """right - left."""
    left, right = line["left"], line["right"]
    if many(left) or many(right):
        u, v = (vector(s, world, at, outcome) for s in (left, right))
        return tuple(add(b, negative(a)) for a, b in zip(u, v, strict=True))
    return add(number(right, world, at, outcome), negative(number(left, world, at, outcome)))


def holds(op: str, difference: Number | Vector) -> int:
    """TRUE or FALSE of 0 op difference; OPEN where no ball decides."""
    if isinstance(difference, tuple):
        told = [holds(op, c) for c in difference]
        return FALSE if FALSE in told else OPEN if OPEN in told else TRUE
    try:
        own = sign(difference)
    except Undecided:
        if op == "<=" and difference >= 0:
            return TRUE
        return FALSE if op == "<" and difference <= 0 else OPEN
    return TRUE if {"<=": own >= 0, "<": own > 0, "==": own == 0}[op] else FALSE


def places(line: Any, world: World) -> Iterator[tuple[Indices, int]]:
    """Every value of the indices of a line, and every outcome on which it depends."""
    some = chancy(line["left"]) or chancy(line["right"])
    for at in itertools.islice(integers(line["over"], world, {}, 0), 400):
        for outcome in range(len(world.outcomes) if some else 1):
            yield at, outcome


def near(difference: Number | Vector) -> bool:
    """Whether a number that no ball tells from 0 is within 10^-20 of it: an equality of irrational numbers."""
    parts = difference if isinstance(difference, tuple) else (difference,)
    return all(isinstance(c, fmpq) or abs(c) < arb("1e-20") for c in parts)


def exactly() -> Any:
    """The precision of the balls."""
    return ctx.workprec(BITS)
