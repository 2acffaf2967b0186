"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "delta_sgd/T1-same@printed": "held false by statistics alone: the runs that exceed the rate have hundreds of rounds, too many courses to enumerate",
    "delta_sgd/T1-reuse@printed": "held false by statistics alone: the runs that exceed the rate have hundreds of rounds, too many courses to enumerate",
    "delta_sgd/T1-steps@literal": "held false by statistics alone: the runs that exceed the rate have hundreds of rounds, too many courses to enumerate",
    "delta_sgd/T5-A@explicit": "clients that never meet: the factor 3 is proved (T5-A@corrected), and cases come as near to 2 as one likes",
}
