"""Save a fitted model and load it again."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from protopick.output import whole_file
from protopick.storage.archive import Archive, DamagedFileError, write_archive
from protopick.storage.arrays import ARRAYS
from protopick.storage.estimators import ESTIMATORS, OWN
from protopick.storage.frames import FRAMES
from protopick.storage.functions import FUNCTIONS
from protopick.storage.imports import ImportNotAllowedError, Imports
from protopick.storage.records import RECORDS
from protopick.storage.values import VALUES, Reader, Writer, type_name

FORMAT = "protopick model"
FORMAT_VERSION = 1
KINDS = (*VALUES, *ARRAYS, *FRAMES, *RECORDS, *ESTIMATORS, *FUNCTIONS)
"""All kinds of values; the first that holds a value writes it, so callables come last."""


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a fitted model to one file, without pickle.

    Parameters
    ----------
    model : selector, classifier or Pipeline
        A fitted selector; a fitted `ldc`, `qdc` or `nearest_neighbor`; or a scikit-learn ``Pipeline`` of
        these.
    path : str or path
        The file. It appears whole, or what was there stays. By custom it ends in ``.protopick``.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    load : Reads it.

    Notes
    -----
    The file is a zip of ``header.json`` and plain ``.npy`` arrays. The same model gives the same bytes.
    All parameters and fitted attributes are kept. A function, as ``metric`` for instance, is kept by its
    import path, so it must be defined at the top of a module. Prototypes can be arrays, CSR matrices,
    `Ragged`, data frames and columns of pandas, polars, Arrow and narwhals (with ``protopick[frames]``),
    and lists of text, numbers, arrays, sets, dicts and the like. An array that was a memory map comes back
    as an array.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from protopick import FarthestFirstSelector, load, save
    >>> words = ["colour", "color", "house", "mouse"]
    >>> selector = FarthestFirstSelector(2, metric="levenshtein", random_state=0).fit(words)
    >>> with TemporaryDirectory() as folder:
    ...     path = save(selector, Path(folder, "words.protopick"))
    ...     loaded = load(path)
    >>> loaded.prototypes_ == selector.prototypes_
    True
    """
    from protopick import __version__

    for part in _parts(model):
        check_is_fitted(part)
    writer = Writer(KINDS)
    try:
        node = writer.value(model, type(model).__name__)
    except RecursionError:
        raise TypeError("model holds objects that are nested too deeply, or in themselves.") from None
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "protopick": __version__,
        "imports": sorted(writer.imports),
        "model": node,
    }
    with whole_file(path, "wb") as file:
        write_archive(file, header, writer.arrays)
    return Path(path)


def load(path: str | os.PathLike[str], *, allow_imports: bool | Iterable[str] = False) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    allow_imports : bool or list of str, default=False
        Which functions and classes the file may import, such as ``["package.module.function"]``. To import
        is to run code: allow only what you trust. A file that needs no code of others needs none. True
        allows everything, for files of your own.

    Returns
    -------
    selector, classifier or Pipeline
        With the same parameters, attributes and results as before.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
        There is no such file, or it cannot be read.
    protopick.storage.DamagedFileError
        It is no file of `save`, or has changed since. A ``ValueError``.
    protopick.storage.ImportNotAllowedError
        It needs an import that is not allowed; the message names all. A ``ValueError``.
    ValueError
        It was written by a newer protopick.
    ImportError
        Something that it needs is not installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from protopick import RandomSelector, ldc, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(RandomSelector(5, random_state=0), ldc()).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     loaded = load(save(model, Path(folder, "iris.protopick")))
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    imports = Imports.allowed_by(allow_imports)
    with _opened(path) as file:
        with _damage_named(path):
            archive = Archive(file)
            header = archive.header()
            version, writer = _versions(header)
        _refuse_other_versions(path, version, writer)
        with _damage_named(path):
            imports.refuse(header["imports"])
            model = Reader({kind.name: kind for kind in KINDS}, archive, imports).value(header["model"])
            for part in _parts(model):
                check_is_fitted(part)
    return model


def _parts(model: Any) -> list[Any]:
    """Return the model, or the steps of a pipeline, if they are what can be saved."""
    parts = [step for _, step in model.steps] if type(model) is Pipeline else [model]
    for part in parts:
        if not isinstance(part, (*OWN, KNeighborsClassifier)):
            raise TypeError(
                f"model {'is' if part is model else 'has a step'} of type {type_name(part)}, which is not "
                "saved. Pass a fitted selector, ldc(), qdc() or nearest_neighbor(), or a scikit-learn "
                "Pipeline of these. Save other parts by themselves, with skops for instance."
            )
    return parts


def _opened(path: str | os.PathLike[str]) -> IO[bytes]:
    source = Path(path)
    if source.is_dir():
        raise IsADirectoryError(f"path={source} is a folder. Name a file that protopick saved.")
    try:
        return source.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"path={source} is not there. Name a file that protopick saved.") from None
    except OSError as error:
        raise type(error)(f"path={source} cannot be read ({error.strerror}). Name another file.") from error


@contextmanager
def _damage_named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what goes wrong with bytes that `save` did not write into one error.

    zipfile, json, NumPy, Arrow and the constructors of classes have many of their own for it.
    """
    try:
        yield
    except (ImportNotAllowedError, ImportError, MemoryError):
        raise
    except Exception as error:
        is_told = isinstance(error, DamagedFileError)
        reason = (str(error) if is_told else f"{type(error).__name__}: {error}").rstrip(".")
        raise DamagedFileError(
            f"path={Path(path)} is not a file that protopick saved, or has changed since: {reason}. "
            "Name another file, or save the model again."
        ) from error


def _versions(header: Any) -> tuple[int, str]:
    """Return the versions of the format and of the protopick that wrote it."""
    if header["format"] != FORMAT:
        raise DamagedFileError(f"its format is {header['format']!r}")
    version, writer = header["format_version"], header["protopick"]
    if type(version) is not int or not isinstance(writer, str):
        raise DamagedFileError("its header has no versions")
    return version, writer


def _refuse_other_versions(path: str | os.PathLike[str], version: int, writer: str) -> None:
    from protopick import __version__

    if version != FORMAT_VERSION or _release(writer) > _release(__version__):
        raise ValueError(
            f"path={Path(path)} has version {version} of the format and was written by protopick {writer}. "
            f"This is protopick {__version__}, which reads version {FORMAT_VERSION} and no files of a newer "
            f"one. Install protopick {writer}, or save the model again."
        )


def _release(version: str) -> list[int]:
    numbers = re.match(r"\d+(\.\d+)*", version)
    return [int(number) for number in numbers[0].split(".")] if numbers else []
