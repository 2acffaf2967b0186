"""Response transforms by distribution functions, their tables and ranges."""
