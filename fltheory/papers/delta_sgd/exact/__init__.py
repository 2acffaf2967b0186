"""How the measured sides are known: laws, closed forms, enumerations."""
