"""Instances beside the theorems: performances of models, the settings of Appendix C.3, the sizes of Table 4."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
import sympy
from sympy import Expr

from fltheory.model.schema import AsVector, Record, nonnegative, one_of, one_of_names, per, rational, scalar
from fltheory.number import Number
from fltheory.papers.aaggff.experiments.tables import OURS
from fltheory.papers.aaggff.notation import K


class Performances(Record):
    """The performance of a model on each client."""

    performance: AsVector = per(K, of=rational(nonnegative), nonzero=True)

    @cached_property
    def row(self) -> np.ndarray:
        """Return the performances, exact."""
        return _row(self.performance)


class TwoModels(Record):
    """The performances of two models on each client."""

    first: AsVector = per(K, of=rational(nonnegative), nonzero=True)
    second: AsVector = per(K, of=rational(nonnegative), nonzero=True)

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the performances of both, exact."""
        return _row(self.first), _row(self.second)


def _row(values: AsVector) -> np.ndarray:
    return np.array([Fraction(v) for v in values], dtype=object)


# Appendices C.1 and C.3: number of classes; psi, the exponent of zeta = 10^x, phi, s; the same in the authors' scripts
_SETTINGS = {
    "Berka": ("2", "1/1000 0 99/100 10", "1/1000 1 99/100 10"),
    "MQP": ("2", "1/100 -5/2 99/100 15", "1/100 0.00316 99/100 15"),
    "ISIC": ("8", "1/100 -4 95/100 5", "1/100 0.0001 95/100 5"),
    "CelebA": ("2", "1/10000 -1 96/100 300", "1/10000 0.1 96/100 300"),
    "Reddit": ("10000", "1/1000000 7/8 95/100 20", "1/1000000 7.5 95/100 20"),
    "SpeechCommands": ("35", "0 -1 999/1000 10", "0 0.1 999/1000 10"),
}
BATCH, TRAINED = 20, Fraction(4, 5)  # of the samples of a client
CANDIDATES = {  # Appendix C.3
    "AFL": ("1/100", "1/10", "1"),
    "q-FedAvg": ("1/10", "1", "5"),
    "TERM": ("1/10", "1", "10"),
    "FedMGDA": ("1/10", "1/2", "1"),
    "PropFair": ("2", "3", "5"),
}


class Training(Record):
    """A data set with its settings of Appendix C.3."""

    data: str = scalar(one_of_names(*OURS))

    @property
    def classes(self) -> int:
        """The number of classes, or of words of the vocabulary."""
        return int(_SETTINGS[self.data][0])

    @property
    def printed(self) -> tuple[Expr, ...]:
        """Return ψ, ζ, φ and s as printed."""
        decay, exponent, factor, step = map(sympy.Rational, _SETTINGS[self.data][1].split())
        return decay, sympy.Integer(10) ** exponent, factor, step

    @property
    def released(self) -> tuple[Expr, ...]:
        """Return the same in the authors' scripts."""
        return tuple(map(sympy.Rational, _SETTINGS[self.data][2].split()))


class Candidate(Training):
    """A baseline constant of PropFair on a data set."""

    baseline: Number = scalar(one_of(*(int(v) for v in CANDIDATES["PropFair"])))


class Hyperparameters(Record):
    """The values from which a method's constant is chosen."""

    method: str = scalar(one_of_names(*CANDIDATES))

    @property
    def values(self) -> tuple[Fraction, ...]:
        """Return the values in increasing order."""
        return tuple(map(Fraction, CANDIDATES[self.method]))
