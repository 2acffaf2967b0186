"""The search for multipliers: points of the region, the dual program there, supports, faces, and simple functions."""
