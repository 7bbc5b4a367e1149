"""Imports what workers use, so that those that are forked from one server share it."""

from __future__ import annotations

from newsextract.extraction import create_extractor
from newsextract.reading import DEFAULT_EXTRACTOR, read_article
from newsextract.workers import tasks, worker

__all__ = ["tasks", "worker"]

create_extractor(DEFAULT_EXTRACTOR)
# The weights of the classifiers and the tables of languages are read at their first use.
read_article("<h1>A headline</h1>" + "<p>A first sentence of a story, and a second one.</p>" * 9, "https://a.example/1")
