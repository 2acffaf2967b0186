"""Where counterexamples are looked for, and how they are made simple."""
