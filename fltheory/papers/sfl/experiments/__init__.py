"""Section 6: training of models, and the accuracies that the paper prints."""
