"""Checks that the configured extractor can read a page with the weights in the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.crawl.pipelines.reading_settings import plan_from_settings
from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.block_model import load as load_block_classifier
from newsextract.reading.page_kinds.kind_model import load as load_page_classifier
from newsextract.reading.trained_models.weight_file import BadWeights
from newsextract.tools.doctor.finding import failure, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.tools.doctor.finding import Finding, Subject

WORDS = 80
"""Words that an extractor must find in the sample, which has twice as many."""

_SENTENCE = "Part {} of the story says that the mayor of the town opened the bridge after many years of waiting."
SAMPLE = (
    '<html><head><title>A bridge</title><meta property="og:type" content="article"></head><body>'
    '<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav><h1>A bridge for the town</h1>'
    + "".join(f"<p>{_SENTENCE.format(number)}</p>" for number in range(9))
    + '<footer><a href="/imprint">Imprint</a></footer></body></html>'
)
"""A page that any extractor reads."""


def weights(_: Subject) -> Iterator[Finding]:
    """Read the weights that come with the package."""
    for name, load in (("blocks", load_block_classifier), ("pages", load_page_classifier)):
        try:
            load()
        except BadWeights as error:
            yield failure(f"the weights for {name} cannot be read: {error}", "install newsextract again")
        else:
            yield ok(f"the weights for {name} can be read")


def extractors(subject: Subject) -> Iterator[Finding]:
    """Read a sample page with every extractor named in the settings."""
    try:
        plan = plan_from_settings(subject.settings)
        reader = plan.create()
        chosen = {plan.extractor: reader.default, **reader.by_site}
        texts = {name: extractor.extract(Page(SAMPLE)).text for name, extractor in chosen.items()}
    except (ImportError, TypeError, ValueError) as error:
        yield failure(str(error), "correct the setting: NEWSEXTRACT_EXTRACTOR, …_OPTIONS, …_KINDS or the like")
        return
    for name, text in texts.items():
        words = len(text.split())
        if words < WORDS:
            yield warning(f"{name} found {words} words of a sample page with 180", "choose another, or its options")
        else:
            yield ok(f"{name} found {words} words of a sample page")
