"""Read objects, labels and names from the files that users have."""
