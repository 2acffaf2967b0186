"""Appendix D: one round of SFL and of PFL, the drift of the clients, and the recursion over the rounds."""
