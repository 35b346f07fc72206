"""The file: a zip of a JSON header and ``.npy`` members, nothing of it compressed."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

HEADER = "header.json"
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes, whenever it is saved
_UNIX = 3
_ENCRYPTED = 1


class DamagedFileError(ValueError):
    """A file that `protopick.save` did not write, or that has changed since."""


def array_member(number: int) -> str:
    """Return the name of the member that holds an array."""
    return f"arrays/{number}.npy"


def write_archive(file: IO[bytes], header: Any, arrays: Sequence[np.ndarray]) -> None:
    """Write the header, then the arrays in the order of their numbers."""
    text = json.dumps(header, allow_nan=False).encode()
    with ZipFile(file, "w", ZIP_STORED) as archive:
        with archive.open(_member(HEADER, len(text)), "w") as stream:
            stream.write(text)
        for number, array in enumerate(arrays):
            with archive.open(_member(array_member(number), array.nbytes), "w") as stream:
                npy.write_array(stream, array, allow_pickle=False)


def _member(name: str, size: int) -> ZipInfo:
    member = ZipInfo(name, _FIRST_DATE)
    member.create_system = _UNIX
    member.file_size = size  # tells whether it needs the form for more than 2 GiB
    return member


class Archive:
    """An open file, whose members have the sizes that they declare.

    As nothing is compressed, no member can be larger than the file, so a small file cannot fill the
    memory.
    """

    def __init__(self, file: IO[bytes]) -> None:
        size = file.seek(0, os.SEEK_END)
        self._zip = ZipFile(file)
        members = self._zip.infolist()
        self._sizes = {member.filename: member.file_size for member in members}
        if len(self._sizes) < len(members):
            raise DamagedFileError("two of its members have the same name")
        for member in members:
            if member.compress_type != ZIP_STORED or member.flag_bits & _ENCRYPTED:
                raise DamagedFileError(f"its member {member.filename} is compressed or encrypted")
        if sum(self._sizes.values()) > size:
            raise DamagedFileError("its members declare more bytes than the file has")

    def header(self) -> Any:
        """Return the header."""
        if HEADER not in self._sizes:
            raise DamagedFileError("it has no header")
        return json.loads(self._zip.read(HEADER), parse_constant=_refuse_constant)

    def array(self, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        """Return the array of a member if it is what the header says."""
        if name not in self._sizes:
            raise DamagedFileError(f"its member {name} is missing")
        with self._zip.open(name) as stream:
            found = _declared(stream)
            holds = self._sizes[name] - stream.tell()
        # Checked before a byte of it is read: NumPy makes room for what the member declares.
        if found != (dtype, shape) or holds != dtype.itemsize * math.prod(shape):
            raise DamagedFileError(f"its member {name} is not the array of {dtype} and {shape} it should be")
        with self._zip.open(name) as stream:
            return np.asarray(npy.read_array(stream, allow_pickle=False))


def _declared(stream: IO[bytes]) -> tuple[np.dtype, tuple[int, ...]]:
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(stream)
    return dtype, shape


def _refuse_constant(name: str) -> None:
    raise DamagedFileError(f"its header holds {name}")
