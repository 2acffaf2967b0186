"""Online learning on a decision set: losses of rounds, the sets that points are projected on, and the regret."""
