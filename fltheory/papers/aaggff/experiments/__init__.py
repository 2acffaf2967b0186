"""The paper's experiments: data, training, tables."""
