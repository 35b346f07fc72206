"""Compiled loops, and the arithmetic that they are made of."""
