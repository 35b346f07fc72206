"""Several searches side by side; the set with which a classifier errs least on objects new to it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier

from protopick import checks
from protopick.classifiers import qdc
from protopick.criteria import CRITERIA
from protopick.diagnostics.cost import Demand, Size
from protopick.engine import Columns
from protopick.search import Candidates
from protopick.selectors.base import WeightedSelector
from protopick.selectors.k_centers import KCentersSelector
from protopick.selectors.parts.contest import FEW, MOST_SEARCHED, Contest, Entry, n_compared
from protopick.selectors.parts.descent import bytes_around
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.held_out import ByCorrelation, ByEstimator, Judge
from protopick.selectors.parts.order import by_worth
from protopick.selectors.parts.portfolio import VERY_FEW, Method, pool_size, schedule
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress
from protopick.selectors.parts.verdict import curve, rank, sentence, smallest_good, table, unless_usual
from protopick.warned import warn

NUMBERS = (5, 10, 20, 40, 80)
"""How many prototypes ``n_prototypes="auto"`` tries."""

_FIRST = 20
_BEST = 2


@documented
class AutoSelector(WeightedSelector):
    """Run several searches, and keep the set with the lowest error on objects that did not train it.

    No single method is best on all data. This one runs farthest-first traversal, the genetic
    algorithm on the spanning tree, and swaps on label match, discriminant, coverage, and linear, quadratic
    and neighbour margin, and lets the classifier that the prototypes are for decide. Below
    8,000 objects with labels, k-centres and random sets, stratified or not, compete too; without labels,
    swaps on the radius.

    Parameters
    ----------
    n_prototypes : int or "auto", default="auto"
        How many objects to pick. "auto" tries 5, 10, 20, 40 and 80 and takes the smallest number
        whose error is within one standard error of the best. All searches run for 20, the best two of
        them for the other numbers.
    {metric}
    estimator : classifier, optional
        What the prototypes are for: a scikit-learn classifier for vectors of dissimilarities, such as
        ``ldc()``. By default `qdc` where labels are passed. Without labels the searches that need none
        are run, and the set is kept in whose dissimilarity space distances correlate best with the
        dissimilarities.
    time_limit : float, optional
        Seconds after which no further search begins and swaps stop; farthest-first traversal, the
        genetic algorithm and the judgement of a set are not cut short. The result depends on the speed
        of the machine then.
    {pivots}
    {candidates}
    {per_class}
    {last}
    results_ : dict of arrays
        One entry for each search: ``method``, ``n_prototypes``, ``start``, ``criterion`` (empty for
        random sets), ``criterion_value``, ``error``, ``std_error``, ``seconds`` and
        ``n_dissimilarities``. ``pandas.DataFrame(results_)`` shows it as a table.
    curve_ : dict of arrays
        ``n_prototypes``, and the ``error`` and ``std_error`` of the best search for each.
    best_method_ : str
        Which search found the prototypes.
    chosen_by_ : str
        By what it was chosen, as a sentence.

    Notes
    -----
    What is chosen serves the classifier: a class may have no prototype, where others tell it apart. For
    prototypes that the objects of their class are near to, take ``SwapSelector``; ``per_class=1`` asks for
    one of each.

    From 8,000 objects on, 3,000 of them are held out from all searches, or a tenth but at most 6,000, and
    the best search gets three more starts. Of more than 30,000 other objects, a random sample of so many is
    searched. With ``n_pivots`` the searches see stand-ins only, so up to 6,000 are held out, a quarter at
    most, and four random sets compete as well.

    Below 8,000, all objects are searched, and the classifier is trained on each third of them in
    turn, then on each half, and tested on the rest. The error is too low then: the searches that use labels
    saw those of the tested objects. Below 2,000 objects with labels, the three best searches get four more
    starts, and of all sets the best by swaps on the linear or quadratic margin is kept unless another beats
    it by more than a standard error. Below 1,000, a set found by swaps on the neighbour margin must err a
    fifth less to be kept, since these swaps overfit most. ``criterion_value_`` is one minus the
    error, and ``history_`` the best of it after each search.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from protopick import AutoSelector, ldc
    >>> X, y = load_digits(return_X_y=True)
    >>> auto = AutoSelector(20, estimator=ldc(), random_state=0).fit(X[:500], y[:500])
    >>> len(auto.prototype_indices_), len(auto.results_["method"])
    (20, 24)
    """

    sorts_by_worth: ClassVar[bool] = True

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        estimator: Any = None,
        time_limit: float | None = None,
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
        self.estimator = estimator
        self.time_limit = time_limit
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
        checks.positive_or_none("time_limit", self.time_limit)
        if self.estimator is not None and not _is_classifier(self.estimator):
            raise ValueError(
                f"estimator={checks.shown(self.estimator)} is not allowed. Pass an instance of a "
                "scikit-learn classifier, such as protopick.ldc(), or None."
            )

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray | None:
        if y is None and self.estimator is not None:
            return checks.class_codes(y, "estimator")
        return None if y is None else checks.class_codes(y, "AutoSelector with labels")

    def _automatic_number(
        self, columns: Columns, candidates: Candidates, fixed: np.ndarray, rng: np.random.Generator
    ) -> int:
        return self._expected_number(columns.n_rows, len(candidates), len(fixed), None)[0]

    def _expected_number(
        self, n: int, n_candidates: int, n_fixed: int, sample: Columns | None
    ) -> tuple[int, int]:
        most = max(1, (n_candidates + n_fixed) // 2)
        return max(n_fixed, min(most, NUMBERS[-1])), 0

    def _demand(self, size: Size) -> Demand:
        numbers = [size.k] if self.n_prototypes != "auto" else [k for k in NUMBERS if k < size.k] + [size.k]
        # What the searches share, and starts, samples and judgements of their own.
        columns = sum(min(size.n_candidates, pool_size(k)) + 8 * k for k in numbers)
        few, on_stand_ins = size.n < FEW, self.n_pivots is not None
        plan = schedule(size.n, labelled=True, few=few, on_stand_ins=on_stand_ins)
        columns += (plan.n_searches - len(plan.methods)) * size.k
        beside = KCentersSelector(size.k)._demand(size).dissimilarities if few else 0
        kept = min(columns, size.capacity)
        judged = (plan.n_searches * size.k + _BEST * sum(numbers[:-1])) * n_compared(size.n, on_stand_ins)
        cost = min(size.n, MOST_SEARCHED) * columns + beside
        return Demand(cost, False, kept, timed=False, of_objects=judged)

    def _bytes_per_object(self, itemsize: int) -> int:
        return bytes_around("coverage", itemsize) + 4  # and its label, for other searches

    def _solve(self, problem: Problem) -> Solution:
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        judge = self._judge(problem)
        contest = Contest(problem, judge)
        n, labelled = problem.columns.n_rows, problem.codes is not None
        few = not contest.holds_out
        plan = schedule(n, labelled=labelled, few=few, on_stand_ins=problem.on_stand_ins)
        entries: list[Entry] = []

        n_begun = 0

        def enter(k: int, methods: Sequence[Method], start: int = 0) -> None:
            nonlocal n_begun
            for method in methods:
                if not entries or time.monotonic() < deadline:
                    n_begun += 1
                    entry = contest.enter(method, k, start, deadline)
                    entries.extend([] if entry is None else [entry])
                step(f"lowest error {min((entry.error for entry in entries), default=np.nan):.4f}")

        first, others = self._numbers(problem)
        n_searches = plan.n_searches + _BEST * len(others)  # at most
        with progress(self.verbose, "searches", n_searches) as step:
            enter(first, plan.methods)
            ranked = [entry.method for entry in sorted(entries, key=rank)]
            for start in range(1, 1 + plan.n_further):
                enter(first, list(dict.fromkeys([*ranked[: plan.n_best], *plan.always])), start)
            for k in others:
                enter(k, ranked[:_BEST])
        self._tell_failures(contest, entries)
        best_of = [min((e for e in entries if e.k == k), key=rank) for k in sorted({e.k for e in entries})]
        best = smallest_good(best_of)
        kept = unless_usual(best, entries) if labelled and n < VERY_FEW else best
        criterion = CRITERIA["coverage" if problem.codes is None else "linear-margin"]
        order = partial(by_worth, criterion, replace(problem, k=kept.k), kept.prototypes)
        history = (1 - np.minimum.accumulate([entry.error for entry in entries])).tolist()
        said = sentence(kept, best_of, entries, judge, contest.tested)
        if n_begun < n_searches and time.monotonic() >= deadline:
            said += f" The time was up before {n_searches - n_begun} of {n_searches} searches."
        fitted = {
            "results_": table(entries),
            "curve_": curve(best_of),
            "best_method_": kept.method.name,
            "chosen_by_": said,
        }
        return Solution(kept.prototypes, 1 - kept.error, history, len(entries), order, fitted)

    def _numbers(self, problem: Problem) -> tuple[int, list[int]]:
        """Return for which number of prototypes to run all searches, and for which the best ones."""
        if self.n_prototypes != "auto":
            return problem.k, []
        pickable = np.union1d(problem.candidates, problem.fixed).astype(np.intp)
        numbers = [k for k in NUMBERS if len(problem.fixed) < k < problem.k]
        if problem.quota is not None:
            numbers = [k for k in numbers if problem.quota.can_be_kept(pickable, problem.fixed, k)]
        numbers.append(problem.k)
        first = min(numbers, key=lambda k: abs(k - _FIRST))
        return first, [k for k in numbers if k != first]

    def _tell_failures(self, contest: Contest, entries: list[Entry]) -> None:
        """Say which sets the estimator failed on; there is no answer where these are all."""
        if not contest.failures:
            return
        if not entries:
            raise contest.failures[-1]
        n_failed = len(contest.failures)
        warn(
            f"{n_failed} of {n_failed + len(entries)} sets of prototypes are left out: {contest.failures[0]}"
        )

    def _judge(self, problem: Problem) -> Judge:
        if problem.codes is None:
            return ByCorrelation()
        estimator = qdc() if self.estimator is None else self.estimator
        assert problem.labels is not None
        return ByEstimator(estimator, problem.labels, problem.weights)


def _is_classifier(estimator: Any) -> bool:
    """Say whether this is an instance of a classifier that scikit-learn knows as one."""
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        return False
    try:
        return bool(is_classifier(estimator))
    except AttributeError:  # it is none of scikit-learn's
        return False
