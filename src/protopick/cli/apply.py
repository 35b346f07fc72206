"""``protopick apply``: dissimilarity features, or classes, of new objects."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Annotated, Any

import numpy as np
import typer
from sklearn.pipeline import Pipeline

from protopick.cli.command import command, note, outputs, progress_console
from protopick.cli.files import Data, FileError, Request, read
from protopick.cli.options import Json, Reading, Running, check_ending
from protopick.output import whole_file
from protopick.report.text import several
from protopick.storage import load


@command
def apply(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="What `protopick pick --save` wrote.", show_default=False)
    ],
    reading: Reading,
    running: Running,
    predict: Annotated[bool, typer.Option("--predict", help="Tell the class of each object.")] = False,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where to write: .csv, .npy or - for standard output.", show_default=False
        ),
    ] = None,
    allow_imports: Annotated[
        bool, typer.Option("--allow-imports", help="Let the model import functions that it names.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Map new objects to their dissimilarities to the prototypes, or with --predict to their class.

    Writes features.csv or predictions.csv, one line for each object. Its columns prototype1, prototype2
    and so on are the dissimilarities to the prototypes of rank 1, 2 and so on in prototypes.csv. With
    --predict and --labels, the error is reported.

    Example: protopick apply flowers.model new.csv --predict
    """
    unnamed = None if out else "predictions.csv" if predict else "features.csv"
    out = out or str(unnamed)
    if out == "-" and as_json:
        raise ValueError("--json and --out - both write to standard output. Leave one of them out.")
    reading.check_outputs({"--out": out}, model)
    check_ending("--out", out, ".csv", ".npy")
    if reading.labels is not None and not predict:
        raise ValueError("--labels tells the error of --predict. Pass --predict too, or leave --labels out.")
    selector, classifier = _parts(load(model, allow_imports=allow_imports), model, predict)
    with running.limits(), progress_console().status("Comparing with the prototypes ..."):
        selector.set_params(n_jobs=running.jobs)
        data = _read(reading.request(), selector)
        space = selector.transform(data.X)
        classes = classifier.predict(space) if predict else None
    for remark in data.found.notes:
        note(remark)
    result: dict[str, Any] = {"data": data.name, "n_objects": data.n, "written": out}
    if classes is not None and data.labels is not None:
        result["error"] = _error(classes, data.labels.astype(str), classifier.classes_)
    with outputs(unnamed):
        _write(out, data, space[:, selector.order_], classes)
        if out != "-":
            _show(result, selector, as_json)


def _error(classes: np.ndarray, labels: np.ndarray, known: np.ndarray) -> float:
    known = known.astype(str)
    if not np.isin(labels, known).any():
        raise ValueError(
            f"None of the labels is a class of the model: they are such as {str(labels[0])!r}, its classes "
            f"such as {str(known[0])!r}. Pass the --labels, and --label-names, that it was picked with."
        )
    return float(np.mean(classes.astype(str) != labels))


def _parts(model: Any, path: str, predict: bool) -> tuple[Any, Any]:
    """Return the selector and the classifier of a model."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    if not hasattr(steps[0], "prototype_indices_"):
        raise ValueError(f"{path} holds no prototypes, but a {type(steps[0]).__name__}.")
    if predict and len(steps) == 1:
        raise ValueError(
            f"{path} knows no classes, so --predict cannot tell any. Pick again with --labels and --save."
        )
    return steps[0], steps[-1]


def _read(request: Request, selector: Any) -> Data:
    """Read the columns that the model compares, whatever else is in the file."""
    names = getattr(selector, "feature_names_in_", None)
    columns = None if names is None else [str(name) for name in names]
    data = read(replace(request, model_columns=columns), selector.metric)
    _check_width(data, request, selector, columns)
    if names is not None and not hasattr(data.X, "columns"):
        del selector.feature_names_in_  # they were looked up; only a table has some to compare
    return data


def _check_width(data: Data, request: Request, selector: Any, columns: list[str] | None) -> None:
    """Refuse rows of more or fewer columns than the model compares."""
    shape = tuple(getattr(data.X, "shape", ()))
    fitted = getattr(selector, "n_features_in_", None)
    if fitted is None or len(shape) != 2 or shape[1] == fitted:
        return
    those = f": {', '.join(map(repr, columns))}" if columns is not None and len(columns) == fitted else ""
    given = f"{shape[1]} column{'s' * (shape[1] != 1)}, but the model compares {fitted}{those}"
    if request.columns:
        raise FileError(f"--columns names {given}. Name that many, or leave --columns out.")
    if data.found.image_shape is not None:
        raise FileError(
            f"{request.file} holds pictures of {shape[1]} numbers, but the model compares {fitted}. Pass "
            "pictures of the size and the colours that it was picked with; --image-size scales those of a "
            "folder."
        )
    raise FileError(f"{request.file} has {given}. Pass a file with as many, or choose them by --columns.")


def _write(out: str, data: Data, space: np.ndarray, classes: np.ndarray | None) -> None:
    if out.lower().endswith(".npy"):
        with whole_file(out, "wb", name="--out") as file:
            np.save(file, space if classes is None else classes, allow_pickle=False)
    elif out == "-":
        _write_lines(sys.stdout, data, space, classes)
    else:
        with whole_file(out, name="--out") as file:
            _write_lines(file, data, space, classes)


def _write_lines(file: IO[str], data: Data, space: np.ndarray, classes: np.ndarray | None) -> None:
    writer = csv.writer(file, lineterminator="\n")
    first = ["index"] if data.ids is None else ["index", "id"]
    features = ["class"] if classes is not None else [f"prototype{j + 1}" for j in range(space.shape[1])]
    writer.writerow(first + features)
    writer.writerows(_lines(data, space, classes))


def _lines(data: Data, space: np.ndarray, classes: np.ndarray | None) -> Iterator[list[Any]]:
    for i in range(data.n):
        first = [i] if data.ids is None else [i, data.ids[i]]
        yield [*first, *(space[i].tolist() if classes is None else [classes[i]])]


def _show(result: dict[str, Any], selector: Any, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    k = len(selector.prototype_indices_)
    objects, prototypes = several(result["n_objects"], "object"), several(k, "prototype")
    typer.echo(f"{objects} of {result['data']}, by {prototypes}.")
    if "error" in result:
        typer.echo(f"Error against the labels: {100 * result['error']:.2f} %")
    typer.echo(f"Written: {result['written']}")
