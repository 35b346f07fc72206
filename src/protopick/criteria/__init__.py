"""How good is this set of prototypes? One file a criterion."""

from protopick.criteria.base import Criterion, Objective
from protopick.criteria.label_match import LabelMatch
from protopick.criteria.spanning_tree import SpanningTree

__all__ = ["CRITERIA", "Criterion", "Objective"]

CRITERIA: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        SpanningTree(),
        LabelMatch(),
    )
}
