"""Cases that a search may begin with, beside the claim's own: those of neighbouring claims, and patterns of losses."""
