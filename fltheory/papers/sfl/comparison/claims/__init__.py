"""Claims. Table 1, Theorem 7: SFL against PFL, and the thresholds between them."""
