"""Pages that are files of the project's root, where people look for them."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "SECURITY.md": "security.md"}
"""The files, and the pages that show them."""

_FILE = re.compile(r"\]\(((?:\.\./)*)\.\./(CONTRIBUTING|CHANGELOG|SECURITY)\.md")

_LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def page_of(name: str) -> str:
    """Return the text of a file as a page of the docs, with the links that lead to the same places from there."""
    return _LINK.sub(lambda link: f"]({_from_docs(link[1])})", (PROJECT / name).read_text("utf-8"))


def with_pages(text: str) -> str:
    """Return a page whose links to these files lead to their pages.

    >>> with_pages("[What changed](../../CHANGELOG.md#now)")
    '[What changed](../changes.md#now)'
    """
    return _FILE.sub(lambda link: f"]({link[1]}{PAGES[f'{link[2]}.md']}", text)


def _from_docs(address: str) -> str:
    """Return a link of a file as its page has it.

    >>> _from_docs("docs/fields.md"), _from_docs("SECURITY.md"), _from_docs("LICENSE")
    ('fields.md', 'security.md', '../LICENSE')
    """
    if address.startswith("docs/"):
        return address.removeprefix("docs/")
    return PAGES.get(address, f"../{address}")
