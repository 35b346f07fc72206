"""The options that several commands share, and what they stand for."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn import config_context

from protopick.classifiers import ldc, nearest_neighbor, qdc
from protopick.cli.command import note, progress_console
from protopick.cli.files import FORMATS, Data, Request, read
from protopick.cli.files.source import Options
from protopick.criteria import CRITERIA
from protopick.dissimilarity import METRICS, resolve
from protopick.output import check_writable, is_written_into
from protopick.selectors.pick import METHODS

CLASSIFIERS = {"ldc": ldc, "qdc": qdc, "1-nn": nearest_neighbor}
USUAL_CLASSIFIER = "qdc"

_ENDINGS = " ".join(f".{name}" for name in FORMATS if name != "folder")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")  # as JSON writes it
_LITERALS = {"True": "true", "False": "false", "None": "null", "inf": "Infinity"}
_UNITS = {"": 1 / 2**20, "K": 1 / 2**10, "M": 1, "G": 2**10, "T": 2**20}


def _option(panel: str, help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


def _reading(help: str, *names: str, **more: Any) -> Any:
    return _option("What to read", help, *names, **more)


def _picking(help: str, **more: Any) -> Any:
    return _option("How to pick", help, **more)


def _running(help: str, **more: Any) -> Any:
    return _option("How to run", help, **more)


Device = Annotated[
    str | None, _running("Compare rows of numbers there, such as cuda; needs torch.", metavar="NAME")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


@dataclass(frozen=True)
class Reading:
    """A file, and what the user says about it."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help=f"{_ENDINGS}, a folder of pictures or of Parquet files, or - for standard input.",
            show_default=False,
        ),
    ]
    labels: Annotated[
        str | None,
        _reading(
            "The class of each object: a column or array of the file, or another file.", metavar="COLUMN|FILE"
        ),
    ] = None
    label_names: Annotated[
        str | None,
        _reading(
            "Names of classes that are numbers from 0: an array of the file, or a file.", metavar="ARRAY|FILE"
        ),
    ] = None
    ids: Annotated[
        str | None,
        _reading(
            "What to call each object: a column or array of the file, or a file.", metavar="COLUMN|FILE"
        ),
    ] = None
    columns: Annotated[
        str | None,
        _reading("Compare these columns only: names, or numbers and spans such as 0,4:9.", metavar="A,B,C"),
    ] = None
    array: Annotated[str | None, _reading("Which array of the file holds the objects.", metavar="NAME")] = (
        None
    )
    format: Annotated[str | None, _reading("The format, where the name does not tell.", metavar="NAME")] = (
        None
    )
    header: Annotated[
        bool | None,
        _reading(
            "Whether a table begins with a line of names. By default, a first line of numbers only is none.",
            "--header/--no-header",
        ),
    ] = None
    image_size: Annotated[
        str | None, _reading("Scale pictures to this size, such as 64x48.", metavar="WxH")
    ] = None

    def check_outputs(self, outputs: dict[str, str | None], *more: str) -> None:
        """Check, before the work, that all can be written, and that nothing that is read is replaced."""
        named = {option: path for option, path in outputs.items() if path is not None and path != "-"}
        read = {
            os.path.realpath(path)
            for path in (self.file, self.labels, self.label_names, self.ids, *more)
            if path
        }
        taken: dict[str, str] = {}
        for option, path in named.items():
            check_writable(path, option)
            if is_written_into(path):
                continue  # such as /dev/null, which takes more than one result
            real = os.path.realpath(path)
            if real in read:
                raise ValueError(f"{option}={path} would replace a file that is read. Name another.")
            if real in taken:
                raise ValueError(f"{taken[real]} and {option} name the same file. Name different ones.")
            taken[real] = option

    def request(self) -> Request:
        """Return what to read."""
        if self.label_names is not None and self.labels is None:
            raise ValueError("--label-names names the classes of --labels. Pass both, or leave it out.")
        columns = None
        if self.columns is not None:
            parts = next(csv.reader([self.columns], skipinitialspace=True), [])  # a name may hold a comma
            columns = [name.strip() for name in parts if name.strip()]
            if not columns:
                raise ValueError(f"--columns={self.columns!r} names no column.")
        options = Options(self.array, self.header, _size(self.image_size))
        beside = self.labels, self.label_names, self.ids
        return Request(self.file, *beside, columns, self.format, options=options)

    def data(self, metric: str | None) -> Data:
        """Read the file, and pass on what is to be said about it."""
        request = self.request()
        with progress_console().status(f"Reading {self.file} ..."):
            data = read(request, metric)
        for remark in data.found.notes:
            note(remark)
        return data


def check_ending(
    option: str, path: str, *endings: str, or_stdout: bool = True, or_none: bool = False
) -> None:
    """Refuse a file whose name promises a format that is not written; a device or a stream has no ending."""
    ending = Path(path).suffix.lower()
    is_fine = or_stdout if path == "-" else ending in endings or (or_none and not ending)
    if is_fine or is_written_into(path):
        return
    raise ValueError(
        f"{option}={path} is not allowed. Name a file that ends in {' or '.join(endings)}"
        f"{', or -' if or_stdout else ''}."
    )


def check_report(path: str | None) -> None:
    """Refuse a name that does not promise a page."""
    if path is not None:
        check_ending("--report", path, ".html", ".htm", or_stdout=False)


@dataclass(frozen=True)
class Comparing:
    """How two objects are compared."""

    metric: Annotated[
        str | None,
        _picking("`protopick metrics` lists them. By default what suits the file.", metavar="NAME"),
    ] = None
    metric_param: Annotated[
        list[str] | None,
        _picking(
            "A parameter of the metric, its value in JSON: window=0.1, normalized=true, 'weights=[1,2,2]', "
            '\'categorical=["a","b"]\'. May be repeated.',
            metavar="NAME=JSON",
        ),
    ] = None

    def check(self) -> None:
        """Check the name before the file is read."""
        if self.metric is not None and self.metric not in METRICS:
            resolve(self.metric)  # knows what to say

    def chosen(self, data: Data) -> dict[str, Any]:
        """Return ``metric`` and ``metric_params``."""
        metric = self.metric or data.found.metric
        params = parameters_of(self.metric_param or ())
        resolve(metric, params)  # refuses what the metric does not take
        return {"metric": metric, "metric_params": params or None}


@dataclass(frozen=True)
class Picking:
    """How the prototypes are searched."""

    method: Annotated[str, _picking("`protopick methods` lists them.", metavar="NAME")] = "auto"
    criterion: Annotated[
        str | None,
        _picking("What genetic and swap maximise; `protopick methods` lists them.", metavar="NAME"),
    ] = None
    pivots: Annotated[
        int | None,
        _picking(
            "Search on the dissimilarities to so many objects: 64 for a slow metric.", metavar="N", min=1
        ),
    ] = None
    per_class: Annotated[
        int | None, _picking("At least so many prototypes of each class.", metavar="N", min=1)
    ] = None
    classifier: Annotated[
        str | None,
        _picking("What they are for, with --labels: ldc, qdc or 1-nn; qdc by default.", metavar="NAME"),
    ] = None

    @property
    def trains(self) -> str:
        """The name of the classifier."""
        return self.classifier or USUAL_CLASSIFIER

    def check(self, labelled: bool) -> None:
        """Check the names, and what only labels allow, before the file is read."""
        for option, value, allowed in (
            ("--method", self.method, METHODS),
            ("--criterion", self.criterion, CRITERIA),
            ("--classifier", self.classifier, CLASSIFIERS),
        ):
            if value is not None and value not in allowed:
                raise ValueError(f"{option}={value} is not known. Allowed are {', '.join(allowed)}.")
        if self.criterion is not None and self.method not in ("genetic", "swap"):
            raise ValueError(f"--criterion applies to --method genetic and swap, not to {self.method}.")
        for option, given in (("--per-class", self.per_class), ("--classifier", self.classifier)):
            if given is not None and not labelled:
                raise ValueError(f"{option} needs to know the classes. Pass --labels, or leave {option} out.")

    def parameters(self, labelled: bool) -> dict[str, Any]:
        """Return the parameters that not all selectors have."""
        more: dict[str, Any] = {}
        if self.method in ("genetic", "swap"):
            unsupervised = "spanning-tree" if self.method == "genetic" else "coverage"
            more["criterion"] = self.criterion or ("label-match" if labelled else unsupervised)
        if self.method == "auto" and labelled:
            more["estimator"] = CLASSIFIERS[self.trains]()
        has = METHODS[self.method]().get_params()
        for option, name, value in (
            ("--pivots", "n_pivots", self.pivots),
            ("--per-class", "per_class", self.per_class),
        ):
            if value is not None and name not in has:
                raise ValueError(f"{option} does not apply to --method {self.method}. Leave it out.")
            if value is not None:
                more[name] = value
        return more


@dataclass(frozen=True)
class Running:
    """What the machine may do."""

    seed: Annotated[int, _running("The same seed gives the same result.", metavar="N", min=0)] = 0
    jobs: Annotated[int | None, _running("Threads or processes; -1 for one on each core.", metavar="N")] = (
        None
    )
    memory: Annotated[
        str | None, _running("Memory beside the data, such as 500M or 4G. 1G by default.", metavar="SIZE")
    ] = None

    @contextmanager
    def limits(self) -> Iterator[None]:
        """Let the engine use so much memory."""
        if self.memory is None:
            yield
            return
        with config_context(working_memory=mebibytes(self.memory)):
            yield


def parameters_of(texts: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Return ``name=value`` texts, the values in JSON, as parameters.

    Examples
    --------
    >>> parameters_of(["window=0.1", "normalized=true", "weights=[1, 2]"])
    {'window': 0.1, 'normalized': True, 'weights': [1, 2]}
    """
    params = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ValueError(f"--metric-param={text} is not allowed. Pass name=value, such as window=0.1.")
        try:
            params[name.strip()] = json.loads(value)
        except ValueError as error:
            raise ValueError(
                f"--metric-param={text} is not allowed, since its value is no JSON. Pass a number, true, "
                f"false, null, or a list in quotes, such as {_as_json(name.strip(), value)}."
            ) from error
    return params


def _as_json(name: str, value: str) -> str:
    """Return what a user probably meant, in JSON and the quotes that a shell needs.

    Examples
    --------
    >>> print(_as_json("weights", "1,2"), _as_json("categorical", "[a, b]"), _as_json("normalized", "True"))
    'weights=[1,2]' 'categorical=["a","b"]' normalized=true
    """
    if value in _LITERALS:
        return f"{name}={_LITERALS[value]}"
    parts = [part.strip("\"' ") for part in value.strip("()[] ").split(",")]
    as_json = [part if _NUMBER.fullmatch(part) else json.dumps(part) for part in parts]
    return shlex.quote(f"{name}=[{','.join(as_json)}]")


def whole_number_or_auto(text: str) -> int | str:
    """Return what ``-k`` says."""
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"-k {text} is not allowed. Pass a whole number of at least 1, or auto.")
    return int(text)


def mebibytes(text: str) -> int:
    """Return a size such as 500M or 4G in units of 2^20 bytes.

    Examples
    --------
    >>> mebibytes("4G"), mebibytes("1.5 GB")
    (4096, 1536)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)i?B?\s*", text, re.IGNORECASE)
    size = float(found[1]) * _UNITS[found[2].upper()] if found else 0.0
    if size < 1:
        raise ValueError(f"--memory={text} is not allowed. Pass a size of at least 1M, such as 500M or 4G.")
    return math.floor(size)


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,4})[x*]([1-9][0-9]{0,4})", text)
    if found is None:
        raise ValueError(f"--image-size={text} is not allowed. Pass width and height, such as 64x48.")
    return int(found[1]), int(found[2])
