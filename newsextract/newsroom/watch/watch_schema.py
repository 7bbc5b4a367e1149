"""The schema of `watch.yml`, and the messages for what it does not allow."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from newsextract.newsroom.watch.query_building import host_of
from newsextract.sites.site_list.language_names import primary
from newsextract.sites.site_list.sites_yaml_fields import Name, Tags  # noqa: TC001 - a table's types are looked up

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def _query(value: Any) -> str:
    # A rule may look for 2026, which YAML reads as a number.
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text.strip():
        raise ValueError("is no query; write words, such as pont OR bridge*")
    return text


def _hosts(value: Any) -> list[str]:
    written = value if isinstance(value, list) else [value]
    hosts = [host_of(each) if isinstance(each, str) else None for each in written]
    if not written or None in hosts:
        raise ValueError("is no list of sites; write their hosts, such as [lemonde.fr, bbc.co.uk]")
    return list(dict.fromkeys(host for host in hosts if host))


def _primaries(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(primary(tag) or tag for tag in tags))


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class WatchTable(_Table):
    """A rule."""

    name: Name
    query: Annotated[str, BeforeValidator(_query)]
    languages: Annotated[Tags, AfterValidator(_primaries)] = []
    sites: Annotated[list[str], BeforeValidator(_hosts)] = []


class WatchFileTable(_Table):
    """The file: shared definitions, and the rules, which are checked one by one."""

    definitions: dict[str, Annotated[str, BeforeValidator(_query)]] = {}
    watches: list[Any]


def explain(detail: ErrorDetails, kind: type[BaseModel]) -> str:
    """Return what is wrong with a value and what would be right, from pydantic's error."""
    if detail["type"] == "extra_forbidden":
        known = ", ".join(kind.model_fields)
        near = get_close_matches(str(detail["loc"][-1]), kind.model_fields, n=1)
        return f"unknown field; {f'did you mean {near[0]}?' if near else f'there are {known}'}"
    if detail["type"] == "missing":
        return _MISSING[str(detail["loc"][-1])]
    return _SHAPES.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")


_MISSING = {
    "watches": "is missing; the file has watches: and lists the rules below it",
    "name": "is missing; write name: and a name of your choice",
    "query": "is missing; write query: and words, such as pont OR bridge*",
}
_SHAPES = {
    "list_type": "is no list; write each rule below it, beginning with -",
    "dict_type": "is no table; write a name and a query on each line below it, city: paris OR lyon",
    "model_type": "is no table; write its fields as name: value",
}
"""Messages for a wrong structure, by pydantic's name of the error."""
