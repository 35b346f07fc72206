"""Sets that grow by the prototype that brings most, where only the nearest prototype of an object counts."""

from __future__ import annotations

from typing import Any

from protopick.compiled import kernel


@kernel
def nearest_order(columns: Any, weights: Any, summed: bool, n_first: int) -> Any:
    """Return the columns so that each leaves the least with those before it, the first of equals.

    What is left is the weighted sum of the objects' nearest, or the largest of them. The first ``n_first``
    columns stay where they are.
    """
    k, n_rows = columns.shape
    order = list(range(k))
    nearest = columns[0].copy()
    for i in range(n_rows):
        for j in range(1, k):
            nearest[i] = max(nearest[i], columns[j, i])  # no farther than any
    for size in range(k):
        best, least = size, nearest[0]
        for c in range(size, k if size >= n_first else size + 1):
            column, left = columns[order[c]], columns[0, 0] * 0  # 0 of the same type
            for i in range(n_rows):
                near = min(nearest[i], column[i])
                left = left + weights[i] * near if summed else max(left, near)
            if c == size or left < least:
                best, least = c, left
        chosen = order.pop(best)
        order.insert(size, chosen)
        for i in range(n_rows):
            nearest[i] = min(nearest[i], columns[chosen, i])
    return order
