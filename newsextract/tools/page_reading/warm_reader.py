"""Imports and weights for the process whose copies read pages; nothing else imports it."""

from __future__ import annotations

from newsextract.reading.reader import read_article
from newsextract.tools.page_reading import page_tasks

__all__ = ["page_tasks"]

# The weights of the classifiers and the tables of languages are read at their first use.
read_article("<h1>A headline</h1>" + "<p>A first sentence of a story, and a second one.</p>" * 9, "https://a.example/1")
