"""The printed numbers of Tables 1-7, as exact decimals: final test accuracies in percent, some with differences."""

from __future__ import annotations

from fractions import Fraction

from fltheory.model.schema import Record, one_of_names, scalar

OPTIMISERS = ("SGD", "SGD decayed", "SGDM", "SGDM decayed", "Adam", "Adagrad", "SPS", "Delta-SGD")
OURS = OPTIMISERS[-1]

# Task, with alpha if a table has several: accuracies in the order of the optimisers.
_PRINTED = {
    "Table 1": """
        1 MNIST: 98.3 97.8 98.5 98.4 94.7 64.3 10.1 98.4
        1 FMNIST: 86.5 86.3 85.2 87.2 71.8 45.5 85.9 87.3
        1 CIFAR-10 R18: 87.7 87.8 88.7 89.3 89.4 86.6 82.7 89.8
        1 CIFAR-100 R18: 57.7 61.9 58.8 61.4 55.6 53.5 1.0 61.5
        1 CIFAR-100 R50: 53.0 60.9 60.5 63.3 61.4 51.9 50.0 65.8
        0.1 MNIST: 98.1 98.0 97.6 98.0 96.4 89.9 96.0 98.1
        0.1 FMNIST: 83.6 84.7 83.6 86.1 80.4 46.3 85.0 86.4
        0.1 CIFAR-10 R18: 72.1 78.4 79.6 77.9 85.0 84.1 70.3 84.5
        0.1 CIFAR-100 R18: 54.4 59.3 58.8 60.4 55.4 49.6 42.2 61.1
        0.1 CIFAR-100 R50: 44.2 48.7 52.3 52.8 58.2 48.0 42.2 64.1
        0.01 MNIST: 96.8 97.2 77.9 94.0 80.8 72.4 69.7 97.5
        0.01 FMNIST: 79.0 79.3 75.7 79.5 60.6 45.9 44.0 80.2
        0.01 CIFAR-10 R18: 22.6 33.9 28.4 29.0 22.1 12.5 21.5 31.6
        0.01 CIFAR-100 R18: 30.5 30.3 24.8 20.9 18.2 25.8 22.0 31.8
        0.01 CIFAR-100 R50: 24.3 24.6 22.0 14.7 22.6 22.2 17.4 31.4""",
    "Table 2a": """
        AGNews: 91.1 91.6 25.0 25.0 25.0 25.0 91.5 90.7
        DBpedia: 96.0 98.7 7.1 7.1 7.1 7.1 98.9 98.6""",
    "Table 2b": """
        CIFAR-10 R18: 20.0 31.3 29.3 25.3 28.1 19.3 27.6 33.8
        CIFAR-100 R50: 25.2 20.2 23.8 15.0 22.6 4.1 16.5 31.0""",
    "Table 3": """
        CIFAR-10 R18: 80.7 78.8 75.0 66.6 79.9 79.3 64.4 80.4
        CIFAR-100 R50: 53.5 53.6 53.9 53.1 51.1 44.5 37.2 57.5""",
    "Table 4": """
        MNIST: 97.3 96.4 97.5 96.4 96.4 95.7 96.6 97.9
        FMNIST: 83.7 80.9 84.6 81.8 81.5 82.1 85.0 85.8
        CIFAR-10 R18: 52.0 49.1 53.7 53.3 27.8 10.4 21.6 63.8
        CIFAR-100 R18: 46.7 49.2 13.3 16.8 38.3 1.0 1.6 41.9""",
    "Table 5": """
        CIFAR-10 R18: 78.2 74.2 76.4 75.5 82.4 81.3 9.57 83.1""",
    "Table 6": """
        MNIST: 95.7 97.2 73.8 81.2 82.3 76.3 85.5 96.9
        FMNIST: 79.0 79.3 72.8 78.0 65.6 51.2 62.1 80.6
        CIFAR-10 R18: 20.0 31.3 29.3 25.3 28.1 19.3 27.6 33.8
        CIFAR-100 R18: 30.3 29.5 22.9 19.8 24.8 12.9 21.3 29.7
        CIFAR-100 R50: 25.2 20.2 23.8 15.0 22.6 4.1 16.5 31.0""",
    "Table 7": """
        CIFAR-10 R18: 73.96 67.79 77.59 72.11 83.24 83.86 68.38 83.89
        FMNIST: 83.43 77.83 83.27 81.36 79.98 53.06 84.59 85.21
        CIFAR-100 R50: 49.44 40.26 53.80 46.77 58.89 49.93 43.16 64.02""",
}
# Table 7: standard deviations over three seeds
_SPREAD = {
    "CIFAR-10 R18": ".0263 .1550 .0142 .0611 .0126 .0048 .0192 .0052",
    "FMNIST": ".0178 .0815 .0186 .0606 .0228 .0487 .0154 .0152",
    "CIFAR-100 R50": ".0376 .1687 .0149 .0762 .0098 .0177 .0072 .0051",
}
# Subscripts: the shortfall from the best of the task
_BELOW = {"Table 5": {"CIFAR-10 R18": "4.9 8.9 6.7 14.1 .6 1.8 73.5 0"}}


def _rows() -> dict[tuple[str, str], dict[str, Fraction]]:
    found = {}
    for table, text in _PRINTED.items():
        for line in text.strip().splitlines():
            task, _, cells = line.strip().partition(": ")
            found[table, task] = dict(zip(OPTIMISERS, map(Fraction, cells.split()), strict=True))
    return found


ROWS = _rows()


class Row(Record):
    """A task of a table: one line of printed accuracies."""

    table: str = scalar(one_of_names(*_PRINTED))
    task: str = scalar(one_of_names(*dict.fromkeys(task for _, task in ROWS)))

    def require(self) -> None:
        if (self.table, self.task) not in ROWS:
            known = [task for table, task in ROWS if table == self.table]
            raise ValueError(f"task = {self.task!r}: {self.table} has {', '.join(known)}")

    @property
    def accuracy(self) -> dict[str, Fraction]:
        """Return the printed accuracies of the optimisers, in percent."""
        return ROWS[self.table, self.task]

    @property
    def ours(self) -> Fraction:
        """Return the printed accuracy of Delta-SGD."""
        return self.accuracy[OURS]

    @property
    def others(self) -> dict[str, Fraction]:
        """Return the printed accuracies of the others."""
        return {name: value for name, value in self.accuracy.items() if name != OURS}

    @property
    def spread(self) -> dict[str, Fraction]:
        """Return the standard deviations of Table 7, for accuracies between 0 and 1."""
        return dict(zip(OPTIMISERS, map(Fraction, _SPREAD[self.task].split()), strict=True))

    @property
    def below(self) -> dict[str, Fraction]:
        """Return the printed differences from the best."""
        return dict(zip(OPTIMISERS, map(Fraction, _BELOW[self.table][self.task].split()), strict=True))


def place(row: Row, name: str) -> int:
    """Return 1 plus the number of optimisers with a higher printed accuracy."""
    return 1 + sum(value > row.accuracy[name] for value in row.accuracy.values())
