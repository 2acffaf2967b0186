"""The proofs of the papers: steps in the papers' order, with their certificates as JSON beside them."""
