"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

WHY = {
    "delta_sgd/T5-A@explicit": "clients that never meet: 3 is proved (T5-A@corrected), cases come as near to 2 as one likes"
}
