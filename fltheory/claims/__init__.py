"""Claims: what a paper states about a quantity, its readings, and the catalogue of all of them."""
