"""How much memory objects take."""

from __future__ import annotations

from typing import Any

from scipy import sparse


def nbytes_of(objects: Any) -> int:
    """Return how many bytes a copy of objects would take; 0 where only references would be copied.

    Examples
    --------
    >>> nbytes_of(sparse.csr_array([[0.0, 1.0], [0.0, 0.0]])) > 8, nbytes_of(["a", "b"])
    (True, 0)
    """
    if sparse.issparse(objects):  # SciPy does not say
        return int(objects.data.nbytes + objects.indices.nbytes + objects.indptr.nbytes)
    return int(getattr(objects, "nbytes", 0))


def read_bytes_of(objects: Any) -> int:
    """Return how many bytes are read to look up all objects, which may be more than they take."""
    return int(getattr(objects, "read_bytes", nbytes_of(objects)))
