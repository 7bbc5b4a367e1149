"""newsextract turns news pages into clean articles."""

from __future__ import annotations

from newsextract.article import Article
from newsextract.blocks import Block
from newsextract.extraction import Extraction, create_extractor, extractor_names, register
from newsextract.page import Page
from newsextract.reading import extract, read_article

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
