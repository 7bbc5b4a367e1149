"""Read a page as an article: its body, metadata and kind, with the help of other pages of the site.

In: a `Page`, and the memory of its site if there is one. Out: an `Article`, or `NoArticle` with a state and a reason.
Nothing here knows Scrapy or a database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.former_paths import former_names

if not TYPE_CHECKING:  # type checkers need to see the names
    __getattr__ = former_names(__name__)
