"""Local search: each candidate is tried in the place of every prototype at once."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick import checks
from protopick.criteria import CRITERIA, SAMPLE, Criterion
from protopick.diagnostics.cost import Demand, Size
from protopick.selectors.base import WeightedSelector
from protopick.selectors.farthest_first import FarthestFirstSelector
from protopick.selectors.parts.descent import CANDIDATES_PER_PROTOTYPE, at_once, bytes_around, descend
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.one_class import OTHER_CLASSES, remark_on_one_class
from protopick.selectors.parts.order import by_worth, order_cost
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress
from protopick.selectors.parts.racing import races

_ROUNDS = 4
"""About how often the candidates are looked at, until none of them brings anything."""

_PAIRS_AGAIN = 3
"""About how often the pairs of candidates and prototypes are computed, as prototypes are exchanged."""

_STARTS = ("random", "farthest-first")


@documented
class SwapSelector(WeightedSelector):
    """Exchange prototypes one at a time, as long as the criterion rises.

    The dissimilarities of all objects to one candidate tell what it would bring in the place of each
    of the k prototypes. So a candidate is used k times better than by the genetic algorithm.

    Parameters
    ----------
    {first}
    criterion : str, default="auto"
        What to maximise. {criteria}
        "auto" is "label-match" where labels are passed, else "coverage".
    improvement : {"first", "best"}, default="first"
        Make the best exchange of the first candidate that has one, or the best exchange of each
        batch of 64 candidates.
    init : {"random", "farthest-first"} or array of int of shape (n_prototypes,), default="random"
        The set to start from.
    n_restarts : int, default=0
        Further random starts with the same candidates; the best result is kept.
    max_candidates : int, "auto" or None, default="auto"
        How many random candidates to try, over and over until none of them brings anything. "auto"
        takes 60 for each prototype, about as many as the genetic algorithm. None takes all.
    max_rounds : int, optional
        Try the candidates so many times at most.
    max_dissimilarities : int, optional
        Try no more candidates than so many dissimilarities allow, together with those of the sets to start
        from. Columns that memory has no room for are computed again, which does not count.
    max_seconds : float, optional
        Stop after this time with what was found, once the first set is there. The result depends on the
        speed of the machine then.
    evaluation : {"auto", "exact", "racing"}, default="auto"
        "exact" measures the criterion on all objects, "racing" on a random sample of 65,536, so that
        the cost does not grow with their number. "auto" races above 100,000 objects.
    {pivots}
    {candidates}
    {per_class}
    {last}

    References
    ----------
    E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information Systems 101, 2021.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from protopick import GeneticSelector, SwapSelector
    >>> X, y = load_digits(return_X_y=True)
    >>> swap = SwapSelector(20, random_state=0).fit(X, y)
    >>> genetic = GeneticSelector(20, criterion="label-match", random_state=0).fit(X, y)
    >>> swap.criterion_value_ > genetic.criterion_value_
    True
    """

    sorts_by_worth: ClassVar[bool] = True

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        criterion: str = "auto",
        improvement: str = "first",
        init: Any = "random",
        n_restarts: int = 0,
        max_candidates: int | str | None = "auto",
        max_rounds: int | None = None,
        max_dissimilarities: int | None = None,
        max_seconds: float | None = None,
        evaluation: str = "auto",
        n_pivots: int | None = None,
        pivot_code: str = "dissimilarity",
        candidates: Any = None,
        fixed: Any = None,
        per_class: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.metric_params = metric_params
        self.criterion = criterion
        self.improvement = improvement
        self.init = init
        self.n_restarts = n_restarts
        self.max_candidates = max_candidates
        self.max_rounds = max_rounds
        self.max_dissimilarities = max_dissimilarities
        self.max_seconds = max_seconds
        self.evaluation = evaluation
        self.n_pivots = n_pivots
        self.pivot_code = pivot_code
        self.candidates = candidates
        self.fixed = fixed
        self.per_class = per_class
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.choice("criterion", self.criterion, ["auto", *CRITERIA])
        checks.choice("improvement", self.improvement, ["first", "best"])
        if isinstance(self.init, str):
            checks.choice("init", self.init, _STARTS)
        checks.whole_number("n_restarts", self.n_restarts, 0)
        if self.init is None:
            raise ValueError("init=None is not allowed. Choose 'random', 'farthest-first' or pass a set.")
        if self.max_candidates is not None and self.max_candidates != "auto":
            checks.whole_number("max_candidates", self.max_candidates, 0, " Or pass 'auto', or None for all.")
        if self.max_rounds is not None:
            checks.whole_number("max_rounds", self.max_rounds, 1)
        if self.max_dissimilarities is not None:
            checks.whole_number("max_dissimilarities", self.max_dissimilarities, 0)
        checks.positive_or_none("max_seconds", self.max_seconds)
        checks.choice("evaluation", self.evaluation, ["auto", "exact", "racing"])

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray | None:
        if self.criterion == "auto":
            return None if y is None else checks.class_codes(y, "criterion='auto' with labels")
        needs_labels = CRITERIA[self.criterion].needs_labels
        return checks.class_codes(y, f"criterion={self.criterion!r}") if needs_labels else None

    def _criterion(self, has_labels: bool) -> Criterion:
        if self.criterion != "auto":
            return CRITERIA[self.criterion]
        return CRITERIA["label-match" if has_labels else "coverage"]

    def _samples(self, n: int) -> bool:
        return races(self.evaluation, n)

    def _n_rows(self, criterion: Criterion, n: int) -> int:
        """Return how many objects a candidate is compared with, 0 for the prototypes alone."""
        rows = criterion.n_compared(n)
        return min(rows, SAMPLE) if self._samples(n) else rows

    def _n_tried(self, criterion: Criterion, n: int, n_candidates: int, k: int) -> int:
        """Return how many candidates are tried, beside the first prototypes."""
        n_tried = max(0, n_candidates - k)
        if self.max_candidates == "auto":
            n_tried = min(n_tried, CANDIDATES_PER_PROTOTYPE * k)
        elif self.max_candidates is not None:
            n_tried = min(n_tried, int(self.max_candidates))
        if self.max_dissimilarities is not None:
            left = int(self.max_dissimilarities) - self._n_beside(criterion, n, k)
            n_tried = min(n_tried, max(0, left // (self._n_rows(criterion, n) or k)))
        return n_tried

    def _n_beside(self, criterion: Criterion, n: int, k: int) -> int:
        """Return how many dissimilarities it takes beside those to the candidates that are tried."""
        rows = self._n_rows(criterion, n)
        starts = k * (1 + self.n_restarts) * (rows or k)
        traversal = n * (k - 1) if isinstance(self.init, str) and self.init == "farthest-first" else 0
        return starts + traversal + (order_cost(n, k) if 0 < rows < n else 0)

    def _demand(self, size: Size) -> Demand:
        criterion = self._criterion(True)
        rows = self._n_rows(criterion, size.n)
        n_tried = self._n_tried(criterion, size.n, size.n_candidates + size.n_fixed, size.k)
        kept = min(n_tried + size.k, size.capacity) if rows == size.n else 0
        each = rows or _PAIRS_AGAIN * size.k
        cost = n_tried * each + self._n_beside(criterion, size.n, size.k)
        return Demand(cost, False, kept, _ROUNDS * n_tried)

    def _bytes_per_object(self, itemsize: int) -> int:
        return bytes_around("coverage" if self.criterion == "auto" else self.criterion, itemsize)

    def _check_start(self, problem: Problem) -> None:
        if not isinstance(self.init, str):
            problem.start("init", self.init)
        criterion = self._criterion(problem.codes is not None)
        least = self._n_beside(criterion, problem.columns.n_rows, problem.k)
        if (
            self.max_dissimilarities is not None
            and self.n_pivots is None
            and self.max_dissimilarities < least
        ):
            raise ValueError(
                f"max_dissimilarities={self.max_dissimilarities} is below the {least:,} that the sets to "
                "start from take. Pass at least so many, fewer n_prototypes or n_restarts, or n_pivots."
            )

    def _solve(self, problem: Problem, pool: np.ndarray | None = None) -> Solution:
        deadline = np.inf if self.max_seconds is None else time.monotonic() + self.max_seconds
        criterion, n = self._criterion(problem.codes is not None), problem.columns.n_rows
        data = problem.data(criterion)
        if self._samples(n) and criterion.n_compared(n) == n:
            data = replace(data, rng=problem.fork_rng()).sample(SAMPLE)
        objective = criterion.bind(data)
        n_tried = self._n_tried(criterion, n, len(problem.candidates) + len(problem.fixed), problem.k)
        if pool is None:
            pool = problem.draw(min(len(problem.candidates), n_tried + problem.k - len(problem.fixed)))
        counter, k = problem.columns.counter, problem.k
        before = counter.total

        def enough(candidates: np.ndarray) -> bool:
            """Among prototypes alone, every exchange costs new pairs, however few candidates there are."""
            if self.max_dissimilarities is None or self._n_rows(criterion, n):
                return False
            return counter.total - before + k * (len(candidates) + k) > self.max_dissimilarities

        best = None
        with progress(self.verbose, f"swaps, {criterion.name}", None) as step:
            for restart in range(1 + self.n_restarts):
                if best is not None and time.monotonic() >= deadline:
                    break
                search = descend(
                    objective,
                    problem,
                    self._start(problem, restart),
                    pool,
                    n_tried,
                    best_of_batch=self.improvement == "best",
                    at_once=at_once(criterion, problem),
                    max_rounds=np.inf if self.max_rounds is None else self.max_rounds,
                    deadline=deadline,
                    enough=enough,
                    step=step,
                )
                if best is None or search.best_value > best.best_value:
                    best = search
        assert best is not None
        order = partial(by_worth, criterion, problem, best.best)
        remark = remark_on_one_class(criterion, problem, best.best, OTHER_CLASSES)
        return Solution(best.best, best.best_value, best.history, len(best.history) - 1, order, remark=remark)

    def _start(self, problem: Problem, restart: int) -> np.ndarray:
        if restart or (isinstance(self.init, str) and self.init == "random"):
            return problem.draw_set()
        if isinstance(self.init, str):
            traversal = FarthestFirstSelector(problem.k)._solve(problem)
            return problem.admitted(traversal.prototypes)
        return problem.start("init", self.init)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        criterion = CRITERIA.get(self.criterion)
        tags.target_tags.required = criterion is not None and criterion.needs_labels
        return tags
