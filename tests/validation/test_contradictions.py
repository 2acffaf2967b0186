"""Each fault of a user's clients is named, just beyond what rounding explains, and none is found where there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory import symbols
from fltheory.evidence.validation import consistency
from fltheory.evidence.validation.consistency import has_foreign_types, is_plain, overridden_names, self_contradiction
from fltheory.evidence.validation.set_consistency import set_function_inconsistency
from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.number.agreement import RELATIVE_TOLERANCE
from fltheory.number.elements import wrap_exact
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular


class Clients:
    """Two quadratic clients in the plane: gradients (x - 1) and 3 (x + 1), F - F* = |x + 1/2|^2."""

    n_clients, dim, draws = 2, 2, 0
    start = (2, Fraction(1, 2))
    minimiser = (Fraction(-1, 2), Fraction(-1, 2))
    constants: Any = {}  # noqa: RUF012 (replaced, not changed)

    def gradient(self, x: np.ndarray, client: Any) -> np.ndarray:
        second = np.broadcast_to(np.asarray(client) == 1, (len(x),))[:, None]
        return np.where(second, 3 * (x + 1), x - 1)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return 2 * x + 1

    def gap(self, x: np.ndarray) -> np.ndarray:
        away = x + (fmpq(1, 2) if x.dtype == object else 0.5)
        return (away * away).sum(axis=1)


def changed(**members: Any) -> Any:
    """The clients with members of their own."""
    return type("Changed", (Clients,), members)()


def found(instance: Any) -> str | None:
    return consistency._clients_inconsistency(instance)


def test_clients_that_agree_with_themselves() -> None:
    assert found(Clients()) is None


def on(exact: bool, change: Any, name: str) -> Any:
    """The method, changed on exact numbers or on floats alone."""
    plain = getattr(Clients, name)

    def method(self: Any, x: np.ndarray, *rest: Any) -> Any:
        told = plain(self, x, *rest)
        return change(told) if (x.dtype == object) == exact else told

    return method


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "mean": ({"mean_gradient": on(False, lambda g: g * (1 + 1e-4), "mean_gradient")}, "mean_gradient is not the mean"),
    "exact gradient": (
        {"gradient": on(True, lambda g: g * 2, "gradient")},
        "gradient differs between exact numbers and floats",
    ),
    "exact mean": (
        {"mean_gradient": on(True, lambda g: g * 2, "mean_gradient")},
        "mean_gradient differs between exact numbers and floats",
    ),
    "exact gap": ({"gap": on(True, lambda g: g * 2, "gap")}, "gap differs between exact numbers and floats"),
    "gap too large": (
        {"gap": lambda self, x: 1.3 * Clients.gap(self, x.astype(float))},
        "gap is not consistent with mean_gradient",
    ),
    "gap too small": (
        {"gap": lambda self, x: 0.7 * Clients.gap(self, x.astype(float))},
        "gap is not consistent with mean_gradient",
    ),
    "gap at the best": (
        {"gap": lambda self, x: Clients.gap(self, x.astype(float)) + 500.0},
        "gap is not 0 at the minimiser",
    ),
    "gap below": ({"gap": lambda self, x: -Clients.gap(self, x.astype(float))}, "gap is negative"),
    "minimiser": ({"minimiser": (Fraction(-1, 2), Fraction(-1, 4))}, "mean_gradient does not vanish at the minimiser"),
    "types": ({"client_types": (5, 5)}, "client_types calls clients equal that have different gradients"),
}


@pytest.mark.parametrize(("members", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_clients_is_named(members: dict[str, Any], words: str) -> None:
    reason = found(changed(**members))
    assert reason is not None
    assert words in reason


def test_clients_of_different_types_may_differ() -> None:
    assert found(changed(client_types=(5, 6))) is None


def test_rows_of_different_clients_and_single_rows_are_compared() -> None:
    def mixed(self: Any, x: np.ndarray, client: Any) -> np.ndarray:
        """The client of the first row for all rows."""
        return Clients.gradient(self, x, np.asarray(client).flat[0])

    assert "one client per row" in (found(changed(gradient=mixed)) or "")

    def batch(self: Any, x: np.ndarray, client: Any) -> np.ndarray:
        told = Clients.gradient(self, x, client)
        return told * 2 if len(x) == 1 else told

    assert "gradient of one row differs" in (found(changed(gradient=batch)) or "")


def test_clients_that_know_no_exact_numbers_are_not_asked_for_them() -> None:
    def floats(self: Any, x: np.ndarray, client: Any) -> np.ndarray:
        if x.dtype == object:
            raise RuntimeError("floats only")
        return Clients.gradient(self, x, client)

    assert found(changed(gradient=floats)) is None

    def full(self: Any, x: np.ndarray, client: Any) -> np.ndarray:
        if x.dtype == object:
            raise MemoryError
        return Clients.gradient(self, x, client)

    with pytest.raises(MemoryError):
        found(changed(gradient=full))


@pytest.mark.parametrize(("shift", "fault"), [(0.5, False), (2.0, True)])
def test_how_far_the_minimiser_may_be_off(shift: float, fault: bool) -> None:
    """By 1e-7 of the largest mean gradient at the points, on either side."""
    x = np.array([[float(v) for v in p] for p in consistency._points(Clients())])
    size = 1e-7 * np.abs(2 * x + 1).max()
    for sign in (1, -1):
        moved = changed(minimiser=(Fraction(-1, 2), Fraction(-1, 2) + Fraction(sign * shift * size / 2)))
        assert ("vanish" in (consistency._optimum_inconsistency(moved, x) or "")) == fault


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("part", "fault"), [(0.5, False), (2.0, True)])
def test_how_far_the_gap_may_be_from_zero_at_the_minimiser(sign: int, part: float, fault: bool) -> None:
    x = np.array([[float(v) for v in p] for p in consistency._points(Clients())])
    off = sign * part * RELATIVE_TOLERANCE * Clients().gap(x).max()
    moved = changed(gap=lambda self, x: Clients.gap(self, x) + off)
    assert ("gap is not 0" in (consistency._optimum_inconsistency(moved, x) or "")) == fault


def test_a_gap_that_is_negative_beyond_rounding_is_named() -> None:
    x = np.array([[float(v) for v in p] for p in consistency._points(Clients())])
    least = int(Clients().gap(x).argmin())
    for part, fault in ((0.5, False), (2.0, True)):

        def gap(self: Any, at: np.ndarray, part: float = part) -> np.ndarray:
            told = Clients.gap(self, at)
            if len(at) == len(x):
                told[least] = -part * RELATIVE_TOLERANCE * told.max()
            return told

        assert ("negative" in (consistency._optimum_inconsistency(changed(gap=gap), x) or "")) == fault


@pytest.mark.parametrize("factor", [0.995, 1.005, 0.9, 1.1])
def test_a_gap_is_the_integral_of_the_mean_gradient(factor: float) -> None:
    x = np.array([[float(v) for v in p] for p in consistency._points(Clients())])
    moved = changed(gap=lambda self, x: factor * Clients.gap(self, x))
    fault = consistency._optimum_inconsistency(moved, x) is not None
    assert fault == (abs(factor - 1) > 0.05)


class Flat(Clients):
    """Clients without any slope."""

    def gradient(self, x: np.ndarray, client: Any) -> np.ndarray:
        return x * 0

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        return x * 0

    def gap(self, x: np.ndarray) -> np.ndarray:
        return (x * 0).sum(axis=1)


def test_constant_clients_are_consistent() -> None:
    assert found(Flat()) is None


# Hessians, laws and noise ------------------------------------------------------------------------------------------------


class Quadratic(QuadraticClients):
    """Clients of one's own."""


def altered(std: Any = 0, /, **members: Any) -> Any:
    kind = type("Altered", (Quadratic,), members)
    return kind((1, "1/2"), (1, -1), 2, std)


def laws(change: Any) -> Any:
    def client_laws(self: Any, client: int, step: Any, n_steps: int, ring: Any) -> Any:
        return change(QuadraticClients.client_laws, self, client, step, n_steps, ring)

    return client_laws


@pytest.mark.parametrize("noise", [0, "1/2"])
def test_quadratic_clients_that_agree(noise: Any) -> None:
    assert found(altered(noise)) is None


QUADRATIC: dict[str, tuple[Any, dict[str, Any], str]] = {
    "hessian": (
        0,
        {"hessian": lambda self, i, j: QuadraticClients.hessian(self, i, j) * Fraction(1001, 1000)},
        "hessian is not the derivative",
    ),
    "law of another step": (
        0,
        {"client_laws": laws(lambda f, s, m, step, n, ring: f(s, m, step * 2, n, ring))},
        "does not match its gradient",
    ),
    "law of another client": (
        0,
        {"client_laws": laws(lambda f, s, m, step, n, ring: f(s, 1 - m, step, n, ring))},
        "does not match its gradient",
    ),
    "one step for two": (
        0,
        {"client_laws": laws(lambda f, s, m, step, n, ring: f(s, m, step, 1, ring))},
        "two local steps are not the composition",
    ),
    "law of less noise": (
        "1/2",
        {
            "client_laws": laws(
                lambda f, s, m, step, n, ring: f(
                    QuadraticClients(s.curvatures, s.slopes, s.start, "1/4"), m, step, n, ring
                )
            )
        },
        "does not have the variance of its noise",
    ),
    "law without noise": (
        "1/2",
        {
            "client_laws": laws(
                lambda f, s, m, step, n, ring: f(QuadraticClients(s.curvatures, s.slopes, s.start), m, step, n, ring)
            )
        },
        "does not have the variance of its noise",
    ),
    "law with noise": (
        0,
        {
            "client_laws": laws(
                lambda f, s, m, step, n, ring: f(
                    QuadraticClients(s.curvatures, s.slopes, s.start, "1/4"), m, step, n, ring
                )
            )
        },
        "does not have the variance of its noise",
    ),
    "blocks": (0, {"blocks": ((0, 0),)}, "blocks don't contain every coordinate exactly once"),
    "no blocks": (0, {"blocks": ()}, "blocks don't contain every coordinate exactly once"),
    "noise of another mean": (
        "1/2",
        {"noise": lambda s, x, m, u: QuadraticClients.noise(s, x, m, u) + 0.1},
        "does not have mean 0",
    ),
    "noise of less mean": (
        "1/2",
        {"noise": lambda s, x, m, u: QuadraticClients.noise(s, x, m, u) - 0.1},
        "does not have mean 0",
    ),
    "louder": (
        "1/2",
        {"noise": lambda s, x, m, u: QuadraticClients.noise(s, x, m, u) * 1.2},
        "does not match its support",
    ),
    "quieter": (
        "1/2",
        {"noise": lambda s, x, m, u: QuadraticClients.noise(s, x, m, u) * 0.8},
        "does not match its support",
    ),
    "shape": (
        "1/2",
        {"noise": lambda s, x, m, u: QuadraticClients.noise(s, x, m, u)[:, 0]},
        "noise returned shape (4096,), expected (4096, 1)",
    ),
    "nothing drawn": ("1/2", {"draws": 0}, "noise_std is not 0, but nothing is drawn"),
}


@pytest.mark.parametrize(("noise", "members", "words"), QUADRATIC.values(), ids=QUADRATIC)
def test_a_fault_of_quadratic_clients_is_named(noise: Any, members: dict[str, Any], words: str) -> None:
    reason = found(altered(noise, **members))
    assert reason is not None
    assert words in reason


class Dice:
    """Noise of listed values."""

    n_noise_values = 2
    draws = 1

    def __init__(self, shown: float, listed: float, n: int = 2) -> None:
        self.shown, self.listed, self.n_noise_values = shown, listed, n

    def noise(self, x: np.ndarray, client: Any, uniforms: np.ndarray) -> np.ndarray:
        return np.where(uniforms[:, :1] < 0.5, -self.shown, self.shown) * np.ones((1, x.shape[1]))

    def noise_value(self, x: np.ndarray, client: Any, index: np.ndarray, ring: Any) -> np.ndarray:
        return np.where(index[:, None] % 2 == 0, -self.listed, self.listed) * np.ones((1, x.shape[1]))


def test_drawn_noise_takes_the_listed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "noise_value_count", lambda dice: dice.n_noise_values)
    monkeypatch.setattr(consistency, "noise_values", lambda dice: dice.noise_value)
    x = np.ones((2, 2))

    def told(shown: float, listed: float, n: int = 2) -> str | None:
        dice: Any = Dice(shown, listed, n)
        return consistency._noise_inconsistency(dice, x, range(1))

    assert told(1.0, 1.0) is None
    assert "takes values that its support does not list" in (told(1.0, 1.01) or "")
    assert "takes values that its support does not list" in (told(1.01, 1.0) or "")
    assert told(1.0, 1.0 + RELATIVE_TOLERANCE) is None
    assert told(1.0, 1.0 + 1.9 * RELATIVE_TOLERANCE) is None
    assert told(1.0, 1.0 + 2.2 * RELATIVE_TOLERANCE) is not None
    assert "does not match its support" in (told(1.0, 1.2) or "")
    assert told(1.0, 7.0, 0) is None
    assert told(1.0, 7.0, 513) is None  # too many to list
    assert told(1.0, 7.0, 512) is not None
    dice: Any = Dice(1.0, 2.0)
    assert consistency._noise_covariance(dice, 0, x[:1]) == pytest.approx(np.full((2, 2), 4.0))


class Uneven(Dice):
    """One of the values -1, -1, 2, in each coordinate the same."""

    def noise(self, x: np.ndarray, client: Any, uniforms: np.ndarray) -> np.ndarray:
        return np.where(uniforms[:, :1] < 2 / 3, -self.shown, 2 * self.shown) * np.ones((1, x.shape[1]))

    def noise_value(self, x: np.ndarray, client: Any, index: np.ndarray, ring: Any) -> np.ndarray:
        return np.where(index[:, None] == 0, 2 * self.listed, -self.listed) * np.ones((1, x.shape[1]))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_values_of_noise_have_a_sign(sign: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "noise_value_count", lambda dice: dice.n_noise_values)
    monkeypatch.setattr(consistency, "noise_values", lambda dice: dice.noise_value)
    for listed, fault in ((sign, False), (-sign, True)):
        dice: Any = Uneven(sign, listed, 3)
        told = consistency._noise_inconsistency(dice, np.ones((2, 2)), range(1))
        assert (told == "the noise of client 0 takes values that its support does not list") == fault
        assert (told is None) != fault


@pytest.mark.parametrize("dim", [1, 4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_mean_of_noise_may_be_six_standard_errors_off(dim: int, sign: float) -> None:
    """In one coordinate, where the noise of all of them is measured together."""
    n = consistency.DRAWS

    def told(errors: float) -> str | None:
        off = np.zeros(dim)
        off[0] = sign * errors * math.sqrt(dim / n)
        values = np.repeat([1.0, -1.0], n // 2)[:, None] + off
        dice: Any = SimpleNamespace(draws=1, noise=lambda x, client, uniforms: values / np.sqrt((values**2).mean()))
        return consistency._noise_inconsistency(dice, np.ones((2, dim)), range(1))

    for errors, fault in ((5.9, False), (6.2, True), (20.0, True)):
        assert (told(errors) == "the noise of client 0 does not have mean 0") == fault
        assert (told(errors) is None) != fault


def test_a_little_louder_is_within_what_draws_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of noise without a list of its values: a variance may be off by 15 %."""
    monkeypatch.setattr(consistency, "_noise_covariance", lambda *given: np.ones((2, 2)))
    for shown, fault in ((1.0, False), (1.06, False), (1.09, True), (0.93, False), (0.91, True)):
        dice: Any = Dice(shown, 0.0, 0)
        told = consistency._noise_inconsistency(dice, np.ones((2, 2)), range(1))
        assert (told == "the noise of client 0 does not match its support") == fault


def test_the_factor_of_clients_that_are_not_quadratic_is_no_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their ``noise_std`` may mean something else."""
    monkeypatch.setattr(consistency, "_noise_support_of", lambda *given: None)
    other: Any = SimpleNamespace(noise_std=(1.0, 2.0))
    assert consistency._noise_covariance(other, 0, np.ones((1, 2))) is None
    own = Quadratic(((1, 1),), ((0, 0),), (1, 1), (1, 2))
    assert consistency._noise_covariance(own, 0, np.ones((1, 2))) == pytest.approx(np.array([[1, 2], [2, 4]]))


def test_noise_that_is_described_by_no_factor_may_be_drawn_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "QuadraticStructure", SimpleNamespace)
    own: Any = SimpleNamespace(constants={symbols.noise_std: 1}, draws=0)
    assert not consistency._has_described_noise(own)
    for factor in ((0, 0), (0, 1)):
        own.noise_std = factor
        assert consistency._has_described_noise(own) == any(factor)
    own.constants = {}
    assert not consistency._has_described_noise(own)


def test_the_root_mean_square_of_noise() -> None:
    dice: Any = Dice(2.0, 2.0)
    assert consistency._noise_rms(dice, 0, np.ones((1, 3))) == pytest.approx(2 * math.sqrt(3))
    quiet: Any = SimpleNamespace(draws=0)
    assert consistency._noise_rms(quiet, 0, np.ones((1, 3))) == 0.0


# Constants ---------------------------------------------------------------------------------------------------------------

TRUE = {
    symbols.smoothness: (3.0, -1),
    symbols.strong_convexity: (1.0, 1),
    symbols.initial_gradient: (math.sqrt(29), 0),
    symbols.heterogeneity_at_optimum: (math.sqrt(4.5), -1),
}  # and whether only more, only less, or neither may be said


@pytest.mark.parametrize("symbol", TRUE, ids=str)
@pytest.mark.parametrize("factor", [0.9, 1 - 1e-4, 1.0, 1 + 1e-4, 1.1])
def test_a_constant_that_the_clients_break_is_named(symbol: Any, factor: float) -> None:
    value, side = TRUE[symbol]
    said = Fraction(value * factor)
    points = consistency._points(Clients())  # type: ignore[arg-type]
    x = np.array([[float(v) for v in p] for p in points])
    instance = changed(constants={symbol: said})
    gradients = np.stack([instance.gradient(x, m) for m in range(2)])
    reason = consistency._constant_violation(instance, x, gradients, range(2))
    broken = factor != 1 and (side == 0 or (factor < 1) == (side < 0))
    assert (reason is not None) == broken
    if broken:
        assert reason == f"{symbol.name} = {float(said):g}, but the instance has {value:g}"


@pytest.mark.parametrize(
    ("symbol", "value", "side"), [(symbols.smoothness, 3.0, -1), (symbols.strong_convexity, 1.0, 1)], ids=str
)
def test_a_constant_may_be_off_by_exactly_what_rounding_explains(symbol: Any, value: float, side: int) -> None:
    def slack(said: float) -> float:
        return 1e-6 * max(value, said) + RELATIVE_TOLERANCE

    near = value + side * slack(value)
    steps = [near + k * np.spacing(near) for k in range(-(10**4), 10**4)]
    exactly = next(said for said in steps if said - side * slack(said) == value)
    points = consistency._points(Clients())  # type: ignore[arg-type]
    x = np.array([[float(v) for v in p] for p in points])
    for said, broken in ((exactly, False), (exactly + side * 1e-12, True), (exactly - side * 1e-12, False)):
        instance = changed(constants={symbol: Fraction(said)})
        gradients = np.stack([instance.gradient(x, m) for m in range(2)])
        assert (consistency._constant_violation(instance, x, gradients, range(2)) is not None) == broken


@pytest.mark.parametrize("symbol", [symbols.noise_std, symbols.noise_std_at_optimum], ids=str)
def test_noise_that_is_louder_than_said_is_named(symbol: Any) -> None:
    points = consistency._points(Clients())  # type: ignore[arg-type]
    x = np.array([[float(v) for v in p] for p in points])

    class Noisy(Clients):
        draws = 1

        def noise(self, x: np.ndarray, client: Any, uniforms: np.ndarray) -> np.ndarray:
            return np.full(x.shape, 3.0 if client == 1 else 1.0)

    instance: Any = Noisy()
    gradients = np.stack([instance.gradient(x, m) for m in range(2)])
    for factor, broken in ((0.9, True), (0.94, True), (0.96, False), (1.0, False), (2.0, False)):
        instance.constants = {symbol: Fraction(factor * 3 * math.sqrt(2))}
        assert (consistency._constant_violation(instance, x, gradients, range(2)) is not None) == broken
        assert consistency._constant_violation(instance, x, gradients, range(1)) is None


# Whose types -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mine:
    """A user's data."""

    value: int = 1


class WithGradient:
    def gradient(self, x: Any) -> Any:
        return x


class Overriding(QuadraticClients):
    def gap(self, x: np.ndarray) -> np.ndarray:
        return super().gap(x)


OWN = QuadraticClients((1,), (0,), 1)


def test_types_of_a_user() -> None:
    for value in (
        None,
        1,
        1.5,
        "a",
        Fraction(1, 2),
        arb(1),
        OWN,
        (),
        (1, (OWN,)),
        [1],
        print,
        {1: Mine()},
        Uniform(2, 1),
        wrap_exact(Fraction(1, 2)),  # an object without a dictionary
    ):
        assert not has_foreign_types(value), value
    for other in (Mine(), WithGradient(), (1, (2, Mine())), [Mine()], Quadratic((1,), (0,), 1)):
        assert has_foreign_types(other), other
    crowd = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1))
    assert not has_foreign_types(crowd)

    class Odd(Modular):
        def value(self, chosen: Any) -> Any:
            return super().value(chosen)

    assert has_foreign_types(SubmodularClients((Modular((1, 0)), Odd((0, 1))), Uniform(2, 1)))


def test_what_is_overridden() -> None:
    assert overridden_names(OWN) == set()
    assert overridden_names(Quadratic((1,), (0,), 1)) == set()
    assert overridden_names(Overriding((1,), (0,), 1)) == {"gap"}
    assert overridden_names(Mine()) == set()
    shadowed = QuadraticClients((1,), (0,), 1)
    object.__setattr__(shadowed, "gap", lambda x: x)
    assert overridden_names(shadowed) == {"gap"}
    object.__setattr__(shadowed, "gap", 5)
    assert overridden_names(shadowed) == set()
    object.__setattr__(shadowed, "note", print)
    assert overridden_names(shadowed) == set()


def test_an_instance_is_plain_if_nothing_of_its_library_type_is_overridden() -> None:
    assert is_plain(OWN)
    assert is_plain(OWN, QuadraticClients)
    assert is_plain(OWN, PiecewiseQuadraticClients, QuadraticClients)
    assert not is_plain(OWN, PiecewiseQuadraticClients)
    assert is_plain(Quadratic((1,), (0,), 1), QuadraticClients)
    assert not is_plain(Overriding((1,), (0,), 1), QuadraticClients)
    assert not is_plain(Mine())


def test_an_error_of_an_instance_is_its_contradiction() -> None:
    class Broken(QuadraticClients):
        def mean_gradient(self, x: np.ndarray) -> np.ndarray:
            raise KeyError("what")

    case = Case(Broken((1,), (0,), 1), n_rounds=1, n_local_steps=1, step_size=1)
    assert self_contradiction(case) == "Broken: its methods are inconsistent: KeyError: 'what'"
    assert self_contradiction(Case(OWN, n_rounds=1, n_local_steps=1, step_size=1)) is None

    class Changed(SubmodularClients):
        def base(self, weights: np.ndarray, client: Any = None) -> np.ndarray:
            return super().base(weights)

    clients = Changed((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1))
    assert (
        self_contradiction(Case(clients, n_rounds=1, server_step_size=1)) == "Changed changes base of its library type"
    )

    @dataclass(frozen=True)
    class AtPoint:
        clients: Any

    inside: Any = SimpleNamespace(instance=AtPoint(clients))  # a point of the problem of such clients
    assert self_contradiction(inside) == "Changed changes base of its library type"
    inside = SimpleNamespace(instance=AtPoint(3))
    assert self_contradiction(inside) is None


# Set functions -----------------------------------------------------------------------------------------------------------


class Covers(Modular):
    """A set function of one's own, which covers points: nodes 0 1 | 1 2 | 2."""

    seen = (frozenset({0, 1}), frozenset({1, 2}), frozenset({2}))

    def value(self, chosen: Any) -> Any:
        return Fraction(len(frozenset().union(*(self.seen[e] for e in chosen))))

    def extension(self, x: np.ndarray) -> np.ndarray:
        return 3 - (1 - x[:, 0]) - (1 - x[:, 0]) * (1 - x[:, 1]) - (1 - x[:, 1]) * (1 - x[:, 2])

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return np.stack([2 - x[:, 1], 2 - x[:, 0] - x[:, 2], 1 - x[:, 1]], axis=1)


class Crowd:
    """Two clients with set functions, and at most two items: the best are 0 and 1, or 0 and 2, with 3 points."""

    matroid, weights, dim = Uniform(3, 2), (Fraction(1, 4), Fraction(3, 4)), 3
    optimum: Any = 3

    def __init__(self, *functions: Any) -> None:
        self.functions = functions or (Covers((0, 0, 0)),) * 2

    def base(self, weights: np.ndarray) -> np.ndarray:
        return (np.argsort(np.argsort(-weights, axis=1), axis=1) < 2).astype(float)


def sets_found(instance: Any) -> str | None:
    return set_function_inconsistency(instance)


def of_sets(base: type = Covers, /, **members: Any) -> Any:
    return type("Other", (base,), members)((0, 0, 0))


def values(change: Any) -> Any:
    """The function whose value is changed, and its extension and gradient with it."""
    sets = [frozenset(e for e in range(3) if mask >> e & 1) for mask in range(8)]

    def value(self: Any, chosen: Any) -> Any:
        return change(frozenset(chosen), Covers.value(self, chosen))

    def extension(self: Any, x: np.ndarray) -> np.ndarray:
        told = np.zeros(len(x))
        for s in sets:
            share = np.prod([x[:, e] if e in s else 1 - x[:, e] for e in range(3)], axis=0)
            told = told + share * float(self.value(s))
        return told

    def gradient(self: Any, x: np.ndarray) -> np.ndarray:
        columns = []
        for e in range(3):
            up, down = x.copy(), x.copy()
            up[:, e], down[:, e] = 1, 0
            columns.append(extension(self, up) - extension(self, down))
        return np.stack(columns, axis=1)

    return of_sets(value=value, extension=extension, gradient=gradient)


def test_set_functions_that_agree_with_themselves() -> None:
    assert sets_found(Crowd()) is None
    assert sets_found(Crowd(*(values(lambda s, v: v),) * 2)) is None
    assert sets_found(Crowd(*(Modular((1, "3/2", "3/2")),) * 2)) is None


SET_FAULTS: dict[str, tuple[Any, str]] = {
    "empty": (values(lambda s, v: v + Fraction(1, 2)), "the value of the empty set is 0.5, not 0"),
    "less than empty": (values(lambda s, v: v - Fraction(1, 2)), "the value of the empty set is -0.5, not 0"),
    "extension at sets": (
        of_sets(extension=lambda s, x: Covers.extension(s, x) * (1 + 1e-6)),
        "extension at a set differs from its value",
    ),
    "extension between": (
        of_sets(extension=lambda s, x: Covers.extension(s, x) + 1e-6 * x[:, 0] * (1 - x[:, 0])),
        "extension is not the mean over random sets",
    ),
    "extension of another item": (
        of_sets(extension=lambda s, x: Covers.extension(s, x) - 1e-6 * x[:, 2] * (1 - x[:, 2])),
        "extension is not the mean over random sets",
    ),
    **{
        f"gradient {e}": (
            of_sets(gradient=lambda s, x, e=e: Covers.gradient(s, x) + 1e-6 * np.eye(3)[e]),
            "gradient is not that of the extension",
        )
        for e in range(3)
    },
    "submodular": (values(lambda s, v: v + Fraction(1, 100) * (len(s) == 3)), "is not submodular"),
    "pairs": (values(lambda s, v: v + 2 * (s >= {0, 1})), "is not submodular"),
    "other pairs": (values(lambda s, v: v + (s >= {1, 2}) + Fraction(1, 100) * (s >= {1, 2})), "is not submodular"),
}


@pytest.mark.parametrize(("function", "words"), SET_FAULTS.values(), ids=SET_FAULTS)
@pytest.mark.parametrize("client", [0, 1])
def test_a_fault_of_a_set_function_is_named(function: Any, words: str, client: int) -> None:
    functions = [Covers((0, 0, 0)), Covers((0, 0, 0))]
    functions[client] = function
    reason = sets_found(Crowd(*functions))
    assert reason is not None
    assert reason.startswith(f"client {client}")
    assert words in reason


def test_gains_that_are_equal_or_zero_are_no_fault() -> None:
    """Modular functions gain the same each time; an item may gain nothing."""
    crowd = Crowd(*(values(lambda s, v: Fraction(len(s - {2}))),) * 2)
    crowd.optimum = 2
    assert sets_found(crowd) is None


def test_a_function_that_is_not_monotone_is_no_contradiction() -> None:
    """Claims that need monotone functions assume it."""
    crowd = Crowd(*(values(lambda s, v: Fraction(len(s - {2}) - 2 * (2 in s))),) * 2)
    crowd.optimum = 2
    assert sets_found(crowd) is None
    crowd.optimum = 3
    assert "optimum = 3, but the best independent set has 2" in str(sets_found(crowd))


def test_at_most_twelve_items_are_checked() -> None:
    def crowd(n: int) -> Any:
        own: Any = Crowd(*(Modular((1,) + (0,) * (n - 1)),) * 2)
        own.matroid, own.dim, own.optimum = Uniform(n, 1), n, 1
        own.base = lambda weights: np.eye(n)[weights.argmax(axis=1)]
        return own

    assert sets_found(crowd(13)) == "user-defined set functions can have at most 12 items, not 13"
    assert sets_found(crowd(5)) is None
    twelve: Any = SimpleNamespace(
        functions=(), matroid=SimpleNamespace(n_items=12, rank=2, independent=lambda s: not s)
    )
    assert sets_found(twelve) == "the matroid's rank is not 2, the size of its largest independent sets"


def test_a_base_is_the_independent_set_of_largest_weight() -> None:
    crowd: Any = Crowd()
    crowd.base = lambda weights: (np.argsort(np.argsort(weights, axis=1), axis=1) < 2).astype(float)
    assert sets_found(crowd) == "base is not the independent set of largest weight"
    crowd.base = lambda weights: np.ones(weights.shape)
    assert sets_found(crowd) == "base is not the independent set of largest weight"


@pytest.mark.parametrize("rank", [1, 3])
def test_the_rank_is_that_of_the_largest_independent_sets(rank: int) -> None:
    crowd: Any = Crowd()
    crowd.matroid = SimpleNamespace(n_items=3, rank=rank, independent=lambda s: len(s) <= 2)
    assert sets_found(crowd) == f"the matroid's rank is not {rank}, the size of its largest independent sets"


@pytest.mark.parametrize("off", [1e-8, -1e-8])
def test_the_optimum_is_that_of_the_best_independent_set(off: float) -> None:
    """The functions weighed by the clients' masses: 1/4 of the first and 3/4 of the second."""
    crowd = Crowd(Covers((0, 0, 0)), Modular((1, 4, 1)))
    best = Fraction(1, 4) * 3 + Fraction(3, 4) * 5
    crowd.optimum = best
    assert sets_found(crowd) is None
    crowd.optimum = best + Fraction(off) / 100
    assert sets_found(crowd) is None
    for part, fault in ((0.9, False), (1.1, True)):
        crowd.optimum = best + Fraction(part * math.copysign(RELATIVE_TOLERANCE, off)) * (1 + best)
        assert (sets_found(crowd) is not None) == fault
    crowd.optimum = best + Fraction(off)
    assert sets_found(crowd) == "optimum = 4.5, but the best independent set has 4.5"
    crowd.optimum = 5
    assert sets_found(crowd) == "optimum = 5, but the best independent set has 4.5"


def test_points_are_near_the_start_and_far_away() -> None:
    instance: Any = SimpleNamespace(start=(Fraction(1, 2), -8))
    points = consistency._points(instance)
    assert len(points) == len(set(points)) == 6
    for i, (point, scale) in enumerate(zip(points, (0.5, 3, 40, 1000, 0.5, 3), strict=True)):
        for value, start in zip(point, (0.5, -8), strict=True):
            assert value.denominator in (1, 2, 4, 8, 16, 32, 64)
            assert abs(value - Fraction(start)) <= scale * (1 + abs(start)) + 1 / 64, i
    assert max(abs(p[0]) for p in points) > 100
    assert consistency._exact([(Fraction(1, 3), Fraction(2))]).tolist() == [[RATIONAL.scalar(Fraction(1, 3)), fmpq(2)]]
