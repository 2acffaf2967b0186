"""Symbolic execution of a step on unknown functions: points are linear forms over the gradients evaluated so far.

All sample paths of a run are enumerated, with their probabilities; each gradient is recorded with its client.
The step runs on two coordinates that it must treat alike: a step that mixes them differs between dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq
from sympy import Symbol

from fltheory import symbols
from fltheory.evidence.validation.introspection import forbid_type_inspection
from fltheory.evidence.validation.other_process import require_process_independent
from fltheory.model.case import Case, Client
from fltheory.number import RATIONAL, Number
from fltheory.number.elements import run_exact_init, run_exact_step
from fltheory.number.impurity import forbid_impure_calls
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm, object_array, start_points
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions.affine import CONSTANT, Form, NotAffine, reason_of
from fltheory.runs.distributions.randomness import ScriptedChance, enumerate_outcomes
from fltheory.runs.distributions.sample_paths import AskingOracle
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.method import VariantError
from fltheory.runs.states import leaves
from fltheory.worst_case.any_dimension import ALL_DIMENSIONS_REASON, BlindFunction
from fltheory.worst_case.gram import ONE, ORIGIN, Vector, basis, linear_combination, vector, weights_of

START_INDEX = 0  # the index of x_0 - x* in the basis
N_COORDINATES = 2
MAX_PATHS = 5_000  # largest number for a run


class OutOfReach(ValueError):
    """A step that cannot be executed on unknown functions, with the reason."""


class TooLong(OutOfReach):
    """A run with too many vectors for one problem."""


class GradientQuery(NamedTuple):
    """An evaluated gradient: the client and the point minus x*; its index in the basis is its own."""

    client: int
    point: Vector


class NoiseDraw(NamedTuple):
    """The noise of a gradient: the client, the point minus x*, the round and the local step."""

    client: int
    point: Vector
    round: int
    k: int


class SamplePath(NamedTuple):
    """One sample path of a run: its probability and the points x_0, ..., x_R minus x*."""

    weight: fmpq
    points: tuple[Vector, ...]


@dataclass
class Record:
    """The basis: x_0 - x*, then h_1..h_M whose distances from their mean are the gradients at x*, then the gradients.

    With noise the vectors are random, and an inner product is an expectation. The same noise on several paths is one
    vector: expectations are taken on each path alone, so paths may share draws.

    ``tilted``: the clients differ only by linear functions; the gradients are those of their mean. ``balanced``: the
    gradients at x* sum to 0; otherwise x* is an arbitrary comparator. ``still``: they are all 0.
    ``linear``: the clients are quadratic, and the vectors are products of their Hessians with independent points.
    ``constant``: the gradient of a client is the same at all points.
    ``samples``: this many consecutive functions belong to one client and its gradient is that of one; here every
    function counts as a client. Gradients at x* differ ``within`` clients, and the means of clients ``between`` them.
    """

    n_clients: int
    made: dict[GradientQuery | NoiseDraw, int] = field(default_factory=dict)
    of_round: bool = False  # whether a step used the number of its round
    most: int | None = None  # vectors; TooLong if a run exceeds it
    tilted: bool = False
    balanced: bool = True
    still: bool = False
    overfull: bool = False  # whether a run exceeded ``most``: a step may catch the exception
    linear: bool = False
    constant: bool = False
    samples: int = 1
    within: bool = True
    between: bool = True

    def gradient(self, client: int, point: Vector) -> Vector:
        """Return the gradient of a client at a point, new or evaluated before."""
        if self.constant:
            return self.at_optimum(client)
        if self.linear:
            return linear_combination((ONE, self.image(client, point)), (ONE, self.at_optimum(client)))
        place = self.place(client, point)
        if place is None:
            return self.at_optimum(client)
        if not self.tilted:
            return basis(place)
        return linear_combination((fmpq(1), basis(place)), (fmpq(1), self.at_optimum(client)))

    def place(self, client: int, point: Vector) -> int | None:
        """Return the index of the gradient of a client, or of the mean of tilted ones, at a point; None at x*."""
        if point == ORIGIN:
            return None
        return self._index(GradientQuery(0 if self.tilted else client, point))

    def image(self, client: int, point: Vector) -> Vector:
        """Return the Hessian of a quadratic client times a point, from earlier products for dependent points."""
        own = GradientQuery(0 if self.tilted else client, point)
        before = [(key.point, index) for key, index in self.asked if key.client == own.client]
        weights = weights_of(point, [other for other, _ in before])
        if weights is None:
            return basis(self._index(own))
        return linear_combination(*((weight, basis(index)) for weight, (_, index) in zip(weights, before, strict=True)))

    def noise(self, drawn: NoiseDraw) -> Vector:
        """Return the noise of one gradient."""
        return basis(self._index(drawn))

    def _index(self, key: GradientQuery | NoiseDraw) -> int:
        if self.most is not None and self.size >= self.most and key not in self.made:
            self.overfull = True
            raise self.too_long
        return self.made.setdefault(key, self.size)

    @property
    def too_long(self) -> TooLong:
        """Return the message about a run with too many vectors."""
        return TooLong(f"a run with more than {self.most} vectors is not followed whole")

    @property
    def asked(self) -> Iterator[tuple[GradientQuery, int]]:
        """Return the gradients with their indices."""
        return ((key, index) for key, index in self.made.items() if isinstance(key, GradientQuery))

    @property
    def drawn(self) -> Iterator[tuple[NoiseDraw, int]]:
        """Return the noise with its indices."""
        return ((key, index) for key, index in self.made.items() if isinstance(key, NoiseDraw))

    def before(self, index: int) -> Iterator[int]:
        """Return all vectors that don't depend on this one, a noise."""
        after = {index}
        for key, made in self.made.items():
            if any(i in after for i, _ in key.point):
                after.add(made)
        return (i for i in range(self.size) if i not in after)

    def at_optimum(self, client: int) -> Vector:
        """Return the gradient of a client at x*, of mean 0 for all h; if tilted, the offset everywhere."""
        if self.still:
            return ORIGIN
        if not self.balanced:
            return basis(1 + client)
        own, peers = self._among(client)
        return linear_combination((ONE, basis(1 + own)), *((fmpq(-1, len(peers)), basis(1 + peer)) for peer in peers))

    def _among(self, client: int) -> tuple[int, tuple[int, ...]]:
        """Return the clients whose h determine a gradient at x*, and those whose mean h is subtracted."""
        first = client - client % self.samples
        if not self.within:
            return first, tuple(range(0, self.n_clients, self.samples)) if self.between else (first,)
        return client, tuple(range(self.n_clients) if self.between else range(first, first + self.samples))

    @property
    def needless(self) -> frozenset[int]:
        """Return the redundant h, without which all gradients at x* are determined."""
        every = frozenset(range(1, 1 + self.n_clients))
        if self.still or not self.balanced:
            return every if self.still else frozenset()
        used = dict(map(self._among, range(self.n_clients)))
        return every - {1 + own for own, peers in used.items() if own != max(peers)}

    @property
    def size(self) -> int:
        """Return the number of vectors in the basis."""
        return 1 + self.n_clients + len(self.made)


@dataclass(frozen=True, eq=False)
class UnknownClients:
    """Clients known only by constants: an instance whose gradients are new vectors."""

    record: Record
    known: Mapping[Symbol, Number]
    barred: tuple[str, ...] = ()  # constants that a step must not read
    dim: int = N_COORDINATES
    draws = 0

    @property
    def start(self) -> tuple[int, ...]:
        """Return the origin, on which nothing depends."""
        return (0,) * self.dim

    minimiser = start

    @property
    def n_clients(self) -> int:
        """Return the number of clients."""
        return self.record.n_clients // self.record.samples

    @property
    def noisy(self) -> bool:
        """Return whether gradients are noisy."""
        return bool(self.known.get(symbols.noise_std))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return their known constants."""
        return {symbols.n_clients: self.n_clients, **self.known}

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return new vectors, (runs, coordinates)."""
        clients = np.broadcast_to(np.asarray(client), (len(x),))
        places = [point_of(row) for row in x]
        found = [_row(self.record.gradient(int(m), p), self.dim) for m, p in zip(clients, places, strict=True)]
        return object_array([form for row in found for form in row], x.shape)

    def gap(self, x: np.ndarray) -> np.ndarray:
        """Raise: a gap is not a linear form."""
        raise NotAffine("asks for a value, which is no linear form of points and gradients")

    mean_gradient = noise = gap


def _row(point: Vector, dim: int) -> list[Form]:
    """Return a vector as forms, one for each coordinate."""
    return [Form({(i, axis): c for i, c in point}, RATIONAL) for axis in range(dim)]


def point_of(row: np.ndarray) -> Vector:
    """Return the point minus x* of a row of forms; NotAffine if it doesn't move with the start."""
    point = _vector_of(row)
    if dict(point).get(START_INDEX) != 1:
        raise NotAffine("scales a point: the result depends on the origin, and functions of a class have none")
    return point


def _vector_of(row: np.ndarray) -> Vector:
    """Return the vector of a row of forms; NotAffine if its coordinates aren't treated alike."""
    found = []
    for axis, form in enumerate(row):
        terms: dict[Any, Any] = form.terms if isinstance(form, Form) else {CONSTANT: form}
        left = {key: c for key, c in terms.items() if c != 0}
        if CONSTANT in left:
            raise NotAffine("adds numbers to a point")
        if any(key[1] != axis for key in left):
            raise NotAffine("mixes coordinates")
        found.append(vector({key[0]: c for key, c in left.items()}))
    if any(other != found[0] for other in found):
        raise NotAffine("treats coordinates differently")
    return found[0]


class TracingOracle(AskingOracle):
    """An oracle that enumerates every order and coin, and returns the noise of a gradient as a new vector."""

    def __init__(self, algorithm: Algorithm, case: Case[Any], chance: ScriptedChance, round_: int) -> None:
        super().__init__(algorithm, case, chance, RATIONAL)
        self._unknown: UnknownClients = case.instance
        self._round = round_
        self._points: dict[tuple[int, int, int], Vector] = {}

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        clients, samples = np.broadcast_to(np.asarray(client), (len(x),)), self._unknown.record.samples
        if samples > 1:
            self._require_step(k)
            self._require_client(client)
            return self._unknown.gradient(x, clients * samples + self._index(clients, int(k), samples))
        gradient = super().gradient(x, client, k)
        if not self._unknown.noisy:
            return gradient
        noise = [
            self._drawn(row, int(m), int(k), point_of(at)) for row, (m, at) in enumerate(zip(clients, x, strict=True))
        ]
        return gradient + object_array([form for v in noise for form in _row(v, self._unknown.dim)], x.shape)

    def _drawn(self, row: int, client: int, k: int, point: Vector) -> Vector:
        """Return a noise drawn once for a client and a local step of a round."""
        if self._points.setdefault((row, client, k), point) != point:
            raise NotAffine(f"evaluates a client at two points with the same noise, that of local step {k}")
        return self._unknown.record.noise(NoiseDraw(client, point, self._round, k))


class Trace(NamedTuple):
    """The queries of a run on unknown clients over all its sample paths."""

    record: Record
    courses: tuple[SamplePath, ...]


def trace_run(algorithm: Algorithm, case: Case[Any]) -> Trace:
    """Run on unknown clients (``Case(Unknown(...), n_rounds=...)``); OutOfReach names an unsupported line."""
    record: Record = case.instance.record
    more = replace(case.instance, record=replace(record, made=dict(record.made)), dim=case.instance.dim + 3)
    if is_library((algorithm.step, algorithm.init)):
        return _trace_or_reason(algorithm, case)
    without = _dimension_free_parts(algorithm, case, Case(more, **dict(case.settings)))
    point = algorithm.point and BlindFunction(algorithm.point, without)
    algorithm = replace(
        algorithm, step=BlindFunction(algorithm.step, without), init=_blind_init(algorithm.init), point=point
    )
    try:
        forbid_type_inspection(algorithm.name, ALL_DIMENSIONS_REASON, algorithm.step, algorithm.init, algorithm.point)
    except VariantError as error:
        raise OutOfReach(str(error)) from error
    fresh = replace(case.instance, record=replace(record, made=dict(record.made)))
    with forbid_impure_calls(algorithm.name, algorithm):
        found = _trace_or_reason(algorithm, case)
        again = _trace_or_reason(algorithm, Case(more, **dict(case.settings)))
    if again != found:
        raise OutOfReach(
            f"{algorithm.name} behaves otherwise when it is repeated with more coordinates: it uses how many there are, "
            "or state of its own; a worst case is over all dimensions"
        )
    ask = partial(_trace_text, algorithm, Case(fresh, **dict(case.settings)))
    require_process_independent(
        algorithm.name, (algorithm.step, algorithm.init, algorithm.point), ask, repr(found).__eq__
    )
    return found


def _trace_text(algorithm: Algorithm, case: Case[Any]) -> str:
    return repr(_trace_or_reason(algorithm, case))


def _dimension_free_parts(algorithm: Algorithm, *cases: Case[Any]) -> tuple[bool, ...]:
    """Return for each part of the first state whether its shape is the same in all these dimensions."""
    states = [algorithm.call(algorithm.init, start_points(case, 1, None), run_constants(case, None)) for case in cases]
    shapes = [[np.shape(leaf) for leaf in leaves(state)] for state in states]
    if len({len(found) for found in shapes}) > 1:
        return ()
    return tuple(len(set(found)) == 1 for found in zip(*shapes, strict=True))


def _blind_init(init: Any) -> Any:
    return init if is_library(init) else BlindFunction(init)


def _trace_or_reason(algorithm: Algorithm, case: Case[Any]) -> Trace:
    """Return the trace of a run, or the reason why there is none."""
    try:
        return _trace_run(with_row_states(algorithm, case), case)
    except (TooLong, MemoryError):
        raise
    except Exception as error:
        if case.instance.record.overfull:
            raise case.instance.record.too_long from error
        raise OutOfReach(str(error) if isinstance(error, VariantError) else reason_of(algorithm, error)) from error


class PathStates(NamedTuple):
    """All sample paths so far: states (paths, width) of forms, their probabilities, and the points of each."""

    states: np.ndarray
    weights: list[fmpq]
    histories: list[tuple[Vector, ...]]


def _trace_run(algorithm: Algorithm, case: Case[Any]) -> Trace:
    c, init, dim = run_constants(case, RATIONAL).without(*case.instance.barred), algorithm.init, case.instance.dim
    start = object_array(_row(basis(START_INDEX), dim), (1, dim))
    states = init(start, c) if is_library(init) else run_exact_init(init, start, c)
    found = PathStates(states, [fmpq(1)], [(point_of(states[0][:dim]),)])
    for r in range(int(run_constants(case, None).n_rounds)):
        found = _next_round(algorithm, case, found, r)
    courses = (SamplePath(w, points) for w, points in zip(found.weights, found.histories, strict=True))
    return Trace(case.instance.record, tuple(courses))


def _next_round(algorithm: Algorithm, case: Case[Any], before: PathStates, round_: int) -> PathStates:
    """Run one more round and merge paths with equal points and states."""

    def step(rows: np.ndarray, chance: ScriptedChance) -> np.ndarray:
        return _step_forms(algorithm, case, before.states[rows], chance, round_)

    found = enumerate_outcomes(step, len(before.states), RATIONAL, MAX_PATHS)
    if found is None:
        raise TooLong(f"{algorithm.name} has more than {MAX_PATHS} courses")
    rows, new, chances = found
    place: dict[Any, int] = {}
    kept, weights, histories = list[int](), list[fmpq](), list[tuple[Vector, ...]]()
    for i, (row, chance) in enumerate(zip(rows.tolist(), chances, strict=True)):
        history = (*before.histories[row], point_of(new[i][: case.instance.dim]))
        at = place.setdefault((history, tuple(_key(form) for form in new[i][case.instance.dim :])), len(kept))
        if at == len(kept):
            kept.append(i)
            weights.append(fmpq(0))
            histories.append(history)
        weights[at] += before.weights[row] * chance
    return PathStates(new[kept], weights, histories)


def _key(form: Any) -> Any:
    """Return a hashable key that distinguishes forms."""
    if not isinstance(form, Form):
        return form
    return tuple(sorted((str(key), c) for key, c in form.terms.items() if c != 0))


def _step_forms(
    algorithm: Algorithm, case: Case[Any], state: np.ndarray, chance: ScriptedChance, round_: int
) -> np.ndarray:
    """Run one round on forms for every row of the script."""
    oracle = TracingOracle(algorithm, case, chance, round_)
    c, step = run_constants(case, RATIONAL).without(*case.instance.barred).in_round(round_), algorithm.step
    new = step(state, oracle, c) if is_library(step) else run_exact_step(step, state, oracle, c)
    case.instance.record.of_round |= c.uses_round
    if type(new) is not np.ndarray or new.shape != state.shape:
        raise VariantError(f"{algorithm.name} returned another shape in round {round_}")
    return new
