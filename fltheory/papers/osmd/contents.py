"""The items of the paper in its order, the reasons why some have no claim, and the figures of each."""

from __future__ import annotations

from fltheory.model.place import Item

ITEMS = (
    Item("Section 1", "Introduction", "1-2"),
    Item("Section 1.1", "Notation"),
    Item("Section 1.2", "Organization"),
    Item("Section 2", "Related work"),
    Item("Section 3", "Adaptive client sampling"),
    Item("Section 3.1", "Client sampling as online learning", "3-5"),
    Item("Section 3.2", "OSMD Sampler", "6-7"),
    Item("Algorithm 1", "OSMD Sampler"),
    Item("Algorithm 2", "Its mirror step"),
    Item("Section 4", "OSMD Sampler in federated optimization", "8-11"),
    Item("Assumption 1", "Smoothness"),
    Item("Assumption 2", "Bounded from below"),
    Item("Assumption 3", "Local noise, bounded gradients"),
    Item("Section 4.1", "Mini-batch SGD"),
    Item("Algorithm 3", "Mini-batch SGD with OSMD Sampler", "12"),
    Item("Theorem 4", "Mini-batch SGD", "13-14"),
    Item("Section 4.2", "FedAvg"),
    Item("Algorithm 4", "FedAvg with OSMD Sampler", "15"),
    Item("Theorem 5", "FedAvg", "16-17"),
    Item("Section 5", "Regret analysis of OSMD Sampler", "18-19"),
    Item("Theorem 6", "Dynamic regret against any comparator"),
    Item("Section 6", "Adaptive-OSMD Sampler", "22-23"),
    Item("Corollary 7", "The tuned rate of the sampler", "20-21"),
    Item("Algorithm 5", "Adaptive-OSMD Sampler"),
    Item("Theorem 8", "Its dynamic regret"),
    Item("Theorem 9", "Optimization with it", "24-25"),
    Item("Section 7", "Simulation experiments", "26"),
    Item("Section 7.1", "Against uniform sampling"),
    Item("Figure 1", "Against uniform sampling"),
    Item("Section 7.2", "Against MABS, VRB, Avare"),
    Item("Figure 2", "Against MABS, VRB, Avare"),
    Item("Section 7.3", "Robustness in alpha"),
    Item("Figure 3", "Robustness in alpha"),
    Item("Section 7.4", "Dynamic against fixed sampling"),
    Item("Figure 4", "Dynamic against fixed sampling"),
    Item("Section 8", "Real data experiment"),
    Item("Figure 5", "Sample sizes of the clients"),
    Item("Figure 6", "Samplers on real data"),
    Item("Section 9", "Conclusion"),
    Item("Appendix A", "Extensions of Adaptive-OSMD Sampler"),
    Item("Appendix A.1", "Doubling trick", "27-28"),
    Item("Theorem 10", "Dynamic regret with the doubling trick"),
    Item("Algorithm 6", "Adaptive-Doubling-OSMD"),
    Item("Appendix A.2", "Sampling without replacement"),
    Item("Algorithm 7", "Sampling without replacement"),
    Item("Proposition 11", "Its mean and its best distribution"),
    Item("Figure 7", "With and without replacement"),
    Item("Appendix B", "Technical proofs"),
    Item("Appendix B.1", "Proof of (11)"),
    Item("Appendix B.2", "Proposition 12 and its proof"),
    Item("Proposition 12", "The mirror step in closed form", "29"),
    Item("Appendix B.3", "Proof of Theorem 4", "30-35", proves=("Theorem 4",)),
    Item("Appendix B.4", "Proof of Theorem 5", "36-47", proves=("Theorem 5",)),
    Item("Appendix B.5", "Proof of Theorem 6", "53-57", proves=("Theorem 6",)),
    Item("Proposition 13", "Comparators on the floored simplex", "48-52"),
    Item("Appendix B.6", "Proof of Theorem 8", "58-60", proves=("Theorem 8",)),
    Item("Appendix B.7", "Proof of Theorem 9", proves=("Theorem 9",)),
    Item("Appendix B.8", "Proof of Theorem 10", proves=("Theorem 10",)),
    Item("Appendix C", "Useful lemmas"),
    Item("Lemma 14", "Optimality on a convex set"),
    Item("Lemma 15", "Smoothness"),
    Item("Lemma 16", "Relaxed triangle inequality"),
    Item("Lemma 17", "Divergence from the uniform distribution"),
    Item("Lemma 18", "Hoeffding's inequality"),
    Item("Lemma 19", "Projection onto the floored simplex", "61-70"),
    Item("Appendix D", "Additional future directions"),
    Item("Appendix D.1", "Personalized objectives", "71-73"),
    Item("Appendix D.2", "Physical constraints"),
    Item("Appendix E", "SCAFFOLD"),
    Item("Figure 8", "SCAFFOLD"),
)

MEANT = {  # recorded places, and where they are in the paper
    "Section 5 (13)": "text after Corollary 7",
    "Section 5 (16)": "text after Corollary 7",
    "Theorem 9, FedAvg (46)": "proof of Theorem 9, FedAvg",
    "the game of two states": "Section 4, the game of two states",
}

CODE = {  # the code of each item
    "Algorithm 1": "algorithms.osmd",
    "Algorithm 2": "algorithms.mirror.mirror_step",
    "Algorithm 3": "experiments.training.minibatch_sgd",
    "Algorithm 4": "experiments.training.fedavg",
    "Algorithm 5": "algorithms.adaptive.adaptive",
    "Algorithm 6": "algorithms.adaptive.doubling",
    "Algorithm 7": "algorithms.draws.draw_without_replacement",
    "Section 7": "experiments.studies.SECTION_7",
    "Section 8": "experiments.studies.compare_digits",
    "Appendix D.2": "algorithms.draws.draw_active",
    "Appendix E": "experiments.training.scaffold",
}

DRAWN = {  # the items that the figures belong to
    "Corollary 7": ("slack", "vacuity"),
    "Theorem 8": ("slack", "trap", "vacuity"),
    **dict.fromkeys(
        ("Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 6", "Figure 7", "Figure 8"), ("samplers",)
    ),
    "Theorem 10": ("vacuity",),
}

_BOUNDED = "a hypothesis: the clients of `instances/bounded_clients.py` have it by construction, with exact constants"

NONE = {  # the reasons why items have no claim
    **dict.fromkeys(("Section 1.1", "Section 1.2", "Section 2", "Section 9"), "prose and notation"),
    **dict.fromkeys(("Assumption 1", "Assumption 2", "Assumption 3"), _BOUNDED),
    **dict.fromkeys(("Section 7.3", "Section 7.4"), "experiments, shown in the next figure"),
    "Section 8": "MNIST and similar data are not packaged; the same study uses the packaged digits",
    "Figure 6": "about MNIST and similar data, which are not packaged: redrawn with the packaged digits",
    "Appendix B.1": "proves (11) of Section 4",
    "Appendix E": "an experiment, shown in the next figure",
}
