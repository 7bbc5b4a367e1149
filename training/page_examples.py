"""Turn the pages of annotated corpora into examples for the page classifier, with their kinds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.kind_features import features_of
from newsextract.reading.kinds import is_home
from newsextract.reading.metadata.precedence import read_metadata
from training.block_examples import VALIDATION, CorpusPage, gold_pages, site_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.kind_features import PageFeatures

LABELLED = "wcxb"
"""The corpus with pages of many kinds; those of the others are all articles, or all threads."""
CORPORA = (LABELLED, "newspaper4k", "dragnet", "daniel", "xmu", "magic", "magic_forum", "chaos")
KIND_OF = {"article": "article", "listing": "listing", "collection": "listing"}
"""The kind for each label of the corpus; all other labels are `other`."""

_EXTRACTOR = "auto"


@dataclass(frozen=True, slots=True)
class PageExample(CorpusPage):
    """A page with its kind; `features` is `None` if the extractor kept nothing."""

    label: str
    """The label in the corpus."""
    is_home: bool
    features: PageFeatures | None

    @property
    def kind(self) -> str:
        """One of the kinds that are trained: `article`, `listing`, `other`."""
        return KIND_OF.get(self.label, "other")

    @property
    def is_article(self) -> bool:
        """Whether it is labelled an article."""
        return self.kind == "article"

    @property
    def is_trained_on(self) -> bool:
        """Whether the page may be trained on."""
        return self.corpus not in VALIDATION and self.features is not None


def read_page_examples(paths: Sequence[Path], processes: int) -> list[PageExample]:
    """Return the examples of all corpora, in order."""
    with get_context("fork").Pool(processes) as pool:
        found = pool.imap(_example, gold_pages(paths), chunksize=8)
        return [example for example in found if example is not None]


def _example(gold: GoldPage) -> PageExample | None:
    label = gold.page_type or "article"
    make = partial(PageExample, gold.corpus, gold.id, site_of(gold), gold.language or "", label, is_home(gold.url))
    try:
        page = Page(gold.html, gold.url)
        extraction = create_extractor(_EXTRACTOR).extract(page)
    except PageError:
        return None
    example = make(None)
    return replace(example, features=features_of(page, extraction, read_metadata(page))) if extraction else example
