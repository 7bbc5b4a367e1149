"""States of pages, problems of sites, and the sentences of warnings, from their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.generators.docstrings import attribute_docs
from docs.generators.markdown import code, table
from newsextract.newsroom.health.judging import ProblemKind
from newsextract.reading.notices import NoticeCode, PageState

if TYPE_CHECKING:
    from enum import StrEnum


def page_states() -> str:
    """Return the table of states."""
    return _members("state", PageState)


def site_problems() -> str:
    """Return the table of what a site may suffer from."""
    return _members("problem", ProblemKind)


def warnings() -> str:
    """Return the table of warnings and reasons."""
    return table(["code", "sentence"], ([code(each.name), code(each.value)] for each in NoticeCode))


def _members(head: str, kind: type[StrEnum]) -> str:
    docs = attribute_docs(kind)
    return table([head, ""], ([code(each.value), docs.get(each.name, "")] for each in kind))
