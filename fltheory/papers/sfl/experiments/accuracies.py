"""Table 3 as printed, and clients with few labels each: what Sections 6.2 and 6.3 say about heterogeneity."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from fltheory.model.schema import Record, count, one_of_names, scalar

DATA, PARTS, LABELS = ("Fashion-MNIST", "CIFAR-10", "CINIC-10"), ("train", "test"), (1, 2, 5)

# accuracies of PFL and SFL in percent with their standard deviations, train and test, for C = 1, 2, 5
_TABLE_3 = {
    "Fashion-MNIST": (
        "86.71 1.87 85.77 1.96 89.73 1.23 88.55 1.19 92.27 .57 90.70 .50",
        "88.86 1.60 87.60 1.56 91.33 1.49 89.66 1.41 92.83 .69 90.92 .64",
    ),
    "CIFAR-10": (
        "76.48 2.03 73.84 1.90 85.92 1.77 78.99 1.43 94.55 .36 83.47 .48",
        "89.60 2.29 81.05 1.78 94.01 .97 83.34 .68 96.72 .50 84.73 .44",
    ),
    "CINIC-10": (
        "53.36 3.80 52.27 3.61 65.38 2.01 61.96 1.81 74.97 .95 68.45 .81",
        "65.40 3.57 61.52 3.14 73.58 2.32 67.31 1.87 79.58 1.42 70.82 1.05",
    ),
}


class Accuracy(NamedTuple):
    """An accuracy and its standard deviation, in percent."""

    mean: Fraction
    deviation: Fraction


class Cell(Record):
    """Two accuracies of Table 3, of PFL and of SFL, with ``n_labels`` labels per client."""

    data: str = scalar(one_of_names(*DATA))
    n_labels: int = scalar(count(1))
    part: str = scalar(one_of_names(*PARTS))

    def require(self) -> None:
        if self.n_labels not in LABELS:
            raise ValueError(f"n_labels = {self.n_labels}: expected one of {', '.join(map(str, LABELS))}")

    def _of(self, method: int) -> Accuracy:
        numbers = [Fraction(v) for v in _TABLE_3[self.data][method].split()]
        first = 4 * LABELS.index(self.n_labels) + 2 * PARTS.index(self.part)
        return Accuracy(*numbers[first : first + 2])

    @property
    def pfl(self) -> Accuracy:
        """The accuracy of parallel training."""
        return self._of(0)

    @property
    def sfl(self) -> Accuracy:
        """The accuracy of sequential training."""
        return self._of(1)

    @property
    def lead(self) -> Fraction:
        """Return the lead of SFL over PFL."""
        return self.sfl.mean - self.pfl.mean


class Dealt(Record):
    """Clients with ``n_labels`` of ``n_classes`` labels in equal parts; all sets of labels are equally frequent."""

    n_classes: int = scalar(count(2))
    n_labels: int = scalar(count(1))

    def require(self) -> None:
        if self.n_labels > self.n_classes:
            raise ValueError(f"n_labels = {self.n_labels}: expected at most n_classes = {self.n_classes}")

    @property
    def heterogeneity(self) -> Fraction:
        """Return the mean total variation distance between the labels of a client and those of all clients together."""
        sets = list(combinations(range(self.n_classes), self.n_labels))
        own, whole = Fraction(1, self.n_labels), Fraction(1, self.n_classes)
        found = [Fraction(sum(abs(own * (k in held) - whole) for k in range(self.n_classes))) / 2 for held in sets]
        return sum(found, Fraction(0)) / len(sets)
