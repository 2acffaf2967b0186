"""Proofs. Theorem 4.3: FedCG+ with local steps and sampled clients."""
