"""The decision loss: its gradients, convexity and Lipschitz constants."""
