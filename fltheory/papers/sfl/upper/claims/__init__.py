"""Claims. Theorem 3 and Corollary 4: upper bounds of SFL, strongly convex and convex, at a fixed and at the tuned step."""
