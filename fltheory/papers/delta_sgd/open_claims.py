"""Claims that no theorem decides, each with the obstacle."""

from __future__ import annotations

NOT_YET = "a line of the paper that has its claim and its exact cases, but no theorem yet"
WHY = dict.fromkeys(("delta_sgd/43@corrected", "delta_sgd/B9-iid@printed", "delta_sgd/B9-classes@printed"), NOT_YET)
