"""A plain violation is called inconclusive: the run is known to eleven digits, the bound is 10^18 times below it, but
two clients are equal."""

from fltheory import Case, find, verify
from fltheory.problems import QuadraticClients

claim = find("22_median.py:CLAIM")
for slopes in (("3/1000", "-3/1000", "3/1000"), ("3/1000", "-3/1000", "4/1000")):
    for rounds in (100, 1000):
        f = QuadraticClients(("7/100",) * 3, slopes, 1)
        v = verify(claim, Case(f, n_local_steps=1, n_rounds=rounds, step_size="50/63"))
        print(
            slopes, rounds, v.status, "measured", v.low, v.high, v.measured, "limit", v.limit, v.evidence, "|", v.reason
        )
