"""Algorithms on an unknown set function, for the tests of worst cases."""

import itertools
from fractions import Fraction

from fltheory.worst_case.set_functions import why_not_worst, worst_ratio


def greedy(picks, rank=0):
    """The greedy algorithm; ``rank`` 1 picks the second best every time."""

    def run(game):
        chosen = frozenset()
        for _ in range(picks):
            gains = {e: game.value(chosen | {e}) - game.value(chosen) for e in sorted(game.items - chosen)}
            for _ in range(rank if len(gains) > rank else 0):
                del gains[game.argmax(gains)]
            chosen |= {game.argmax(gains)}
        return game.value(chosen)

    return run


def continuous_greedy(rank, n_steps, extra=0):
    """Continuous greedy on a uniform matroid; ``extra`` times the largest singleton is added to what it achieves."""

    def run(game):
        bases = [frozenset(b) for b in itertools.combinations(sorted(game.items), rank)]
        x = dict.fromkeys(game.items, Fraction(0))
        for _ in range(n_steps):
            for e in game.best_base(game.gradient(x), bases):
                x[e] += Fraction(1, n_steps)
        if not extra:
            return game.extension(x)
        largest = game.argmax({e: game.value({e}) for e in sorted(game.items)})
        return game.extension(x) + extra * game.value({largest})

    return run


def partition_greedy(parts):
    """The greedy algorithm with one item of every part."""

    def run(game):
        chosen = frozenset()
        for _ in parts:
            free = [e for part in parts if not chosen & set(part) for e in part]
            chosen |= {game.argmax({e: game.value(chosen | {e}) - game.value(chosen) for e in free})}
        return game.value(chosen)

    return run


def proved(algorithm, n_items, optimum, **options):
    worst = worst_ratio(algorithm, n_items, optimum, **options)
    assert why_not_worst(worst, algorithm) is None
    assert is_monotone_submodular(worst.values)
    return worst


def is_monotone_submodular(values):
    """By the definition, over all pairs of sets."""
    sets = range(len(values))
    pairs = list(itertools.product(sets, sets))
    return all(values[a] <= values[a | b] for a, b in pairs) and all(
        values[a] + values[b] >= values[a | b] + values[a & b] for a, b in pairs
    )
