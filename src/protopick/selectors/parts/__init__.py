"""What selectors are made of."""
