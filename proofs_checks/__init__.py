"""What checks the proofs of the papers: certificates, models of hypotheses, the record of Rocq, and their tests."""
