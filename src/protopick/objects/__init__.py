"""Where the objects live. Anything with a length, slices and index arrays will do."""

from protopick.objects.checked import checked, checked_labels
from protopick.objects.chunked import Chunked, ChunkedValues
from protopick.objects.noted import note_columns
from protopick.objects.on_dask import is_dask, mapped
from protopick.objects.ragged import Ragged
from protopick.objects.sequence import Objects, ObjectSequence, as_objects
from protopick.objects.stored import Stored
from protopick.objects.subset import Subset
from protopick.objects.table import Table
from protopick.objects.taken import take
from protopick.objects.tensors import TensorRows, host_array

__all__ = [
    "Chunked",
    "ChunkedValues",
    "ObjectSequence",
    "Objects",
    "Ragged",
    "Stored",
    "Subset",
    "Table",
    "TensorRows",
    "as_objects",
    "checked",
    "checked_labels",
    "host_array",
    "is_dask",
    "mapped",
    "note_columns",
    "take",
]
