"""Federated regression on a user's own data, from a CSV or NPZ file or from arrays, with certified constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike, fspath
from typing import Any, ClassVar, Literal

from fltheory.model.schema import AsVector, read_vector, shortest_form
from fltheory.number import Number, exact, exact_text
from fltheory.problems.data.least_squares import LeastSquaresProblem
from fltheory.problems.data.samples import Columns, Samples, SampleSource, array_rows, read_file, samples
from fltheory.problems.logistic import LogisticProblem

LOSSES = ("logistic", "squares")


@dataclass(frozen=True)
class _DataClients:
    """Validation of samples, and the ``from_data`` call that rebuilds them.

    ``said``: the arguments of the call if a file was read; otherwise the samples themselves are the arguments.
    """

    samples: Samples
    l2: Number
    start: AsVector
    batch_size: int | None = None
    said: tuple[tuple[str, object], ...] = field(default=(), init=False, compare=False)

    loss: ClassVar[str]

    def __post_init__(self) -> None:
        begin, dim = read_vector(self.start), self.samples.dim
        if len(begin) != dim or not all(isinstance(v, int | Fraction) for v in begin):
            raise ValueError(f"start = {shortest_form(begin)}: expected {dim} rational numbers, one for each feature")
        batch = self.batch_size
        if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):
            raise ValueError(f"batch_size must be a positive integer or None, got {batch!r}")
        object.__setattr__(self, "start", begin)
        object.__setattr__(self, "l2", _weight(self.l2, self.loss))

    def __repr__(self) -> str:
        given = dict(self.said) or {"": self._arrays()}
        given |= {"loss": self.loss, "regularisation": exact_text(self.l2)}
        given |= {"start": shortest_form(self.start)} if any(self.start) else {}
        given |= {"batch_size": self.batch_size} if self.batch_size else {}
        return f"from_data({', '.join(f'{name}={value!r}' if name else repr(value) for name, value in given.items())})"

    def _arrays(self) -> dict[str, tuple[object, ...]]:
        """Return the samples as arrays that read back."""
        counted = [(name, len(ys)) for name, ys in zip(self.samples.names, self.samples.targets, strict=True)]
        return {
            "X": tuple(tuple(exact_text(v) for v in row) for rows in self.samples.features for row in rows),
            "y": tuple(exact_text(y) for ys in self.samples.targets for y in ys),
            "client": tuple(name for name, n in counted for _ in range(n)),
        }


@dataclass(frozen=True, repr=False)
class LogisticData(_DataClients, LogisticProblem):
    """Regularised logistic regression on samples with labels 0 and 1."""

    loss = "logistic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if {y for ys in self.samples.targets for y in ys} != {0, 1}:
            raise ValueError("labels must be 0 and 1, and both occur")

    @property
    def data(self) -> Any:
        return self.samples.features, self.samples.targets


@dataclass(frozen=True, repr=False)
class LeastSquaresData(_DataClients, LeastSquaresProblem):
    """Regularised least squares on samples."""

    loss = "squares"


def from_data(
    source: str | PathLike[str] | Mapping[str, Any],
    loss: Literal["logistic", "squares"] = "logistic",
    *,
    target: str = "label",
    client: str = "client",
    features: Sequence[str] | None = None,
    clients: Sequence[int | str] | None = None,
    intercept: bool = False,
    regularisation: Any = Fraction(1, 100),
    start: AsVector | None = None,
    batch_size: int | None = None,
    sha256: str = "",
) -> LogisticData | LeastSquaresData:
    """Return clients with regression losses on your own data: F_m is client m's mean loss + regularisation |x|^2 / 2.

    ``source``: a CSV file with a header (``target``, ``client`` and, unless ``features`` names them, all other columns
    are used), an NPZ file with arrays X (samples, features), y (samples,) and client (samples,), or a mapping of such
    arrays. Decimals are read exactly, floats as their shortest decimal. ``clients`` selects clients, default all in the
    order of appearance. ``intercept`` adds a last feature 1, regularised like the others. ``batch_size``: samples drawn
    independently for a gradient, None for all. ``sha256``: first digits of the file's checksum, which must match.

    Units: those of the data. Of logistic regression (labels: any two values, the smaller is 0) smoothness is certified,
    strong convexity is the regularisation, the optimum a ball; of least squares (loss (a.x - y)^2 / 2) the optimum is exact.
    ValueError names an invalid entry, its position, and the expected form.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    if isinstance(source, str | PathLike):
        found = read_file(fspath(source), Columns(target, client, features), sha256)
        called = {"target": (target, "label"), "client": (client, "client"), "intercept": (intercept, False)}
        picked = {"features": features, "clients": clients}
        said = {"": found.name, **{name: value for name, (value, usual) in called.items() if value != usual}}
        said |= {name: tuple(value) for name, value in picked.items() if value is not None}
        said["sha256"] = found.checksum
    elif isinstance(source, Mapping):
        if sha256:
            raise ValueError("sha256 is the checksum of a file, and arrays were given")
        found, said = SampleSource(array_rows(source, Columns(target, client, features)), "the arrays"), {}
    else:
        raise ValueError(f"expected a file or a mapping of the arrays X, y and client, got {type(source).__name__}")
    read = samples(found, clients, loss == "logistic", intercept)
    kind = LogisticData if loss == "logistic" else LeastSquaresData
    made = kind(read, regularisation, start if start is not None else (0,) * read.dim, batch_size)
    object.__setattr__(made, "said", tuple(said.items()))
    return made


def _weight(regularisation: object, loss: str) -> Number:
    """The regularisation; ValueError unless it is positive, or 0 of least squares."""
    try:
        value = exact(regularisation)
    except ValueError as error:
        raise ValueError(f"regularisation: {error}") from None
    if not isinstance(value, int | Fraction) or value < 0 or (value == 0 and loss == "logistic"):
        what = "a positive rational" if loss == "logistic" else "a nonnegative rational"
        reason = ": without it logistic regression may have no minimiser" if value == 0 else ""
        raise ValueError(f"regularisation must be {what}, got {regularisation!r}{reason}")
    return value
