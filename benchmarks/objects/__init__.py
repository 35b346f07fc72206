"""What any object costs: strings, series, streamlines, tables, matrices, functions in Python."""
