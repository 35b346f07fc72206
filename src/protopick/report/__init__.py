"""One page that shows which objects stand for the data, and why: summarise -> dict -> HTML."""
