"""Set functions, matroids, and the best sets."""
