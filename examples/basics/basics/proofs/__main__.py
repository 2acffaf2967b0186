"""Finds the certificates and stores them in `certificates/`."""

from basics.proofs import PROOFS
from fltheory.proof.find import find_all_certificates

find_all_certificates(PROOFS, print)
