"""Players against an adversary: samplers and online learners, and their regret."""
