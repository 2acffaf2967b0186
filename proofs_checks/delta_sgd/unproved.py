"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "delta_sgd/T5-A@explicit": "clients that never meet: 3 is proved (T5-A@corrected), cases come as near to 2 as one likes"
}
MANY = "held false by statistics: the runs that exceed the rate have hundreds of rounds, too many courses to enumerate"
WHY = {**dict.fromkeys(("delta_sgd/T1-same@printed", "delta_sgd/T1-reuse@printed", "delta_sgd/T1-steps@literal"), MANY)}
