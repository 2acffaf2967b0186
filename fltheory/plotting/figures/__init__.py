"""Parts shared by the figures of the papers."""
