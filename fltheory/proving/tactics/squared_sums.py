"""Lines on mean squares of sums: of noise with mean zero given the past, and of clients drawn without replacement."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from sympy import Expr, Integer, Max, sqrt

from fltheory.proof import by
from fltheory.proof.facts import draws
from fltheory.proof.facts.draws import NOISE, ROW, SAMPLED, P
from fltheory.proof.language import Given, Range, Relation, le
from fltheory.proof.terms import Dot, Draw, E, Total, Vector, free_symbols, is_random, square, substitute
from fltheory.proving.board import Board
from fltheory.proving.standard import name_of
from fltheory.symbols import n_clients, n_local_steps, n_participating, noise_std


def squared_sums(board: Board) -> tuple[Board, list[Given]]:
    """Return the board with the bounds on mean squares of sums that its hypotheses give, and these bounds."""
    found = list[Given]()
    for own in board.hypotheses:
        if isinstance(own, Given) and own.relation.op == "==" and own.relation.over:
            for grown in (_noise(board, own), *(_draws(board, own))):
                if grown is not None:
                    board, line = grown
                    found.append(line)
    return board, found


def _stated(board: Board, claim: Relation, reason: by.By) -> tuple[Board, Given] | None:
    """Return the board with a claim, and the line that states it."""
    if board.stating(claim) is None:
        grown = board.accept(claim, reason)
        if grown is None:
            return None
        board = grown
    name = board.stating(claim)
    return None if name is None else (board, Given(name, claim))


def _noise(board: Board, own: Given) -> tuple[Board, Given] | None:
    """Return the board with E |sum of v|^2 <= N sigma^2 for noise v that is unbiased given the sum of the noise before it."""
    over = own.relation.over
    parts = _past_and_noise(own.relation)
    bound = next((h for h in _givens(board) if parts and _is_variance(h.relation, parts[1], over)), None)
    fact, letters = (ROW, (draws.n,)) if len(over) == 1 else (NOISE, (draws.n, draws.k))
    name = name_of(fact, board.lemmas)
    if parts is None or bound is None or name is None:
        return None
    here = dict(zip((index for index, _, _ in over), letters, strict=True))
    past, noise = (substitute(part, here) for part in parts)
    size, counts = bound.relation.right, [high + 1 for _, _, high in over]
    at = {P: counts[0], draws.xi(*letters): noise, draws.past(*letters): past, noise_std: sqrt(size)}
    steps, ends = draws.n, [(draws.n, Integer(0), counts[0])]
    if len(over) == 2:
        at[n_local_steps], steps = counts[1], counts[1] * draws.n + draws.k
        ends = [(draws.n, Integer(0), counts[0] - 1), (draws.k, Integer(0), counts[1])]
    grown = _stated(board, le(E(square(past)), steps * size, *ends), by.apply(name, at, bound.id, own.id))
    if grown is None:
        return None
    total = parts[1]
    for entry in reversed(over):
        total = Total(total, *entry)
    last = {index: high for index, _, high in ends}
    return _stated(grown[0], le(E(square(total)), sympy.Mul(*counts) * size), by.instance(last, grown[1].id))


def _past_and_noise(relation: Relation) -> tuple[Expr, Expr] | None:
    """Return p and v if the relation says E<p, v> = 0 for all steps, where p is a sum; None for another relation."""
    left, over = relation.left, relation.over
    if relation.right != 0 or not (isinstance(left, E) and isinstance(left.args[0], Dot)) or len(over) > 2:
        return None
    one, two = left.args[0].args
    past, noise = (two, one) if two.has(Total) else (one, two)
    is_family = isinstance(noise, Vector) and noise.args[1:] == tuple(index for index, _, _ in over)
    return (past, noise) if is_family and past.has(Total) and all(low == 0 for _, low, _ in over) else None


def _is_variance(relation: Relation, noise: Expr, over: tuple[Range, ...]) -> bool:
    return relation.op == "<=" and relation.over == over and relation.left == E(square(noise))


def _givens(board: Board) -> Iterator[Given]:
    return (h for h in board.hypotheses if isinstance(h, Given))


def _draws(board: Board, own: Given) -> Iterator[tuple[Board, Given] | None]:
    """Yield the board with the mean square of the sum of S vectors drawn without replacement from M that add up to 0."""
    name, drawn = name_of(SAMPLED, board.lemmas), _drawn(own.relation)
    if name is None or drawn is None:
        return
    ((index, _, _),) = own.relation.over
    (place,) = drawn.atoms(Draw)
    vector, population = substitute(drawn, {place: draws.a}), place.args[1]
    size = E(square(vector)) if is_random(vector) else square(vector)
    whole = Total(size, draws.a, 1, population)
    plain = [h for h in _givens(board) if not h.relation.over]
    spread = [h for h in plain if _is_of(h.relation, whole)]
    mean_square = (spread[0].relation.right if spread else whole) / population
    centred = [h for h in plain if h.relation.right == 0 and _is_of(h.relation, Total(vector, draws.a, 1, population))]
    pairs = [h for h in _givens(board) if len(h.relation.over) == 2 and place in h.relation.left.atoms(Draw)]
    for few in plain:
        count = few.relation.left
        if few.relation != le(count, population) or not (count.is_integer and count.is_positive):
            continue
        total = Total(substitute(drawn, {index: draws.i}), draws.i, 0, count - 1)
        claim = le(E(square(total)), count * (population - count) / Max(population - 1, 1) * mean_square)
        at = {draws.X(draws.a): vector, draws.V: mean_square, n_clients: population, n_participating: count}
        yield _stated(board, claim, by.apply(name, at, *(h.id for h in (*centred, *spread, own, *pairs, few))))


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


def _is_of(relation: Relation, total: Expr) -> bool:
    """Return whether an equation is about a sum, whatever its index is called."""
    left = relation.left
    if relation.op != "==" or not isinstance(left, Total) or not isinstance(total, Total):
        return False
    body, index, *ends = left.args
    other, own, *own_ends = total.args
    return ends == own_ends and substitute(body, {index: own}) == other
