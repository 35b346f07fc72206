"""Functions and classes that a program of a user might have in a module."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from protopick import RandomSelector, batch_metric
from protopick.dissimilarity import Dissimilarity


def length_difference(a, b, scale=1.0):
    return scale * abs(len(a) - len(b))


def lengths_apart(A, B):
    return np.abs(np.subtract.outer([len(a) for a in A], [len(b) for b in B])).astype(float)


marked = batch_metric(lengths_apart, symmetric=True)


@batch_metric
def decorated(A, B):
    return lengths_apart(A, B)


class Squares:
    @staticmethod
    def plus_one(values):
        return values**2 + 1


@dataclass(frozen=True)
class Scaled(Dissimilarity):
    """A metric of another package."""

    takes: ClassVar[Any] = "objects"

    scale: float = 2.0

    @classmethod
    def named(cls, name, params):
        return cls()

    def block(self, rows, cols, out, at, start):
        out[at, start : start + len(rows)] = self.scale * lengths_apart(cols, rows)


class FirstSelector(RandomSelector):
    """A selector of another package."""

    def _solve(self, problem):
        solution = super()._solve(problem)
        solution.fitted["note_"] = {"seen": problem.columns.n_rows}
        return solution


class MostCommon(ClassifierMixin, BaseEstimator):
    """A classifier of another package."""

    def __init__(self, weight=1.0):
        self.weight = weight

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.label_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


@dataclass(frozen=True)
class Molecule:
    """An object of a user."""

    atoms: str
    bonds: tuple[tuple[int, int], ...] = ()

    def __len__(self):
        return len(self.atoms)
