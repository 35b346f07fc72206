"""Arrays as PNG files, without an image library."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES = {1: 0, 3: 2}  # grey, RGB


def png(pixels: np.ndarray) -> bytes:
    """Return an array of uint8, shape (height, width) or (height, width, 3), as a PNG file.

    Examples
    --------
    >>> png(np.zeros((2, 3), np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width = pixels.shape[:2]
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # the first byte of a row: no filter
    rows[:, 1:] = pixels.reshape(height, -1)
    body = zlib.compress(rows.tobytes(), 9)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def data_uri(pixels: np.ndarray) -> str:
    """Return an array of uint8 as an address that holds its PNG file."""
    return "data:image/png;base64," + b64encode(png(pixels)).decode()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
