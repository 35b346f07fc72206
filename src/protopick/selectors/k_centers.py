"""K-centres: small balls that cover all objects."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from protopick import checks
from protopick.diagnostics.cost import Demand, Size
from protopick.engine import KnownPairs, threads
from protopick.selectors.base import BaseSelector
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress

_BLOCK = 1 << 21
_SLACK = 1 + 1e-5


@documented
class KCentersSelector(BaseSelector):
    """Pick the centres of k clusters (Kcentres in the paper and in PRTools).

    Starting from random centres, every object goes to its nearest centre, and the new centre of a
    cluster is the object with the smallest largest dissimilarity within it, until nothing changes.

    Parameters
    ----------
    {first}
    n_init : int, default=1
        Random starts; the one with the smallest radius is kept.
    max_iter : int, default=100
        Rounds of a start at most.
    {pivots}
    {candidates}
    {last}

    Notes
    -----
    ``criterion_value_`` is minus the largest dissimilarity of an object to its nearest centre.
    Finding a centre compares all pairs of a cluster at worst; objects that lie far from the present
    centre are compared first, and a candidate is dropped when it cannot win any more. Of a function of
    two objects, no pair is computed twice where memory allows.

    Examples
    --------
    >>> import numpy as np
    >>> from protopick import KCentersSelector
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> sorted(KCentersSelector(2, n_init=5, random_state=0).fit(X).prototype_indices_.tolist())
    [1, 4]
    """

    maximises: ClassVar[str] = "minus the largest dissimilarity to a centre"

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        n_init: int = 1,
        max_iter: int = 100,
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
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_pivots = n_pivots
        self.pivot_code = pivot_code
        self.candidates = candidates
        self.fixed = fixed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.whole_number("n_init", self.n_init, 1)
        checks.whole_number("max_iter", self.max_iter, 1)

    def _demand(self, size: Size) -> Demand:
        # Five rounds are common, and where no pair is remembered, a third of the pairs of each cluster.
        rounds = self.n_init * min(5, self.max_iter)
        all_pairs = size.n**2
        if size.remembers:
            most = rounds * (size.n * size.k + all_pairs // size.k)
            return Demand(min(most, all_pairs), exact=False, kept_columns=size.n + size.n // 4)
        return Demand(rounds * (size.n * size.k + all_pairs // (3 * size.k)), exact=False)

    def _bytes_per_object(self, itemsize: int) -> int:
        return 2 * itemsize + 4 + 1  # to the nearest centre, which that is, and whether it may be one

    def _solve(self, problem: Problem) -> Solution:
        best: Solution | None = None
        pairs = KnownPairs(problem.columns)
        with progress(self.verbose, "k-centres", self.n_init) as step:
            for _ in range(self.n_init):
                solution = self._one_start(problem, pairs)
                if best is None or solution.value > best.value:  # type: ignore[operator]
                    best = solution
                step(f"radius {-best.value:g}")  # type: ignore[operator]
        assert best is not None
        return best

    def _one_start(self, problem: Problem, pairs: KnownPairs) -> Solution:
        columns, n_fixed = problem.columns, len(problem.fixed)
        allowed = np.zeros(columns.n_rows, bool)
        allowed[np.asarray(problem.candidates)] = True
        centres = np.concatenate([problem.fixed, problem.draw(problem.k - n_fixed)])
        history: list[float] = []
        for _ in range(self.max_iter):
            clusters, reach = _covered(pairs, centres, history)
            moved = np.array(centres)

            def move(j: int, clusters: Any = clusters, reach: Any = reach, moved: Any = moved) -> None:
                members = np.flatnonzero(clusters == n_fixed + j)
                options = members[allowed[members]]
                moved[n_fixed + j] = _centre(pairs, members, options, moved[n_fixed + j], reach)

            threads.run(move, problem.k - n_fixed, columns.n_jobs)
            if np.array_equal(moved, centres):
                break
            centres = moved
        else:
            _covered(pairs, centres, history)
        return Solution(centres, history[-1], history, min(len(history), self.max_iter))


def _covered(pairs: KnownPairs, centres: np.ndarray, history: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return each object's cluster and dissimilarity to its centre; note minus the radius."""
    clusters, reach = pairs.nearest(centres)
    clusters[centres] = np.arange(len(centres))
    history.append(-float(reach.max()))
    return clusters, reach


def _centre(
    pairs: KnownPairs, members: np.ndarray, options: np.ndarray, present: int, reach: np.ndarray
) -> int:
    """Return the option with the smallest largest dissimilarity to the members, ties to the lowest.

    ``reach`` holds the dissimilarity of each object to the present centre, which bounds the result.
    """
    bound = reach[members].max() * _SLACK
    farthest_first = members[np.argsort(-reach[members], kind="stable")]
    largest = np.zeros(len(options))
    start, batch = 0, 32
    while start < len(members) and len(options) > 1:
        rows = farthest_first[start : start + min(batch, max(1, _BLOCK // len(options)))]
        np.maximum(largest, pairs.block(rows, options).max(axis=0), out=largest)
        kept = (largest <= bound) | (options == present)
        options, largest = options[kept], largest[kept]
        start, batch = start + len(rows), batch * 2
    return int(options[largest.argmin()])
