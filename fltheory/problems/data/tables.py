"""Public data sets that the experiments of several papers use: digits, the same in unscaled pixels, breast cancer.

``digits.npz`` holds the 1797 8x8 images of the test set of "Optical Recognition of Handwritten Digits" (E. Alpaydin and
C. Kaynak, UCI Machine Learning Repository, 1998, https://doi.org/10.24432/C50P49): ``images`` (1797, 64), pixels 0..16, and
``labels``. ``breast_cancer.npz`` holds the 569 samples of "Breast Cancer Wisconsin (Diagnostic)" (W. Wolberg,
O. Mangasarian, N. Street, W. Street, UCI Machine Learning Repository, 1993, https://doi.org/10.24432/C5DW2B):
``measurements`` (569, 30), and whether a tumour is ``benign``. Both have the licence CC BY 4.0, in the form in which
scikit-learn distributes them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Samples ``x`` (n, d) and their labels ``y`` (n,), from 0."""

    x: np.ndarray
    y: np.ndarray

    @property
    def n_classes(self) -> int:
        """How many labels there are."""
        return int(self.y.max()) + 1


TABLES = ("digits", "pixels", "cancer")


@cache
def table(name: str) -> Table:
    """A data set of TABLES: digits in [0, 1], the same as pixels 0..16, or standardised measurements of tumours."""
    if name not in TABLES:
        raise ValueError(f"data {name!r}: expected one of {', '.join(TABLES)}")
    file = "breast_cancer.npz" if name == "cancer" else "digits.npz"
    with (files("fltheory.problems.data") / file).open("rb") as opened, np.load(opened) as stored:
        if name == "cancer":
            x = stored["measurements"]
            return Table((x - x.mean(axis=0)) / x.std(axis=0), stored["benign"].astype(np.int64))
        return Table(stored["images"] / (16.0 if name == "digits" else 1.0), stored["labels"].astype(np.int64))
