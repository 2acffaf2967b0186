"""A claim at a point, along a constant, and as a plot."""
