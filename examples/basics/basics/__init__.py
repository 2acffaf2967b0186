"""Gradient descent, SGD and local SGD: textbook theorems as claims of `fltheory`, each with a proof and a false neighbour."""
