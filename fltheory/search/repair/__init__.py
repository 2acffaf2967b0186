"""What would repair a false claim: small changes of its bound that agree with all cases found and survive a search of their own."""
