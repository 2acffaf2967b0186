"""Appendix C: lemmas on online mirror descent over the simplex with a floor."""
