"""Figures for Section 4: training of networks, and the printed tables."""
