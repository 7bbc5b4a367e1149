"""What the caller wants of an extraction, besides the options of the extractor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from newsextract.page.rendering.document import BodyContent
from newsextract.page.text import count_words
from newsextract.reading.extraction.contract import Extraction, UnknownOption, create_reader
from newsextract.reading.notices import BadExtractorOption, Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.reading.extraction.contract import Extractor


Preference: TypeAlias = Literal["balance", "precision", "recall"]

_OF_ALL = ("cleaning", "tables", "links", "images", "min_words")
"""The options of an extraction by any extractor: few know `prefer`, and an article has `comments` and `markdown`."""


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """What is wanted of a body; by default all that the article has.

    Raises:
        BadExtractorOption: a value is of the wrong type or too small.
    """

    tables: bool = True
    """Keep tables of data, in text, HTML and Markdown."""
    links: bool = True
    """Keep the addresses of links; their text stays in any case."""
    images: bool = True
    """Keep images and their captions in HTML and Markdown, and look for `images` in the body."""
    prefer: Preference = "balance"
    """`precision` leaves out what is doubtful, `recall` keeps it. Only some extractors know it, among them `auto`."""
    min_words: int = 0
    """A body with fewer words is left out, with a warning."""
    comments: bool = False
    """Read the comments of readers into `comments`."""
    markdown: bool = False
    """Write the body as Markdown into `articleMarkdown`, too."""

    def __post_init__(self) -> None:
        for name in ("tables", "links", "images", "comments", "markdown"):
            if not isinstance(getattr(self, name), bool):
                raise BadExtractorOption(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.prefer not in get_args(Preference):
            raise BadExtractorOption(f"prefer is one of {', '.join(get_args(Preference))}, not {self.prefer!r}")
        if type(self.min_words) is not int or self.min_words < 0:
            raise BadExtractorOption(f"min_words is a number of words, 0 or more, not {self.min_words!r}")

    def extractor(self, name: str, options: Mapping[str, object]) -> Extractor:
        """Return the extractor of this name with its own options and this preference.

        Raises:
            UnknownExtractor, BadExtractorOption: as `create_extractor` does; also if it prefers nothing.
        """
        preferring = {} if self.prefer == "balance" else {"prefer": self.prefer}
        try:
            return create_reader(name, **{**options, **preferring})
        except UnknownOption as error:
            known = f"all extractors take {', '.join(_OF_ALL)}, read_article also comments, markdown, rules"
            raise UnknownOption(f"{error}; {known}") from error

    def applied(self, extraction: Extraction) -> Extraction:
        """Return the extraction with no more than is wanted, without blocks if it has too few words."""
        shown = extraction.showing(BodyContent(self.tables, self.links, self.images))
        words = count_words(shown.text) if self.min_words else 0
        if not shown or words >= self.min_words:
            return shown
        warning = Notice(NoticeCode.TOO_FEW_WORDS, words=words, least=self.min_words)
        return Extraction(shown.extractor, warnings=(*shown.warnings, warning), content=shown.content)
