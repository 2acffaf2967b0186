"""From case 20 (a public report on FastGPT), in the smallest: is a value at least itself?"""

from fltheory.worst_case.set_functions import worst_ratio


def algorithm(game):
    best = game.argmax({e: game.value({e}) for e in game.items})
    v = game.value({best})
    return v if game.at_least(v, v) else game.value(())  # v >= v is always true


def looser(game):
    best = game.argmax({e: game.value({e}) for e in game.items})
    v, all_of = game.value({best}), game.value(game.items)
    return v if game.at_least(all_of + v, all_of) else game.value(())  # true as f >= 0, false only where f({best}) = 0


if __name__ == "__main__":
    print(worst_ratio(algorithm, n_items=2, optimum={0}))  # right: 1
    print(worst_ratio(looser, n_items=2, optimum={0}))  # right: 1


def monotone(game):
    """Takes all items; asks first whether f of all is at least f of one, which every monotone f says yes to."""
    return game.value(game.items) if game.at_least(game.value(game.items), game.value({0})) else game.value(())


def threshold(game):
    """Adds an item if its gain is at least 0 (always so): ends with all items, so the ratio is 1."""
    chosen = frozenset()
    for e in sorted(game.items):
        if game.at_least(game.value(chosen | {e}) - game.value(chosen), 0 * game.value({e})):
            chosen |= {e}
    return game.value(chosen)


if __name__ == "__main__":
    print("monotone", worst_ratio(monotone, n_items=2, optimum={0}))  # right: 1
    print("threshold", worst_ratio(threshold, n_items=2, optimum={0}))  # right: 1
