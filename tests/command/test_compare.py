"""Whether two algorithms are the same: forms of one method are, near misses part, and what can't be decided is so told."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory import Algorithm
from fltheory.api.compare import compare
from fltheory.command.cli import run
from fltheory.papers.sfl.algorithms import parallel, sequential


def starts(name: str) -> Any:
    return lambda x, c: {"x": x, name: 0 * x if name == "v" else x}


def velocity(s: Any, oracle: Any, c: Any) -> Any:
    v = s["v"] / 2 - c.step_size * oracle.gradient(s["x"], 0)
    return {"x": s["x"] + v, "v": v}


def last_point(s: Any, oracle: Any, c: Any) -> Any:
    x = s["x"] - c.step_size * oracle.gradient(s["x"], 0) + (s["x"] - s["last"]) / 2
    return {"x": x, "last": s["x"]}


def ahead(s: Any, oracle: Any, c: Any) -> Any:
    """Nesterov's: the gradient is of the point where the velocity leads."""
    v = s["v"] / 2 - c.step_size * oracle.gradient(s["x"] + s["v"] / 2, 0)
    return {"x": s["x"] + v, "v": v}


def ahead_as_programs_have_it(s: Any, oracle: Any, c: Any) -> Any:
    """The same at the point ahead, which is the state: x is then y of the other form."""
    v = s["v"] / 2 - c.step_size * oracle.gradient(s["x"], 0)
    return {"x": s["x"] + v / 2 - c.step_size * oracle.gradient(s["x"], 0), "v": v}


HEAVY = Algorithm("velocity", velocity, init=starts("v"))
POLYAK = Algorithm("last point", last_point, init=starts("last"))
NESTEROV = Algorithm("Nesterov", ahead, init=starts("v"))
SHIFTED = Algorithm("shifted", ahead_as_programs_have_it, init=starts("v"))


def test_two_forms_of_one_method_are_equal_on_every_function() -> None:
    found = compare(HEAVY, POLYAK, {"n_rounds": 5})
    assert (found.status, found.round_, found.case) == ("equal", None, None)
    assert "every function, in every dimension" in str(found)


def test_a_near_miss_parts_and_an_instance_shows_where() -> None:
    """Heavy ball and Nesterov agree in the first round, where there is no velocity; the shifted form does not even then."""
    found = compare(HEAVY, NESTEROV)
    assert (found.status, found.round_) == ("different", 2)
    assert found.case is not None
    assert compare(NESTEROV, SHIFTED).round_ == 1
    found = compare(sequential, parallel)
    assert (found.status, found.round_) == ("different", 1)
    assert compare(sequential, parallel, {"n_clients": 1}).status == "equal"


def test_equal_distributions_are_equal_whatever_is_drawn() -> None:
    def coin(x: Any, oracle: Any, c: Any) -> Any:
        return x - np.where(oracle.coin("1/4")[:, None], c.step_size, 0) * oracle.gradient(x, 0)

    def choice(x: Any, oracle: Any, c: Any) -> Any:
        return x - np.where((oracle.choice([2, 1, 1]) == 1)[:, None], c.step_size, 0) * oracle.gradient(x, 0)

    def fairer(x: Any, oracle: Any, c: Any) -> Any:
        return x - np.where(oracle.coin("1/3")[:, None], c.step_size, 0) * oracle.gradient(x, 0)

    one, same, other = (Algorithm(step.__name__, step) for step in (coin, choice, fairer))
    assert compare(one, same).status == "equal"
    assert compare(one, other).status == "different"


def signs(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * np.sign(oracle.gradient(x, 0))


def signs_by_cases(x: Any, oracle: Any, c: Any) -> Any:
    g = oracle.gradient(x, 0)
    return x - c.step_size * np.where(g > 0, 1, np.where(g < 0, -1, 0))


def signs_without_zero(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * np.where(oracle.gradient(x, 0) >= 0, 1, -1)


def normalised(x: Any, oracle: Any, c: Any) -> Any:
    g = oracle.gradient(x, 0)
    return x - c.step_size * g / np.sqrt((g * g).sum(axis=1, keepdims=True) + 1)


def test_steps_that_are_not_affine_are_compared_on_instances() -> None:
    one, same, other = (Algorithm(step.__name__, step) for step in (signs, signs_by_cases, signs_without_zero))
    found = compare(one, same)
    assert found.status == "equal"
    assert "instances (exact), not on every function" in str(found)
    assert compare(one, other).status == "different"  # where a gradient is 0


def test_a_step_by_the_smoothness_is_not_followed_at_one_value_of_it() -> None:
    """1/L and 1 agree where L is 1, and not on every function."""

    def by_smoothness(x: Any, oracle: Any, c: Any) -> Any:
        return x - oracle.gradient(x, 0) / c.smoothness

    def whole(x: Any, oracle: Any, c: Any) -> Any:
        return x - oracle.gradient(x, 0)

    one = Algorithm("by smoothness", by_smoothness)
    assert compare(one, Algorithm("whole", whole)).status == "different"
    found = compare(one, Algorithm("the same", by_smoothness))
    assert found.status == "equal"
    assert "not on every function" in str(found)


def test_irrational_runs_part_certainly_or_are_undecided() -> None:
    one = Algorithm("normalised", normalised)
    assert compare(one, Algorithm("signs", signs)).status == "different"
    found = compare(one, Algorithm("the same", normalised))
    assert found.status == "undecided"
    assert "are not rational" in str(found)


def test_what_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "def step(x, oracle, c):\n    return x - c.client_step_size * oracle.gradient(x, 0)\n\n\n"
        "def plain(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n"
    )
    mine = f"{tmp_path / 'mine.py'}"
    assert run(["compare", f"{mine}:plain", f"{mine}:plain"]) == 0
    assert "equal on every function" in capsys.readouterr().out
    assert run(["compare", f"{mine}:plain", "sfl/T3-SC@corrected"]) == 1
    assert "part in round 1" in capsys.readouterr().out
    assert run(["compare", f"{mine}:plain", "osmd/C-T4@corrected"]) == 2
    assert "is about a Sampler, expected an algorithm of rounds" in capsys.readouterr().err
    assert run(["compare", f"{mine}:plain", "sfl/T3-SC@corrected", "n_clients=0"]) == 2
    assert "out of its domain" in capsys.readouterr().err
    assert run(["compare", f"{mine}:step", f"{mine}:plain"]) == 2
    assert "client_step_size" in capsys.readouterr().err


def proximal(weight: Any) -> Algorithm:
    """FedProx: local steps along the gradient and weight (y - x), and the mean of the clients' ends."""

    def step(x: Any, oracle: Any, c: Any) -> Any:
        ends = []
        for m in range(c.n_clients):
            y = x
            for k in range(c.n_local_steps):
                y = y - c.step_size * (oracle.gradient(y, m, k) + weight * (y - x))
            ends.append(y)
        return sum(ends) / c.n_clients

    return Algorithm(f"FedProx {weight}", step)


def test_fedprox_is_fedavg_where_clients_take_one_step() -> None:
    plain, held = proximal(0), proximal(Fraction(1, 2))
    found = compare(plain, held, {"n_local_steps": 1})
    assert found.status == "equal"
    assert "every function, in every dimension" in str(found)
    assert "n_local_steps = 1" in str(found)
    found = compare(plain, held)
    assert (found.status, found.round_) == ("different", 1)


def halved(v: Any) -> Any:
    return v / 2


def largest(v: Any) -> Any:
    return np.where(np.abs(v) >= np.abs(v).max(axis=1, keepdims=True), v, 0)


def feedback(form: str, send: Any) -> Algorithm:
    """Error feedback by what was not sent, by the same over the step size, by the point without compression, or wrong."""

    def residual(s: Any, oracle: Any, c: Any) -> Any:
        p = s["e"] + c.step_size * oracle.gradient(s["x"], 0)
        return {"x": s["x"] - send(p), "e": p - send(p)}

    def unscaled(s: Any, oracle: Any, c: Any) -> Any:
        p = s["e"] + oracle.gradient(s["x"], 0)
        return {"x": s["x"] - c.step_size * send(p), "e": p - send(p)}

    def virtual(s: Any, oracle: Any, c: Any) -> Any:
        w = s["x"] - s["e"] - c.step_size * oracle.gradient(s["x"], 0)
        x = s["x"] - send(s["x"] - w)
        return {"x": x, "e": x - w}

    def turned(s: Any, oracle: Any, c: Any) -> Any:
        p = s["e"] + c.step_size * oracle.gradient(s["x"], 0)
        return {"x": s["x"] - send(p), "e": send(p) - p}

    steps = {"residual": residual, "unscaled": unscaled, "virtual": virtual, "turned": turned}
    return Algorithm(form, steps[form], init=lambda x, c: {"x": x, "e": 0 * x})


@pytest.mark.parametrize(("send", "on"), [(halved, "every function"), (largest, "instances (exact), not on every")])
def test_forms_of_error_feedback_are_equal_and_a_wrong_sign_shows_in_the_second_round(send: Any, on: str) -> None:
    """In the first round nothing is left over yet."""
    for form in ("unscaled", "virtual"):
        found = compare(feedback("residual", send), feedback(form, send))
        assert found.status == "equal"
        assert on in str(found)
    found = compare(feedback("residual", send), feedback("turned", send))
    assert (found.status, found.round_) == ("different", 2)
    assert "part in round 2: x_2 is the first that differs" in str(found)


def momentum(form: str) -> Algorithm:
    """Momentum as MXNet and as PyTorch write it, plain and Nesterov's; ``_decaying``: with a step size that falls."""

    def mxnet(s: Any, g: Any, eta: Any) -> Any:
        v = s["v"] / 2 - eta * g
        return {"x": s["x"] + v, "v": v}

    def pytorch(s: Any, g: Any, eta: Any) -> Any:
        v = s["v"] / 2 + g
        return {"x": s["x"] - eta * v, "v": v}

    def mxnet_nesterov(s: Any, g: Any, eta: Any) -> Any:
        v = s["v"] / 2 - eta * g
        return {"x": s["x"] + v / 2 - eta * g, "v": v}

    def pytorch_nesterov(s: Any, g: Any, eta: Any) -> Any:
        v = s["v"] / 2 + g
        return {"x": s["x"] - eta * (g + v / 2), "v": v}

    forms = {f.__name__: f for f in (mxnet, pytorch, mxnet_nesterov, pytorch_nesterov)}
    name, _, decaying = form.partition("_decaying")

    def step(s: Any, oracle: Any, c: Any) -> Any:
        eta = c.step_size / (c.round + 1) if form != name else c.step_size
        return forms[name](s, oracle.gradient(s["x"], 0), eta)

    assert not decaying
    return Algorithm(form, step, init=starts("v"))


def test_the_momentum_of_two_programs_is_one_until_the_step_size_changes() -> None:
    for kind in ("", "_nesterov"):
        assert compare(momentum(f"mxnet{kind}"), momentum(f"pytorch{kind}")).status == "equal"
        found = compare(momentum(f"mxnet{kind}_decaying"), momentum(f"pytorch{kind}_decaying"))
        assert (found.status, found.round_) == ("different", 2)
    assert compare(momentum("pytorch"), momentum("pytorch_nesterov")).round_ == 1


def test_nesterovs_method_of_programs_is_the_textbooks_at_the_point_ahead() -> None:
    ahead_of = Algorithm("ahead", ahead, init=starts("v"), point=lambda s: s["x"] + s["v"] / 2)
    assert compare(momentum("pytorch_nesterov"), ahead_of).status == "equal"
    assert compare(momentum("pytorch_nesterov"), NESTEROV).round_ == 1
    assert compare(momentum("pytorch"), NESTEROV).round_ == 2


def test_another_start_is_told() -> None:
    moved = Algorithm("moved", velocity, init=lambda x, c: {"x": x + 1, "v": 0 * x})
    found = compare(HEAVY, moved)
    assert (found.status, found.round_) == ("different", 0)
    assert "part at the start: x_0 is the first that differs" in str(found)


def test_noise_tells_apart_what_gradients_do_not() -> None:
    """The mean of two draws of a gradient is the gradient where there is no noise, and has half the variance where there is."""

    def once(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * oracle.gradient(x, 0, 0)

    def twice(x: Any, oracle: Any, c: Any) -> Any:
        return x - c.step_size * (oracle.gradient(x, 0, 0) + oracle.gradient(x, 0, 1)) / 2

    found = compare(Algorithm("once", once), Algorithm("twice", twice), n_rounds=2)
    assert found.status == "equal"
    assert "the steps are affine; with noisy gradients they take other draws" in found.evidence
    assert found.constants["n_rounds"] == 2
    same = compare(Algorithm("once", once), Algorithm("again", once))
    assert "noisy" not in same.evidence
