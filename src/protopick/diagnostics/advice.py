"""What the figures of a description mean for the choice of a method: one rule a function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from protopick.diagnostics.cost import spoken

if TYPE_CHECKING:
    from protopick.diagnostics.description import Description

_LIKE_SIMILARITIES = 0.5
_FAR_FROM_METRIC = 0.01  # share of triples
_FAR_FROM_EUCLIDEAN = 0.1  # negative eigenfraction
_NEARLY_EUCLIDEAN = 0.01
_HARDLY_BETTER = 0.8  # 1-NN error over that of the largest class
_MANY_DUPLICATES = 0.1
_MANY_HUBS = 1.4
_HIGH_DIMENSION = 20
_ESTIMATES_DIFFER = 2.0
_TRIED = 1200  # candidates that SwapSelector tries for 20 prototypes
_PIVOTS = 64
_COSTLY_SECONDS = 60.0


def advice_on(d: Description) -> tuple[str, ...]:
    """Return a sentence or a few for each rule that has something to say."""
    if d.n_sample < 3:
        return ("Fewer than 3 objects tell next to nothing. Look at more.",)
    if d.farthest_from_self is not None and d.farthest_from_self > _LIKE_SIMILARITIES:
        return (
            f"{percent(d.farthest_from_self)} of the objects differ from no other more than from themselves, "
            "so these look like similarities. Turn a similarity s into s.max() - s.",
        )
    if d.n_duplicates == d.n_sample - 1:
        return ("All objects of the sample are equal, so any choice of prototypes is as good as another.",)
    rules = (_values, _diagonal, _direction, _metric, _classes, _cost, _duplicates, _hubs, _dimension)
    return tuple(said for rule in rules if (said := rule(d)))


def _values(d: Description) -> str | None:
    bad = d.n_negative + d.n_missing
    if not bad:
        return None
    return (
        f"{bad:,} of {d.n_sample**2:,} dissimilarities are negative, infinite or missing. Selectors refuse "
        "such values, and the other figures need them mended. Turn a similarity s into s.max() - s; fill or "
        "drop what is missing."
    )


def _diagonal(d: Description) -> str | None:
    if d.zero_diagonal is not False:
        return None
    return (
        f"An object differs from itself, by up to {d.largest_self:.3g}. A prototype may then be nearer to "
        "another prototype than to itself."
    )


def _direction(d: Description) -> str | None:
    if d.symmetric is not False:
        return None
    return (
        f"d(a, b) and d(b, a) differ, by {percent(d.relative_asymmetry)} on average. Selectors measure from "
        "the object to the prototype, row to column of a matrix; only the spanning tree takes the mean of "
        "both. For the other direction, swap the arguments or transpose the matrix."
    )


def _metric(d: Description) -> str | None:
    broken, fraction = d.triangle_violations, d.negative_eigenfraction
    if broken is None or fraction is None:
        return None
    compare = (
        f"Prefer methods that only compare dissimilarities, such as {_comparing(d)}, to the spanning tree, "
        "which adds them up"
    )
    if broken >= _FAR_FROM_METRIC:
        return (
            f"The triangle inequality fails in {percent(broken)} of the triples, so objects close to each "
            f"other may look different from a third. {compare}. "
            "Check a fit with n_pivots against one without."
        )
    if fraction >= _FAR_FROM_EUCLIDEAN:
        return (
            f"The measure is far from Euclidean, with a negative eigenfraction of {fraction:.2f}. "
            f"{compare}. A map or another embedding shows only a part of it."
        )
    like = "behaves like" if broken == 0 and fraction < _NEARLY_EUCLIDEAN else "is close to"
    return f"{_what_is_embedded(d)} {like} a Euclidean distance. All methods apply, n_pivots too."


def _what_is_embedded(d: Description) -> str:
    """Say of what the triangle inequality and the eigenfraction tell."""
    whole = "The mean of both directions" if d.symmetric is False else "The measure"
    return f"Between different objects, {whole[0].lower()}{whole[1:]}" if d.zero_diagonal is False else whole


def _comparing(d: Description) -> str:
    if d.n_classes is None:
        return "FarthestFirstSelector and KCentersSelector"
    return "those with criterion='label-match' or KCentersSelector"


def _classes(d: Description) -> str | None:
    error, guessing = d.nearest_neighbor_error, d.majority_error
    if error is None or guessing is None or d.n_classes == 1:
        return None
    if error >= _HARDLY_BETTER * guessing:
        return (
            f"Neighbours hardly tell the classes: 1-NN errs on {percent(error)}, the largest class alone on "
            f"{percent(guessing)}. Prototypes seldom mend that. Look for a better dissimilarity first."
        )
    return (
        f"Neighbours tell the classes: 1-NN errs on {percent(error)}, the largest class alone on "
        f"{percent(guessing)}. SwapSelector and AutoSelector make use of that."
    )


def _cost(d: Description) -> str | None:
    search = d.n_objects * _TRIED * d.seconds_each
    if search < _COSTLY_SECONDS:
        return None
    pivots = d.n_objects * _PIVOTS * d.seconds_each
    return (
        f"The measure is costly here: SwapSelector with {_TRIED:,} candidates takes about {spoken(search)}, "
        f"with n_pivots={_PIVOTS} about {spoken(pivots)}; max_dissimilarities limits it. Pass n_jobs=-1 too, "
        "and ask forecast() before you fit."
    )


def _duplicates(d: Description) -> str | None:
    if not d.n_duplicates or d.n_duplicates < _MANY_DUPLICATES * d.n_sample:
        return None
    return (
        f"{percent(d.n_duplicates / d.n_sample)} of the sample equal an earlier object of it. Clusters need "
        "distinct objects: drop the copies, or pass clustered=False to GeneticSelector."
    )


def _hubs(d: Description) -> str | None:
    if d.hubness is None or d.hubness < _MANY_HUBS:
        return None
    return (
        f"Some objects are among the nearest of very many others, and many of hardly any (hubness "
        f"{d.hubness:.1f}). FarthestFirstSelector goes for the far-off ones: look at what it picks."
    )


def _dimension(d: Description) -> str | None:
    if d.levina_bickel_dimension is None:
        return None
    pair = sorted(v for v in (d.levina_bickel_dimension, d.two_nn_dimension) if v is not None)
    number = min(math.ceil(d.levina_bickel_dimension), d.n_sample - 1)
    text = (
        f"About {'1 number tells' if number == 1 else f'{number} numbers tell'} the objects apart. Start "
        "with as many prototypes, and take more while the error falls, as AutoSelector with "
        "n_prototypes='auto' does."
    )
    if pair[-1] > _ESTIMATES_DIFFER * max(pair[0], 1.0):
        text += " The two estimates differ much, as they do with many ties, so take this as rough."
    elif number >= _HIGH_DIMENSION:
        text += " That is high: expect to need many prototypes."
    return text


def percent(share: float | None) -> str:
    """Write a share as a percentage."""
    if share is None:
        return "unknown"
    if 0 < share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.1f} %"
