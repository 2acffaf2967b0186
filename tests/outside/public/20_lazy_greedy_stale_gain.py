"""A public report on FastGPT(review): lazy greedy puts a candidate back with its new priority but goes on comparing
with its old gain: it never ends.

wrong: as in the review. mended: as the review mends it (the gain is renewed, so that the next comparison is of a form with itself).
stamped: Minoux's own way, with the round in which a gain was computed.
"""

import sys

from fltheory.worst_case.set_functions import worst_ratio


def lazy(game, way, budget=2):
    chosen = frozenset()
    gains = {e: game.value({e}) for e in game.items}
    priority, seen = dict(gains), dict.fromkeys(game.items, 0)
    while len(chosen) < budget:
        e = game.argmax({i: priority[i] for i in game.items - chosen})
        now = game.value(chosen | {e}) - game.value(chosen)
        fresh = seen[e] == len(chosen) if way == "stamped" else game.at_least(now, gains[e])
        if fresh:
            chosen |= {e}
        else:
            priority[e], seen[e] = now, len(chosen)
            if way == "mended":
                gains[e] = now
    return game.value(chosen)


if __name__ == "__main__":
    way, n = sys.argv[1], int(sys.argv[2])
    print(worst_ratio(lambda game: lazy(game, way), n_items=n, optimum={0, 1}))  # right: 3/4
