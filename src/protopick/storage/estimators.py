"""Selectors and classifiers: their parameters, and what they learned."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

from protopick.classifiers import GaussianClassifier
from protopick.dissimilarity import Dissimilarity
from protopick.selectors.base import BaseSelector
from protopick.storage.archive import DamagedFileError
from protopick.storage.classes import read_class, write_class
from protopick.storage.values import Kind, Reader, Writer, type_name

OWN = (BaseSelector, GaussianClassifier)
"""The estimators whose attributes are ours, so that they are safe to set."""


def _write(value: BaseEstimator, to: Writer, where: str) -> Any:
    parameters = value.get_params(deep=False)
    fresh = vars(type(value)(**parameters))
    learned = {name: item for name, item in vars(value).items() if name not in fresh}
    if learned and not isinstance(value, OWN):
        raise TypeError(
            f"{where} is a {type_name(value)} with {', '.join(learned)}: it has been fitted or set up. Of "
            "estimators that are not protopick's own, save keeps the parameters only. Pass a fresh one, such "
            "as sklearn.base.clone(...) makes, by set_params; save what was fitted by itself, with skops."
        )
    return {
        "class": write_class(type(value), to, where),
        "parameters": to.named(parameters, where),
        "learned": to.named(learned, where),
    }


def _read(body: Any, of: Reader) -> Any:
    kind = read_class(body["class"], of)
    if not issubclass(kind, BaseEstimator):
        raise DamagedFileError(f"its header takes {body['class']} for an estimator")
    estimator = kind(**of.named(body["parameters"]))
    learned = of.named(body["learned"])
    if learned and not isinstance(estimator, OWN):
        raise DamagedFileError(f"its header has attributes for {body['class']}")
    is_selector = learned and isinstance(estimator, BaseSelector)
    if is_selector and not isinstance(learned["_dissimilarity"], Dissimilarity):
        raise DamagedFileError(f"its header has no dissimilarity for {body['class']}")
    vars(estimator).update(learned)
    return estimator


def _is_fitted_neighbors(value: Any) -> bool:
    return type(value) is KNeighborsClassifier and hasattr(value, "classes_")


def _write_neighbors(value: Any, to: Writer, where: str) -> Any:
    """Keep what was fitted: a tree of scikit-learn cannot be kept, but grows again from the same objects."""
    if isinstance(value.classes_, list):
        raise TypeError(
            f"{where} was fitted to several labels an object, which save does not keep. Pass one."
        )
    names = getattr(value, "feature_names_in_", None)
    fitted = {"X": value._fit_X, "y": value.classes_[value._y], "feature_names": names}
    return {"parameters": to.named(value.get_params(deep=False), where), "fitted": to.named(fitted, where)}


def _read_neighbors(body: Any, of: Reader) -> KNeighborsClassifier:
    fitted = of.named(body["fitted"])
    classifier = KNeighborsClassifier(**of.named(body["parameters"])).fit(fitted["X"], fitted["y"])
    if fitted["feature_names"] is not None:
        classifier.feature_names_in_ = fitted["feature_names"]
    return classifier


ESTIMATORS = (
    Kind("nearest neighbors", _is_fitted_neighbors, _write_neighbors, _read_neighbors),
    Kind("estimator", lambda value: isinstance(value, BaseEstimator), _write, _read),
)
