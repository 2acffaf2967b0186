"""Games of a sampler or an online learner against an adversary, and their regret."""
