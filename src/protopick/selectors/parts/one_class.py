"""What to say of prototypes that are all of one class."""

from __future__ import annotations

import numpy as np

from protopick.criteria import Criterion
from protopick.search import AllIndices
from protopick.selectors.parts.problem import Problem

OTHER_CLASSES = "Pass per_class=1 for one prototype of each class at least, or another criterion."


def remark_on_one_class(
    criterion: Criterion, problem: Problem, prototypes: np.ndarray, way_out: str
) -> str | None:
    """Return a sentence where the best set is of one class, and the criterion cannot tell such sets apart.

    None where the user asked for that: by a quota, or by candidates of one class.
    """
    if not criterion.alike_in_one_class or problem.quota is not None or len(prototypes) == 1:
        return None
    assert problem.codes is not None
    assert problem.labels is not None
    own = problem.codes[prototypes[0]]
    if (problem.codes[prototypes] != own).any() or not _has_others(problem, own):
        return None
    n_own, label = int((problem.codes == own).sum()), problem.labels[prototypes].tolist()[0]
    return (
        f"All {len(prototypes)} prototypes are of class {label!r}, like {n_own:,} of {len(problem.codes):,} "
        f"objects. By {criterion.name} all sets of this class are equally good, and none with another was "
        f"better. {way_out}"
    )


def _has_others(problem: Problem, own: int) -> bool:
    """Say whether an object of another class could have been picked."""
    assert problem.codes is not None
    everything = isinstance(problem.candidates, AllIndices)
    pickable = problem.codes if everything else problem.codes[np.asarray(problem.candidates)]
    return bool((pickable != own).any())
