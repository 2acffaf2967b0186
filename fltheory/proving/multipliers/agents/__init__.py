"""Statements about M clients, proved for every M from the statement about one client beside the averages.

All inequalities of M alike clients, with the same multipliers, add up to one inequality between averages. In the space of all
M vectors together an average is a projection: what a client's vector differs from it is orthogonal to every vector that the
clients share. So multipliers are sought for one client, with these equations as hypotheses. The proof for M clients has a
line for each client, their sum, and a last line with the equations about sums.
"""

from __future__ import annotations

from fltheory.proving.multipliers.agents.reading import Alike, read_alike, sides_of
from fltheory.proving.multipliers.agents.writing import ForAll, for_all

__all__ = ["Alike", "ForAll", "for_all", "read_alike", "sides_of"]
