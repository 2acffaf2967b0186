"""Which constants a theorem could have: the least weights of its terms that survive all cases found, and what would repair it."""
