"""The search for proofs: from hypotheses and a statement to lines that the kernel confirms, or to the goal that is stuck."""

from fltheory.proving.outcomes import Outcome, Proved, Refuted, Stuck, prove

__all__ = ["Outcome", "Proved", "Refuted", "Stuck", "prove"]
