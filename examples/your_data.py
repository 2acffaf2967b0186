"""Data of one's own: visits to three clinics, trained by FedAvg with full gradients. Is Theorem 7 true there, and how loose?

It holds: after 200 rounds of least squares the bound is 640 times what is reached, of logistic regression 1000 times; after ten
it says nothing. docs/how-to/data.md tells how the same is read from a file.
"""

from dataclasses import replace
from fractions import Fraction

from fltheory import Algorithm, Case, find, verify
from fltheory.problems import from_data
from fltheory.symbols import smoothness

AGES_AND_DOSES = [(0.5, -1), (1.25, 0.75), (-0.5, 0.1), (2, 0.33), (-1.5, 2), (1, 1.5), (0.25, -0.8), (0.75, -0.25)]
CLINICS = ["north", "south", "north", "west", "south", "north", "west", "south"]
DAYS = [2.25, 1.5, -1.75, 3, -4.125, 0.5, 1, 1.75]
ILL = ["yes", "no", "no", "yes", "no", "yes", "yes", "yes"]


def step(x, oracle, c):
    total = 0 * x
    for client in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * oracle.gradient(y, client, k)
        total = total + y
    return total / c.n_clients


days = from_data({"X": AGES_AND_DOSES, "y": DAYS, "client": CLINICS}, "squares", regularisation="1/10")
ill = from_data({"X": AGES_AND_DOSES, "y": ILL, "client": CLINICS}, "logistic", regularisation="1/10")
runs = [(days, 200), (ill, 200), (days, 10)]
cases = tuple(
    Case(i, n_rounds=r, n_local_steps=2, step_size=Fraction(1, 12) / i.constants[smoothness]) for i, r in runs
)
claim = replace(find("sfl/T7@strengthened"), algorithm=Algorithm("FedAvg", step), cases=cases)

if __name__ == "__main__":
    for case in claim.cases:
        print(verify(claim, case))
