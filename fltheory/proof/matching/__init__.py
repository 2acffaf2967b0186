"""What ties a theorem to the claim of the catalogue that it names."""
