"""Data, training and tables of the paper's experiments."""
