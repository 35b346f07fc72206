"""Where the objects live. Anything with a length, slices and index arrays will do."""

from protopick.objects.checked import checked
from protopick.objects.sequence import Objects, ObjectSequence, as_objects
from protopick.objects.subset import Subset

__all__ = ["ObjectSequence", "Objects", "Subset", "as_objects", "checked"]
