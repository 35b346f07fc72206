"""What all selectors share: checks, the way from X to columns, and the dissimilarity space."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from protopick import checks
from protopick.blas import one_blas_thread
from protopick.criteria.parts.weights import as_whole_numbers
from protopick.diagnostics.cost import Demand, Size, warn_if_costly
from protopick.diagnostics.dimension import dimension_cost, dimension_of
from protopick.dissimilarity import Dissimilarity, length, resolve
from protopick.engine import Columns, Numbering, can_remember, columns_among, columns_of, working_memory
from protopick.engine.racing import FIRST_BLOCK, LARGEST_SAMPLE
from protopick.objects import (
    Objects,
    TensorRows,
    checked,
    checked_labels,
    host_array,
    is_dask,
    mapped,
    note_columns,
    take,
)
from protopick.pivots import PIVOT_CODES, training_cost
from protopick.search import AllBut, AllIndices, Candidates
from protopick.selectors.parts.problem import Problem, Solution
from protopick.selectors.parts.quotas import check_per_class, quota_of
from protopick.selectors.parts.reported import Reported
from protopick.warned import warn

_FEATURES = ("n_features_in_", "feature_names_in_")


class BaseSelector(
    Reported, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta
):
    """Pick k objects that stand for all; then map any object to its dissimilarities to them."""

    sorts_by_worth: ClassVar[bool] = False
    """Whether ``order_`` goes by the worth of the prototypes, else by when they were picked."""

    maximises: ClassVar[str] = "criterion"
    """What the values of ``history_`` are, where no parameter ``criterion`` says it."""

    n_prototypes: int | str
    metric: Any
    metric_params: dict[str, Any] | None
    n_pivots: int | None
    pivot_code: str
    candidates: Any
    fixed: Any
    per_class: Any = None
    random_state: Any
    n_jobs: int | None
    verbose: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Pick the prototypes out of ``X``.

        Parameters
        ----------
        X : array, CSR matrix, list of objects, `Ragged`, data frame, or square matrix
            The objects. Rows of numbers for vector metrics; strings, series, sets or tables for metrics
            of these; any sequence where ``metric`` is a function; the n x n dissimilarities where it is
            ``"precomputed"``. Arrays and data frames of Dask stay with their workers.
        y : array of n labels, optional
            The class of each object. Needed by supervised selectors only.

        Returns
        -------
        self
        """
        return self._fit_or_leave(X, y)

    def _fit_or_leave(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit, or leave an earlier fit as it was."""
        self._check_parameters()
        before = vars(self).copy()
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__ = before
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        dissimilarity = resolve(self.metric, self.metric_params)
        for name in _FEATURES:
            self.__dict__.pop(name, None)
        objects = self._objects(X, dissimilarity, reset=True)
        problem, fitted = self._problem(objects, dissimilarity, y, sample_weight)
        on_stand_ins = self._on_stand_ins(problem)
        with one_blas_thread():  # set once, since every scan needs it and there are hundreds of short ones
            solution = self._solve(on_stand_ins)
            order = np.arange(len(solution.prototypes)) if solution.order is None else solution.order()

        if solution.remark is not None:
            warn(solution.remark)
        self._dissimilarity = fitted
        self.prototype_indices_ = solution.prototypes
        self.prototypes_ = self._take(X, objects, solution.prototypes)
        self.__dict__.pop("prototype_labels_", None)  # of an earlier fit
        if problem.labels is not None:
            self.prototype_labels_ = problem.labels[solution.prototypes]
        for name, value in solution.fitted.items():
            setattr(self, name, value)
        self.criterion_value_ = solution.value
        self.history_ = solution.history
        self.order_ = order
        self.n_iter_ = solution.n_iter
        self.n_dissimilarities_ = problem.columns.counter.total
        return self

    def _problem(
        self, objects: Objects, dissimilarity: Dissimilarity, y: Any, sample_weight: Any
    ) -> tuple[Problem, Dissimilarity]:
        """Return what is to be solved, after all checks, and the dissimilarity fitted to the objects."""
        n = length(objects)
        labels = None if y is None else checked_labels(y, objects)
        candidates, fixed = self._pickable(n)
        k = self._check_number(n, len(candidates) + len(fixed), len(fixed))
        codes = self._class_codes(labels)
        if codes is None and self.per_class is not None:
            codes = checks.class_codes(labels, "per_class")
        weights, unit = None, 1.0
        if sample_weight is not None:
            given = host_array(sample_weight, "sample_weight", objects)
            weights, unit = as_whole_numbers(checks.weights(given, n))
        rng = checks.generator(self.random_state)

        dissimilarity = dissimilarity.fit(objects)
        columns = self._columns(objects, dissimilarity)
        if k == "auto":
            k = self._automatic_number(columns, candidates, fixed, rng)
        problem = Problem(columns, int(k), candidates, fixed, codes, rng, weights, unit, labels=labels)
        if self.per_class is not None:
            problem = self._with_quota(problem)
        self._check_start(problem)
        return problem, dissimilarity

    def _on_stand_ins(self, problem: Problem) -> Problem:
        """Return the problem on stand-ins of the objects where there are pivots; warn if it is costly."""
        columns, n = problem.columns, problem.columns.n_rows
        remembers = self.n_pivots is None and can_remember(columns.dissimilarity, n, columns.memory)
        numbers = n, problem.k, len(problem.candidates), len(problem.fixed)
        size = Size(*numbers, columns.capacity, remembers=remembers)
        held = self._whole_bytes_per_object(columns.dissimilarity.dtype.itemsize)
        warn_if_costly(columns, self._whole_demand(size), held, self._way_out)
        if self.n_pivots is not None:
            columns = PIVOT_CODES[self.pivot_code](columns, self.n_pivots, problem.rng, self._samples(n))
        columns.reserve(n * self._bytes_per_object(columns.dissimilarity.dtype.itemsize))
        return replace(problem, columns=columns, original=problem.columns)

    def transform(self, X: Any) -> Any:
        """Map objects to their dissimilarities to the prototypes.

        Parameters
        ----------
        X : objects of the kind that was fitted
            For ``metric="precomputed"``, the dissimilarities of m objects to all n fitted ones.

        Returns
        -------
        array of shape (m, n_prototypes)
            Of NumPy, for a tensor a tensor on the same device, for a Dask array or data frame a lazy Dask
            array. float32 where strings or vectors of float32 or of small integers were fitted, else mostly
            float64.
        """
        if is_dask(X):
            return self._lazy_transform(X)
        objects = self._read(X)
        return self._columns(objects, self._dissimilarity, self._prototypes()).space(self._every)

    def _lazy_transform(self, X: Any) -> Any:
        check_is_fitted(self)
        note_columns(X, self, reset=False)
        dissimilarity = self._dissimilarity
        space = partial(_space_of_block, dissimilarity, self._prototypes(), self.n_jobs or 1)
        return mapped(X, space, len(self.prototype_indices_), dissimilarity.dtype)

    def _prototypes(self) -> Objects:
        """Return the prototypes as objects to compare with."""
        return self.prototypes_ if self._dissimilarity.takes == "matrix" else self._read(self.prototypes_)

    @property
    def _every(self) -> np.ndarray:
        return np.arange(len(self.prototype_indices_))

    @abstractmethod
    def _solve(self, problem: Problem) -> Solution:
        """Pick the prototypes."""

    @abstractmethod
    def _demand(self, size: Size) -> Demand:
        """Return what picking will cost."""

    @property
    def _way_out(self) -> str:
        """What to do about a fit that would take too long."""
        fewer = "Fit on a part of the objects, or pass n_jobs=-1."
        return fewer if self.n_pivots is not None else f"Pass n_pivots=64. {fewer}"

    def _whole_demand(self, size: Size) -> Demand:
        """Return what picking will cost, with pivots where they are used."""
        demand = self._demand(size)
        if self.n_pivots is None:
            return demand
        table, exact = size.n * self.n_pivots, not demand.of_objects
        if self.pivot_code == "binary":
            table += training_cost(size.n, self.n_pivots)
        elif self._samples(size.n) and size.n > 2 * LARGEST_SAMPLE:
            table, exact = 8 * FIRST_BLOCK * self.n_pivots, False
        return replace(demand, dissimilarities=table + demand.of_objects, exact=exact)

    def _bytes_per_object(self, itemsize: int) -> int:
        """Return how much memory the search holds for each object, beside columns.

        ``itemsize`` is that of a dissimilarity.
        """
        return 0

    def _whole_bytes_per_object(self, itemsize: int) -> int:
        """Return the same with codes of pivots; a table of pivots that does not fit is not held."""
        codes = 8 * -(-self.n_pivots // 64) if self.n_pivots and self.pivot_code == "binary" else 0
        return self._bytes_per_object(itemsize) + codes

    def _forecast(self, n: int, sample: Columns | None) -> tuple[Demand, int]:
        """Return what fitting n objects will cost, and the bytes it takes beside kept columns."""
        self._check_parameters()
        candidates, fixed = self._pickable(n)
        n_candidates, n_fixed = len(candidates), len(fixed)
        k = self._check_number(n, n_candidates + n_fixed, n_fixed)
        beside = 0
        if k == "auto":
            k, beside = self._expected_number(n, n_candidates, n_fixed, sample)
        memory, itemsize, encoded = working_memory(), 4, 0
        dissimilarity = resolve(self.metric, self.metric_params)
        if sample is not None:
            dissimilarity = sample.dissimilarity
            itemsize = dissimilarity.dtype.itemsize
            encoded = sample.encoded_bytes * n // max(1, sample.n_rows)
        held = n * self._whole_bytes_per_object(itemsize) + (encoded if encoded <= memory // 2 else 0)
        memory = max(0, memory - held)
        seed = int(self.random_state) if isinstance(self.random_state, Integral) else 0
        remembers = self.n_pivots is None and can_remember(dissimilarity, n, memory)
        size = Size(n, int(k), n_candidates, n_fixed, memory // (n * itemsize), seed, remembers)
        demand = self._whole_demand(size)
        return replace(demand, dissimilarities=demand.dissimilarities + beside), held

    def _expected_number(
        self, n: int, n_candidates: int, n_fixed: int, sample: Columns | None
    ) -> tuple[int, int]:
        """Return what ``n_prototypes="auto"`` will be, and how many dissimilarities it takes to tell."""
        if sample is None:
            raise ValueError("n_prototypes='auto' needs a sample to forecast. Pass some of the objects.")
        everything, none = AllIndices(sample.n_rows), np.empty(0, np.intp)
        return self._automatic_number(sample, everything, none, np.random.default_rng(0)), dimension_cost(n)

    def _sample_columns(self, sample: Any) -> Columns:
        """Return columns of some objects to try the dissimilarity on."""
        dissimilarity = resolve(self.metric, self.metric_params)
        objects = checked(sample, takes=dissimilarity.takes, allows_nan=dissimilarity.allows_nan)
        return self._columns(objects, dissimilarity.fit(objects))

    def _check_parameters(self) -> None:
        """Check the parameters that need no data."""
        if not (isinstance(self.n_prototypes, str) and self.n_prototypes == "auto"):
            checks.whole_number("n_prototypes", self.n_prototypes, 1, " Or pass 'auto'.")
        checks.choice("pivot_code", self.pivot_code, PIVOT_CODES)
        if not isinstance(self.verbose, (bool, np.bool_)):
            checks.whole_number("verbose", self.verbose, 0)
        if self.per_class is not None:
            check_per_class(self.per_class)
        if self.n_pivots is not None:
            checks.whole_number("n_pivots", self.n_pivots, 1)

    def _class_codes(self, y: np.ndarray | None) -> np.ndarray | None:
        """Return the class number of each object, where the selector uses labels."""
        return None

    def _samples(self, n: int) -> bool:
        """Say whether the search looks at a sample of the n objects only."""
        return False

    def _pickable(self, n: int) -> tuple[Candidates, np.ndarray]:
        """Return what may be picked besides the fixed prototypes, and these."""
        fixed = checks.indices("fixed", [] if self.fixed is None else self.fixed, n)
        if self.candidates is not None:
            return np.setdiff1d(checks.indices("candidates", self.candidates, n), fixed), fixed
        return AllBut(n, fixed) if len(fixed) else AllIndices(n), fixed

    def _with_quota(self, problem: Problem) -> Problem:
        """Return the problem with what ``per_class`` asks for; an automatic number is adapted to it."""
        assert problem.labels is not None
        assert problem.codes is not None
        among = problem.labels, problem.codes, problem.candidates, problem.fixed
        quota, least, most = quota_of(self.per_class, *among)
        k = problem.k
        if self.n_prototypes == "auto":
            k = min(max(k, least), most)
        if not least <= k <= most:
            raise ValueError(
                f"per_class={checks.shown(self.per_class)} needs from {least} to {most} prototypes, but "
                f"n_prototypes={k}. Change one of the two."
            )
        return replace(problem, k=k, quota=quota)

    def _check_start(self, problem: Problem) -> None:
        """Check where the search is to start from."""

    def _check_number(self, n: int, available: int, n_fixed: int) -> int | str:
        """Return how many prototypes are wanted, if there are as many candidates."""
        if self.n_pivots is not None and self.n_pivots > n:
            raise ValueError(
                f"n_pivots={self.n_pivots} is above the number of objects, {n}. "
                f"Pass at most {n}, or leave it out to search on the objects themselves."
            )
        if not available:
            raise ValueError("candidates is empty, and so is fixed. Name at least one candidate.")
        if self.n_prototypes == "auto":
            return "auto"
        k = int(self.n_prototypes)
        if k > available:
            more = ", or allow more candidates" if available < n else ""
            raise ValueError(
                f"n_prototypes={k} is above the number of candidates, {available} (n_samples = {n}). "
                f"Pass at most {available}{more}."
            )
        if k < n_fixed:
            raise ValueError(
                f"n_prototypes={k} is below the number of fixed prototypes, {n_fixed}. "
                f"Pass at least {n_fixed}, or fix fewer."
            )
        return k

    def _automatic_number(
        self, columns: Columns, candidates: Candidates, fixed: np.ndarray, rng: np.random.Generator
    ) -> int:
        dimension = dimension_of(columns, candidates, rng)
        wanted = 2 if np.isnan(dimension) else int(np.ceil(dimension))
        return min(len(candidates) + len(fixed), max(2, len(fixed), wanted))

    def _objects(self, X: Any, dissimilarity: Dissimilarity, reset: bool) -> Objects:
        return checked(
            X,
            takes=dissimilarity.takes,
            allows_nan=dissimilarity.allows_nan,
            estimator=self,
            reset=reset,
        )

    def _read(self, X: Any) -> Objects:
        """Return objects of the kind that was fitted."""
        check_is_fitted(self)
        return self._objects(X, self._dissimilarity, reset=False)

    def _columns(
        self, objects: Objects, dissimilarity: Dissimilarity, candidates: Objects | None = None
    ) -> Columns:
        if candidates is None:
            return columns_among(objects, dissimilarity, n_jobs=self.n_jobs)
        if isinstance(candidates, TensorRows) and not isinstance(objects, TensorRows):
            candidates = np.asarray(candidates)  # fitted on a device; computation follows the data
        return columns_of(objects, dissimilarity, candidates=candidates, n_jobs=self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "prototype_indices_")

    def _take(self, X: Any, objects: Objects, which: np.ndarray) -> Any:
        """Return the objects ``which`` in the kind that the user passed."""
        if self._dissimilarity.takes == "matrix":
            return which
        return take(X, objects, which)

    @property
    def _n_features_out(self) -> int:
        return len(self.prototype_indices_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.allow_nan = self.metric in ("nan_euclidean", "gower")
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class WeightedSelector(BaseSelector):
    """A selector in which some objects may count more than others."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Pick the prototypes out of ``X``.

        Parameters
        ----------
        X : objects
            As for every selector.
        y : array of n labels, optional
            The class of each object. Needed by supervised criteria and by ``per_class``.
        sample_weight : array of n numbers, optional
            How much each object counts in the criterion, and in the error of a classifier that judges.
            "spanning-tree" and "radius" do not count, and neither does the judgement without labels.

        Returns
        -------
        self
        """
        return self._fit_or_leave(X, y, sample_weight)


def _space_of_block(
    dissimilarity: Dissimilarity, prototypes: Objects, n_jobs: int, block: np.ndarray
) -> np.ndarray:
    """Return the dissimilarities of a block of rows to prototypes."""
    rows = checked(block, takes=dissimilarity.takes, allows_nan=dissimilarity.allows_nan, reset=False)
    numbering = Numbering(among="a block of X")  # which block that is, is not known here
    columns = columns_of(rows, dissimilarity, candidates=prototypes, n_jobs=n_jobs, numbering=numbering)
    return columns.space(np.arange(length(prototypes)))
