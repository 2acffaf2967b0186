"""Local steps: drift and directions of the clients."""
