"""The paper's classifiers for the dissimilarity space, set up so that small classes do not fail."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from protopick import checks
from protopick.blas import one_blas_thread

_RIDGE = 1e-6


class GaussianClassifier(ClassifierMixin, BaseEstimator):
    """Bayes' rule for normal densities.

    Parameters
    ----------
    shared : bool, default=False
        One covariance matrix for all classes (a linear classifier) or one for each (quadratic).

    Notes
    -----
    A class covariance is mixed with the shared one by the weight ``1 / (1 + ((m - 1) / d)^2)`` for m
    objects and d features: next to nothing for large classes, everything for a class of one object. A
    ridge of a millionth of the mean variance makes any matrix invertible.

    Examples
    --------
    >>> GaussianClassifier().fit([[0.0], [0.1], [5.0]], [0, 0, 1]).predict([[4.0]]).tolist()
    [1]
    """

    def __init__(self, shared: bool = False) -> None:
        self.shared = shared

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate means, covariances and priors."""
        if y is not None:  # which scikit-learn tells
            y = checks.array_of_labels(y)
            checks.refuse_missing(y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = checks.classes_of(y)
        with one_blas_thread():  # rounds alike, whatever the number of threads
            self._estimate(X, codes)
        return self

    def _estimate(self, X: np.ndarray, codes: np.ndarray) -> None:
        n, d = X.shape
        counts = np.bincount(codes)
        self.priors_ = counts / n
        self.means_ = np.stack([X[codes == c].mean(axis=0) for c in range(len(counts))])
        centred = X - self.means_[codes]
        pooled = centred.T @ centred / max(n - len(counts), 1)
        variance = np.trace(pooled) / d
        ridge = np.eye(d) * (_RIDGE * variance if variance > 0 else 1.0)
        if self.shared:
            covariances = [pooled + ridge] * len(counts)
        else:
            covariances = []
            for c, m in enumerate(counts):
                own = centred[codes == c]
                weight = 1 / (1 + ((m - 1) / d) ** 2)
                own_covariance = own.T @ own / max(m - 1, 1)
                covariances.append((1 - weight) * own_covariance + weight * pooled + ridge)
        self.factors_ = np.stack([np.linalg.cholesky(S) for S in covariances])  # lower triangles

    def decision_function(self, X: Any) -> np.ndarray:
        """Return log densities plus log priors; for two classes, their difference."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the posterior probability of each class."""
        scores = self._scores(X)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each object."""
        most_probable = self._scores(X).argmax(axis=1)
        return self.classes_[most_probable]

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.empty((len(X), len(self.classes_)))
        with one_blas_thread():  # such small systems only wait for more
            self._fill(X, scores)
        return scores

    def _fill(self, X: np.ndarray, scores: np.ndarray) -> None:
        if self.shared:  # one space in which all classes are round
            spread = _whitened(self.factors_[0], X), _whitened(self.factors_[0], self.means_)
        for c, (mean, L) in enumerate(zip(self.means_, self.factors_, strict=True)):
            apart = spread[0] - spread[1][:, [c]] if self.shared else _whitened(L, X - mean)
            log_determinant = 2 * np.log(np.diag(L)).sum()
            scores[:, c] = np.log(self.priors_[c]) - (log_determinant + (apart**2).sum(axis=0)) / 2


def _whitened(L: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return rows as columns of the space in which the covariance ``L @ L.T`` is round."""
    inverse = solve_triangular(L, np.eye(len(L)), lower=True, check_finite=False)
    return np.asarray(inverse @ rows.T)


def name_of(classifier: Any) -> str:
    """Return what users call a classifier.

    Examples
    --------
    >>> name_of(ldc()), name_of(nearest_neighbor())
    ('ldc', '1-NN')
    """
    if isinstance(classifier, GaussianClassifier):
        return "ldc" if classifier.shared else "qdc"
    if isinstance(classifier, KNeighborsClassifier) and classifier.n_neighbors == 1:
        return "1-NN"
    return type(classifier).__name__


def ldc() -> GaussianClassifier:
    """Return the linear discriminant classifier: normal densities with one covariance matrix.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(ldc().fit(X, y).score(X, y), 2)
    0.98
    """
    return GaussianClassifier(shared=True)


def qdc() -> GaussianClassifier:
    """Return the quadratic discriminant classifier: normal densities, a covariance for each class.

    Classes with few objects or a rank-deficient covariance borrow from the others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(qdc().fit(X, y).score(X, y), 2)
    0.98
    """
    return GaussianClassifier(shared=False)


def nearest_neighbor() -> KNeighborsClassifier:
    """Return the 1-NN classifier.

    Examples
    --------
    >>> nearest_neighbor().fit([[0.0], [5.0]], ["a", "b"]).predict([[4.0]]).tolist()
    ['b']
    """
    return KNeighborsClassifier(n_neighbors=1)
