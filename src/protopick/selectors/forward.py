"""Greedy forward selection on label matches."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from protopick import checks
from protopick.criteria.label_match import LabelMatch
from protopick.diagnostics.cost import Demand, Size
from protopick.selectors.base import BaseSelector
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.one_class import remark_on_one_class
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress

_OTHER_CLASSES = "Take SwapSelector with per_class=1 for one prototype of each class at least."


@documented
class ForwardSelector(BaseSelector):
    """Add the candidate that brings most label matches, k times (FS in the paper). Needs labels.

    Parameters
    ----------
    {first}
    {pivots}
    {candidates}
    {last}

    Notes
    -----
    Ties go to the smaller sum of dissimilarities of all objects to their nearest prototype, then to
    the lowest index. All candidates are compared with all objects, which suits a few thousand
    objects; restrict ``candidates`` for more.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import ForwardSelector
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> ForwardSelector(2).fit(X, [0, 0, 0, 1, 1, 1]).prototype_indices_.tolist()
    [2, 4]
    """

    sorts_by_worth: ClassVar[bool] = True
    maximises: ClassVar[str] = "objects with the label of their nearest prototype"

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        n_pivots: int | None = None,
        pivot_code: str = "dissimilarity",
        candidates: Any = None,
        fixed: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.metric_params = metric_params
        self.n_pivots = n_pivots
        self.pivot_code = pivot_code
        self.candidates = candidates
        self.fixed = fixed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray:
        return checks.class_codes(y, "ForwardSelector")

    def _demand(self, size: Size) -> Demand:
        if size.n_candidates <= size.capacity:
            columns, exact = size.n_candidates + size.n_fixed, True
        else:  # ties are measured twice
            columns, exact = size.k * size.n_candidates, False
        kept = min(size.n_candidates, size.capacity)
        return Demand(columns * size.n, exact, kept, evaluations=size.n_candidates * size.k // 8)

    def _bytes_per_object(self, itemsize: int) -> int:
        return itemsize + 2 * 4  # to the nearest prototype; the label of that and its own

    def _solve(self, problem: Problem) -> Solution:
        growing = LabelMatch().bind(problem.data(LabelMatch())).growing()
        picked: list[int] = []
        history: list[float] = []
        for prototype in problem.fixed.tolist():
            growing.add(prototype)
            picked.append(prototype)
        left = np.asarray(problem.candidates)
        with progress(self.verbose, "forward selection", problem.k - len(picked)) as step:
            while len(picked) < problem.k:
                matches = growing.matches_with(left)
                tied = np.flatnonzero(matches == matches.max())
                if len(tied) > 1:
                    tied = tied[[growing.dissimilarity_with(left[tied]).argmin()]]
                picked.append(int(left[tied[0]]))
                history.append(int(matches[tied[0]]))
                growing.add(picked[-1])
                left = np.delete(left, tied[0])
                step(f"best {history[-1]}")
        value, prototypes = history[-1] if history else None, np.array(picked, dtype=np.intp)
        remark = remark_on_one_class(LabelMatch(), problem, prototypes, _OTHER_CLASSES)
        return Solution(prototypes, value, history, len(history), remark=remark)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
