"""Statements of Sections 6.2 and 6.3 on heterogeneity and on Table 3, from printed digits and by counting labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, quantity, quantity_measure, requires
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.number import Number
from fltheory.papers.sfl.experiments.accuracies import DATA, LABELS, PARTS, Cell, Dealt
from fltheory.papers.sfl.paper import PAPER

DIGIT = Rational(1, 100)


def cells(data: tuple[str, ...] = DATA, labels: tuple[int, ...] = LABELS) -> tuple[Case, ...]:
    """Return pairs of accuracies of Table 3."""
    return tuple(Case(Cell(name, n, part)) for name in data for n in labels for part in PARTS)


def accuracy_statement(
    id: str, place: str, name: str, of: Callable[[Any], Number], cases: tuple[Case, ...]
) -> Statement:
    """State a number for each of these cases, and for no others."""
    known = requires("the cells of the statement", lambda one, c: Case(one) not in cases and "it is about others")
    measure = quantity_measure(lambda one, c: of(one), name=name)
    return PAPER.theorem(id, place, measure, kind="experiment", mode="surely", assumptions=[known], family=one_of(*cases).draw)


def _beyond_noise(cell: Cell) -> Number:
    return cell.lead - max(cell.sfl.deviation, cell.pfl.deviation)


def _lead_beyond_deviations(cell: Cell) -> Number:
    return cell.lead - (cell.sfl.deviation + cell.pfl.deviation)


def _shrinks(cell: Cell) -> Number:
    fewer = Cell(cell.data, LABELS[LABELS.index(cell.n_labels) - 1], cell.part)
    return fewer.lead - cell.lead


def _grows(dealt: Dealt) -> Number:
    return dealt.heterogeneity - Dealt(dealt.n_classes, dealt.n_labels - 1).heterogeneity


HIGH, LOW, ALL = cells(labels=(1, 2)), cells(labels=(5,)), cells()
HARD = ("CIFAR-10", "CINIC-10")
_much = accuracy_statement("TAB3-much", "Table 3", "SFL's lead less the larger standard deviation", _beyond_noise, HIGH)
_close = accuracy_statement("TAB3-close", "Table 3", "SFL's lead less both standard deviations",
    _lead_beyond_deviations, LOW)
TABLE_3 = (
    accuracy_statement("TAB3-ahead", "Table 3", "SFL's accuracy less PFL's", lambda cell: cell.lead, ALL).printed(
        "SFL outperforms PFL: every training and test accuracy is higher", quantity >= DIGIT, cases=ALL),
    _much.explicit("With one or two labels a client SFL is much better: by more than a standard deviation",
        quantity >= DIGIT, counterexamples=tuple(Case(Cell("Fashion-MNIST", n, "test")) for n in (1, 2)),
        remark="On Fashion-MNIST the leads in test accuracy, 1.83 and 1.11, are within one standard deviation, 1.96 and 1.41."),
    _much.corrected("The same on CIFAR-10 and CINIC-10", quantity >= DIGIT, cases=cells(HARD, (1, 2)),
        assumptions=[requires("CIFAR-10 or CINIC-10", lambda one, c: one.data not in HARD and "Fashion-MNIST")]),
    _close.explicit("With five labels both are close to each other: within their standard deviations", quantity <= 0,
        counterexamples=cells(HARD, (5,)),
        remark="On CIFAR-10 and CINIC-10 SFL leads by 1.26 to 4.61, which both deviations together do not reach."),
    _close.corrected("The same on Fashion-MNIST", quantity <= 0, cases=cells(DATA[:1], (5,)),
        assumptions=[requires("Fashion-MNIST", lambda one, c: one.data in HARD and "CIFAR-10 or CINIC-10")]),
    accuracy_statement("TAB3-shrinks", "Table 3", "the lead with fewer labels less this one", _shrinks,
        cells(labels=(2, 5))).strengthened("The lead is the smaller the more labels clients have", quantity >= DIGIT,
        cases=cells(labels=(2, 5))),
)

TWO, TEN = (Case(Dealt(2, 2)),), tuple(Case(Dealt(10, n)) for n in (2, 5))
DIRECTION = tuple(
    reading
    for id, place, cases in (("S6.2-labels", "Section 6.2", TWO), ("S6.3-labels", "Section 6.3", TEN))
    for grows in (
        accuracy_statement(id, place, "heterogeneity less that with one label fewer a client", _grows, cases),
    )
    for reading in (
        grows.printed(
            "A larger number C of labels a client means higher heterogeneity",
            quantity >= 0,
            counterexamples=cases,
            remark="Clients with all labels are alike: C = 1 is the most heterogeneous case, as the next paragraph says.",
        ),
        grows.corrected("A larger C means lower heterogeneity", quantity <= 0, cases=cases),
    )
)

CLAIMS: tuple[Claim, ...] = (*DIRECTION, *TABLE_3)
