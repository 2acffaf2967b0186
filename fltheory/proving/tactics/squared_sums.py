"""Lines on mean squares of sums: of noise with mean zero given the past, and of clients drawn without replacement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy
from sympy import Expr, Integer, Max, Symbol, sqrt

from fltheory.proof import by
from fltheory.proof.algebra.normal import linear_form, normal_form
from fltheory.proof.facts import draws
from fltheory.proof.facts.draws import NOISE, ROW, ROW_FROM_1, SAMPLED, SUM, P
from fltheory.proof.language import Given, Range, Relation, eq, le
from fltheory.proof.terms import Dot, Draw, E, Total, free_symbols, is_random, is_vector, square, substitute
from fltheory.proving.board import Board
from fltheory.proving.multipliers.agents.ranges import total
from fltheory.proving.standard import name_of
from fltheory.symbols import n_clients, n_local_steps, n_participating, noise_std

FACTS = {
    (0,): (ROW, (draws.n,)),
    (1,): (ROW_FROM_1, (draws.t,)),
    (0, 0): (NOISE, (draws.n, draws.k)),
}  # by the first values of the indices, with those of the fact


def squared_sums(board: Board) -> tuple[Board, list[Given]]:
    """Return the board with the bounds on mean squares of sums that its hypotheses give, and these bounds."""
    found = list[Given]()
    for own in [h for h in board.hypotheses if isinstance(h, Given) and h.relation.op == "==" and h.relation.over]:
        board, unbiased = _of_pairs(board, own)
        board, noise = _noise(board, unbiased)
        board, drawn = _draws(board, own)
        found += [*noise, *drawn]
    return board, found


def with_squared_sums(board: Board, claim: Relation) -> Board:
    """Return the board with these bounds, if a goal is about an expectation of sums."""
    return squared_sums(board)[0] if claim.gap.has(E) and claim.gap.has(Total) and not board.assuming else board


def _stated(board: Board, claim: Relation, reason: by.By) -> tuple[Board, Given] | None:
    """Return the board with a claim, and the line that states it."""
    if board.stating(claim) is None:
        grown = board.accept(claim, reason)
        if grown is None:
            return None
        board = grown
    name = board.stating(claim)
    return None if name is None else (board, Given(name, claim))


def _of_pairs(board: Board, own: Given) -> tuple[Board, Given]:
    """Return the board with E<sum of v(i) before n, v(n)> = 0 if a hypothesis says that E<v(i), v(n)> = 0 for i < n."""
    over, parts = own.relation.over, _dotted(own.relation)
    if parts is None or len(over) != 2:
        return board, own
    (last, low, _), (index, first, end) = outer, inner = sorted(
        over, key=lambda entry: bool(free_symbols(entry[2]) & _indices(over))
    )
    if first != low or end != last - 1:
        return board, own
    before, now = parts if index in free_symbols(parts[0]) else parts[::-1]
    if substitute(before, {index: last}) != now:
        return board, own
    claim = eq(E(Dot(Total(before, *inner), now)), 0, outer)
    return _stated(board, claim, by.sum_over(index, own.id)) or (board, own)


def _indices(over: Sequence[Range]) -> set[Symbol]:
    return {index for index, _, _ in over}


def _noise(board: Board, own: Given) -> tuple[Board, list[Given]]:
    """Return the board with E |sum of v|^2 <= N sigma^2 for noise v that is unbiased given the sum of the noise before it."""
    over, parts = own.relation.over, _dotted(own.relation)
    if parts is None or len(over) > 2 or not parts[0].has(Total) ^ parts[1].has(Total):
        return board, []
    past, noise = parts if parts[0].has(Total) else parts[::-1]
    bound = next((h for h in _givens(board) if _is_variance(h.relation, noise, over)), None)
    fact, letters = FACTS.get(tuple(low for _, low, _ in over), (None, ()))
    name = None if fact is None else name_of(fact, board.lemmas)
    if bound is None or name is None:
        return board, []
    here = dict(zip((index for index, _, _ in over), letters, strict=True))
    before, each = substitute(past, here), substitute(noise, here)
    size, counts = bound.relation.right, [high - low + 1 for _, low, high in over]
    at = {P: counts[0], draws.xi(*letters): each, draws.past(*letters): before, noise_std: sqrt(size)}
    steps, ends = letters[0] - over[0][1], [(letters[0], over[0][1], over[0][2] + 1)]
    if len(over) == 2:
        at[n_local_steps], steps = counts[1], counts[1] * draws.n + draws.k
        ends = [(draws.n, Integer(0), counts[0] - 1), (draws.k, Integer(0), counts[1])]
    first = _stated(board, le(E(square(before)), steps * size, *ends), by.apply(name, at, bound.id, own.id))
    if first is None:
        return board, []
    last = {index: high for index, _, high in ends}
    second = _stated(
        first[0], le(E(square(total(noise, over))), sympy.Mul(*counts) * size), by.instance(last, first[1].id)
    )
    return (board, []) if second is None else (second[0], [second[1]])


def _dotted(relation: Relation) -> tuple[Expr, Expr] | None:
    """Return u and v if the relation says that E<u, v> = 0; None for another relation."""
    left = relation.left
    if relation.right != 0 or not (isinstance(left, E) and isinstance(left.args[0], Dot)):
        return None
    one, two = left.args[0].args
    return one, two


def _is_variance(relation: Relation, noise: Expr, over: tuple[Range, ...]) -> bool:
    return relation.op == "<=" and relation.over == over and relation.left == E(square(noise))


def _givens(board: Board) -> Iterator[Given]:
    return (h for h in board.hypotheses if isinstance(h, Given))


def _draws(board: Board, own: Given) -> tuple[Board, list[Given]]:
    """Return the board with the mean square of the sum of S vectors drawn without replacement from M that add up to 0."""
    name, drawn = name_of(SAMPLED, board.lemmas), _drawn(own.relation)
    if name is None or drawn is None:
        return board, []
    ((index, _, _),) = own.relation.over
    (place,) = drawn.atoms(Draw)
    vector, population = substitute(drawn, {place: draws.a}), place.args[1]
    whole = Total(E(square(vector)), draws.a, 1, population)
    wholes = [whole] if is_random(vector) else [whole, Total(square(vector), draws.a, 1, population)]
    plain = [h for h in _givens(board) if not h.relation.over]
    spread = [h for h in plain for one in wholes if _is_of(h.relation, one)]
    mean_square = (spread[0].relation.right if spread else whole) / population
    centred = [h for h in plain if h.relation.right == 0 and _is_of(h.relation, Total(vector, draws.a, 1, population))]
    pairs = [h for h in _givens(board) if len(h.relation.over) == 2 and place in h.relation.left.atoms(Draw)]
    found = list[Given]()
    for few in plain:
        count = few.relation.left
        if few.relation != le(count, population) or not (count.is_Symbol and count.is_integer and count.is_positive):
            continue
        whole_sum = Total(substitute(drawn, {index: draws.i}), draws.i, 0, count - 1)
        claim = le(E(square(whole_sum)), count * (population - count) / Max(population - 1, 1) * mean_square)
        at = {draws.X(draws.a): vector, draws.V: mean_square, n_clients: population, n_participating: count}
        grown = _stated(board, claim, by.apply(name, at, *(h.id for h in (*centred, *spread, own, *pairs, few))))
        if grown is not None:
            board, line = grown
            found.append(line)
        several = [h.id for h in plain if h.relation == le(2, population)]
        used = [h.id for h in (*centred, *spread, own, *pairs)]
        exact = _exactly(board, at, population, count, whole_sum, several + used, few.id) if several else None
        if exact is not None:
            board, line = exact
            found.append(line)
    return board, found


def _exactly(
    board: Board, at: Mapping[Expr, Expr], population: Expr, count: Expr, whole: Expr, used: list[str], few: str
) -> tuple[Board, Given] | None:
    """Return the board with the mean square itself, of at least two clients."""
    name, n = name_of(SUM, board.lemmas), draws.n
    body, index, low, _ = whole.args
    before, vector_square = Total(body, index, low, n - 1), at[draws.V]
    value = (n - n * (n - 1) / (population - 1)) * vector_square
    known = {key: term for key, term in at.items() if key != n_participating}
    every = name and _stated(board, eq(E(square(before)), value, (n, 0, population)), by.apply(name, known, *used))
    if not every:
        return None
    claim = eq(E(square(whole)), count * (population - count) / (population - 1) * vector_square)
    return _stated(every[0], claim, by.instance({n: count}, every[1].id, few, *used))


def _drawn(relation: Relation) -> Expr | None:
    """Return the vector v of the client drawn in place n + 1 if the relation says what E|v|^2 is; None for another one."""
    left, over = relation.left, relation.over
    if len(over) != 1 or over[0][1] != 0 or not (isinstance(left, E) and isinstance(left.args[0], Dot)):
        return None
    drawn = left.args[0].args[0]
    places = [d for d in drawn.atoms(Draw) if len(d.args) == 2 and d.args[0] == over[0][0] + 1]
    if left != E(square(drawn)) or len(places) != 1 or len(drawn.atoms(Draw)) != 1:
        return None
    return drawn if over[0][0] not in free_symbols(substitute(drawn, {places[0]: draws.a})) else None


def _is_of(relation: Relation, wanted: Expr) -> bool:
    """Return whether an equation is about a sum, whatever its indices are called."""
    if relation.op != "==" or not isinstance(relation.left, Total) or is_vector(relation.left) != is_vector(wanted):
        return False
    form = linear_form if is_vector(wanted) else normal_form
    return bool(form(relation.left) == form(wanted))
