"""Plans of an adversary in an online game: phases of one row of responses, or of a rule, and moves between plans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, product
from random import Random
from typing import Any

Row = tuple[float, ...]  # responses as shares of their range, one for each client
Move = Row | str  # a row, or the name of a rule on the learner's decisions
SHARE_GRID = 64  # shares are multiples of 1 / FINEST, exact in floats
MAX_FULL_ROWS = 5  # largest number of clients for listing every row of lows and highs
RULE_PROBABILITY, LEVEL_PROBABILITY, ROW_PROBABILITY, MOVE_PROBABILITY = (
    0.25,
    0.2,
    0.2,
    0.3,
)  # weights of moves: a rule, another share, all shares of a row, or others


@dataclass(frozen=True)
class Plan:
    """Phases of given lengths, one after the other, all repeated ``repeat`` times."""

    phases: tuple[tuple[Move, int], ...]
    repeat: int = 1

    @property
    def moves(self) -> list[Move]:
        """Return the move of every round."""
        return [move for move, n in self.phases for _ in range(n)] * self.repeat

    @property
    def n_rows(self) -> int:
        """Return the number of rows in the table of responses; a rule takes one for each round."""
        looks = any(isinstance(move, str) for move, _ in self.phases)
        return self.repeat * sum(n for _, n in self.phases) if looks else len(self.phases)

    def merged(self) -> Plan:
        """Return the plan with equal neighbouring phases merged."""
        parts = [(move, sum(n for _, n in same)) for move, same in groupby(self.phases, key=lambda phase: phase[0])]
        if len(parts) == 1:
            return Plan(((parts[0][0], parts[0][1] * self.repeat),))
        return Plan(tuple(parts), self.repeat)


def round_share(share: float) -> float:
    """Return the nearest allowed share."""
    return min(max(round(share * SHARE_GRID), 0), SHARE_GRID) / SHARE_GRID


def extreme_rows(n: int) -> list[Row]:
    """Return rows of lows and highs: all of them for few clients, else those that single out a few clients.

    Equal responses of all clients change no regret, but use up time.
    """
    if n <= MAX_FULL_ROWS:
        return list(product((0.0, 1.0), repeat=n))
    found = [(0.0,) * n, (1.0,) * n]
    for size in {1, 2, n // 2, n - 2, n - 1}:
        row = (1.0,) * size + (0.0,) * (n - size)
        found += [row, row[::-1], row[1:] + row[:1]]
    return sorted(dict.fromkeys(found))


def round_robin_plans(n: int, n_rounds: int) -> list[Plan]:
    """Return plans with high responses for a group of clients that rotates, in whole turns."""
    found = []
    for size in range(1, n):
        row = (1.0,) * size + (0.0,) * (n - size)
        for last in (1, 2):
            phases = tuple((row[-k:] + row[:-k], last if k == n - 1 else 1) for k in range(n))
            if n_rounds % (n - 1 + last) == 0:
                found.append(Plan(phases, n_rounds // (n - 1 + last)))
    return found


def random_move(random: Random, n: int, rules: tuple[str, ...]) -> Move:
    """Return a row of lows and highs, or a rule."""
    if rules and random.random() < RULE_PROBABILITY:
        return random.choice(rules)
    return tuple(float(random.random() < 0.5) for _ in range(n))


def random_plan(random: Random, n: int, n_rounds: int, rules: tuple[str, ...]) -> Plan:
    """Return a few random phases, once or repeated."""
    often = [d for d in range(2, n_rounds // 2 + 1) if n_rounds % d == 0]
    repeat = random.choice([1, *often]) if random.random() < 0.5 else 1
    length = n_rounds // repeat
    ends = sorted({random.randint(1, length) for _ in range(random.randint(1, 4))} | {length})
    return Plan(tuple((random_move(random, n, rules), b - a) for a, b in zip([0, *ends], ends, strict=False)), repeat)


def extend_plan(plan: Plan, moves: list[Move], cuts: tuple[float, ...]) -> list[Plan]:
    """Return the plans whose last phase is cut at these shares and continues with another move."""
    if plan.repeat > 1:
        return []
    *before, (last, n) = plan.phases
    at = sorted({round(share * n) for share in cuts} - {0, n})
    return [Plan((*before, (last, k), (move, n - k))) for k in at for move in moves if move != last]


def stretch_plan(plan: Plan, n_rounds: int) -> Plan | None:
    """Return the plan for another number of rounds: more repeats if they fit, else longer phases; or None."""
    parts, own = len(plan.phases), sum(n for _, n in plan.phases)
    if plan.repeat > 1 and n_rounds % own == 0:
        return Plan(plan.phases, n_rounds // own)
    if plan.repeat > 1 or n_rounds < parts:
        return None
    ends = [round(sum(n for _, n in plan.phases[: j + 1]) * n_rounds / own) for j in range(parts)]
    counts = [max(1, end - begin) for begin, end in zip([0, *ends], ends, strict=False)]
    counts[counts.index(max(counts))] -= sum(counts) - n_rounds
    if min(counts) < 1:
        return None
    return Plan(tuple((move, n) for (move, _), n in zip(plan.phases, counts, strict=True)))


def merge_phases(plan: Plan) -> list[Plan]:
    """Return the plans with one phase less: its rounds go to a neighbour."""
    found = []
    for i, (_, n) in enumerate(plan.phases):
        for j in (i - 1, i + 1):
            if 0 <= j < len(plan.phases):
                phases = list(plan.phases)
                phases[j] = (phases[j][0], phases[j][1] + n)
                found.append(replace(plan, phases=tuple(phases[:i] + phases[i + 1 :])).merged())
    return list(dict.fromkeys(found))


def distinct_plans(plans: list[Plan], n: int) -> list[Plan]:
    """Return the first of the plans that differ only in the names of the clients."""
    found: dict[Any, Plan] = {}
    for plan in plans:
        table = [move if not isinstance(move, str) else (0.0,) * n for move, _ in plan.phases]
        kinds = tuple((move if isinstance(move, str) else "", times) for move, times in plan.phases)
        found.setdefault((kinds, plan.repeat, tuple(sorted(zip(*table, strict=True)))), plan)
    return list(found.values())


# Neighbours -----------------------------------------------------------------------------------------------------


def neighbour_plan(plan: Plan, random: Random, n: int, rules: tuple[str, ...]) -> Plan:
    """Return the plan with one or two changes and the same number of rounds."""
    for _ in range(random.choice((1, 1, 2))):
        kind = random.choices(("shift", "move", "split", "drop", "swap", "repeat"), (3, 2, 1, 1, 1, 1))[0]
        if kind == "split" or (len(plan.phases) == 1 and kind in ("shift", "drop", "swap")):
            plan = _split(plan, random, random_move(random, n, rules))
        elif kind == "move":
            plan = _change_move(plan, random, n, rules)
        elif kind == "drop":
            plan = random.choice(merge_phases(plan))
        elif kind == "repeat":
            plan = _change_repeats(plan, random)
        else:
            plan = _exchange_phases(plan, random, kind == "swap")
    return plan


def _exchange_phases(plan: Plan, random: Random, whole: bool) -> Plan:
    """Exchange two phases, or move rounds from one to the other."""
    phases = list(plan.phases)
    i, j = random.sample(range(len(phases)), 2)
    if whole:
        phases[i], phases[j] = phases[j], phases[i]
    elif phases[i][1] > 1:
        k = max(1, int((phases[i][1] - 1) * 2 ** -random.uniform(0, 8)))
        phases[i], phases[j] = (phases[i][0], phases[i][1] - k), (phases[j][0], phases[j][1] + k)
    return replace(plan, phases=tuple(phases))


def _change_move(plan: Plan, random: Random, n: int, rules: tuple[str, ...]) -> Plan:
    """Change the move of a phase, or the response of one client or of all."""
    i = random.randrange(len(plan.phases))
    move, times = plan.phases[i]
    if isinstance(move, str) or random.random() < MOVE_PROBABILITY:
        move = random_move(random, n, rules)
    elif random.random() < ROW_PROBABILITY:
        factor = random.choice((0.5, 0.75, 1.5, 2.0))
        move = tuple(round_share(share * factor) for share in move)
    else:
        k = random.randrange(n)
        share = round_share(random.random()) if random.random() < LEVEL_PROBABILITY else float(move[k] < 0.5)
        move = (*move[:k], share, *move[k + 1 :])
    return replace(plan, phases=(*plan.phases[:i], (move, times), *plan.phases[i + 1 :]))


def _split(plan: Plan, random: Random, move: Move) -> Plan:
    """Split a phase in two, one of them with another move."""
    i = random.randrange(len(plan.phases))
    old, n = plan.phases[i]
    if n == 1:
        return plan
    k = random.randint(1, n - 1)
    parts = ((old, k), (move, n - k)) if random.random() < 0.5 else ((move, k), (old, n - k))
    return replace(plan, phases=(*plan.phases[:i], *parts, *plan.phases[i + 1 :]))


def _change_repeats(plan: Plan, random: Random) -> Plan:
    """Make the phases shorter and more frequent, or longer and less frequent."""
    whole = plan.repeat * sum(n for _, n in plan.phases)
    repeat = random.choice([d for d in range(1, whole // len(plan.phases) + 1) if whole % d == 0])
    once = stretch_plan(Plan(plan.phases), whole // repeat)
    return plan if once is None else replace(once, repeat=repeat)
