"""Arrays and data frames of Dask: the one file that knows Dask."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn import get_config

from protopick.checks import rounding_below_zero
from protopick.objects.chunked import Chunked, ChunkedValues
from protopick.objects.parquet import RowGroups
from protopick.objects.stored import Stored, is_large

_MEMORY_SHARE = 4
"""One in so many bytes of a worker may be taken by kept columns, if ``working_memory`` allows for more."""


def is_dask(X: Any) -> bool:
    """Say whether ``X`` is an array, a data frame or a series of Dask, without importing it."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def is_dask_frame(X: Any) -> bool:
    """Say whether it is a data frame or a series."""
    return is_dask(X) and hasattr(X, "map_partitions") and hasattr(X, "divisions")


class OnClient:
    """The workers of a `distributed.Client`.

    Chunks stay where they are: the scheduler is told on which worker to run a task, as long as that worker
    lives. It takes in new tasks with some delay; until it has, nobody else keeps what they need.
    """

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            raise ValueError("The Dask client is asynchronous, but fit waits. Use a synchronous client.")
        self._client = client
        self._lock = threading.Lock()
        self._homes: WeakKeyDictionary[Any, str] = WeakKeyDictionary()  # of the chunks, and of what they gave
        self._begun: list[tuple[Any, Any]] = []  # a task, and what it and its like need
        client.wait_for_workers(1)
        self.n_workers = len(client.nthreads())
        known = client.scheduler_info()["workers"].values()  # perhaps not of all
        self.memory = self.n_workers * min(_budget(worker.get("memory_limit")) for worker in known)

    def each(self, function: Callable[..., Any], *chunks: Sequence[Any], **same: Any) -> list[Any]:
        if not len(chunks[0]):
            return []
        homes = [self._home(args) for args in zip(*chunks, strict=True)]
        return self._begin(homes, function, chunks, same)

    def alongside(self, chunks: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        # Copies of one result would not do: the scheduler takes those away that no task waits for.
        homes = [self._home((chunk,)) for chunk in chunks]
        distinct = sorted(set(homes))
        tasks = self._begin(distinct, function, [[arg] * len(distinct) for arg in args], {})
        of = dict(zip(distinct, tasks, strict=True))
        return [of[home] for home in homes]

    def _begin(
        self,
        homes: list[str],
        function: Callable[..., Any],
        args: Sequence[Sequence[Any]],
        same: dict[str, Any],
    ) -> list[Any]:
        """Begin a task for each of ``homes``, which are workers, "" where any will do."""
        from dask.base import annotate

        self._refuse_closed()
        told = {"workers": Homes(homes), "allow_other_workers": True} if all(homes) else {}
        with annotate(**told):
            tasks = self._client.map(function, *map(list, args), pure=False, key=_name(function), **same)
        self._keep(tasks[0], (args, same))
        if told:
            self._homes.update(zip(tasks, homes, strict=True))
        return tasks

    def one(self, function: Callable[..., Any], *args: Any) -> Any:
        self._refuse_closed()
        task = self._client.submit(function, *args, pure=False, key=f"{_name(function)}-{_unique()}")
        self._keep(task, args)
        return task

    def gather(self, references: Sequence[Any]) -> list[Any]:
        self._refuse_closed()
        try:
            return self._client.gather(list(references))
        except CancelledError:
            self._refuse_closed()
            raise

    def blocks(self, X: Any) -> list[Any]:
        """Return references to the blocks of an array, which the workers hold from now on."""
        from dask.core import flatten
        from distributed import futures_of, wait

        persisted = self._client.persist(X)
        by_key = {future.key: future for future in futures_of(persisted)}
        blocks = [by_key[key] for key in flatten(persisted.__dask_keys__())]
        with self._client.as_current():
            wait(blocks)
        for key, addresses in self._client.who_has(blocks).items():
            if addresses and key in by_key:
                self._homes[by_key[key]] = addresses[0]
        return blocks

    def compute(self, lazy: Sequence[Any]) -> list[Any]:
        """Return what lazy objects stand for."""
        return self._client.compute(list(lazy), sync=True)

    def _home(self, args: tuple[Any, ...]) -> str:
        """Return where the first argument is that has a home, "" where that is not known."""
        from distributed import Future

        found = (self._homes.get(arg, "") for arg in args if isinstance(arg, Future))
        return next(filter(None, found), "")

    def _keep(self, task: Any, needed: Any) -> None:
        with self._lock:
            self._begun = [(other, kept) for other, kept in self._begun if not other.done()]
            self._begun.append((task, needed))

    def _refuse_closed(self) -> None:
        if self._client.status != "running":
            raise RuntimeError(
                "The Dask client that holds the chunks is closed. Keep it open until fit returns, or fit "
                "anew with an open client."
            )


class Homes:
    """Tells the scheduler on which worker to run each of some tasks, which are numbered."""

    def __init__(self, homes: Sequence[str]) -> None:
        self._addresses = sorted(set(homes))
        place = {address: i for i, address in enumerate(self._addresses)}
        self._homes = np.array([place[home] for home in homes], np.uint16)

    def __call__(self, key: str) -> str:
        return self._addresses[self._homes[int(key.rpartition("-")[2])]]


class OnThreads:
    """Threads of this process, by Dask's threaded scheduler: a reference is what it stands for."""

    n_workers = 1

    def __init__(self) -> None:
        self.memory = _budget(None)

    def each(self, function: Callable[..., Any], *chunks: Sequence[Any], **same: Any) -> list[Any]:
        import dask.threaded

        calls = [partial(function, *args, **same) for args in zip(*chunks, strict=True)]
        graph = {f"chunk-{i}": (call,) for i, call in enumerate(calls)}
        return list(dask.threaded.get(graph, list(graph)))

    def one(self, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)

    def alongside(self, chunks: Sequence[Any], function: Callable[..., Any], *args: Any) -> list[Any]:
        return [function(*args)] * len(chunks)

    def gather(self, references: Sequence[Any]) -> list[Any]:
        return list(references)

    def blocks(self, X: Any) -> list[Any]:
        """Return the blocks of an array."""
        return self.compute(X.to_delayed().ravel())

    def compute(self, lazy: Sequence[Any]) -> list[Any]:
        """Return what lazy objects stand for."""
        from dask.base import compute

        return list(compute(*lazy, scheduler="threads"))


def as_chunked(
    X: Any, allows_nan: bool, *, is_matrix: bool = False, any_values: bool = False
) -> Chunked | Stored:
    """Return an array or a data frame of Dask as rows that stay with the workers, or say what is wrong.

    Without a client, rows that half of the working memory does not hold are computed whenever they are
    needed.
    """
    workers = _workers(X)
    array = _numbers_of(X) if is_dask_frame(X) else X
    if len(array.shape) != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"X is a Dask array of shape {array.shape} and dtype {array.dtype}, but metric compares rows of "
            "numbers. Pass two dimensions of numbers."
        )
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    if not is_dask_frame(X):
        _refuse_unknown(array, "X")
    if isinstance(workers, OnThreads) and not is_dask_frame(X) and is_large(array.nbytes):
        return _on_demand(array, allows_nan)
    blocks, lengths = _held(array, workers)
    width = array.shape[1]
    _refuse_empty(sum(lengths), width)
    edges = np.cumsum([0, *lengths])
    if not any_values:
        _refuse_wrong(workers, blocks, edges, allows_nan, is_matrix)
    original = partial(_rows_of_frame, X, workers) if is_dask_frame(X) else None
    return Chunked(workers, blocks, edges, array.dtype, width, original)


def labels_in_chunks(y: Any, rows: Chunked) -> ChunkedValues:
    """Return labels in an array or a series of Dask as values beside the rows they belong to."""
    array = y
    if is_dask_frame(y):
        array = (y if isinstance(getattr(y, "dtype", None), np.dtype) else y.astype(object)).to_dask_array()
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got a Dask array of {array.ndim} dimensions.")
    if not is_dask_frame(y):
        _refuse_unknown(array, "y")
    blocks, lengths = _held(array, rows.workers)
    expected = np.diff(rows.edges).tolist()
    if sum(lengths) != len(rows):
        raise ValueError(
            f"y has {sum(lengths)} labels, but X has {len(rows)} objects. Pass one label for each object."
        )
    if lengths != expected:
        raise ValueError(
            f"y has chunks of {_some(lengths)} labels, but X has chunks of {_some(expected)} rows. Pass "
            "y.rechunk(X.chunks[0]), or partitions that were made alike."
        )
    beside = rows.workers.each(_beside, rows.chunks, blocks)
    return ChunkedValues(rows.workers, beside, rows.edges, array.dtype)


def mapped(X: Any, function: Callable[[Any], np.ndarray], width: int, dtype: np.dtype) -> Any:
    """Return a lazy array of what ``function`` makes of each block of rows: ``width`` numbers for a row."""
    array = _numbers_of(X) if is_dask_frame(X) else X
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})
    name, meta = f"transform-{_unique()}", np.empty((0, width), dtype)
    chunks = array.chunks[0], (width,)
    return array.map_blocks(
        partial(_of_block, function, meta), chunks=chunks, dtype=dtype, meta=meta, name=name
    )


def names_of(X: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame."""
    return list(X.columns) if is_dask_frame(X) else None


def _workers(X: Any) -> Any:
    """Return the workers of the client that holds X, of the active client, or threads."""
    try:
        from distributed import default_client, futures_of
    except ImportError:
        return OnThreads()
    for future in futures_of(X):
        if future.client.status != "running":
            raise ValueError(
                "X is held by a Dask client that is closed. Open a client, and make X anew with it."
            )
        return OnClient(future.client)
    try:
        return OnClient(default_client())
    except ValueError:  # there is none
        return OnThreads()


def _numbers_of(X: Any) -> Any:
    """Return a data frame as an array of numbers."""
    if X.ndim != 2:
        raise ValueError("X is a series of Dask. Pass a data frame, or an array of two dimensions.")
    kinds = []
    for name, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "O") not in "biuf":
            raise ValueError(
                f"X has the column {name!r} of {dtype}, but metric compares rows of numbers. Leave it "
                "out, or pass X.compute() with metric='gower'."
            )
        kinds.append(dtype if isinstance(dtype, np.dtype) else np.dtype(np.float64))
    dtype = np.result_type(*kinds) if kinds else np.dtype(np.float64)
    return X.astype(dtype).to_dask_array()


def _rows_of_frame(X: Any, workers: Any, which: np.ndarray) -> Any:
    """Return rows of a data frame, of which these partitions are computed once more."""
    from dask.dataframe.dispatch import concat
    from dask.delayed import delayed

    parts = X.to_delayed()
    lengths = workers.compute([delayed(len)(part) for part in parts])
    edges = np.cumsum([0, *lengths])
    of = np.searchsorted(edges, which, side="right") - 1
    rows = [delayed(_row)(parts[i], int(row - edges[i])) for i, row in zip(of, which, strict=True)]
    return concat(workers.compute(rows))


def _row(frame: Any, i: int) -> Any:
    return frame.iloc[[i]]


def _on_demand(array: Any, allows_nan: bool) -> Stored:
    """Return rows whose blocks are computed one at a time, by several threads."""
    blocks = [partial(block.compute, scheduler="threads") for block in array.to_delayed().ravel()]
    rows = RowGroups(list(zip(array.chunks[0], blocks, strict=True)), array.shape[1], array.dtype)
    return Stored(array.shape, array.dtype, rows.read, allows_nan, max(array.chunks[0]))


def _refuse_unknown(array: Any, name: str) -> None:
    if np.isnan(array.shape[0]):
        raise ValueError(
            f"{name} has chunks of unknown sizes, but objects are told by their numbers. "
            f"Call {name}.compute_chunk_sizes() first."
        )


def _held(array: Any, workers: Any) -> tuple[list[Any], list[int]]:
    """Return the blocks of an array that are not empty, and their lengths."""
    lengths = list(array.chunks[0])
    blocks = workers.blocks(array)
    if any(np.isnan(lengths)):
        lengths = workers.gather(workers.each(len, blocks))
    full = [i for i, n in enumerate(lengths) if n]
    return [blocks[i] for i in full], [int(lengths[i]) for i in full]


def _refuse_empty(n: int, width: int) -> None:
    if n == 0 or width == 0:
        raise ValueError(f"X has the shape {(n, width)}, expected at least 1 row and 1 column.")


def _refuse_wrong(
    workers: Any, blocks: list[Any], edges: np.ndarray, allows_nan: bool, is_matrix: bool
) -> None:
    """Have the workers look for values that may not be."""
    look = partial(_wrong_value, allows_nan=allows_nan, may_be_negative=not is_matrix)
    found = workers.gather(workers.each(look, blocks))
    for first, wrong in zip(edges[:-1], found, strict=True):
        if wrong is not None:
            row, column, value = wrong
            needs = "dissimilarities of 0 or more" if is_matrix else "finite numbers"
            raise ValueError(
                f"X[{first + row}, {column}] is {value}, but metric needs {needs}. "
                "Mend or leave out such rows."
            )


def _wrong_value(block: np.ndarray, *, allows_nan: bool, may_be_negative: bool) -> Any:
    """Return the place of the first value that may not be, and the value."""
    wrong = np.zeros(0, bool)
    if block.dtype.kind == "f" and not np.isfinite(block.sum(dtype=np.float64)):
        wrong = np.isinf(block) if allows_nan else ~np.isfinite(block)
    if not wrong.any() and not may_be_negative and block.min() < 0:
        wrong = block < -rounding_below_zero(block.dtype, float(block.max()))
    if not wrong.any():
        return None
    row, column = np.argwhere(wrong)[0]
    return int(row), int(column), block[row, column]


def _beside(rows: Any, values: Any) -> np.ndarray:
    """Return values on the worker that has the rows."""
    return np.asarray(values)


def _of_block(function: Callable[[Any], np.ndarray], empty: np.ndarray, block: Any) -> np.ndarray:
    return function(block) if len(block) else empty


def _budget(memory_limit: int | None) -> int:
    wanted = int(get_config()["working_memory"] * 2**20)
    return min(wanted, memory_limit // _MEMORY_SHARE) if memory_limit else wanted


def _unique() -> str:
    return uuid.uuid4().hex


def _name(function: Any) -> str:
    """Return what tasks are called in Dask's diagnostics."""
    while isinstance(function, partial):
        function = function.func
    return f"protopick-{function.__name__.strip('_')}"


def _some(lengths: list[int]) -> str:
    shown = ", ".join(map(str, lengths[:5]))
    return shown if len(lengths) <= 5 else f"{shown}, ..."
