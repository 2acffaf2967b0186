"""A claim at a point, along a constant, and drawn."""
