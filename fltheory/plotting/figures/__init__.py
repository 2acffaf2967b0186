"""What the figures of the papers share."""
