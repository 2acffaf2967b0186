"""The figures of the papers: ``PICTURES`` of each module maps a name to a function that returns the picture as data."""

KEYS = ("papers", "sfl", "osmd", "fedcg", "aaggff", "delta_sgd", "worst")
MATPLOTLIB_VERSION = "3.11.2"  # of matplotlib: other versions may draw the same numbers slightly differently
