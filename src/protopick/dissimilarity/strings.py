"""Dissimilarities of strings, by RapidFuzz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from protopick.checks import as_array, shown
from protopick.dissimilarity.base import Dissimilarity, only
from protopick.objects import ObjectSequence

_CLASSES = {  # in rapidfuzz.distance
    "levenshtein": "Levenshtein",
    "damerau_levenshtein": "DamerauLevenshtein",
    "osa": "OSA",
    "indel": "Indel",
    "lcs_seq": "LCSseq",
    "string_hamming": "Hamming",
    "jaro": "Jaro",
    "jaro_winkler": "JaroWinkler",
}
_PARAMS = {"levenshtein": ("normalized", "weights"), "jaro": (), "jaro_winkler": ("prefix_weight",)}

_LARGEST_WEIGHT = 1 << 31  # RapidFuzz adds up weights in 64 bits
_SMALL_WEIGHT = 1 << 8  # whose sums float32 holds for strings of up to 65,000 characters

_STRING_BYTES = 64  # of a Python string without its characters, and of the place that names it


@dataclass(frozen=True)
class Strings(Dissimilarity):
    """Edit distances and the like, many pairs a call.

    ``"levenshtein"`` counts insertions, deletions and substitutions, ``weights`` gives what each of
    them costs; ``"damerau_levenshtein"`` and ``"osa"`` also swap neighbours, ``"indel"`` substitutes
    nothing, ``"lcs_seq"`` is the length of the longer string less that of the longest common
    subsequence, and ``"string_hamming"`` counts places that differ, those that only one string has
    included. ``normalized`` divides by the largest value that strings of these lengths can have.
    """

    names: ClassVar[Mapping[str, str]] = {
        "levenshtein": "the fewest insertions, deletions and replacements (weights, normalized)",
        "damerau_levenshtein": "levenshtein with exchanges of neighbours (normalized)",
        "osa": "damerau_levenshtein, no part edited twice (normalized)",
        "indel": "insertions and deletions only (normalized)",
        "lcs_seq": "by the longest common subsequence (normalized)",
        "string_hamming": "the positions that differ; longer ones count (normalized)",
        "jaro": "1 - Jaro similarity, for short strings such as names",
        "jaro_winkler": "jaro with a common prefix counting more (prefix_weight)",
    }
    takes: ClassVar[Any] = "strings"

    name: str = "levenshtein"
    normalized: bool = False
    params: dict[str, Any] = field(default_factory=dict)
    symmetric: bool = True
    dtype: np.dtype = np.dtype(np.float32)  # holds whole numbers up to 16 million

    @classmethod
    def named(cls, name: str, params: Mapping[str, Any]) -> Self:
        params = dict(only(name, params, *_PARAMS.get(name, ("normalized",))))
        normalized = params.pop("normalized", False)
        if not isinstance(normalized, (bool, np.bool_)):
            raise ValueError(
                f"metric_params has normalized={normalized!r}, but metric={name!r} needs true or false there."
            )
        symmetric, dtype = True, cls.dtype
        weights = params.pop("weights", None)
        if weights is not None:
            insert, delete, substitute = _weights(weights)
            symmetric = insert == delete
            params["weights"] = delete, insert, substitute  # RapidFuzz is asked the other way round
            dtype = np.dtype(np.float64) if max(params["weights"]) > _SMALL_WEIGHT else dtype
        weight = params.get("prefix_weight", 0.1)
        if not (isinstance(weight, Real) and 0 <= float(weight) <= 0.25):
            raise ValueError(
                f"metric_params has prefix_weight={weight!r}, allowed are numbers from 0 to 0.25."
            )
        _scorer(name, bool(normalized))  # the library is there
        return cls(name, bool(normalized), params, symmetric, dtype)

    def encoded_bytes(self, objects: Any) -> int:
        if isinstance(objects, ObjectSequence):
            return 0
        return len(objects) * _STRING_BYTES + objects.nbytes // 4

    def encode(self, batch: Any) -> ObjectSequence:
        return batch if isinstance(batch, ObjectSequence) else ObjectSequence(batch.items)

    def block(self, rows: Any, cols: Any, out: np.ndarray, at: np.ndarray, start: int) -> None:
        from rapidfuzz import process

        # RapidFuzz prepares each query once. Columns are few, so they are the queries.
        out[at, start : start + len(rows)] = process.cdist(
            cols.items,
            rows.items,
            scorer=_scorer(self.name, self.normalized),
            scorer_kwargs=self.params or None,
            dtype=self.dtype.type,
            workers=1,
        )


def _scorer(name: str, normalized: bool) -> Any:
    try:
        from rapidfuzz import distance
    except ImportError as error:
        raise ImportError(
            f"metric={name!r} needs RapidFuzz. Install it by: pip install 'protopick[strings]'"
        ) from error
    return getattr(getattr(distance, _CLASSES[name]), "normalized_distance" if normalized else "distance")


def _weights(weights: Any) -> tuple[int, int, int]:
    given = np.ravel(as_array("metric_params['weights']", weights)).tolist()
    whole = [w for w in given if isinstance(w, int) and 0 <= w <= _LARGEST_WEIGHT]
    if len(whole) != 3 or len(given) != 3:
        raise ValueError(
            f"metric_params has weights={shown(weights)}, but metric='levenshtein' needs three whole numbers "
            f"from 0 to {_LARGEST_WEIGHT:,}: what an insertion, a deletion and a substitution cost."
        )
    return whole[0], whole[1], whole[2]
