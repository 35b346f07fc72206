"""How fast protopick is: against the algorithm as written, its peers and what the machine can do.

Run by ``python -m benchmarks.speed``, from the root of the checkout.
"""
