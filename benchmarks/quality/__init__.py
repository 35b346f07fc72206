"""How good are the prototypes? Error in the dissimilarity space, against the paper's methods and peers."""
