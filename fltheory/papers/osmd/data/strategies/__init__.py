"""Where Hypothesis draws the data of each part of the paper from, where its records don't say it."""
