"""Save a fitted selector to one file of plain arrays, and load it again; no pickle."""
