"""The proofs of the true claims, line by line, and the refutations of the false ones: checked by `fltheory proofs basics`.

`python -m basics.proofs` finds the certificates again, after a line that needs one has changed.
"""

from pathlib import Path

from basics.proofs import averaging, client, descent, local, noise, refuted, rounds, strongly, tuned, words
from fltheory.proof import Proofs

ROOMS = (words, descent, tuned, strongly, noise, averaging, client, rounds, local, refuted)
PROOFS = Proofs("basics", tuple(t for room in ROOMS for t in room.THEOREMS), Path(__file__).with_name("certificates"))
