"""Starting cases of a search beyond the claim's own: those of neighbouring claims, and patterns of losses."""
