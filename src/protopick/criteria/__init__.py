"""How good is this set of prototypes? One file a criterion."""

from protopick.criteria.base import SAMPLE, Around, Criterion, Data, Evaluate, Objective
from protopick.criteria.coverage import Coverage
from protopick.criteria.discriminant import Discriminant
from protopick.criteria.label_match import LabelMatch
from protopick.criteria.margins import LinearMargin, QuadraticMargin
from protopick.criteria.neighbors import NeighborAgreement, NeighborMargin
from protopick.criteria.radius import Radius
from protopick.criteria.spanning_tree import SpanningTree

__all__ = ["CRITERIA", "SAMPLE", "Around", "Criterion", "Data", "Evaluate", "Objective"]

CRITERIA: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        SpanningTree(),
        LabelMatch(),
        NeighborAgreement(),
        NeighborMargin(),
        Discriminant(),
        LinearMargin(),
        QuadraticMargin(),
        Coverage(),
        Radius(),
    )
}
