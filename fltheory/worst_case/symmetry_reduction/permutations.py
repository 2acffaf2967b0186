"""The symmetry of a problem that is invariant under all permutations of its clients, and the blocks that remain.

Some invariant Gram matrix then attains the worst case. It has one number for each orbit of pairs of the basis, and is
semidefinite iff a small block for each irreducible representation is (Young's rational bases).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.worst_case.gram import Expression, Value, Vector, vector
from fltheory.worst_case.problem import APART, CLIENT, NOISE, OPTIMUM, Label, Problem
from fltheory.worst_case.symbolic_run import START_INDEX

MAX_CLIENTS = 6  # clients: 720 permutations
PRIME = 1_000_003  # modulus for tests of independence
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """All permutations of the clients as permutations of the basis: ``images[g, i]`` is where g takes vector i."""

    n_clients: int
    permutations: tuple[tuple[int, ...], ...]
    images: np.ndarray

    @cached_property
    def first(self) -> np.ndarray:
        """Return the first vector of each orbit, (size,)."""
        return self.images.min(axis=0)

    @cached_property
    def _to_first(self) -> np.ndarray:
        """Return a permutation that takes each vector to the first of its orbit, (size,)."""
        return self.images.argmin(axis=0)

    @cached_property
    def _beside(self) -> dict[int, np.ndarray]:
        """Return for each first vector the least image of every vector under the permutations that fix it."""
        found = {}
        for i in np.unique(self.first).tolist():
            found[i] = self.images[self.images[:, i] == i].min(axis=0)
        return found

    def pair(self, i: int, j: int) -> Pair:
        """Return one pair of the orbit of the unordered pair."""
        return min(self._ordered(i, j), self._ordered(j, i))

    def _ordered(self, i: int, j: int) -> Pair:
        first = int(self.first[i])
        return first, int(self._beside[first][self.images[self._to_first[i], j]])

    def value(self, name: Value) -> Value:
        """Return one value of the orbit."""
        return image_of_value(name, self.first)

    def averaged(self, expression: Expression) -> tuple[dict[Pair, Any], dict[Value, Any]]:
        """Return the mean over all permutations: coefficients of orbits of pairs, and of values."""
        products: dict[Pair, Any] = {}
        values: dict[Value, Any] = {}
        for (i, j), c in expression.products.items():
            pair = self.pair(i, j)
            products[pair] = products[pair] + c if pair in products else c
        for name, c in expression.values.items():
            first = self.value(name)
            values[first] = values[first] + c if first in values else c
        return products, values

    def orbit(self, label: Label) -> tuple[Label, ...]:
        """Return the orbit of a label under the permutations."""
        if label[0] in (NOISE, APART):
            moved = (_image_of_place(self.images, int(str(index))) for index in label[1:])
            return tuple(dict.fromkeys((label[0], *one) for one in zip(*moved, strict=True)))
        if label[0] != CLIENT:
            return (label,)
        _, m, a, b = label
        moved = (_image_of_place(self.images, int(str(place))) for place in (a, b))
        clients = (permutation[int(str(m))] for permutation in self.permutations)
        return tuple(dict.fromkeys((CLIENT, *one) for one in zip(clients, *moved, strict=True)))

    def labels(self, problem: Problem) -> Iterator[Label]:
        """Return one label of each orbit of limits."""
        yield from (label for label, _ in problem.known)
        client = 0  # every orbit occurs here
        stays = [g for g, p in enumerate(self.permutations) if p[client] == client]
        seen: set[Pair] = set()
        images = self.images[stays]
        for a in problem.places[client]:
            for b in problem.places[client]:
                if a == b or (a, b) in seen:
                    continue
                seen.update(zip(_image_of_place(images, a), _image_of_place(images, b), strict=True))
                yield (CLIENT, client, a, b)
        yield from self._of_noise(problem)

    def _of_noise(self, problem: Problem) -> Iterator[Label]:
        yield from ((NOISE, i) for i in problem.noises if self.first[i] == i)
        seen: set[Pair] = set()
        for i, others in problem.noises.items():
            for j in sorted(others) if self.first[i] == i else ():
                pair = self.pair(i, j)
                if pair not in seen and not (problem.free and j == START_INDEX):
                    seen.add(pair)
                    yield (APART, i, j)


def _image_of_place(images: np.ndarray, place: int) -> list[int]:
    """Return the image of a client's place; its optimum is fixed."""
    return [OPTIMUM] * len(images) if place == OPTIMUM else images[:, place].tolist()


def symmetry(problem: Problem) -> Symmetry | None:
    """Return the symmetry of a problem under all permutations of its clients; None if it lacks one, or is too large."""
    n = problem.n_clients
    made = generators(problem) if 1 < n <= MAX_CLIENTS else None
    if made is None:
        return None
    known = {tuple(range(n)): np.arange(problem.size)}
    fresh = list(known)
    while fresh:
        found = []
        for permutation in fresh:
            for generator, image in made:
                product = tuple(generator[i] for i in permutation)
                if product not in known:
                    known[product] = image[known[permutation]]
                    found.append(product)
        fresh = found
    ordered = tuple(sorted(known))
    return Symmetry(n, ordered, np.array([known[p] for p in ordered]))


def image_of_value(name: Value, image: Sequence[int] | np.ndarray) -> Value:
    """Return the image of a value, which has the index of a gradient or is a product of the start with a vector."""
    if isinstance(name, tuple):
        return START_INDEX, int(image[name[1]])
    return int(image[name]) if isinstance(name, int) else name


def generators(problem: Problem) -> list[tuple[tuple[int, ...], np.ndarray]] | None:
    """Return two generators of all permutations, a swap of two clients and a cyclic shift, with their actions.

    None if one of them changes the problem.
    """
    n = problem.n_clients
    found = []
    for permutation in ((1, 0, *range(2, n)), (*range(1, n), 0)):
        image = _image(problem, permutation)
        if image is None or not _is_invariant(problem, image):
            return None
        found.append((permutation, np.array(image)))
    return found


def _image(problem: Problem, permutation: Sequence[int]) -> list[int] | None:
    """Return the image of the basis under a permutation of clients; None if it evaluates a client only on one side."""
    n, record = problem.n_clients, problem.record
    image = [0, *(1 + permutation[m] for m in range(n)), *[-1] * len(record.made)]
    for key, index in record.made.items():
        other = record.made.get(key._replace(client=permutation[key.client], point=_image_of_vector(key.point, image)))
        if other is None:
            return None
        image[index] = other
    return image


def _image_of_vector(point: Vector, image: Sequence[int]) -> Vector:
    """Return the image of a vector under a permutation of the basis."""
    return vector({image[i]: c for i, c in point})


def _is_invariant(problem: Problem, image: Sequence[int]) -> bool:
    """Return whether the objective and the limits beyond the class are invariant."""
    return all(
        _image_of_expression(e, image) == e
        for e in (problem.objective, *(problem.told(limit) for _, limit in problem.known))
    )


def _image_of_expression(expression: Expression, image: Sequence[int]) -> Expression:
    products = {}
    for (i, j), c in expression.products.items():
        a, b = image[i], image[j]
        products[min(a, b), max(a, b)] = c
    values = {image_of_value(v, image): c for v, c in expression.values.items()}
    return Expression(products, values, expression.constant)


# Blocks -----------------------------------------------------------------------------------------------------------------


def representation_blocks(symmetry: Symmetry, without_start: bool = False) -> tuple[np.ndarray, ...]:
    """Return integer matrices (rows, size), one for each irreducible representation: an invariant form is
    semidefinite iff it is so on each of them, up to the sum of the h, on which nothing depends.

    ArithmeticError if they don't span everything, by their number.
    """
    found, n = [], symmetry.n_clients
    spanned = 0
    size = symmetry.images.shape[1]
    for shape in partitions(n):
        rows: list[np.ndarray] = []
        symmetriser = young_symmetriser(shape)
        for first in np.unique(symmetry.first).tolist()[int(without_start) :]:
            members = np.flatnonzero(symmetry.first == first)
            own = _independent(_apply_symmetriser(symmetry, symmetriser, members))
            if first == 1 and shape == (n,):
                own = own[:0]
            rows += [_place_row(row, members, size) for row in own]
        spanned += len(rows) * representation_dimension(shape)
        if rows:
            found.append(np.array(rows))
    if spanned != size - 1 - int(without_start):
        raise ArithmeticError("the blocks don't span the basis")
    return tuple(found)


def _apply_symmetriser(
    symmetry: Symmetry, symmetriser: Mapping[tuple[int, ...], int], members: np.ndarray
) -> np.ndarray:
    """Return the symmetriser applied to vector b in row b, over the members of its orbit."""
    place = {int(b): i for i, b in enumerate(members)}
    number = {p: g for g, p in enumerate(symmetry.permutations)}
    found = np.zeros((len(members), len(members)), dtype=np.int64)
    rows = np.arange(len(members))
    for permutation, sign in symmetriser.items():
        images = symmetry.images[number[permutation], members]
        found[rows, [place[int(b)] for b in images]] += sign
    return found


def _place_row(row: np.ndarray, members: np.ndarray, size: int) -> np.ndarray:
    found = np.zeros(size, dtype=np.int64)
    found[members] = row
    return found


def _independent(rows: np.ndarray) -> list[np.ndarray]:
    """Return a largest set of rows that are independent modulo a prime, hence over the rationals."""
    reduced: list[tuple[int, np.ndarray]] = []
    found = []
    for row in rows:
        left = row % PRIME
        for pivot, other in reduced:
            if left[pivot]:
                left = (left - left[pivot] * other) % PRIME
        pivots = np.flatnonzero(left)
        if len(pivots):
            pivot = int(pivots[0])
            reduced.append((pivot, left * pow(int(left[pivot]), -1, PRIME) % PRIME))
            found.append(row)
    return found


def partitions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Return the partitions of n, largest parts first."""
    if n == 0:
        yield ()
        return
    for k in range(min(n, most or n), 0, -1):
        for rest in partitions(n - k, k):
            yield (k, *rest)


def representation_dimension(shape: Sequence[int]) -> int:
    """Return the dimension of an irreducible representation, by hook lengths."""
    columns = [sum(length > j for length in shape) for j in range(shape[0])]
    hooks = (shape[i] - j + columns[j] - i - 1 for i in range(len(shape)) for j in range(shape[i]))
    return math.factorial(sum(shape)) // math.prod(hooks)


def young_symmetriser(shape: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Return the Young symmetriser of the tableau filled row by row: permutations with their signs."""
    n, first = sum(shape), list(itertools.accumulate(shape, initial=0))
    rows = [list(range(a, b)) for a, b in itertools.pairwise(first)]
    columns = [[row[j] for row in rows if j < len(row)] for j in range(shape[0])]
    found: dict[tuple[int, ...], int] = {}
    for of_rows in _stabiliser(rows, n):
        for of_columns in _stabiliser(columns, n):
            permutation = tuple(of_rows[of_columns[x]] for x in range(n))
            found[permutation] = found.get(permutation, 0) + _sign(of_columns)
    return found


def _stabiliser(parts: Sequence[Sequence[int]], n: int) -> Iterator[tuple[int, ...]]:
    """Return the permutations that preserve each part."""
    for choice in itertools.product(*(itertools.permutations(part) for part in parts)):
        image = [0] * n
        for part, taken in zip(parts, choice, strict=True):
            for a, b in zip(part, taken, strict=True):
                image[a] = b
        yield tuple(image)


def _sign(permutation: Sequence[int]) -> int:
    inversions = sum(a > b for a, b in itertools.combinations(permutation, 2))
    return -1 if inversions % 2 else 1
