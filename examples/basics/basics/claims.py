"""The catalogue: every theorem, true or false, in the order in which they build on each other."""

from basics import descent, local, noise

CLAIMS = (*descent.CLAIMS, *noise.CLAIMS, *local.CLAIMS)
