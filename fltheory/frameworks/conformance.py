"""Conformance of released algorithms: framework, algorithm, theorem, verdict; ``fltheory frameworks --report``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.frameworks import nvflare, torch
from fltheory.frameworks.flower import strategy_algorithm
from fltheory.frameworks.flower_wire import Nodes, import_flower, patch_flower
from fltheory.frameworks.torch.client import import_torch
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.verification import find

AVERAGES_REASON = "the average of the clients, by this theorem's algorithm"
ALL_CLIENTS: dict[str, Any] = {"min_train_nodes": 1, "min_available_nodes": 1}


@dataclass(frozen=True)
class Entry:
    """An algorithm as a user would configure it, its theorem, the case (one of the claim's by number, or
    another), and why it is the theorem's algorithm or not.
    """

    text: str
    claim: str
    make: Callable[[Any], Algorithm]
    why: str
    case: int | Case = 0
    rounds: int | None = 60
    framework: str = "Flower"


def _subset_strategy(s: Any) -> Algorithm:
    return strategy_algorithm(
        lambda c: s.FedAvg(fraction_train=1e-9, min_train_nodes=int(c.n_participating), min_available_nodes=1),
        ordered=False,
    )


def _clients(text: str, why: str, case: int = 0, rounds: int | None = 60) -> Entry:
    """Return an entry for parallel training whose clients have this optimiser of PyTorch."""
    return Entry(text, T7, lambda _: torch.load_named(f"torch.optim.{text}")[0], why, case, rounds, "PyTorch")


def _server(text: str, why: str, case: int = 0, rounds: int | None = 60) -> Entry:
    """Return an entry for parallel training with this optimiser of PyTorch at the server."""
    return Entry(
        f"server: {text}", T7, lambda _: torch.load_named(f"server:torch.optim.{text}")[0], why, case, rounds, "PyTorch"
    )


T7 = "sfl/T7@explicit"
THREE_CLIENTS_CASE = Case(
    QuadraticClients((1, 1, 1), (0, "1/2", "5/2"), 0), n_rounds=500, n_local_steps=1, step_size="1/40"
)
ENTRIES = (
    Entry("FedAvg()", T7, lambda s: strategy_algorithm(s.FedAvg(**ALL_CLIENTS)), AVERAGES_REASON),
    Entry(
        "FedAvg(), noisy clients", T7, lambda s: strategy_algorithm(s.FedAvg(**ALL_CLIENTS)), AVERAGES_REASON, 2, 120
    ),
    Entry(
        "FedAvg(), examples 1 : 3",
        T7,
        lambda s: strategy_algorithm(s.FedAvg(**ALL_CLIENTS), examples=(1, 3)),
        "outside: it weights clients by their numbers of examples, so it minimises another sum",
        1,
        1200,
    ),
    Entry("FedAvg(), S of M clients", "sfl/PP-PFL@explicit", _subset_strategy, AVERAGES_REASON, 0, 60),
    Entry(
        "FedProx(proximal_mu=1)",
        T7,
        lambda s: strategy_algorithm(s.FedProx(proximal_mu=1.0, **ALL_CLIENTS)),
        "outside: a proximal term pulls the local steps towards the server's model",
    ),
    Entry(
        "FedAvgM(server_momentum=0.5)",
        T7,
        lambda s: strategy_algorithm(s.FedAvgM(server_momentum=0.5, **ALL_CLIENTS)),
        "outside: the server has momentum",
    ),
    Entry(
        "FedAvgM(server_learning_rate=0.5)",
        T7,
        lambda s: strategy_algorithm(s.FedAvgM(server_learning_rate=0.5, **ALL_CLIENTS)),
        "outside: the server step size is 1/2, but 1 in the claim's case",
    ),
    Entry(
        "FedAdam()",
        T7,
        lambda s: strategy_algorithm(s.FedAdam(**ALL_CLIENTS)),
        "outside: the server divides its steps by a root of accumulated squares",
    ),
    Entry(
        "FedYogi()",
        T7,
        lambda s: strategy_algorithm(s.FedYogi(**ALL_CLIENTS)),
        "outside: the server divides its steps by a root of accumulated squares",
    ),
    Entry(
        "FedAdagrad()",
        T7,
        lambda s: strategy_algorithm(s.FedAdagrad(**ALL_CLIENTS)),
        "outside: the server divides its steps by a root of accumulated squares",
    ),
    Entry(
        "FedMedian()",
        T7,
        lambda s: strategy_algorithm(s.FedMedian(**ALL_CLIENTS)),
        "outside, except for two clients, whose median is their mean",
    ),
    Entry(
        "FedTrimmedAvg()",
        T7,
        lambda s: strategy_algorithm(s.FedTrimmedAvg(**ALL_CLIENTS)),
        "outside, except for beta M < 1, where nothing is trimmed",
    ),
    Entry(
        "FedMedian(), three clients",
        T7,
        lambda s: strategy_algorithm(s.FedMedian(**ALL_CLIENTS)),
        "outside: it minimises the objective of the middle client",
        THREE_CLIENTS_CASE,
        None,
    ),
    Entry(
        "FedTrimmedAvg(beta=0.4), three clients",
        T7,
        lambda s: strategy_algorithm(s.FedTrimmedAvg(beta=0.4, **ALL_CLIENTS)),
        "outside: it drops the smallest and the largest value, so it minimises the objective of the middle client",
        THREE_CLIENTS_CASE,
        None,
    ),
    Entry(
        "Krum()",
        T7,
        lambda s: strategy_algorithm(s.Krum(**ALL_CLIENTS)),
        "outside: it takes the model of one client",
        0,
        8,
    ),
    Entry("FedAvg", T7, lambda _: nvflare.load_named("FedAvg")[0], AVERAGES_REASON, framework="NVFlare"),
    Entry(
        "FedAvg, S of M clients",
        "sfl/PP-PFL@explicit",
        lambda _: nvflare.load_named("FedAvg")[0],
        AVERAGES_REASON,
        framework="NVFlare",
    ),
    Entry(
        "Scaffold",
        T7,
        lambda _: nvflare.load_named("Scaffold")[0],
        "outside: clients correct their gradients by control variates",
        framework="NVFlare",
    ),
    Entry(
        "Cyclic, S of M clients",
        "sfl/PP-SFL@explicit",
        lambda _: nvflare.load_named("Cyclic")[0],
        "the drawn clients in sequence, by this theorem's algorithm",
        framework="NVFlare",
    ),
    Entry(
        "Cyclic, all clients",
        "sfl/T3-SC@corrected",
        lambda _: nvflare.load_named("Cyclic")[0],
        "outside: NVFlare shuffles only if it draws fewer clients, so the order never changes",
        framework="NVFlare",
    ),
    _clients("SGD", "the clients' local steps, by this theorem's algorithm"),
    _clients("SGD?momentum=0.5", "outside: clients have momentum"),
    _clients("SGD?momentum=0.5&nesterov=True", "outside: clients have momentum"),
    _clients(
        "SGD?weight_decay=0.5", "outside: weight decay shrinks the models, so the minimum is another one", 6, None
    ),
    *(
        _clients(kind, "outside: clients divide by a root of accumulated squared gradients")
        for kind in ("Adam", "RMSprop")
    ),
    _clients("Adamax", "outside: clients divide by a running maximum of their gradients"),
    _clients("Adagrad", "outside: clients' steps shrink within a round"),
    _server("SGD", AVERAGES_REASON),
    _server("SGD?momentum=0.5", "outside: the server has momentum"),
    _server("Adam", "outside: the server divides its steps by a root of accumulated squares"),
)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    entry: Entry
    verdict: Verdict

    @property
    def cells(self) -> tuple[str, ...]:
        """Return framework, algorithm, theorem, verdict, evidence, ratio, reason."""
        e, v = self.entry, self.verdict
        ratio = "" if v.ratio is None else f"{float(v.ratio):.3g}"
        return e.framework, e.text, e.claim, v.status, v.evidence or "", ratio, e.why


def installed_versions() -> dict[str, str]:
    """Return the installed frameworks of the table, with versions; UserError if there is none."""
    found, missing = {}, []
    for name, parts in (("Flower", import_flower), ("NVFlare", nvflare.import_nvflare), ("PyTorch", import_torch)):
        try:
            found[name] = str(parts().version)
        except UserError as error:
            missing.append(str(error))
    if not found:
        raise UserError("; ".join(missing))
    return found


def table_rows(entries: tuple[Entry, ...] = ENTRIES) -> Iterator[Row]:
    """Yield the verdicts; UserError if a framework is missing."""
    for entry in entries:
        yield Row(
            entry,
            check_claim(*_claim_and_case(entry, import_flower().strategy if entry.framework == "Flower" else None)),
        )


def _claim_and_case(entry: Entry, strategies: Any) -> tuple[Claim, Case]:
    claim = find(entry.claim)
    case = claim.cases[entry.case] if isinstance(entry.case, int) else entry.case
    if entry.rounds is not None:
        case = case.with_settings(n_rounds=entry.rounds)
    return replace(claim, algorithm=entry.make(strategies)), case


def adam_steps(rounds: int = 4) -> list[float]:
    """Return the first moves of Flower's FedAdam if every client answers x + 1/2: Adam's steps are always eta = 1.

    Its bias correction divides by 1 - beta^(t + 1), while Adam's (Kingma and Ba) has 1 - beta^t, t = 1, 2, ...
    """
    app, strategy = import_flower().app, import_flower().strategy.FedAdam(eta=1.0, tau=0.0, **ALL_CLIENTS)
    x, moves = np.zeros(1), []
    with patch_flower(lambda nodes, size: nodes[:size]):
        for r in range(1, rounds + 1):
            record = app.ArrayRecord({"x": app.Array(x)})
            replies = []
            for message in strategy.configure_train(r, record, app.ConfigRecord(), Nodes(2)):
                content = app.RecordDict(
                    {
                        "arrays": app.ArrayRecord({"x": app.Array(x + 0.5)}),
                        "metrics": app.MetricRecord({"num-examples": 1}),
                    }
                )
                replies.append(app.Message(content, reply_to=message))
            new = strategy.aggregate_train(r, replies)[0]["x"].numpy()
            moves.append(float(new[0] - x[0]))
            x = new
    return moves


def markdown_table(found: list[Row], versions: dict[str, str]) -> str:
    """Return the table in Markdown, with other findings."""
    heads = ("framework", "algorithm", "theorem", "verdict", "evidence", "ratio", "why")
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, ("---",) * len(heads), *(row.cells for row in found))]
    counterexamples = [
        f"- {r.entry.text}: `{r.verdict.counterexample}`" for r in found if r.verdict.status == "violated"
    ]
    said = [", ".join(f"{name} {version}" for name, version in versions.items()) + ".\n", *lines]
    said += (
        ["\nCounterexamples (`claim`: the theorem with that algorithm):\n", *counterexamples] if counterexamples else []
    )
    if "Flower" in versions:
        adam = ", ".join(f"{m:.3f}" for m in adam_steps())
        said.append(
            "\nTake Flower's FedAdam with eta = 1 and tau = 0, where all clients return x + 1/2. It moves by "
            f"{adam}, ..., while Adam moves by 1 in every round.\nIts bias correction is one step off."
        )
    return "\n".join(said)
