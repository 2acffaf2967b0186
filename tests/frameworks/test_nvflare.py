"""NVFlare's controllers, driven in one process: what they are, what the theorems say of them, what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from fltheory import find, verify
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.flat_states import with_row_states

pytest.importorskip("nvflare", reason="NVFlare is not installed (extra nvflare)")

from fltheory.frameworks import nvflare

THREE = QuadraticClients(curvatures=(1, 2, 4), slopes=(3, -1, -2), start=5)
AT = Case(THREE, n_rounds=6, n_local_steps=2, step_size="1/48")


def states(algorithm, case):
    """The points of one run in floats, (R + 1, dim)."""
    on = with_row_states(algorithm, case)
    return rollout(on, case, 1)[0][:, :1]


def trained(x, client, shift=0.0):
    """Two steps of 1/48 on a client of THREE."""
    curvature, slope = (1, 2, 4)[client], (3, -1, -2)[client]
    for _ in range(2):
        x = x - (curvature * x + slope + shift) / 48
    return x


def course(round_):
    """Six rounds by hand."""
    x = [5.0]
    for _ in range(6):
        x.append(round_(x[-1]))
    return np.array(x)[:, None]


def test_the_runs_are_those_of_the_controllers():
    average = course(lambda x: np.mean([trained(x, m) for m in range(3)]))
    relay = course(lambda x: trained(trained(trained(x, 0), 1), 2))
    for name, wanted in (("FedAvg", average), ("Cyclic", relay)):
        found = states(nvflare.load_named(name)[0], AT)
        assert np.abs(found - wanted).max() < 1e-12
    assert np.abs(average - relay).max() > 0.1


def test_scaffold_keeps_its_controls():
    server, own, x, points = 0.0, np.zeros(3), 5.0, [5.0]
    for _ in range(6):
        ends = np.array([trained(x, m, server - own[m]) for m in range(3)])
        new = own - server + (x - ends) / (2 / 48)
        x, server, own = ends.mean(), server + (new - own).mean(), new
        points.append(x)
    found = states(nvflare.load_named("Scaffold")[0], AT)
    assert np.abs(found[:, 0] - points).max() < 1e-12
    assert np.abs(found - states(nvflare.load_named("FedAvg")[0], AT)).max() > 1e-3


@pytest.mark.parametrize("name", ["FedAvg", "Scaffold"])
def test_theorem_7_holds_of_what_averages(name):
    claim = find("sfl/T7@explicit")
    verdict = verify(replace(claim, algorithm=nvflare.load_named(name)[0]), claim.cases[0])
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


def test_a_relay_of_drawn_clients_is_partial_sequential_training():
    claim = find("sfl/PP-SFL@explicit")
    case = claim.cases[0]
    own, released = verify(claim, case), verify(replace(claim, algorithm=nvflare.load_named("Cyclic")[0]), case)
    assert (released.status, released.evidence) == ("holds", "exact")
    assert released.measured == pytest.approx(own.measured, rel=1e-12)


@pytest.mark.deep
def test_a_relay_of_all_clients_is_not_the_method_of_theorem_3():
    """NVFlare shuffles only where fewer are asked for: two camps in a row pull one after the other."""
    camps = QuadraticClients([[1]] * 2000, [[1]] * 1000 + [[-1]] * 1000, [0])
    case = Case(camps, n_rounds=60, n_local_steps=1, step_size="1/12000")
    claim = find("sfl/T3-SC@corrected")
    assert verify(claim, case).status != "violated"
    verdict = verify(replace(claim, algorithm=nvflare.load_named("Cyclic")[0]), case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.ratio > 3


def test_a_number_of_clients_that_the_claim_does_not_have_is_no_case_of_it():
    cyclic = nvflare.controller_algorithm(nvflare.import_nvflare().classes["Cyclic"](num_clients=1))
    claim = find("sfl/T3-SC@corrected")
    verdict = verify(replace(claim, algorithm=cyclic), claim.cases[0])
    assert verdict.status == "inapplicable"
    assert "the controller asks 1 of" in verdict.reason


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: nvflare.load_named("Swarm"), "expected one of Cyclic, FedAvg, Scaffold"),
        (lambda: nvflare.controller_algorithm(object()), "a object is no supported controller"),
        (
            lambda: nvflare.controller_algorithm(
                nvflare.import_nvflare().classes["FedAvg"](stop_cond="accuracy >= 80")
            ),
            "stopping condition",
        ),
    ],
)
def test_what_can_t_be_driven_is_told(asked, said):
    with pytest.raises(UserError, match=said):
        asked()
