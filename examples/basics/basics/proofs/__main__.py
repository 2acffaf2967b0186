"""Finds the certificates and stores them in `certificates/`."""

from basics.proofs import PROOFS
from fltheory.proof.find import find_all

find_all(PROOFS, print)
