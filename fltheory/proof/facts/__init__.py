"""Facts that the proofs of several papers apply; each paper restates them under its own key and checks them there."""
