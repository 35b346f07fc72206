"""Farthest-first traversal: always the object that is farthest from all picked so far."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from protopick.checks import shown
from protopick.diagnostics.cost import Demand, Size
from protopick.engine import approach
from protopick.search import AllIndices, Candidates
from protopick.selectors.base import BaseSelector
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress


@documented
class FarthestFirstSelector(BaseSelector):
    """Pick a random object, then always the one farthest from those picked (FFT in the paper).

    Parameters
    ----------
    {first}
    subsample : int, float or "auto", optional
        Traverse so many random candidates only, or this share of them. "auto" takes
        ``3 k log k``, the Subset Farthest First of Olivetti et al.
    {pivots}
    {candidates}
    {last}

    Notes
    -----
    ``criterion_value_`` is the dissimilarity of the last prototype to the nearest earlier one, and
    ``history_`` holds it for each prototype after the first. It takes ``(k - 1) n`` dissimilarities.

    References
    ----------
    E. Olivetti, T. B. Nguyen and E. Garyfallidis, "The approximation of the dissimilarity
    projection", PRNI 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import FarthestFirstSelector
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> FarthestFirstSelector(3, fixed=[0]).fit(X).prototype_indices_.tolist()
    [0, 3, 2]
    """

    sorts_by_worth: ClassVar[bool] = True
    maximises: ClassVar[str] = "dissimilarity of the next prototype to those before"

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        subsample: int | float | str | None = None,
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
        self.subsample = subsample
        self.n_pivots = n_pivots
        self.pivot_code = pivot_code
        self.candidates = candidates
        self.fixed = fixed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        size = self.subsample
        if size is None or size == "auto":
            return
        is_count = isinstance(size, Integral) and not isinstance(size, bool) and size >= 1
        if not is_count and not (isinstance(size, Real) and not is_count and 0 < float(size) <= 1):
            raise ValueError(
                f"subsample={shown(size)} is not allowed. Pass a number of objects, a share from above 0 "
                "to 1, 'auto', or None to traverse all."
            )

    def _demand(self, size: Size) -> Demand:
        traversed = size.n_candidates
        if self.subsample is not None:
            traversed = self._sample_size(size.k, size.n_candidates, size.n_fixed)
        n_rows = traversed + size.n_fixed
        return Demand((size.k - 1) * n_rows if size.n_fixed < size.k else 0)

    def _bytes_per_object(self, itemsize: int) -> int:
        return itemsize if self.subsample is None else 0

    def _solve(self, problem: Problem) -> Solution:
        candidates = self._traversed(problem)
        rng, columns = problem.rng, problem.columns
        if len(candidates) < columns.n_rows:
            columns = columns.over(np.asarray(candidates))
        picked = problem.fixed.tolist()
        if not picked:
            picked.append(int(candidates[int(rng.random() * len(candidates))]))
        dtype = columns.dissimilarity.dtype
        nearest = columns.full(np.inf, dtype)  # keys
        history: list[float] = []
        restore = columns.dissimilarity.restore
        with progress(self.verbose, "farthest first", problem.k) as step:
            for j in range(problem.k - 1 if len(picked) < problem.k else 0):
                farthest, key = approach(columns, picked[j], _row_of(picked[j], candidates), nearest)
                step("")
                if j + 1 < len(picked):
                    continue
                picked.append(int(candidates[farthest]))
                history.append(float(restore(np.array([key], dtype))[0]))
        value = history[-1] if history else None
        return Solution(np.array(picked, dtype=np.intp), value, history, problem.k)

    def _traversed(self, problem: Problem) -> Candidates:
        """Return the candidates to traverse, with the fixed prototypes among them."""
        candidates = problem.candidates
        if self.subsample is not None:
            candidates = problem.draw(self._sample_size(problem.k, len(candidates), len(problem.fixed)))
        if len(candidates) + len(problem.fixed) == problem.columns.n_rows:
            return AllIndices(problem.columns.n_rows)
        return np.union1d(candidates, problem.fixed)

    def _sample_size(self, k: int, n: int, n_fixed: int) -> int:
        share_or_count: Any = self.subsample
        if share_or_count == "auto":
            size = math.ceil(3 * k * math.log(max(k, 2)))
        elif isinstance(share_or_count, Integral):
            size = int(share_or_count)
        else:
            size = math.ceil(share_or_count * n)
        return max(k - n_fixed, min(size, n))


def _row_of(index: int, candidates: Candidates) -> int:
    """Return the position of an index among sorted candidates."""
    return index if isinstance(candidates, AllIndices) else int(np.searchsorted(candidates, index))
