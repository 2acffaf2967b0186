"""User theorems in a few lines: statement, bound, algorithm, measure, and the cases to check.

    T1 = theorem("gradient descent with step 1/L: F(x_R) - F* <= L D² / (2R)", quantity <= L * D**2 / (2 * R),
                 algorithm=Algorithm("GD", step), measure=LastGap(), family=family)

All other fields of a claim are derived, or given by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import getmodule, isclass, isroutine
from typing import Any, get_args

from sympy import Expr, Symbol, sympify
from sympy.core.relational import Relational

from fltheory.claims.case_search import StopSearch, search_cases
from fltheory.claims.check import inapplicable_reason
from fltheory.claims.claim import Claim, Entry
from fltheory.claims.plugins import BUILTIN_KEYS
from fltheory.claims.statement import bound_of, quantity
from fltheory.evidence.decide import Mode
from fltheory.evidence.verdict import Status
from fltheory.games.player import Player
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Measure
from fltheory.runs.method import Method
from fltheory.runs.step_rule import StepRule
from fltheory.symbols import notation_for

N_FAMILY_CASES, MAX_DRAWS = 6, 60  # how many cases of the family are checked, among how many draws
WORDS = 6  # words of the statement in the id


def theorem(
    statement: str,
    *bounds: Relational | Expr | Bound,
    measure: Measure,
    algorithm: Algorithm | Player | StepRule | None = None,
    family: Callable[[], Any] | None = None,
    given: Iterable[Relational] = (),
    cases: Iterable[Case] = (),
    key: str = "",
    name: str = "",
    letters: Mapping[Symbol, str] | None = None,
    recorded: Status = "holds",
    **more: Any,
) -> Claim:
    """Make a claim from relations about ``quantity``.

    Parameters
    ----------
    statement : str
        The statement in words; a label and a colon may come first ("T1: ...").
    *bounds : relation, sympy.Expr or Bound
        Relations such as ``quantity <= smoothness * initial_distance**2``, or upper bounds.
    measure : Measure
        The measured quantity.
    algorithm : Algorithm, Learner, Sampler or StepRule, optional
        What is run.
    family : callable, optional
        Makes the Hypothesis strategy that draws cases.
    given : relations
        Conditions on the constants.
    cases : iterable of Case
        Cases to check, by default the first different ones of the family that satisfy the conditions.
    key, name : str
        The paper's key and the claim's name, by default from the module and from the statement's label or first words.
    letters : mapping from Symbol to str, optional
        How the paper writes its constants, as ``{n_clients: "N"}``; by default as ``symbols.COMMON`` does.
    recorded : {"holds", "vacuous", "violated"}
        The verdict to expect, "violated" for a false claim.
    **more
        Other fields of ``Claim``.

    Returns
    -------
    Claim
        The claim.

    Raises
    ------
    ValueError
        If something is missing or contradictory; the message says what.

    Examples
    --------
    See ``docs/how-to/own_theorem.md`` for a whole file.

    >>> from fltheory import Case, quantity, theorem
    >>> from fltheory.problems import QuadraticClients
    >>> from fltheory.papers.sfl.algorithms import sequential
    >>> from fltheory.runs.measures import LastDistance
    >>> from fltheory.symbols import initial_distance as D
    >>> case = Case(QuadraticClients((1, 1), (0, 0), 1), n_rounds=1, n_local_steps=1, step_size="1/2")
    >>> theorem("T1: no farther", quantity <= D**2, measure=LastDistance(), algorithm=sequential, cases=[case], key="own").id
    'own/T1@printed'
    """
    conditions = _relations(given)
    source = Source(key or _key(algorithm, family, measure), name or _name(statement))
    _require(statement, bounds, family, source, {"recorded": recorded, **more})
    stated = tuple(b if isinstance(b, Relational | Bound) else quantity <= sympify(b) for b in bounds)
    written = _letters(letters or {}, (*stated, *conditions))
    made = tuple(bound_of(one, source, conditions, letters=written) for one in stated)
    entry = Entry(recorded)
    claim = Claim(
        id=f"{source.paper}/{source.place}@{source.reading}",
        statement=statement,
        bounds=made,
        measure=measure,
        algorithm=algorithm,
        cases=tuple(cases),
        family=family,
        entry=entry,
        **{"kind": _kind(made), "mode": "with probability" if "failure" in more else "in expectation", **more},
    )
    if claim.cases:
        return claim
    if family is None:
        raise ValueError(f"{claim.id} has no cases: give cases, or a family of them")
    return replace(claim, cases=sample_family(claim, family), entry=replace(entry, sampled=True))


def sample_family(claim: Claim, family: Callable[[], Any], wanted: int = N_FAMILY_CASES) -> tuple[Case, ...]:
    """Return the first different cases of a family to which the claim applies, the same at every call.

    ValueError if none of those tried is applicable; it names the most frequent reason.
    """
    found: dict[str, Case] = {}
    reasons = Counter[str]()

    def examine(case: Case) -> None:
        if not isinstance(case, Case):
            raise ValueError(f"the family of {claim.id} draws {type(case).__name__}, expected cases")
        if repr(case) in found:
            return
        reason = inapplicable_reason(claim, case)
        if reason is None:
            found[repr(case)] = case
            if len(found) == wanted:  # the cases of every claim are drawn when its paper is loaded
                raise StopSearch
        else:
            reasons[reason] += 1

    search_cases(family(), 0, MAX_DRAWS, examine)
    if not found:
        why = f": {reasons.most_common(1)[0][0]}" if reasons else ""
        raise ValueError(f"{claim.id} applies to no case that its family draws{why}")
    return tuple(found.values())


def _require(
    statement: str, bounds: tuple[object, ...], family: object, source: Source, more: Mapping[str, object]
) -> None:
    """Raise ValueError for arguments that do not make a theorem."""
    if not statement.strip():
        raise ValueError("a theorem needs a statement in words")
    if not bounds:
        raise ValueError(f"{statement!r} needs a bound, such as quantity <= smoothness * initial_distance**2")
    if family is not None and not callable(family):
        raise ValueError(
            f"{statement!r}: the family must be a function that makes the strategy, such as lambda: {family}"
        )
    if not source.paper.isidentifier() or source.paper in BUILTIN_KEYS or not re.fullmatch(r"[^\s/@:]+", source.place):
        raise ValueError(
            f"{statement!r} can't be called {source.paper}/{source.place}: expected a key that is a name of Python's and none "
            f"of {', '.join(BUILTIN_KEYS)}, and a name without blanks, '/', '@' and ':'"
        )
    for field, known in (("mode", get_args(Mode)), ("recorded", ("holds", "vacuous", "violated"))):
        if more.get(field, known[0]) not in known:
            raise ValueError(f"{statement!r}: {field} must be one of {', '.join(known)}, got {more[field]!r}")


def _relations(given: object) -> tuple[Relational, ...]:
    """Return the conditions as a tuple; a single condition is accepted."""
    found = (given,) if isinstance(given, Relational) or not isinstance(given, Iterable) else tuple(given)
    if isinstance(given, str) or not all(isinstance(one, Relational) for one in found):
        raise ValueError(f"given must be relations in the constants, such as [noise_std <= 1], got {given!r}")
    return found


def _letters(own: Mapping[Symbol, str], relations: Iterable[Relational | Bound]) -> tuple[tuple[Symbol, str], ...]:
    """Return the notation of the constants, a different letter for each."""
    if not all(isinstance(s, Symbol) and isinstance(letter, str) and letter.strip() for s, letter in own.items()):
        raise ValueError(f"letters must map constants to letters, such as {{n_clients: 'N'}}, got {own!r}")
    twice = [letter for letter, n in Counter(own.values()).items() if n > 1]
    if twice:
        raise ValueError(f"letters must be different: {twice[0]} stands for two constants")
    used = set[Symbol]().union(*(r.free_symbols for r in relations if isinstance(r, Relational)))
    return tuple(notation_for(used, own).items())


def _kind(bounds: tuple[Bound, ...]) -> str:
    """Return the kind: a lower bound if all bounds are; an equality counts as a lemma."""
    sides = {bound.side for bound in bounds}
    return "lower bound" if sides == {"lower"} else "lemma" if "equal" in sides else "upper bound"


def _key(*sources: Any) -> str:
    """Return the package or file of the first of these functions; ``own`` if it is interactive or of the library."""
    for source in sources:
        function = source.step if isinstance(source, Method) else source
        home = getmodule(function if isroutine(function) or isclass(function) else type(function))
        package = "" if home is None else home.__name__.partition(".")[0]
        if package and package not in ("__main__", "builtins", "fltheory", *BUILTIN_KEYS):
            return package
    return "own"


def _name(statement: str) -> str:
    """Return ``T1`` for "T1: F(x_R) - F* <= ...", else the first words."""
    label, colon, _ = statement.partition(":")
    words = re.findall(r"[^\W_]+", label if colon else statement)
    return "-".join(words[:WORDS]) or "statement"
