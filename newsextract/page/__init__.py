"""Parse a page into blocks, and write blocks as text, HTML or Markdown.

In: the bytes or text of one page, with its URL and what the request and the headers say of it.
Out: a `Page`, read-only, with its blocks; selected blocks as text, sanitised HTML or Markdown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.former_paths import former_names

if not TYPE_CHECKING:  # type checkers need to see the names
    __getattr__ = former_names(__name__)
