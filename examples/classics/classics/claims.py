"""The catalogue, by topic: every statement, true or false."""

from classics import (
    adaptive,
    bandits,
    compression,
    cycles,
    descent,
    federated,
    games,
    mirror,
    momentum,
    nonmonotone,
    online,
    robust,
    splitting,
    stochastic,
    submodular,
    svrg,
)

CLAIMS = (
    *descent.CLAIMS,
    *momentum.CLAIMS,
    *cycles.CLAIMS,
    *adaptive.CLAIMS,
    *stochastic.CLAIMS,
    *svrg.CLAIMS,
    *federated.CLAIMS,
    *robust.CLAIMS,
    *compression.CLAIMS,
    *online.CLAIMS,
    *mirror.CLAIMS,
    *bandits.CLAIMS,
    *submodular.CLAIMS,
    *nonmonotone.CLAIMS,
    *splitting.CLAIMS,
    *games.CLAIMS,
)
