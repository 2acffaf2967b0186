"""When two terms are equal."""
