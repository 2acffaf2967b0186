"""The proof language, its engines and its checker: statements are data, every step is re-checked exactly."""
