"""newsextract turns news pages into clean articles."""

from __future__ import annotations

from newsextract import former_paths
from newsextract.article import Article
from newsextract.page.blocks import Block
from newsextract.page.page import Page
from newsextract.reading.article_reader import extract, read_article
from newsextract.reading.extraction.contract import Extraction, create_extractor, extractor_names, register

__all__ = [
    "Article",
    "Block",
    "Extraction",
    "Page",
    "create_extractor",
    "extract",
    "extractor_names",
    "read_article",
    "register",
]

former_paths.install()
