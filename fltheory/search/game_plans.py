"""Plans of an adversary in an online game: phases of one row of responses, or of a rule, and how to change them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, product
from random import Random
from typing import Any

Row = tuple[float, ...]  # responses as shares of their range, one for each client
Move = Row | str  # a row, or the name of a rule that looks at what the learner plays
SHARE_GRID = 64  # shares are multiples of 1 / FINEST, so that floats hold them
MAX_FULL_ROWS = 5  # clients up to which every row of lows and highs is listed
RULE_PROBABILITY, LEVEL_PROBABILITY, ROW_PROBABILITY, MOVE_PROBABILITY = (
    0.25,
    0.2,
    0.2,
    0.3,
)  # how often a rule, another share, all shares of a row, or another move is drawn


@dataclass(frozen=True)
class Plan:
    """Phases of so many rounds, one after the other, all of it ``repeat`` times."""

    phases: tuple[tuple[Move, int], ...]
    repeat: int = 1

    @property
    def moves(self) -> list[Move]:
        """The move of every round."""
        return [move for move, n in self.phases for _ in range(n)] * self.repeat

    @property
    def n_rows(self) -> int:
        """How many rows it takes to write down what is answered; a rule takes one a round, everywhere."""
        looks = any(isinstance(move, str) for move, _ in self.phases)
        return self.repeat * sum(n for _, n in self.phases) if looks else len(self.phases)

    def merged(self) -> Plan:
        """The same with equal neighbours as one phase."""
        parts = [(move, sum(n for _, n in same)) for move, same in groupby(self.phases, key=lambda phase: phase[0])]
        if len(parts) == 1:
            return Plan(((parts[0][0], parts[0][1] * self.repeat),))
        return Plan(tuple(parts), self.repeat)


def round_share(share: float) -> float:
    """The nearest share that is allowed."""
    return min(max(round(share * SHARE_GRID), 0), SHARE_GRID) / SHARE_GRID


def extreme_rows(n: int) -> list[Row]:
    """Rows of lows and highs: all of them for few clients, else those that tell a few clients from the rest.

    Where all respond alike nothing is gained or lost, but time goes by.
    """
    if n <= MAX_FULL_ROWS:
        return list(product((0.0, 1.0), repeat=n))
    found = [(0.0,) * n, (1.0,) * n]
    for size in {1, 2, n // 2, n - 2, n - 1}:
        row = (1.0,) * size + (0.0,) * (n - size)
        found += [row, row[::-1], row[1:] + row[:1]]
    return sorted(dict.fromkeys(found))


def round_robin_plans(n: int, n_rounds: int) -> list[Plan]:
    """High to so many clients, that go around among all, the last ones perhaps for two rounds; where it makes whole turns."""
    found = []
    for size in range(1, n):
        row = (1.0,) * size + (0.0,) * (n - size)
        for last in (1, 2):
            phases = tuple((row[-k:] + row[:-k], last if k == n - 1 else 1) for k in range(n))
            if n_rounds % (n - 1 + last) == 0:
                found.append(Plan(phases, n_rounds // (n - 1 + last)))
    return found


def random_move(random: Random, n: int, rules: tuple[str, ...]) -> Move:
    """A row of lows and highs, or a rule."""
    if rules and random.random() < RULE_PROBABILITY:
        return random.choice(rules)
    return tuple(float(random.random() < 0.5) for _ in range(n))


def random_plan(random: Random, n: int, n_rounds: int, rules: tuple[str, ...]) -> Plan:
    """A few random phases, once or again and again."""
    often = [d for d in range(2, n_rounds // 2 + 1) if n_rounds % d == 0]
    repeat = random.choice([1, *often]) if random.random() < 0.5 else 1
    length = n_rounds // repeat
    ends = sorted({random.randint(1, length) for _ in range(random.randint(1, 4))} | {length})
    return Plan(tuple((random_move(random, n, rules), b - a) for a, b in zip([0, *ends], ends, strict=False)), repeat)


def extend_plan(plan: Plan, moves: list[Move], cuts: tuple[float, ...]) -> list[Plan]:
    """The plans whose last phase is cut after these shares and goes on with another move."""
    if plan.repeat > 1:
        return []
    *before, (last, n) = plan.phases
    at = sorted({round(share * n) for share in cuts} - {0, n})
    return [Plan((*before, (last, k), (move, n - k))) for k in at for move in moves if move != last]


def stretch_plan(plan: Plan, n_rounds: int) -> Plan | None:
    """The plan for another number of rounds: more repeats where they fill it, else longer phases; None where it has too many."""
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
    """The plans of a phase less: its rounds go to a neighbour."""
    found = []
    for i, (_, n) in enumerate(plan.phases):
        for j in (i - 1, i + 1):
            if 0 <= j < len(plan.phases):
                phases = list(plan.phases)
                phases[j] = (phases[j][0], phases[j][1] + n)
                found.append(replace(plan, phases=tuple(phases[:i] + phases[i + 1 :])).merged())
    return list(dict.fromkeys(found))


def distinct_plans(plans: list[Plan], n: int) -> list[Plan]:
    """The first of the plans that differ only in the names of the clients."""
    found: dict[Any, Plan] = {}
    for plan in plans:
        table = [move if not isinstance(move, str) else (0.0,) * n for move, _ in plan.phases]
        kinds = tuple((move if isinstance(move, str) else "", times) for move, times in plan.phases)
        found.setdefault((kinds, plan.repeat, tuple(sorted(zip(*table, strict=True)))), plan)
    return list(found.values())


# Neighbours -----------------------------------------------------------------------------------------------------


def neighbour_plan(plan: Plan, random: Random, n: int, rules: tuple[str, ...]) -> Plan:
    """The plan with one or two changes, of the same number of rounds."""
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
    """Two phases in each other's place, or rounds of one go to the other."""
    phases = list(plan.phases)
    i, j = random.sample(range(len(phases)), 2)
    if whole:
        phases[i], phases[j] = phases[j], phases[i]
    elif phases[i][1] > 1:
        k = max(1, int((phases[i][1] - 1) * 2 ** -random.uniform(0, 8)))
        phases[i], phases[j] = (phases[i][0], phases[i][1] - k), (phases[j][0], phases[j][1] + k)
    return replace(plan, phases=tuple(phases))


def _change_move(plan: Plan, random: Random, n: int, rules: tuple[str, ...]) -> Plan:
    """A phase with another move, or with another response of one client or of all."""
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
    """A phase in two, one of them with another move."""
    i = random.randrange(len(plan.phases))
    old, n = plan.phases[i]
    if n == 1:
        return plan
    k = random.randint(1, n - 1)
    parts = ((old, k), (move, n - k)) if random.random() < 0.5 else ((move, k), (old, n - k))
    return replace(plan, phases=(*plan.phases[:i], *parts, *plan.phases[i + 1 :]))


def _change_repeats(plan: Plan, random: Random) -> Plan:
    """The phases shorter and more often, or longer and less often."""
    whole = plan.repeat * sum(n for _, n in plan.phases)
    repeat = random.choice([d for d in range(1, whole // len(plan.phases) + 1) if whole % d == 0])
    once = stretch_plan(Plan(plan.phases), whole // repeat)
    return plan if once is None else replace(once, repeat=repeat)
