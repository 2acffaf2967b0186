"""Search for models of hypotheses; what is found is checked by ``fltheory.proof.models``."""
