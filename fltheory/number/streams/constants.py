"""The constants of the hash: SplitMix64's increment and multipliers, and the stream of a round's order."""

from __future__ import annotations

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
ORDER_STREAM = 1 << 62  # the stream of a round's order: beyond every client, whose streams are 0, 1, 2, ...
