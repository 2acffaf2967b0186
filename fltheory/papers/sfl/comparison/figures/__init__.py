"""Figures: SFL against PFL."""
