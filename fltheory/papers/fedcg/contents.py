"""The items of the paper in its order, the reasons why some have no claim, and the figures of each."""

from __future__ import annotations

from fltheory.model.place import Item

ITEMS = (
    Item("Section 1", "Introduction", "1"),
    Item("Example 1.1", "Welfare maximization"),
    Item("Example 1.2", "Feature selection"),
    Item("Section 1.1", "Related work"),
    Item("Section 2", "Preliminaries"),
    Item("Section 3", "Federated continuous greedy"),
    Item("Assumption 3.1", "Heterogeneity", "5"),
    Item("Theorem 3.2", "Full participation"),
    Item("Algorithm 1", "FedCG"),
    Item("Section 3.1", "Partial participation and client selection"),
    Item("Lemma 3.3", "Unbiased sampling"),
    Item("Lemma 3.4", "Bounded variance"),
    Item("Theorem 3.5", "Partial participation"),
    Item("Section 4", "Practical federated continuous greedy"),
    Item("Lemma 4.1", "Unbiased sampling"),
    Item("Lemma 4.2", "Bounded variance"),
    Item("Algorithm 2", "FedCG+"),
    Item("Theorem 4.3", "FedCG+"),
    Item("Remark 4.4", "Rounding"),
    Item("Section 5", "Discrete algorithm"),
    Item("Algorithm 3", "Federated discrete greedy"),
    Item("Theorem 5.1", "Federated discrete greedy"),
    Item("Section 6", "Conclusions"),
    Item("Appendix A", "Preliminary results"),
    Item("Lemma A.1", "What the clients' own directions are worth"),
    Item("Corollary A.2", "The same along a run"),
    Item("Lemma A.3", "Bounded heterogeneity"),
    Item("Appendix A.1", "Proof of Theorem 3.2", "10-14", proves=("Theorem 3.2",)),
    Item("Lemma A.4", "What the mean direction is worth"),
    Item("Appendix A.2", "Upper bound for gamma_t", proves=("Assumption 3.1",)),
    Item("Appendix B", "Proof of convergence for FedCG"),
    Item("Appendix B.1", "Bounding the variance", "31", proves=("Lemma 3.3", "Lemma 3.4")),
    Item("Appendix B.2", "Proof of Theorem 3.5", proves=("Theorem 3.5",)),
    Item("Appendix C", "Proof of convergence for FedCG+"),
    Item("Appendix C.1", "Bounding the variance", "58-61, 65, 69, 80", proves=("Lemma 4.1", "Lemma 4.2")),
    Item("Appendix C.2", "Proof of Theorem 4.3", "95, 99-111", proves=("Theorem 4.3",)),
    Item("Claim C.1", "Bounded heterogeneity"),
    Item("Claim C.2", "What local steps lose", "112-116"),
    Item("Appendix C.3", "Gradient estimation"),
    Item("Lemma C.3", "Samples of an estimate"),
    Item("Appendix D", "Discrete algorithm: examples"),
    Item("Appendix D.1", "Facility location"),
    Item("Theorem D.1", "Importance factors, facility location"),
    Item("Theorem D.2", "Greedy, facility location"),
    Item("Algorithm 4", "Importance factors, facility location"),
    Item("Appendix D.2", "Maximum coverage", "117"),
    Item("Algorithm 5", "Importance factors, maximum coverage"),
    Item("Theorem D.3", "Importance factors, maximum coverage"),
    Item("Remark D.4", "A simpler way"),
    Item("Theorem D.5", "Greedy, maximum coverage"),
)

MEANT = {  # recorded places, and where they are in the paper
    "remark after Theorem 3.2": "end of the proof of Theorem 3.2",
    "remark after Theorem 3.5": "end of the proof of Theorem 3.5",
}

CODE = {  # the code of each item
    "Algorithm 1": "algorithms.partial",
    "Algorithm 2": "algorithms.clipped_sampled",
    "Remark 4.4": "algorithms.rounding.pipage",
    "Algorithm 3": "algorithms.discrete.greedy",
    "Remark D.4": "discrete.closed_forms.memberships.greedy_groups",
    "Algorithm 4": "discrete.closed_forms.importance.facility_protocol",
    "Algorithm 5": "discrete.closed_forms.importance.coverage_protocol",
}

DRAWN = {  # the items that the figures belong to
    "Section 2": ("worst_cases",),
    "Theorem 3.2": ("guarantee", "directions", "curvature"),
    "Theorem 3.5": ("guarantee", "sampling_term"),
    "Theorem 5.1": ("participants",),
    "Appendix D.1": ("movies",),
}

NONE = {  # the reasons why items have no claim
    **dict.fromkeys(("Section 1", "Section 1.1", "Section 6"), "prose"),
    **dict.fromkeys(("Example 1.1", "Example 1.2"), "a problem that the model covers, not a statement"),
}
