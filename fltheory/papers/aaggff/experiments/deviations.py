"""The standard deviations over seeds, in parentheses in Tables 2, 3, 5, 6 and 7, as exact decimals."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fltheory.papers.aaggff.experiments.tables import OURS, PLUGGED, Entry, Host

# of average, worst, best, Gini coefficient
_TABLE_2 = {
    "FedAvg": ("2.45 25.15 1.37 4.11", ".06 4.33 8.42 .91", "2.11 6.78 2.56 1.17"),
    "AFL": ("4.14 25.89 2.05 5.03", ".30 3.92 6.77 1.24", "2.31 10.09 2.18 1.74"),
    "q-FedAvg": ("3.89 26.15 2.73 5.22", ".42 3.06 9.09 .57", "16.22 23.24 28.52 10.02"),
    "TERM": ("3.08 25.79 1.37 4.73", ".19 4.36 8.30 1.43", "1.69 5.84 3.27 .94"),
    "FedMGDA": ("2.96 24.11 1.37 4.84", "1.67 2.22 3.89 .44", "14.94 21.30 28.52 10.02"),
    "PropFair": ("4.49 26.15 2.73 5.04", ".39 3.80 7.40 .87", "2.50 11.63 2.48 2.10"),
    "AAggFF-S": ("2.96 23.59 1.37 3.80", ".54 4.43 6.53 .77", "1.03 3.87 1.66 .38"),
}
_TABLE_3 = {
    "FedAvg": (".53 .84 0 .30", "1.45 .21 3.64 .49", "1.08 2.87 0 1.34"),
    "q-FedAvg": (".19 .85 0 .21", ".32 .20 .19 .34", ".47 .47 0 .13"),
    "TERM": (".65 .93 0 .38", ".16 .41 .65 1.05", "2.96 1.10 0 1.32"),
    "FedMGDA": (".63 25.85 0 .59", ".18 .20 .62 .22", "1.88 2.90 0 1.27"),
    "PropFair": ("5.01 10.03 0 3.43", ".71 .32 .92 1.02", "3.31 1.02 0 1.09"),
    "AAggFF-D": (".07 .08 0 .04", ".39 .76 1.36 .28", ".80 2.58 0 .81"),
}
# of the gap
_TABLE_5 = {
    "FedAvg": "23.98 5.39 4.50",
    "AFL": "23.78 5.16 8.01",
    "q-FedAvg": "22.15 7.13 5.52",
    "TERM": "23.74 6.93 9.26",
    "FedMGDA": "17.49 1.74 5.52",
    "PropFair": "23.78 4.35 9.60",
    "AAggFF-S": "17.55 3.31 2.23",
}
_TABLE_6 = {
    "FedAvg": ".84 3.52 2.87",
    "q-FedAvg": ".85 .09 .47",
    "TERM": ".93 .75 1.10",
    "FedMGDA": "2.59 .43 2.90",
    "PropFair": "10.03 .64 1.02",
    "AAggFF-D": ".08 .70 2.58",
}
# of the average on Heart and on TinyImageNet: plain, then with AAggFF
_TABLE_7 = {
    "FedAvg": "2.45 .77 2.86 .63",
    "FedProx": ".25 .72 2.81 .72",
    "FedAdam": "2.78 1.05 2.85 .90",
    "FedYogi": "2.62 1.40 3.01 .94",
    "FedAdagrad": "2.96 .63 2.91 .51",
}


def _numbers(text: str) -> list[Fraction]:
    return [Fraction(v) for v in text.split()]


class Deviations(NamedTuple):
    """The printed standard deviations for a method on a data set."""

    average: Fraction
    worst: Fraction
    best: Fraction
    gini: Fraction
    gap: Fraction


def of_entry(one: Entry) -> Deviations:
    """Return the standard deviations of an entry."""
    at = list(OURS).index(one.data)
    cells, gaps = (_TABLE_2, _TABLE_5) if at < 3 else (_TABLE_3, _TABLE_6)
    average, worst, best, gini = _numbers(cells[one.method][at % 3])
    return Deviations(average, worst, best, gini, _numbers(gaps[one.method])[at % 3])


def of_average(one: Host) -> Fraction:
    """Return the larger of those of the average performance, plain and with AAggFF."""
    return max(_numbers(_TABLE_7[one.method])[PLUGGED.index(one.data) :: len(PLUGGED)])
