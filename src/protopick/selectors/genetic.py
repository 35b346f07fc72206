"""The paper's genetic algorithm with either criterion, with and without clusters."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from protopick import checks
from protopick.criteria import CRITERIA, SAMPLE
from protopick.diagnostics.cost import Demand, Size
from protopick.engine.racing import FIRST_BLOCK
from protopick.search import Genetic, Pools, Quota, by_class, by_cluster, same_for_all
from protopick.selectors.base import WeightedSelector
from protopick.selectors.parts.clusters import ClustersOnDemand, TooFewDistinctError, random_clusters
from protopick.selectors.parts.descent import CANDIDATES_PER_PROTOTYPE, at_once, bytes_around, descend
from protopick.selectors.parts.documented import documented
from protopick.selectors.parts.drawn import drawn_columns
from protopick.selectors.parts.one_class import OTHER_CLASSES, remark_on_one_class
from protopick.selectors.parts.order import by_worth
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.progress import progress
from protopick.selectors.parts.racing import races


@documented
class GeneticSelector(WeightedSelector):
    """Pick prototypes by a genetic algorithm (Algorithm 1 of the paper).

    Parameters
    ----------
    {first}
    criterion : str, default="spanning-tree"
        What to maximise. {criteria}
    clustered : bool, default=True
        Let gene j stand for objects of the j-th of k random clusters. Converges sooner.
    population_size : int, default=20
        Sets that evolve side by side.
    n_generations : int, default=20
        Generations after the first population.
    crossover_rate : float, default=0.5
        Probability that a gene is taken from the best set.
    mutation_rate : float, default=0.1
        Probability that a gene is drawn anew. The paper takes 0.02 for a few thousand objects.
    init : array of int, of shape (n_prototypes,) or (m, n_prototypes), optional
        A set, or up to ``population_size`` sets, to start from, such as those of other selectors. The
        rest is drawn.
    polish : bool, default=False
        Finish the best set by swaps, as `SwapSelector` does. Where sets are raced, the swaps look at a sample
        of their own, so ``history_`` may fall where they begin.
    evaluation : {"auto", "exact", "racing"}, default="auto"
        "exact" measures the criterion on all objects. "racing" measures "label-match" on growing
        random samples, until the best set of a generation is known, and finds the cluster of an
        object when it is drawn: its cost hardly depends on the number of objects. "auto" races above
        100,000 objects.
    tolerance : float, default=0.01
        Racing drops a set once it can beat the best by no more than this share of the objects, with an error
        probability of 5 % per generation. The value found is an estimate then.
    {pivots}
    {candidates}
    {per_class}
        Each gene stands for a class then, instead of a cluster.
    {last}

    References
    ----------
    Y. Plasencia-Calaña, M. Orozco-Alzate, H. Méndez-Vázquez, E. García-Reyes and R. P. W. Duin,
    "Scalable prototype selection by genetic algorithms and hashing".

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from protopick import GeneticSelector, qdc
    >>> X, y = load_digits(return_X_y=True)
    >>> select = GeneticSelector(20, criterion="label-match", random_state=0)
    >>> bool(make_pipeline(select, qdc()).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.9)
    True
    """

    sorts_by_worth: ClassVar[bool] = True

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        criterion: str = "spanning-tree",
        clustered: bool = True,
        population_size: int = 20,
        n_generations: int = 20,
        crossover_rate: float = 0.5,
        mutation_rate: float = 0.1,
        init: Any = None,
        polish: bool = False,
        evaluation: str = "auto",
        tolerance: float = 0.01,
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
        self.clustered = clustered
        self.population_size = population_size
        self.n_generations = n_generations
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.init = init
        self.polish = polish
        self.evaluation = evaluation
        self.tolerance = tolerance
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
        checks.choice("criterion", self.criterion, CRITERIA)
        checks.whole_number("population_size", self.population_size, 1)
        checks.whole_number("n_generations", self.n_generations, 0)
        checks.rate("crossover_rate", self.crossover_rate)
        checks.rate("mutation_rate", self.mutation_rate)
        checks.flag("clustered", self.clustered)
        checks.flag("polish", self.polish)
        checks.choice("evaluation", self.evaluation, ["auto", "exact", "racing"])
        checks.rate("tolerance", self.tolerance)

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray | None:
        needs_labels = CRITERIA[self.criterion].needs_labels
        return checks.class_codes(y, f"criterion={self.criterion!r}") if needs_labels else None

    def _samples(self, n: int) -> bool:
        return races(self.evaluation, n)

    def _demand(self, size: Size) -> Demand:
        clustering = size.n_candidates * size.k if self.clustered else 0
        if self._samples(size.n):
            clustering = min(clustering, 16 * 1024 * size.k)
        sets = self.population_size * (1 + self.n_generations)
        rows = CRITERIA[self.criterion].n_compared(size.n)
        if not rows:
            pairs = sets * size.k * (size.k - 1) // 2
            return Demand(clustering + pairs + self._polishing(size, 3 * size.k), exact=False)
        columns = drawn_columns(
            size,
            population_size=self.population_size,
            n_generations=self.n_generations,
            crossover_rate=self.crossover_rate,
            mutation_rate=self.mutation_rate,
            clustered=self.clustered,
        )
        if self._samples(size.n):
            polishing = self._polishing(size, min(rows, SAMPLE))
            return Demand(columns * min(rows, 4 * FIRST_BLOCK) + clustering + polishing, exact=False)
        kept = min(columns, size.capacity)
        return Demand(columns * rows + clustering + self._polishing(size, rows), False, kept, sets * size.k)

    def _polishing(self, size: Size, rows: int) -> int:
        n_candidates = min(size.n_candidates, CANDIDATES_PER_PROTOTYPE * size.k)
        return n_candidates * rows if self.polish else 0

    def _bytes_per_object(self, itemsize: int) -> int:
        labels = 4 if CRITERIA[self.criterion].needs_labels else 0
        members = 4 if self.clustered and self.evaluation != "racing" else 0
        return labels + members + (bytes_around(self.criterion, itemsize) if self.polish else 0)

    def _solve(self, problem: Problem) -> Solution:
        racing = self._samples(problem.columns.n_rows)
        pools, starts = self._pools(problem, racing)
        search = Genetic(
            pools,
            population_size=self.population_size,
            n_generations=self.n_generations,
            crossover_rate=self.crossover_rate,
            mutation_rate=self.mutation_rate,
            rng=problem.rng,
            fixed=problem.fixed,
            init=starts,
        )
        criterion = CRITERIA[self.criterion]
        data = problem.data(criterion)
        objective = criterion.bind(data)
        evaluate = objective.racing(problem.fork_rng(), self.tolerance) if racing else objective
        with progress(self.verbose, f"GA, {self.criterion}", self.n_generations + 1) as step:
            while not search.done:
                search.tell(evaluate(search.ask(), search.upcoming))
                step(f"best {search.best_value:g}")
        best, value, history = search.best, search.best_value, search.history
        if self.polish:
            del evaluate  # and with it the samples that it holds
            n = problem.columns.n_rows
            if racing and criterion.n_compared(n) == n:
                objective = criterion.bind(replace(data, rng=problem.fork_rng()).sample(SAMPLE))
            pool = problem.draw(min(len(problem.candidates), CANDIDATES_PER_PROTOTYPE * problem.k))
            with progress(self.verbose, f"swaps, {self.criterion}", None) as step:
                swaps = descend(
                    objective, problem, best, pool, len(pool), at_once=at_once(criterion, problem), step=step
                )
            best, value, history = swaps.best, swaps.best_value, [*history, *swaps.history[1:]]
        order = partial(by_worth, criterion, problem, best)
        remark = remark_on_one_class(criterion, problem, best, OTHER_CLASSES)
        return Solution(best, value, history, len(history) - 1, order, remark=remark)

    def _pools(self, problem: Problem, racing: bool) -> tuple[Pools, list[list[int]]]:
        """Return what each gene may be, and the sets of ``init`` in the order of the genes."""
        if problem.quota is not None:
            return self._class_pools(problem, problem.quota)
        sets, fixed = self._given(problem), problem.fixed.tolist()
        if not self.clustered:
            return same_for_all(problem.candidates, problem.k), [genes.tolist() for genes in sets]
        given = np.setdiff1d(np.array(sets, dtype=np.intp), problem.fixed)
        pools, clusters = self._clusters(problem, given, racing)
        known = dict(zip(given.tolist(), clusters.tolist(), strict=True))
        return pools, [_arranged(genes.tolist(), fixed, known) for genes in sets]

    def _clusters(self, problem: Problem, given: np.ndarray, racing: bool) -> tuple[Pools, np.ndarray]:
        """Let every gene stand for a cluster; return also the clusters of the candidates ``given``."""
        if racing:
            with suppress(TooFewDistinctError):  # among those drawn; perhaps not among all
                pools = ClustersOnDemand(problem)
                return pools, pools.clusters_of(given)
        clusters = random_clusters(problem)
        of_given = clusters[np.searchsorted(np.asarray(problem.candidates), given)]
        return by_cluster(problem.candidates, clusters, problem.k), of_given

    def _class_pools(self, problem: Problem, quota: Quota) -> tuple[Pools, list[list[int]]]:
        """Let every gene stand for a class, with as many of each as the sets of ``init`` have."""
        fixed, sets = problem.fixed, self._given(problem)
        starts = [[*fixed.tolist(), *_by_class(genes[len(fixed) :], quota.codes)] for genes in sets]
        if starts:
            classes = quota.codes[starts[0][len(fixed) :]]
        else:
            classes = np.sort(quota.classes_of(fixed, np.asarray(problem.candidates), problem.k))
        return by_class(problem.candidates, quota.codes, fixed, classes), starts

    def _given(self, problem: Problem) -> list[np.ndarray]:
        """Return the sets of ``init``, the fixed prototypes first."""
        if self.init is None:
            return []
        return [problem.start("init", genes) for genes in np.atleast_2d(self.init)]

    def _check_start(self, problem: Problem) -> None:
        if self.init is None:
            return
        k = problem.k
        try:
            sets = np.atleast_2d(self.init)
        except ValueError as error:
            raise ValueError(f"init holds sets of several sizes. Pass sets of n_prototypes={k}.") from error
        if sets.ndim != 2 or sets.dtype.kind not in "biu":
            raise ValueError(
                f"init={self.init!r:.60} holds no sets. Pass {k} indices, or a list of up to "
                f"population_size={self.population_size} sets of so many, such as the prototype_indices_ of "
                "other selectors."
            )
        if len(sets) > self.population_size:
            raise ValueError(
                f"init holds {len(sets)} sets, above population_size={self.population_size}. "
                f"Pass at most {self.population_size} sets, or a larger population_size."
            )
        checked = self._given(problem)
        if problem.quota is not None:
            composition = [np.sort(problem.quota.codes[genes]).tolist() for genes in checked]
            if any(classes != composition[0] for classes in composition):
                raise ValueError(
                    "init holds sets with different numbers of prototypes of a class, but per_class is "
                    "given. Pass sets that have as many of each class."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        criterion = CRITERIA.get(self.criterion)
        tags.target_tags.required = criterion is not None and criterion.needs_labels
        return tags


def _by_class(genes: np.ndarray, codes: np.ndarray) -> list[int]:
    return genes[np.argsort(codes[genes], kind="stable")].tolist()


def _arranged(genes: list[int], fixed: list[int], cluster_of: dict[int, int]) -> list[int]:
    """Order a set: the fixed genes first, the others at the position of their cluster if it is free."""
    arranged: list[int | None] = [*fixed, *([None] * (len(genes) - len(fixed)))]
    waiting = []
    for gene in genes:
        position = cluster_of.get(gene, 0)
        if gene in fixed:
            continue
        if arranged[position] is None:
            arranged[position] = gene
        else:
            waiting.append(gene)
    left = iter(waiting)
    return [next(left) if gene is None else gene for gene in arranged]
