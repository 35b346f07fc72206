"""Where data comes from: the folder PROTOPICK_DATA first, else the internet."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.data import MissingDataError, Objects, find

_SVHN = "http://ufldl.stanford.edu/housenumbers/"
_CHECKSUMS = {  # of the official files
    "train_32x32.mat": "md5:e26dedcc434d2e4c54c9b2d4a06d8373",
    "test_32x32.mat": "md5:eb5a983be6a315427106f1b164d9cef3",
    "extra_32x32.mat": "md5:a93ce644f1a588dc4d68dda5feec44a7",
}


def vectors(name: str, openml: str, n_train: int | None = None) -> Objects:
    """Return the vectors of ``name``.npz, else of a data set of OpenML; ``n_train`` come first there."""
    path = find(f"{name}.npz")
    if path is None:
        return _from_openml(openml, n_train)
    with np.load(path, allow_pickle=False) as file:
        X, y = file["X"], file["y"]
    return Objects(X.reshape(len(y), -1).astype(np.float32), y, n_train=n_train, source=path.name)


def svhn_file(name: str) -> Path:
    """Return an official file of SVHN, downloaded where it is not at hand."""
    return find(name) or _download(name)


def _download(name: str) -> Path:
    """Download an official file of SVHN once, and check it."""
    try:
        import pooch
    except ImportError as error:
        raise MissingDataError(f"{name} was not found. `pip install pooch` to get it.") from error
    try:
        file = pooch.retrieve(
            _SVHN + name, _CHECKSUMS[name], fname=name, path=pooch.os_cache("protopick"), progressbar=False
        )
    except Exception as error:  # no network, no such host, a wrong checksum: the set is left out
        raise MissingDataError(f"{name} was not found, and could not be downloaded: {error}") from error
    return Path(file)


def _from_openml(name: str, n_train: int | None) -> Objects:
    from sklearn.datasets import fetch_openml

    try:
        X, y = fetch_openml(name, version=1, as_frame=False, return_X_y=True, n_retries=1, parser="liac-arff")
    except Exception as error:  # as above
        raise MissingDataError(f"OpenML's {name!r} could not be downloaded: {error}") from error
    return Objects(X.astype(np.float32), y.astype(str), n_train=n_train, source=f"OpenML, {name}")
