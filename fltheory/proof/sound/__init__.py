"""What every line of a proof must be: of known words, with a value, saying what it seems to say."""
