"""FedCG with gradients of the round before: everybody sends a base while the next gradient is still computed.

In the first round nothing is known and a rule for ties chooses. At rank 1 the bound has no room for a lost round: of three
rounds two are left, 2/3 < 1 - (2/3)³, and it is false. The listed cases have room, and there it is true.
"""

from dataclasses import replace

from fltheory import Algorithm, Case, find, verify
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular


def init(start, c):
    return {"x": start, "gradients": tuple(0 * start for _ in range(c.n_clients))}


def step(state, oracle, c):
    x = state["x"]
    move = x * 0
    for client, weight in enumerate(oracle.weights(x)):
        move = move + weight * oracle.base(state["gradients"][client], client)
    gradients = tuple(oracle.gradient(x, client) for client in range(c.n_clients))
    return {"x": x + c.server_step_size * move, "gradients": gradients}


LISTED = find("fedcg/S1-curvature@strengthened")
ONE_ITEM = SubmodularClients((Modular((0, 1)),), Uniform(2, 1))
CASES = (*LISTED.cases, Case(ONE_ITEM, n_rounds=3, server_step_size="1/3"))
claim = replace(LISTED, algorithm=Algorithm("FedCG, stale gradients", step, init=init), cases=CASES)

if __name__ == "__main__":
    print(verify(claim))
