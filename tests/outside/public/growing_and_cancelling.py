"""States with a part that grows while the point does not: alone, or as two parts that cancel."""

from dataclasses import replace

from fltheory import Algorithm, find

LISTED = find("sfl/T7@explicit")


def init(start, c):
    return {"x": start, "junk": start}


def step(s, o, c):
    x = s["x"]
    tot = 0 * x
    for m in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * o.gradient(y, m, k)
        tot = tot + y
    return {"x": tot / c.n_clients, "junk": s["junk"] * 3}


def init2(start, c):
    return {"x": start, "a": start, "b": start}


def step2(s, o, c):
    x = s["x"]
    tot = 0 * x
    for m in range(c.n_clients):
        y = x
        for k in range(c.n_local_steps):
            y = y - c.step_size * (o.gradient(y, m, k) + s["a"] - s["b"])
        tot = tot + y
    return {"x": tot / c.n_clients, "a": s["a"] * 3 + x, "b": s["b"] * 3 + x}


growing = replace(LISTED, algorithm=Algorithm("with junk", step, init=init))
cancelling = replace(LISTED, algorithm=Algorithm("cancels", step2, init=init2))
