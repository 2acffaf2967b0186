"""Cases. Lemmas on the multilinear extension at one point, one step and one draw."""
