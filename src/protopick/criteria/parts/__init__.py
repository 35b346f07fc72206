"""What criteria are made of."""
