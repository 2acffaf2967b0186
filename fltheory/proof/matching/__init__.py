"""The comparison of a theorem with the claim of the catalogue that it names."""
