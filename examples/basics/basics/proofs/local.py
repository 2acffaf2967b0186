"""LSGD2: a round contracts, as averaging only lowers the mean of the squared distances. LSGD1: the same with zeta = 0."""

from sympy import sqrt

from basics.letters import D, K, R, eta, mu, zeta
from basics.local import LSGD1, LSGD2
from basics.proofs.rounds import CLIENTS, EACH, RUN, M, away, level, m, mean, r, rate, x, y
from basics.proofs.words import N, a, b, best, n, nu, q
from fltheory.proof import by, eq, le, proof, statement_of
from fltheory.proof.terms import E, Total, square

READING = {mu: nu, D: sqrt(away(x(0)))}
ALL = tuple(entry.id for entry in RUN)
start, end = y(r, m, 0), y(r, m, K)
after = mean(square(end - best))
a_round = rate**K * away(x(r)) + (1 - rate**K) * level
ANY = (
    proof("basics/LSGD2", of=LSGD2.id, bound=LSGD2.bound, reading=READING)
    .under(*RUN)
    .step(
        "steps of a round",
        le(mean(away(end)), rate**K * mean(away(start)) + (1 - rate**K) * level, EACH),
        by.apply("basics/local-steps", (), *(name for name in ALL if name not in ("start", "average"))),
    )
    .step(
        "same", eq(square(start - best), square(x(r) - best), CLIENTS, EACH), by.linear(start=start + x(r) - 2 * best)
    )
    .step("same mean", eq(away(start), away(x(r)), CLIENTS, EACH), by.expectation("same"))
    .step("same sum", eq(Total(away(start), *CLIENTS), M * away(x(r)), EACH), by.sum_over(m, "same mean"))
    .step("apart", le(0, square(end - x(r + 1)), CLIENTS, EACH), by.sos())
    .step("all apart", le(0, Total(square(end - x(r + 1)), *CLIENTS), EACH), by.sum_over(m, "apart"))
    .step(
        "averaged",
        le(square(x(r + 1) - best), after, EACH),
        by.linear({"all apart": 1 / M, "average": 2 * (x(r + 1) - best)}),
        note="the variance of the clients is not negative",
    )
    .step("averaged mean", le(away(x(r + 1)), E(after), EACH), by.expectation("averaged"))
    .step(
        "round",
        le(away(x(r + 1)), a_round, EACH),
        by.linear({"averaged mean": 1, "steps of a round": 1, "same sum": rate**K / M}),
    )
    .step("round n", le(away(x(n + 1)), a_round.subs(r, n), (n, 0, R - 1)), by.instance({r: n}, "round"))
    .step("rate", le(0, rate), by.linear(c1=1, order=eta))
    .step("none", le(0, 0), by.linear())
    .step("rate of a round", le(0, rate**K), by.power(K, "none", "rate"))
    .step("level", le(0, level), by.linear())
    .qed(
        statement_of(LSGD2.bound, away(x(R)), READING)[0],
        by.apply(
            "basics/settles", {q: rate**K, b: level, N: R, a(n): away(x(n))}, "rate of a round", "level", "round n"
        ),
    )
)
ALIKE = (
    proof("basics/LSGD1", of=LSGD1.id, bound=LSGD1.bound, reading=READING)
    .under(*RUN)
    .given("c2", eq(zeta, 0), "condition of the bound")
    .step("any", statement_of(LSGD2.bound, away(x(R)), READING)[0], by.apply("basics/LSGD2", (), *ALL))
    .qed(statement_of(LSGD1.bound, away(x(R)), READING)[0], by.linear({"any": 1, "c2": zeta / nu**2}))
)
THEOREMS = (ANY, ALIKE)
