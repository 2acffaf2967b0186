"""Plots other than a bound along a constant: its terms, a counterexample, a proof as a graph, a map of all claims."""

from fltheory.plotting.kinds.counterexample import counterexample_picture
from fltheory.plotting.kinds.terms import terms_picture
from fltheory.plotting.picture import claim_picture

PICTURE_KINDS = {"bound": claim_picture, "terms": terms_picture, "counterexample": counterexample_picture}
