"""Closed forms for the released code and the settings of the experiments."""
