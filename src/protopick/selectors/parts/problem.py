"""What a selector has to solve, and what it found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from protopick import checks
from protopick.criteria import Criterion, Data
from protopick.engine import Columns
from protopick.search import AllIndices, Candidates, Quota


@dataclass(frozen=True)
class Problem:
    """What a selector has to solve: pick ``k`` of ``candidates``, beginning with ``fixed``."""

    columns: Columns  # to search on: the objects, or their stand-ins
    k: int
    candidates: Candidates  # sorted, without the fixed ones
    fixed: np.ndarray
    codes: np.ndarray | None  # class numbers, where the selector asked for them
    rng: np.random.Generator
    weights: np.ndarray | None = None  # of the objects, whole numbers
    weight_unit: float = 1.0  # what a weight of one stands for
    quota: Quota | None = None
    labels: np.ndarray | None = None  # as the user passed them
    original: Columns | None = None  # of the objects themselves, where the search has stand-ins

    @property
    def objects(self) -> Columns:
        """The columns of the objects themselves."""
        return self.columns if self.original is None else self.original

    @property
    def on_stand_ins(self) -> bool:
        """Whether the search sees stand-ins of the objects only."""
        return self.objects is not self.columns

    def data(self, criterion: Criterion) -> Data:
        """Return what the criterion is to be measured on."""
        rng = self.fork_rng() if criterion.samples else None
        return Data(self.columns, self.codes, self.weights, rng, unit=self.weight_unit)

    def fork_rng(self) -> np.random.Generator:
        """Return a generator of its own that is fixed by the state of this one."""
        return np.random.default_rng(self.rng.integers(2**63, size=4))

    def draw(self, size: int) -> np.ndarray:
        """Draw distinct candidates."""
        return self.candidates[self.rng.choice(len(self.candidates), size, replace=False)]

    def start(self, name: str, init: Any) -> np.ndarray:
        """Return the set ``init`` to start from, the fixed prototypes first, if a search may end there."""
        genes, k = checks.indices(name, init, self.columns.n_rows), self.k
        if len(genes) != k:
            raise ValueError(
                f"{name} holds a set of {len(genes)} indices, but n_prototypes={k}. Pass sets of {k}."
            )
        if not isinstance(self.candidates, AllIndices):
            strangers = np.setdiff1d(np.setdiff1d(genes, self.fixed), self.candidates)
            if len(strangers):
                raise ValueError(
                    f"{name} holds index {strangers[0]}, which is not in candidates. Pass candidates only."
                )
        missing = np.setdiff1d(self.fixed, genes)
        if len(missing):
            raise ValueError(
                f"{name} holds a set without the fixed index {missing[0]}. "
                "Put the fixed indices into each set."
            )
        if self.quota is not None and not self.quota.keeps(genes):
            raise ValueError(f"{name} holds a set that does not keep per_class. Pass sets that do.")
        return np.concatenate([self.fixed, genes[~np.isin(genes, self.fixed)]])

    def draw_set(self, begin: np.ndarray | None = None) -> np.ndarray:
        """Draw a set of k that keeps the quota, beginning with ``begin`` or the fixed prototypes."""
        begin = self.fixed if begin is None else begin
        if self.quota is None and begin is self.fixed:
            return np.concatenate([begin, self.draw(self.k - len(begin))])
        left = np.setdiff1d(self.candidates, begin)
        if self.quota is None:
            return np.concatenate([begin, self.rng.choice(left, self.k - len(begin), replace=False)])
        drawn = [begin]
        classes = self.quota.classes_of(begin, left, self.k)
        for c, size in zip(*np.unique(classes, return_counts=True), strict=True):
            members = left[self.quota.codes[left] == c]
            drawn.append(self.rng.choice(members, size, replace=False))
        return np.concatenate(drawn).astype(np.intp)

    def admitted(self, order: np.ndarray) -> np.ndarray:
        """Return the first of ``order`` that a set may have by the quota, filled up at random."""
        if self.quota is None:
            return order[: self.k]
        begin = self.fixed
        for candidate in order:
            if len(begin) < self.k and candidate not in begin:
                one = np.array([candidate])
                if self.quota.may_join(begin, one, self.k)[0]:
                    begin = np.concatenate([begin, one])
        return self.draw_set(begin)


@dataclass(frozen=True)
class Solution:
    """What a selector found."""

    prototypes: np.ndarray
    value: float | None = None
    history: list[float] = field(default_factory=list)
    n_iter: int = 1
    order: Callable[[], np.ndarray] | None = None
    """Tells the positions by their worth, where that is not the order they come in."""

    fitted: dict[str, Any] = field(default_factory=dict)  # further attributes of the selector
    remark: str | None = None  # what to warn of
