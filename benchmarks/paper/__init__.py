"""The experiments of the paper, by its own protocol: every table and figure, and its claims tested.

Run by ``python -m benchmarks.paper``, from the root of the checkout.
"""
