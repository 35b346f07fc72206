"""How much the classes of a data set overlap, by the dissimilarities themselves."""

from __future__ import annotations

from benchmarks.paper.runs import task_of
from benchmarks.paper.settings import Cell
from benchmarks.store import Store
from protopick import describe

_SAMPLE = 2000


def run(store: Store, set_name: str) -> None:
    """Measure the leave-one-out 1-NN error on a sample of what is picked from in the first repeat."""
    if store.has("overlap", set_name):
        return
    data, _, task = task_of(Cell(set_name, 1, "Random", 0))
    found = describe(task.X, data.metric, y=task.y, sample=min(_SAMPLE, len(task.y)), random_state=0)
    store.put({"error": round(found.nearest_neighbor_error, 4)}, "overlap", set_name)
