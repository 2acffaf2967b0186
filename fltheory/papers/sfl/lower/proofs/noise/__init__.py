"""The noise term. Proofs. Theorems 5 and 6: lower bounds of SFL, by regimes of the step size."""
