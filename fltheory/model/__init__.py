"""What is modelled: bounds, cases, records of data, and the places of statements."""
