"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

MANY = "held false by statistics: the runs that exceed the rate have hundreds of rounds, too many courses to enumerate"
WHY = {**dict.fromkeys(("delta_sgd/T1-same@printed", "delta_sgd/T1-reuse@printed", "delta_sgd/T1-steps@literal"), MANY)}
