"""The field's words for what the papers call otherwise: common names of algorithms and topics, and abbreviations.

The search of ``fltheory list`` adds the common names to every claim whose text has one of the papers' own names. Capitals
count in a name that has any.
"""

from __future__ import annotations

_ABSENT = ", offline clients, availability, device dropout"
# An algorithm as the papers name it, then its common names and those of its method.
ALGORITHMS = {
    "PFL": "parallel, parallel SGD, FedAvg, federated averaging, local SGD, linear speedup",
    "SFL": "sequential, cyclic, cyclic weight transfer, incremental gradient, without replacement",
    "FedAvg": "federated averaging, local SGD, parallel SGD",
    "osmd": "online mirror descent, OMD, multi-armed bandit, client sampling, importance sampling, EXP3, adversarial bandits",
    "FedCG": "continuous greedy, conditional gradient, Frank-Wolfe, submodular maximization",
    "discrete greedy": "lazy greedy, stochastic greedy, subset selection, submodular maximization",
    "gradient sharing": "FedSGD, distributed gradient ascent, full communication",
    "rounding": "randomized rounding, dependent rounding, integral solution",
    "AAggFF-S": "online Newton step, ONS, fairness, fair aggregation, q-FFL, cross-silo, second order",
    "AAggFF-D": "FTRL, follow the regularized leader, exponentiated gradient, fairness, fair aggregation, q-FFL, cross-device",
    "Delta-SGD": "adaptive step size, adaptive stepsize, learning rate, auto-tuned, AdGD, Malitsky-Mishchenko, local SGD",
    "step size": "stepsize, learning rate",
}
# Words of a claim, or how its id begins, then other words for the same topic.
TOPICS = {
    "sfl/PP-": "stragglers, dropout, client sampling, client selection, partial participation, unavailable clients"
    + _ABSENT,
    "sfl/T7": "stragglers, dropout, client sampling, partial participation",  # the theorem that sfl/PP-PFL extends
    "S of M clients": "stragglers, dropout, client sampling, client selection, unavailable clients" + _ABSENT,
    "clients sampled alike": "stragglers, dropout, partial participation, client selection",
    "partial participation": "stragglers, dropout, client sampling, client selection, unavailable clients" + _ABSENT,
    "non-convex": "nonconvex, stationary point",
    "heterogeneity": "non-iid, data heterogeneity, statistical heterogeneity, client drift",
    "drift": "client drift",
    "regret": "online learning, no-regret",
    "comparator": "dynamic regret, tracking, path length",
    "TERM": "tilted, fairness, fair aggregation",
    "AFL": "agnostic federated learning, minimax, min-max, fairness",
    "propfair": "proportional fairness",
    "bits": "communication cost, communication complexity, bandwidth",
    "secure aggregation": "privacy, masking",
    "mini-batch": "minibatch, stochastic gradient",
    "OPT": "approximation ratio, approximation guarantee",
    "matroid": "independent sets, cardinality constraint",
    "variance": "variance reduction",
    "lower bound": "hard instance, worst-case instance, optimality, impossibility",
    "random reshuffling": "RR, shuffling SGD, random permutation, without replacement",
    "experiment": "accuracy, empirical, benchmark",
}
# Abbreviations in ids and statements.
ABBREVIATIONS = {
    "SFL": "sequential federated learning",
    "PFL": "parallel federated learning (FedAvg)",
    "SC": "strongly convex",
    "GC": "general convex",
    "NC": "non-convex",
    "PP": "partial participation",
    "RR": "random reshuffling",
    "TAB1": "Table 1",
    "TAB2": "Table 2",
    "TAB3": "Table 3",
    "OSMD": "online stochastic mirror descent",
    "OPT": "the optimum",
    "TV": "total variation",
    "KL": "Kullback-Leibler divergence",
    "FTRL": "follow the regularized leader",
    "TERM": "tilted empirical risk minimization",
    "AFL": "agnostic federated learning",
    "CDF": "cumulative distribution function",
    "CX": "complexity",
    "KT": "Krichevsky-Trofimov",
}
