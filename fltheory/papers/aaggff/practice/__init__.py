"""The released code and the settings of the experiments."""
