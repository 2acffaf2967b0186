"""Claims that no theorem decides, each with what is in the way."""

from __future__ import annotations

LONG = "held false by statistics of very long runs: no case small enough to enumerate is known"
WHY = {**{f"osmd/C-{name}@printed": LONG for name in ("T5", "T9b", "T8", "T10")}}
