"""Families for the step-size rule, line 9 of Algorithm 1, and for the fixed points of Delta-SGD."""
