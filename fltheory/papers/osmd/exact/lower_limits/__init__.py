"""Runs and games with too many courses to list, of which a lower limit is proved: the reason stands beside the formula."""
