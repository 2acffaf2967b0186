"""Lower limits on the constants of a theorem: the least weights of its terms that survive all found cases."""
