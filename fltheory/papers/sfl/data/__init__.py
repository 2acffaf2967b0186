"""What the paper's statements are checked on."""
