"""Claims. Section 6: experiments, and the numbers read off the figures."""
