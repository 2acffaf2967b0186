"""Search for models: points at which all hypotheses of a theorem hold, the richer ones first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import sympy
from flint import fmpq

from fltheory.number import exact_text
from fltheory.proof import models, terms
from fltheory.proof.language import Given, Proofs, Theorem
from fltheory.proof.models import Model
from fltheory.proof.models.exact_terms import NoValue, rational, symbolic
from proofs_checks.search.ground import Values, ground_constraints
from proofs_checks.search.hints import hints
from proofs_checks.search.shape import SIGNS, Contradiction, Manner, expressions, has_draws
from proofs_checks.search.solve import Search
from proofs_checks.search.world import UnknownWorld
from proofs_checks.search.written import HANDMADE_MODELS

MAX_ATTEMPTS = 1_000  # of a theorem, in all
ATTEMPTS_PER_MANNER = 12  # of one manner
PREFIX = 0.4  # part of the tries after which a model of a beginning of an endless run is enough


def model_of_values(world: UnknownWorld, values: Values) -> Model:
    """The values as a model."""
    symbols = {s.name: str(v) for s, v in world.counts.items() if s in world.asked}
    members: dict[str, dict[str, Any]] = {}
    table: dict[Any, dict[int, dict[int, str]]] = {}
    for (key, outcome), unknown in world.unknown.items():
        if unknown in world.logs:
            values = {**values, unknown: rational(sympy.log(symbolic(values[unknown])))}
        value = (
            str(exact_text(symbolic(values[unknown])))
            if not isinstance(values[unknown], fmpq)
            else str(values[unknown])
        )
        if len(key) == 1:
            symbols[key[0].name] = value
        else:
            table.setdefault(key[:2], {}).setdefault(outcome, {})[key[2]] = value.replace(" ", "")
    for (key, outcome), integer in world.integers.items():
        if outcome < len(world.weights):
            table.setdefault(key, {}).setdefault(outcome, {})[0] = str(integer)
    for (name, indices), outcomes in table.items():
        parts = [" ".join(c[k] for k in sorted(c)) for _, c in sorted(outcomes.items())]
        size = len(world.weights)
        if len(parts) not in (1, size):  # outcomes of which nothing is said
            parts = [
                " ".join(outcomes[o][k] for k in sorted(outcomes[o])) if o in outcomes else parts[0]
                for o in range(size)
            ]
        members.setdefault(name, {})[indices] = parts[0] if len(set(parts)) == 1 else "|".join(parts)
    for name, value in world.manner.fixed.items():
        if name in world.pinned:
            vector = models.KINDS[name.split()[0]]
            members[name] = {"*": " ".join([str(value)] * (world.dimension if issubclass(vector, terms.Vector) else 1))}
            continue
        rest = " " in name
        if name in world.used:
            family, _, indices = name.rpartition(" ")
            members.setdefault(family, {})[indices] = str(value)
        elif not rest and name in world.used_symbols:
            symbols[name] = str(value)
    functions: dict[str, dict[str, str]] = {}
    for (name, indices), (a, centre, b) in world.functions.items():
        functions.setdefault(name, {})[indices] = " ".join(map(str, (a, *centre, b)))
    rounds = tuple(r for r in world.rounds if r in world.drawn_rounds)
    outcomes = world.manner.outcomes * len(world.signs)
    return Model(
        symbols,
        members,
        functions,
        (f"1/{outcomes}",) * outcomes if outcomes > 1 else ("1",),
        world.manner.population if rounds else 0,
        rounds,
        world.dimension,
    )


RICH = (Manner(), Manner(counts=(2, 1)), Manner(alike=True), Manner(counts=(1, 2, 3), zero=0.3))
POOR = (
    Manner(zero=0.7),
    Manner(zero=1.0),
    Manner(alike=True, zero=0.5),
    Manner(alike=True, zero=1.0, counts=(1,)),
    Manner(counts=(1,)),
    Manner(counts=(1,), population=1),
    Manner(counts=(1, 2), population=1, zero=0.5),
    Manner(counts=(1,), population=1, zero=1.0),
    Manner(counts=(1, 2, 3, 4, 0, 5, 10)),
    Manner(counts=(1, 2, 3, 4, 0, 100), population=3),
)
WIDE = (
    Manner(dimension=2),
    Manner(dimension=2, zero=0.5),
    Manner(outcomes=2),
    Manner(outcomes=2, counts=(1,), zero=0.3),
)
CONSTANT = (
    Manner(constant=True, alike=True),
    Manner(constant=True, zero=1.0, alike=True),
    Manner(constant=True, zero=0.5),
)


def manners(theorem: Theorem, draw: random.Random) -> Iterable[Manner]:
    """Ways to try: what is proposed, the same at all indices where ranges have no end, the richer ones, the poorer ones."""
    given = [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
    endless = any(a is -sympy.oo or b is sympy.oo for r in given for _, a, b in r.over)
    for hint in hints(theorem):
        if hint.get("n_clients") == 1:
            yield from (Manner(fixed=hint, population=1, zero=1.0), Manner(fixed=hint, population=1, zero=0.5))
        else:
            yield from (
                Manner(fixed=hint),
                Manner(fixed=hint, counts=(1,)),
                Manner(fixed=hint, counts=(1, 2), zero=0.6),
            )
            yield Manner(fixed=hint, counts=(1,), zero=1.0)
    if endless:
        yield from CONSTANT
    yield from sign_manners(theorem)
    rich = (Manner(counts=(1,)), Manner(counts=(1, 2)), Manner(alike=True, flat=True)) if has_draws(theorem) else RICH
    if any(p.args[0].name == "xi" for e in expressions(theorem) for p in e.atoms(terms.RandomVector)):
        yield from (replace(m, fixed={"RandomVector xi": 0}) for m in rich)
    yield from rich
    for m in POOR:
        still = has_draws(theorem) and (m.alike or m.population == 1 or m.zero == 1.0)
        yield replace(m, flat=still, alike=m.alike or still)
    yield from WIDE
    while True:
        yield Manner(
            counts=draw.choice(((1,), (2,), (1, 2), (2, 3), (1, 3), (4, 2), (1, 2, 100), (0, 1, 2))),
            population=draw.choice((1, 2, 2, 3)),
            zero=draw.choice((0.0, 0.2, 0.5, 0.8, 1.0)),
            alike=draw.random() < 0.5,
            outcomes=draw.choice((1, 1, 1, 2)),
            dimension=draw.choice((1, 1, 1, 2)),
            constant=endless and draw.random() < 0.5,
        )


def sign_manners(theorem: Theorem) -> Iterable[Manner]:
    """Outcomes that are sequences of signs, where some are drawn."""
    if not any(p.args[0].name in SIGNS for e in expressions(theorem) for p in e.atoms(terms.RandomScalar)):
        return
    for law, length in (("balanced", 4), ("independent", 4), ("balanced", 2), ("independent", 3), ("balanced", 6)):
        fixed: dict[str, Any] = {"g": 0, **({"n_clients": length} if law == "balanced" else {})}
        plain = Manner(counts=(1,), population=1, signs=law, length=length, fixed=fixed)
        yield from (plain, replace(plain, zero=0.3), replace(plain, counts=(1, 2, 3), zero=0.5))
        yield Manner(counts=(4,), signs=law, length=length, zero=0.5)


def find_model(
    theorem: Theorem,
    tries: int = MAX_ATTEMPTS,
    seed: int = 1,
    fixed: Mapping[str, Any] | None = None,
    only: Manner | None = None,
) -> tuple[Model | None, dict[str, int]]:
    """A model of a theorem's hypotheses, or None and what stood in the way, how often, after so many ``tries``."""
    draw = random.Random(seed)
    blame: dict[str, int] = {}
    prefix: Model | None = None
    done = 0
    for manner in itertools.repeat(only) if only is not None else manners(theorem, draw):
        if done >= tries:
            break
        manner = replace(manner, fixed={**manner.fixed, **(fixed or {})})
        try:
            world = UnknownWorld(theorem, manner, draw)
            constraints = ground_constraints(theorem, world, models.HORIZON)
        except (
            Contradiction,
            NoValue,
            NotImplementedError,
            RecursionError,
            ValueError,
            TypeError,
            ZeroDivisionError,
        ) as error:
            _count(blame, f"ground {error!r}"[:160])
            done += 1
            continue
        for attempt in range(min(ATTEMPTS_PER_MANNER, tries - done)):
            done += 1
            first = ("symbols", "members", "", "written")[attempt % 4]
            try:
                values = Search(world, constraints, draw, manner.zero, first).run()
            except Contradiction as error:
                _count(blame, str(error))
                continue
            model = model_of_values(world, values)
            finding = models.check_model(theorem, model)
            if not finding.fault and not finding.prefix:
                return model, blame
            if not finding.fault and prefix is None:
                prefix = model
            _count(blame, "check " + finding.fault)
            if finding.prefix and done >= PREFIX * tries:
                return prefix, blame
    return prefix, blame


def _count(blame: dict[str, int], name: str) -> None:
    blame[name] = blame.get(name, 0) + 1


def find_models(
    proofs: Proofs, say: Callable[[str], Any], names: tuple[str, ...] = (), tries: int = MAX_ATTEMPTS
) -> bool:
    """Store models of the theorems named, or of those that have none; whether all of them have one then."""
    path, done = models.path_of(proofs), True
    stored = models.read_models(path)
    for theorem in proofs.theorems:
        if not theorem.hypotheses or (names and theorem.id not in names):
            continue
        old = stored.get(theorem.id)
        if not names and old is not None and not models.check_model(theorem, old).fault:
            continue
        model, blame = (
            (HANDMADE_MODELS[theorem.id](), {}) if theorem.id in HANDMADE_MODELS else find_model(theorem, tries)
        )
        if model is None:
            done = False
            say(
                f"{theorem.id}: no model found; most often {max(blame, key=lambda b: blame[b], default='nothing')} was in the way"
            )
            continue
        stored[theorem.id] = model
        say(f"{theorem.id}: found")
        models.write_models(path, {t.id: stored[t.id] for t in proofs.theorems if t.id in stored})
    return done
