"""An honest step is refused: heavy ball on one kinked function, 720 rounds; with 512 it gets its verdict."""

from fltheory import Algorithm, Case, quantity, theorem, verify
from fltheory.problems import PiecewiseQuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance


def init(start, c):
    return {"x": start, "last": start}


def step(s, oracle, c):
    return {"x": s["x"] - oracle.gradient(s["x"], 0) * 4 / 121 + (s["x"] - s["last"]) * 49 / 121, "last": s["x"]}


f = PiecewiseQuadraticClients(left=(4,), right=(81,), slopes=(-13,), start="-9/2")
claim = theorem(
    "HB: bounded",
    quantity <= 1000 * initial_distance**2,
    algorithm=Algorithm("heavy ball", step, init=init),
    measure=LastDistance(),
    cases=[Case(f, n_rounds=r) for r in (512, 600, 720)],
    key="repro",
)
if __name__ == "__main__":
    for case in claim.cases:
        print(dict(case.settings)["n_rounds"], verify(claim, case))
