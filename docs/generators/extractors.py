"""The extractors and their options, from their classes."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from docs.generators.docstrings import attribute_docs
from docs.generators.markdown import code, table
from newsextract import create_extractor, extractor_names

if TYPE_CHECKING:
    from dataclasses import Field


def extractors_reference() -> str:
    """Return a section for each installed extractor."""
    return "\n".join(_section(name) for name in extractor_names())


def _section(name: str) -> str:
    kind: Any = type(create_extractor(name))
    docs = attribute_docs(kind)
    rows = [[code(f"{each.name}={_default(each)}"), docs.get(each.name, "")] for each in fields(kind) if each.init]
    about = " ".join(str(kind.__doc__).split("\n\n")[0].split())
    return f"### `{name}`\n\n{about}\n\n{table(['option and default', ''], rows) if rows else 'It has no options.'}\n"


def _default(option: Field[Any]) -> str:
    return "…" if option.default is MISSING else repr(option.default).replace("'", '"')
