"""The catalogue, by topic: every statement, true or false."""

from classics import (
    bandits,
    compression,
    cycles,
    descent,
    federated,
    games,
    momentum,
    online,
    robust,
    splitting,
    stochastic,
    submodular,
)

CLAIMS = (
    *descent.CLAIMS,
    *momentum.CLAIMS,
    *cycles.CLAIMS,
    *stochastic.CLAIMS,
    *federated.CLAIMS,
    *robust.CLAIMS,
    *compression.CLAIMS,
    *online.CLAIMS,
    *bandits.CLAIMS,
    *submodular.CLAIMS,
    *splitting.CLAIMS,
    *games.CLAIMS,
)
