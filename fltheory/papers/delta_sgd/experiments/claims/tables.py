"""Statements of the text on the paper's own numbers: Tables 1-7 and the figures for Table 1, from printed digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, quantity, quantity_measure, requires
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.number import Number
from fltheory.papers.delta_sgd.experiments.tables import OURS, Row, place
from fltheory.papers.delta_sgd.paper import PAPER

UNIT, PINK, BOLD = Rational(1, 10), 2, Rational(1, 2)  # the last digit; a relevant difference; an irrelevant one
ADAPTIVE = ("Adam", "Adagrad", "SPS")
NOTHING = ("SGDM", "SGDM decayed", "Adam", "Adagrad")


def rows(table: str, *tasks: str) -> tuple[Case, ...]:
    """Return lines of a table."""
    return tuple(Case(Row(table, task)) for task in tasks)


def table_statement(id: str, where: str, name: str, of: Callable[[Any], Number], cases: tuple[Case, ...]) -> Statement:
    """State a number for each of the given lines of a table."""
    known = requires("the table rows of the statement", lambda one, c: Case(one) not in cases and "it is about other rows")
    return PAPER.theorem(id, where, quantity_measure(lambda one, c: of(one), name=name), kind="experiment",
        mode="surely", assumptions=[known], family=one_of(*cases).draw)


def margin(row: Row) -> Fraction:
    """Return how far Delta-SGD is above the best other."""
    return row.ours - max(row.others.values())


def change(row: Row, other: Row) -> dict[str, Fraction]:
    """Return the gain of each optimiser over another line."""
    return {name: other.accuracy[name] - value for name, value in row.accuracy.items()}


TUNED, MILD, HARD = (Row("Table 1", f"{alpha} CIFAR-10 R18") for alpha in ("0.1", "1", "0.01"))
FMNIST = rows("Table 1", "1 FMNIST", "0.1 FMNIST", "0.01 FMNIST")
DEEP = rows("Table 1", "1 CIFAR-100 R50", "0.1 CIFAR-100 R50", "0.01 CIFAR-100 R50")
SHALLOW, DEEPER = Row("Table 1", "0.1 CIFAR-100 R18"), Row("Table 1", "0.1 CIFAR-100 R50")
SIX = ("SGD", "SGD decayed", "SGDM", "SGDM decayed", "Adagrad", "SPS")  # all others but Adam


def _lag(row: Row) -> Fraction:
    """Return the smaller drop of Adam and Adagrad from alpha = .1 on, minus the largest of the others."""
    lost = {name: -v for name, v in change(TUNED, row).items()}
    own = [lost.pop(name) for name in ("Adam", "Adagrad")]
    return min(own) - max(lost.values())


_fmnist = table_statement("F2-adaptive", "Figure 2", "the worst other less the best of Adam, Adagrad, SPS",
    lambda row: min(v for n, v in row.accuracy.items() if n not in ADAPTIVE) - max(row.accuracy[n] for n in ADAPTIVE),
    FMNIST)
HETEROGENEITY = (
    table_statement("F2-milder", "Figure 2", "least gain from alpha = .1 to 1 on CIFAR-10",
        lambda row: min(change(TUNED, row).values()), (Case(MILD),)).printed(
        "With alpha = 1 all methods perform better than with .1", quantity >= UNIT, cases=(Case(MILD),)),
    table_statement("F2-drop", "Figure 2", "least loss from alpha = .1 to .01 on CIFAR-10",
        lambda row: -max(change(TUNED, row).values()), (Case(HARD),)).explicit(
        "With alpha = .01 all methods drop significantly: by at least 2 %, as the tables mark it", quantity >= PINK,
        cases=(Case(HARD),)),
    table_statement("F2-best", "Figure 2", "the place of SGD with decay, or of Delta-SGD",
        lambda row: max(place(row, "SGD decayed"), place(row, OURS)), (Case(HARD),)).printed(
        "With alpha = .01 SGD with decay and Delta-SGD perform best", quantity <= 2, cases=(Case(HARD),)),
    table_statement("F2-degrade", "Figure 2", "Adam's and Adagrad's lesser loss less the greatest other", _lag,
        (Case(HARD),)).explicit("Adam and Adagrad degrade noticeably more than the other methods: by at least 2 % more",
        quantity >= PINK, cases=(Case(HARD),)),
    table_statement("F2-fmnist", "Figure 2", "least loss on CIFAR-10 less the greatest on FMNIST",
        lambda row: min(change(FMNIST[1].instance, row).values()) - max(change(TUNED, HARD).values()),
        (FMNIST[2],)).explicit(
        "On FMNIST the degradation is much milder: every loss is at least 2 % less than every one on CIFAR-10",
        quantity >= PINK, cases=(FMNIST[2],)),
    _fmnist.printed("On FMNIST Adam, Adagrad and SPS perform much worse than the other methods", quantity >= UNIT,
        counterexamples=FMNIST[:2], remark="SPS has 85.9 and 85.0 for alpha = 1 and .1, above SGDM's 85.2 and SGD's 83.6."),
    _fmnist.corrected("The same for alpha = .01", quantity >= PINK, cases=FMNIST[2:],
        assumptions=[requires("alpha = .01", lambda row, c: row.task != "0.01 FMNIST" and "alpha is larger")]),
    table_statement("F2-deep", "Figure 2", "how far Delta-SGD is above all others but Adam",
        lambda row: row.ours - max(row.accuracy[name] for name in SIX), DEEP).explicit(
        "On CIFAR-100 with ResNet-50 all but Adam are much worse: by at least 2 %", quantity >= PINK, cases=DEEP),
    table_statement("F2-superior", "Figure 2", "how far Delta-SGD is above the best other", margin, DEEP).printed(
        "On CIFAR-100 with ResNet-50 Delta-SGD is superior for all alpha", quantity >= UNIT, cases=DEEP),
    table_statement("F2-adam", "Figure 2", "Adam's place", lambda row: place(row, "Adam"), DEEP[:2]).printed(
        "Adam is third there for alpha = 1, second for .1", quantity <= 3, cases=DEEP[:2]),
)

_deeper = table_statement("F3-deeper", "Figure 3", "least loss from ResNet-18 to ResNet-50 but for Adam and Delta-SGD",
    lambda row: min(-change(SHALLOW, row)[name] for name in SIX), (Case(DEEPER),))
ARCHITECTURE = (
    _deeper.printed("SGD, SGDM, Adagrad and SPS perform worse with ResNet-50 than with ResNet-18", quantity >= UNIT,
        counterexamples=(Case(DEEPER),), remark="SPS has 42.2 with both."),
    _deeper.corrected("They perform no better with it", quantity >= 0, cases=(Case(DEEPER),)),
    table_statement("F3-improves", "Figure 3", "lesser gain of Adam and Delta-SGD from ResNet-18 to ResNet-50",
        lambda row: min(change(SHALLOW, row)[name] for name in ("Adam", OURS)), (Case(DEEPER),)).printed(
        "Delta-SGD improves with ResNet-50, Adam similarly", quantity >= UNIT, cases=(Case(DEEPER),)),
    table_statement("F3-second", "Figure 3", "Delta-SGD less the best of all but SGD with decay",
        lambda row: row.ours - max(v for n, v in row.others.items() if n != "SGD decayed"), (Case(HARD),)).explicit(
        "On CIFAR-10 Delta-SGD is second, by at least 2 % above the rest", quantity >= PINK, cases=(Case(HARD),)),
    table_statement("F3-decay", "Figure 3", "what SGD loses without decay",
        lambda row: row.accuracy["SGD decayed"] - row.accuracy["SGD"], (Case(HARD),)).printed(
        "Without decay the accuracy of SGD drops by more than 11 %", quantity >= 11 + UNIT, cases=(Case(HARD),)),
)

TEXTS, PROXIMAL = rows("Table 2a", "AGNews", "DBpedia"), rows("Table 2b", "CIFAR-10 R18", "CIFAR-100 R50")
LABELS = {"AGNews": 4, "DBpedia": 14}


def _same_way(row: Row) -> Fraction:
    """Return the share of the others that the proximal term changes in the same direction as Delta-SGD."""
    found = change(Row("Table 1", f"0.01 {row.task}"), row)
    own = found.pop(OURS)
    return Fraction(sum(v * own > 0 for v in found.values()), len(found))


_story = table_statement("T2b-story", "Table 2", "share of the others that the proximal term moves as Delta-SGD",
    _same_way, PROXIMAL)
LOSSES = (
    table_statement("T2a-nothing", "Table 2", "distance of SGDM, Adam and Adagrad from chance",
        lambda row: max(abs(row.accuracy[name] - Fraction(100, LABELS[row.task])) for name in NOTHING), TEXTS).printed(
        "SGDM, Adam and Adagrad learn nothing on text: their accuracy is one over the number of labels",
        quantity <= UNIT / 2, cases=TEXTS),
    table_statement("T2a-competitive", "Table 2", "how far Delta-SGD is below the best", lambda row: -margin(row),
        TEXTS).explicit("Delta-SGD is competitive on text: less than 2 % below the best", quantity <= PINK, cases=TEXTS),
    table_statement("T2b-least", "Table 2", "how far Delta-SGD is above the best other", margin, PROXIMAL).printed(
        "With the proximal loss Delta-SGD is best, by at least 2.5 %", quantity >= Rational(5, 2), cases=PROXIMAL),
    table_statement("T2b-most", "Table 2", "how far Delta-SGD is above the worst other",
        lambda row: row.ours - min(row.others.values()), PROXIMAL[1:]).printed("The difference is as large as 26.9 %",
        quantity >= Rational(269, 10), cases=PROXIMAL[1:]),
    _story.strict("The proximal term moves the other methods as it moves Delta-SGD: up on CIFAR-10, down on CIFAR-100",
        quantity >= 1, counterexamples=PROXIMAL,
        remark="Of the seven others four go up on CIFAR-10, three down on CIFAR-100."),
    _story.explicit("The same for most of them", quantity >= Rational(1, 2), counterexamples=PROXIMAL[1:]),
    _story.corrected("The same for at least three of the seven", quantity >= Rational(3, 7), cases=PROXIMAL),
)

UNEQUAL = rows("Table 3", "CIFAR-10 R18", "CIFAR-100 R50")
ADAM_SERVER = rows("Table 4", "MNIST", "FMNIST", "CIFAR-10 R18", "CIFAR-100 R18")
(MOON,) = rows("Table 5", "CIFAR-10 R18")


def _printed_difference_error(row: Row, *but: str) -> Fraction:
    """Return the largest error of a printed difference: the best minus the accuracy."""
    best = max(row.accuracy.values())
    return max(abs(best - row.accuracy[name] - v) for name, v in row.below.items() if name not in but)


ALL_FEDPROX = rows("Table 6", "MNIST", "FMNIST", "CIFAR-10 R18", "CIFAR-100 R18", "CIFAR-100 R50")
_close = table_statement("T6-close", "Table 6", "how far Delta-SGD is below the best", lambda row: -margin(row),
    ALL_FEDPROX)
SEEDS = rows("Table 7", "CIFAR-10 R18", "FMNIST", "CIFAR-100 R50")
_steady = table_statement("T7-steady", "Table 7", "the place of Delta-SGD's standard deviation from below",
    lambda row: 1 + sum(v < row.spread[OURS] for v in row.spread.values()), SEEDS)


def _not_in_both(row: Row) -> Fraction:
    """Return the minimum over the others of their larger gap to the best on CIFAR-10 and FMNIST."""
    both = [case.instance.accuracy for case in SEEDS[:2]]
    return min(max(max(found.values()) - found[name] for found in both) for name in row.others)


APPENDIX = (
    table_statement("T3-second", "Table 3", "Delta-SGD's place", lambda row: place(row, OURS), UNEQUAL[:1]).printed(
        "On CIFAR-10 with unequal clients Delta-SGD is second", quantity <= 2, cases=UNEQUAL[:1]),
    table_statement("T3-close", "Table 3", "how far Delta-SGD is below the best", lambda row: -margin(row),
        UNEQUAL[:1]).explicit("The margin is small: within 0.5 %, as the tables mark it", quantity <= BOLD,
        cases=UNEQUAL[:1]),
    table_statement("T3-momentum", "Table 3", "SGD less the better SGDM",
        lambda row: row.accuracy["SGD"] - max(row.accuracy["SGDM"], row.accuracy["SGDM decayed"]),
        UNEQUAL[:1]).explicit("SGDM is much worse than SGD there, with and without decay: by at least 2 %",
        quantity >= PINK, cases=UNEQUAL[:1]),
    table_statement("T3-margin", "Table 3", "how far Delta-SGD is above the best other", margin, UNEQUAL[1:]).explicit(
        "On CIFAR-100 Delta-SGD outperforms all others by a large margin: at least 2 %", quantity >= PINK, cases=UNEQUAL[1:]),
    table_statement("T4-margin", "Table 4", "how far Delta-SGD is above the best other", margin, ADAM_SERVER).explicit(
        "With FedAdam Delta-SGD is best with a large margin in three of four cases: more than the 0.5 % that count as a tie",
        quantity > BOLD, counterexamples=ADAM_SERVER[:1], remark="On MNIST it has 97.9, SGDM 97.5."),
    table_statement("T4-margin", "Table 4", "how far Delta-SGD is above the best other", margin, ADAM_SERVER[:3]).corrected(
        "With FedAdam Delta-SGD is best in three of four cases", quantity >= UNIT, cases=ADAM_SERVER[:3]),
    table_statement("T4-last", "Table 4", "SGD with decay less Delta-SGD",
        lambda row: row.accuracy["SGD decayed"] - row.ours, ADAM_SERVER[3:]).explicit(
        "On CIFAR-100 SGD with decay is noticeably better: by at least 2 %", quantity >= PINK, cases=ADAM_SERVER[3:]),
    table_statement("T5-worse", "Table 5", "share of the optimisers that MOON makes worse",
        lambda row: Fraction(sum(v < 0 for v in change(TUNED, row).values()), len(row.accuracy)), (MOON,)).printed(
        "MOON does not help for most of the optimisers", quantity >= Rational(1, 2), cases=(MOON,)),
    table_statement("T5-difference", "Table 5", "|best - accuracy - printed difference|, the largest",
        _printed_difference_error, (MOON,)).printed("The subscripts are the differences from the best",
        quantity <= UNIT, counterexamples=(MOON,), remark="For SGDM with decay 14.1 is printed where 83.1 - 75.5 = 7.6."),
    table_statement("T5-difference", "Table 5",
        "|best - accuracy - printed difference|, the largest but for SGDM with decay",
        lambda row: _printed_difference_error(row, "SGDM decayed"), (MOON,)).corrected(
        "The same for all but SGDM with decay", quantity <= UNIT, cases=(MOON,)),
    table_statement("T6-second", "Table 6", "Delta-SGD's place", lambda row: place(row, OURS), ALL_FEDPROX).printed(
        "With the proximal loss Delta-SGD is best in three of five cases, and second in the others", quantity <= 2,
        cases=ALL_FEDPROX),
    _close.explicit("Where it is second the margin is close: within the 0.5 % that count as a tie", quantity <= BOLD,
        counterexamples=ALL_FEDPROX[3:4], remark="On CIFAR-100 with ResNet-18 SGD has 30.3, Delta-SGD 29.7."),
    _close.corrected("Delta-SGD is within 0.6 % of the best", quantity <= Rational(3, 5), cases=ALL_FEDPROX),
    table_statement("T7-best", "Table 7", "how far Delta-SGD is above the best other", margin, SEEDS).printed(
        "Over three seeds Delta-SGD has the best average accuracy", quantity >= Rational(1, 100), cases=SEEDS),
    _steady.explicit("Its standard deviation is very small: one of the two smallest", quantity <= 2, cases=SEEDS),
    table_statement("T7-both", "Table 7", "least shortfall of another that is kept on CIFAR-10 and FMNIST",
        _not_in_both, SEEDS[:1]).explicit(
        "No other optimiser is good in both settings: each is 2 % or more below the best in one", quantity >= PINK,
        cases=SEEDS[:1]),
)

CLAIMS: tuple[Claim, ...] = (*HETEROGENEITY, *ARCHITECTURE, *LOSSES, *APPENDIX)
