"""Random prototypes: the baseline that every other selector has to beat."""

from __future__ import annotations

from typing import Any

import numpy as np

from protopick import checks
from protopick.diagnostics.cost import Demand, Size
from protopick.search import apportioned
from protopick.selectors.base import BaseSelector
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.problem import Problem, Solution


@documented
class RandomSelector(BaseSelector):
    """Pick prototypes at random.

    Parameters
    ----------
    {first}
    stratified : bool, default=False
        Draw from each class in proportion to its size, at least one where there are enough
        prototypes. Needs y.
    {candidates}
    {last}

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import RandomSelector
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> RandomSelector(3, random_state=0).fit(X).transform(X).shape
    (10, 3)
    """

    n_pivots = None
    pivot_code = "dissimilarity"

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        stratified: bool = False,
        candidates: Any = None,
        fixed: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.metric_params = metric_params
        self.stratified = stratified
        self.candidates = candidates
        self.fixed = fixed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray | None:
        return checks.class_codes(y, "stratified=True") if self.stratified else None

    def _demand(self, size: Size) -> Demand:
        return Demand(0)

    def _solve(self, problem: Problem) -> Solution:
        wanted = problem.k - len(problem.fixed)
        if problem.codes is None:
            return Solution(np.concatenate([problem.fixed, problem.draw(wanted)]))
        codes = np.unique(problem.codes, return_inverse=True)[1]
        candidates = np.asarray(problem.candidates)
        pools = [candidates[codes[candidates] == c] for c in range(codes.max() + 1)]
        held = np.bincount(codes[problem.fixed], minlength=len(pools))
        sizes = np.array([len(pool) for pool in pools])
        one, any_number = np.ones_like(sizes), np.full_like(sizes, problem.k)
        classes = apportioned(sizes, held, one, any_number, problem.k)
        shares = np.bincount(classes, minlength=len(pools))
        parts = [
            problem.rng.choice(pool, share, replace=False) for pool, share in zip(pools, shares, strict=True)
        ]
        return Solution(np.concatenate([problem.fixed, *parts]).astype(np.intp))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = bool(self.stratified)
        return tags
