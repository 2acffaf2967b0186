"""Claims. Section 4: training of networks, and the tables that the paper prints."""
