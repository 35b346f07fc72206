"""The parameters and attributes that all selectors share, written once."""

from __future__ import annotations

from typing import TypeVar

Selector = TypeVar("Selector", bound=type)

_COMMON = {
    "first": """n_prototypes : int or "auto", default="auto"
        How many objects to pick. "auto" takes the intrinsic dimension of the data.
    {metric}""",
    "metric": """metric : str or callable, default="euclidean"
        The dissimilarity: a name from scikit-learn or SciPy, a name for strings, series, streamlines,
        tables, sets or histograms, "precomputed", a function of two objects, a function of two batches
        marked with `batch_metric`, or what `weighted_sum`, `transformed` and `symmetrized` return.
    metric_params : dict, optional
        Parameters of the metric.""",
    "pivots": """n_pivots : int, optional
        Search on the dissimilarities to so many random objects instead of on the objects: the
        paper's Limited Spherical Hashing. The paper takes 64.
    pivot_code : {"dissimilarity", "binary"}, default="dissimilarity"
        Compare these dissimilarities, or one bit of each, as the original Spherical Hashing does.""",
    "criteria": """"spanning-tree" spreads the prototypes. "coverage" is minus the mean, "radius" minus the
        largest dissimilarity of an object to its nearest prototype. With labels: "label-match"
        counts the objects that have the label of their nearest prototype. In the dissimilarity space
        and on a sample, "neighbor-agreement" is the accuracy of the nearest neighbour rule,
        "neighbor-margin" how much nearer the neighbour of an object's class is than any other,
        "discriminant" the scatter between classes over that within, and "linear-margin" and
        "quadratic-margin" say how surely `ldc` and `qdc` tell the classes apart.""",
    "candidates": """candidates : array of int or mask, optional
        The objects that may be picked. By default all.
    fixed : array of int or mask, optional
        Objects that must be among the prototypes. They come first.""",
    "per_class": """per_class : int, pair or dict, optional
        At least so many prototypes of each class. A pair (low, high) bounds their number, so (2, 2)
        takes exactly two. A dict of label to either is for single classes. Needs y.""",
    "last": """random_state : int, Generator, RandomState or None
        Seed. The same seed gives the same prototypes, whatever ``n_jobs``.
    n_jobs : int, optional
        Threads; None takes as many as NumPy's matrix product does, -1 all cores. A function of two
        objects runs in so many processes instead; None takes one.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    prototype_indices_ : ndarray of shape (n_prototypes,)
        Positions of the prototypes in X.
    prototypes_ : objects
        The prototypes themselves, in the kind of collection that X is; for a precomputed metric,
        their indices.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        Their labels, where y was given.
    criterion_value_ : float or None
        The value reached; greater is better.
    history_ : list
        The best value after each step.
    order_ : ndarray of shape (n_prototypes,)
        Positions of the prototypes by their worth: ``prototype_indices_[order_[:j]]`` is a good set of
        j. Where no worth is known, as for random prototypes and k-centres, the order in which they were
        picked.
    n_iter_ : int
        Number of steps.
    n_dissimilarities_ : int
        How many dissimilarities were computed.
    n_features_in_ : int
        Number of features, for objects that are rows of numbers.
    feature_names_in_ : ndarray of str
        Their names, where X has string column names.""",
}


def documented(selector: Selector) -> Selector:
    """Fill the parameters and attributes that all selectors share into a docstring."""
    if selector.__doc__ is None:  # python -OO
        return selector
    for name, text in _COMMON.items():
        selector.__doc__ = selector.__doc__.replace(f"{{{name}}}", text)
    return selector
