"""The paper's items in its own order, the reasons why some have no claim, and the figures of each."""

from __future__ import annotations

from fltheory.model.place import Item

ITEMS = (
    Item("Section 1", "Introduction", "1"),
    Item("Figure 1", "Step sizes that are not tuned"),
    Item("Section 2", "Preliminaries and related work", "2-3"),
    Item("Section 3", "Delta-SGD", "4-5"),
    Item("Algorithm 1", "Delta-SGD"),
    Item("Section 3.1", "Convergence analysis"),
    Item("Assumption 1", "Noise, gradients, dissimilarity", "1a-1c"),
    Item("Theorem 1", "Non-convex clients", "6"),
    Item("Section 4", "Experimental setup and results"),
    Item("Section 4.1", "Results"),
    Item("Table 1", "Accuracies of all optimisers"),
    Item("Figure 2", "Stronger heterogeneity"),
    Item("Figure 3", "Other data and architectures"),
    Item("Table 2", "Text data, and another loss function"),
    Item("Section 5", "Conclusion"),
    Item("Appendix A", "Missing proofs", "7-8"),
    Item("Lemma 2", "Local smoothness", "9-10"),
    Item("Lemma 3", "Smoothness of the mean", "11-12"),
    Item("Appendix A.1", "Proof of Theorem 1", "13-30", proves=("Theorem 1",)),
    Item("Appendix A.2", "Convex case"),
    Item("Lemma 4", "One round, convex", "31-38"),
    Item("Theorem 5", "Averages, convex", "39-46"),
    Item("Appendix B", "Additional experiments and plots"),
    Item("Appendix B.1", "Ease of tuning"),
    Item("Figure 4", "Effect of delta"),
    Item("Appendix B.2", "Number of local iterations"),
    Item("Figure 5", "Number of local epochs"),
    Item("Appendix B.3", "Different amounts of local data"),
    Item("Table 3", "Different amounts of local data"),
    Item("Appendix B.4", "FedAdam"),
    Item("Table 4", "FedAdam"),
    Item("Appendix B.5", "MOON"),
    Item("Table 5", "MOON"),
    Item("Appendix B.6", "FedProx"),
    Item("Table 6", "FedProx"),
    Item("Appendix B.7", "Standard deviations"),
    Item("Figure 6", "Three seeds"),
    Item("Table 7", "Three seeds"),
    Item("Appendix B.8", "Step sizes"),
    Item("Figure 7", "The two entries of the step size"),
    Item("Appendix B.9", "Degree of heterogeneity"),
    Item("Figure 8", "Degree of heterogeneity"),
)

CODE = {  # the Python type of each kind of item
    "Algorithm 1": "algorithms.fresh",
    "Section 4": "experiments.studies",
    "Appendix B.4": "algorithms.servers.fedadam",
    "Appendix B.6": "algorithms.optimisers.proximal",
}

DRAWN = {  # the items to which figures belong
    "Section 3": ("lyapunov",),
    "Algorithm 1": ("steps", "progress", "limit"),
    "Theorem 1": ("rates",),
    "Table 1": ("who_wins", "promise", "accuracies"),
    **dict.fromkeys(("Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Table 7"), ("accuracies",)),
    **dict.fromkeys(("Figure 1", "Figure 2", "Figure 4", "Figure 5"), ("over_rounds",)),
    "Lemma 4": ("readings",),
    "Theorem 5": ("theorem5", "readings", "promise"),
    "Figure 7": ("steps",),
    "Figure 8": ("dealt",),
}

_NOT_YET = "not yet in the catalogue"

NONE = {  # why an item has no claim
    "Section 5": "prose",
    "Figure 6": "the curves for Table 7; the claims are there",
    "Figure 8": "an illustration of the distribution of the data",
}
