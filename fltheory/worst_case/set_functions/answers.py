"""Enumeration of the paths of an algorithm on an unknown set function: all answers to its comparisons, up to names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.worst_case.set_functions.linear_forms import (
    Algorithm,
    AlgorithmRun,
    Decision,
    Form,
    Label,
    Option,
    items_of,
    mask_of,
    rename_mask,
    rename_option,
    replay,
)

MAX_ITEMS = 12
MAX_RUNS = 100_000
MAX_COMPARISONS = 2_000_000  # over all paths

Renaming = tuple[int, ...]  # the new name of each item
Key = tuple[Form, frozenset[Form], frozenset[Form]]


@dataclass(frozen=True)
class SetProblem:
    """The problem apart from the path: the items, O, and the sets that are no better than O."""

    n_items: int
    optimum: frozenset[int]
    feasible: tuple[frozenset[int], ...]
    symmetric: bool

    @classmethod
    def read(
        cls, n_items: int, optimum: Iterable[int], feasible: Iterable[Iterable[int]], symmetric: bool
    ) -> SetProblem:
        """Raise ValueError for too many items, an empty optimum, or sets of other items."""
        if isinstance(n_items, bool) or not isinstance(n_items, int) or n_items < 1:
            raise ValueError(f"n_items is a positive integer, got {n_items!r}")
        if n_items > MAX_ITEMS:
            raise ValueError(f"{n_items} items make {2**n_items - 1} unknown values f(S); at most {MAX_ITEMS} items")
        if not isinstance(optimum, Iterable):
            raise ValueError(f"optimum {optimum!r}: expected a set of items")
        best = frozenset(optimum)
        others = tuple(dict.fromkeys(frozenset(s) for s in feasible))
        if not best:
            raise ValueError("the optimum is empty: f(O) = 0 has no ratio")
        for s in (best, *others):
            if not s <= frozenset(range(n_items)):
                raise ValueError(f"items are 0..{n_items - 1}, got {sorted(s, key=repr)}")
        problem = cls(n_items, best, others, symmetric)
        for names in problem.shuffles() if symmetric else ():
            if {rename_mask(mask_of(s), names) for s in others} != {mask_of(s) for s in others}:
                raise ValueError("the feasible sets tell items apart: leave symmetric out")
        return problem

    @property
    def classes(self) -> list[list[int]]:
        """Return the items of O and the others; the linear programs don't distinguish items of a class."""
        return [sorted(self.optimum), sorted(set(range(self.n_items)) - self.optimum)]

    def shuffles(self) -> Iterator[Renaming]:
        """Return generators of the renamings within the classes: a swap and a rotation of each."""
        for group in self.classes:
            for turned in ([group[1], group[0], *group[2:]], [*group[1:], group[0]]) if len(group) > 1 else ():
                names = list(range(self.n_items))
                for old, new in zip(group, turned, strict=True):
                    names[old] = new
                yield tuple(names)

    def runs(self, algorithm: Algorithm) -> Iterator[AlgorithmRun]:
        """Return every path of the algorithm, up to names if it is symmetric; ValueError if it isn't deterministic."""
        run = replay(algorithm, self.n_items)
        asked_in_all = 0
        for course in range(MAX_RUNS):
            asked_in_all += run.n_comparisons
            if asked_in_all > MAX_COMPARISONS:
                raise ValueError(
                    f"more than {MAX_COMPARISONS} comparisons in the first {course + 1} courses: the last one has "
                    f"{run.n_comparisons}; an algorithm that may ask without end has no worst case to be found here"
                )
            if self.symmetric:
                self._require_symmetric(algorithm, run)
            yield run
            script = self._next(run)
            if script is None:
                return
            following = replay(algorithm, self.n_items, script)
            asked = len(script)  # comparisons that both followed the same answers
            if _questions(following)[:asked] != _questions(run)[:asked]:
                raise ValueError("the algorithm isn't deterministic: the same answers led to other comparisons")
            run = following
        raise ValueError(f"more than {MAX_RUNS} courses; symmetric=True follows those that differ by names once")

    def _next(self, run: AlgorithmRun) -> tuple[Option, ...] | None:
        """Return the script of the next path: it changes the last answer that can change."""
        cells: list[list[list[int]]] = [self.classes]
        for decision in run.decisions[:-1]:
            cells.append(_split(cells[-1], items_of(decision.taken)))
        for step in range(len(run.decisions) - 1, -1, -1):
            decision = run.decisions[step]
            options = self._tried(decision, cells[step])
            later = options[options.index(decision.taken) + 1 :]
            if later:
                return (*run.script[:step], later[0])
        return None

    def _tried(self, decision: Decision, cells: list[list[int]]) -> list[Option]:
        """Return the answers to try: of those that differ only by names not distinguished so far, the first."""
        if not self.symmetric:
            return list(decision.forms)
        first: dict[Any, Option] = {}
        for option in decision.forms:
            items = items_of(option)
            kind = option if isinstance(option, bool) else tuple(len(items.intersection(cell)) for cell in cells)
            first.setdefault((type(option), kind), option)
        return list(first.values())

    def _require_symmetric(self, algorithm: Algorithm, run: AlgorithmRun) -> None:
        for names in self.shuffles():
            try:
                image = replay(algorithm, self.n_items, [rename_option(o, names) for o in run.script])
            except ValueError:
                image = None
            if image != run.renamed(names):
                raise ValueError("the algorithm tells items of a class apart: leave symmetric out")

    def names(self, run: AlgorithmRun) -> Renaming:
        """Return canonical names of the items of a class, in the order in which they are taken."""
        names = list(range(self.n_items))
        taken = [e for d in run.decisions for e in sorted(items_of(d.taken))]
        for group in self.classes:
            for old, new in zip(dict.fromkeys([e for e in taken if e in group] + group), group, strict=True):
                names[old] = new
        return tuple(names)

    def key(self, run: AlgorithmRun) -> Key:
        """Return the linear program of a path, the same for paths that differ only by names."""
        names = self.names(run)
        forms = [f.renamed(names) for f in (*run.inequalities, *self.better().values())]
        return run.achieved.renamed(names), frozenset(forms), frozenset(f.renamed(names) for f in run.strict)

    def better(self) -> dict[Label, Form]:
        """Return f(O) >= f(S) for the feasible sets S."""
        best = Form.of({mask_of(self.optimum): Fraction(1)})
        masks = [mask_of(s) for s in self.feasible if s != self.optimum]
        return {("optimal", mask): best - Form.of({mask: Fraction(1)}) for mask in masks}

    def given(self, run: AlgorithmRun) -> dict[Label, Form]:
        """Return the inequalities beyond submodularity: those of the path, and that O is optimal."""
        return {("course", k): form for k, form in enumerate(run.inequalities)} | self.better()


def _questions(run: AlgorithmRun) -> list[list[tuple[Option, Form]]]:
    """Return the comparisons of a run with the order of their options, which determines the next trial."""
    return [list(decision.forms.items()) for decision in run.decisions]


def _split(cells: list[list[int]], items: frozenset[int]) -> list[list[int]]:
    """Split the cells into the items that were named and those that were not."""
    parts = [([e for e in cell if e in items], [e for e in cell if e not in items]) for cell in cells]
    return [part for pair in parts for part in pair if part]
