"""The error messages for `sites.yml`: the field as people write it, and what would be right."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from newsextract.sites.site_list.sites_yaml_schema import TABLES, FileTable, SiteTable, Table

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from newsextract.sites.site_list.yaml_tree import Path

MAX_FIELD_CHARS = 60
"""Characters shown of a field's name."""

_STRUCTURE = {
    "missing": "is missing; the file begins with sites: and lists them below",
    "list_type": "is no list; write each site in a line of its own that begins with -",
    "dict_type": "is no table; write fields such as schedule: 30m below it",
    "model_type": "is no table; write its fields as name: value",
}
"""Messages for a wrong structure, by pydantic's name of the error."""

_NO_TABLE: dict[type[Table], str] = {
    FileTable: "the file is no table; it begins with sites: and lists them below",
    SiteTable: "is neither an address nor a table; write https://example.com/, or start: and other fields",
}
"""The same for a file or site as a whole."""


def field_name(path: Path) -> str:
    """Return a path as people write it, after a comma; an empty string for the file as a whole.

    >>> field_name(("sites", 3, "limits", "articles")), field_name(())
    (', sites[3].limits.articles', '')
    """
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{_short(step)}" for step in path)
    return f", {steps.removeprefix('.')}" if steps else ""


def _short(name: str) -> str:
    return " ".join(name.split())[:MAX_FIELD_CHARS]


def explain(detail: ErrorDetails, kind: type[Table]) -> str:
    """Return what is wrong with a value and what would be right, from pydantic's error."""
    if detail["type"] == "extra_forbidden":
        return _unknown(detail["loc"], kind)
    if not detail["loc"] and detail["type"] == "model_type":
        return _NO_TABLE[kind]
    if detail["loc"][-1:] == ("name",) and detail["type"] == "missing":
        return "is missing; write the name of an extractor"
    return _STRUCTURE.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")


def _unknown(path: Path, kind: type[Table]) -> str:
    inner = tuple(str(step) for step in path[:-1])
    table = TABLES[inner] if inner else kind
    names = [info.alias or name for name, info in table.model_fields.items()]
    near = get_close_matches(str(path[-1]), names, n=1)
    return f"unknown field; did you mean {near[0]}?" if near else f"unknown field; there are {', '.join(names)}"
