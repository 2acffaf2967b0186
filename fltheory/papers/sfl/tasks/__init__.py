"""Table 2: the ten tasks on quadratic functions."""
