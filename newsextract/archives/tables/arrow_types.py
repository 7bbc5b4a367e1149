"""The types of columns in Arrow, from the types that the fields of an article declare."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

_PLAIN: dict[Any, pa.DataType] = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}


def arrow_type(kind: Any) -> pa.DataType:
    """Return the type of a column for a declared type: parts are structs, tables of names are lists of pairs.

    Maps exist in Arrow, but few readers of Parquet take them.

    >>> arrow_type(list[str]), arrow_type(dict[str, str])
    (ListType(list<item: string>), ListType(list<item: struct<name: string, value: string>>))
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return arrow_type(next(argument for argument in arguments if argument is not NoneType))
    if origin is Literal:
        return _PLAIN[type(arguments[0])]
    if origin in (list, tuple):
        return pa.list_(arrow_type(arguments[0]))
    if origin is dict:
        return pa.list_(pa.struct([("name", arrow_type(arguments[0])), ("value", arrow_type(arguments[1]))]))
    if is_dataclass(kind):
        types = get_type_hints(kind)
        return pa.struct([(field.name, arrow_type(types[field.name])) for field in fields(kind)])
    return _PLAIN[kind]


def arrow_value(value: Any, kind: Any) -> Any:
    """Return a plain value as a column of its declared type takes it.

    >>> arrow_value({"headline": "json_ld"}, dict[str, str])
    [{'name': 'headline', 'value': 'json_ld'}]
    """
    if value is None or get_origin(kind) is not dict:
        return value
    return [{"name": name, "value": one} for name, one in value.items()]
