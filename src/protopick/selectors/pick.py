"""One line for the impatient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from protopick import checks
from protopick.selectors.base import BaseSelector
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.forward import ForwardSelector
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.random import RandomSelector

METHODS: dict[str, type[BaseSelector]] = {
    "genetic": GeneticSelector,
    "random": RandomSelector,
    "farthest-first": FarthestFirstSelector,
    "k-centers": KCentersSelector,
    "forward": ForwardSelector,
}


def pick(
    X: Any,
    y: Any = None,
    k: int | str = 20,
    *,
    method: str = "auto",
    metric: str | Callable[..., Any] = "euclidean",
    random_state: Any = None,
    **params: Any,
) -> np.ndarray:
    """Pick k objects that stand for all of them.

    Parameters
    ----------
    X : objects
        Anything that a selector's ``fit`` takes.
    y : array of labels, optional
        The class of each object, if known.
    k : int or "auto", default=20
        How many.
    method : str, default="auto"
        "genetic", "random", "farthest-first", "k-centers" or "forward". "auto" is "genetic", which
        goes by label matches where there are labels, and by the spanning tree where not.
    metric : str or callable, default="euclidean"
        The dissimilarity.
    random_state : int, Generator or None
        Seed.
    **params
        More parameters of the selector, such as ``n_pivots=64``.

    Returns
    -------
    ndarray of shape (k,)
        Positions of the prototypes in X.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import pick
    >>> X = np.random.default_rng(0).normal(size=(500, 8))
    >>> len(pick(X, k=5, random_state=0))
    5
    """
    checks.choice("method", method, ["auto", *METHODS])
    if method == "auto":
        method = "genetic"
    if method == "genetic":
        params.setdefault("criterion", "spanning-tree" if y is None else "label-match")
    selector = METHODS[method](k, metric=metric, random_state=random_state, **params)
    return selector.fit(X, y).prototype_indices_
