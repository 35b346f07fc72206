"""Dissimilarities, and other objects that are wholly told by the fields of their dataclass."""

from __future__ import annotations

import dataclasses
from typing import Any

from protopick.storage.archive import DamagedFileError
from protopick.storage.classes import read_class, write_class
from protopick.storage.values import Kind, Reader, Writer, type_name


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _write(value: Any, to: Writer, where: str) -> Any:
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
    others = set(getattr(value, "__dict__", fields)) - set(fields)
    if others:
        raise TypeError(
            f"{where} is of type {type_name(value)}, which has {sorted(others)} beside the fields that its "
            "dataclass is made of. save keeps these fields only: make all attributes such fields."
        )
    return {"class": write_class(type(value), to, where), "fields": to.named(fields, where)}


def _read(body: Any, of: Reader) -> Any:
    kind = read_class(body["class"], of)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise DamagedFileError(f"its header takes {body['class']} for a dataclass")
    return kind(**of.named(body["fields"]))


RECORDS = (Kind("record", _is_record, _write, _read),)
