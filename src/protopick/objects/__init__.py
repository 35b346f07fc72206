"""Where the objects live. Anything with a length, slices and index arrays will do."""

from protopick.objects.checked import checked
from protopick.objects.sequence import Objects, ObjectSequence, as_objects

__all__ = ["ObjectSequence", "Objects", "as_objects", "checked"]
