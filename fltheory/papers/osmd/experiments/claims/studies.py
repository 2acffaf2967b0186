"""Sections 7.1 and 7.2: which sampler has the smaller cumulative regret in Figures 1 and 2, as statements about a fresh run."""

from __future__ import annotations

from sympy import Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, quantity, requires
from fltheory.games.player import Sampler
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import one_of
from fltheory.papers.osmd.conditions import OWN_CONSTANTS
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.comparisons import Smaller
from fltheory.papers.osmd.experiments.regression import Regression
from fltheory.papers.osmd.paper import PAPER

TEXT, SCRIPT = "with the text's definitions", "as in the authors' script"
TO_THE_LETTER = "the text's definitions, taken literally; the authors' script, which produced the figure, uses others"
_MOST = "Most: in a fresh run with probability at least 1/2. Also for runs of 100 and 300 rounds in place of 1000."
OWN = {"text": experiments.experts(), "script": experiments.experts(experiments.SECTION_7.n_sampled / 2)}
_ROUNDS = (100, 300, 1000)
UNIFORM, BANDITS = ("uniform",), ("mabs", "vrb", "avare")


def _of_the_figure(spreads: tuple[int, ...]) -> Assumption:
    wanted = f"expected spread in {spreads}, rounds in {_ROUNDS} and 100 clients"

    def fails(game: object, c: Constants) -> str | None:
        if not isinstance(game, Regression):
            return "expected a Regression"
        return None if game.spread in spreads and game.rounds in _ROUNDS and game.clients == 100 else wanted

    return requires("the experiment of the figure", fails)


def at(*spreads: int, rounds: int = 100) -> tuple[Case, ...]:
    """The experiment at these spreads."""
    return tuple(Case(Regression(spread, rounds)) for spread in spreads)


def fresh_run_statement(
    id: str, measure: Smaller, sampler: Sampler, spreads: tuple[int, ...], remark: str = _MOST
) -> Statement:
    """Which method ends at less in a fresh run of the experiment of a figure, in a reading of its definitions."""
    return PAPER.theorem(id, f"Figure {id[1]}", measure, sampler, kind="experiment", cases=at(*spreads),
        full_cases=lambda: at(*spreads, rounds=1000), assumptions=(*OWN_CONSTANTS, _of_the_figure(spreads)),
        family=Regression.drawn(spread=one_of(*spreads), rounds=one_of(*_ROUNDS), clients=100), remark=remark)


def _runs(id: str, reading: str, spreads: tuple[int, ...], rivals: tuple[str, ...], factor: int = 1) -> Statement:
    """Which regret is smaller in a fresh run of Figure 1 or 2."""
    shown = "the rivals' least regret" if len(rivals) > 1 else f"{rivals[0]}'s regret"
    name = f"P({'' if factor == 1 else factor}regret < {shown})"
    return fresh_run_statement(id, Smaller("SGD", reading, ("adaptive",), rivals, factor, name=name), OWN[reading],
        spreads)


MOSTLY, SELDOM = Rational(1, 2) <= quantity, quantity <= Rational(1, 2)
_LESS = "Figure 1: Adaptive-OSMD's cumulative regret is below uniform sampling's in most runs, at σ = 1, 3 and 10"
_BY_LITTLE = (
    "The difference is small: summed over 60 runs of 1000 rounds 0.2 % at σ = 1, 2.2 % at σ = 3 and 5.9 % at σ = 10; in half of "
    "the runs it is at most 1.4 %."
)
_CLOSE = "Figure 1: at σ = 1 uniform sampling's cumulative regret is at most twice Adaptive-OSMD's in most runs"
_MUCH = "Figure 1: at σ = 10 uniform sampling's cumulative regret is more than twice Adaptive-OSMD's in most runs"
_BEST = "Figure 2: Adaptive-OSMD's cumulative regret is the least in most runs, against MABS, VRB and Avare"
FIGURE_1 = (
    _runs("F1-text", "text", (1, 3, 10), UNIFORM).printed(f"{_LESS}, {TEXT}", MOSTLY, remark=f"{_MOST} {_BY_LITTLE}"),
    _runs("F1-script", "script", (1, 3, 10), UNIFORM).printed(f"{_LESS}, {SCRIPT}", MOSTLY),
    _runs("F1-text-close", "text", (1,), UNIFORM, 2).printed(f"{_CLOSE}, {TEXT}", SELDOM),
    _runs("F1-script-close", "script", (1,), UNIFORM, 2).printed(f"{_CLOSE}, {SCRIPT}", SELDOM),
    _runs("F1-text-much", "text", (10,), UNIFORM, 2).strict(f"{_MUCH}, {TEXT}", MOSTLY, note=TO_THE_LETTER,
        counterexamples=at(10)),
    _runs("F1-script-much", "script", (10,), UNIFORM, 2).printed(f"{_MUCH}, {SCRIPT}", MOSTLY, cases=at(10, rounds=300)),
)
FIGURE_2 = (
    _runs("F2-text", "text", (10,), BANDITS).strict(f"{_BEST}, {TEXT}", MOSTLY, note=TO_THE_LETTER, counterexamples=at(10)),
    _runs("F2-script", "script", (10,), BANDITS).strict(f"{_BEST}, {SCRIPT}", MOSTLY, counterexamples=at(10)),
)
CLAIMS: tuple[Claim, ...] = (*FIGURE_1, *FIGURE_2)
