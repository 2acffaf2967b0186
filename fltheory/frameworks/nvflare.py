"""NVFlare's controllers as algorithms: ``controller_algorithm(Cyclic(num_clients=3))``; the released ``run`` computes rounds.

One round is ``run`` with one round to go, on an engine whose clients answer at once. A controller knows its clients
only by name, so all runs form one larger model: the i-th name stands for the i-th client that the oracle draws for each
run, or, if all take part and NVFlare does not shuffle, for client i.
"""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from fltheory.frameworks.flower_client import Client, ClientAsk, sgd
from fltheory.frameworks.flower_wire import ExactFloat
from fltheory.model.errors import UserError
from fltheory.runs.algorithm import ROUND, Algorithm, points_as_state
from fltheory.runs.method import AssumptionFailed, VariantError, shape_of
from fltheory.runs.oracle import Oracle

MIN_VERSION = (2, 5)
MODEL_KEY, CONTROL_KEY, CONTROLS_KEY = "x", "control", "controls"
CONTROLLER_MODULES = {"Cyclic": "cyclic", "FedAvg": "fedavg", "Scaffold": "scaffold"}


@cache
def import_nvflare() -> SimpleNamespace:
    """Return the parts of NVFlare in use; UserError if it is missing or its version lacks them."""
    try:
        found = version("nvflare")
    except PackageNotFoundError:
        raise UserError("NVFlare is not installed: pip install 'fltheory[nvflare]'") from None
    if tuple(int(part) for part in found.split(".")[:2]) < MIN_VERSION:
        raise UserError(
            f"nvflare {found} is too old: its controllers are driven from {MIN_VERSION[0]}.{MIN_VERSION[1]} on"
        )
    flows = "nvflare.app_common.workflows."
    try:
        from nvflare.app_common.abstract.fl_model import FLModel
        from nvflare.app_common.workflows import base_model_controller
        from nvflare.app_common.workflows.model_controller import ModelController

        classes = {name: vars(importlib.import_module(flows + file))[name] for name, file in CONTROLLER_MODULES.items()}
    except (ImportError, KeyError) as error:
        raise UserError(f"nvflare {found} differs from 2.9, the tested version: {error}") from None
    return SimpleNamespace(
        model=FLModel, base=base_model_controller, controller=ModelController, classes=classes, version=found
    )


def controller_algorithm(controller: Any, client: Client = sgd, name: str = "") -> Algorithm:
    """Return a Cyclic, FedAvg or Scaffold controller with its settings as an algorithm of rounds.

    ``client(x, config, ask, c)`` trains (``fltheory.frameworks.flower_client``); those of Scaffold correct its
    gradients by the controls. UserError if NVFlare is missing or too old, or for another object.
    """
    kinds = import_nvflare().classes
    kind = next((name for name, known in kinds.items() if isinstance(controller, known)), None)
    if kind is None:
        raise UserError(f"a {type(controller).__name__} is no supported controller: {', '.join(kinds)}")
    if kind == "FedAvg" and (controller.aggregator is not None or controller.stop_cond is not None):
        raise UserError("a FedAvg with its own aggregator or stopping condition is not supported")
    round_ = ControllerRound(controller, kind, client)
    init = round_.first if kind == "Scaffold" else points_as_state
    return Algorithm(name or f"NVFlare's {kind}", round_, init=init, ordered=kind == "Cyclic", kind=ROUND)


def load_named(text: str) -> tuple[Algorithm, Path]:
    """Return ``Cyclic``, ``FedAvg`` or ``Scaffold``, on all clients of each case, and the file of its code."""
    kinds = import_nvflare().classes
    if text not in kinds:
        raise UserError(f"nvflare:{text}: expected one of {', '.join(kinds)}")
    return controller_algorithm(kinds[text](num_clients=0), name=f"nvflare:{text}"), Path(inspect.getfile(kinds[text]))


@dataclass(frozen=True, eq=False)
class ControllerRound:
    """One round of a controller; ``num_clients`` 0 stands for all clients, or the claim's participants."""

    controller: Any
    kind: str
    client: Client

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """Return the wrapped code, see ``ownership.unwrap_function``."""
        run: Callable[..., Any] = type(self.controller).run
        return run

    def first(self, start: np.ndarray, c: Any) -> dict[str, np.ndarray]:
        """Return the first state of Scaffold: the points, the server's control and each client's, all 0."""
        return {
            MODEL_KEY: start,
            CONTROL_KEY: 0 * start,
            CONTROLS_KEY: np.stack([0 * start] * int(c.n_clients), axis=1),
        }

    def __call__(self, state: Any, oracle: Oracle, c: Any) -> Any:
        """Compute one round of every run."""
        tree = state if isinstance(state, dict) else {MODEL_KEY: state}
        n, size = oracle.instance.n_clients, int(self.controller.num_clients) or int(c.n_participating)
        if min(size, n) != int(c.n_participating):
            raise AssumptionFailed(
                f"the controller asks {size} of {n} clients, where the claim has {c.n_participating} taking part"
            )
        rows = len(tree[MODEL_KEY])
        order = oracle.order(size) if size < n else np.tile(np.arange(n), (rows, 1))
        clients = _Clients(self.client, oracle, c, order, dict(tree))
        served = self._local_controller(clients, tree, n, size)
        with _disable_shuffle():
            served.run()
        return self._after(served, clients)

    def _local_controller(self, clients: _Clients, tree: dict[str, np.ndarray], n: int, size: int) -> Any:
        """Return the controller with one round to go, whose messages are answered here."""
        served = copy.copy(self.controller)
        released: Any = type(self.controller)
        served.__class__ = _local_controller_class(released)
        names = [f"site-{i + 1}" for i in range(n)]
        x = tree[MODEL_KEY]
        weights = vars(served).get("aggregation_weights")
        if weights and size < n:
            raise VariantError(
                "aggregation_weights belong to names, and which clients take part is drawn: leave them out"
            )
        vars(served).update(num_clients=size, num_rounds=1, start_round=0, clients_here=clients)
        served.engine = SimpleNamespace(get_clients=lambda: [SimpleNamespace(name=name) for name in names])
        served.fl_ctx = _Context()
        if weights is not None and x.dtype == object:  # NVFlare's 1/3 for three clients is a float
            served.aggregation_weights = {name: ExactFloat(weights.get(name, 1.0)) for name in names}
        served.here = import_nvflare().model(params={MODEL_KEY: x}, params_type="FULL")
        if self.kind == "Scaffold":
            served.model, served._global_ctrl_weights = served.here, {MODEL_KEY: tree[CONTROL_KEY].copy()}
        return served

    def _after(self, served: Any, clients: _Clients) -> Any:
        """Return the state after the round."""
        new = served.here.params[MODEL_KEY]
        if shape_of(new) != str(clients.tree[MODEL_KEY].shape):
            raise VariantError(f"the controller made {shape_of(new)}, expected {clients.tree[MODEL_KEY].shape}")
        if self.kind != "Scaffold":
            return new
        return {
            MODEL_KEY: new,
            CONTROL_KEY: served._global_ctrl_weights[MODEL_KEY],
            CONTROLS_KEY: clients.tree[CONTROLS_KEY],
        }


@dataclass(frozen=True, eq=False)
class _Clients:
    """The clients of all runs, by the controller's names."""

    train: Client
    oracle: Oracle
    c: Any
    order: np.ndarray
    tree: dict[str, np.ndarray]

    def answer(self, name: str, model: Any) -> Any:
        """Return the answer of a named client in every run."""
        place = int(name.removeprefix("site-")) - 1
        who, x = self.order[:, place], model.params[MODEL_KEY]
        ask: Any = ClientAsk(self.oracle, who)
        config = {"proximal-mu": model.meta["fedprox_mu"]} if model.meta.get("fedprox_mu") else {}
        server = model.meta.get("scaffold_c_global")
        meta: dict[str, Any] = {}
        if server is None:
            end = self._train_checked(x, config, ask)
        else:
            end, meta = self._train_with_control(x, config, ask, server[MODEL_KEY], who)
        return import_nvflare().model(params={MODEL_KEY: end}, params_type="FULL", meta={**meta, "client_name": name})

    def _train_checked(self, x: np.ndarray, config: Mapping[str, Any], ask: Any) -> np.ndarray:
        found = self.train(x, config, ask, self.c)
        end: np.ndarray = found[0] if isinstance(found, tuple) else found
        if shape_of(end) != str(x.shape):
            raise VariantError(f"a client returned {shape_of(end)}, expected models of shape {x.shape}")
        return end

    def _train_with_control(
        self, x: np.ndarray, config: Mapping[str, Any], ask: Any, server: np.ndarray, who: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Train as NVFlare's PTScaffoldHelper: steps along g - c_i + c, new control c_i - c + (x - y)/(K eta)."""
        rows = np.arange(len(x))
        own = self.tree[CONTROLS_KEY][rows, who]
        end = self._train_checked(x, config, _CorrectedOracle(ask, server - own))
        new = own - server + (x - end) / (self.c.n_local_steps * self.c.step_size)
        controls = self.tree[CONTROLS_KEY].copy()
        controls[rows, who] = new
        self.tree[CONTROLS_KEY] = controls
        return end, {"scaffold_c_diff": {MODEL_KEY: new - own}}


class _CorrectedOracle:
    """A client's oracle with a correction added to its gradients."""

    def __init__(self, ask: ClientAsk, correction: np.ndarray) -> None:
        self._ask, self._correction, self.client = ask, correction, ask.client

    def gradient(self, x: np.ndarray, k: int = 0) -> np.ndarray:
        """Return the gradient of local step k plus the correction."""
        return self._ask.gradient(x, k) + self._correction

    def value(self, x: np.ndarray) -> np.ndarray:
        """Return the objective, without the correction."""
        return self._ask.value(x)


class _Context:
    """NVFlare's context of a job, which stores nothing."""

    def set_prop(self, *_given: object, **_named: object) -> None:
        """Do nothing."""

    def get_prop_detail(self, *_given: object) -> None:
        """Return None."""

    def get_job_id(self, default: str = "") -> str:
        """Return the default."""
        return default


@cache
def _local_controller_class(kind: Any) -> type:
    """Return the controller's class with its messages answered here, and its events and logs discarded."""

    def send_model_and_wait(self: Any, targets: Any = None, data: Any = None, **_others: Any) -> list[Any]:
        return [self.clients_here.answer(name, data) for name in targets]

    def send_model(self: Any, targets: Any = None, data: Any = None, callback: Any = None, **_others: Any) -> None:
        for name in targets:
            callback(self.clients_here.answer(name, data))

    def nothing(self: Any, *_given: object, **_named: object) -> None:
        return None

    silent = ("info", "warning", "debug", "event", "fire_event_with_data", "_maybe_cleanup_memory")
    own: dict[str, Any] = dict.fromkeys(silent, nothing) | {
        "send_model_and_wait": send_model_and_wait,
        "send_model": send_model,
        "get_num_standing_tasks": lambda self: 0,
        "load_model": lambda self: self.here,
        "save_model": _keep_model,
        "error": _raise_refusal,
    }
    return type(kind.__name__, (kind,), own)


def _keep_model(self: Any, model: Any) -> None:
    self.here = model


def _raise_refusal(_self: Any, text: str, *_others: object) -> None:
    raise VariantError(f"NVFlare says: {text}")


@contextmanager
def _disable_shuffle() -> Iterator[None]:
    """Disable NVFlare's shuffle of names: the client of a name is drawn already."""
    base = import_nvflare().base
    before, base.random = base.random, SimpleNamespace(shuffle=lambda names: None)
    try:
        yield
    finally:
        base.random = before
