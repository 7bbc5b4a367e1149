"""Read a page's metadata: one file for each source, merged field by field, with the source of each value."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract.reading.metadata.field_rules import PRECEDENCE, BadPrecedence, with_overrides
    from newsextract.reading.metadata.findings import Metadata
    from newsextract.reading.metadata.metadata_reader import read_metadata

__all__ = ["PRECEDENCE", "BadPrecedence", "Metadata", "read_metadata", "with_overrides"]

_HOMES = {
    "PRECEDENCE": "field_rules",
    "BadPrecedence": "field_rules",
    "Metadata": "findings",
    "read_metadata": "metadata_reader",
    "with_overrides": "field_rules",
}
"""The file of each name, imported on first use: what only compares addresses needs no reader."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
