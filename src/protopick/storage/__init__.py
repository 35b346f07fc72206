"""Save a fitted selector to one file of plain arrays, and load it again; no pickle."""

from protopick.storage.archive import DamagedFileError
from protopick.storage.imports import ImportNotAllowedError
from protopick.storage.models import load, save

__all__ = ["DamagedFileError", "ImportNotAllowedError", "load", "save"]
