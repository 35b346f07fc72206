"""One line for the impatient."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from protopick import checks
from protopick.selectors.auto import AutoSelector
from protopick.selectors.base import BaseSelector, WeightedSelector
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.forward import ForwardSelector
from protopick.selectors.genetic import GeneticSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.random import RandomSelector
from protopick.selectors.swap import SwapSelector

METHODS: dict[str, type[BaseSelector]] = {
    "auto": AutoSelector,
    "genetic": GeneticSelector,
    "random": RandomSelector,
    "farthest-first": FarthestFirstSelector,
    "k-centers": KCentersSelector,
    "forward": ForwardSelector,
    "swap": SwapSelector,
}


def pick(
    X: Any,
    y: Any = None,
    k: int | str = 20,
    *,
    method: str = "auto",
    metric: str | Callable[..., Any] = "euclidean",
    random_state: Any = None,
    sample_weight: Any = None,
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
        "auto" runs several searches and keeps what serves a classifier best (`AutoSelector`).
        Or one of them: "swap", "genetic", "farthest-first", "k-centers", "forward", "random". "genetic"
        goes by label matches where there are labels, and by the spanning tree where not.
    metric : str or callable, default="euclidean"
        The dissimilarity.
    random_state : int, Generator, RandomState or None
        Seed.
    sample_weight : array of n numbers, optional
        How much each object counts, for the methods "auto", "swap" and "genetic".
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
    checks.choice("method", method, METHODS)
    if isinstance(y, (Integral, str)):
        raise ValueError(
            f"y={checks.shown(y)} is not allowed. Pass one label for each object, or None. If it is how many "
            f"to pick, say so: pick(X, k={checks.shown(y)})."
        )
    if method == "genetic":
        params.setdefault("criterion", "spanning-tree" if y is None else "label-match")
    selector = METHODS[method](k, metric=metric, random_state=random_state, **params)
    if sample_weight is not None and not isinstance(selector, WeightedSelector):
        weighted = [name for name, kind in METHODS.items() if issubclass(kind, WeightedSelector)]
        raise ValueError(
            f"sample_weight is passed, but method={method!r} takes none. Choose "
            f"{', '.join(map(repr, weighted[:-1]))} or {weighted[-1]!r}, or leave the weights out."
        )
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return selector.fit(X, y, **weights).prototype_indices_
