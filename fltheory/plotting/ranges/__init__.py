"""A claim at values of one constant: the evaluated points, and the choice of constant and range."""
