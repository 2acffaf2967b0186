"""Set functions, matroids, and optimal sets."""
